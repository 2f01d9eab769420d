from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import ChangedMeanwhileError, RefusedError, UsageError
from vault_cli.features.evidence import (
    VerifyRequest,
    needed_paths,
    parse_evidence,
    plan_verify,
)
from vault_cli.features.health import check
from vault_cli.features.support import (
    chain_of,
    dependents_of,
    require_sound_links,
)
from vault_cli.model.evidence import claim_digest, is_verified
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status

HASH = "0a" * 32
EVENT = {"type": "session-event", "session": "7f", "start": 120, "end": "188"}
SOURCE = {"type": "external-uri", "uri": "https://docs.invalid/a", "captured_sha256": HASH}
REPORT = {"type": "review-report", "location": "r.md", "sha256": HASH, "target_sha256": HASH}


@pytest.fixture
def verify(now: Any) -> Any:
    def run(vault: Any, name: str, *evidence: Any, actor: Any = Actor.PERSON, **more: Any) -> Any:
        record, snapshot = vault.record(name), vault.snapshot()
        texts = {path: vault.files[path] for path in needed_paths(snapshot, (record,))}
        planned = plan_verify(
            snapshot, record, texts, VerifyRequest(evidence, **more),
            now=now, actor=actor, random_int=lambda n: 0,
        )  # fmt: skip
        vault.apply(planned.change)
        return planned

    return run


def fact(
    note: Any, name: str = "f-1", body: str = "# 预发环境\n\n有两台机器。\n", **keys: str
) -> str:
    return str(note(body, id=name, kind="fact", status="active", title="预发环境", **keys))


def test_a_record_in_force_becomes_verified(make_vault: Any, note: Any, verify: Any) -> None:
    vault = make_vault({"memories/a.md": fact(note)})
    planned = verify(vault, "f-1", EVENT, by="Lin", reason="looked at it together")
    assert planned.change.verb == "verify"
    assert planned.change.ids == ("f-1",)
    assert planned.change.reason == "looked at it together"
    record = vault.record("f-1")
    assert record.written_status is Status.VERIFIED
    assert is_verified(record)
    assert record.fields["evidence"] == [
        {"id": "e1", "type": "session-event", "session": "7f", "start": "120", "end": "188",
         "observed": "2026-12-15"}
    ]  # fmt: skip
    assert record.fields["verification"] == {
        "method": "user-confirmation", "actor": "Lin", "evidence": ["e1"],
        "at": "2026-12-15T02:00:00Z", "target_sha256": claim_digest(record),
    }  # fmt: skip
    assert record.body == "# 预发环境\n\n有两台机器。\n"
    assert "start: 120, end: 188" in vault.text("memories/a.md")


def findings(vault: Any, now: Any) -> Any:
    return check(vault.snapshot(), now=now, load=vault.files.__getitem__)


@pytest.fixture
def now() -> Any:
    from datetime import datetime, timedelta, timezone

    return datetime(2026, 12, 15, 10, tzinfo=timezone(timedelta(hours=8)))


def test_verifying_again_says_so_and_a_changed_text_is_tied_anew(
    make_vault: Any, note: Any, verify: Any, now: Any
) -> None:
    vault = make_vault({"memories/a.md": fact(note)})
    verify(vault, "f-1", EVENT, by="Lin")
    assert verify(vault, "f-1").change.is_empty
    assert verify(vault, "f-1", "e1").change.is_empty
    assert verify(vault, "f-1", dict(EVENT)).change.is_empty, "an equal entry is the same entry"
    vault.files["memories/a.md"] = vault.files["memories/a.md"].replace(
        "两".encode(), "三".encode()
    )
    found = [(d.code, d.severity, d.line) for d in findings(vault, now)]
    line = vault.text("memories/a.md").split("\n").index("verification:") + 1
    assert found == [("verification-stale", "error", line)]
    assert not is_verified(vault.record("f-1"))
    assert not verify(vault, "f-1").change.is_empty
    assert is_verified(vault.record("f-1"))
    assert vault.record("f-1").fields["verification"]["actor"] == "Lin"
    assert check(vault.snapshot(), now=now) == []


def test_a_draft_is_approved_by_it_under_all_the_rules(
    make_vault: Any, note: Any, verify: Any
) -> None:
    draft = note("New.\n", id="f-2", kind="fact", status="candidate", title="N", supersedes="[f-1]")
    vault = make_vault({"memories/a.md": fact(note), "drafts/2026-12/n.md": draft})
    planned = verify(vault, "f-2", SOURCE)
    assert vault.record("f-2").path == "memories/2026-12/n.md"
    assert is_verified(vault.record("f-2"))
    assert vault.record("f-2").fields["verification"]["method"] == "independent-source"
    assert vault.record("f-1").status is Status.SUPERSEDED
    assert len(planned.change.edits) == 2
    held = note(
        "See \u202etxt.exe\u202c here\n", id="n-1", kind="note", status="candidate", title="T"
    )
    vault = make_vault({"drafts/n.md": held})
    with pytest.raises(RefusedError, match="held back"):
        verify(vault, "n-1", EVENT)
    gone = note("New.\n", id="f-3", kind="fact", status="candidate", title="N", supersedes="[zz]")
    vault = make_vault({"drafts/n.md": gone})
    with pytest.raises(RefusedError, match="not in the vault"):
        verify(vault, "f-3", EVENT)


