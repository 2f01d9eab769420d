"""Check digits: published examples pass, every one-digit error fails."""

from collections.abc import Callable

import pytest
from secret_samples import CHECKED, Source

from vault_cli.text import check_digits


@pytest.mark.parametrize(
    ("check", "number"),
    [
        (check_digits.is_luhn, "4242424242424242"),
        (check_digits.is_luhn, "378282246310005"),
        (check_digits.is_iban, "DE89370400440532013000"),
        (check_digits.is_iban, "GB82WEST12345698765432"),
        (check_digits.is_iban, "FR1420041010050500013M02606"),
        (check_digits.is_china_id, "11010519491231002X"),
        (check_digits.is_china_id, "11010519491231002x"),
    ],
)
def test_published_examples(check: Callable[[str], bool], number: str) -> None:
    assert check(number)


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (check_digits.is_luhn, "visa"),
        (check_digits.is_china_id, "china id"),
        (check_digits.is_iban, "iban"),
        (check_digits.is_organisation_code, "organisation code"),
    ],
)
def test_every_wrong_last_digit_fails(check: Callable[[str], bool], kind: str) -> None:
    for seed in range(20):
        number = CHECKED[kind](Source(seed))
        assert check(number), seed
        letters = "0123456789"
        for wrong in set(letters) - {number[-1]}:
            assert not check(number[:-1] + wrong), seed


def test_github_and_npm_check() -> None:
    token = Source(1).checked("")
    assert check_digits.has_crc62(token[:30], token[30:])
    assert not check_digits.has_crc62(token[:30], token[30:-1] + ("a" if token[-1] != "a" else "b"))
    assert not check_digits.has_crc62(token[:30], token[30:-1])


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ("20010519491231002X", "no such province"),
        ("11010519491331002X", "no such month"),
        ("11010518491231002X", "nobody is that old"),
    ],
)
def test_china_id_needs_province_and_birthday(number: str, why: str) -> None:
    assert not check_digits.has_china_id_shape(number), why


def test_iban_needs_the_length_of_its_country() -> None:
    assert not check_digits.is_iban("DE8937040044053201300")
    assert not check_digits.is_iban("XX89370400440532013000")
