"""The table of the vocabulary says what the word lists say, and a text is searched for all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vault_cli.text import injection_vocabulary
from vault_cli.text.fold import fold_text
from vault_cli.text.injection_build import all_entries, build_table
from vault_cli.text.injection_concepts import find_concepts, join_masks
from vault_cli.text.injection_places import find_places
from vault_cli.text.injection_vocabulary import HAN, WORD, spellings, vocabulary
from vault_cli.text.packaged import INJECTION_TABLE, read_packaged

PATH = Path(injection_vocabulary.__file__).with_name(INJECTION_TABLE)


def test_the_table_is_what_the_words_give(request: pytest.FixtureRequest) -> None:
    made = build_table().encode()
    if request.config.getoption("--update-golden"):
        PATH.write_bytes(made)
    assert read_packaged(INJECTION_TABLE) == made, "run this test with --update-golden"


def test_every_entry_is_found_with_its_concept() -> None:
    book = vocabulary()
    missed = []
    for name, entry in all_entries():
        if name:
            text = entry if HAN.search(entry) else fold_text(entry)
            bit = book.bits[name]
            words = find_concepts(text, book.all)
            seen = join_masks(words) & bit
            placed = join_masks((text, p.mask) for p in find_places(text, book, words, bit))
            hidden = not placed and any(quiet in text for quiet in book.silent)
            if not seen or not (placed or hidden or _starts_silent(text)):
                missed.append((name, entry, seen, placed))
    assert missed == []


def _starts_silent(text: str) -> bool:
    """Whether an entry stands inside one that hides it (`without question`)."""
    quiet = [entry for name, entry in all_entries() if not name and entry.isascii()]
    return any(entry in text for entry in quiet)


def test_all_words_of_entries_are_known_where_words_are_put_together() -> None:
    words = {word for _, entry in all_entries() if entry.isascii() for word in WORD.findall(entry)}
    assert words <= spellings()


def test_a_word_that_only_hides_has_no_concept() -> None:
    book = vocabulary()
    assert find_concepts("do not hesitate", book.all) != []
    assert "不要犹豫" in book.silent
    assert find_places("do not hesitate", book, [], book.guards) == []
