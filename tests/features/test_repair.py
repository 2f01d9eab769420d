from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.errors import ChangedMeanwhileError
from vault_cli.features.health import check
from vault_cli.features.records import Planned
from vault_cli.features.repair import FIXED, plan_repairs
from vault_cli.model.change import Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Snapshot
from vault_cli.text.fields import read_record

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = "2026-11-30"
EVENT = "[{id: e1, type: session-event, session: s, start: 1, end: 2, observed: 2026-11-30}]"
BY_USER = "{method: user-confirmation, actor: user, evidence: [e1]}"


def text_of(record_id: str, **keys: str) -> bytes:
    head = {"id": record_id, "kind": "fact", "status": "active", "title": record_id.upper(), **keys}
    return ("---\n" + "".join(f"{k}: {v}\n" for k, v in head.items()) + "---\nText.\n").encode()


def vault(**records: Mapping[str, str]) -> dict[str, bytes]:
    return {f"memories/{name}.md": text_of(name, **keys) for name, keys in records.items()}


def read(files: Mapping[str, bytes]) -> Snapshot:
    records, diagnostics, unreadable = [], [], []
    for path, data in sorted(files.items()):
        record, found = read_record(data, path)
        diagnostics += found
        if record is None:
            unreadable.append(path)
        else:
            records.append(record)
    return Snapshot(tuple(records), tuple(sorted(diagnostics)), tuple(unreadable))


def repair(
    files: dict[str, bytes], head: Mapping[str, bytes | None] | None = None, **options: Any
) -> Planned:
    """Plan the repairs and carry them out, as the gate would."""
    planned = plan_repairs(
        read(files), files, {} if head is None else head, NOW, Actor.PERSON, **options
    )
    for edit in planned.change.edits:
        assert isinstance(edit, Put)
        assert edit.expects == hashlib.sha256(files[edit.path]).hexdigest()
        files[edit.path] = edit.data
    return planned


def codes(files: Mapping[str, bytes], head: Mapping[str, bytes] | None = None) -> list[str]:
    snapshot = read(files)
    found = [*snapshot.diagnostics, *check(snapshot, now=NOW, head=head)]
    return sorted(d.code for d in found if d.severity != "note" or d.code in FIXED)


def front(files: Mapping[str, bytes], name: str) -> Mapping[str, Any]:
    return read(files).by_id[name].fields


# --- successors


@pytest.mark.parametrize(
    "successor",
    [
        {},
        {"b": {"status": "rejected", "supersedes": "[a]"}},
        {"b": {"status": "candidate", "supersedes": "[a]"}},
        {"b": {"status": "tombstoned", "supersedes": "[a]"}},
    ],
)
def test_a_record_whose_successor_is_gone_comes_back_as_it_was(successor: Any) -> None:
    before = text_of("a", valid_to="2027-06-01")
    files = vault(
        a={"status": "superseded", "superseded_by": "b", "valid_to": "2026-03-31"}, **successor
    )
    assert "successor-lost" in codes(files)
    planned = repair(files, earlier=lambda _: before)
    assert planned.ids == ("a",)
    assert planned.change.verb == "repair"
    assert files["memories/a.md"] == before
    assert codes(files) == []


def test_without_its_past_the_end_that_the_supersession_wrote_goes() -> None:
    files = vault(a={"status": "superseded", "superseded_by": "b", "valid_to": "2026-03-31"})
    repair(files)
    assert files == vault(a={})
    hand = vault(a={"status": "superseded", "valid_to": "2026-03-31"})
    repair(hand)
    assert hand == vault(a={"valid_to": "2026-03-31"})


def test_what_was_verified_is_so_again_when_its_verification_still_holds() -> None:
    proof = {"evidence": EVENT, "verification": BY_USER}
    before = text_of("a", status="verified", **proof)
    files = vault(a={"status": "superseded", "superseded_by": "b", **proof})
    repair(files, earlier=lambda _: before)
    assert front(files, "a")["status"] == "verified"
    bare = vault(a={"status": "superseded", "superseded_by": "b"})
    repair(bare, earlier=lambda _: before)
    assert front(bare, "a")["status"] == "active"


def test_the_successor_of_a_lost_successor_takes_over() -> None:
    files = vault(
        a={"status": "superseded", "superseded_by": "b", "valid_to": "2026-03-31"},
        c={"supersedes": "[b]", "valid_from": "2026-06-01"},
    )
    repair(files)
    assert front(files, "a")["status"] == "superseded"
    assert front(files, "c")["supersedes"] == ["b", "a"]
    assert "successor-lost" not in codes(files)


@pytest.mark.parametrize("status", ["active", "verified", "disputed", "superseded", "deprecated"])
def test_an_admitted_successor_is_not_lost(status: str) -> None:
    files = vault(
        a={"status": "superseded", "superseded_by": "b", "valid_to": "2026-03-31"},
        b={"status": status, "supersedes": "[a]", "evidence": EVENT, "verification": BY_USER},
        c={"supersedes": "[b]"} if status == "superseded" else {},
    )
    assert "successor-lost" not in codes(files)


