"""Numbers of persons: identity, bank card, IBAN, social security, mobile. Standard library only.

A check digit decides wherever the number has one; numbers without are taken with a word beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from vault_cli.text import check_digits
from vault_cli.text.late import late
from vault_cli.text.secret_shapes import Found
from vault_cli.text.shape import may_have_digits

WORDS: Final = {
    "china-id": "identity number (China)",
    "bank-card": "bank card number",
    "organisation-code": "unified social credit code",
    "iban": "bank account number (IBAN)",
    "us-ssn": "social security number (US)",
    "mobile-number": "mobile number",
}

_MOBILE_LENGTH: Final = 11
_ID_LENGTH: Final = 18
_LEFT: Final = late(r"[A-Za-z0-9_.]\Z|\d[-/:]\Z")
_END: Final = r"(?![A-Za-z0-9_]|[.:-]\d)"
_NUMBER: Final = late(rf"(?<![0-9])[0-9](?:[ -]?[0-9]){{9,18}}(?:[ -]?[xX])?{_END}")
_CODE: Final = late(rf"[0-9A-HJ-NP-RT-UW-Y]{{2}}[0-9]{{6}}[0-9A-HJ-NP-RT-UW-Y]{{10}}{_END}")
_IBAN: Final = late(rf"[A-Z]{{2}}[0-9]{{2}}(?: ?[A-Z0-9]{{4}}){{2,7}}(?: ?[A-Z0-9]{{1,4}})?{_END}")
_SSN: Final = late(rf"(?!000|666|9)[0-9]{{3}}([- ]?)(?!00)[0-9]{{2}}\1(?!0000)[0-9]{{4}}{_END}")
_SOCIAL_WORDS: Final = ("ssn", "social", "社")
_SSN_WORD: Final = late(r"(?i)\bssn\b|social[ -]security|社会安全|社保号|社會安全")
_MOBILE: Final = late(r"(?:\+?86[ -]?)?(1[3-9]\d[ -]?\d{4}[ -]?\d{4})")
_CARD: Final = late(
    r"62\d{14,17}|4\d{15}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|(?:6011|65\d\d|64[4-9]\d|35(?:2[89]|[3-8]\d)|81\d\d)\d{12}"
)
"""The ranges of UnionPay, Visa, American Express, Diners, Mastercard, Discover and JCB."""
_TEST_WORD: Final = late(
    r"(?i)test|sandbox|example|demo|stripe|dummy|fake|sample|测试|示例|样例|例如|沙箱"
)
_PUBLISHED_NUMBERS: Final = (
    "4242424242424242 4111111111111111 4012888888881881 5555555555554444 5105105105105100"
    " 378282246310005 371449635398431 6011111111111117 6011000990139424 30569309025904"
    " 3566002020360505 2223003122003222 4000056655665556 5200828282828210 4000002500003155"
    " 4000000000000002 4000000000009995 DE89370400440532013000 GB82WEST12345698765432"
    " GB29NWBK60161331926819 FR1420041010050500013M02606 11010519491231002X"
    " 91350100M000100Y43"
)
_PUBLISHED: Final = frozenset(_PUBLISHED_NUMBERS.split())
_STOCK_MOBILE: Final = late(r"(\d)\1{5}|12345678|8001380")
_EXAMPLE_SSN: Final = frozenset({"078051120", "123456789", "219099999", "111223333", "123121234"})


def find_personal(text: str, lower: str, *, coded: bool) -> Iterator[Found]:
    """Yield the numbers of persons in a text, in linear time.

    Args:
        text: any text.
        lower: the text in lower case, of the same length.
        coded: whether it has a run of letters and digits long enough for a code or an IBAN.
    """
    digits = may_have_digits(text, _FEWEST_DIGITS)
    long = digits and _LONG.search(text) is not None
    if long:
        for match in _apart(_NUMBER, text):
            yield from _number(text, match)
    if coded:
        for match in _apart(_CODE, text):
            if not match.group().isdecimal() and check_digits.is_organisation_code(match.group()):
                yield from _unless_published(text, "organisation-code", match)
    if coded or long:
        for match in _apart(_IBAN, text):
            if check_digits.is_iban(match.group().replace(" ", "")):
                yield from _unless_published(text, "iban", match)
    if digits and any(word in lower for word in _SOCIAL_WORDS):
        yield from _social(text)


_LONG: Final = late(r"[0-9](?:[ -]?[0-9]){9}")
_FEWEST_DIGITS: Final = 9


def _apart(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that are no part of a longer word, number, date or address."""
    for match in pattern.finditer(text):
        if _LEFT.search(text, max(0, match.start() - 2), match.start()) is None:
            yield match


def _number(text: str, match: re.Match[str]) -> Iterator[Found]:
    digits = re.sub("[ -]", "", match.group())
    if (kind := _kind(digits, match.group())) == "mobile-number":
        foreign = text[match.start() - 1 : match.start()] == "+" and len(digits) == _MOBILE_LENGTH
        if not foreign and not _STOCK_MOBILE.search(digits[-10:]):
            yield Found(kind, *match.span())
    elif kind:
        yield from _unless_published(text, kind, match)


def _kind(digits: str, shown: str) -> str:
    if len(digits) == _ID_LENGTH and check_digits.has_china_id_shape(digits):
        return "china-id" if check_digits.is_china_id(digits) else ""
    if not digits.isdecimal():
        return ""
    if _MOBILE.fullmatch(shown) is not None:
        return "mobile-number"
    if _CARD.fullmatch(digits) and check_digits.is_luhn(digits):
        return "bank-card"
    if (
        len(digits) == _ID_LENGTH
        and digits[0] in "159"
        and check_digits.is_organisation_code(digits)
    ):
        return "organisation-code"
    return ""


def _unless_published(text: str, kind: str, match: re.Match[str]) -> Iterator[Found]:
    """A number that a vendor publishes for tests is nobody's, where the line says so."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    plain = re.sub("[ -]", "", match.group()).upper()
    line = text[
        max(start, match.start() - 300) : min(end if end >= 0 else len(text), match.end() + 300)
    ]
    if plain not in _PUBLISHED or _TEST_WORD.search(line) is None:
        yield Found(kind, *match.span())


def _social(text: str) -> Iterator[Found]:
    for match in _apart(_SSN, text):
        around = text[max(0, match.start() - 40) : match.end() + 30]
        plain = re.sub("[ -]", "", match.group())
        if _SSN_WORD.search(around) and plain not in _EXAMPLE_SSN:
            yield Found("us-ssn", *match.span())
