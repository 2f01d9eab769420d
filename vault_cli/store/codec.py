"""A parsed file as text columns of the cache, and back. May import `model`, `errors`.

JSON only: a cache may come from anywhere, and reading JSON can run nothing. What is written is
decoded again and compared first, so that a warm read cannot differ from a cold one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.record import ALWAYS, GLOBAL, Kind, Record, Scope, Status
from vault_cli.model.validity import Validity

Parsed = tuple[Record | None, tuple[Diagnostic, ...]]
"""What `read_record` gives for one file."""


Row = tuple[str, str, str, str, str, str]
"""path, digest, facts, body, fields, findings."""


DAMAGE: Final = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
)
"""What decoding damaged text may raise."""


class Columns(NamedTuple):
    """A parsed file as the cache holds it."""

    facts: str
    body: str
    fields: str
    findings: str


class LazyFields(Mapping[str, Any]):
    """Front matter kept as JSON text until somebody looks: most readers never do."""

    __slots__ = ("_data", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._data: dict[str, Any] | None = None

    def _load(self) -> dict[str, Any]:
        if self._data is None:
            self._data = json.loads(self._text)
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self._load()[key]

    def __contains__(self, key: object) -> bool:
        """Look for the key in the text first: most records lack most keys."""
        plain = isinstance(key, str) and key.isascii() and key.isalpha()
        if plain and self._data is None and f'"{key}"' not in self._text:
            return False
        return key in self._load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._load() == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._load())


RARE: Final = (
    "summary",
    "confidence",
    "validity",
    "supersedes",
    "conflicts",
    "derived_from",
    "aliases",
    "required",
    "checklist",
    "correction",
    "boundary",
    "branch",
    "allow",
    "hits",
    "lapsed",
)
_LISTS: Final = frozenset({"supersedes", "derived_from", "aliases", "branch", "allow"})
"""Attributes that most records leave at their default."""

RECORD_FIELDS: Final = tuple(item.name for item in fields(Record))
Twin: Final[Any] = type("Twin", (), {"__slots__": RECORD_FIELDS})
"""A plain class with the layout of Record.

A frozen dataclass sets its attributes through `object.__setattr__`, which makes 10,000 of them
six times as costly; an instance of this class is filled plainly and then becomes a Record.
"""
_EXPECTED: Final = frozenset(
    {
        *("id", "kind", "path", "digest", "written_status", "title", "body", "adopted", "scope"),
        *("topics", "applies_when", "keywords", "importance", "source", "origin", "created"),
        *("fields", "findings", "vault", "withheld", "waits", "foreign"),
        *RARE,
    }
)
_KNOWS_ALL: Final = set(RECORD_FIELDS) == _EXPECTED
LAYOUT: Final = "9:" + ",".join(RECORD_FIELDS)
"""Part of the cache's key: a Record with other fields makes another cache.

Count up when what is a record, or how it is stored, changes.
"""

_RARE_DEFAULTS: Final[dict[str, Any]] = {
    item.name: item.default for item in fields(Record) if item.name in RARE
}
KINDS: Final[dict[str, Kind]] = {kind.value: kind for kind in Kind}
STATUSES: Final[dict[str, Status]] = {status.value: status for status in Status}


def encode_parsed(parsed: Parsed, path: str, digest: str) -> Columns | None:
    """Return the columns of a parsed file, or None when they would not give it back exactly."""
    record, findings = parsed
    if not _KNOWS_ALL:
        return None  # a field was added to Record and not here: no cache rather than a wrong one
    rare = encode_rare(record) if record else {}
    if record and not (rare or findings or record.findings) and _is_plain(record.fields):
        return Columns(_encode_facts(record, rare), record.body, dump_json(dict(record.fields)), "")
    try:
        columns = Columns(
            _encode_facts(record, rare) if record else "",
            record.body if record else "",
            dump_json(dict(record.fields)) if record else "",
            encode_findings(record, findings),
        )
        (again,) = decode_rows([(path, digest, *columns)])
    except DAMAGE:
        return None
    return columns if again == parsed else None


def _is_plain(front: Mapping[str, Any]) -> bool:
    """Whether JSON gives every value back as it is: texts, nothing, and rows of texts."""
    for value in front.values():
        kind = type(value)
        if kind is list:
            if not all(type(item) is str for item in value):
                return False
        elif kind is not str and value is not None:
            return False
    return True


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump_json(value: object) -> str:
    """Return compact JSON."""
    return _ENCODER.encode(value)


def encode_rare(record: Record, names: tuple[str, ...] = RARE) -> dict[str, Any]:
    """Return those of some attributes that are not at their default, as JSON can hold them."""
    read, usual = _usual(names)
    values = read(record)
    if values == usual:
        return {}
    return {
        name: _encode_rare(name, value)
        for name, value, default in zip(names, values, usual, strict=True)
        if value != default
    }


@cache
def _usual(names: tuple[str, ...]) -> tuple[attrgetter[tuple[Any, ...]], tuple[Any, ...]]:
    """Return what reads some attributes at once, and what they are in most records."""
    return attrgetter(*names), tuple(_RARE_DEFAULTS[name] for name in names)


def _encode_facts(record: Record, rare: Mapping[str, Any]) -> str:
    scope = record.scope
    return dump_json(
        [
            record.id,
            record.kind.value,
            record.written_status.value,
            record.title,
            record.adopted,
            None if scope == GLOBAL else [scope.level, scope.name],
            record.topics,
            record.applies_when,
            record.keywords,
            record.importance,
            record.source,
            record.origin,
            record.created,
            *([rare] if rare else []),
        ]
    )


def _encode_rare(name: str, value: Any) -> Any:
    if name == "validity":
        return [end.isoformat() if end is not None else None for end in (value.start, value.end)]
    return value


def decode_rare(rare: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that `encode_rare` wrote."""
    result: dict[str, Any] = {}
    for name, value in rare.items():
        if name == "validity":
            result[name] = Validity(*(_decode_moment(end) for end in value))
        elif name == "conflicts":
            result[name] = tuple((str(a), str(b)) for a, b in value)
        else:
            result[name] = tuple(value) if name in _LISTS else value
    return result


