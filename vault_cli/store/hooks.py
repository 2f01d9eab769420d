"""Running the commit hooks a person has trusted. May import `errors`.

git's own `commit --only` would run them too, but it needs entries in the person's index first,
converts line ends, and cannot start over when HEAD moves. Here the hooks see a private index that
holds HEAD plus exactly the paths of the change, like the one `commit --only` shows them, and a
hook that says no leaves nothing staged.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.git_run import Done, Git, clean_environment

BEFORE_COMMIT = ("pre-commit", "prepare-commit-msg", "commit-msg")


class HookRefusedError(StoreError):
    """A commit hook said no; nothing was committed or staged."""


class Hooks(NamedTuple):
    """The hooks that may run, by name; an empty table runs none."""

    git: Git
    files: Mapping[str, Path]

    def gate(self, index: Path, message_file: Path) -> None:
        """Run the hooks that may change or refuse a commit; they may edit both files.

        Raises:
            HookRefusedError: one ended with an error; its own words are in the message.
        """
        arguments = {
            "pre-commit": (),
            "prepare-commit-msg": (str(message_file), "message"),
            "commit-msg": (str(message_file),),
        }
        for name in BEFORE_COMMIT:
            if name in self.files:
                done = self._run(name, arguments[name], index)
                if done.code:
                    raise _refused(name, done)

    def tell(self) -> None:
        """Run `post-commit`; as in git its result changes nothing."""
        if "post-commit" in self.files:
            self._run("post-commit", (), self.git.place.index_path)

    def _run(self, name: str, args: tuple[str, ...], index: Path) -> Done:
        path = self.files[name]
        # git adds no more than this for a hook; without GIT_DIR the hook may look elsewhere, too
        env = {**clean_environment(), "GIT_INDEX_FILE": str(index), "GIT_EDITOR": ":"}
        if os.name == "nt":
            return _start([self.git.program, "hook", "run", name, "--", *args], self.git, env)
        return _start([str(path), *args], self.git, env)


def _start(argv: list[str], git: Git, env: dict[str, str]) -> Done:
    import subprocess

    def run(command: list[str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command,
            cwd=git.place.work_tree,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    try:
        done = run(argv)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            return Done(126, b"", f"{argv[0]}: {error.strerror}")
        done = run(["/bin/sh", *argv])  # no `#!` line: git gives it to the shell as well
    return Done(done.returncode, b"", done.stdout.decode("utf-8", "replace").strip())


def _refused(name: str, done: Done) -> HookRefusedError:
    said = done.err or f"it ended with exit code {done.code} and said nothing"
    return HookRefusedError(
        f"the {name} hook refused the commit: {said}",
        hint="Change what the hook asks for.",
    )
