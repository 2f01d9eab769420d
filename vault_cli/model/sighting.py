"""A tool call that was seen, and how it ended. Imports nothing of ours."""

from __future__ import annotations

from typing import Final, NamedTuple

MAX_GIVEN: Final = 2000
"""Characters of what a tool was asked that are kept."""

MAX_SAID: Final = 4000
"""Characters of what it said when it failed."""


class Sighting(NamedTuple):
    """One tool call.

    Args:
        key: the same however often, and from whatever side, the call is seen.
        at: Unix time.
        host: the agent program.
        session: its session, "" when it is not known.
        cwd: folder it worked in, "" when it is not known.
        tool: canonical name.
        given: the main field of its input, as text.
        failed: None when nobody said.
        exit_code: None when nobody said.
        text: what it said when it failed.
        interrupted: a person stopped it.
    """

    key: str
    at: int
    host: str
    session: str
    cwd: str
    tool: str
    given: str
    failed: bool | None
    exit_code: int | None = None
    text: str = ""
    interrupted: bool = False
