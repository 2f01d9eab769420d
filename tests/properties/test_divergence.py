"""Clones that diverge at random and sync in any order end alike, and nothing is lost.

The merge itself is tested without git: two or three versions go apart from a common one by edits,
moves, deletions and lifecycle steps, and come together. Then a few runs of the whole command.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sync_helpers import note

from vault_cli.features.conflict_records import Told
from vault_cli.features.reconcile import Reconciled, reconcile
from vault_cli.model.record import IN_FORCE, Record
from vault_cli.store.file_names import is_record_path
from vault_cli.text.fields import read_record

Files = dict[str, bytes]

_STATUSES = ("candidate", "active", "disputed", "deprecated", "superseded", "rejected", "verified")
_FOLDERS = ("memories", "drafts", "memories/2026-11", "playbook")
_WORDS = ("alpha", "beta", "备份", "部署", "gamma", "delta")


def told(first: str = "one", second: str = "other", signed: int | None = None) -> Told:
    """Name the sides; with a number, of their texts some at random are signed."""
    names = {first: "Anna on 2026-11-30", second: "Bo on 2026-11-29"}
    commits = {first: "1" * 40, second: "2" * 40}
    found = Told("2026-11-30T00:00:00Z", names, commits, lambda *_: "deleted")
    if signed is None:
        return found
    return found._replace(vouched=lambda side, path: is_signed(commits[side], path, signed))


def is_signed(commit: str, path: str, seed: int) -> bool:
    return random.Random(f"{seed} {commit} {path}").random() < 0.5


def merge(
    base: Files, one: Files, other: Files, *sides_named: str, signed: int | None = None
) -> Reconciled:
    every = {*base, *one, *other}
    same = {p for p in every if base.get(p) == one.get(p) == other.get(p)}
    sides = [{p: d for p, d in side.items() if p not in same} for side in (base, one, other)]
    return reconcile(
        *sides, kept=same, is_record=is_record_path, told=told(*sides_named, signed=signed)
    )


def result(
    base: Files, one: Files, other: Files, *sides_named: str, signed: int | None = None
) -> Files:
    files: dict[str, bytes | None] = {**base, **one, **other}
    files.update(merge(base, one, other, *sides_named, signed=signed).files)
    return {path: data for path, data in files.items() if data is not None}


def start(rng: random.Random) -> Files:
    files: Files = {}
    for number in range(rng.randint(1, 6)):
        body = "".join(f"Line {number}.{line} {rng.choice(_WORDS)}\n\n" for line in range(5))
        text = note(
            f"f-000000{number}",
            f"Record {number}",
            body,
            status=rng.choice(_STATUSES[:4]),
            topics="[a, b]",
        )
        files[f"{rng.choice(_FOLDERS)}/r{number}.md"] = text.encode()
    files["usage/one.jsonl"] = b'{"n":1}\n{"n":2}\n'
    files["README.md"] = b"one\n\ntwo\n\nthree\n"
    return files


def step(files: Files, rng: random.Random, tag: str) -> None:
    """Change one thing at random."""
    paths = sorted(p for p in files if p.endswith(".md") and p != "README.md")
    if not paths or rng.random() < 0.15:
        number = rng.randrange(10**6)
        files[f"drafts/new-{tag}{number}.md"] = note(
            f"f-{tag}{number:06d}",
            f"New {tag}{number}",
            f"Fresh {tag}{number}\n",
            status="candidate",
        ).encode()
        return
    path = rng.choice(paths)
    text = files[path].decode()
    kind = rng.randrange(8)
    if kind <= 2:
        lines = text.split("\n")
        places = [i for i, line in enumerate(lines) if line.startswith("Line")]
        if places:
            lines[rng.choice(places)] += f" {tag}{rng.randrange(10**6)}"
        files[path] = "\n".join(lines).encode()
    elif kind == 3:
        del files[path]
    elif kind == 4:
        target = f"{rng.choice(_FOLDERS)}/{tag}-{rng.randrange(50)}.md"
        if target not in files:
            files[target] = files.pop(path)
    elif kind == 5:
        files[path] = re.sub(r"status: \w+", f"status: {rng.choice(_STATUSES)}", text).encode()
    elif kind == 6:
        files[path] = re.sub(r"topics: .*", f"topics: [a, {tag}{rng.randrange(9)}]", text).encode()
    else:
        files["usage/one.jsonl"] += f'{{"n":"{tag}{rng.randrange(10**6)}"}}\n'.encode()
        files["README.md"] += (
            f"\n{tag}{rng.randrange(99)}\n".encode() if rng.random() < 0.3 else b""
        )


def records(files: Mapping[str, bytes]) -> dict[str, Record]:
    found = {}
    for path, data in files.items():
        if path.endswith(".md") and is_record_path(path):
            record = read_record(data, path)[0]
            assert record is not None, (path, data)
            assert record.id not in found, (record.id, path, found[record.id].path)
            found[record.id] = record
    return found


def diverge(seed: int) -> tuple[Files, Files, Files]:
    rng = random.Random(seed)
    base = start(rng)
    one, other = dict(base), dict(base)
    for _ in range(rng.randint(1, 8)):
        step(one, rng, "a")
    for _ in range(rng.randint(1, 8)):
        step(other, rng, "b")
    return base, one, other


def meaning(record: Record) -> tuple[Any, ...]:
    return record.title, record.body.strip()


@settings(max_examples=400)
@given(st.integers(0, 2**48))
def test_both_orders_give_the_same_files(seed: int) -> None:
    base, one, other = diverge(seed)
    assert result(base, one, other) == result(base, other, one, "other", "one")


@settings(max_examples=400)
@given(st.integers(0, 2**48))
def test_where_signatures_count_a_merge_writes_nothing_in_force_that_is_not_signed(
    seed: int,
) -> None:
    base, one, other = diverge(seed)
    done = result(base, one, other, signed=seed)
    assert done == result(base, other, one, "other", "one", signed=seed)
    places = [{r.id: r.path for r in records(side).values()} for side in (one, other)]
    for record in records(done).values():
        data = done[record.path]
        if record.status not in IN_FORCE or data in (one.get(record.path), other.get(record.path)):
            continue
        for commit, place in zip(("1" * 40, "2" * 40), places, strict=True):
            assert record.id not in place or is_signed(commit, place[record.id], seed), record.id


@settings(max_examples=400)
@given(st.integers(0, 2**48))
def test_nothing_is_lost_and_nothing_comes_into_force(seed: int) -> None:
    base, one, other = diverge(seed)
    done = result(base, one, other)
    before, mine, theirs, after = map(records, (base, one, other, done))
    text = b"".join(done.values()).decode()
    for key in {*mine, *theirs}:
        for side in (mine, theirs):
            edited = key in side and (
                key not in before or meaning(side[key]) != meaning(before[key])
            )
            if not edited:
                continue
            # every line that a side wrote stands in the result: joined, or in a conflict record
            old = set(before[key].body.split("\n")) if key in before else set()
            for line in set(side[key].body.split("\n")) - old:
                assert line in text, (key, line)
        if (
            key in mine
            and key in theirs
            and mine[key].status == theirs[key].status
            and key in after
        ):
            assert after[key].status in {mine[key].status, type(after[key].status).DISPUTED}
    for key, record in after.items():
        if record.status in IN_FORCE:
            sides = [side[key] for side in (mine, theirs) if key in side]
            assert any(side.status in IN_FORCE for side in sides), key
            known = [meaning(side) for side in sides if side.status in IN_FORCE]
            assert meaning(record) in known or len(known) == 2, key
    for line in one["usage/one.jsonl"].splitlines() + other["usage/one.jsonl"].splitlines():
        assert done["usage/one.jsonl"].splitlines().count(line) == 1
    assert b"<<<<<<<" not in b"".join(done.values())


@settings(max_examples=200)
@given(st.integers(0, 2**48))
def test_what_one_side_leaves_alone_is_the_other_sides(seed: int) -> None:
    base, one, _ = diverge(seed)
    assert result(base, one, base) == one
    assert result(base, base, one) == one
    assert result(base, one, one) == one


@pytest.mark.parametrize("seed", range(60))
def test_merging_again_changes_nothing(seed: int) -> None:
    base, one, other = diverge(seed)
    done = result(base, one, other)
    # whoever merged is ahead now: the other side takes it as it is, and later merges agree
    assert result(one, done, one) == done
    assert result(other, other, done) == done
