"""What the options of every command say. Imports nothing: a hook has none of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False, repr=False)  # loaded by every command: cheap to build
class Options:
    """What the global options say.

    Args:
        vault: path typed after `--vault`, "" when none was given.
        json: one JSON object on stdout instead of text.
        quiet: no status lines and hints on stderr (warnings and errors stay).
        dry_run: show the exact change and write nothing.
        debug: show the trace of an unexpected error.
        color: True, False, or None to decide by the terminal.
    """

    vault: str = ""
    json: bool = False
    quiet: bool = False
    dry_run: bool = False
    debug: bool = False
    color: bool | None = None
