r"""The usual metadata block without a YAML parser: a plain key and a plain value on each line.

Most blocks are made of nothing else, and a parser of all of YAML costs more than all the rest of
reading a file. What stands here is the part of YAML 1.1 in which a line can mean one thing only:

- a key of ASCII letters, digits, `_` and `-`, at the start of its line, once in the block;
- nothing, a plain scalar, a scalar in quotes without an escape, or one line of plain scalars in
  brackets;
- no tab, no comment, no blank line, no blank at a line's end, no line that goes on.

For every other block the answer is None and `yaml_reader` reads it. That both say the same of a
block that is read here is a property test. Standard library only.
"""

from __future__ import annotations

import re
from typing import Any, Final

from vault_cli.text.late import late

MAX_KEYS: Final = 64
"""More are counted, and refused from a limit on, by the full reader."""

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
"""Plain scalars that stand for nothing."""

_OTHER: Final = (
    "\u00a1-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u3001-\u303f\u3400-\u9fff\uff01-\uffe6"
)
"""Letters and signs beyond ASCII, none of which is a blank, a break or an indicator in YAML."""

_FIRST: Final = rf"[A-Za-z0-9_./(+{_OTHER}]"
_SIGN: Final = rf"[!-9;-~{_OTHER}]"
"""What may stand inside of a plain scalar, but for a colon."""

_WORD: Final = rf"(?:{_SIGN}|:(?=[!-~{_OTHER}]))*"
_ITEM: Final = rf"[A-Za-z0-9_{_OTHER}](?:[A-Za-z0-9_./+{_OTHER}-]| (?=[A-Za-z0-9_{_OTHER}]))*"
_PLAIN: Final = rf"{_FIRST}{_WORD}(?: +(?!\#){_SIGN}{_WORD})*"
_LINE: Final = late(
    rf"^([A-Za-z_][A-Za-z0-9_-]{{0,60}}):(?: "
    rf"(?:({_PLAIN})|\[({_ITEM}(?:, {_ITEM})*)?(\])"
    rf'|"([ !#-\[\]-~{_OTHER}]*)(")|\'([ -&(-~{_OTHER}]*)(\')))?$',
    re.MULTILINE,
)
_LONGEST: Final = 900
"""Characters of a line; a longer number is refused by the full reader."""


def read_plain(block: str, *, first: int = 1) -> tuple[dict[str, Any], dict[str, int]] | None:
    """Read the lines of a block, if each is of the usual kind.

    Args:
        block: text between the fences, LF line ends.
        first: the number of its first line.

    Returns:
        Values by key and the line of each key, as `yaml_reader.read_block` gives them; None when
        a line is of another kind.
    """
    found = _LINE.findall(block)
    if len(found) > MAX_KEYS or not found or len(found) != block.count("\n") or block[-1] != "\n":
        return None
    if len(block) > _LONGEST and max(map(len, block.split("\n"))) > _LONGEST:
        return None
    front: dict[str, Any] = {}
    for key, plain, items, bracket, double, in_double, single, in_single in found:
        if bracket:
            front[key] = [_scalar(item) for item in items.split(", ")] if items else []
        elif in_double or in_single:
            front[key] = double or single
        else:
            front[key] = _scalar(plain)
    if len(front) < len(found):
        return None
    return front, dict(zip(front, range(first, first + len(found)), strict=True))


def _scalar(plain: str) -> str | None:
    return None if plain in NULLS else plain
