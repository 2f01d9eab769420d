from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.grounds import precedent_of
from vault_cli.features.succeeding import plan_successor, plan_supersede
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Status, Tally


@pytest.fixture
def link(now: Any) -> Any:
    def run(vault: Any, old: Any = "f-1", new: Any = "f-2", actor: Any = Actor.PERSON,
            **keys: Any) -> Any:  # fmt: skip
        shot = vault.snapshot()
        planned = plan_supersede(
            shot, shot.by_id[old], shot.by_id[new], vault.files, now=now, actor=actor, **keys
        )
        vault.apply(planned.change)
        return planned

    return run


@pytest.fixture
def succeed(now: Any, random_int: Any) -> Any:
    def run(vault: Any, values: Any, actor: Any = Actor.AGENT, **keys: Any) -> Any:
        shot = vault.snapshot()
        planned = plan_successor(
            shot, shot.by_id["f-1"], values, now=now, actor=actor, origin="cli",
            random_int=random_int, **keys,
        )  # fmt: skip
        vault.apply(planned.change)
        return planned

    return run


def fact(note: Any, **keys: str) -> str:
    return note(**{"id": "f-1", "kind": "fact", "status": "active", "title": "T", **keys})


def test_a_draft_waits_for_its_approval(make_vault: Any, note: Any, link: Any) -> None:
    files = {"a.md": fact(note), "drafts/b.md": fact(note, id="f-2", status="candidate")}
    vault = make_vault(files)
    planned = link(vault, actor=Actor.AGENT, reason="搬家了")
    assert vault.record("f-2").supersedes == ("f-1",)
    assert vault.text("a.md") == files["a.md"]
    assert (planned.change.ids, planned.change.touched) == (("f-2",), ("f-1",))
    assert planned.change.reason == "搬家了"
    assert link(vault).change.is_empty


def test_a_record_in_force_takes_effect_at_once(make_vault: Any, note: Any, link: Any) -> None:
    vault = make_vault({"a.md": fact(note), "b.md": fact(note, id="f-2")})
    with pytest.raises(RefusedError, match="for a person"):
        link(vault, actor=Actor.AGENT)
    link(vault)
    old = vault.record("f-1")
    assert (old.status, old.fields["superseded_by"]) == (Status.SUPERSEDED, "f-2")
    assert str(old.validity.end) == "2026-12-14"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ({}, {"status": "deprecated"}, "cannot take the place"),
        ({"status": "deprecated"}, {}, "nothing to take the place of"),
        ({"status": "rejected"}, {}, "nothing to take the place of"),
        ({"supersedes": "[f-2]"}, {}, "in a circle"),
        ({}, {"supersedes": "[f-9]"}, "not in the vault"),
    ],
)
def test_what_cannot_be(
    make_vault: Any, note: Any, link: Any, old: Any, new: Any, words: str
) -> None:
    vault = make_vault({"a.md": fact(note, **old), "b.md": fact(note, **{"id": "f-2", **new})})
    with pytest.raises(RefusedError, match=words):
        link(vault)


def test_one_successor_and_not_itself(make_vault: Any, note: Any, link: Any) -> None:
    vault = make_vault(
        {
            "a.md": fact(note, status="superseded"),
            "b.md": fact(note, id="f-2"),
            "c.md": fact(note, id="f-3", supersedes="[f-1]"),
        }
    )
    with pytest.raises(RefusedError, match="already superseded by f-3") as caught:
        link(vault)
    assert "mvault supersede f-3" in caught.value.hint
    with pytest.raises(RefusedError, match="itself"):
        link(vault, "f-2", "f-2")


def test_a_new_draft_inherits_what_it_is_about_and_not_its_text(
    make_vault: Any, note: Any, succeed: Any
) -> None:
    text = fact(
        note, scope="project:web", topics="[db]", applies_when="deploying", importance="8",
        summary="Old.", aliases='["x:1"]', derived_from="[n-1]", disputed="{reason: a}",
        status="disputed",
    )  # fmt: skip
    vault = make_vault({"a.md": text})
    planned = succeed(vault, {"title": "现在用 MySQL", "body": "五月换的。", "reason": "迁移"})
    new = vault.record(planned.ids[0])
    assert new.status is Status.CANDIDATE
    assert (new.supersedes, new.kind, new.topics) == (("f-1",), Kind.FACT, ("db",))
    assert (str(new.scope), new.applies_when, new.importance) == ("project:web", "deploying", 8)
    assert (new.summary, new.aliases, new.derived_from) == ("", (), ())
    assert "disputed" not in new.fields
    assert new.body == "# 现在用 MySQL\n\n五月换的。\n"
    assert planned.change.verb == "supersede"
    rule = succeed(vault, {"title": "Other"}, kind=Kind.RULE)
    assert vault.record(rule.ids[0]).kind is Kind.RULE
    assert "rival-draft" in [found.code for found in rule.notes]


@pytest.mark.parametrize(
    ("keys", "tally", "words"),
    [
        ({"status": "verified"}, Tally(), "verified"),
        ({"hits": "3"}, Tally(hits=1), "4 hits"),
        ({}, Tally(succeeded=1, failed=2), "1 succeeded, 2 failed"),
    ],
)
def test_what_is_proven_is_not_replaced_for_little(
    make_vault: Any, note: Any, succeed: Any, keys: Any, tally: Tally, words: str
) -> None:
    vault = make_vault({"a.md": fact(note, **keys), "b.md": fact(note, id="x-1")}, f_1=tally)
    assert precedent_of(vault.snapshot(), vault.record("f-1")) == words
    with pytest.raises(UsageError, match="needs a reason"):
        succeed(vault, {"title": "Other"})
    with pytest.raises(RefusedError, match="has proven itself") as caught:
        succeed(vault, {"title": "Other", "reason": "I think so"})
    assert "--derived-from" in caught.value.hint
    planned = succeed(vault, {"title": "Other", "reason": "it failed", "derived_from": ("x-1",)})
    assert words in next(f.message for f in planned.notes if f.code == "precedent")
    succeed(vault, {"title": "Another", "reason": "I saw it"}, actor=Actor.PERSON)


def test_one_failure_is_no_precedent(make_vault: Any, note: Any) -> None:
    vault = make_vault({"a.md": fact(note)}, f_1=Tally(failed=3, exposures=9))
    assert precedent_of(vault.snapshot(), vault.record("f-1")) == ""
