"""How long what is proposed may be, whatever the door it comes in by. May import `model`, `errors`.

What a person wrote into a file is read at any length; these are limits of asking, so that one
careless call cannot fill a block, a list or a terminal with one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.model.record import Record

MOST: Final[Mapping[str, int]] = {
    "title": 300,
    "summary": 2000,
    "applies_when": 1000,
    "boundary": 1000,
}
"""Characters of each text that stands on one line of a block."""

MOST_WORDS: Final = 100
LONGEST_WORD: Final = 200
_LISTS: Final = ("topics", "keywords")
LIMITED: Final = (*MOST, *_LISTS)
_HINTS: Final = {"title": "Say it in one line; the rest goes into the text."}


def require_lengths(values: Mapping[str, Any], before: Record | None = None) -> None:
    """Refuse texts and lists that are longer than they may be.

    Args:
        values: what is asked, by key; keys without a limit are passed over.
        before: the record that is changed; what it has at that length already may stay.

    Raises:
        UsageError: names the key, its length and the limit.
    """
    for key, most in MOST.items():
        value = values.get(key)
        if isinstance(value, str) and len(value) > most and value != getattr(before, key, ""):
            raise UsageError(
                f"{key} has {len(value):,} characters; at most {most:,} are taken",
                hint=_HINTS.get(key, "Shorten it; the text itself may be long."),
            )
    for key in _LISTS:
        value = values.get(key)
        if isinstance(value, list | tuple) and tuple(value) != getattr(before, key, ()):
            _require_words(key, value)


def _require_words(key: str, words: list[Any] | tuple[Any, ...]) -> None:
    if len(words) > MOST_WORDS:
        raise UsageError(f"{key} has {len(words):,} entries; at most {MOST_WORDS} are taken")
    longest = max((len(str(word)) for word in words), default=0)
    if longest > LONGEST_WORD:
        raise UsageError(
            f"an entry of {key} has {longest:,} characters; at most {LONGEST_WORD} are taken",
            hint="Name it in a few words; the rest goes into the text.",
        )


def cut_title(title: str, body: str) -> tuple[str, str]:
    """Return a title that came from elsewhere within its limit; the whole then leads the text."""
    if len(title) <= MOST["title"]:
        return title, body
    return f"{title[: MOST['title'] - 1].rstrip()}…", f"{title}\n\n{body}".rstrip()
