"""Receipts of the last renders, in `.state/receipts/`. May import `model`, `errors`.

Local, bounded, and sealed with this machine's secret like the cache: receipts that came with a
folder from elsewhere are not believed. A receipt holds ids and keyed marks, never a text of a
memory, so that nothing which is forgotten later lives on in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from vault_cli.errors import VaultError
from vault_cli.store.opening import Folders
from vault_cli.store.places import machine_token
from vault_cli.store.sealed import read_sealed, write_sealed
from vault_cli.text.late import late

FOLDER: Final = ".state/receipts"
MOST_RENDERS: Final = 40
"""How many are kept; the oldest go first."""

_SCHEMA: Final = 2
MOST_LEFT_OUT: Final = 1000
"""Ids of records without room that one receipt names."""

_MARK_BYTES: Final = 6
_NAME: Final = late(r"[0-9a-f]{16}-[0-9a-f]{8}\.json")
_NAMED: Final = late(r"@(?:(?P<place>\d{1,3})|(?P<id>[0-9a-f]{4,16}))")


class KeptEntry(NamedTuple):
    """One entry of a block: record, place, and a keyed digest of how it stood there.

    Args:
        id, vault: the record, and which of two vaults it is from ("" when one was read).
        group, level: where it stood and how much of it (a level of `recall.block.LEVELS`).
        mark: from `mark_text`; "" when it stood there by id only.
    """

    id: str
    vault: str
    group: str
    level: str
    mark: str


class KeptRender(NamedTuple):
    """What is kept of one render.

    Args:
        id: from `receipt_id`.
        at: ISO instant.
        head: commit that HEAD named, "" when there was none or only git could tell.
        to: absolute paths of the files it was written into; none: it was printed.
        settings: what it takes to render the same again (`recall.repeat.settings_data`).
        used, unit, budget: the size of the block and its limit (0: none).
        omitted, excluded: how many eligible records had no room, and how many were not eligible.
        entries: what was shown, in the order of the block.
        left_out: ids of eligible records that had no room; of very many the first.
    """

    id: str
    at: str
    head: str
    to: tuple[str, ...]
    settings: Mapping[str, Any]
    used: int
    unit: str
    budget: int
    omitted: int
    excluded: int
    entries: tuple[KeptEntry, ...]
    left_out: tuple[str, ...] = ()

    def entry(self, record_id: str, vault: str = "") -> KeptEntry | None:
        """Return the entry of a record, None when the block did not hold it.

        Args:
            record_id: whose.
            vault: which of two vaults it is from; "" on either side fits any.
        """
        found = (entry for entry in self.entries if entry.id == record_id)
        return next((e for e in found if not (e.vault and vault) or e.vault == vault), None)

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        names = ("id", "at", "head", "used", "unit", "budget", "omitted", "excluded")
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {**data, "to": list(self.to), "shown": len(self.entries)}


def mark_text(text: str) -> str:
    """Return a digest of an entry's text that says nothing without this machine's secret.

    "" when the machine has none.
    """
    token = machine_token()
    if token is None or not text:
        return ""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, key=token, digest_size=_MARK_BYTES).hexdigest()


def keep_render(root: Path, render: KeptRender) -> bool:
    """Keep a receipt; return whether that was possible. A render never fails because of it.

    The same block rendered again in the same way takes the place of its older receipt. Whoever
    reads meanwhile sees the old or the new one. Nothing is forced to the disk: a receipt that a
    power cut damages is left out.
    """
    data = {"schema": _SCHEMA, **render._asdict()}
    try:
        with Folders(root) as folders:
            kept = write_sealed(folders, f"{FOLDER}/{_file_name(render)}", data)
            _prune(folders)
    except (OSError, VaultError):
        return False
    return kept


def _file_name(render: KeptRender) -> str:
    settings = {key: value for key, value in render.settings.items() if key != "now"}
    way = json.dumps([render.to, settings], sort_keys=True, ensure_ascii=True)
    return f"{render.id}-{hashlib.sha256(way.encode('ascii')).hexdigest()[:8]}.json"


def _prune(folders: Folders) -> None:
    """Remove the oldest receipts above the limit, and what killed runs left here."""
    names = [name for name in folders.names_in(FOLDER) if name.endswith(".json")]
    if len(names) <= MOST_RENDERS:
        return
    aged = []
    for name in names:
        place, handle = folders.locate(f"{FOLDER}/{name}")
        with suppress(OSError):
            aged.append((os.stat(place, dir_fd=handle, follow_symlinks=False).st_mtime_ns, name))
    for _, name in sorted(aged, reverse=True)[MOST_RENDERS:]:
        place, handle = folders.locate(f"{FOLDER}/{name}")
        with suppress(OSError):
            os.unlink(place, dir_fd=handle)


def load_renders(root: Path) -> list[KeptRender]:
    """Return the kept receipts, newest first; damaged ones and those of elsewhere are left out."""
    found: list[tuple[int, str, KeptRender]] = []
    try:
        with Folders(root) as folders:
            names = folders.names_in(FOLDER)
            for name in filter(_NAME.fullmatch, names):
                place, handle = folders.locate(f"{FOLDER}/{name}")
                with suppress(OSError):
                    facts = os.stat(place, dir_fd=handle, follow_symlinks=False)
                    found += _load(root, name, facts.st_mtime_ns)
    except (OSError, VaultError):
        return []
    return [render for _, _, render in sorted(found, key=lambda item: item[:2], reverse=True)]


def _load(root: Path, name: str, age: int) -> list[tuple[int, str, KeptRender]]:
    data = read_sealed(root, f"{FOLDER}/{name}")
    render = None if data is None else _read_render(data)
    return [] if render is None else [(age, name, render)]


def _read_render(data: dict[str, Any]) -> KeptRender | None:
    """Return a sealed receipt as a value; None when another version of mvault wrote it."""
    if data.pop("schema", None) != _SCHEMA or set(data) != set(KeptRender._fields):
        return None
    entries = tuple(KeptEntry(*entry) for entry in data["entries"])
    lists = {name: tuple(data[name]) for name in ("to", "left_out")}
    return KeptRender(**{**data, **lists, "entries": entries})


def is_receipt(text: str) -> bool:
    """Tell whether a text names a kept render: `@1` for the last, `@2` before it, or `@ID`."""
    return _NAMED.fullmatch(text) is not None


def find_render(renders: Sequence[KeptRender], text: str) -> KeptRender | None:
    """Return the render that `@1`, `@2` … or the beginning of its id (`@3f2a`) names.

    Args:
        renders: from `load_renders`.
        text: as typed.

    Returns:
        None when there is none; of several with one beginning the newest.
    """
    found = _NAMED.fullmatch(text)
    if found is None:
        return None
    if found["place"]:
        place = int(found["place"])
        if 0 < place <= len(renders):
            return renders[place - 1]
    start = text[1:]
    return next((r for r in renders if len(start) > 3 and r.id.startswith(start)), None)  # noqa: PLR2004


def peek_head(root: Path) -> str:
    """Return the commit that HEAD of a vault names, without starting git; "" when unsure."""
    from vault_cli.store.git_place import find_place, read_head

    try:
        place = find_place(root)
        return (read_head(place) or "") if place is not None else ""
    except (OSError, VaultError):
        return ""
