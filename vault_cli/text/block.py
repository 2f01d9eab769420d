"""Where the metadata block of a file stands. May import `text.codes`, `text.lines`."""

from __future__ import annotations

import re
from typing import NamedTuple

from vault_cli.text.codes import Problem, show
from vault_cli.text.late import late
from vault_cli.text.lines import lines_outside_fences

MAX_BLOCK = 16 * 1024
"""Characters of the largest metadata block that is read."""

OPEN = late(r"---[ \t]*(?:\n|\Z)")
CLOSE = late(r"^---[ \t]*$", re.MULTILINE)
_KEY_LINE = late(r"[A-Za-z_][\w .-]*:(?:[ \t]|$)")
_OUR_KEY = late(r"(?:id|kind|type):(?:[ \t]|$)")


class Block(NamedTuple):
    """Offsets in the text: the block's lines are `text[start:end]`, the body is `text[body:]`."""

    start: int
    end: int
    body: int


def find_block(text: str) -> Block | Problem | None:
    """Return the metadata block at the top of `text`, why it cannot be used, or None.

    The fences are lines of exactly three dashes (trailing blanks are allowed).
    """
    opening = OPEN.match(text)
    if opening is None:
        return _find_late_block(text)
    start = opening.end()
    closing = CLOSE.search(text, start)
    if closing is None or closing.start() == 0:
        return Problem(
            "front-unclosed",
            1,
            "the metadata block opens here and is never closed",
            "Put a line with three dashes (---) after the last key.",
        )
    if closing.start() - start > MAX_BLOCK:
        message = f"the metadata block has {closing.start() - start} characters"
        return Problem(
            "front-too-large",
            1,
            f"{message}; at most {MAX_BLOCK} are read",
            "Move long text into the body, below the second ---.",
        )
    return Block(start, closing.start(), min(closing.end() + 1, len(text)))


def find_second_block(body: str, body_line: int) -> Problem | None:
    """Return the finding about another block right at the top of the body."""
    top = body.lstrip("\n")
    if not OPEN.match(top):
        return None
    lines = top.split("\n", 200)
    end = _block_end(lines, 0)
    if end is None:
        return None
    line = body_line + len(body) - len(top)
    return Problem(
        "second-block",
        line,
        "a second metadata block stands here; only the first one counts, this one is text",
        "Merge its keys into the first block by hand, or remove it.",
    )


def _find_late_block(text: str) -> Problem | None:
    if "\n---" not in text:
        return None
    outside = list(lines_outside_fences(text))
    lines = [line for _, line in outside]
    for place, (number, line) in enumerate(outside):
        if line.rstrip() != "---":
            continue
        end = _block_end(lines, place)
        if end is not None and any(_OUR_KEY.match(line) for line in lines[place + 1 : end]):
            first = next(line for line in lines if line.strip())
            before = show(first) if first.rstrip() != "---" else "an empty line"
            return Problem(
                "front-not-first",
                number + 1,
                f"the metadata block starts on line {number + 1}, after: {before}",
                "The block must start on line 1: move what stands above it below the block.",
            )
    return None


def _block_end(lines: list[str], place: int) -> int | None:
    """Return the index of the fence that closes a block of keys opened at `place`."""
    keys = 0
    for index in range(place + 1, len(lines)):
        line = lines[index]
        if line.rstrip() == "---":
            return index if keys else None
        if _KEY_LINE.match(line):
            keys += 1
        elif line and line[0] not in " \t#-":
            return None
    return None
