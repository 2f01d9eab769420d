"""The full program, asked in this process. Standard library only; `cli` by its name.

This layer imports nothing of ours above it: most events are answered without.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from vault_cli.hook.call import Call


def ask_program(call: Call, module: str, ask: Callable[[Any], Any]) -> Any:
    """Ask a module of `vault_cli.cli`, by name.

    Meanwhile the environment names the state folder, and says to whatever is started that it must
    not start us again.

    Args:
        call: the event.
        module: which module.
        ask: what is asked of it.
    """
    if "site" not in sys.modules or sys.flags.no_site:
        import site

        site.main()
    before = dict(os.environ)
    os.environ |= {"MVAULT_STATE_DIR": call.state, "MVAULT_HOOK": "1"}
    try:
        return ask(import_module(f"vault_cli.cli.{module}"))
    finally:
        os.environ.clear()
        os.environ.update(before)
