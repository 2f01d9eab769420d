"""Run a compiled pattern over a text in a bounded number of steps. No imports.

A program is a tuple of instructions (`text.pattern` compiles them):

- `("c", negated, ranges, classes)`: one character of these ranges (pairs of characters) or classes
  (`w` word, `d` digit, `s` space);
- `("j", places)`: go on at all of these places;
- `("a", sign)`: an assertion: `^` `$` (begin and end of a line), `b` `B` (a word's edge or not);
- `("m",)`: matched.

All places are followed at the same time (K. Thompson, "Regular expression search algorithm", 1968),
so that no pattern takes longer than its length times that of the text. Sets of places and where
they lead are remembered: on ordinary texts a character costs one look into a table.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Program = tuple[tuple[Any, ...], ...]
_EDGE = 0x110000
_MOST_KEPT = 20_000


def search(program: Program, text: str, most: int) -> bool:
    """Tell whether the program matches somewhere in a text; no when it takes too many steps.

    Args:
        program: see the module.
        text: what to look at.
        most: steps to give up after.
    """
    sets: list[tuple[int, ...]] = [()]
    numbers: dict[tuple[int, ...], int] = {(): 0}
    known: dict[tuple[int, int, int], int] = {}
    state, before = 0, _EDGE
    for code in (*map(ord, text), _EDGE):
        key = (state, _kind(before), code)
        following = known.get(key)
        if following is None:
            places, matched, steps = _step(program, sets[state], before, code)
            most -= steps
            if most < 0:
                return False
            if matched:
                return True
            number = numbers.get(places)
            if number is None:
                number = numbers[places] = len(sets)
                sets.append(places)
            following = number
            if len(known) < _MOST_KEPT:
                known[key] = following
        state, before = following, code
    return False


def _kind(code: int) -> int:
    """Return what assertions can tell about a character: edge, line end, word, other."""
    if code == _EDGE:
        return 0
    if code == 10:  # noqa: PLR2004 - a line feed
        return 1
    return 2 if _is_word(code) else 3


def _is_word(code: int) -> bool:
    if code == _EDGE:
        return False
    char = chr(code)
    return char.isalnum() or char == "_"


def _step(
    program: Program, places: tuple[int, ...], before: int, code: int
) -> tuple[tuple[int, ...], bool, int]:
    """Follow a set of places, and the start, over one character.

    Returns:
        The places behind it, whether the end was reached before it, the steps it took.
    """
    seen: set[int] = set()
    stack = [0, *places]
    behind: set[int] = set()
    while stack:
        place = stack.pop()
        if place in seen:
            continue
        seen.add(place)
        order = program[place]
        sign = order[0]
        if sign == "c":
            if code != _EDGE and _fits(order, code):
                behind.add(place + 1)
        elif sign == "j":
            stack.extend(order[1])
        elif sign == "m":
            return (), True, len(seen)
        elif _holds(order[1], before, code):
            stack.append(place + 1)
    return tuple(sorted(behind)), False, len(seen) + 1


def _fits(order: tuple[Any, ...], code: int) -> bool:
    _, negated, ranges, classes = order
    char = chr(code)
    found = any(low <= char <= high for low, high in ranges)
    if not found and classes:
        found = any(_in_class(name, char) for name in classes)
    return bool(found != negated)


def _in_class(name: str, char: str) -> bool:
    if name == "w":
        return char.isalnum() or char == "_"
    if name == "d":
        return char.isdigit()
    if name == "s":
        return char.isspace()
    return not _in_class(name.lower(), char)


def _holds(sign: str, before: int, code: int) -> bool:
    if sign == "^":
        return before in {_EDGE, 10}
    if sign == "$":
        return code in {_EDGE, 10}
    return (_is_word(before) != _is_word(code)) == (sign == "b")
