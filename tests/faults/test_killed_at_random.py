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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers import fsck, git, start_real
from sync_helpers import Machine, Shared, note, past_texts, share

KILLS = int(os.environ.get("MVAULT_TEST_KILLS", "14"))
BODY = "".join(f"Line {n}.\n\n第{n}条。\n\n" for n in range(6))
SEED = os.environ.get("MVAULT_TEST_SEED", "5")
RECORDS = 8
Call = tuple[list[str], list[str]]


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


def edit_and_sync(trial: Trial, machine: Machine, word: str, record: str) -> Call:
    path = f"memories/r{record[-1]}.md"
    text = machine.read(path)
    machine.write({path: text.replace("Line 2.", f"Line 2. {word}", 1)})
    return ["sync", "--yes"], [word]


def import_notes(trial: Trial, machine: Machine, word: str, _: str) -> Call:
    folder = machine.root.parent / f"notes-{trial.turn}"
    folder.mkdir()
    words = [f"{word}-{number}" for number in range(5)]
    for item in words:
        (folder / f"{item}.md").write_text(f"# {item}\n\nText of {item}.\n", "utf-8")
    return ["import", "markdown", str(folder)], words


def fresh_draft(machine: Machine, word: str) -> str:
    added = ("--json", "add", "fact", "--title", word, "--body", f"Text {word}.")
    return str(machine.run(*added).ok().data["ids"][0])


def mark(trial: Trial, _: Machine, __: str, record: str) -> Call:
    trial.tried[record] += 1
    return ["mark", record, "--hit", "--yes"], []


def undo(_: Trial, machine: Machine, word: str, __: str) -> Call:
    fresh_draft(machine, word)
    return ["undo", "--yes"], [word]


COMMANDS: dict[str, Callable[[Trial, Machine, str, str], Call]] = {
    "add": lambda _, __, word, ___: (["add", "fact", "-T", word, "-b", f"Body {word}."], [word]),
    "sync": edit_and_sync,
    "import": import_notes,
    "approve": lambda _, machine, word, __: (
        ["approve", fresh_draft(machine, word), "--yes"], [word],
    ),
    "forget": lambda _, machine, word, __: (
        ["forget", fresh_draft(machine, word), "--reason-code", "incorrect", "--yes"], [word],
    ),
    "undo": undo,
    "mark": mark,
    "revise": lambda _, __, word, record: (
        ["revise", record, "--body", f"Revised {word}.\n\n{BODY}", "--reason", word], [word],
    ),
}  # fmt: skip
"""Each returns the words of a command, and what history must hold once it is acknowledged."""


def check_after(machine: Machine) -> None:
    """The next commands work, and leave no lock and nothing half written behind."""
    machine.run("status").ok()
    machine.run("add", "note", "--title", "After 之后", "--body", f"{time.monotonic_ns()}").ok()
    for data in machine.files().values():
        assert b"<<<<<<<" not in data
    locks = list((machine.root / ".git").rglob("*.lock"))
    assert locks == []
    owner = machine.root / ".state" / "lock"
    assert not owner.exists() or owner.read_bytes().strip(b"\0 \n") == b""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_killed_at_random_moments(tmp_path: Path) -> None:
    files = {
        f"memories/r{n}.md": note(f"f-000000{n}", f"Record {n} 记录", BODY) for n in range(RECORDS)
    }
    trial = Trial(share(tmp_path, files), random.Random(SEED))
    for _ in range(KILLS):
        machine = trial.shared[trial.rng.choice("ab")]
        name = trial.rng.choice([*COMMANDS, "sync"])
        record = f"f-000000{trial.rng.randrange(RECORDS)}"
        argv, words = COMMANDS[name](trial, machine, trial.word(), record)
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
