"""Records of which all but the text is loaded: what ranking looks at. May import `store`, `model`.

Of thousands of records in force a block has room for a hundred. The others are judged by their
keys; body and front matter stay in the cache until somebody asks, and come from the moment at
which the vault was read: the cache is kept open, and does not change for who reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from vault_cli.model.record import Record
from vault_cli.store.codec import (
    RARE,
    LazyFields,
    Parsed,
    Twin,
    decode_rare,
    dump_json,
    encode_rare,
)
from vault_cli.store.heads import LOOKED_AT, decode_heads, read_again
from vault_cli.store.index import Index
from vault_cli.store.index_rows import Text

_REST: Final = tuple(name for name in RARE if name not in LOOKED_AT)
_MANY: Final = 1000
"""So many texts are fetched one by one; for more it is cheaper to load all of them."""

_NOTHING: Final = (None,) * 9


class TextLoader:
    """Completes outlines with text and front matter, as they were when the vault was read.

    Args:
        index: the cache, in which the outlines were found; it is closed with the last of them.
        root: the vault.
        gates: setting `admission.gates`.
    """

    def __init__(self, index: Index, root: Path, gates: frozenset[str]) -> None:
        self._index = index
        self._root = root
        self._gates = gates
        self._asked = 0
        self.outlines: list[Record] = []

    def complete(self, outline: Record) -> None:
        """Make a record of an outline; of all of them when many were asked for.

        Raises:
            ChangedMeanwhileError: the cache lost the text, and the file has other bytes by now.
        """
        self._asked += 1
        if self._asked > _MANY and self.outlines:
            self._complete_all()
            if type(outline) is Record:
                return
        text = self._index.load_text(outline.path)
        if text is not None and _fits(text, outline):
            _fill(outline, text.body, LazyFields(text.fields))
            return
        record = read_again(self._root, outline.path, outline.digest, self._gates)
        _fill(outline, record.body, record.fields)

    def _complete_all(self) -> None:
        texts = self._index.load_texts()
        for outline in self.outlines:
            text = texts.get(outline.path)
            if type(outline) is not Record and text is not None and _fits(text, outline):
                _fill(outline, text.body, LazyFields(text.fields))
        self.outlines = []

    def __del__(self) -> None:
        """Let go of the cache."""
        with suppress(Exception):
            self._index.close()


def _fits(text: Text, outline: Record) -> bool:
    return text.digest == outline.digest and text.fields[:1] == "{"


def _fill(outline: Any, body: str, fields: Mapping[str, Any]) -> None:
    set_class = object.__setattr__
    set_class(outline, "__class__", Twin)  # which is filled plainly
    outline.body = body
    outline.fields = fields
    outline.__class__ = Record


class OutlineFields(Mapping[str, Any]):
    """Front matter of which the keys are known; a value completes the record.

    Args:
        keys: of the front matter.
        size: characters of the record's body.
        record: whose it is.
    """

    __slots__ = ("_keys", "record", "size")

    def __init__(self, keys: frozenset[str], size: int, record: Any) -> None:
        self._keys = keys
        self.size = size
        self.record = record

    def _whole(self) -> Mapping[str, Any]:
        record = self.record
        record.body  # noqa: B018 - completes it, which puts the whole mapping into its place
        found: Mapping[str, Any] = record.fields
        return found

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return self._whole()[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._keys)

    def __eq__(self, other: object) -> bool:
        return self._whole() == other

    __hash__ = None  # type: ignore[assignment] # as any mapping


def outline_class(loader: TextLoader) -> type[Record]:
    """Return a class of records that know all but their text, and load it when it is asked for.

    An instance that was asked is a plain `Record` from then on. The body is unset, which makes
    Python call `__getattr__`.
    """

    class Outline(Record):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment] # a record holds a mapping

        def __getattr__(self, name: str) -> Any:
            if name != "body":
                raise AttributeError(name)
            loader.complete(self)
            return self.body

        @property
        def size(self) -> int:
            fields = self.fields
            if isinstance(fields, OutlineFields) and fields.record is self:
                return fields.size
            return len(self.body)

        def __eq__(self, other: object) -> bool:
            self.body  # noqa: B018 - completes it, unless it is a copy with a body of its own
            object.__setattr__(self, "__class__", Record)
            return self == other

    Outline.__qualname__ = Record.__qualname__
    return Outline


def encode_rest(files: Mapping[str, tuple[str, Parsed]]) -> str:
    """Return what ranking looks at, besides the heads, in the files of one folder.

    Args:
        files: by name, digest and what the file holds, as for `heads.encode_heads`.
    """
    rows: list[tuple[Any, ...]] = []
    rare: dict[int, dict[str, Any]] = {}
    keys: dict[tuple[str, ...], int] = {}
    for place, (_, (record, _)) in enumerate(files.values()):
        if record is None:
            rows.append(_NOTHING)
            continue
        own = keys.setdefault(tuple(record.fields), len(keys))
        rows.append(
            (
                *(record.topics, record.applies_when, record.keywords, record.importance),
                *(record.source, record.origin, record.created, own, len(record.body)),
            )
        )
        if more := encode_rare(record, _REST):
            rare[place] = more
    return dump_json([list(zip(*rows, strict=True)), list(keys), rare])


def decode_outlines(heads: str, rest: str, folder: str, kind: type[Record]) -> dict[str, Parsed]:
    """Return the files of one folder by path, each record an instance of `kind`.

    Raises:
        one of `codec.DAMAGE`: the text is damaged.
    """
    parsed = decode_heads(heads, folder, Twin)
    columns, keys, rare = json.loads(rest)
    known = [frozenset(names) for names in keys]
    records: list[Any] = [record for record, _ in parsed.values()]
    for record, topics, when, words, importance, source, origin, created, own, size in zip(
        records, *columns, strict=True
    ):
        if record is None:
            continue
        record.topics = tuple(topics)
        record.applies_when = when
        record.keywords = tuple(words)
        record.importance = importance
        record.source = source
        record.origin = origin
        record.created = created
        record.summary = record.confidence = record.boundary = ""
        record.conflicts = record.derived_from = record.aliases = ()
        record.required = record.checklist = record.correction = False
        record.hits = 0
        record.fields = OutlineFields(known[own], size, record)
    for place, more in rare.items():
        for name, value in decode_rare(more).items():
            setattr(records[int(place)], name, value)
    for record in records:
        if record is not None:
            record.__class__ = kind
    return parsed
