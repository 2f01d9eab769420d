"""Clones that go apart by whole commands and hand edits, and meet in any order at a bare remote.

Afterwards all clones are alike, every text that was written anywhere is in the result or in
history, what nobody took away is in the result itself, and every count is exact.
`MVAULT_TEST_DIVERGE=3000` runs that many steps a case instead of a sample; `MVAULT_TEST_SEED`
begins elsewhere. `properties/test_divergence.py` tests the merge itself, without git.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from helpers import Result, fsck, git
from sync_helpers import Machine, Shared, note, past_texts, share

STEPS = int(os.environ.get("MVAULT_TEST_DIVERGE", "45"))
SEED = int(os.environ.get("MVAULT_TEST_SEED", "0"))
COUNTED = {"helpful": "helpful", "harmful": "harmful", "hit": "hits"}
START = datetime(2026, 11, 1, tzinfo=UTC)
LINES = 6
FOLDERS = ("memories", "memories/2026-11", "memories/团队", "playbook")
WORDS = (
    "deploy",
    "部署之前先备份",
    "cache",
    "缓存失效",
    "worker",
    "网络超时",
    "schema",
    "迁移脚本",
)
REFUSED = {1, 2, 3, 4, 6}
"""What a command may end with that does not fit the record it was tried on; 5, 7 and 70 never."""


@dataclass
class World:
    """Clones, and what was written in them."""

    shared: Shared
    rng: random.Random
    steps: int = 0
    wrote: dict[str, str] = field(default_factory=dict)
    """Every word that was written, with the record it was written into."""
    ended: set[str] = field(default_factory=set)
    """Records whose text a person replaced or took away somewhere: their words may be history."""
    marks: Counter[tuple[str, str]] = field(default_factory=Counter)
    codes: Counter[tuple[str, int]] = field(default_factory=Counter)

    def run(self, machine: Machine, *argv: str) -> Result:
        """Run a command at a moment of its own; nothing but a refusal may go wrong."""
        self.steps += 1
        now = (START + timedelta(seconds=37 * self.steps)).isoformat()
        done = machine.run(
            *argv, env={"MVAULT_NOW": now, "MVAULT_SEED": f"{machine.name}{self.steps}"}
        )
        name = next(word for word in argv if not word.startswith("--"))
        self.codes[name, done.code] += 1
        assert done.code == 0 or done.code in REFUSED, (argv, done)
        assert "Traceback" not in done.err, done.err
        return done

    def word(self, record: str) -> str:
        """Return a word that stands nowhere else, in English or Chinese, and remember it."""
        name = f"{self.rng.choice(WORDS)}-w{len(self.wrote):05d}x"
        self.wrote[name] = record
        return name


def record_paths(machine: Machine) -> list[Path]:
    """Return the files of records that a person would edit."""
    tops = ("memories", "playbook", "drafts")
    return sorted(path for top in tops for path in (machine.root / top).rglob("*.md"))


def id_of(path: Path) -> str:
    found = re.search(r"^id: (\S+)", path.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else ""


def is_clean(machine: Machine, path: Path) -> bool:
    return git(machine.root, "status", "--porcelain", "--", str(path)) == ""


def edit_line(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    lines = path.read_text("utf-8").split("\n")
    places = [at for at, line in enumerate(lines) if line.startswith(("Line", "第"))]
    if places:
        lines[world.rng.choice(places)] += f" {world.word(id_of(path))}"
        path.write_text("\n".join(lines), "utf-8")


def edit_title(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    if not is_clean(machine, path):
        return  # a title that nobody committed would be gone for good
    text = path.read_text("utf-8")
    word = world.word(id_of(path))
    world.ended.add(id_of(path))  # the next title takes this one away
    path.write_text(re.sub(r"^title: .*", f"title: {word}", text, flags=re.MULTILINE), "utf-8")


def edit_key(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    text = path.read_text("utf-8")
    key, value = world.rng.choice(
        [("importance", world.rng.randint(1, 9)), ("topics", f"[a, t{world.rng.randrange(9)}]")]
    )
    line = f"{key}: {value}"
    if re.search(rf"^{key}: ", text, re.MULTILINE):
        text = re.sub(rf"^{key}: .*", line, text, flags=re.MULTILINE)
    else:
        text = text.replace("\ntitle: ", f"\n{line}\ntitle: ", 1)
    path.write_text(text, "utf-8")


def new_by_hand(world: World, machine: Machine) -> None:
    number = world.rng.randrange(16**7)
    record = f"f-{number:07x}"
    word = world.word(record)
    body = "".join(f"Line {n}.\n\n第{n}条。\n\n" for n in range(LINES // 2))
    machine.write({f"drafts/{word}.md": note(record, word, body, status="candidate")})


def move(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    if "drafts" in path.parts:
        return
    name = f"{world.rng.choice(('moved', '移动'))}-{world.rng.randrange(10**6)}.md"
    target = machine.root / world.rng.choice(FOLDERS) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)


def remove(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    if len(record_paths(machine)) > 8 and is_clean(machine, path):
        world.ended.add(id_of(path))
        path.unlink()


def copy_id(world: World, machine: Machine) -> None:
    """Make a second file with an id that is there, as a careless copy does, and a moment later go."""
    path = world.rng.choice(record_paths(machine))
    if is_clean(machine, path):
        twin = path.with_name(f"copy-{world.rng.randrange(10**6)}.md")
        text = path.read_text("utf-8")
        fresh = f"f-{world.rng.randrange(16**7):07x}"
        twin.write_text(re.sub(r"^id: .*", f"id: {fresh}", text, flags=re.MULTILINE), "utf-8")


def mark(world: World, machine: Machine) -> None:
    record = id_of(world.rng.choice(record_paths(machine)))
    kind = world.rng.choice(("helpful", "harmful", "hit"))
    if world.run(machine, "mark", record, f"--{kind}", "--yes").code == 0:
        world.marks[record, kind] += 1


def add(world: World, machine: Machine) -> None:
    word = world.word("")
    body = "\n\n".join(f"第{n}条 {world.rng.choice(WORDS)}" for n in range(LINES))
    done = world.run(machine, "--json", "add", "fact", "--title", word, "--body", body)
    if done.code == 0:
        world.wrote[word] = str(done.data["ids"][0])
        world.ended.add(world.wrote[word])  # its title may be changed by hand
    else:
        del world.wrote[word]


def lifecycle(world: World, machine: Machine) -> None:
    path = world.rng.choice(record_paths(machine))
    record, other = id_of(path), id_of(world.rng.choice(record_paths(machine)))
    why = ("--reason", f"because 因为 {world.steps}")
    verb, *more = world.rng.choice(
        [
            ("approve",), ("approve",), ("reject", *why), ("deprecate", *why), ("dispute", *why),
            ("resolve", *why), ("revive", *why), ("forget", "--reason-code", "incorrect"),
            ("supersede", *why), ("edit", "--set", f"importance={world.rng.randint(1, 9)}"),
            ("undo",), ("merge", *why),
        ]
    )  # fmt: skip
    names = {"undo": (), "supersede": (record, other), "merge": (record, other)}.get(
        verb, (record,)
    )
    done = world.run(machine, verb, *names, *more, "--yes")
    if done.code == 0 and verb in {"resolve", "forget", "undo", "merge"}:
        world.ended |= {record, other} if names else set(world.wrote.values())


def sync(world: World, machine: Machine) -> None:
    done = world.run(machine, "--json", "sync", "--yes", "--deletions")
    assert done.code in (0, 1), done


ACTIONS = {
    edit_line: 10, edit_title: 2, edit_key: 3, new_by_hand: 2, move: 3, remove: 1, copy_id: 1,
    mark: 3, add: 2, lifecycle: 8, sync: 5,
}  # fmt: skip


def first_files() -> dict[str, str]:
    body = "".join(f"Line {n}.\n\n第{n}条。\n\n" for n in range(LINES))
    texts = {
        f"{FOLDERS[n % 4]}/r{n}.md": note(
            f"f-000000{n:x}", f"Record {n} 记录", body, status=("active", "candidate")[n % 2]
        )
        for n in range(14)
    }
    return {
        (path if "status: active" in text else f"drafts/{path.rpartition('/')[2]}"): text
        for path, text in texts.items()
    }


def check_world(world: World) -> None:
    machines = list(world.shared.machines.values())
    for machine in machines:
        sync(world, machine)
    world.shared.settle()
    first, *others = machines
    files = first.files()
    for machine in others:
        assert machine.files() == files
        assert git(machine.root, "status", "--porcelain") == ""
    text = b"".join(files.values()).decode()
    assert "<<<<<<<" not in text
    past = past_texts(first.root)
    assert [word for word in world.wrote if word not in past] == []
    lost = {
        word: record
        for word, record in world.wrote.items()
        if word not in text and record not in world.ended
    }
    assert lost == {}
    check_counts(world)
    blocks = {machine.run("render").ok().out for machine in machines}
    assert len(blocks) == 1
    for root in (world.shared.remote, *(machine.root for machine in machines)):
        assert fsck(root) == []
        assert list((root / ".git" if (root / ".git").exists() else root).rglob("*.lock")) == []


def check_counts(world: World) -> None:
    """Compare the marks of every record that still stands with what was acknowledged."""
    for machine in world.shared.machines.values():
        rows = machine.run("--json", "stats", "--limit", "0").ok().data["records"]
        shown = {(row["id"], kind): row[key] for row in rows for kind, key in COUNTED.items()}
        listed = machine.run("--json", "list").ok().data["records"]
        due = {
            key: number
            for key, number in world.marks.items()
            if key[0] in {record["id"] for record in listed}
        }
        assert {key: number for key, number in shown.items() if number} == due, machine.name


@pytest.mark.slow
@pytest.mark.parametrize("names", ["ab", "abc"])
def test_clones_go_apart_and_meet(tmp_path: Path, names: str) -> None:
    world = World(share(tmp_path, first_files(), names), random.Random(f"{names}{SEED}"))
    actions, weights = list(ACTIONS), list(ACTIONS.values())
    for turn in range(STEPS):
        machine = world.rng.choice(list(world.shared.machines.values()))
        if not record_paths(machine):
            new_by_hand(world, machine)
        world.rng.choices(actions, weights)[0](world, machine)
        if turn % 150 == 149:
            check_world(world)
    check_world(world)
    print(sorted(world.codes.items()), len(world.wrote), "texts", len(world.marks), "counts")
