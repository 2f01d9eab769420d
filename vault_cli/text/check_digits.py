"""Check digits of tokens, cards and identity numbers. Standard library only, pure functions.

Each function takes the number without spaces and says whether its check digit fits. They make
precision free: a number with one wrong digit is no card, no identity number, no token.
"""

from __future__ import annotations

import zlib
from datetime import date
from typing import Final

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CRC_LENGTH: Final = 6
_TEN: Final = 10
_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"
_ORGANISATION: Final = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_PROVINCE_CODES: Final = (
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65"
    " 71 81 82 83 91"
)
_PROVINCES: Final = frozenset(_PROVINCE_CODES.split())
_IBAN_TABLE: Final = """
15 NO;16 BE;18 DK FI FO GL NL SD;19 MK SI;20 AT BA EE KZ LT LU XK;21 CH CR HR LI LV
22 BG BH DE GB GE IE ME RS VA;23 AE GI IL IQ TL;24 AD CZ ES MD PK RO SA SE SK TN VG;25 LY PT ST
26 IS TR;27 FR GR IT MC MR SM;28 AL AZ BY CY DO GT HU LB NI PL SV;29 BR EG PS QA UA
30 JO KW MU YE;31 MT SC
"""
_IBAN_LENGTHS: Final = {
    country: int(row.split()[0])
    for row in _IBAN_TABLE.replace(";", "\n").strip().split("\n")
    for country in row.split()[1:]
}


def has_crc62(secret: str, check: str) -> bool:
    """Whether `check` is the CRC-32 of `secret` in base 62, six digits.

    GitHub and npm put it at the end of their tokens (`ghp_`, `npm_`: thirty characters, then six).
    """
    value = 0
    for digit in check:
        value = value * len(_BASE62) + _BASE62.find(digit)
    return len(check) == _CRC_LENGTH and value == zlib.crc32(secret.encode())


def is_luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit (ISO/IEC 7812-1): bank cards, IMEI."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) << (place & 1)
        total += value - 9 if value >= _TEN else value
    return total % _TEN == 0


def is_china_id(number: str) -> bool:
    """Whether this is an identity number of China: province, birthday, mod 11-2 (GB 11643)."""
    if number[:2] not in _PROVINCES or not is_day(number[6:14]):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _ID_WEIGHTS, strict=True))
    return number[17].upper() == _ID_CHECKS[total % 11]


def has_china_id_shape(number: str) -> bool:
    """Whether province and birthday fit, whatever the check digit is."""
    return number[:2] in _PROVINCES and is_day(number[6:14])


def is_organisation_code(code: str) -> bool:
    """Whether this is a unified social credit code: region digits and mod 31 (GB 32100)."""
    if not code[2:8].isdecimal() or code[2:4] not in {*_PROVINCES, "10"}:
        return False
    if any(letter not in _ORGANISATION for letter in code):
        return False
    values = [_ORGANISATION.index(letter) for letter in code]
    total = sum(value * pow(3, place, 31) for place, value in enumerate(values[:17]))
    return (total + values[17]) % 31 == 0


def is_iban(number: str) -> bool:
    """Whether this is an IBAN: the country's length and mod 97 (ISO 13616)."""
    if _IBAN_LENGTHS.get(number[:2]) != len(number):
        return False
    return int("".join(str(int(letter, 36)) for letter in number[4:] + number[:4])) % 97 == 1


def is_day(digits: str) -> bool:
    """Whether eight digits are a calendar day a living person can be born on."""
    try:
        born = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return date(1900, 1, 1) <= born < date(2100, 1, 1)
