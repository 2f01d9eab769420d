"""The one runner: every git process of the program starts here. May import `errors`.

What each run gets, so that neither an inherited environment nor a repository received from
somebody can redirect it or make it execute anything:

- git by absolute path, looked up once, never from a folder inside the vault;
- an environment without `GIT_*` (git exports `GIT_DIR` and `GIT_INDEX_FILE` to hooks, and this
  program is started from hooks), except the variables that say where the person's own
  configuration is;
- `--git-dir` and `--work-tree`, so that no other repository is discovered;
- overrides for every configuration key that makes the used commands start a program: file-system
  monitor, hooks, pager, signature check, lazy fetch, transport helpers;
- literal pathspecs, no optional locks, no replacement objects, no questions on the terminal.

Two engines share those arguments. `Git.run` is `subprocess.run`: it costs two interpreter starts
to import and serves every command that has to be quick. `Git.run_slowly` goes through GitPython's
`Git.execute`, which costs nine, and serves history reading, where that does not
matter. GitPython's own index, configuration and reference layers are not used: its `index.commit`
runs repository hooks whatever the environment says, invents an identity and ignores signing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.store.git_place import Place, is_partial
from vault_cli.store.places import OPENED

if TYPE_CHECKING:
    from subprocess import Popen

TIMEOUT = 300.0
"""Seconds after which a git process counts as stuck (a configuration include may be a pipe)."""

Pairs = Sequence[tuple[str, str]]

_KEPT = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
_FIXED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_EDITOR": ":",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_OVERRIDES: tuple[tuple[str, str], ...] = (
    ("core.fsmonitor", "false"),
    ("core.quotepath", "false"),
    ("core.pager", "cat"),
    ("core.fsync", "committed,reference"),
    ("protocol.ext.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("user.useConfigOnly", "true"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.showSignature", "false"),
    ("log.follow", "false"),
    ("log.showRoot", "true"),
)
_NO_HOOKS = ("core.hooksPath", os.devnull)
_REMOTE_PROTOCOLS = "https:http:ssh:git:file"


class Done(NamedTuple):
    """What a finished git process left: exit code, standard output, standard error as text."""

    code: int
    out: bytes
    err: str


class GitFailedError(StoreError):
    """git ended with an error; its own words are in the message."""


def clean_environment() -> dict[str, str]:
    """Return the environment without anything that redirects git."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or name.upper() in _KEPT
    }


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the whole environment of a git process."""
    found = clean_environment()
    found.pop("LANGUAGE", None)
    return {**found, **_FIXED, **(extra or {})}


def find_git(outside: Path) -> str:
    """Return the absolute path of git, never one below the folder `outside` or an opened vault.

    Raises:
        StoreError: there is none.
    """
    folders = frozenset((outside, *map(Path, OPENED)))
    return _search_git(folders, os.environ.get("PATH", os.defpath))


@cache
def _search_git(outside: frozenset[Path], search: str) -> str:
    name = "git.exe" if os.name == "nt" else "git"
    for folder in search.split(os.pathsep):
        path = Path(folder) / name
        # a relative entry means "wherever the command was started", possibly inside the vault
        if not path.is_absolute():
            continue
        real = Path(os.path.realpath(path))
        # os.path: a folder that may not be entered holds no git for us, and is no error
        is_program = os.path.isfile(real) and os.access(real, os.X_OK)  # noqa: PTH113
        if is_program and not any(_inside(real, path, folder) for folder in outside):
            return str(path)
    raise StoreError("git was not found", hint="Install git 2.31 or newer and put it on PATH.")


def _inside(real: Path, path: Path, folder: Path) -> bool:
    return real.is_relative_to(folder) or path.is_relative_to(folder)


class Git(NamedTuple):
    """git at one place. Arguments are always lists; nothing passes a shell."""

    place: Place
    program: str

    @classmethod
    def at(cls, place: Place, vault_root: Path) -> Git:
        """Return the runner for `place`, with a git that does not lie in the vault."""
        return cls(place, find_git(Path(os.path.realpath(vault_root))))

    def argv(self, args: Sequence[str], *, config: Pairs = (), hooks: bool = False) -> list[str]:
        """Return the full command line; `hooks` leaves the repository's own hooks switched on."""
        pairs = [*_OVERRIDES, *(() if hooks else (_NO_HOOKS,)), *config]
        flags = [part for name, value in pairs for part in ("-c", f"{name}={value}")]
        where = (f"--git-dir={self.place.git_dir}", f"--work-tree={self.place.work_tree}")
        return [self.program, "--no-pager", *where, *flags, *args]

    def run(
        self,
        *args: str,
        data: bytes | None = None,
        config: Pairs = (),
        env: Mapping[str, str] | None = None,
        hooks: bool = False,
        network: bool = False,
        check: bool = True,
        keep: Sequence[int] = (),
    ) -> Done:
        """Run git and wait for it.

        Args:
            args: the command and its arguments.
            data: standard input; none means an empty one.
            config: further `-c` settings.
            env: further environment variables, for example GIT_INDEX_FILE.
            hooks: let the repository's own hooks run.
            network: allow transports (https, http, ssh, git, local paths); without it none is.
            check: raise when git ends with an error.
            keep: descriptors the process inherits, so that a lock on them lasts as long as it.

        Raises:
            GitFailedError: git ended with an error (only with `check`).
            StoreError: git cannot be started or does not end.
        """
        allowed = {"GIT_ALLOW_PROTOCOL": _REMOTE_PROTOCOLS if network else "none"}
        argv = self.argv(args, config=config, hooks=hooks)
        done = start(argv, self.place.work_tree, {**allowed, **(env or {})}, data, keep)
        if check and done.code:
            raise failure(args, done)
        return done

    def open(self, *args: str) -> Popen[bytes]:
        """Start a reading git command with pipes for its input and output; the caller ends it.

        Raises:
            StoreError: it cannot be started.
        """
        import subprocess

        try:
            return subprocess.Popen(
                self.argv(args),
                cwd=self.place.work_tree,
                env=git_environment({"GIT_ALLOW_PROTOCOL": "none"}),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise _not_started(self.place.work_tree, error) from error

    def run_slowly(self, *args: str, data: bytes = b"") -> bytes:
        """Run a history command through GitPython and return its standard output.

        Raises:
            GitFailedError: git ended with an error.
        """
        import tempfile

        with _scrubbed(self.program), tempfile.TemporaryFile() as stream:
            stream.write(data)
            stream.seek(0)
            import git

            code, out, err = git.Git(self.place.work_tree).execute(
                self.argv(args),
                istream=stream,
                env={**_FIXED, "GIT_ALLOW_PROTOCOL": "none"},
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                shell=False,
            )
        if code:
            raise failure(args, Done(code, b"", str(err)))
        return out


@contextmanager
def _scrubbed(program: str) -> Iterator[None]:
    """Take `GIT_*` out of this process: GitPython copies `os.environ` and can only add to it."""
    kept = clean_environment()
    removed = {name: value for name, value in os.environ.items() if name not in kept}
    # importing GitPython starts a git to see its version: let it be ours
    ours = {"GIT_PYTHON_GIT_EXECUTABLE": program, "GIT_PYTHON_REFRESH": "quiet"}
    for name in removed:
        del os.environ[name]
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
        os.environ.update(removed)


def start(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    data: bytes | None = None,
    keep: Sequence[int] = (),
) -> Done:
    """Start one git process with a scrubbed environment and wait for it.

    Raises:
        StoreError: it cannot be started, or it does not end within TIMEOUT seconds.
    """
    import subprocess

    try:
        done = subprocess.run(
            list(argv),
            cwd=cwd,
            env=git_environment(env),
            input=b"" if data is None else data,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            pass_fds=keep,
        )
    except subprocess.TimeoutExpired as error:
        raise StoreError(f"git did not end within {TIMEOUT:.0f} seconds in {cwd}") from error
    except OSError as error:
        raise _not_started(cwd, error) from error
    return Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip())


def _not_started(cwd: Path, error: OSError) -> StoreError:
    return StoreError(f"git cannot be started in {cwd}: {error.strerror}")


PARTIAL: Final = "this is a partial clone, and a part of the history is not here"
FETCH_ALL: Final = "It comes with: git fetch --refetch --no-filter"


def missing_object(place: Place, what: str) -> StoreError:
    """Return the error for an object that git should have: a partial clone may lack it."""
    if is_partial(place):
        return StoreError(f"{PARTIAL}: {what}", hint=FETCH_ALL)
    return StoreError(
        f"git cannot read {what}: the repository is damaged or incomplete",
        hint="Run `git fsck` in the vault; a fetch from another copy brings back what is lost.",
    )


def failure(args: Sequence[str], done: Done) -> GitFailedError:
    """Return the error that tells which git command failed and what git said."""
    if "from promisor remote" in done.err:
        return GitFailedError(f"git {args[0]}: {PARTIAL}", hint=FETCH_ALL)
    lines = [line for line in done.err.splitlines() if not line.startswith("hint:")]
    said = "\n".join(lines).strip() or f"exit code {done.code}"
    return GitFailedError(f"git {args[0]} failed: {said}")
