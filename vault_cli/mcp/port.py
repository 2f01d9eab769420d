"""What the server asks of the rest of mvault: run one command line. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Answer(NamedTuple):
    """How a command ended.

    Args:
        code: its exit code, as in the README.
        out: what it printed as its answer.
        notes: what it printed beside it: status lines, findings, advice, the error.
    """

    code: int
    out: str
    notes: str


class Run(Protocol):
    """Runs one command line for an agent, in this process, as `mvault` would in a shell."""

    def __call__(self, args: Sequence[str], stdin: str = "") -> Answer:
        """Return how it ended; never raises.

        Args:
            args: the command and its arguments; the server puts `--` before a person's words.
            stdin: what the command reads.
        """
        ...  # pragma: no cover - a protocol has no body
