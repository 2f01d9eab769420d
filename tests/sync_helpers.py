"""Machines that share a vault through a bare repository; each has a state folder of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helpers import NOW, Result, git, run, write_files

ADDRESSES = (
    "ext::sh -c touch% {canary}", "ext::touch {canary}", "--upload-pack=touch {canary}",
    "fd::17", "-oProxyCommand=touch {canary}", "ssh://-oProxyCommand=touch%20{canary}/x",
    "https://me:hunter2@127.0.0.1:1/x.git", "file://127.0.0.1/etc/passwd",
)  # fmt: skip
"""What an address of a remote may try: start a program, pass for an option, show a password."""


def note(record_id: str, title: str = "Title", body: str = "Text.\n", **keys: str) -> str:
    """Return a fact in force; `status` and the like by keyword."""
    front = {"id": record_id, "kind": "fact", "status": "active", "title": title, **keys}
    lines = "".join(f"{key}: {value}\n" for key, value in front.items() if value)
    return f"---\n{lines}---\n{body}"


@dataclass
class Machine:
    """One clone, run as a person of its own."""

    name: str
    root: Path
    state: Path
    more: Mapping[str, str] = field(default_factory=dict)

    def run(self, *argv: str | Path, env: Mapping[str, str | None] | None = None) -> Result:
        """Run a command on this clone."""
        own = {
            "MVAULT_STATE_DIR": str(self.state),
            "MVAULT_ACTOR": "person",
            "MVAULT_NOW": NOW,
            **self.more,
        }
        return run("--vault", self.root, *argv, env={**own, **(env or {})})

    def sync(self, *argv: str) -> Result:
        """Sync it, with a person behind it."""
        return self.run("sync", "--yes", *argv)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files by hand."""
        write_files(self.root, files)

    def read(self, path: str) -> str:
        """Return a file's text."""
        return (self.root / path).read_text("utf-8")

    def files(self) -> dict[str, bytes]:
        """Return every file of the work tree that belongs into history."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
            and path.relative_to(self.root).parts[0] not in (".git", ".state", "quarantine")
        }

    def head(self) -> str:
        """Return HEAD."""
        return git(self.root, "rev-parse", "HEAD").strip()


@dataclass
class Shared:
    """A bare repository and its clones."""

    remote: Path
    machines: dict[str, Machine]

    def __getitem__(self, name: str) -> Machine:
        return self.machines[name]

    def settle(self, *names: str) -> None:
        """Sync the clones until nothing moves any more."""
        order = names or tuple(self.machines)
        for _ in range(3):
            for name in order:
                assert self.machines[name].sync().code in (0, 1)
        heads = {self.machines[name].head() for name in order}
        assert len(heads) == 1, heads


def share(tmp_path: Path, files: Mapping[str, str | bytes], names: str = "ab") -> Shared:
    """Make a vault with these files, a bare remote, and clones of it that trust each other."""
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "--initial-branch=main", str(remote))
    first = Machine(names[0], tmp_path / names[0], tmp_path / f"state-{names[0]}")
    first.root.mkdir()
    assert first.run("init", first.root).code == 0
    first.write(files)
    git(first.root, "add", "-A")
    git(first.root, "commit", "--allow-empty", "-qm", "base")
    git(first.root, "remote", "add", "origin", str(remote))
    assert first.sync().code == 0
    machines = {names[0]: first}
    for name in names[1:]:
        root = tmp_path / name
        git(tmp_path, "clone", "-q", str(remote), str(root))
        machine = Machine(name, root, tmp_path / f"state-{name}")
        machines[name] = machine
        assert machine.run("trust", "--yes").code == 0
    for name in names:
        git(machines[name].root, "config", "user.name", name)
    return Shared(remote, machines)


def drop(path: Path) -> None:
    """Remove a file or a folder."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def past_texts(root: Path) -> str:
    """Return every text that HEAD reaches, one behind the other."""
    listed = git(root, "rev-list", "--objects", "HEAD").splitlines()
    ids = "".join(f"{line.split()[0]}\n" for line in listed).encode()
    batch = ["git", "-C", str(root), "cat-file", "--batch"]
    done = subprocess.run(batch, input=ids, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")