def _decode_moment(text: str | None) -> date | datetime | None:
    if text is None:
        return None
    kind = date if len(text) == len("2026-11-30") else datetime
    return kind.fromisoformat(text)


def encode_findings(record: Record | None, findings: tuple[Diagnostic, ...]) -> str:
    """Return the findings of a file and of its record, "" when there are none."""
    own = record.findings if record else findings
    if not findings and not own:
        return ""
    lists = [findings] if own == findings else [findings, own]
    return dump_json([[_finding_row(item) for item in group] for group in lists])


def _finding_row(item: Diagnostic) -> list[Any]:
    return [item.path, item.line, item.code, item.severity, item.message, item.hint, item.holds]


def decode_rows(rows: Sequence[Row]) -> list[Parsed]:
    """Return the parsed files of rows.

    Raises:
        ValueError, TypeError, KeyError, IndexError: a row is damaged.
    """
    facts = json.loads(f"[{','.join([row[2] or 'null' for row in rows])}]")
    if len(facts) != len(rows):
        raise ValueError("a row holds more than one value")
    return [_decode_one(row, known) for row, known in zip(rows, facts, strict=True)]


def decode_row(row: Row) -> Parsed | None:
    """Return the parsed file of a row, None when it is damaged."""
    try:
        return decode_rows([row])[0]
    except DAMAGE:
        return None


def _decode_one(row: Row, known: list[Any] | None) -> Parsed:
    if not row[5]:
        return (None if known is None else _build(row, known, ())), ()
    groups = decode_findings(row[5])
    return (None if known is None else _build(row, known, groups[-1])), groups[0]


def decode_findings(text: str) -> list[tuple[Diagnostic, ...]]:
    """Return the findings of a file, then those of its record when they differ."""
    return [tuple(Diagnostic(*item) for item in group) for group in json.loads(text)]


def _build(row: Row, known: list[Any], findings: tuple[Diagnostic, ...]) -> Record:
    record = Twin()
    record.path, record.digest, _, record.body, front, _ = row
    (
        record.id,
        kind,
        status,
        record.title,
        record.adopted,
        scope,
        topics,
        record.applies_when,
        keywords,
        record.importance,
        record.source,
        record.origin,
        record.created,
        *more,
    ) = known
    record.kind = KINDS[kind]
    record.written_status = STATUSES[status]
    record.scope = GLOBAL if scope is None else Scope(scope[0], scope[1])
    record.topics = tuple(topics)
    record.keywords = tuple(keywords)
    record.fields = LazyFields(front)
    record.findings = findings
    record.vault = ""
    record.withheld = record.waits = ""
    record.foreign = False
    _set_rare(record, more)
    record.__class__ = Record
    return record  # type: ignore[no-any-return]


def _set_rare(record: Any, more: list[dict[str, Any]]) -> None:
    record.summary = record.confidence = record.boundary = ""
    record.validity = ALWAYS
    record.supersedes = record.conflicts = record.derived_from = record.aliases = ()
    record.branch = record.allow = ()
    record.required = record.checklist = record.correction = False
    record.hits = 0
    record.lapsed = ""
    if more:
        for name, value in decode_rare(more[0]).items():
            setattr(record, name, value)
