"""Entry point. May import `cli` and `hook`, inside the function, so that start-up stays short."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    A run is short and frees everything at its end: the cyclic collector would only cost time,
    also the last time, when the interpreter ends (`freeze` takes what there is out of its sight).
    """
    if argv is None:
        _leave_locale()
    gc.disable()
    words = sys.argv[1:] if argv is None else argv
    is_hook = words[:1] == ["hook"]
    if is_hook and not any(word.startswith("-") for word in words):
        from vault_cli.hook.main import main as answer

        return answer(list(words[1:]))
    from vault_cli.cli.app import main as run

    code = run(argv)
    gc.freeze()
    if is_hook and code:  # an agent takes 2, a mistake in the command line, for a refusal
        sys.stdout.write("{}\n")
        return 0
    return code


def _leave_locale() -> None:
    """Start the program again in UTF-8 mode where the locale says that names are something else.

    Names of files are bytes, and git and every vault mean UTF-8 by them. Read in another encoding
    the same vault would render differently. Once only: afterwards the mode is on.
    """
    if sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    words = [os.fsencode(word) for word in sys.orig_argv[1:]]
    try:
        os.execv(sys.executable, [os.fsencode(sys.executable), b"-X", b"utf8", *words])  # noqa: S606 - no shell
    except OSError:  # better in the wrong encoding than not at all
        return


def _leave_working_directory() -> None:
    """Import nothing from the working directory, where `python -m` looks first.

    It may be a vault somebody else filled: a `yaml.py` in it would run. Our own modules are found
    through the package, wherever it is.
    """
    if not sys.flags.safe_path and sys.path and sys.path[0] in {"", os.getcwd()}:  # noqa: PTH109 - pathlib costs start-up
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_directory()
    sys.exit(main())