def test_a_superseded_record_gets_the_day_before_its_successor() -> None:
    files = vault(
        a={"status": "superseded", "superseded_by": "b"},
        b={"supersedes": "[a]", "valid_from": "2026-06-01"},
        c={}, d={"supersedes": "[c]", "valid_from": "2026-07-01"},
    )  # fmt: skip
    assert codes(files) == ["not-superseded", "superseded-open"]
    repair(files)
    assert front(files, "a")["valid_to"] == "2026-05-31"
    assert front(files, "c")["valid_to"] == "2026-06-30"
    assert front(files, "c")["status"] == "superseded"
    assert front(files, "c")["superseded_by"] == "d"
    assert codes(files) == []


def test_of_two_successors_the_newer_stays() -> None:
    files = vault(
        a={"status": "superseded", "superseded_by": "b", "valid_to": "2026-01-01"},
        b={"supersedes": "[a]", "created": "2026-02-01"},
        c={"supersedes": "[a]", "created": "2026-05-01"},
    )
    assert codes(files) == ["two-successors"]
    repair(files)
    assert "supersedes" not in front(files, "b")
    assert front(files, "c")["supersedes"] == ["a"]
    assert codes(files) == []


def test_a_circle_opens_at_its_oldest_record() -> None:
    for key in ("supersedes", "derived_from"):
        files = vault(
            a={key: "[b]", "created": "2026-05-01"},
            b={key: "[c]", "created": "2026-01-01"},
            c={key: "[a]", "created": "2026-03-01"},
        )
        repair(files)
        assert key not in front(files, "b")
        assert not any(code.endswith("circle") for code in codes(files))


# --- statuses


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({}, "active"),
        ({"memories/a.md": None}, "candidate"),
        ({"memories/a.md": text_of("a", status="candidate")}, "candidate"),
        ({"memories/a.md": text_of("a")}, "active"),
        ({"memories/a.md": text_of("a", status="verified")}, "active"),
    ],
)
def test_a_typed_verified_becomes_what_a_person_admitted(head: Any, expected: str) -> None:
    files = vault(a={"status": "verified"})
    assert codes(files) == ["verified-without-evidence"]
    repair(files, head)
    assert front(files, "a")["status"] == expected
    assert codes(files) == []


def test_a_verification_of_another_text_goes() -> None:
    other = "{method: user-confirmation, evidence: [e1], target_sha256: " + "0a" * 32 + "}"
    files = vault(a={"status": "verified", "evidence": EVENT, "verification": other})
    assert codes(files) == ["verification-stale"]
    repair(files)
    assert front(files, "a")["status"] == "active"
    assert "verification" not in front(files, "a")
    assert "evidence" in front(files, "a")


@pytest.mark.parametrize(
    ("written", "status"),
    [("actve", "active"), ("Canidate", "candidate"), ("depricated", "deprecated")],
)
def test_a_misspelt_status_is_offered(written: str, status: str) -> None:
    files = vault(a={"status": written})
    assert codes(files) == ["unknown-status"]
    planned = repair(files)
    assert planned.ids == ("a",)
    assert front(files, "a")["status"] == status


def test_a_status_nobody_can_guess_is_left() -> None:
    files = vault(a={"status": "xyzzy"})
    before = dict(files)
    assert repair(files).change.is_empty
    assert files == before


def test_a_jump_is_left_alone_with_all_that_hangs_on_it() -> None:
    head = {"memories/b.md": text_of("b", status="rejected", supersedes="[a]")}
    files = vault(a={}, b={"supersedes": "[a]"}, c={"supersedes": "[c]"})
    before = dict(files)
    planned = repair(files, head)
    assert planned.ids == ("c",), "the rest of the vault is repaired"
    assert {p: d for p, d in files.items() if p != "memories/c.md"} == {
        p: d for p, d in before.items() if p != "memories/c.md"
    }
    assert [(n.code, n.path) for n in planned.notes] == [
        ("repair", "memories/c.md"),
        ("status-jump", "memories/b.md"),
    ]
    repair(files, head, jumps=True)
    assert front(files, "b")["status"] == "rejected"
    assert front(files, "a")["status"] == "active"


def test_an_id_in_two_files_is_for_a_person(make_vault: Any) -> None:
    from dataclasses import replace

    from vault_cli.errors import Diagnostic

    files = vault(a={})
    files["memories/b.md"] = files["memories/a.md"]
    snapshot = read(files)
    twice = Diagnostic("", 0, "duplicate-id", "warning", "twice", "", holds=True)
    snapshot = replace(
        snapshot, records=tuple(replace(r, findings=(twice,)) for r in snapshot.records)
    )
    planned = plan_repairs(snapshot, files, {}, NOW, Actor.PERSON)
    assert planned.change.is_empty
    assert [n.code for n in planned.notes] == ["duplicate-id"] * 2
    assert "for a person to choose" in planned.notes[0].message


