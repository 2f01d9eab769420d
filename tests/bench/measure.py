"""Measure commands as ratios within one run: CPU time of children beside wall time.

Shared by the benchmark programs here. They print tables and assert nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 7
"""Runs per command; the median is reported with its spread."""


@dataclass(frozen=True)
class Sample:
    """CPU and wall seconds: median, and CPU spread (least, most); most memory in MiB."""

    cpu: float
    wall: float
    least: float
    most: float
    peak: float = 0.0

    def ratio(self, base: Sample) -> float:
        """CPU time as a multiple of `base`."""
        return self.cpu / base.cpu


def run_once(
    argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> tuple[float, float, float]:
    """Run a command; return CPU and wall seconds of it and its children, and its memory in MiB.

    Raises:
        SystemExit: the command failed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            raise SystemExit(f"{argv}: exit {process.returncode}\n{err.read().decode()}")
    return used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024


def measure(
    argv: Sequence[str] | Callable[[int], Sequence[str]],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    rounds: int = ROUNDS,
    prepare: Callable[[int], None] | None = None,
) -> Sample:
    """Run a command `rounds` times after one warm-up and return its sample.

    Args:
        argv: the command, or a function from the round's number to the command.
        prepare: called before each timed run, outside the clock.
    """
    runs = []
    for number in range(-1, rounds):
        if prepare is not None:
            prepare(number)
        command = argv(number) if callable(argv) else argv
        cost = run_once(command, cwd=cwd, env=env)
        if number >= 0:
            runs.append(cost)
    cpus = [cpu for cpu, _, _ in runs]
    return Sample(
        statistics.median(cpus),
        statistics.median(wall for _, wall, _ in runs),
        min(cpus),
        max(cpus),
        max(peak for _, _, peak in runs),
    )


def bench_env(home: Path) -> dict[str, str]:
    """Return an environment with its own home, identity and clock, without inherited GIT_*."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MVAULT", "XDG_"))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled once
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Bench\n\temail = bench@example.invalid\n[init]\n\tdefaultBranch = main\n"
    )
    config = home / "config.toml"
    config.write_text('[trust]\napprove_without_terminal = ["person"]\n')
    return env | {
        "HOME": str(home),
        "MVAULT_STATE_DIR": str(home / "state"),
        "MVAULT_CONFIG": str(config),
        "MVAULT_NOW": "2026-11-30T12:00:00+00:00",
        "TZ": "UTC",
    }


def mvault_command(*args: str) -> list[str]:
    """Return the argv of the installed `mvault` beside this interpreter, or of the module."""
    script = Path(sys.executable).with_name("mvault")
    head = [str(script)] if script.exists() else [sys.executable, "-m", "vault_cli"]
    return [*head, *args]


def print_head(title: str) -> None:
    """Print the head of a table."""
    print(f"\n## {title}\n")
    print("| what | x bare python | CPU ms (least-most) | wall ms | peak MiB | remark |")
    print("|---|---|---|---|---|---|", flush=True)


def print_row(name: str, sample: Sample, remark: str, base: Sample) -> None:
    """Print one row: name, CPU ratio to `base`, CPU ms with spread, wall ms, memory, remark."""
    print(
        f"| {name} | {sample.ratio(base):.2f} | {sample.cpu * 1e3:.1f} "
        f"({sample.least * 1e3:.1f}-{sample.most * 1e3:.1f}) | {sample.wall * 1e3:.1f} "
        f"| {sample.peak:.0f} | {remark} |",
        flush=True,
    )


def print_table(title: str, rows: Sequence[tuple[str, Sample, str]], base: Sample) -> None:
    """Print one table."""
    print_head(title)
    for name, sample, remark in rows:
        print_row(name, sample, remark, base)
