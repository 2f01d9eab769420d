"""A program that judges blocks, for `bisect run`. May import everything below `cli`."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from vault_cli.errors import StoreError, UsageError, VaultError
from vault_cli.features.bisect import BAD, GOOD, SKIP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vault_cli.cli.bisection import Bisection
    from vault_cli.cli.invocation import Invocation

_SKIP = 125
_NOT_RUN = {126, 127}
_STOP = 128


class StoppedError(VaultError):
    """The program that judges asked to stop (exit 7)."""

    exit_code = StoreError.exit_code
    kind = "stopped"


class Judge:
    """A program, run on the block that a bisection asks about.

    Args:
        inv: the running command.
        command: the program and its arguments; `{}` in them stands for the file.
        found: the bisection.
    """

    def __init__(self, inv: Invocation, command: Sequence[str], found: Bisection) -> None:
        self.inv = inv
        self.command = command
        self.found = found
        self._works = False

    def verdict(self) -> str:
        """Return what the program says of the block that is asked about.

        Raises:
            StoppedError: it wants to stop. UsageError: it cannot be run.
        """
        commit = self.found.search.current
        code = self._run(commit)
        if code == 128 + signal.SIGINT or code == -signal.SIGINT:
            raise KeyboardInterrupt
        if code < 0 or code >= _STOP:
            how = f"with {code}" if code > 0 else f"by signal {-code}"
            raise StoppedError(
                f"the program ended {how}: stopped at {commit[:10]}, which is not judged",
                hint="`mvault bisect run -- …` goes on there; `mvault bisect` shows the block.",
            )
        if code in _NOT_RUN and not self._works:
            self._try_on_good(code)
        self._works = True
        return {0: GOOD, _SKIP: SKIP}.get(code, BAD)

    def _try_on_good(self, code: int) -> None:
        """Refuse a program that says of a good block too that it could not be run."""
        if self._run(self.found.search.goods[0]) == code:
            raise UsageError(
                f"{self.command[0]} ends with {code} on a good block too: it cannot be run",
                hint="Nothing was judged. Try it by hand: mvault render | PROGRAM",
            )

    def _run(self, commit: str) -> int:
        """Run it on the block of a commit; return its exit code, negative for a signal."""
        import subprocess
        import tempfile

        with tempfile.TemporaryDirectory(prefix="mvault-bisect-") as folder:
            file = Path(folder) / "block.md"
            file.write_bytes(self.found.render(commit).text.encode("utf-8", "surrogateescape"))
            argv = [word.replace("{}", str(file)) for word in self.command]
            env = {**os.environ, "MVAULT_BLOCK": str(file), "MVAULT_COMMIT": commit}
            try:
                with file.open("rb") as stream:
                    done = subprocess.run(
                        argv, cwd=self.inv.cwd, env=env, stdin=stream, stdout=_stderr(), check=False
                    )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                raise UsageError(
                    f"{self.command[0]} cannot be run: {why}",
                    hint="Nothing was judged. A script needs a first line like #!/bin/sh and +x.",
                ) from error
        return done.returncode


def _stderr() -> int:
    """Return where the program prints: standard output is for the answer."""
    import subprocess

    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2
