r"""Patterns of guards: a subset of regular expressions that cannot take long. May import nothing.

A pattern becomes a program for `hook.automaton`, which follows all of its ways at once; there is no
backtracking, so no pattern is a trap. What would need it is refused: backreferences, looking ahead
or behind, atomic groups. Written as in Python's `re`: literals, `.`, classes, `\d \w \s \b`,
`^ $` (of lines), groups, `|`, `* + ? {m,n}`; `(?i)` at the beginning ignores case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

MAX_PATTERN: Final = 500
MAX_PROGRAM: Final = 1500
MAX_REPEAT: Final = 200
MAX_DEPTH: Final = 30
_MOST_CHOICES: Final = 8
_SAFE: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.=:@+,~%#"
)
"""Characters that every JSON writer leaves as they are."""

_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


class PatternError(ValueError):
    """A pattern cannot be used; the text says why."""


@dataclass(slots=True)
class _Node:
    """A part of a pattern.

    Args:
        kind: `char`, `set`, `any`, `assert`, `concat`, `choice`, `repeat`.
        parts: what it consists of.
        text: the character, or the sign of an assertion.
        ranges, classes, negated: of a set.
        least, most: of a repetition; most None is without end.
    """

    kind: str
    parts: list[_Node] = field(default_factory=list)
    text: str = ""
    ranges: tuple[tuple[str, str], ...] = ()
    classes: str = ""
    negated: bool = False
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern.

    Args:
        program: for `hook.automaton.search`.
        literals: of each text that it matches, one stands in it; () when none is known.
        folded: whether the literals are those of the text in lower case.
        is_empty: whether it matches the empty text, and so everything.
    """

    program: tuple[tuple[Any, ...], ...]
    literals: tuple[str, ...]
    folded: bool
    is_empty: bool


def compile_pattern(text: str) -> Pattern:
    """Compile a pattern.

    Raises:
        PatternError: it is wrong, too large, or needs backtracking.
    """
    if len(text) > MAX_PATTERN:
        raise PatternError(f"it has more than {MAX_PATTERN} characters")
    folded = text.startswith("(?i)")
    node = _Parser(text[4:] if folded else text).parse()
    program: list[tuple[Any, ...]] = []
    _emit(node, program, folded=folded)
    program.append(("m",))
    found = _literals(node)
    literals = tuple(word.lower() if folded else word for word in found)
    return Pattern(tuple(program), literals, folded, _least(node) == 0)