# --- relations


def test_a_conflict_is_answered_and_a_self_relation_goes() -> None:
    files = vault(
        甲={"conflicts": "[{id: 乙, type: goal}]"}, 乙={},
        c={"derived_from": "[c, d]", "supersedes": "[c]"}, d={"status": "rejected"},
        e={"conflicts": "[d]"},
    )  # fmt: skip
    files = {path: data for path, data in files.items() if "甲" not in path and "乙" not in path}
    files |= vault(x={"conflicts": "[{id: y, type: goal}]"}, y={"conflicts": "[z]"}, z={})
    repair(files)
    assert front(files, "y")["conflicts"] == ["z", {"id": "x", "type": "goal"}]
    assert front(files, "z")["conflicts"] == [{"id": "y", "type": "contradiction"}]
    assert front(files, "c")["derived_from"] == ["d"]
    assert "supersedes" not in front(files, "c")
    assert "conflicts" not in front(files, "d"), "what has ended is not asked for an answer"


def test_only_the_paths_asked_for() -> None:
    files = vault(a={"status": "verified"}, b={"status": "verified"})
    planned = repair(files, only=lambda path: path.endswith("b.md"))
    assert planned.ids == ("b",)
    assert front(files, "a")["status"] == "verified"


def test_texts_that_changed_meanwhile_are_refused() -> None:
    files = vault(a={"status": "verified"})
    snapshot = read(files)
    with pytest.raises(ChangedMeanwhileError):
        plan_repairs(snapshot, {"memories/a.md": b"x"}, {}, NOW, Actor.PERSON)
    with pytest.raises(ChangedMeanwhileError):
        plan_repairs(snapshot, {}, {}, NOW, Actor.PERSON)


# --- random broken vaults

NAMES = ("a", "b", "c", "d", "e")
STATUSES = (
    "active", "active", "active", "candidate", "verified", "superseded", "superseded", "rejected",
    "deprecated", "disputed", "tombstoned", "actve", "supersede",
)  # fmt: skip
DATES = ("", "2026-01-01", "2026-06-01", "2026-11-30", "2027-01-01")


@st.composite
def broken_records(draw: st.DrawFn) -> dict[str, bytes]:
    some = st.lists(st.sampled_from((*NAMES, "gone")), max_size=2, unique=True)
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    files = {}
    for name in names:
        keys = {"status": draw(st.sampled_from(STATUSES))}
        for key in ("supersedes", "derived_from", "conflicts"):
            ids = draw(some)
            if ids:
                keys[key] = f"[{', '.join(ids)}]"
        for key in ("valid_from", "valid_to", "created"):
            keys[key] = draw(st.sampled_from(DATES))
        keys["superseded_by"] = draw(st.sampled_from(("", *NAMES, "gone")))
        if draw(st.booleans()):
            target = draw(st.sampled_from(("", f", target_sha256: {'0a' * 32}")))
            keys |= {"evidence": EVENT, "verification": BY_USER.replace("}", target + "}")}
        keys = {key: value for key, value in keys.items() if value}
        files[f"memories/{name}.md"] = text_of(name, **keys)
    return files


@given(files=broken_records(), old=broken_records())
def test_after_the_repairs_nothing_is_left_to_repair(
    files: dict[str, bytes], old: dict[str, bytes]
) -> None:
    head: dict[str, bytes | None] = {p: old.get(p) for p in files if files[p] != old.get(p)}
    bodies = {path: data.partition(b"\n---\n")[2] for path, data in files.items()}
    done = {edit.path for edit in repair(files, head, jumps=True).change.edits}
    assert not set(codes(files)) & {*FIXED}
    # What was repaired is committed now; the rest still differs from the last commit.
    committed = {p: d for p, d in head.items() if d is not None and p not in done}
    assert "status-jump" not in codes(files, committed)
    head = {p: d for p, d in head.items() if p not in done}
    assert {p: d.partition(b"\n---\n")[2] for p, d in files.items()} == bodies, "no text is lost"
    assert repair(files, head, jumps=True).change.is_empty


@given(files=broken_records(), old=broken_records())
def test_jumps_are_never_hidden_by_other_repairs(
    files: dict[str, bytes], old: dict[str, bytes]
) -> None:
    head: dict[str, bytes | None] = {p: old.get(p) for p in files if files[p] != old.get(p)}
    committed = {p: d for p, d in head.items() if d is not None}
    before = {
        d.path for d in check(read(files), now=NOW, head=committed) if d.code == "status-jump"
    }
    planned = repair(files, head)
    assert before.isdisjoint(edit.path for edit in planned.change.edits)
    assert repair(files, head).change.is_empty
