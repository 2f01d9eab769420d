"""Commands of two clones killed at random moments; nothing that was acknowledged is lost.

Unlike the sweeps this kills whole processes by the clock, git's own ones included, and goes on in
the same vault. `MVAULT_TEST_KILLS=500` kills that often instead of a few times.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers import fsck, git, start_real
from sync_helpers import Machine, Shared, note, past_texts, share

KILLS = int(os.environ.get("MVAULT_TEST_KILLS", "14"))
BODY = "".join(f"Line {n}.\n\n第{n}条。\n\n" for n in range(6))
RECORDS = 8


@dataclass
class Trial:
    """Two clones, and what their commands acknowledged."""

    shared: Shared
    rng: random.Random
    turn: int = 0
    wrote: list[str] = field(default_factory=list)
    """Words that have to be in history: of acknowledged commands, and of edits on disk."""
    marks: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)

    def word(self) -> str:
        self.turn += 1
        return f"{self.rng.choice(('kill', '断电'))}-w{self.turn:05d}x"


def environment(machine: Machine) -> Mapping[str, str]:
    return {"MVAULT_STATE_DIR": str(machine.state), "MVAULT_ACTOR": "person"}


def kill_at(machine: Machine, argv: list[str], delay: float | None) -> tuple[int, str, float]:
    """Run a command, killed with all that it started after some seconds; code, answer, time."""
    began = time.monotonic()
    process = start_real("--vault", machine.root, *argv, env=environment(machine), alone=True)
    try:
        out, _ = process.communicate(timeout=delay)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
    return process.returncode, out.decode("utf-8", "replace"), time.monotonic() - began


def command(trial: Trial, machine: Machine) -> tuple[str, list[str], list[str]]:
    """Return a command's name, its words, and what history must hold once it is acknowledged."""
    word = trial.word()
    record = f"f-000000{trial.rng.randrange(RECORDS)}"
    path = f"memories/r{record[-1]}.md"
    name = trial.rng.choice(
        ["add", "sync", "sync", "import", "approve", "undo", "mark", "revise", "forget"]
    )
    if name == "add":
        return name, ["add", "fact", "--title", word, "--body", f"Body {word}."], [word]
    if name == "sync":
        text = machine.read(path)
        machine.write({path: text.replace("Line 2.", f"Line 2. {word}", 1)})
        return name, ["sync", "--yes"], [word]
    if name == "import":
        folder = machine.root.parent / f"notes-{trial.turn}"
        folder.mkdir()
        words = [f"{word}-{number}" for number in range(5)]
        for item in words:
            (folder / f"{item}.md").write_text(f"# {item}\n\nText of {item}.\n", "utf-8")
        return name, ["import", "markdown", str(folder)], words
    if name == "approve":
        machine.run("add", "fact", "--title", word, "--body", f"Text {word}.").ok()
        listed = machine.run("--json", "list", "--status", "candidate").ok().data["records"]
        fresh = next(item["id"] for item in listed if item["title"] == word)
        return name, ["approve", fresh, "--yes"], [word]
    if name == "forget":
        machine.run("add", "fact", "--title", word, "--body", f"Text {word}.").ok()
        listed = machine.run("--json", "list", "--status", "candidate").ok().data["records"]
        fresh = next(item["id"] for item in listed if item["title"] == word)
        return name, ["forget", fresh, "--reason-code", "incorrect", "--yes"], [word]
    if name == "undo":
        machine.run("add", "fact", "--title", word, "--body", f"Text {word}.").ok()
        return name, ["undo", "--yes"], [word]
    if name == "mark":
        trial.tried[record] += 1
        return name, ["mark", record, "--hit", "--yes"], []
    body = f"Revised {word}.\n\n{BODY}"
    return name, ["revise", record, "--body", body, "--reason", word], [word]


def check_after(machine: Machine) -> None:
    """The next commands work, and leave no lock and nothing half written behind."""
    machine.run("status").ok()
    machine.run("add", "note", "--title", "After 之后", "--body", f"{time.monotonic_ns()}").ok()
    for data in machine.files().values():
        assert b"<<<<<<<" not in data
    locks = [path for path in (machine.root / ".git").rglob("*.lock")]
    assert locks == []
    owner = machine.root / ".state" / "lock"
    assert not owner.exists() or owner.read_bytes().strip(b"\0 \n") == b""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_killed_at_random_moments(tmp_path: Path) -> None:
    files = {
        f"memories/r{n}.md": note(f"f-000000{n}", f"Record {n} 记录", BODY) for n in range(RECORDS)
    }
    trial = Trial(share(tmp_path, files), random.Random(os.environ.get("MVAULT_TEST_SEED", "5")))
    for _ in range(KILLS):
        machine = trial.shared[trial.rng.choice("ab")]
        name, argv, words = command(trial, machine)
        usual = trial.seconds.get(name)
        delay = trial.rng.uniform(0.05, usual * 1.05) if usual else None
        code, out, took = kill_at(machine, argv, delay)
        trial.ends[name, "killed" if code < 0 else f"exit {code}"] += 1
        if code == 0:
            trial.seconds[name] = max(0.2, min(took, trial.seconds.get(name, took)))
        assert code in (0, 1, -signal.SIGKILL) or (name, code) == ("revise", 4), (argv, code, out)
        if code == 0 or name == "sync":
            trial.wrote += words
        if code == 0 and name == "mark":
            trial.marks[argv[1]] += 1
        check_after(machine)
    trial.shared.settle()
    check_end(trial)
    print(sorted(trial.ends.items()), f"{len(trial.wrote)} texts acknowledged")


def check_end(trial: Trial) -> None:
    one, two = trial.shared.machines.values()
    assert one.files() == two.files()
    past = past_texts(one.root)
    assert [word for word in trial.wrote if word not in past] == []
    rows = one.run("--json", "stats", "--limit", "0").ok().data["records"]
    hits = {row["id"]: row["hits"] for row in rows}
    for record, number in trial.tried.items():
        assert trial.marks[record] <= hits.get(record, 0) <= number, record
    for machine in (one, two):
        assert fsck(machine.root) == []
        assert git(machine.root, "status", "--porcelain") == ""