@pytest.mark.parametrize(
    ("evidence", "method", "words"),
    [
        ((), "", "it has no evidence"),
        ((REPORT,), "", "review-report"),
        ((REPORT,), "independent-source", "review-report"),
        ((SOURCE,), "user-confirmation", "needs a session-event"),
        ((SOURCE,), "tool-reproduction", "needs a session-event"),
        ((EVENT,), "independent-source", "needs an external-uri"),
        (({**EVENT, "end": None},), "", "end is missing"),
        (({**EVENT, "end": 7},), "", "end is before start"),
        (({**SOURCE, "captured_sha256": ""},), "", "captured_sha256 is missing"),
        (({**SOURCE, "uri": "https://own.invalid"},), "", "own source"),
        (({"type": "file", "path": "/etc/passwd", "blob": "3b18e51"},), "", "absolute path"),
        (({**EVENT, "id": "e7"}, {**SOURCE, "id": "e7"}), "", "other evidence called e7"),
    ],
)
def test_what_is_not_enough_is_refused_and_nothing_changes(
    make_vault: Any, note: Any, verify: Any, evidence: Any, method: str, words: str
) -> None:
    vault = make_vault({"memories/a.md": fact(note, source_url="https://own.invalid")})
    before = dict(vault.files)
    with pytest.raises(RefusedError) as caught:
        verify(vault, "f-1", *evidence, method=method)
    assert words in caught.value.message
    assert caught.value.exit_code == 4
    assert vault.files == before


def test_evidence_on_file_that_is_incomplete_is_named(
    make_vault: Any, note: Any, verify: Any
) -> None:
    half = "[{id: e1, type: session-event, session: s, start: 1}]"
    vault = make_vault({"memories/a.md": fact(note, evidence=half)})
    with pytest.raises(RefusedError, match="e1 is not complete: evidence 1 end is missing"):
        verify(vault, "f-1", "e1")
    with pytest.raises(UsageError, match="no evidence 'e9'"):
        verify(vault, "f-1", "e9")
    verify(vault, "f-1", EVENT)
    assert [e["id"] for e in vault.record("f-1").fields["evidence"]] == ["e1", "e2"]
    assert vault.record("f-1").fields["verification"]["evidence"] == ["e2"]


@pytest.mark.parametrize("actor", [actor for actor in Actor if actor is not Actor.PERSON])
def test_only_a_person_verifies(make_vault: Any, note: Any, verify: Any, actor: Any) -> None:
    vault = make_vault({"memories/a.md": fact(note)})
    with pytest.raises(RefusedError, match="cannot become verified"):
        verify(vault, "f-1", EVENT, actor=actor)


@pytest.mark.parametrize(
    "status", ["superseded", "deprecated", "rejected", "quarantined", "tombstoned"]
)
def test_what_has_ended_is_not_verified(
    make_vault: Any, note: Any, verify: Any, status: str
) -> None:
    vault = make_vault({"a.md": note(id="f-1", kind="fact", status=status, title="T")})
    with pytest.raises(RefusedError, match=f"{status} cannot become verified"):
        verify(vault, "f-1", EVENT)


def test_a_file_that_changed_meanwhile_or_a_skill(make_vault: Any, note: Any, now: Any) -> None:
    skill = note(name="x", description="d", metadata="{mvault-id: k-1, mvault-status: active}")
    vault = make_vault({"memories/a.md": fact(note), "skills/x/SKILL.md": skill})
    more = {"now": now, "actor": Actor.PERSON, "random_int": lambda n: 0}
    with pytest.raises(ChangedMeanwhileError):
        plan_verify(vault.snapshot(), vault.record("f-1"), {"memories/a.md": b"x"},
                    VerifyRequest((EVENT,)), **more)  # fmt: skip
    with pytest.raises(RefusedError, match="is a skill"):
        plan_verify(vault.snapshot(), vault.record("k-1"), {}, VerifyRequest((EVENT,)), **more)


