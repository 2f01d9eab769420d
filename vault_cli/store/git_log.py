"""What `git log -z --raw` answers, as values. Imports nothing of ours.

Messages and names are text that anybody may have written: whoever shows them escapes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

SAFE: Final = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-decorate",
)  # fmt: skip
"""Flags under which `git log` runs nothing and answers the same everywhere."""


class Logged(NamedTuple):
    """One commit of the answer.

    Args:
        fields: what its format asked for, as text.
        changes: the changed paths, each as (`:mode mode blob blob X`, path), as git gave them.
    """

    fields: tuple[str, ...]
    changes: tuple[tuple[bytes, bytes], ...]


def format_of(fields: Sequence[str]) -> str:
    """Return the option that asks for these placeholders in a form that `parse_log` reads."""
    return "--format=tformat:" + "%x00".join(fields) + "%x00"


def parse_log(out: bytes, count: int) -> Iterator[Logged]:
    """Yield the commits of `log -z --raw`: `count` fields each, then pairs of `:modes…` and a path.

    No path can be taken for a field or a commit: every one follows a token that starts with `:`.
    """
    tokens = iter(out.split(b"\0"))
    token: bytes | None = next(tokens, b"")
    while token and token.strip():
        fields = [token, *(next(tokens, b"") for _ in range(count - 1))]
        changes: list[tuple[bytes, bytes]] = []
        token = _next(tokens)
        while token is not None and (not token or token.startswith(b":")):
            if token:
                changes.append((token, next(tokens, b"")))
            token = _next(tokens)
        yield Logged(tuple(part.decode("utf-8", "replace") for part in fields), tuple(changes))


def _next(tokens: Iterator[bytes]) -> bytes | None:
    token = next(tokens, None)
    return None if token is None else token.lstrip(b"\n")


def parse_trailers(text: str) -> tuple[tuple[str, str], ...]:
    """Read `%(trailers:only,unfold)` as (name, value)."""
    pairs = (line.partition(":") for line in text.splitlines())
    return tuple((name.strip(), value.strip()) for name, _, value in pairs)
