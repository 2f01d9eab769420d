"""Titles and sections of records of work. May import `text`, `model`."""

from __future__ import annotations

from typing import Final

from vault_cli.errors import UsageError
from vault_cli.features.parts import is_chinese
from vault_cli.model.record import Record
from vault_cli.text.document import replace_body
from vault_cli.text.sections import HEADINGS_OF_WORK, put_section

MOST_TEXT: Final = 8000
"""Characters of one text: a checkpoint, a result, a background."""

MOST_TITLE: Final = 120


def shorten_title(text: str) -> str:
    """Return the first line of a text as a title; what is cut shows as `…`."""
    line = " ".join(text.strip().split("\n", 1)[0].split())
    return line if len(line) <= MOST_TITLE else line[: MOST_TITLE - 1].rstrip() + "…"


def settle_title(text: str) -> str:
    """Return a title without blanks at its ends.

    Raises:
        UsageError: there is none, it has several lines, or it is too long.
    """
    title = text.strip()
    if not title:
        raise UsageError("a title is needed", hint="Say in one line what is to be done.")
    if len(title.splitlines()) > 1:
        raise UsageError("a title is one line", hint="The rest goes into --background.")
    if len(title) > MOST_TITLE:
        raise UsageError(f"the title has more than {MOST_TITLE} characters")
    return title


def with_section(record: Record, data: bytes, name: str, text: str, *, anew: bool = False) -> bytes:
    """Return a file with text at the end of one of its sections, or in its place.

    Args:
        record: what `data` reads as.
        data: the bytes of the file.
        name: one of `HEADINGS_OF_WORK`; a new section is headed in the language of the title.
        text: what to add.
        anew: it takes the place of what stands there.
    """
    heading = HEADINGS_OF_WORK[name][is_chinese(record.title, record.body)]
    return replace_body(data, put_section(record.body, name, heading, text, anew=anew), record.path)
