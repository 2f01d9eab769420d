"""Regular expressions that are compiled when they are first asked. Standard library only.

The package has more than two hundred, an honest text needs a few dozen: compiling all of them
would cost a command more than everything else it does. Every layer from `text` up writes
`late(...)` where `re.compile(...)` would run while a module is loaded.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Late:
    """Stands in for a pattern. After the first question it has the pattern's own methods."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile; asked only for what is not there yet."""
        if name.startswith("__"):  # a question of the language, for example by `copy`
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what is used like `re.compile(source, flags)`.

    A mistake in the expression shows when it is first used, so each has to have a test. The
    functions of `re` do not take it as an argument: ask its methods.
    """
    return cast("re.Pattern[AnyStr]", _Late(source, flags))
