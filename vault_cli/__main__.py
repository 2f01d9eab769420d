"""Entry point. May import `cli` (inside the function, so that start-up stays short)."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    A run is short and frees everything at its end: the cyclic collector would only cost time,
    also the last time, when the interpreter ends (`freeze` takes what there is out of its sight).
    """
    gc.disable()
    from vault_cli.cli.app import main as run

    code = run(argv)
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
