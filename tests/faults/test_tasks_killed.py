"""Tasks, tickets and hand-overs killed at a step, and the same command again: nothing is doubled."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers import git, make_vault, run

SHIM = Path(__file__).with_name("shim.py")
POINTS = 10_000 if os.environ.get("MVAULT_SWEEP") == "all" else 10
AGENT = {"MVAULT_ACTOR": "agent", "MVAULT_SESSION": "s1"}
LESSON = (
    "---\nid: l-0000001\nkind: lesson\nstatus: active\ntitle: 部署前先跑迁移检查\n---\n先跑。\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_vault(tmp_path, {"memories/a.md": LESSON})
    run("--vault", root, "render", env=AGENT).ok()
    return root


def killed(root: Path, step: int, counter: Path, *argv: str, mode: str = "kill") -> int:
    command = [sys.executable, str(SHIM), str(step), mode, str(counter), "--"]
    command += ["--vault", str(root), *argv]
    env = {**os.environ, **AGENT, "PYTHONPATH": str(SHIM.parents[2])}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode


def points(root: Path, counter: Path, *argv: str) -> list[int]:
    """Steps of a command at which it is killed: a seeded sample, and the last ones, which append."""
    spare = root.parent / "count"
    shutil.copytree(root, spare, symlinks=True)
    assert killed(spare, 0, counter, *argv, mode="count") == 0
    total = int(counter.read_text().split()[0])
    shutil.rmtree(spare)
    steps = list(range(1, total + 1))
    some = random.Random(argv[1]).sample(steps[:-8], min(POINTS, total - 8))
    return sorted({*some, *steps[-8:]})


def outcomes(root: Path) -> int:
    (row,) = run("--vault", root, "--json", "stats", "l-0000001").ok().data["records"]
    return int(row["succeeded"])


def tasks(root: Path) -> list[dict[str, Any]]:
    return list(run("--vault", root, "--json", "task", "list").ok().data["records"])


def again(root: Path, *argv: str) -> None:
    run("--vault", root, *argv, env=AGENT).ok()


def state_copy(home: Path) -> Path:
    return home / "mvault-state"


@pytest.mark.slow
def test_a_start_that_is_killed_begins_one_task(root: Path, tmp_path: Path) -> None:
    argv = ("task", "start", "修好登录")
    for step in points(root, tmp_path / "n", *argv):
        trial = root.parent / "trial"
        shutil.copytree(root, trial, symlinks=True)
        killed(trial, step, tmp_path / "n", *argv)
        again(trial, *argv)
        again(trial, *argv)

        (found,) = tasks(trial)
        again(trial, "task", "checkpoint", found["id"], "还在做")
        assert git(trial, "status", "--porcelain", "--", "tasks") == "", step
        shutil.rmtree(trial)


@pytest.mark.slow
def test_an_end_that_is_killed_is_noted_once(root: Path, tmp_path: Path, home: Path) -> None:
    run("--vault", root, "task", "start", "x", env=AGENT).ok()
    own = tasks(root)[0]["id"]
    argv = ("task", "end", own, "--status", "succeeded", "--cited", "l-0000001")
    spare = tmp_path / "state"
    steps = points(root, tmp_path / "n", *argv)
    shutil.copytree(state_copy(home), spare)
    kept = tmp_path / "kept"
    shutil.copytree(root, kept, symlinks=True)
    for step in steps:
        for place, source in ((root, kept), (state_copy(home), spare)):
            shutil.rmtree(place)
            shutil.copytree(source, place, symlinks=True)
        killed(root, step, tmp_path / "n", *argv)
        again(root, *argv)
        again(root, *argv)

        assert [t["state"] for t in tasks(root)] == ["succeeded"], step
        assert outcomes(root) == 1, step
        assert git(root, "log", "--format=%s").count("end(task)") == 1, step
        lines = [
            json.loads(x)
            for f in (root / "usage").iterdir()
            for x in f.read_text().split("\n")
            if x
        ]
        assert sum(seen["kind"] == "outcome" for seen in lines) == 1, step
