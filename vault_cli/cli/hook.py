"""`hook`, as a command among others. May import everything below `cli`.

Agent programs do not come this way: `__main__` sends `mvault hook HOST EVENT` to `hook.main` before
anything is loaded. Here stand its help and its `--json`.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View

Host = Annotated[
    str,
    typer.Argument(
        metavar="[HOST]", help="claude-code codex dsh gemini-cli opencode cursor copilot."
    ),
]
Event = Annotated[str, typer.Argument(metavar="[EVENT]", help="In any spelling: pre-tool-use.")]
State = Annotated[
    str, typer.Argument(metavar="[STATE]", help="State folder; $MVAULT_STATE_DIR otherwise.")
]


def hook(ctx: typer.Context, host: Host = "", event: Event = "", state: State = "") -> int:
    """Answer an event of an agent program: JSON on stdin, one JSON object on stdout.

    Agent programs call it; `mvault status` says what went wrong there. It always ends with 0: an
    agent is never held up by a memory that cannot be read. What the event is about is taken from
    the input; EVENT counts where that does not say it.

    Examples:
      mvault hook claude-code session-start </dev/null
      mvault hook codex PreToolUse <event.json
    """
    from json import loads

    from vault_cli.hook.answer import respond

    inv: Invocation = ctx.obj
    raw = b"" if inv.has_terminal else sys.stdin.buffer.read()
    before = os.environ.get("MVAULT")
    if inv.options.vault:
        os.environ["MVAULT"] = os.path.abspath(inv.options.vault)  # noqa: PTH100 - of any name

    def give(answer: bytes) -> None:
        inv.out.show(View(loads(answer), raw=answer.decode("ascii") + "\n"))

    try:
        respond([host, event, *([state] if state else [])], raw, give)
    finally:
        if before is not None:
            os.environ["MVAULT"] = before
        elif inv.options.vault:
            del os.environ["MVAULT"]
    return 0
