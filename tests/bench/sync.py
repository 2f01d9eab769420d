"""Speed of `sync` between two clones of a generated vault, beside git's own fetch and merge.

Usage: python tests/bench/sync.py [RECORDS ...]

RECORDS defaults to 1000 and 10000. CPU time of whole processes with the git they start, as a
multiple of `python -c pass` measured in the same run; nothing is asserted. One edit on each side,
then one in half of the records on both sides, in different lines.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import (
    ROUNDS,
    Sample,
    bench_env,
    measure,
    mvault_command,
    print_head,
    print_row,
    run_once,
)
from vaults import build_vault, git


class Clone:
    """One machine: its clone and its own state folder."""

    def __init__(self, root: Path, work: Path, env: dict[str, str]) -> None:
        self.root = root
        own = {"MVAULT_STATE_DIR": str(work / f"state-{root.name}"), "MVAULT_ACTOR": "person"}
        self.env = {**env, **own}

    def run(self, *argv: str) -> Sample:
        """Run a command once and measure it."""
        command = mvault_command("--vault", str(self.root), *argv)
        cpu, wall, peak = run_once(command, env=self.env)
        return Sample(cpu, wall, cpu, cpu, peak)

    def edit(self, share: int, word: str, *, first: bool) -> int:
        """Append a word to the first or the last line of the body of every share-th record."""
        paths = sorted((self.root / "memories").rglob("*.md"))[::share]
        for path in paths:
            head, _, body = path.read_text("utf-8").partition("\n---\n")
            lines = body.rstrip("\n").split("\n")
            lines[0 if first else -1] += f" {word}"
            path.write_text("\n".join([f"{head}\n---", *lines]) + "\n", "utf-8")
        return len(paths)


def clones(records: int, work: Path, env: dict[str, str]) -> tuple[Clone, Clone]:
    """Return two clones of a generated vault that share a bare repository."""
    one, two = (Clone(work / name, work, env) for name in ("one", "two"))
    build_vault(one.root, records, one.env)
    git(work, env, "clone", "-q", "--bare", "one", "remote.git")
    git(one.root, env, "remote", "add", "origin", str(work / "remote.git"))
    git(work, env, "clone", "-q", "remote.git", "two")
    one.run("sync", "--yes")
    argv = mvault_command("--vault", str(two.root), "trust", "--yes")
    subprocess.run(argv, env=two.env, check=True, capture_output=True)
    for clone in (one, two):
        clone.run("list", "--quiet")
    return one, two


def measure_size(records: int, work: Path) -> None:
    """Print the rows of one size."""
    env = bench_env(work / "home")
    base = measure([sys.executable, "-c", "pass"], env=env, rounds=2 * ROUNDS)
    one, two = clones(records, work, env)
    print_head(f"sync, {records} records")
    print_row("sync, no news", two.run("sync", "--yes"), "", base)
    for share, name in ((10**9, "1 record"), (2, "half of them")):
        count = one.edit(share, "here", first=True)
        two.edit(share, "那里", first=False)
        print_row(f"sync, {name} edited", one.run("sync", "--yes"), f"{count} pushed", base)
        print_row(f"sync, {name} merged", two.run("sync", "--yes"), f"{count} on both sides", base)
        print_row(f"sync, {name} forward", one.run("sync", "--yes"), "", base)
    heads = {git(clone.root, env, "rev-parse", "HEAD") for clone in (one, two)}
    if len(heads) != 1:
        raise SystemExit("the clones differ")


def main() -> None:
    """Measure every size that was asked for."""
    for records in [int(word) for word in sys.argv[1:]] or [1000, 10_000]:
        with tempfile.TemporaryDirectory() as folder:
            measure_size(records, Path(folder))


if __name__ == "__main__":
    main()