class _Parser:
    """A recursive-descent parser of the subset."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.depth = 0

    def parse(self) -> _Node:
        """Return the tree of the whole pattern."""
        node = self._choice()
        if self.place < len(self.text):
            raise PatternError("a bracket is closed that was not opened")
        return node

    def _peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def _take(self) -> str:
        char = self._peek()
        if not char:
            raise PatternError("it ends in the middle")
        self.place += 1
        return char

    def _choice(self) -> _Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise PatternError(f"brackets are nested more than {MAX_DEPTH} deep")
        parts = [self._concat()]
        while self._peek() == "|":
            self.place += 1
            parts.append(self._concat())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else _Node("choice", parts)

    def _concat(self) -> _Node:
        parts: list[_Node] = []
        while self._peek() not in {"", "|", ")"}:
            parts.append(self._repeated(self._atom()))
        return _Node("concat", parts)

    def _repeated(self, node: _Node) -> _Node:
        while (sign := self._peek()) and sign in "*+?{":
            bounds = self._bounds(sign)
            if bounds is None:
                break
            if node.kind == "assert":
                raise PatternError("an assertion is not repeated")
            node = _Node("repeat", [node], least=bounds[0], most=bounds[1])
            if self._peek() == "?":  # how many are taken first does not matter here
                self.place += 1
            elif self._peek() == "+":
                raise PatternError("possessive repetitions need backtracking to mean anything")
        return node

    def _bounds(self, sign: str) -> tuple[int, int | None] | None:
        """Return least and most of a repetition; None for a brace that is a literal."""
        if sign != "{":
            self.place += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        end = self.text.find("}", self.place)
        body = self.text[self.place + 1 : end] if end > 0 else ""
        low, comma, high = body.partition(",")
        if not (low or high) or not all(part.isdigit() for part in (low, high) if part):
            return None
        self.place = end + 1
        least = int(low or 0)
        most = int(high) if high else None if comma else least
        if max(least, most or 0) > MAX_REPEAT:
            raise PatternError(f"it repeats more than {MAX_REPEAT} times")
        if most is not None and most < least:
            raise PatternError("a repetition has more at least than at most")
        return least, most

    def _atom(self) -> _Node:
        char = self._take()
        if char == "(":
            return self._group()
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == ".":
            return _Node("set", ranges=(("\n", "\n"),), negated=True)
        if char in "^$":
            return _Node("assert", text=char)
        if char in "*+?":
            raise PatternError(f"there is nothing that {char} could repeat")
        return _Node("char", text=char)

    def _group(self) -> _Node:
        if self._peek() == "?":
            self.place += 1
            kind = self._take()
            if kind == "P" and self._peek() == "<":
                self.place = self.text.find(">", self.place) + 1
                if not self.place:
                    raise PatternError("a name of a group is not closed")
            elif kind != ":":
                words = "looking ahead or behind" if kind in "=!<" else f"(?{kind}"
                raise PatternError(f"{words} is not allowed; (?i) stands at the beginning")
        node = self._choice()
        if self._peek() != ")":
            raise PatternError("a bracket is not closed")
        self.place += 1
        return node

    def _escape(self) -> _Node:
        char = self._take()
        if char in "wdsWDS":
            return _Node("set", classes=char)
        if char in "bB":
            return _Node("assert", text=char)
        if char in "AZz":
            raise PatternError(f"\\{char} is not allowed; use ^ and $")
        return _Node("char", text=self._literal(char))

    def _literal(self, char: str) -> str:
        """Return the character that an escape stands for."""
        if char in "xuU":
            size = {"x": 2, "u": 4, "U": 8}[char]
            digits = self.text[self.place : self.place + size]
            try:
                found = chr(int(digits, 16)) if len(digits) == size else ""
            except (ValueError, OverflowError):
                found = ""
            if not found:
                raise PatternError(f"\\{char} needs {size} hex digits")
            self.place += size
            return found
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char.isalnum() and char.isascii():
            what = "a backreference" if char.isdigit() else f"\\{char}"
            raise PatternError(f"{what} is not allowed")
        return char

    def _set(self) -> _Node:
        negated = self._peek() == "^"
        self.place += negated
        ranges: list[tuple[str, str]] = []
        classes = ""
        is_first = True
        while (char := self._take()) != "]" or is_first:
            is_first = False
            if char == "\\":
                char = self._take()
                if char in "wdsWDS":
                    classes += char
                    continue
                char = "\b" if char == "b" else self._literal(char)
            high = char
            if self._peek() == "-" and self.text[self.place + 1 : self.place + 2] not in {"]", ""}:
                self.place += 1
                high = self._take()
                high = self._literal(self._take()) if high == "\\" else high
                if high < char:
                    raise PatternError(f"the range {char}-{high} goes backwards")
            ranges.append((char, high))
        return _Node("set", ranges=tuple(ranges), classes=classes, negated=negated)


def _emit(node: _Node, program: list[tuple[Any, ...]], *, folded: bool) -> None:
    """Append the instructions of a node (K. Thompson's construction)."""
    if len(program) > MAX_PROGRAM:
        raise PatternError("it is too large when its repetitions are written out")
    if node.kind == "char":
        program.append(("c", False, _variants(node.text, folded=folded), ""))
    elif node.kind == "set":
        ranges = node.ranges
        if folded:
            ranges = tuple(pair for one in ranges for pair in _folded_range(one))
        program.append(("c", node.negated, ranges, node.classes))
    elif node.kind == "assert":
        program.append(("a", node.text))
    elif node.kind == "concat":
        for part in node.parts:
            _emit(part, program, folded=folded)
    elif node.kind == "choice":
        _emit_choice(node, program, folded=folded)
    else:
        _emit_repeat(node, program, folded=folded)


def _emit_choice(node: _Node, program: list[tuple[Any, ...]], *, folded: bool) -> None:
    fork = len(program)
    program.append(())
    starts, ends = [], []
    for part in node.parts:
        starts.append(len(program))
        _emit(part, program, folded=folded)
        ends.append(len(program))
        program.append(())
    program[fork] = ("j", tuple(starts))
    for end in ends:
        program[end] = ("j", (len(program),))


def _emit_repeat(node: _Node, program: list[tuple[Any, ...]], *, folded: bool) -> None:
    part = node.parts[0]
    for _ in range(node.least):
        _emit(part, program, folded=folded)
    if node.most is None:
        fork = len(program)
        program.append(())
        _emit(part, program, folded=folded)
        program.append(("j", (fork,)))
        program[fork] = ("j", (fork + 1, len(program)))
        return
    forks = []
    for _ in range(node.most - node.least):
        forks.append(len(program))
        program.append(())
        _emit(part, program, folded=folded)
    for fork in forks:
        program[fork] = ("j", (fork + 1, len(program)))


def _variants(char: str, *, folded: bool) -> tuple[tuple[str, str], ...]:
    chars = {char, char.lower(), char.upper()} if folded else {char}
    return tuple((one, one) for one in sorted(chars) if len(one) == 1)


def _folded_range(one: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    low, high = one
    cases = {(low, high)}
    for begin, end, other in (("a", "z", str.upper), ("A", "Z", str.lower)):
        first, last = max(low, begin), min(high, end)
        if first <= last:
            cases.add((other(first), other(last)))
    if low == high:
        cases.update(_variants(low, folded=True))
    return tuple(sorted(cases))


def _least(node: _Node) -> int:
    """Return how many characters a match has at least."""
    if node.kind in {"char", "set"}:
        return 1
    if node.kind == "assert":
        return 0
    lengths = [_least(part) for part in node.parts]
    if node.kind == "choice":
        return min(lengths)
    return sum(lengths) if node.kind == "concat" else node.least * lengths[0]


def _literals(node: _Node) -> tuple[str, ...]:
    """Return words of which one stands in every match, the most telling ones; () for none."""
    if node.kind == "char":
        return (node.text,) if node.text in _SAFE else ()
    if node.kind == "repeat":
        return _literals(node.parts[0]) if node.least else ()
    if node.kind == "choice":
        found = [_literals(part) for part in node.parts]
        together = tuple(dict.fromkeys(word for words in found for word in words))
        return together if all(found) and len(together) <= _MOST_CHOICES else ()
    if node.kind == "concat":
        return max(_runs(node.parts), key=_worth, default=())
    return ()


def _runs(parts: list[_Node]) -> list[tuple[str, ...]]:
    """Return what each part of a sequence gives, neighbouring characters as one word."""
    found: list[tuple[str, ...]] = []
    run = ""
    for part in (*parts, _Node("end")):
        if part.kind == "char" and part.text in _SAFE:
            run += part.text
            continue
        if run:
            found.append((run,))
            run = ""
        words = _literals(part)
        if words:
            found.append(words)
    return found


def _worth(words: tuple[str, ...]) -> tuple[int, int]:
    return min(map(len, words)), -len(words)


def word_literals(text: str) -> tuple[bytes, ...]:
    """Return bytes of which one stands in every JSON text that holds this one; () for none.

    The longest run of characters that no JSON writer escapes; for others their spellings.
    """
    runs, run = [], ""
    for char in f"{text}\0":
        if char in _SAFE:
            run += char
        else:
            runs.append(run)
            run = ""
    best = max(runs, key=len)
    if best:
        return (best.encode("ascii"),)
    strange = [char for char in text if ord(char) > 0x7F]  # noqa: PLR2004 - ASCII
    if not strange:
        return ()
    escaped = strange[0].encode("utf-16-be", "surrogatepass").hex()
    spelt = "".join(f"\\u{escaped[at : at + 4]}" for at in range(0, len(escaped), 4))
    upper = "".join(f"\\u{escaped[at : at + 4].upper()}" for at in range(0, len(escaped), 4))
    plain = strange[0].encode("utf-8", "surrogatepass")
    return tuple(dict.fromkeys((plain, spelt.encode(), upper.encode())))
