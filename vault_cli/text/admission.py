"""May this text enter the prompt: the structural layer. May import `model`, `errors`.

The semantic layers (secrets, personal data, injection phrases, cliché) come with issue 3 and
join here. The structural layer may hold a record: control characters, escape sequences, bidi
overrides, tag characters, private variation selectors, zero-width characters inside words,
fake closing tags and role markers, our own block markers, image beacons.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One hit in a text.

    Args:
        code: stable code, for example `hidden-characters`.
        line: 1-based line in the text given.
        column: 1-based column in characters.
        message: what was found, hidden text decoded, everything escaped.
        holds: whether the record is held from the render until a person allows the code.
    """

    code: str
    line: int
    column: int
    message: str
    holds: bool


def scan_structure(text: str) -> list[Finding]:
    """Return the structural findings of a text of at most 256 KiB, in linear time."""
    raise NotImplementedError
