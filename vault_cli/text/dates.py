"""Days that a question names, and the days of a record, as keys that can be compared.

Standard library only. A day is `@2026-04-27`, and `@04-27` for those who leave out the year; a
month is `@2026-04`. Nothing is guessed: `may` is a month beside a number only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from vault_cli.text.late import late

_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_NAME: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_ENGLISH: Final = (
    late(rf"\b{_NAME}\s+{_DAY}\b(?!\d)(?:,?\s+{_YEAR}\b)?", re.IGNORECASE),
    late(rf"\b{_DAY}\s+(?:of\s+)?{_NAME}\b(?:,?\s+{_YEAR}\b)?", re.IGNORECASE),
)
_ENGLISH_MONTH: Final = late(rf"\b{_NAME},?\s+(?:of\s+)?{_YEAR}\b", re.IGNORECASE)
_ISO: Final = late(rf"(?<!\d){_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?!\d)")
_DIGIT: Final = "[0-9〇零一二三四五六七八九十]"
_CHINESE: Final = late(
    rf"(?:(?P<year>(?:19|20)\d\d|[〇零一二三四五六七八九]{{4}})\s*年\s*)?"
    rf"(?P<month>{_DIGIT}{{1,3}})\s*月(?:\s*(?P<day>{_DIGIT}{{1,3}})\s*[日号號])?"
)
_HAN_DIGITS: Final = dict(zip("〇零一二三四五六七八九", "00123456789", strict=True))
_RELATIVE: Final = {
    "today": 0, "yesterday": 1, "the day before yesterday": 2, "今天": 0, "昨天": 1, "前天": 2,
}  # fmt: skip
_AGO: Final = late(r"\b(\d{1,3})\s+days?\s+ago\b|(\d{1,3})\s*天(?:以)?前", re.IGNORECASE)


def find_days(text: str, today: date | None = None) -> tuple[str, ...]:
    """Return the keys of the days and months a question names, in sorted order.

    Args:
        text: what was typed.
        today: what `yesterday` and `3 days ago` are counted from; None: they are not read.
    """
    found = {key for key in _absolute(text) if key}
    if today is not None:
        found |= {f"@{day.isoformat()}" for day in _relative(text.lower(), today)}
    return tuple(sorted(found))


def keys_of_day(text: str) -> tuple[str, ...]:
    """Return the keys of a day or time in ISO form; none when it is no date."""
    head = text.strip()[:10]
    try:
        day = date.fromisoformat(head)
    except ValueError:
        return ()
    return f"@{day.isoformat()}", f"@{day:%m-%d}", f"@{day.isoformat()[:7]}"


def days_in(text: str) -> tuple[str, ...]:
    """Return the ISO days that stand in a text."""
    found = (_key(hit["year"], hit["month"], hit["day"]) for hit in _ISO.finditer(text))
    return tuple(key[1:] for key in found if key)


def _absolute(text: str) -> Iterator[str]:
    for hit in _ISO.finditer(text):
        yield _key(hit["year"], hit["month"], hit["day"])
    for hit in _CHINESE.finditer(text):
        year, month, day = (_number(hit[name]) for name in ("year", "month", "day"))
        if year or day:
            yield _key(year, month, day)
    for pattern in _ENGLISH:
        for hit in pattern.finditer(text):
            yield _key(hit["year"], _month_number(hit["month"]), hit["day"])
    for hit in _ENGLISH_MONTH.finditer(text):
        yield _key(hit["year"], _month_number(hit["month"]), "")


def _relative(text: str, today: date) -> Iterator[date]:
    for word, days in _RELATIVE.items():
        pattern = rf"\b{word}\b" if word.isascii() else word
        if re.search(pattern, text):
            yield today - timedelta(days)
    for hit in _AGO.finditer(text):
        yield today - timedelta(int(hit[1] or hit[2]))


def _key(year: str | None, month: str, day: str | None) -> str:
    """Return the key of a day or month, "" when there is no such one."""
    try:
        known = date(int(year or 2000), int(month), int(day or 1))
    except ValueError:
        return ""
    if not day:
        return f"@{known.isoformat()[:7]}"
    return f"@{known.isoformat()}" if year else f"@{known:%m-%d}"


def _month_number(name: str) -> str:
    return str(_MONTHS.index(name.lower()[:3]) + 1)


def _number(text: str | None) -> str:
    """Return a number in digits: `十二` is 12, `二〇二六` is 2026."""
    if not text or text.isascii():
        return text or ""
    if "十" in text:
        tens, _, ones = text.partition("十")
        return f"{_HAN_DIGITS.get(tens, '1')}{_HAN_DIGITS.get(ones, '0')}"
    return "".join(_HAN_DIGITS.get(char, char) for char in text)
