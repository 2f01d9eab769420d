"""The markers of our managed block in a file of the person's. Standard library only."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from vault_cli.text.late import late

BLOCK_BEGIN: Final = "<!-- mvault:begin id={} -->"
BLOCK_END: Final = "<!-- mvault:end id={} -->"

MARKER_LINE: Final = late(
    r" {0,3}<!--[ \t]*mvault:(?P<side>begin|end)(?![\w-])[ \t]*(?P<id>[^>]{0,200}?)[ \t]*-->[ \t]*"
)
"""A whole line that is one of our markers, of whatever age or id (use `fullmatch`)."""

MARKER_TEXT: Final = late(
    r"<!--\s{0,8}m?vault\s{0,4}[:_ -]\s{0,4}(?:begin|end|start|stop)", re.IGNORECASE
)
"""What looks like one of our markers anywhere in a text; inside a memory it is held."""


def block_id(text: str) -> str:
    """Return the 8 hex digits that the markers of a block with this text carry."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def wrap_block(text: str) -> str:
    """Return a block between its markers, each on its own line; ends with a newline.

    The id is a hash of the text, so equal text gives equal bytes and the two markers of
    different blocks never match.
    """
    ident = block_id(text)
    body = text if not text or text.endswith("\n") else text + "\n"
    return f"{BLOCK_BEGIN.format(ident)}\n{body}{BLOCK_END.format(ident)}\n"
