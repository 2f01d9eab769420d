"""Shared by all tests: run the command line, make vaults, compare with golden files.

`run` calls the real entry point in process (fast, same code path as the command); `run_real` starts
`python -m vault_cli` (for signals, concurrency and environment). Both see the hermetic environment
that `conftest.py` sets up. Nothing here replaces a part of the product.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
CASES = PROJECT / "tests" / "cases"
DATA = PROJECT / "tests" / "data"
HOSTILE_VAULT = DATA / "hostile_vault.py"
"""Program that writes a folder of hostile files and the verdict each should get."""

SAMPLE_VAULT = PROJECT / "sample-vault"
GOLDEN = PROJECT / "tests" / "golden"

NOW = "2026-11-30T12:00:00Z"
"""The frozen clock of every test that does not set its own."""

CONFIRMED: Mapping[str, Any] = {
    "evidence": [{"id": "e1", "type": "session-event", "session": "7f", "start": "1", "end": "9"}],
    "verification": {"method": "user-confirmation", "actor": "user", "evidence": ["e1"]},
}
"""Front matter that carries `status: verified`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one command answered. Assert on `code` first, so that a failure shows everything."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        return json.loads(self.out)

    @property
    def data(self) -> Any:
        """`data` of the JSON answer."""
        return self.json["data"]

    def ok(self) -> Result:
        """Return self when the command ended with 0; fail with all it said otherwise."""
        assert self.code == 0, f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"
        return self

    @property
    def text(self) -> str:
        """Both channels, for messages that may stand in either."""
        return self.out + self.err


class _Capture(io.TextIOWrapper):
    """A text stream over bytes in memory that is no terminal."""

    def __init__(self, data: bytes = b"") -> None:
        self.bytes = io.BytesIO(data)
        super().__init__(self.bytes, encoding="utf-8", newline="", write_through=True)

    def text(self) -> str:
        """Everything written so far."""
        return self.bytes.getvalue().decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def _surroundings(cwd: Path | None, env: Mapping[str, str | None] | None) -> Iterator[None]:
    before_env, before_cwd = dict(os.environ), Path.cwd()
    try:
        for key, value in (env or {}).items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        _apply_zone()
        if cwd is not None:
            os.chdir(cwd)
        yield
    finally:
        os.chdir(before_cwd)
        os.environ.clear()
        os.environ.update(before_env)
        _apply_zone()


def _apply_zone() -> None:
    if hasattr(time, "tzset"):
        time.tzset()


def run(
    *argv: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    stdin: str | bytes = b"",
) -> Result:
    """Run one command line in this process.

    Args:
        argv: the arguments after `mvault`.
        cwd: working directory for this call.
        env: variables added for this call; None removes one.
        stdin: what the command reads; it is never a terminal.
    """
    from vault_cli.cli.app import main

    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = _Capture(), _Capture()
    old_in = sys.stdin
    with _surroundings(cwd, env), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        sys.stdin = _Capture(data)
        try:
            code = main([str(a) for a in argv])
        finally:
            sys.stdin = old_in
    return Result(code, out.text(), err.text())


def start_real(
    *argv: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    alone: bool = False,
) -> subprocess.Popen[bytes]:
    """Start one command as a process of its own and return it running.

    Args:
        argv: the arguments after `mvault`.
        cwd: working directory.
        env: variables added to this process's.
        alone: in a session of its own, so that it can be ended with all that it started.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "vault_cli", *map(str, argv)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=alone,
    )


def run_real(
    *argv: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> Result:
    """Run one command as a process of its own, without a terminal, and wait for it."""
    process = start_real(*argv, cwd=cwd, env=env)
    out, err = process.communicate(timeout=timeout)
    return Result(process.returncode, out.decode("utf-8"), err.decode("utf-8"))


def git(root: Path, *argv: str, check: bool = True) -> str:
    """Run git in `root` and return its output without the last line end."""
    done = subprocess.run(
        ["git", "-C", str(root), *argv], capture_output=True, check=False, text=True
    )
    assert not check or done.returncode == 0, f"git {' '.join(argv)}: {done.stderr}"
    return done.stdout.rstrip("\n")


def least_cpu(call: Callable[[], object], rounds: int = 3) -> float:
    """Return the CPU seconds of the quickest of some calls: what others do hardly counts.

    For tests that a hostile text does not hang the program; speed is measured in `tests/bench/`.
    """
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def commit_all(root: Path, subject: str = "by hand") -> str:
    """Commit everything below `root` with plain git, as a person would; return the commit."""
    _commit(root, subject)
    return git(root, "rev-parse", "HEAD")


def _commit(root: Path, subject: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", subject)


def head(root: Path) -> str:
    """The commit that HEAD names."""
    return git(root, "rev-parse", "HEAD")


def commit_count(root: Path) -> int:
    """How many commits HEAD reaches."""
    return int(git(root, "rev-list", "--count", "HEAD"))


def fsck(root: Path) -> list[str]:
    """What `git fsck` complains about; objects nothing points to are no damage."""
    lines = git(root, "fsck", "--strict", "--no-progress").splitlines()
    return [line for line in lines if not line.startswith("dangling ")]


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below `root`, byte for byte."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def make_vault(
    parent: Path,
    files: Mapping[str, str | bytes] | None = None,
    *,
    name: str = "vault",
    commit: bool = True,
) -> Path:
    """Make a vault with `mvault init`, put `files` into it, and commit them with plain git.

    Args:
        parent: folder in which the vault is made.
        files: vault-relative path to content.
        commit: False leaves the files uncommitted, as hand edits.
    """
    root = parent / name
    root.mkdir(parents=True, exist_ok=True)
    if not PREPARED.copy_to(root):
        run("--vault", root, "init", cwd=root).ok()
    write_files(root, files or {})
    if files and commit:
        _commit(root, "test: files put in by hand")
    return root


class Prepared:
    """A new vault that is copied: `init` starts five processes, and most tests want the same one.

    What it made is copied only where `init` would do the same again: in the environment and with
    the settings that `conftest.py` gives every test, in an empty folder outside of a repository.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        """Where the vault to be copied is, or will be; set once a session."""
        self.plain: tuple[object, ...] = ()
        """The surroundings as `conftest.py` made them for this test."""
        self.trusted = ""
        """What `init` remembered of the repository that it made."""

    def surroundings(self) -> tuple[object, ...]:
        """What `init` looks at outside of its folder."""
        umask = os.umask(0o077)
        os.umask(umask)
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        files = [Path(env[name]) for name in ("GIT_CONFIG_GLOBAL", "MVAULT_CONFIG") if name in env]
        return env, umask, [file.read_bytes() if file.is_file() else None for file in files]

    def copy_to(self, root: Path) -> bool:
        """Make `root` a vault; False when it has to be made by `init`."""
        odd = any(root.iterdir()) or any((place / ".git").exists() for place in root.parents)
        if self.folder is None or odd or self.surroundings() != self.plain:
            return False
        from vault_cli.store.policy import note_made_here
        from vault_cli.store.trust import record_trust, trusted_fingerprint

        if not self.folder.exists():
            self.folder.mkdir()
            run("--vault", self.folder, "init", cwd=self.folder).ok()
            self.trusted = trusted_fingerprint(_own_place(self.folder))
        unlike = shutil.ignore_patterns("mvault-clone")  # the mark of one clone, drawn by chance
        shutil.copytree(self.folder, root, dirs_exist_ok=True, ignore=unlike)
        note_made_here(root)
        record_trust(_own_place(root), self.trusted)
        return True


