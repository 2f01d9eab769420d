"""One Markdown file: parse, patch a key in place, compose. Byte-exact otherwise.

May import frontmatter, yaml (inside functions where start-up matters), `model`, `errors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vault_cli.errors import Diagnostic

REMOVE: Final = object()
"""Value for `patch` that removes a key."""


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
    raise NotImplementedError


def patch_document(data: bytes, changes: Mapping[str, Any], path: str) -> bytes:
    """Return `data` with top-level front-matter keys set (or removed with REMOVE) in place.

    Everything outside the changed keys' lines stays byte for byte (comments, order, quotes,
    flow style, line ends, BOM, missing final newline). A value equal to the present one changes
    nothing. A new key goes to the end of the block; a file without a block gets one at its top.
    Proven by re-parsing before it returns.

    Raises:
        RefusedError: the file is broken, a key stands twice with different values, or the
            re-parse does not show exactly the requested change.
    """
    raise NotImplementedError


def replace_body(data: bytes, body: str, path: str) -> bytes:
    """Return `data` with another body, front matter and line-end style untouched."""
    raise NotImplementedError


def compose_document(front: Mapping[str, Any], body: str) -> bytes:
    """Write a new file: keys in the order given, quoting such that YAML 1.1 and 1.2 read text back."""
    raise NotImplementedError
