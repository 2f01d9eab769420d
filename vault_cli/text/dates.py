"""Days that a question names, and the days of a record, as keys that can be compared.

Standard library only. A day is `@2026-04-27`, and `@04-27` for those who leave out the year; a
month is `@2026-04`. Nothing is guessed: `may` is a month beside a number only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
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
_DAYS_BACK: Final = {
    r"\btoday\b|今[天日]": 0,
    r"(?<!day before )\byesterday\b|昨[天日]": 1,
    r"\bthe day before yesterday\b|(?<!大)前[天日]": 2,
    "大前天": 3,
}
_COUNT: Final = r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_HAN_COUNT: Final = "(?P<count>[0-9]{1,3}|[一二两三四五六七八九十]{1,3})"
_AGO: Final = (
    late(rf"\b{_COUNT}\s+(?P<unit>day|week|month)s?\s+ago\b"),
    late(rf"{_HAN_COUNT}\s*个?(?P<unit>天|周|星期|礼拜|(?<=个)月)(?:以|之)?前"),
)
_SINCE: Final = (
    late(rf"\b(?:last|past)\s+{_COUNT}\s+(?P<unit>day|week)s?\b"),
    late(r"\b(?P<count>)past\s+(?P<unit>week)\b"),
    late(rf"(?:最近|过去|近)(?:的|这)?{_HAN_COUNT}\s*个?(?P<unit>天|日|周|星期|礼拜)"),
)
_CALENDAR: Final = (
    late(
        r"\b(?P<which>last|previous|this)\s+(?:(?P<unit>week|month)"
        r"|(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    ),
    late(
        r"(?P<which>上上|上|本|这)个?(?P<unit>周|星期|礼拜)(?![期边围报刊转折])"
        r"(?P<weekday>一(?![起直样共些个次般定])|[二三四五六日天末])?"
    ),
    late(r"(?P<which>上上|上|本|这)个?(?P<unit>月)(?![球亮光饼])"),
)
_UNITS: Final = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month",
}  # fmt: skip
_BACK: Final = {"last": 1, "previous": 1, "this": 0, "上上": 2, "上": 1, "本": 0, "这": 0}
_WEEKDAYS: Final = {
    "mon": 0,
    "tues": 1,
    "wednes": 2,
    "thurs": 3,
    "fri": 4,
    "satur": 5,
    "sun": 6,
    **{name: place for place, name in enumerate("一二三四五六日")},
}
_NUMBERS: Final = "one two three four five six seven eight nine ten"
_COUNTS: Final = {
    "a": 1,
    "an": 1,
    **{name: place for place, name in enumerate(_NUMBERS.split(), 1)},
}
_MOST_DAYS: Final = 31
"""A longer time is no answer to when: half of a vault would lie in it."""


def find_days(text: str, today: date | None = None) -> tuple[str, ...]:
    """Return the keys of the days and months a question names, in sorted order.

    Args:
        text: what was typed.
        today: what `yesterday`, `3 days ago` and `last week` are counted from; None: they are not
            read. A week begins on Monday (ISO 8601).
    """
    found = {key for key in _absolute(text) if key}
    if today is not None:
        found |= set(_relative(text.lower(), today))
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


def _relative(text: str, today: date) -> Iterator[str]:
    """Yield the keys of days and months that are counted from a day."""
    for word, days in _DAYS_BACK.items():
        if re.search(word, text):
            yield from _days(today, days, 1)
    for pattern in _AGO:
        for hit in pattern.finditer(text):
            yield from _ago(today, _UNITS.get(hit["unit"], hit["unit"]), _count(hit["count"]))
    for pattern in _SINCE:
        for hit in pattern.finditer(text):
            unit = _UNITS.get(hit["unit"], hit["unit"])
            days = _count(hit["count"]) * (7 if unit == "week" else 1)
            if days <= _MOST_DAYS:
                yield from _days(today, days, days + 1)
    for pattern in _CALENDAR:
        for hit in pattern.finditer(text):
            yield from _calendar(today, hit.groupdict())


def _ago(today: date, unit: str, count: int) -> Iterator[str]:
    if unit == "day":
        yield from _days(today, count, 1)
    elif unit == "week":
        yield from _days(today, today.weekday() + 7 * count, 7)
    else:
        yield from _month(today, count)


def _calendar(today: date, said: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the keys of `last week`, `上周三`, `this month`, `last friday`."""
    back, day = _BACK[said["which"] or ""], said.get("weekday")
    unit = said.get("unit") or ""
    if _UNITS.get(unit, unit) == "month":
        yield from _month(today, back)
    elif day is None:
        yield from _days(today, today.weekday() + 7 * back, 7)
    elif day == "末":
        yield from _days(today, today.weekday() + 7 * back - 5, 2)
    elif unit:
        yield from _days(today, today.weekday() + 7 * back - _WEEKDAYS.get(day, 6), 1)
    else:  # the last one before today, or that of this week
        since = today.weekday() - _WEEKDAYS[day]
        yield from _days(today, ((since - 1) % 7 + 1) if back else since, 1)


def _days(today: date, back: int, count: int) -> Iterator[str]:
    """Yield the keys of so many days from so many days ago on, as far as there are such."""
    for place in range(count):
        with suppress(OverflowError):
            yield f"@{(today - timedelta(back - place)).isoformat()}"


def _month(today: date, back: int) -> Iterator[str]:
    months = today.year * 12 + today.month - 1 - back
    if months >= 12:  # noqa: PLR2004 - the year 1 is the first
        yield f"@{months // 12:04d}-{months % 12 + 1:02d}"


def _count(text: str) -> int:
    known = _COUNTS.get(text) if text else 1
    return known if known is not None else int(_number(text.replace("两", "二")))


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
