"""Take an observation down, move the watermark, commit in batches. May import `store`, `model`.

Three steps, each for itself: a line is appended at once; when enough uses wait, a watermark line
follows, and renders show what stands before it; and the file goes into git then, or before the
next change of the vault. What fails later than the first step is tried again by the next run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from vault_cli.errors import VaultError
from vault_cli.model.observation import (
    AGENT,
    EXPOSURE,
    WATERMARK,
    Observation,
    count_uses,
    split_ids,
)
from vault_cli.store.files import read_file, write_file
from vault_cli.store.own_usage import (
    append_lines,
    new_key,
    own_path,
    own_paths,
    put_back,
    read_own,
    stamp_time,
)
from vault_cli.store.places import machine_token
from vault_cli.store.usage import MAX_USAGE, parse_lines, waiting_in

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository
    from vault_cli.store.screen import Screen

_COMMITTED: Final = ".state/usage-committed"
_MANY_LINES: Final = 64
"""So many exposures alone are worth a commit before the next change."""


class Held(Protocol):
    """What is asked of a vault here."""

    root: Path

    @property
    def repo(self) -> Repository | None: ...  # noqa: D102

    def screen(self) -> Screen: ...  # noqa: D102


class Observed(NamedTuple):
    """What became of observations.

    Args:
        path: the file they stand in.
        waiting: uses of this machine that no watermark has taken in.
        settled: whether the watermark moved.
        commit: the commit that took the file along, "" for none.
        problem: why it is not committed although it was time, "" otherwise.
    """

    path: str
    waiting: int
    settled: bool = False
    commit: str = ""
    problem: str = ""


def observe(
    vault: Held, seen: Sequence[Observation], now: datetime, *, every: int, wait: float
) -> Observed:
    """Take observations down; the watermark moves when `every` uses of this machine wait.

    Args:
        vault: where the records are.
        seen: observations; none: only the rest is done.
        now: aware instant.
        every: setting `render.commit_every`.
        wait: most seconds to wait for another writer, for the commit.

    Raises:
        StoreError: they cannot be written.
    """
    path = append_lines(vault.root, seen) if seen else own_path(vault.root)
    put_back(vault.root, now)
    parts = {part: waiting_in(read_own(vault.root, part)) for part in _open_parts(vault.root)}
    waiting = sum(parts.values())
    if not waiting or waiting < every:
        return Observed(path, waiting)
    for part, number in parts.items():
        if number:
            mark = Observation(WATERMARK, stamp_time(now), new_key())
            append_lines(vault.root, [mark], path=part)
    try:
        return Observed(path, 0, settled=True, commit=commit_usage(vault, wait=wait))
    except VaultError as error:
        return Observed(path, 0, settled=True, problem=error.message)


def count_waiting(root: Path) -> int:
    """Return how many uses of this machine no watermark has taken in; 0 when it has no name."""
    if machine_token() is None:
        return 0
    return sum(waiting_in(read_own(root, part)) for part in _open_parts(root))


def _open_parts(root: Path) -> list[str]:
    """Return the files of this machine that may hold what waits: the last, and the one before.

    A process that was slow may still have written into that one.
    """
    return own_paths(root)[-2:]


def has_receipt(root: Path, receipt: str) -> bool:
    """Tell whether this machine's files name the ids of a receipt already (the last two do)."""
    data = b"".join(read_own(root, part) for part in _open_parts(root))
    word = f'"receipt":"{receipt}"'.encode()
    place = data.find(word)
    while place >= 0:
        line = data[data.rfind(b"\n", 0, place) + 1 : place]
        if line.startswith(b'{"kind":"exposure"') and b'"ids":[' in line:
            return True
        place = data.find(word, place + 1)
    return False


def exposure_lines(
    root: Path, receipt: str, ids: Sequence[str], session: str, at: datetime
) -> list[Observation]:
    """Return the lines that say which records a session was shown.

    The ids stand in the first line of a receipt only: the same block again costs 100 bytes.

    Args:
        root: the vault.
        receipt: of what was shown.
        ids: of the records, in any number.
        session: whose.
        at: when.
    """
    found = []
    for place, part in enumerate(split_ids(ids), 1):
        name = receipt if place == 1 else f"{receipt}/{place}"
        listed = () if has_receipt(root, name) else part
        found.append(Observation(EXPOSURE, stamp_time(at), new_key(), listed, AGENT, session, name))
    return found


def commit_usage(vault: Held, *, wait: float) -> str:
    """Commit this machine's files as they are; return the commit, "" when there is nothing new.

    Raises:
        VaultError: as `gate.commit_appended`. The file stays, and waits for the next time.
    """
    from vault_cli.model.change import Change
    from vault_cli.model.lifecycle import Actor
    from vault_cli.store.gate import commit_appended

    repo, parts = vault.repo, _open_parts(vault.root)
    fresh = {part: _fresh_bytes(vault.root, part) for part in parts}
    fresh = {part: data for part, data in fresh.items() if data}
    if repo is None or not fresh:
        return ""
    lines = [seen for data in fresh.values() for seen, _ in parse_lines(data).lines]
    number = sum(seen.kind != WATERMARK for seen in lines)
    what = "1 observation" if number == 1 else f"{number} observations"
    change = Change("usage", f": {what}", (), actor=Actor.AGENT)
    sizes = {part: (vault.root / part).lstat().st_size for part in parts if part in fresh}
    commit = commit_appended(vault.root, repo, change, fresh, screen=vault.screen(), wait=wait)
    with suppress(VaultError):
        text = json.dumps({**_committed_sizes(vault.root), **sizes})
        write_file(vault.root, _COMMITTED, text.encode())
    return commit


def is_due(root: Path) -> bool:
    """Tell whether this machine has observations worth a commit, without asking git."""
    try:
        sizes = _committed_sizes(root)
        parts = [
            part
            for part in _open_parts(root)
            if os.path.lexists(root / part) and (root / part).lstat().st_size != sizes.get(part)
        ]
    except (OSError, VaultError):
        return False
    lines = [seen for part in parts for seen, _ in parse_lines(_fresh_bytes(root, part)).lines]
    return count_uses(lines) > 0 or len(lines) >= _MANY_LINES


def _bytes_of(root: Path, path: str) -> bytes:
    try:
        return read_file(root, path, MAX_USAGE)
    except VaultError:
        return b""


def _fresh_bytes(root: Path, path: str) -> bytes:
    """Return what was appended since the last commit, as far as we remember; all when in doubt."""
    data, size = _bytes_of(root, path), _committed_sizes(root).get(path, 0)
    return data[size:] if 0 < size <= len(data) and data[size - 1 : size] == b"\n" else data


def _committed_sizes(root: Path) -> dict[str, int]:
    try:
        found = json.loads(read_file(root, _COMMITTED))
    except (VaultError, ValueError, RecursionError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {path: size for path, size in pairs if type(size) is int}
