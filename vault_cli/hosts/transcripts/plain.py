"""Logs of other programs, as lines of `{"role": …, "content": …}`: what nearly all can export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vault_cli.hosts.transcripts.parts import as_text, instant, joined, texts_in
from vault_cli.hosts.transcripts.stream import Line
from vault_cli.model.transcript import Event, Session

HOST: Final = "other"
_KNOWN: Final = frozenset({"system", "developer", "tool"})


class Reader:
    """Reads the lines of one log in order; only what the roles say is known."""

    def __init__(self, path: Path) -> None:
        self.session = Session(HOST, path.stem)

    def begin(self, first: list[Line], *, resumed: bool) -> None:
        """Take what the first lines say about the session: nothing."""

    @staticmethod
    def read(line: Line) -> Iterator[Event] | None:
        """Return what happened in a line, None for a line of a kind that is not known."""
        role, at = line.data.get("role"), instant(line.data.get("timestamp"))
        text = joined(texts_in(line.data.get("content"), "text")).strip()
        if role == "user":
            return iter((Event("user", line.number, at, as_text(text)),) if text else ())
        if role == "assistant":
            return iter((Event("agent", line.number, at, as_text(text)),) if text else ())
        return iter(()) if role in _KNOWN else None
