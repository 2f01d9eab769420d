"""Clones of one vault, changed at random through the command line, synced in random order.

In the end all are alike, every text that somebody wrote is in the files or in the history, and
counts are exact. `MVAULT_TEST_CLONES=N` runs N seeds.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from helpers import fsck, git
from sync_helpers import Machine, Shared, note, share

SEEDS = int(os.environ.get("MVAULT_TEST_CLONES", "3"))
BODY = "".join(f"Line {number}. 第{number}行。\n\n" for number in range(6))
COMMANDS = (
    ("approve", "{id}", "--yes"),
    ("deprecate", "{id}", "--reason", "old", "--yes"),
    ("dispute", "{id}", "--reason", "doubtful", "--yes"),
    ("resolve", "{id}", "--reason", "asked", "--yes"),
    ("reject", "{id}", "--reason", "no", "--yes"),
    ("revive", "{id}", "--reason", "again", "--yes"),
    ("forget", "{id}", "--yes"),
    ("edit", "{id}", "--set", "importance=8", "--yes"),
    ("edit", "{id}", "--set", "keywords=a", "--yes"),
    ("undo", "--yes"),
)


class Play:
    """One random run."""

    def __init__(self, seed: int, shared: Shared) -> None:
        self.rng = random.Random(seed)
        self.shared = shared
        self.wrote: list[str] = []
        self.marks = 0

    def records(self, machine: Machine) -> list[Path]:
        found = [p for p in machine.root.rglob("*.md") if ".git" not in p.parts]
        own = ("memories", "drafts")
        return sorted(p for p in found if p.relative_to(machine.root).parts[0] in own)

    def step(self, machine: Machine) -> None:
        """Change something here: by hand, by a command, or by an observation."""
        kind, files = self.rng.randrange(7), self.records(machine)
        number = len(self.wrote)
        if kind == 0 or not files:
            word = f"new{machine.name}{number}x"
            self.wrote.append(word)
            path = f"drafts/{word}.md"
            text = note(f"f-{machine.name}{number:06d}", word, BODY, status="candidate")
            machine.write({path: text})
        elif kind <= 3:
            self.edit(machine, self.rng.choice(files), f"word{machine.name}{number}x")
        elif kind == 4:
            path = self.rng.choice(files)
            target = path.with_name(f"{machine.name}{self.rng.randrange(10**6)}.md")
            path.rename(target)
        elif kind == 5:
            self.command(machine, files)
        else:
            done = machine.run("mark", "f-0000000", "--hit", "--yes")
            self.marks += done.code == 0

    def edit(self, machine: Machine, path: Path, word: str) -> None:
        lines = path.read_text("utf-8").split("\n")
        places = [place for place, line in enumerate(lines) if line.startswith("Line")]
        if places:
            lines[self.rng.choice(places)] += f" {word}"
            path.write_text("\n".join(lines), "utf-8")
            self.wrote.append(word)

    def command(self, machine: Machine, files: list[Path]) -> None:
        chosen = self.rng.choice(files)
        text = chosen.read_text("utf-8")
        record_id = next((x[4:] for x in text.splitlines() if x.startswith("id: ")), "")
        argv = [word.format(id=record_id) for word in self.rng.choice(COMMANDS)]
        done = machine.run(*argv)
        assert done.code in {0, 1, 2, 3, 4, 5, 6}, done
        assert "Traceback" not in done.text

    def sync(self, machine: Machine) -> None:
        done = machine.sync("--deletions")
        assert done.code in {0, 1}, done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_all_clones_end_alike_and_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    files = {f"memories/r{n}.md": note(f"f-000000{n}", f"Record {n}", BODY) for n in range(6)}
    shared = share(tmp_path, files, "ab" if seed % 2 else "abc")
    play = Play(seed, shared)
    machines = list(shared.machines.values())
    for _ in range(6):
        for machine in machines:
            for _ in range(play.rng.randint(0, 4)):
                play.step(machine)
        play.rng.shuffle(machines)
        for machine in machines[: play.rng.randint(1, len(machines))]:
            play.sync(machine)
    for _ in range(3):
        for machine in machines:
            play.sync(machine)
    first, *others = machines
    assert all(machine.head() == first.head() for machine in others)
    assert all(machine.files() == first.files() for machine in others)
    everything = b"".join(first.files().values()).decode()
    assert "<<<<<<<" not in everything
    history = everything + git(shared.remote, "log", "-p", "-m", "--format=%B", "main")
    assert [word for word in play.wrote if word not in history] == []
    # what nobody deleted or decided about is not merely in history
    ids = [r["id"] for r in first.run("--json", "list").data["records"]]
    assert len(ids) == len(set(ids))
    stats = first.run("--json", "stats", "f-0000000")
    if stats.code == 0:
        assert sum(item.get("hits", 0) for item in stats.data["records"]) == play.marks
    assert fsck(shared.remote) == []
    shutil.rmtree(shared.remote)
