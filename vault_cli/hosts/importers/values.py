"""Values of foreign files as values of ours; what does not fit gives nothing.

May import `text`, `model`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vault_cli.model.foreign import ECHO, echo_digest
from vault_cli.text.values import BadValueError, read_date

MAX_TITLE: Final = 200
"""Characters of a title that is made of a text."""


def text_of(value: Any) -> str:
    """Return a value as one text: texts stripped, numbers and flags as JSON, nothing else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else ""


def texts_of(value: Any) -> tuple[str, ...]:
    """Return a list of texts, also from one text."""
    items = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for text in map(text_of, items) if text))


def when_of(value: Any) -> str:
    """Return a day or an instant; "" for what is none: no record can hold it."""
    text = instant_of(value).replace(" ", "T", 1)
    try:
        read_date(text)
    except BadValueError:
        return ""
    return text


class Fields:
    """An object of a source, of which each value is either given a place or left over.

    A value of another type than a place takes (a list for a text) is left over like one nobody
    asked for, so that an importer loses nothing by what it expects.
    """

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self._entry = entry
        self._placed: set[str] = set()

    def text(self, *keys: str) -> str:
        """Return the first of some keys that holds a text; the others are left over."""
        for key in keys:
            text = text_of(self._entry.get(key))
            if text:
                self._placed.add(key)
                return text
        return ""

    def line(self, *keys: str) -> str:
        """Return a text as one line."""
        return " ".join(self.text(*keys).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, also from one; with another value in it, it is left over too."""
        value = self._entry.get(key)
        items = value if isinstance(value, list) else [value]
        if all(map(text_of, items)):
            self._placed.add(key)
        return texts_of(value)

    def importance(self, key: str) -> int | None:
        """Return an importance of 1 to 10."""
        number = importance_of(self._entry.get(key))
        if number is not None:
            self._placed.add(key)
        return number

    def when(self, key: str) -> str:
        """Return a day or an instant."""
        text = when_of(self._entry.get(key))
        if text:
            self._placed.add(key)
        return text

    def instant(self, key: str) -> str:
        """Return an instant as ISO text."""
        text = instant_of(self._entry.get(key))
        if text:
            self._placed.add(key)
        return text

    def is_true(self, key: str) -> bool:
        """Tell whether a flag is set."""
        if self._entry.get(key) is True:
            self._placed.add(key)
        return key in self._placed

    def take(self, key: str) -> Any:
        """Return a value whatever it is, for who gives it a place."""
        self._placed.add(key)
        return self._entry.get(key)

    def rest(self, *keys: str) -> dict[str, Any]:
        """Return what is left over, of some keys or of all."""
        return {
            key: value
            for key, value in self._entry.items()
            if key not in self._placed and (not keys or key in keys)
        }


def echo_of(title: str, body: str, mark: str) -> tuple[str, bool]:
    """Read the mark of an export of ours: the id, and whether the text is still as it was written.

    Args:
        title: as it stands in the file now.
        body: see `title`; without the mark.
        mark: what the file says, `mvault <id> <digest>`.

    Returns:
        The id, "" when the mark is none.
    """
    found = ECHO.fullmatch(mark.strip())
    return (found[1], found[2] == echo_digest(title, body)) if found else ("", False)


def importance_of(value: Any) -> int | None:
    """Return an importance of 1 to 10, None for anything else."""
    try:
        number = round(float(value)) if not isinstance(value, bool) else 0
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 1 <= number <= 10 else None  # noqa: PLR2004


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """Return the first words of a text as a title."""
    line = next((part.strip() for part in text.split("\n") if part.strip()), "")
    line = line.lstrip("#>*- ").strip() or line
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def claims_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some claims that say anything, as values that front matter can hold."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if value in (None, "", [], {}, ()):
            continue
        is_plain = isinstance(value, str | int | float | bool)
        found[key] = str(value) if is_plain and not isinstance(value, str) else value
        if not is_plain:
            found[key] = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return found


def instant_of(value: Any) -> str:
    """Return an instant as ISO text in UTC: from epoch seconds or milliseconds, or as written."""
    from datetime import UTC, datetime

    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    seconds = value / 1000 if abs(value) > 1e11 else value  # noqa: PLR2004 - later than year 5138
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    part = f".{moment.microsecond // 1000:03d}" if moment.microsecond else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{part}Z"