# --- what is typed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("session-event:session=7f,start=120,end=188",
         {"type": "session-event", "session": "7f", "start": "120", "end": "188"}),
        (f"external-uri:uri=https://a.invalid/?q=1,2&r=3,captured-sha256={HASH}",
         {"type": "external-uri", "uri": "https://a.invalid/?q=1,2&r=3", "captured_sha256": HASH}),
        ("file:path=源/甲, 乙.py,line=3,blob=3b18e51",
         {"type": "file", "path": "源/甲, 乙.py", "line": "3", "blob": "3b18e51"}),
        ('{"type": "task", "task": "t-1", "observed": "2026-11-30"}',
         {"type": "task", "task": "t-1", "observed": "2026-11-30"}),
    ],
)  # fmt: skip
def test_evidence_as_typed(text: str, expected: Any) -> None:
    assert parse_evidence(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("session-events:session=1", "Did you mean session-event?"),
        ("session-event:7f", "session-event:session=…,start=…,end=…"),
        ("{not json", "session-event:session=7f,start=120,end=188"),
        ("[1]", "unknown type of evidence"),
        ('{"task": "t-1"}', "Known: session-event"),
    ],
)
def test_what_cannot_be_read_says_how_to_write_it(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_evidence(text)
    assert words in f"{caught.value.message} {caught.value.hint}"


# --- findings


def test_each_malformed_entry_is_one_finding_on_its_line(
    make_vault: Any, note: Any, now: Any
) -> None:
    evidence = f"""
  - {{id: e1, type: session-event, session: s, start: 1, end: 2, observed: 2026-11-30}}
  - id: e2
    type: session-event
    session: s
    start: 9
    end: 2
    observed: 2026-11-30
  - {{id: e3, type: imported-file, provider: p, path: /home/lin/a.md, sha256: {HASH}}}
  - {{id: e4, type: guess}}
  - {{id: e1, type: task, task: t-1, observed: 2026-11-30}}
  - {{id: e5, type: commit, commit: 5278b95}}"""
    vault = make_vault({"memories/a.md": fact(note, evidence=evidence)})
    found = [d for d in check(vault.snapshot(), now=now, load=vault.files.__getitem__)
             if d.code == "bad-evidence"]  # fmt: skip
    lines = vault.text("memories/a.md").split("\n")
    assert [(lines[d.line - 1].strip()[:9], d.severity) for d in found] == [
        ("end: 2", "warning"),
        ("- {id: e3", "warning"),
        ("- {id: e4", "warning"),
        ("- {id: e1", "warning"),
        ("- {id: e5", "note"),
    ]
    assert [d.message.partition(" ")[2].partition(" ")[0] for d in found] == list("23456")


def test_lost_support_is_a_finding(make_vault: Any, note: Any, now: Any) -> None:
    vault = make_vault({
        "a.md": fact(note, "f-1", derived_from="[f-2]"),
        "b.md": note("T.\n", id="f-2", kind="fact", status="disputed", title="二"),
        "c.md": fact(note, "f-3", derived_from="[f-1, f-4]"),
        "d.md": fact(note, "f-4"),
        "e.md": fact(note, "f-5", derived_from="[f-6]"),
        "f.md": fact(note, "f-6", derived_from="[f-5]"),
    })  # fmt: skip
    found = [
        (d.code, d.path, d.line) for d in check(vault.snapshot(), now=now, load=vault.files.get)
    ]
    assert found == [
        ("support-lost", "a.md", 6),
        ("support-weakened", "c.md", 6),
        ("derived-from-circle", "e.md", 6),
        ("support-lost", "e.md", 6),
        ("support-lost", "f.md", 6),
    ]


# --- guards and chains


@pytest.fixture
def net(make_vault: Any, note: Any) -> Any:
    return make_vault({
        "a.md": fact(note, "f-1", derived_from="[f-2]", supersedes="[f-3]"),
        "b.md": fact(note, "f-2", derived_from="[f-3, x1]"),
        "c.md": fact(note, "f-3", aliases="[x3]"),
        "d.md": note("T.\n", id="f-4", kind="fact", status="rejected", title="四", aliases="[x1]"),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("record_id", "relations", "words"),
    [
        ("f-9", {"derived_from": ["f-8"]}, "derived_from: f-8 is not in the vault"),
        ("f-9", {"supersedes": ["f-9"]}, "f-9 cannot name itself"),
        ("f-9", {"conflicts": ["f-8"]}, "conflicts: f-8 is not in the vault"),
        ("f-3", {"derived_from": ["f-1"]}, "f-3 -> f-1 -> f-2 -> f-3"),
        ("f-3", {"supersedes": ["f-1"]}, "f-3 -> f-1 -> f-3"),
    ],
)
def test_relations_that_are_not_sound_are_refused(
    net: Any, record_id: str, relations: Any, words: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        require_sound_links(net.snapshot(), record_id, relations)
    assert words in caught.value.message


def test_sound_relations_pass(net: Any) -> None:
    relations = {"derived_from": ["f-1", "x3"], "supersedes": ["f-1"], "conflicts": ["f-2", "f-4"]}
    require_sound_links(net.snapshot(), "f-9", relations)


def test_the_chain_names_what_is_lost_and_by_whom(net: Any) -> None:
    chain = chain_of(net.snapshot(), net.record("f-1"))
    assert [(r.id, r.depth, r.by, r.why) for r in chain] == [
        ("f-2", 1, "f-1", ""),
        ("f-3", 2, "f-2", ""),
        ("x1", 2, "f-2", "rejected"),
    ]
    assert chain[2].record is not None
    assert chain[2].record.id == "f-4"
    assert [r.id for r in dependents_of(net.snapshot(), net.record("f-4"))] == ["f-2"]


def test_a_chain_of_a_circle_ends(make_vault: Any, note: Any) -> None:
    vault = make_vault(
        {"a.md": fact(note, "a", derived_from="[b]"), "b.md": fact(note, "b", derived_from="[a]")}
    )
    assert [(r.id, r.depth) for r in chain_of(vault.snapshot(), vault.record("a"))] == [
        ("b", 1),
        ("a", 2),
    ]
