"""Typed values out of front matter as typed. May import `model`, `text.codes`.

Each reader takes the value and returns what the record holds, or raises `BadValueError` with the
code, the message and the hint of the finding.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from typing import Any

from vault_cli.model.record import ID_PATTERN
from vault_cli.model.schema import (
    CONFLICT_TYPES,
    FLAG_WORDS,
    ID_COUNTER,
    ID_DATE,
    NUMBER_RANGES,
)
from vault_cli.text.codes import show
from vault_cli.text.late import late

LATEST_YEAR = 2200
"""A record that claims to be created later cannot be right."""

_MOST_DIGITS = 20
_DATE = late(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_ID_DATE = late(ID_DATE)
_DAY = late(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = late(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.,+Zz-]{2,30}")
_ID_COUNTER = late(ID_COUNTER)
_DAY_LENGTH = len("2026-11-30")
_WIKI = late(r"\[\[([^\]|]+)(?:\|[^\]]*)?\]\]")


class BadValueError(ValueError):
    """A value that cannot be used: message, hint and, where it is special, its code."""

    def __init__(self, message: str, hint: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


def describe(value: Any) -> str:
    """Return a value for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return show(value) if value else '""'
    return "a list" if isinstance(value, list) else "keys and values"


def read_id(value: Any) -> str:
    """Return an id as typed."""
    if not isinstance(value, str):
        raise BadValueError(
            f"the id is {describe(value)}, not a text",
            "Write the id, or remove the line to have the file adopted under a new one.",
            "bad-id",
        )
    if ID_PATTERN.fullmatch(value) is None:
        hint = "Use 1 to 80 of a-z, 0-9, - and _, starting with a letter or digit."
        raise BadValueError(f"the id is not allowed: {describe(value)}", hint, "bad-id")
    if _ID_DATE.fullmatch(value):
        hint = "Two notes of one day would share it: add a word to the date."
        raise BadValueError(f"the id is a date: {value}", hint, "bad-id")
    if _ID_COUNTER.fullmatch(value):
        hint = "Two clones would both give out the next number: use a longer or random id."
        raise BadValueError(f"the id is a padded counter: {value}", hint, "bad-id")
    return value


def read_text(value: Any) -> str:
    """Return a text on one line; nothing gives ""."""
    if isinstance(value, str):
        return " ".join(value.split()) if "\n" in value else value
    if value is None:
        return ""
    raise BadValueError(f"{describe(value)} where a text belongs", "Put the text in quotes.")


def read_list(value: Any) -> tuple[str, ...]:
    """Return texts; a single text counts as a list of one, nothing as none."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str | None) for item in value):
        return tuple(item for item in value if item)
    raise BadValueError("this is not a list of texts", "Write it as [one, two], quoted if needed.")


def read_topics(value: Any) -> tuple[str, ...]:
    """Return topics; a wiki link counts as the name it links to."""
    return tuple(
        match[1].strip() if (match := _WIKI.fullmatch(item)) else item for item in read_list(value)
    )


def read_flag(value: Any) -> bool:
    """Return a flag; nothing is false."""
    if value is None:
        return False
    flag = FLAG_WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    if flag is None:
        raise BadValueError(f"{describe(value)} is neither true nor false", "Write true or false.")
    return flag


def whole_number(text: str) -> int | None:
    """Return a row of ASCII digits as a number, None for any other text.

    `int` refuses digits such as `²`, which `isdigit` lets pass, and rows of thousands.
    """
    is_plain = text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS
    return int(text) if is_plain else None


def read_number(key: str, value: Any) -> int | None:
    """Return a whole number in the range of its key; nothing is None."""
    if value is None:
        return None
    low, high = NUMBER_RANGES[key]
    number = whole_number(value) if isinstance(value, str) else None
    if number is not None and low <= number <= high:
        return number
    message = f"{describe(value)} is not a whole number from {low} to {high}"
    raise BadValueError(message, f"Write a number from {low} to {high}.")


def read_conflicts(value: Any) -> tuple[tuple[str, str], ...]:
    """Return (id, type) pairs; a bare id is a contradiction."""
    if value is None:
        return ()
    found = []
    for item in value if isinstance(value, list) else [value]:
        pair = {"id": item} if isinstance(item, str) else item
        kind = pair.get("type") or "contradiction" if isinstance(pair, dict) else ""
        if kind not in CONFLICT_TYPES or not isinstance(pair.get("id"), str):
            hint = f"Write {{id: …, type: …}} with a type of {', '.join(CONFLICT_TYPES)}."
            raise BadValueError("this is not a list of ids and types", hint)
        found.append((pair["id"], kind))
    return tuple(found)


def read_data(value: Any) -> Any:
    """Return keys and values or a list unchanged; a bare text is refused."""
    if isinstance(value, str):
        raise BadValueError(f"a text ({show(value)}) where keys or a list belong", "Nest it.")
    return value


def read_date(value: Any) -> date | datetime | None:
    """Return a calendar day or an instant (naive when no zone is written); nothing is None."""
    if value is None or value == "":
        return None
    hint = "Write a day as 2026-11-30 or an instant as 2026-11-30T10:02:11Z."
    if not isinstance(value, str):
        raise BadValueError(f"{describe(value)} where a date belongs", hint, "bad-date")
    text = value.strip()
    match = _DATE.match(text)
    if match is None:
        raise BadValueError(f"the date cannot be read: {show(value)}", hint)
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
        if _INSTANT.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:
        pass
    if _day_exists(*map(int, match.groups())):
        raise BadValueError(f"the date cannot be read: {show(value)}", hint)
    raise BadValueError(f"there is no such date: {show(value)}", hint, "bad-date")


def day_of(text: str, zone: tzinfo | None) -> date | None:
    """Return the calendar day that a written day or instant is in a zone; None: it is neither.

    Args:
        text: as a file has it; an instant without a zone is UTC.
        zone: the vault's time zone.
    """
    plain = text.strip()
    try:
        if len(plain) == _DAY_LENGTH or (zone is UTC and _is_utc(plain)):
            return date.fromisoformat(plain[:_DAY_LENGTH])
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return None
    if len(plain) < _DAY_LENGTH:
        return moment.date()
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(zone).date()
    except OverflowError:
        return None


def _is_utc(plain: str) -> bool:
    """Tell whether a text looks like the instants that we write, whose day needs no reckoning."""
    return len(plain) == len("2026-11-30T10:02:11Z") and plain[-1] == "Z" and plain[10] == "T"


def _day_exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def ends_before(start: date | datetime | None, end: date | datetime | None) -> bool:
    """Whether a time ends before it starts; a day counts whole, an open end reaches everywhere."""
    if start is None or end is None:
        return False
    if isinstance(start, datetime) and isinstance(end, datetime):
        return end < start
    return _day(end) < _day(start)


def _day(moment: date | datetime) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def with_zone(value: date | datetime | None) -> date | datetime | None:
    """Return an instant with a zone (UTC when it has none); days stay days."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value
