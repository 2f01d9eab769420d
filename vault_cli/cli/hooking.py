"""The full program's part of `mvault hook`: what is said to an agent. May import everything below.

Called by `hook.answer` in the same process; what is printed meanwhile goes to stderr.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vault_cli.hook import events

if TYPE_CHECKING:
    from vault_cli.hook.answer import Call


def answer_event(call: Call) -> dict[str, str]:
    """Return what to say at an event, as `hook.replies` has it; empty for nothing.

    Raises:
        VaultError: a vault or its settings cannot be used; the agent then goes on without it.
    """
    if call.event != events.SESSION_START:
        return {}
    from vault_cli.cli.invocation import Invocation
    from vault_cli.cli.options import Options
    from vault_cli.cli.rendering import Wanted, make_options, make_query, render_query

    folder = events.folder_of(call.payload)
    if folder:
        os.chdir(folder)
    inv = Invocation(Options(), os.environ)
    wanted = Wanted(session=events.session_of(call.payload))
    snapshot = inv.reading.snapshot(whole=True, guarded=True)
    block = render_query(snapshot, make_query(inv, wanted), make_options(inv, wanted))
    return {"context": block.text}
