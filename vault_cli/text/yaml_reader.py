"""The metadata block through python-frontmatter and libyaml, every scalar as typed.

Loaded only when a file is parsed. May import frontmatter, yaml, `text.block`, `text.codes`,
`text.yaml_words`.

One walk over the parser's events gives values, key lines and refusals; nothing is constructed
or resolved, so no tag, alias or type surprise can arise.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml
from frontmatter.default_handlers import BaseHandler
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from vault_cli.text.block import CLOSE, OPEN, find_block
from vault_cli.text.codes import Problem, show
from vault_cli.text.late import late
from vault_cli.text.plain_front import NULLS
from vault_cli.text.yaml_words import explain_error, explain_shape

LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser whose events are read: libyaml when it is there, else PyYAML's own."""

MAX_DEPTH = 20
MAX_KEYS = 200
MAX_DIGITS = 1000

_ODD = late("[\x85\u2028\u2029\ufeff]")
_SAVE_AS = late("[\uf8f0-\uf8f3]")
_SAVE = str.maketrans("\x85\u2028\u2029\ufeff", "\uf8f0\uf8f1\uf8f2\uf8f3")
_RESTORE = str.maketrans("\uf8f0\uf8f1\uf8f2\uf8f3", "\x85\u2028\u2029\ufeff")
_CONTROL = late("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


class BlockError(Exception):
    """The block cannot be used; `problem` says why, with the line counted in the block."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class FrontHandler(BaseHandler):
    """Our handler for python-frontmatter: fences at the top only, values as typed.

    After `load`, `key_lines` holds the 1-based line in the block of each key and `problems`
    what was found (lines counted in the block).
    """

    FM_BOUNDARY = OPEN
    START_DELIMITER = END_DELIMITER = CLOSE.pattern

    def __init__(self) -> None:
        super().__init__()
        self.key_lines: dict[str, int] = {}
        self.problems: list[Problem] = []

    def split(self, text: str) -> tuple[str, str]:
        """Return (block, body); raise ValueError when there is no usable block."""
        block = find_block(text)
        if not isinstance(block, tuple) or isinstance(block, Problem):
            raise ValueError("no metadata block")  # noqa: TRY004 - what python-frontmatter catches
        return text[block.start : block.end], text[block.body :]

    def load(self, fm: str) -> dict[str, Any]:
        """Read the block; an unusable one gives {} and its reason in `problems`."""
        try:
            front, self.key_lines, self.problems = read_block(fm)
        except BlockError as error:
            self.problems = [error.problem]
            return {}
        return front


def read_block(block: str) -> tuple[dict[str, Any], dict[str, int], list[Problem]]:
    """Read the lines of a block.

    Args:
        block: text between the fences, LF line ends.

    Returns:
        Values by key, the 1-based line in the block of each key, and findings that leave the
        block usable.

    Raises:
        BlockError: the block cannot be used.
    """
    odd = not block.isascii() and _ODD.search(block) is not None
    source = _save_odd(block) if odd else block
    control = _CONTROL.search(source)
    if control is not None:
        raise BlockError(_explain_control(source, control))
    walker = _Walker(source)
    try:
        front = walker.read()
    except yaml.MarkedYAMLError as error:
        raise BlockError(explain_error(source, error)) from error
    except yaml.YAMLError as error:
        problem = Problem("yaml-syntax", 1, "the metadata block cannot be read", _QUOTE)
        raise BlockError(problem) from error
    lines = walker.key_lines
    if odd:
        front = restore(front)
        lines = {key.translate(_RESTORE): line for key, line in lines.items()}
    return front, lines, walker.problems


_QUOTE = "Put values with special signs in double quotes."


def stand_in(block: str) -> str:
    """Return a block with stand-ins for four characters that libyaml takes as breaks or refuses."""
    return block if block.isascii() or not _ODD.search(block) else _save_odd(block)


def _save_odd(block: str) -> str:
    if _SAVE_AS.search(block):
        message = "the block mixes private-use characters with Unicode line breaks"
        raise BlockError(Problem("yaml-control", 1, message, "Remove one of them."))
    return block.translate(_SAVE)


def restore(value: Any) -> Any:
    """Return a value read from a block of `stand_in` with its own characters."""
    if isinstance(value, str):
        return value.translate(_RESTORE)
    if isinstance(value, list):
        return [restore(item) for item in value]
    if isinstance(value, dict):
        return {key.translate(_RESTORE): restore(item) for key, item in value.items()}
    return value


def _explain_control(source: str, match: re.Match[str]) -> Problem:
    line = source.count("\n", 0, match.start()) + 1
    message = f"the line holds the control character U+{ord(match[0]):04X}"
    hint = 'Remove it, or write it as an escape in double quotes ("\\x1b").'
    return Problem("yaml-control", line, message, hint)


class _Walker:
    """Reads one block; a value is text, None, a list or a dict."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.key_lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.keys = 0
        self.next: Any = None

    def read(self) -> dict[str, Any]:
        parser = LOADER(self.source)
        self.next = parser.get_event
        try:
            return self._read_document()
        finally:
            parser.dispose()

    def _read_document(self) -> dict[str, Any]:
        self.next()
        event = self.next()
        if event.__class__ is StreamEndEvent:
            return {}
        event = self.next()
        front: dict[str, Any] = {}
        if event.__class__ is MappingStartEvent:
            self._refuse_properties(event)
            front = self._read_map(1, self.key_lines)
        elif event.__class__ is not ScalarEvent or event.value or event.style:
            raise self._stop(event, explain_shape(self.source, event.start_mark.line))
        self.next()
        event = self.next()
        if event.__class__ is not StreamEndEvent:
            message = "a second document starts here (after a line `...` or `---`)"
            raise self._stop(event, Problem("yaml-syntax", 0, message, "Remove that line."))
        return front

    def _read_map(self, depth: int, lines: dict[str, int]) -> dict[str, Any]:
        """Read key-value pairs up to the end of the map; `lines` receives the line of each key."""
        found: dict[str, Any] = {}
        while True:
            event = self.next()
            if event.__class__ is MappingEndEvent:
                return found
            key = self._read_key(event)
            value = self._read_value(self.next(), depth)
            line = event.start_mark.line + 1
            if key not in found:
                found[key] = value
                lines[key] = line
            else:
                self._repeat(key, found[key] == value, lines[key], line)

    def _read_key(self, event: Any) -> str:
        self.keys += 1
        if self.keys > MAX_KEYS:
            message = f"more than {MAX_KEYS} keys"
            hint = "Move data into the body or into a file of its own."
            raise self._stop(event, Problem("front-too-many-keys", 0, message, hint))
        if event.__class__ is not ScalarEvent:
            raise self._stop(event, explain_shape(self.source, event.start_mark.line))
        self._refuse_properties(event)
        key: str = event.value
        if key == "<<" and not event.style:
            message = "a merge key (<<) is not read here"
            raise self._stop(event, Problem("yaml-merge-key", 0, message, "Write the keys out."))
        return key

    def _repeat(self, key: str, equal: bool, first: int, line: int) -> None:  # noqa: FBT001
        # The message names lines of the file, where the fence is line 1.
        where = f"`{show(key)}` stands on this line and on line {first + 1}"
        if equal:
            hint = "Remove one of the two lines; both mean the same."
            self.problems.append(
                Problem("repeated-key", line, f"{where} with the same value", hint)
            )
            return
        hint = "Keep the line that is right and remove the other."
        raise BlockError(Problem("duplicate-key", line, f"{where} with different values", hint))

    def _read_value(self, event: Any, depth: int) -> Any:
        kind = event.__class__
        if kind is ScalarEvent:
            if event.anchor or event.tag:
                self._refuse_properties(event)
            value: str = event.value
            if event.style:
                return value
            if len(value) > MAX_DIGITS and value.lstrip("+-").isdigit():
                message = f"a number of {len(value)} digits"
                hint = "Put it in quotes if it is text."
                raise self._stop(event, Problem("yaml-number", 0, message, hint))
            return None if value in NULLS else value
        self._refuse_properties(event)
        if depth >= MAX_DEPTH:
            message = f"values are nested more than {MAX_DEPTH} levels deep"
            raise self._stop(event, Problem("yaml-too-deep", 0, message, "Flatten the value."))
        if kind is MappingStartEvent:
            return self._read_map(depth + 1, {})
        return self._read_list(depth + 1)

    def _read_list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while True:
            event = self.next()
            if event.__class__ is SequenceEndEvent:
                return found
            found.append(self._read_value(event, depth))

    def _refuse_properties(self, event: Any) -> None:
        """Refuse aliases, anchors and explicit tags."""
        if event.__class__ is AliasEvent or event.anchor:
            raise self._stop(event, explain_shape(self.source, event.start_mark.line))
        tag = event.tag
        if tag:
            message = f"the type tag {show(tag.replace('tag:yaml.org,2002:', '!!'))} is not read"
            hint = "Remove the tag, or put the whole value in quotes."
            raise self._stop(event, Problem("yaml-tag", 0, message, hint))

    def _stop(self, event: Any, problem: Problem) -> BlockError:
        if problem.line == 0:
            problem = problem._replace(line=event.start_mark.line + 1)
        return BlockError(problem)
