"""Fault sweep: SIGKILL, ENOSPC, EIO and EROFS at the steps of each changing command.

Every file is old or new, never cut; git stays sound; an acknowledged change is committed; the next
command works without repair. `MVAULT_SWEEP=all` runs every point, otherwise a seeded sample. A
command's points are dealt out to several tests, so that they spread over processes.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers import run

SHIM = Path(__file__).with_name("shim.py")
ROOT = Path(__file__).resolve().parents[2]
MODES = ("kill", "ENOSPC", "EIO", "EROFS")
DECKS = 4
ALL = os.environ.get("MVAULT_SWEEP") == "all"
POINTS = 10_000 if ALL else 18
POINTS_LATER = 10_000 if ALL else 6

LESSON = """---
id: l-aaaaaa{n}
kind: lesson
status: {status}
title: Lesson number {n} 第{n}条
scope: global
{more}---
# Lesson number {n}

## Problem
Something went wrong {n} times. 出错了。

## Correction
Do it the other way. 换一种做法。
END {n}
"""

PROOF = "session-event:session=7f3a,start=120,end=188"

SPINE = {
    "add": ["add", "fact", "--title", "A new fact 新事实", "--body", "Facts end here. END add"],
    "approve": ["approve", "l-aaaaaa1", "--yes"],
    "set": ["edit", "l-aaaaaa1", "--set", "importance=9", "--yes"],
    "reject": ["reject", "l-aaaaaa2", "--reason", "not true", "--yes"],
    "deprecate": ["deprecate", "l-aaaaaa3", "--reason", "old", "--yes"],
    "undo": ["undo", "--yes"],
}

LIFECYCLE = {
    "verify": ["verify", "l-aaaaaa3", "-e", PROOF, "--yes"],
    "dispute": ["dispute", "l-aaaaaa3", "--reason", "no longer so"],
    "resolve": ["resolve", "l-aaaaaa6", "--reason", "it is right", "--yes"],
    "supersede": ["supersede", "l-aaaaaa3", "l-aaaaaa5", "--reason", "moved", "--yes"],
    "merge": ["merge", "l-aaaaaa3", "l-aaaaaa5", "--yes"],
    "forget": ["forget", "l-aaaaaa3", "--reason-code", "incorrect", "--yes"],
    "release": ["quarantine", "release", "l-aaaaaa7", "--reason", "an example", "--yes"],
    "fix": ["check", "--fix", "--yes"],
}
"""What may become of a record; the sample is smaller, as all of them go through the same gate."""

COMMANDS = SPINE | LIFECYCLE
STATUSES = ("candidate", "candidate", "active", "candidate", "active", "disputed")
STATUSES += ("quarantined", "active")
FOLDERS = {"candidate": "drafts/2026-11", "quarantined": "quarantine"}


def environment(home: Path) -> dict[str, str]:
    """A hermetic environment: own home, identity, state; no inherited GIT_*."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MVAULT", "XDG_"))}
    home.mkdir(exist_ok=True)
    (home / "gitconfig").write_text("[user]\nname = T\nemail = t@example.invalid\n")
    (home / "config.toml").write_text('[trust]\napprove_without_terminal = ["person"]\n')
    return env | {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "MVAULT_CONFIG": str(home / "config.toml"),
        "MVAULT_STATE_DIR": str(home / "state"),
        "MVAULT_NOW": "2026-11-30T12:00:00+00:00",
        "PYTHONPATH": str(ROOT),
        "TZ": "UTC",
    }


def mvault(env: dict[str, str], vault: Path, *args: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "vault_cli", "--vault", str(vault), *args]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=60)


def git(env: dict[str, str], vault: Path, *args: str) -> subprocess.CompletedProcess[str]:
    argv = ["git", "-C", str(vault), *args]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A committed vault with a record of every standing and one approval to undo."""
    work = tmp_path_factory.mktemp("sweep")
    env = environment(work / "home")
    vault = work / "vault"
    subprocess.run(
        [sys.executable, "-m", "vault_cli", "init", str(vault)],
        env=env,
        check=True,
        capture_output=True,
    )
    for n, status in enumerate(STATUSES, start=1):
        folder = vault / FOLDERS.get(status, "memories/2026-11")
        folder.mkdir(parents=True, exist_ok=True)
        more = "derived_from: [l-aaaaaa8]\n" if n == 8 else ""
        (folder / f"lesson-{n}.md").write_text(LESSON.format(n=n, status=status, more=more))
    git(env, vault, "add", "-A")
    assert git(env, vault, "commit", "-qm", "base").returncode == 0
    done = mvault(env, vault, "approve", "l-aaaaaa4", "--yes")
    assert done.returncode == 0, done.stderr
    return vault, env


def contents(vault: Path) -> dict[str, str]:
    """Every record file's text by vault-relative path (left-over temporary files are not records)."""
    return {
        str(p.relative_to(vault)): p.read_bytes().decode()
        for p in vault.rglob("*.md")
        if ".git" not in p.parts and not p.name.startswith(".")
    }


