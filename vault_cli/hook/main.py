"""Entry of `mvault hook HOST EVENT [STATE]`, also run by its path. Imports only `hook`.

Agent programs start this for every tool call, so it is installed as
`python -I -S .../hook/main.py HOST EVENT STATE`: without site packages, without the environment's
word on Python. A file that is run by its path is compiled each time; what there is to do stands in
`hook.answer`, which is not.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Answer one event: JSON on stdin, exactly one JSON object on stdout; always returns 0."""
    from vault_cli.hook.answer import run

    return run(sys.argv[1:] if argv is None else argv)


def _start() -> None:
    """Find the package two folders up, answer, and end without taking the interpreter down."""
    place = __file__
    for _ in range(3):
        place = place[: max(place.rfind("/"), place.rfind("\\"))]
    sys.path.append(place)
    code = main()
    from vault_cli.hook.system import calls

    calls._exit(code)  # noqa: SLF001 - nothing to flush, and tearing down is not free


if __name__ == "__main__":
    _start()
