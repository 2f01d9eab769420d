from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_cli.errors import ChangedMeanwhileError, Diagnostic, RefusedError, UsageError
from vault_cli.features.drafts import needed_paths, plan_approve, plan_reject
from vault_cli.model.change import Move, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Snapshot, Status
from vault_cli.model.relations import find_circle, links_by
from vault_cli.model.validity import Validity


@pytest.fixture
def approve(now: Any, random_int: Any) -> Any:
    def run(
        vault: Any,
        *ids: Any,
        actor: Any = Actor.PERSON,
        snapshot: Any = None,
        at: Any = now,
        **keys: Any,
    ) -> Any:
        shot = snapshot or vault.snapshot()
        records = [shot.by_id[record_id] for record_id in ids]
        texts = {path: vault.files[path] for path in needed_paths(shot, records)}
        planned = plan_approve(
            shot, records, texts, now=at, actor=actor, how="terminal", random_int=random_int, **keys
        )
        vault.apply(planned.change)
        return planned

    return run


def test_a_draft_moves_to_its_folder_and_one_line_changes(
    make_vault: Any, note: Any, approve: Any
) -> None:
    text = note("# T\n\nText.\n", id="f-1", kind="fact", status="candidate # wait", cssclass="x")
    vault = make_vault({"drafts/2026-11/t-1.md": text})
    planned = approve(vault, "f-1")
    assert isinstance(planned.change.edits[0], Move)
    assert vault.files == {"memories/2026-11/t-1.md": text.replace("candidate", "active").encode()}
    assert vault.record("f-1").in_force
    assert planned.change.extra == (("Vault-Approval", "terminal"),)
    assert planned.change.subject == "(fact): T"


@pytest.mark.parametrize(
    ("path", "kind", "target"),
    [
        ("drafts/2026-11/a.md", "rule", "playbook/a.md"),
        ("drafts/2026-11/a.md", "recipe", "recipes/a.md"),
        ("drafts/a.md", "lesson", "memories/2026-12/a.md"),
        ("drafts/from-lin/a.md", "lesson", "memories/2026-12/a.md"),
        ("drafts/2026-11/发布.md", "topic", "topics/发布.md"),
        ("my/own/place.md", "lesson", "my/own/place.md"),
        ("memories/2025-01/a.md", "fact", "memories/2025-01/a.md"),
    ],
)
def test_where_it_lives_afterwards(
    make_vault: Any, note: Any, approve: Any, path: Any, kind: Any, target: Any
) -> None:
    vault = make_vault({path: note(id="l-1", kind=kind, title="T")})
    approve(vault, "l-1")
    assert vault.record("l-1").path == target


