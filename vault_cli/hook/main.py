"""Entry of `mvault hook HOST EVENT [STATE]`, also run by its path. Imports only `hook`.

Agent programs start this for every tool call, so it is installed as
`python -I -S .../hook/main.py HOST EVENT STATE`: without site packages, without the environment's
word on Python. A file that is run by its path is compiled each time; what there is to do stands in
`hook.answer`, which is not.
"""

from __future__ import annotations

import gc
import sys


def main(argv: list[str] | None = None) -> int:
    """Answer one event: JSON on stdin, exactly one JSON object on stdout; always returns 0."""
    from vault_cli.hook.answer import run

    return run(sys.argv[1:] if argv is None else argv)


def _start() -> None:
    """Find the package two folders up, answer, and end without taking the interpreter down."""
    gc.disable()  # a run is short, and frees everything at its end
    place = __file__
    for _ in range(3):
        place = place[: max(place.rfind("/"), place.rfind("\\"))]
    sys.path.append(place)
    try:
        from vault_cli.hook.system import calls

        if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
            _start_in_utf8()
        code = main()
    except BaseException as error:  # noqa: BLE001 - half of us was replaced: the agent goes on
        sys.stdout.write("{}")
        sys.stderr.write(f"mvault hook: cannot start: {type(error).__name__}\n")
        return
    calls._exit(code)  # noqa: SLF001 - nothing to flush, and tearing down is not free


def _start_in_utf8() -> None:
    """Start again where the locale says that names are not UTF-8; see `vault_cli.__main__`."""
    from vault_cli.hook.system import calls

    try:
        calls.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    except OSError:  # better in the wrong encoding than not at all
        return


if __name__ == "__main__":
    _start()
