"""Make a memory's text harmless for its channel. Standard library only."""

from __future__ import annotations


def neutral_inline(text: str) -> str:
    """Return one line of text for use inside a line of ours (title, condition).

    Line breaks become spaces; control characters, escapes, bidi and tag characters become
    visible escapes; tags, role markers, our markers, HTML comments, `@file` and `!cmd` at the
    start lose their effect; `<` and `\\` in ordinary text stay readable.
    """
    raise NotImplementedError


def neutral_block(text: str) -> list[str]:
    """Return a body's lines, neutral as above; the caller indents each by two spaces.

    No line yields structure at column 0; an unclosed code fence is closed.
    """
    raise NotImplementedError


def terminal_safe(text: str) -> str:
    """Return text for a terminal: no C0/C1 control but newline and tab, no bidi override, no tags."""
    raise NotImplementedError
