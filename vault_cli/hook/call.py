"""One run of a hook: what it was started with, and what is known of the event. Stdlib, `hook`."""

from __future__ import annotations

from vault_cli.hook import events, state
from vault_cli.hook.system import absolute

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Call:
    """One run: what it was started with, and what is known of the event so far.

    Args:
        argv: `HOST EVENT [STATE]`.
    """

    def __init__(self, argv: list[str]) -> None:
        words = [*argv, "", "", ""]
        self.host = events.find_host(words[0])
        self.event = events.find_event(words[1])
        self.name = events.native_event(self.host, self.event)
        self.state = absolute(words[2]) if words[2] else state.default_state()
        self.raw = b""
        self.is_alone = False
        """Whether this process was started for this event."""
        self.payload: dict[str, Any] = {}
        self.settle: Callable[[bool], None] | None = None
        """Lets the event go, as answered or not, where another command line may answer it, too."""

    def complain(self, message: str) -> None:
        """Log what went wrong with this event; never fails."""
        state.complain(self.state, f"{self.host or 'unknown host'} {self.event}: {message}")
