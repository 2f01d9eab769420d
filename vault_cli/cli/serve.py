"""`mcp`: commands as tools of an agent, over stdio. May import everything below `cli`."""

from __future__ import annotations

import gc
import io
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from threading import Lock
from typing import TYPE_CHECKING

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.since import session_named
from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.mcp.port import Answer

_HINT = "Install the extra: pipx install 'mvault[mcp]' (or: pip install 'mvault[mcp]')."


def mcp(ctx: typer.Context) -> int:
    """Serve the vault to an agent over stdio (Model Context Protocol).

    Tools: brief, context, search, sessions_search, show, lessons_lookup, why, review_list read;
    remember proposes a candidate, mark notes what helped, playbook_use how a recipe went,
    task_start, task_checkpoint and task_end note work, task_reflect and distill hand over
    material and take answers as candidates. Nothing an agent calls puts a record in force. The
    vault is that of the working directory, or of --vault. Needs the extra `mvault[mcp]`.

    Examples:
      claude mcp add mvault -- mvault mcp
      mvault mcp --vault ~/vault
    """
    inv: Invocation = ctx.obj
    if inv.options.json or inv.options.dry_run:
        raise UsageError(
            "mcp is a server: it has no answer to print and nothing to preview",
            hint="An agent program starts it: claude mcp add mvault -- mvault mcp",
        )
    try:
        from vault_cli.mcp.server import build_server
    except ImportError as error:
        raise UsageError(f"the MCP library is not installed ({error.name})", hint=_HINT) from error
    _require_streams()
    gc.enable()  # a command is short and never collects; a server stays
    build_server(AgentRuns(inv.options.vault, inv.environ)).run("stdio")
    return 0


def _require_streams() -> None:
    for number, name in enumerate(("stdin", "stdout")):
        try:
            os.fstat(number)
        except OSError as error:
            raise UsageError(
                f"{name} is closed: the server speaks over it",
                hint="An agent program starts it: claude mcp add mvault -- mvault mcp",
            ) from error


class AgentRuns:
    """Runs command lines in this process as an agent without a terminal (the port of `mcp`).

    Args:
        vault: path of the vault, "" for that of the working directory.
        environ: the environment of the server.
    """

    def __init__(self, vault: str, environ: Mapping[str, str]) -> None:
        self._head = [f"--vault={vault}"] if vault else []
        session = session_named(environ) or f"mcp-{secrets.token_hex(6)}"
        self._environ = {**environ, "MVAULT_ACTOR": "agent", "MVAULT_SESSION": session}
        self._one_at_a_time = Lock()

    def __call__(self, args: Sequence[str], stdin: str = "") -> Answer:
        """Run one command line; see `mcp.port.Run`.

        The streams of a process are its own, so one command runs at a time. The server's are not
        touched: it keeps the descriptors it began with.
        """
        from vault_cli.cli.app import answer
        from vault_cli.mcp.port import Answer

        out, notes = io.StringIO(), io.StringIO()
        with self._one_at_a_time, redirect_stdout(out), redirect_stderr(notes):
            kept, sys.stdin = sys.stdin, io.StringIO(stdin)
            try:
                code = answer([*self._head, *args], self._environ, origin="mcp")
            finally:
                sys.stdin = kept
        return Answer(code, out.getvalue(), notes.getvalue())