PREPARED = Prepared()


def _own_place(root: Path) -> Any:
    from vault_cli.store.git_place import Place

    git_dir = Path(os.path.realpath(root / ".git"))
    return Place(git_dir, git_dir, git_dir.parent)


def case_folder(case: str) -> Path:
    """The folder of an acceptance case, by its short number (`fm-01`)."""
    found = sorted(CASES.glob(f"{case}-*"))
    assert len(found) == 1, f"{case}: {found}"
    return found[0]


def copy_case(case: str, parent: Path) -> Path:
    """Copy the folder of a case to a place where it may be changed; return the copy."""
    target = parent / "case"
    shutil.copytree(case_folder(case), target, symlinks=True)
    return target


def case_vault(case: str, parent: Path, *, commit: bool = True) -> Path:
    """A fresh vault that holds the files of the case's `vault/` folder at its root."""
    source = case_folder(case) / "vault"
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file()
    }
    return make_vault(parent, files, commit=commit)


def add_to_vault(case: str, root: Path, *, commit: bool = True) -> None:
    """Put the files of the case's `vault/` folder into an existing vault."""
    source = case_folder(case) / "vault"
    shutil.copytree(source, root, dirs_exist_ok=True)
    if commit:
        commit_all(root, "test: files put in by hand")


def snapshot_bytes(root: Path) -> dict[str, bytes]:
    """Path to bytes of every record file below `root`."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if not {".git", ".state"} & set(path.parts) and path.name != "README.md" and path.is_file()
    }


def stamps(root: Path) -> dict[str, int]:
    """Path to modification time of every record file below `root`."""
    return {
        path.relative_to(root).as_posix(): path.stat().st_mtime_ns
        for path in sorted(root.rglob("*.md"))
        if ".git" not in path.parts and ".state" not in path.parts
    }


def listed(root: Path, *argv: str) -> dict[str, dict[str, Any]]:
    """Records that `mvault --json list` shows, by id."""
    data = run("--vault", root, "--json", "list", *argv).ok().data
    return {item["id"]: item for item in data["records"]}


def checked(root: Path) -> list[dict[str, Any]]:
    """Findings that `mvault --json check` reports (its exit code is 0 or 1)."""
    result = run("--vault", root, "--json", "check")
    assert result.code in (0, 1), result.text
    return list(result.json["diagnostics"])


def findings_of(root: Path, path: str) -> list[dict[str, Any]]:
    """Errors and warnings that `mvault check` reports for one path (notes are advice)."""
    return [f for f in checked(root) if f["path"] == path and f["severity"] != "note"]


def rendered(root: Path, *argv: str) -> str:
    """The block on stdout of `mvault render`."""
    return run("--vault", root, "render", *argv).ok().out


def scrub(text: str, **places: Path | str) -> str:
    """Replace what differs between runs: given paths, commit hashes, times, random id parts."""
    for word, place in sorted(places.items(), key=lambda item: -len(str(item[1]))):
        text = text.replace(str(place), f"<{word}>")
    text = re.sub(r"\b[0-9a-f]{40}\b", "<commit>", text)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)", "<time>", text)


class Golden:
    """Compare text with a file below `tests/golden/`; `--update-golden` writes it."""

    def __init__(self, *, update: bool) -> None:
        self.update = update

    def __call__(self, name: str, text: str) -> None:
        """Assert that `text` is what the golden file `name` holds, byte for byte."""
        path = GOLDEN / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        assert path.exists(), f"{path} is missing; run pytest with --update-golden"
        assert text == path.read_bytes().decode(), f"differs from {path.name}"
