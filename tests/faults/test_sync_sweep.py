"""Fault sweep of `sync`: killed, or with a full or broken disk, at its steps.

As in `test_sweep`; the vault is a clone that has an edit of its own and merges one of another
machine. Afterwards the next sync works, and both edits are in both clones.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from test_sweep import ALL, MODES, POINTS, environment, git, mvault, run_at

EDITS = {"one": ("Line 1.", "Line 1, here 本机."), "two": ("Line 9.", "Line 9, there 别处.")}
NOTE = "---\nid: f-aaaaaa1\nkind: fact\nstatus: active\ntitle: Fact 事实\n---\n"
BODY = "".join(f"Line {number}.\n\n" for number in range(10)) + "END\n"
DECKS = 3


def edit(root: Path, name: str) -> None:
    path = root / "memories/x.md"
    path.write_text(path.read_text().replace(*EDITS[name]))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A bare remote that has the other edit, and a clone with its own, not committed yet."""
    work = tmp_path_factory.mktemp("scene")
    env = environment(work.parent / f"{work.name}-home")
    git(env, work, "init", "-q", "--bare", "--initial-branch=main", "remote.git")
    init = [sys.executable, "-m", "vault_cli", "init", str(work / "one")]
    subprocess.run(init, env=env, check=True, capture_output=True)
    (work / "one/memories").mkdir(exist_ok=True)
    (work / "one/memories/x.md").write_text(NOTE + BODY)
    git(env, work / "one", "remote", "add", "origin", "../remote.git")
    assert mvault(env, work / "one", "sync", "--yes").returncode == 0
    git(env, work, "clone", "-q", "remote.git", "two")
    git(env, work / "two", "remote", "set-url", "origin", "../remote.git")
    assert mvault(env, work / "two", "trust", "--yes").returncode == 0
    edit(work / "two", "two")
    assert mvault(env, work / "two", "sync", "--yes").returncode == 0
    edit(work / "one", "one")
    return work, env


def try_point(
    env: dict[str, str], scene: Path, trial: Path, step: int, mode: str
) -> tuple[int, list[str]]:
    """Let a sync fail at one step in a fresh copy; return its code and what is wrong afterwards."""
    shutil.copytree(scene, trial, symlinks=True)
    counter = trial.with_suffix(".counter")
    done = run_at(env, trial / "one", ["sync", "--yes"], step, mode, counter)
    found = [done.stderr] if "Traceback" in done.stderr else []
    here = (trial / "one/memories/x.md").read_text()
    if not here.endswith("END\n") or EDITS["one"][1] not in here:
        found.append(f"the own edit is gone, or cut: {here!r}")
    again = mvault(env, trial / "one", "sync", "--yes")
    if again.returncode:
        found.append(f"next sync: exit {again.returncode}: {again.stderr}")
    other = mvault(env, trial / "two", "sync", "--yes")
    if other.returncode:
        found.append(f"sync of the other: exit {other.returncode}: {other.stderr}")
    texts = {(trial / name / "memories/x.md").read_text() for name in EDITS}
    if len(texts) != 1 or not all(new in next(iter(texts)) for _, new in EDITS.values()):
        found.append(f"not joined: {texts}")
    fsck = git(env, trial / "one", "fsck", "--no-progress", "--connectivity-only")
    left = git(env, trial / "one", "status", "--porcelain").stdout
    if fsck.returncode or left:
        found.append(f"fsck {fsck.stderr!r}, left {left!r}")
    where = f"{mode} at step {counter.read_text()}"
    shutil.rmtree(trial)
    return done.returncode, [f"{where}: {text}" for text in found]


@pytest.mark.slow
@pytest.mark.parametrize("deck", range(DECKS))
def test_every_step_of_a_sync_may_fail(
    scene: tuple[Path, dict[str, str]], tmp_path: Path, deck: int
) -> None:
    work, env = scene
    shutil.copytree(work, tmp_path / "count", symlinks=True)
    counter = tmp_path / "counter"
    done = run_at(env, tmp_path / "count/one", ["sync", "--yes"], 0, "count", counter)
    assert done.returncode == 0, done.stderr
    steps = int(counter.read_text().split()[0])
    points = [(step, mode) for step in range(1, steps + 1) for mode in MODES]
    random.Random(11).shuffle(points)
    chosen = points if ALL else points[: POINTS * 2]
    wrong = []
    for number, (step, mode) in enumerate(chosen[deck::DECKS]):
        wrong += try_point(env, work, tmp_path / f"trial{number}", step, mode)[1]
    assert wrong == []
