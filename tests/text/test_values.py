"""Values as people and programs write them."""

from __future__ import annotations

import pytest

from vault_cli.text.document import parse_document
from vault_cli.text.merge import merge_documents
from vault_cli.text.values import whole_number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 19, int("9" * 19))])
def test_a_row_of_digits_is_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", "1_0", "²", "٣", "三", "9" * 5000])
def test_whatever_else_is_none(text: str) -> None:
    assert whole_number(text) is None


def test_a_counter_that_is_no_number_is_merged() -> None:
    base, one, other = (
        parse_document(f"---\nid: f-0000001\nhits: {hits}\n---\n# T\n".encode(), "a.md")
        for hits in ("1", f'"{"9" * 5000}"', "3")
    )
    assert merge_documents(base, one, other).front["hits"] == "2"