def run_at(
    env: dict[str, str], vault: Path, command: list[str], step: int, mode: str, counter: Path
) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(SHIM), str(step), mode, str(counter), "--"]
    argv += ["--vault", str(vault), *command]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=60)


def check_state(
    env: dict[str, str], vault: Path, before: dict[str, str], may_stay: str
) -> Iterator[str]:
    """Whole files only, a sound repository, and commands that go on without repair."""
    for path, text in contents(vault).items():
        ends = "END" in text or "decision" in text
        if path.startswith("tombstones/"):
            ends = text.endswith("\n---\n")
        whole = text.startswith("---\n") and ends
        if text != before.get(path) and not path.endswith("README.md") and not whole:
            yield f"{path} is cut: {text!r}"
    held = git(env, vault, "log", "--all", "-p").stdout + "".join(contents(vault).values())
    for end in re.findall(r"^END .*$", "".join(before.values()), re.MULTILINE):
        if end not in held:
            yield f"the text that ends with {end!r} is gone"
    fsck = git(env, vault, "fsck", "--no-progress", "--connectivity-only")
    if fsck.returncode:
        yield f"fsck: {fsck.stderr}"
    # what comes next is asked in this process: all that a fault leaves behind is on disk
    fact = ("add", "fact", "--title", "After the fault", "--body", "Go on. END")
    added = run("--vault", vault, *fact, env=env)
    if added.code:
        yield f"next command: exit {added.code}: {added.err}"
    status = run("--vault", vault, "status", env=env)
    if status.code:
        yield f"status: exit {status.code}: {status.err}"
    left = git(env, vault, "status", "--porcelain").stdout.splitlines()
    if any(line[:2] != may_stay for line in left):
        yield f"left behind: {left}"


def try_point(
    env: dict[str, str], base: Path, trial: Path, name: str, point: tuple[int, str]
) -> list[str]:
    """Let one command fail at one step in a fresh copy; return what is wrong afterwards."""
    step, mode = point
    shutil.copytree(base, trial, symlinks=True)
    counter = trial.with_suffix(".counter")
    before, head = contents(trial), git(env, trial, "rev-parse", "HEAD").stdout
    done = run_at(env, trial, COMMANDS[name], step, mode, counter)
    moved = git(env, trial, "rev-parse", "HEAD").stdout != head
    found = []
    if "Traceback" in done.stderr:
        found.append(done.stderr)
    if mode != "kill" and moved != (done.returncode == 0):
        found.append(f"exit {done.returncode}, but HEAD moved: {moved}: {done.stderr}")
    # a new text that could not be committed is kept; of everything else nothing may be pending
    found.extend(check_state(env, trial, before, "??" if name == "add" else ""))
    where = f"{name}: {mode} at step {counter.read_text()}"
    shutil.rmtree(trial)
    return [f"{where}: {text}" for text in found]


@pytest.fixture(scope="module")
def count_steps(
    base: tuple[Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], int]:
    """How many steps each command takes when nothing fails, each counted once."""
    vault, env = base

    @cache
    def count(name: str) -> int:
        work = tmp_path_factory.mktemp("count")
        shutil.copytree(vault, work / "trial", symlinks=True)
        done = run_at(env, work / "trial", COMMANDS[name], 0, "count", work / "counter")
        assert done.returncode == 0, done.stderr
        return int((work / "counter").read_text().split()[0])

    return count


@pytest.mark.parametrize("deck", range(DECKS))
@pytest.mark.parametrize("name", COMMANDS)
def test_every_step_may_fail(
    name: str,
    deck: int,
    base: tuple[Path, dict[str, str]],
    count_steps: Callable[[str], int],
    tmp_path: Path,
) -> None:
    vault, env = base
    total = count_steps(name)
    assert total > 10, "the shim sees the program's steps"
    points = [(step, mode) for step in range(1, total + 1) for mode in MODES]
    random.Random(name).shuffle(points)
    points = points[: POINTS if name in SPINE else POINTS_LATER][deck::DECKS]

    results = [
        try_point(env, vault, tmp_path / f"trial-{number}", name, point)
        for number, point in enumerate(points)
    ]
    failures = [text for found in results for text in found]
    assert not failures, "\n".join([f"{len(failures)} of {len(results)} points", *failures])
