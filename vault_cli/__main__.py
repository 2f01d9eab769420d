"""Entry point. May import `cli` (inside the function, so that start-up stays short)."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    from vault_cli.cli.app import main as run

    return run(argv)


if __name__ == "__main__":
    sys.exit(main())
