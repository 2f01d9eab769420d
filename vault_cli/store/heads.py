"""Records of which only the head is loaded: what a list shows. May import `store`, `text`, `model`.

Of thousands of records a command prints a line each, or one of them whole; the rest of their
contents stays on disk until somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vault_cli.errors import ChangedMeanwhileError, NotFoundError
from vault_cli.model.record import ALWAYS, GLOBAL, Record, Scope
from vault_cli.store.codec import (
    DAMAGE,
    KINDS,
    RECORD_FIELDS,
    STATUSES,
    Parsed,
    Row,
    Twin,
    decode_findings,
    decode_rare,
    decode_row,
    decode_rows,
    dump_json,
    encode_findings,
    encode_rare,
)
from vault_cli.store.file_names import folder_of
from vault_cli.store.index import Index
from vault_cli.store.opening import show_name

Load = Callable[[str, str], Record]
"""Gives the whole record of a path and a digest."""

LOOKED_AT: Final = ("validity", "supersedes", "allow", "branch", "lapsed")
"""Attributes that commands look at in every record, and that most records have not."""

_IN_HEAD: Final = frozenset(
    {
        *("id", "kind", "path", "digest", "written_status", "title", "adopted", "findings"),
        "scope",
        "vault",  # says where the record was read, not what is in it
        "withheld",
        "waits",
        "foreign",
        *LOOKED_AT,
    }
)
_FEW: Final = 8
"""So many records are completed one by one, then so many folders; then all rows are loaded."""


_REST: Final = tuple(name for name in RECORD_FIELDS if name not in _IN_HEAD)


def fill_head(head: Record, whole: Record) -> None:
    """Give a record of which only the head is known the rest; it is a plain `Record` then."""
    set_attribute = object.__setattr__
    for name in _REST:
        set_attribute(head, name, getattr(whole, name))
    set_attribute(head, "__class__", Record)


def head_class(load: Load) -> type[Record]:
    """Return a class of records that know their head, and load the rest when it is asked for.

    An instance that was asked is a plain `Record` from then on. `decode_heads` sets the head;
    every other attribute is unset, which makes Python call `__getattr__`.
    """

    def complete(head: Record) -> None:
        whole = load(head.path, head.digest)
        if type(head) is not Record:  # the loader may have completed all of them at once
            fill_head(head, whole)

    class Head(Record):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment] # a record holds a mapping

        def __getattr__(self, name: str) -> Any:
            if name not in RECORD_FIELDS:
                raise AttributeError(name)
            complete(self)
            return getattr(self, name)

        def __eq__(self, other: object) -> bool:
            complete(self)
            return self == other

    Head.__qualname__ = Record.__qualname__
    return Head


def encode_heads(files: Mapping[str, tuple[str, Parsed]]) -> str:
    """Return the heads of the files of one folder.

    Args:
        files: by name, digest and what the file holds.
    """
    columns: list[list[Any]] = [[], [], [], [], [], [], []]
    findings: dict[int, str] = {}
    rare: dict[int, dict[str, Any]] = {}
    for place, (name, (digest, (record, own))) in enumerate(files.items()):
        facts: tuple[Any, ...] = (None, None, None, None, False)
        if record is not None:
            status = record.written_status.value
            facts = (record.id, record.kind.value, status, record.title, record.adopted)
            more = encode_rare(record, LOOKED_AT)
            if record.scope != GLOBAL:
                more["scope"] = record.scope
            if more:
                rare[place] = more
        for column, value in zip(columns, (name, digest, *facts), strict=True):
            column.append(value)
        if text := encode_findings(record, own):
            findings[place] = text
    return dump_json([columns, findings, rare])


def decode_heads(text: str, folder: str, head: type[Record]) -> dict[str, Parsed]:
    """Return the files of one folder by path, each record an instance of `head`.

    Raises:
        one of `codec.DAMAGE`: the text is damaged.
    """
    import json

    columns, findings, rare = json.loads(text)
    result: dict[str, Parsed] = {}
    nothing = ()
    for name, digest, key, kind, status, title, adopted in zip(*columns, strict=True):
        path = folder + name
        if key is None:
            result[path] = None, nothing
            continue
        record = Twin()
        record.path = path
        record.digest = digest
        record.id = key
        record.kind = KINDS[kind]
        record.written_status = STATUSES[status]
        record.title = title
        record.adopted = adopted
        record.findings = record.supersedes = record.allow = record.branch = nothing
        record.scope = GLOBAL
        record.vault = ""
        record.withheld = record.waits = record.lapsed = ""
        record.foreign = False
        record.validity = ALWAYS
        record.__class__ = head
        result[path] = record, nothing
    names = columns[0]
    for place, more in rare.items():
        found = result[folder + names[int(place)]][0]
        if "scope" in more:
            object.__setattr__(found, "scope", Scope(*more.pop("scope")))
        for attribute, value in decode_rare(more).items():
            object.__setattr__(found, attribute, value)
    for place, encoded in findings.items():
        path = folder + names[int(place)]
        found, groups = result[path][0], decode_findings(encoded)
        if found is not None:
            object.__setattr__(found, "findings", groups[-1])
        result[path] = found, groups[0]
    return result


class RowLoader:
    """Gives whole records to heads: from the cache, else from the file itself.

    Args:
        root: the vault.
        gates: setting `admission.gates`.

    Attributes:
        heads: those that are completed at once when many are asked for.
    """

    def __init__(self, root: Path, gates: frozenset[str]) -> None:
        self._root = root
        self._gates = gates
        self._asked = 0
        self._folders: set[str] = set()
        self._rows: dict[str, Row] = {}
        self.heads: list[Record] = []

    def load(self, path: str, digest: str) -> Record:
        """Return the record of a file whose bytes have this digest.

        Raises:
            ChangedMeanwhileError: the file has other bytes by now.
        """
        row = self._row(path)
        parsed = decode_row(row) if row is not None and row[1] == digest else None
        record = parsed[0] if parsed else None
        return record or read_again(self._root, path, digest, self._gates)

    def _row(self, path: str) -> Row | None:
        """Return the row of one file; who asks for many is likely to ask for those beside it."""
        folder = folder_of(path)
        if path in self._rows or folder in self._folders or len(self._folders) > _FEW:
            return self._rows.get(path)
        self._asked += 1
        index = Index(self._root, self._gates)
        try:
            if self._asked <= _FEW:
                return index.load_row(path)
            self._folders.add(folder)
            is_one = len(self._folders) <= _FEW
            rows = index.load_folder(folder) if is_one else index.load_rows()
        finally:
            index.close()
        self._rows.update(rows)
        self._complete(rows, folder if is_one else "")
        return rows.get(path)

    def _complete(self, rows: Mapping[str, Row], folder: str) -> None:
        """Complete what fits: one look at all of it costs half of as many looks."""
        heads = [h for h in self.heads if type(h) is not Record and h.path.startswith(folder)]
        fit = [h for h in heads if (row := rows.get(h.path)) is not None and row[1] == h.digest]
        with suppress(*DAMAGE):
            for head, (whole, _) in zip(fit, decode_rows([rows[h.path] for h in fit]), strict=True):
                if whole is not None:
                    fill_head(head, whole)


def read_again(root: Path, path: str, digest: str, gates: frozenset[str]) -> Record:
    """Return the record of a file that the cache has lost.

    Raises:
        ChangedMeanwhileError: the bytes of the file do not have this digest any more.
    """
    from vault_cli.store.files import digest_bytes, read_file
    from vault_cli.text.fields import read_record

    try:
        data = read_file(root, path)
    except NotFoundError:
        data = b""
    record = read_record(data, path, gates)[0]
    if digest_bytes(data) != digest or record is None:
        raise ChangedMeanwhileError(
            f"{show_name(path)} was changed while the vault was read",
            hint="Run the command again.",
        )
    return record