def test_a_taken_name_gets_the_id(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(
        {
            "drafts/2026-11/A.md": note(id="l-1", title="T"),
            "drafts/x/a.md": note(id="l-2", title="T", created="2026-11-01"),
            "memories/2026-11/a.md": note(id="l-3", status="active", title="T"),
        }
    )
    approve(vault, "l-1", "l-2")
    assert vault.record("l-1").path == "memories/2026-11/A-l-1.md"
    assert vault.record("l-2").path == "memories/2026-12/a.md"


def test_several_in_one_change(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(
        {f"drafts/2026-11/{n}.md": note(id=f"n-{n}", title=f"T{n}") for n in range(3)}
    )
    planned = approve(vault, "n-0", "n-1", "n-2")
    assert len(planned.change.edits) == 3
    assert planned.change.ids == ("n-0", "n-1", "n-2")
    assert planned.change.subject == ": 3 records"


def test_approving_again_is_nothing_to_do(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"memories/a.md": note(id="l-1", kind="fact", status="active", title="T")})
    planned = approve(vault, "l-1")
    assert planned.change.is_empty
    assert planned.notes[0].code == "already-active"


def test_a_status_typed_by_hand_in_drafts_still_needs_approval(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault({"drafts/2026-11/a.md": note(id="l-1", kind="fact", status="active")})
    assert not vault.record("l-1").in_force
    approve(vault, "l-1")
    assert vault.record("l-1").path == "memories/2026-11/a.md"


def test_a_note_without_an_id_gets_one(make_vault: Any, approve: Any) -> None:
    vault = make_vault({"drafts/手写.md": "# 手写\n\n内容。\n"})
    planned = approve(vault, "手写")
    record = vault.record(planned.ids[0])
    assert record.adopted
    assert record.path == "memories/2026-12/手写.md"
    assert vault.text(record.path).endswith("# 手写\n\n内容。\n")


def test_a_foreign_skill_is_approved_in_place(make_vault: Any, approve: Any) -> None:
    vault = make_vault({"skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\n\nT\n"})
    planned = approve(vault, "x")
    record = vault.record(planned.ids[0])
    assert record.in_force
    assert record.kind is Kind.SKILL
    assert set(record.fields) == {"name", "description", "metadata"}


def test_a_skill_draft_outside_skills_is_refused(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/a.md": note(id="k-1", kind="skill", title="T")})
    with pytest.raises(RefusedError):
        approve(vault, "k-1")


@pytest.mark.parametrize("actor", [Actor.AGENT, Actor.HOOK, Actor.IMPORT])
def test_only_a_person_or_a_policy_admits(
    make_vault: Any, note: Any, approve: Any, actor: Any
) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", title="T")})
    with pytest.raises(RefusedError) as caught:
        approve(vault, "l-1", actor=actor)
    assert "person" in caught.value.hint
    approve(vault, "l-1", actor=Actor.POLICY)


@pytest.mark.parametrize("status", ["rejected", "quarantined"])
def test_statuses_that_cannot_become_active(
    make_vault: Any, note: Any, approve: Any, status: Any
) -> None:
    vault = make_vault({"a.md": note(id="l-1", title="T", status=status)})
    with pytest.raises(RefusedError):
        approve(vault, "l-1")


def test_missing_parts_warn_and_do_not_block(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", kind="lesson", title="T")})
    planned = approve(vault, "l-1")
    assert {note.code for note in planned.notes} == {"missing-part"}
    assert vault.record("l-1").in_force


def held(vault: Any, record_id: Any, *codes: Any) -> Any:
    """The snapshot with findings on a record that hold it."""
    shot = vault.snapshot()
    findings = tuple(Diagnostic("x", 3, c, "warning", "m", holds=True) for c in codes)
    records = tuple(
        replace(r, findings=r.findings + findings) if r.id == record_id else r for r in shot.records
    )
    return replace(shot, records=records)


def test_a_holding_finding_refuses_with_all_findings(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", title="T", approved_by="Lin")})
    shot = held(vault, "l-1", "hidden-characters")
    with pytest.raises(RefusedError) as caught:
        approve(vault, "l-1", snapshot=shot)
    assert {d.code for d in caught.value.diagnostics} == {"trust-claim", "hidden-characters"}
    assert "--allow" in caught.value.hint
    with pytest.raises(RefusedError) as caught:
        approve(vault, "l-1", snapshot=shot, allow=["trust-claim"], reason="seen")
    assert [d.code for d in caught.value.diagnostics] == ["hidden-characters"]


def test_allowing_a_finding_needs_a_reason_and_is_written_down(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", kind="fact", title="T", approved_by="Lin")})
    with pytest.raises(UsageError):
        approve(vault, "l-1", allow=["trust-claim"])
    planned = approve(
        vault, "l-1", allow=["trust-claim", "ansi"], reason="it is only the reviewer's name"
    )
    record = vault.record("l-1")
    assert record.allow == ("trust-claim",)
    assert record.held_by == ()
    assert planned.change.reason == "it is only the reviewer's name"


def test_a_duplicate_id_cannot_be_allowed(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", title="T")})
    with pytest.raises(RefusedError) as caught:
        approve(
            vault, "l-1", snapshot=held(vault, "l-1", "duplicate-id"),
            allow=["duplicate-id"], reason="x",
        )  # fmt: skip
    assert "solved in the files" in caught.value.hint


def test_stale_or_missing_bytes(make_vault: Any, note: Any, now: Any, random_int: Any) -> None:
    vault = make_vault({"drafts/a.md": note(id="l-1", title="T")})
    for texts in ({}, {"drafts/a.md": b"other"}):
        with pytest.raises(ChangedMeanwhileError):
            plan_approve(
                vault.snapshot(), [vault.record("l-1")], texts,
                now=now, actor=Actor.PERSON, how="", random_int=random_int,
            )  # fmt: skip


def test_twice_given_keys_with_one_value_survive_the_approval(
    cases: Any, make_vault: Any, approve: Any
) -> None:
    data = (cases / "rf-05-the-same-key-twice" / "vault" / "twice.md").read_bytes()
    vault = make_vault({"drafts/twice.md": data})
    approve(vault, "m-d501")
    text = vault.text(vault.record("m-d501").path)
    assert text.count('banner: "img/a.jpg"') == 2


# --- supersession


def pair(note: Any, old: Any = None, new: Any = None) -> Any:
    first = {
        "id": "f-1",
        "kind": "fact",
        "status": "active",
        "title": "技术栈",
        "valid_from": "2026-01-10",
    }
    second = {"id": "f-2", "kind": "fact", "title": "Stack", "supersedes": "[f-1]"}
    return {
        "memories/old.md": note("项目使用 FastAPI 和 PostgreSQL。\n", **{**first, **(old or {})}),
        "drafts/2026-12/new.md": note("FastAPI and MySQL.\n", **{**second, **(new or {})}),
    }


def test_the_successor_takes_effect_in_the_same_change(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault(pair(note))
    before = vault.text("memories/old.md")
    planned = approve(vault, "f-2", reason="moved to MySQL")
    old, new = vault.record("f-1"), vault.record("f-2")
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert old.validity.end == date(2026, 12, 14)
    assert new.validity.start == date(2026, 12, 15)
    assert old.fields["superseded_by"] == "f-2"
    assert new.supersedes == ("f-1",)
    assert {type(edit) for edit in planned.change.edits} == {Put, Move}
    after = vault.text("memories/old.md")
    assert after == before.replace("active", "superseded").replace(
        "valid_from: 2026-01-10\n",
        "valid_from: 2026-01-10\nsuperseded_by: f-2\nvalid_to: 2026-12-14\n",
    )


@pytest.mark.parametrize(
    ("old", "new", "valid_to", "status"),
    [
        ({}, {"valid_from": "2026-06-01"}, "2026-05-31", "superseded"),
        ({"valid_to": "2026-02-28"}, {"valid_from": "2026-06-01"}, "2026-02-28", "superseded"),
        ({"valid_to": "2027-02-28"}, {"valid_from": "2026-06-01"}, "2026-05-31", "superseded"),
        ({"valid_from": "2026-12-15"}, {}, "2026-12-15", "superseded"),
        ({}, {"valid_from": "2027-01-01"}, "2026-12-31", "active"),
        ({}, {"valid_from": "2026-12-01T10:00:00Z"}, "2026-12-01T10:00:00Z", "superseded"),
        (
            {"valid_to": "2026-11-30T10:00:00Z"},
            {"valid_from": "2026-12-01"},
            "2026-11-30T10:00:00Z",
            "superseded",
        ),
    ],
)
def test_when_the_old_one_ends(
    make_vault: Any, note: Any, approve: Any, old: Any, new: Any, valid_to: Any, status: Any
) -> None:
    vault = make_vault(pair(note, old, new))
    approve(vault, "f-2")
    record = vault.record("f-1")
    assert record.fields["valid_to"] == valid_to
    assert record.written_status == status


def test_a_future_successor_leaves_the_old_one_in_force_and_says_so(
    make_vault: Any, note: Any, approve: Any
) -> None:
    vault = make_vault(pair(note, new={"valid_from": "2027-01-01"}))
    planned = approve(vault, "f-2")
    assert [n.code for n in planned.notes] == ["superseded-later"]
    records = [vault.record("f-1"), vault.record("f-2")]
    for day in range(30):
        moment = datetime(2026, 12, 20, 12, tzinfo=UTC) + timedelta(days=day)
        current = [r for r in records if r.in_force and r.validity.state_at(moment) == "current"]
        assert len(current) == 1


@pytest.mark.parametrize(
    ("created", "new_start", "end"),
    [
        ("2026-12-15T01:00:00Z", "", "2026-12-15"),  # it never held on the day before
        ("2026-12-14T20:00:00Z", "", "2026-12-15"),  # the same day in Shanghai
        ("2026-12-15", "2026-12-15", "2026-12-15"),
        ("2026-12-15T01:00:00Z", "2026-12-15T04:00:00Z", "2026-12-15T04:00:00Z"),
        ("2026-10-01T01:00:00Z", "", "2026-12-14"),
        ("2026-12-15T01:00:00Z", "2026-05-01", "2026-04-30"),  # said on purpose: wrong since May
        ("no date", "", "2026-12-14"),
    ],
)
def test_what_was_created_on_the_day_its_successor_begins_ends_on_that_day(
    make_vault: Any, note: Any, approve: Any, created: str, new_start: str, end: str
) -> None:
    old = {"created": created, "valid_from": ""}
    new = {"valid_from": new_start} if new_start else {}
    vault = make_vault(pair(note, old=old, new=new))
    approve(vault, "f-2")
    old_record = vault.record("f-1")
    assert old_record.status is Status.SUPERSEDED
    assert old_record.fields["valid_to"] == end


days = st.dates(date(2026, 1, 1), date(2027, 12, 31))


@settings(max_examples=100, deadline=None)
@given(old_start=st.none() | days, old_end=st.none() | days, new_start=st.none() | days)
def test_exactly_one_is_current_on_each_day(old_start: Any, old_end: Any, new_start: Any) -> None:
    from vault_cli.features import supersession
    from vault_cli.model.record import Record

    if old_start and old_end and old_end < old_start:
        old_end = None
    now = datetime(2026, 12, 15, 12, tzinfo=UTC)
    old = Record(
        "f-1", Kind.FACT, "a.md", "", Status.ACTIVE, "T", "", validity=Validity(old_start, old_end)
    )
    start = new_start or now.date()
    closing = supersession._closing_end(old, start, now)
    end = date.fromisoformat(closing) if closing else old_end
    assert end is not None
    assert old_end is None or end <= old_end
    assert old_start is None or end >= old_start
    if old_start is None or old_start < start:
        assert end < start


def test_an_unknown_predecessor_is_refused(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(pair(note, new={"supersedes": "[m-9999]"}))
    with pytest.raises(RefusedError) as caught:
        approve(vault, "f-2")
    assert "m-9999" in caught.value.message


def test_a_record_cannot_supersede_itself(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(pair(note, new={"supersedes": "[f-2]"}))
    with pytest.raises(RefusedError) as caught:
        approve(vault, "f-2")
    assert "itself" in caught.value.message


def test_a_circle_is_refused(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(pair(note, old={"supersedes": "[f-3]"}))
    vault.files["c.md"] = note(
        id="f-3", status="superseded", title="C", supersedes="[f-2]"
    ).encode()
    with pytest.raises(RefusedError) as caught:
        approve(vault, "f-2")
    assert "f-2 -> f-1 -> f-3 -> f-2" in caught.value.message


def test_one_successor_only(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(pair(note))
    approve(vault, "f-2")
    vault.files["drafts/third.md"] = note(id="f-3", title="Third", supersedes="[f-1]").encode()
    with pytest.raises(RefusedError) as caught:
        approve(vault, "f-3")
    assert "already superseded by f-2" in caught.value.message


def test_two_successors_or_a_chain_in_one_approval_are_refused(
    make_vault: Any, note: Any, approve: Any
) -> None:
    files = pair(note)
    files["drafts/third.md"] = note(id="f-3", title="Third", supersedes="[f-1]")
    files["drafts/fourth.md"] = note(id="f-4", title="Fourth", supersedes="[f-2]")
    vault = make_vault(files)
    for ids in (("f-2", "f-3"), ("f-2", "f-4")):
        with pytest.raises(RefusedError):
            approve(vault, *ids)


def test_a_predecessor_in_two_files_is_refused(make_vault: Any, note: Any, approve: Any) -> None:
    files = pair(note)
    files["copy.md"] = files["memories/old.md"]
    vault = make_vault(files)
    with pytest.raises(RefusedError) as caught:
        approve(vault, "f-2")
    assert "copy.md" in caught.value.message


def test_an_ended_predecessor_stays_as_it_is(make_vault: Any, note: Any, approve: Any) -> None:
    vault = make_vault(pair(note, old={"status": "deprecated"}))
    before = vault.files["memories/old.md"]
    planned = approve(vault, "f-2")
    assert vault.files["memories/old.md"] == before
    assert [n.code for n in planned.notes] == ["superseded-ended"]


@pytest.mark.parametrize(
    ("status", "command"),
    [("deprecated", "revive"), ("superseded", "revive"), ("rejected", "revive"),
     ("disputed", "resolve")],
)  # fmt: skip
def test_only_a_draft_is_approved(
    make_vault: Any, note: Any, approve: Any, status: Any, command: Any
) -> None:
    vault = make_vault({"memories/a.md": note(id="f-1", kind="fact", status=status, title="T")})
    with pytest.raises(RefusedError, match="only a draft is approved") as caught:
        approve(vault, "f-1", reason="back in use")
    assert f"mvault {command} f-1" in caught.value.hint


def test_what_a_draft_says_of_its_end_goes(make_vault: Any, note: Any, approve: Any) -> None:
    text = note(id="f-1", kind="fact", status="active", title="T", deprecated="{reason: old}")
    vault = make_vault({"drafts/a.md": text})
    approve(vault, "f-1")
    assert "deprecated" not in vault.text("memories/2026-12/a.md")


def test_the_predecessor_is_named_by_the_commit(make_vault: Any, note: Any, approve: Any) -> None:
    planned = approve(make_vault(pair(note)), "f-2")
    assert (planned.change.ids, planned.change.touched) == (("f-2",), ("f-1",))


# --- rejection


@pytest.fixture
def reject(now: Any, random_int: Any) -> Any:
    def run(
        vault: Any, record_id: Any, reason: Any = "not true any more", actor: Any = Actor.PERSON
    ) -> Any:
        planned = plan_reject(
            vault.snapshot(),
            vault.record(record_id),
            vault.data(record_id),
            reason=reason,
            now=now,
            actor=actor,
            random_int=random_int,
        )
        vault.apply(planned.change)
        return planned

    return run


def test_a_rejected_draft_stays_and_a_decision_says_why(
    make_vault: Any, note: Any, reject: Any
) -> None:
    vault = make_vault(
        {
            "drafts/2026-12/a.md": note(
                id="l-1", title="'Use npx: always'", scope="project:web", topics="[node]"
            )
        }
    )
    planned = reject(vault, "l-1", "it: downloads")
    draft = vault.record("l-1")
    assert draft.path == "drafts/2026-12/a.md"
    assert draft.status is Status.REJECTED
    assert draft.fields["rejected"] == {"reason": "it: downloads", "at": "2026-12-15T10:02:11Z"}
    decision = vault.record(planned.ids[1])
    assert decision.kind is Kind.DECISION
    assert decision.in_force
    assert decision.path.startswith("memories/2026-12/")
    assert decision.derived_from == ("l-1",)
    assert decision.title == "Not adopted: Use npx: always"
    assert (str(decision.scope), decision.topics) == ("project:web", ("node",))
    assert "## Reason\nit: downloads" in decision.body
    assert planned.change.reason == "it: downloads"
    assert reject(vault, "l-1").change.is_empty


def test_rejecting_a_hand_written_chinese_draft(make_vault: Any, reject: Any) -> None:
    vault = make_vault({"drafts/手写.md": "# 总是用 npx\n\n内容。\n"})
    planned = reject(vault, "手写", "会联网下载")
    decision = vault.record(planned.ids[1])
    assert decision.title == "不采纳：总是用 npx"
    assert "## 理由\n会联网下载" in decision.body
    assert decision.derived_from == (planned.ids[0],)
    assert vault.record(planned.ids[0]).adopted


def test_rejecting_needs_a_reason_a_person_and_a_draft(
    make_vault: Any, note: Any, reject: Any
) -> None:
    vault = make_vault(
        {
            "drafts/a.md": note(id="l-1", title="T"),
            "b.md": note(id="l-2", title="T", status="active"),
        }
    )
    with pytest.raises(UsageError):
        reject(vault, "l-1", "  ")
    with pytest.raises(RefusedError):
        reject(vault, "l-1", actor=Actor.AGENT)
    with pytest.raises(RefusedError):
        reject(vault, "l-2")


def test_needed_paths_name_predecessors_once(make_vault: Any, note: Any) -> None:
    vault = make_vault(pair(note))
    shot = vault.snapshot()
    assert needed_paths(shot, [shot.by_id["f-2"], shot.by_id["f-1"]]) == (
        "drafts/2026-12/new.md",
        "memories/old.md",
    )
    assert needed_paths(Snapshot(), []) == ()


def test_a_skill_with_our_own_status_key_is_patched_there(make_vault: Any, approve: Any) -> None:
    text = "---\nname: x\ndescription: d\nid: k-1\nstatus: candidate\n---\n\nT\n"
    vault = make_vault({"skills/x/SKILL.md": text})
    approve(vault, "k-1")
    assert vault.text("skills/x/SKILL.md") == text.replace("candidate", "active")


def test_a_skill_whose_metadata_is_no_map_is_refused(make_vault: Any, approve: Any) -> None:
    vault = make_vault(
        {"skills/x/SKILL.md": "---\nname: x\ndescription: d\nmetadata: [a]\n---\nT\n"}
    )
    with pytest.raises(RefusedError):
        approve(vault, "x")


@pytest.mark.parametrize("codes", [("odd",), ("odd", "strange")])
def test_allowing_findings_of_a_skill(make_vault: Any, approve: Any, codes: Any) -> None:
    text = "---\nname: x\ndescription: d\nmetadata:\n  mvault-id: k-1\n---\nT\n"
    vault = make_vault({"skills/x/SKILL.md": text})
    approve(vault, "k-1", snapshot=held(vault, "k-1", *codes), allow=codes, reason="read")
    assert vault.record("k-1").allow == codes


def test_a_skill_takes_the_place_of_another(make_vault: Any, approve: Any) -> None:
    old = "---\nname: a\ndescription: d\nmetadata:\n  mvault-id: k-1\n  mvault-status: active\n---\nT\n"
    new = "---\nname: b\ndescription: d\nmetadata:\n  mvault-id: k-2\n  mvault-supersedes: k-1\n---\nT\n"
    vault = make_vault({"skills/a/SKILL.md": old, "skills/b/SKILL.md": new})
    approve(vault, "k-2")
    assert vault.record("k-1").status is Status.SUPERSEDED
    assert vault.record("k-1").fields["metadata"]["mvault-superseded-by"] == "k-2"
    assert "valid_from" not in vault.text("skills/b/SKILL.md")


def test_an_exact_start_before_the_old_one_began(make_vault: Any, note: Any, approve: Any) -> None:
    old = {"valid_from": "2026-12-10T00:00:00Z"}
    vault = make_vault(pair(note, old, {"valid_from": "2026-12-01T10:00:00Z"}))
    approve(vault, "f-2")
    assert vault.record("f-1").fields["valid_to"] == "2026-12-10T00:00:00Z"


def test_a_diamond_is_no_circle(make_vault: Any, note: Any) -> None:
    vault = make_vault(
        {
            "a.md": note(id="a", supersedes="[b, c]"),
            "b.md": note(id="b", supersedes="[d]"),
            "c.md": note(id="c", supersedes="[d]"),
            "d.md": note(id="d"),
        }
    )
    assert find_circle("a", links_by(vault.snapshot().by_id, "supersedes")) == ()
