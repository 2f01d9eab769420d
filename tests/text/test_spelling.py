"""What a misspelt key or value probably means, in both languages."""

from __future__ import annotations

import pytest

from vault_cli.model.schema import BY_KEY
from vault_cli.text.fields import read_record
from vault_cli.text.spelling import nearest_choice, nearest_key


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("titel", "title"),
        ("tittle", "title"),
        ("aplies_when", "applies_when"),
        ("statsu", "status"),
        ("importence", "importance"),
        ("scop", "scope"),
        ("topcs", "topics"),
        ("valid_too", "valid_to"),
        ("validTo", "valid_to"),
        ("Applies-When", "applies_when"),
        ("标题", "title"),
        ("适用", "applies_when"),
    ],
)
def test_a_slip_is_seen(typed: str, meant: str) -> None:
    assert nearest_key(typed) == meant


@pytest.mark.parametrize("key", [*BY_KEY, "banner", "cover", "lang", "rating", "x", "ids", "作者"])
def test_our_keys_and_honest_foreign_ones_are_left_alone(key: str) -> None:
    assert nearest_key(key) == ""


def test_values() -> None:
    assert nearest_choice("actve", ["active", "candidate"]) == "active"
    assert nearest_choice(" Active ", ["active", "candidate"]) == "active"
    assert nearest_choice("规则", ["rule", "lesson"]) == "rule"
    assert nearest_choice("litnote", ["rule", "lesson"]) == ""


def test_the_reader_says_it() -> None:
    record, found = read_record("---\nid: l-1\ntitel: A\nstatus: 生效\n---\nx\n".encode(), "a.md")
    assert record is None
    said = {d.code: (d.line, d.hint) for d in found}
    assert said["key-spelling"] == (3, "Write `title:`.")
    assert said["unknown-status"][0] == 4
    assert said["unknown-status"][1].startswith("Did you mean active? ")
