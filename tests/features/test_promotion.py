"""Promotion: one record, another reach; never a copy, never without a person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from vault_cli.errors import ChangedMeanwhileError, RefusedError, UsageError
from vault_cli.features.promotion import Target, plan_move, plan_promote
from vault_cli.features.proposals import Policy, Proposal, plan_proposals
from vault_cli.features.scopes import check_scopes
from vault_cli.model.change import Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Scope

WEB = "project:github.com/acme/web"
Vaults = Callable[..., Any]
Note = Callable[..., str]


@pytest.fixture
def lesson(note: Note) -> Callable[..., dict[str, str]]:
    def write(key: str = "l-aaaaaaa", body: str = "正文。\n", **keys: str) -> dict[str, str]:
        front = {
            "id": key,
            "kind": "lesson",
            "status": "active",
            "title": f"标题 {key}",
            "scope": WEB,
        }
        return {f"memories/2026-11/{key}.md": note(body, **{**front, **keys})}

    return write


def promoted(vault: Any, to: str = "global", key: str = "l-aaaaaaa", **more: Any) -> Any:
    actor = more.pop("actor", Actor.PERSON)
    target = Target(Scope.parse(to), **more)
    return plan_promote(vault.record(key), vault.data(key), target, actor=actor)


def test_one_file_changes_and_keeps_everything_else(make_vault: Vaults, lesson: Any) -> None:
    vault = make_vault(lesson(importance="9", mine="stays # so"))
    before = vault.data("l-aaaaaaa").decode()
    (edit,) = promoted(vault, boundary="不适用于 Windows", reason="why").edits
    text = edit.data.decode()
    assert edit.path == vault.record("l-aaaaaaa").path
    assert text.replace(
        f"promoted_from: {WEB}\nboundary: 不适用于 Windows\n", ""
    ) == before.replace(f"scope: {WEB}", "scope: global")


@pytest.mark.parametrize("actor", [Actor.AGENT, Actor.HOOK, Actor.IMPORT, Actor.POLICY])
def test_only_a_person_promotes(make_vault: Vaults, lesson: Any, actor: Actor) -> None:
    with pytest.raises(RefusedError, match="for a person"):
        promoted(make_vault(lesson()), boundary="x", actor=actor)


@pytest.mark.parametrize("boundary", ["", "  \n"])
def test_what_becomes_global_says_where_it_does_not_hold(
    make_vault: Vaults, lesson: Any, boundary: str
) -> None:
    with pytest.raises(UsageError, match="boundary"):
        promoted(make_vault(lesson()), boundary=boundary)


@pytest.mark.parametrize("body", ["## Boundary\nNot on CI.\n", "## 边界\n不适用于 CI。\n"])
def test_a_boundary_in_the_text_counts(make_vault: Vaults, lesson: Any, body: str) -> None:
    assert len(promoted(make_vault(lesson(body=body))).edits) == 1


def test_narrowing_and_sessions_need_no_boundary(make_vault: Vaults, lesson: Any) -> None:
    vault = make_vault(lesson(scope="global"))
    for to in (WEB, "session:7f3a"):
        (edit,) = promoted(vault, to).edits
        assert f"scope: {to}\n".encode() in edit.data
        assert b"promoted_from: global\n" in edit.data
    assert promoted(vault, "global").is_empty


@pytest.mark.parametrize("status", ["superseded", "deprecated", "rejected", "quarantined"])
def test_what_reaches_nobody_is_not_promoted(make_vault: Vaults, lesson: Any, status: str) -> None:
    with pytest.raises(RefusedError, match=status):
        promoted(make_vault(lesson(status=status)), boundary="x")


def test_a_file_that_changed_meanwhile_is_left_alone(make_vault: Vaults, lesson: Any) -> None:
    vault = make_vault(lesson())
    target = Target(Scope(), "x")
    with pytest.raises(ChangedMeanwhileError):
        plan_promote(vault.record("l-aaaaaaa"), b"other", target, actor=Actor.PERSON)


def move(here: Any, there: Any, key: str = "l-aaaaaaa", boundary: str = "x") -> Any:
    return plan_move(
        here.record(key),
        here.data(key),
        Target(Scope(), boundary),
        there.snapshot(),
        to="user",
        actor=Actor.PERSON,
        token="t0",
    )


def test_a_move_keeps_id_status_and_evidence(make_vault: Vaults, lesson: Any) -> None:
    evidence = "[{id: e1, type: commit, commit: abc}]"
    here = make_vault(lesson(status="verified", evidence=evidence))
    there = make_vault()
    planned = move(here, there)
    there.apply(planned.arrival)
    here.apply(planned.departure)
    arrived, left = there.record("l-aaaaaaa"), here.record("l-aaaaaaa")
    assert (str(arrived.status), str(arrived.scope)) == ("verified", "global")
    assert arrived.fields["promoted_from"] == WEB
    assert arrived.fields["evidence"] == left.fields["evidence"]
    assert (str(left.status), left.fields["promoted_to"]) == ("superseded", "global (user vault)")
    assert left.body == arrived.body
    assert ("Vault-Promotion", "t0") in planned.arrival.extra
    assert ("Vault-Promotion", "t0") in planned.departure.extra
    again = move(here, there)
    assert again.arrival.is_empty
    assert again.departure.is_empty


def test_a_move_that_ended_too_soon_is_completed(make_vault: Vaults, lesson: Any) -> None:
    here, there = make_vault(lesson()), make_vault()
    there.apply(move(here, there).arrival)
    rest = move(here, there, boundary="")
    assert rest.arrival.is_empty
    assert b"status: superseded" in rest.departure.edits[0].data


def test_a_stranger_of_the_same_id_is_not_overwritten(make_vault: Vaults, lesson: Any) -> None:
    here, there = make_vault(lesson()), make_vault(lesson(body="Another.\n", scope="global"))
    with pytest.raises(RefusedError, match="stands in the other vault already"):
        move(here, there)


def test_a_taken_path_gets_another_name(make_vault: Vaults, lesson: Any, note: Note) -> None:
    here = make_vault(lesson())
    path = here.record("l-aaaaaaa").path
    there = make_vault({path: note("x\n", id="n-other", kind="note", title="Other")})
    (edit,) = move(here, there).arrival.edits
    assert isinstance(edit, Put)
    assert edit.path != path
    assert edit.path.startswith("memories/2026-11/")


def test_relations_that_stay_behind_are_named(make_vault: Vaults, lesson: Any) -> None:
    here = make_vault(lesson(derived_from="[f-gone000]"))
    (found,) = move(here, make_vault()).notes
    assert found.code == "left-behind"
    assert "f-gone000" in found.message


def test_a_skill_is_not_moved(make_vault: Vaults) -> None:
    text = "---\nname: a\ndescription: b\nmetadata:\n  mvault-id: k-aaaaaaa\n---\nText.\n"
    here = make_vault({"skills/a/SKILL.md": text})
    with pytest.raises(RefusedError, match="skill"):
        move(here, make_vault(), here.snapshot().records[0].id)


def propose(here: Any, there: Any, now: datetime, random_int: Any, **policy: Any) -> Proposal:
    asked = Policy("github.com/acme/web", **policy)
    return plan_proposals(
        here.snapshot(), there.snapshot(), asked, now=now, actor=Actor.AGENT, random_int=random_int
    )


BEST = {"importance": "10", "source": "user"}


def test_the_best_are_proposed_as_drafts(
    make_vault: Vaults, lesson: Any, now: datetime, random_int: Any
) -> None:
    files: dict[str, str] = {}
    for number in range(5):
        keys = {**BEST, "confidence": "high"} if number == 4 else BEST
        files |= lesson(f"l-aaaaaa{number}", f"正文 {number}\n", **keys)
    here, there = make_vault(files), make_vault()
    found = propose(here, there, now, random_int)
    assert [record.id for record in found.chosen] == ["l-aaaaaa4", "l-aaaaaa0", "l-aaaaaa1"]
    assert [why for _, why in found.passed_over] == ["over 3 a run"] * 2
    there.apply(found.change)
    drafts = there.snapshot().records
    assert {str(record.status) for record in drafts} == {"candidate"}
    assert {record.path.split("/")[0] for record in drafts} == {"drafts"}
    assert {record.fields["promoted_from"] for record in drafts} == {WEB}
    assert {str(record.scope) for record in drafts} == {"global"}
    second = propose(here, there, now, random_int)
    assert [record.id for record in second.chosen] == ["l-aaaaaa2", "l-aaaaaa3"]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"source": "web"}, "source is web"),
        ({"source": "tool"}, "source is tool"),
        ({"source": "doc"}, "source is doc"),
        ({"source": "import"}, "source is import"),
        ({"origin": "import"}, "imported"),
        ({"importance": "9"}, "below 10"),
        ({"source": "agent"}, "below 10"),
        ({"scope": "session:1"}, "one session"),
        ({"valid_to": "2027-01-01"}, "for a time only"),
        ({"branch": "release/*"}, "branch"),
        ({"kind": "task"}, "task stays"),
    ],
)
def test_what_is_never_proposed(
    make_vault: Vaults, lesson: Any, now: datetime, random_int: Any, keys: dict[str, str], why: str
) -> None:
    found = propose(make_vault(lesson(**{**BEST, **keys})), make_vault(), now, random_int)
    assert found.change.is_empty
    assert why in found.passed_over[0][1]


def test_an_unmarked_source_counts_and_the_floor_is_a_setting(
    make_vault: Vaults, lesson: Any, now: datetime, random_int: Any
) -> None:
    here = make_vault(lesson(importance="7"))
    assert propose(here, make_vault(), now, random_int).change.is_empty
    assert len(propose(here, make_vault(), now, random_int, floor=7).chosen) == 1
    assert propose(here, make_vault(), now, random_int, floor=7, most=0).change.is_empty


def test_nothing_is_said_twice(
    make_vault: Vaults, lesson: Any, now: datetime, random_int: Any
) -> None:
    files = lesson("l-aaaaaaa", "相同 的 文字。\n", title="同一", **BEST)
    files |= lesson("l-bbbbbbb", "相同的文字\n", title="同一", **BEST)
    here = make_vault(files)
    found = propose(here, make_vault(), now, random_int)
    assert [record.id for record in found.chosen] == ["l-aaaaaaa"]
    there = make_vault(lesson("l-ccccccc", "相同的文字！\n", title="同一", status="rejected"))
    again = propose(here, there, now, random_int)
    assert again.change.is_empty
    assert {why for _, why in again.passed_over} == {"the user vault says the same"}


def test_only_a_project_the_person_named_is_admitted_and_only_with_a_boundary(
    make_vault: Vaults, lesson: Any, now: datetime, random_int: Any
) -> None:
    files = lesson("l-aaaaaaa", "One.\n", boundary="not on CI", **BEST)
    files |= lesson("l-bbbbbbb", "Two.\n", **BEST)
    there = make_vault()
    found = propose(make_vault(files), there, now, random_int, admit=True)
    there.apply(found.change)
    assert {str(r.status): r.boundary for r in there.snapshot().records} == {
        "active": "not on CI",
        "candidate": "",
    }
    assert found.change.actor is Actor.POLICY
    assert ("Vault-Approval", "configured") in found.change.extra


def test_what_check_says_about_scopes(make_vault: Vaults, lesson: Any) -> None:
    files = lesson("l-aaaaaaa", scope="project:/home/ana/web")
    files |= lesson("l-bbbbbbb", scope="project:https://u:p@github.com/acme/web")
    files |= lesson("l-ccccccc", scope="global", promoted_from="nowhere", boundary="x")
    files |= lesson("l-ddddddd", scope="global", promoted_from=WEB)
    files |= lesson("l-eeeeeee", scope="global", origin="reflection")
    files |= lesson("l-fffffff", scope="global", source="agent")
    files |= lesson("l-ggggggg", scope="global", source="web", status="candidate")
    found = {
        item.path[17:26]: (item.code, item.severity)
        for item in check_scopes(make_vault(files).snapshot())
    }
    assert found == {
        "l-aaaaaaa": ("scope-name", "warning"),
        "l-bbbbbbb": ("scope-name", "warning"),
        "l-ccccccc": ("bad-promoted-from", "warning"),
        "l-ddddddd": ("no-boundary", "note"),
        "l-eeeeeee": ("no-boundary", "note"),
    }
    assert not any(
        "u:p@" in item.message + item.hint for item in check_scopes(make_vault(files).snapshot())
    )
