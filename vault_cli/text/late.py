"""Regular expressions that are compiled when they are first used. Standard library only.

A scanner has dozens of them, an honest text needs three: compiling all would cost more at every
start than all scans of a command together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def late(source: str) -> Callable[[], re.Pattern[str]]:
    """Return a function that compiles the pattern once and returns it."""
    return cache(lambda: re.compile(source))
