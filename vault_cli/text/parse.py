"""One Markdown file as a value. May import `model`, `text.*`; yaml only for an unusual block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vault_cli.errors import Diagnostic
from vault_cli.model.schema import FLAG_WORDS
from vault_cli.text.block import Block, find_block, find_second_block
from vault_cli.text.codes import Problem, show
from vault_cli.text.decode import check_size, decode_text
from vault_cli.text.lines import find_conflict
from vault_cli.text.plain_front import read_plain


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file.

    Args:
        data: the bytes as found.
        front: front matter as read; every scalar is text as typed (`no`, `0123`, `1.10`,
            `2026-06-03`), `null`/`~`/empty is None, lists are lists, maps are dicts.
            Empty when there is no front matter.
        has_front: whether the file has a front-matter block (an empty one counts).
        body: text after the block, LF line ends, no BOM.
        body_line: 1-based line of the file where `body` starts.
        key_lines: 1-based file line of each top-level key.
        diagnostics: findings; any `error` means the file is not a record.
    """

    data: bytes
    front: Mapping[str, Any]
    has_front: bool
    body: str
    body_line: int
    key_lines: Mapping[str, int]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def is_broken(self) -> bool:
        """Whether an `error` finding keeps this file from being a record."""
        return any(d.severity == "error" for d in self.diagnostics)


def parse_document(data: bytes, path: str) -> Document:
    """Parse a file's bytes; never raises, problems are diagnostics with path, line and fix."""
    text, problem = decode_text(data)
    if problem is not None:
        return _broken(data, "", path, problem)
    block = find_block(text)
    if isinstance(block, Problem):
        return _broken(data, text, path, _conflict(text, 1) or block)
    if block is None:
        return _finish(data, path, text, text, 1, {}, {}, [], has_front=False)
    source = text[block.start : block.end]
    problem = _conflict(source, 2)
    if problem is not None:
        return _broken(data, text, path, problem)
    front, key_lines, problems = _read_front(text, source, block)
    body = text[block.body :]
    body_line = text.count("\n", 0, block.body) + 1
    if block.body and text[block.body - 1] != "\n":
        body_line += 1
    return _finish(data, path, text, body, body_line, front, key_lines, problems, has_front=True)


def _read_front(
    text: str, source: str, block: Block
) -> tuple[dict[str, Any], dict[str, int], list[Problem]]:
    # The fence is line 1 of the file, so every line of the block moves down by one.
    usual = read_plain(source, first=2)
    if usual is not None:
        return *usual, []
    import frontmatter

    from vault_cli.text.yaml_reader import FrontHandler

    handler = FrontHandler()
    front, _ = frontmatter.parse(text[: block.body], handler=handler)
    lines = {key: line + 1 for key, line in handler.key_lines.items()}
    problems = [found._replace(line=found.line + 1) for found in handler.problems]
    return front, lines, problems


def _finish(
    data: bytes,
    path: str,
    text: str,
    body: str,
    body_line: int,
    front: dict[str, Any],
    key_lines: dict[str, int],
    problems: list[Problem],
    *,
    has_front: bool,
) -> Document:
    large = check_size(data, text)
    if large is not None:
        problems.append(large)
    if not _is_set(front.get("shows_markers")):
        conflict = _conflict(body, body_line)
        if conflict is not None:
            problems.append(conflict)
    if has_front and body.startswith(("---", "\n")):
        second = find_second_block(body, body_line)
        if second is not None:
            problems.append(second)
    found = tuple(problem.at(path) for problem in problems)
    return Document(data, front, has_front, body, body_line, key_lines, found)


def _is_set(value: Any) -> bool:
    return isinstance(value, str) and FLAG_WORDS.get(value.strip().lower(), False)


def _broken(data: bytes, text: str, path: str, problem: Problem) -> Document:
    return Document(
        data,
        {},
        has_front=False,
        body=text,
        body_line=1,
        key_lines={},
        diagnostics=(problem.at(path),),
    )


def _conflict(text: str, first_line: int) -> Problem | None:
    found = find_conflict(text)
    if found is None:
        return None
    number, marker = found
    return Problem(
        "conflict-markers",
        first_line + number,
        f"a merge conflict is left in the file: {show(marker)}",
        "Keep one side and remove the marker lines; for a note about markers, indent or fence "
        "them, or put `shows_markers: true` into its metadata.",
    )
