from __future__ import annotations

from typing import Any

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.features.forgetting import (
    REASON_CODES,
    ForgetRequest,
    check_forgotten,
    find_forgotten,
    paths_to_forget,
    plan_forget,
    text_digest,
)
from vault_cli.features.supersession import current_successors
from vault_cli.features.undo import UndoFile, plan_undo
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status


@pytest.fixture
def forget(now: Any, random_int: Any) -> Any:
    def run(vault: Any, *ids: Any, actor: Any = Actor.PERSON, own: Any = (), **keys: Any) -> Any:
        shot = vault.snapshot()
        records = [r for r in shot.records if r.id in ids or r.path in ids]
        texts = {path: vault.files[path] for path in paths_to_forget(shot, records)}
        planned = plan_forget(
            shot, records, texts, ForgetRequest(**keys), now=now, actor=actor,
            random_int=random_int, own=own,
        )  # fmt: skip
        paths = vault.apply(planned.change)
        undo = [UndoFile(path, before, after, after) for path, before, after in paths]
        return planned, undo

    return run


def fact(note: Any, body: str = "Words of mine.\n", **keys: str) -> str:
    given = {"id": "f-1", "kind": "fact", "status": "active", "title": "Title of mine"}
    return note(body, **{**given, **keys})


def take_back(vault: Any, undo: Any) -> None:
    vault.apply(plan_undo(undo, commit="0" * 40, subject="forget: x", actor=Actor.PERSON))


CHAIN = ("superseded", "superseded", "active")


def chain(note: Any, *statuses: str, **more: str) -> dict[str, str]:
    """f-1 <- f-2 <- f-3 ...: each supersedes the one before."""
    files = {}
    for number, status in enumerate(statuses, 1):
        keys = {"id": f"f-{number}", "status": status}
        if number > 1:
            keys["supersedes"] = f"[f-{number - 1}]"
        if number < len(statuses):
            keys |= {"superseded_by": f"f-{number + 1}"}
        files[f"memories/{number}.md"] = fact(note, **keys)
    return files | more


@pytest.mark.parametrize("code", REASON_CODES)
def test_a_tombstone_holds_no_word_of_the_text(
    make_vault: Any, note: Any, forget: Any, code: str
) -> None:
    before = {"memories/2026-11/a.md": fact(note, aliases='["expmem:5f0c"]', topics="[db]")}
    vault = make_vault(before)
    planned, undo = forget(vault, "f-1", reason_code=code, reason="asked")
    assert list(vault.files) == ["tombstones/f-1.md"]
    text = vault.text("tombstones/f-1.md")
    assert "mine" not in text
    assert "mine" not in planned.change.verb + planned.change.subject
    record = vault.record("f-1")
    assert record.status is Status.TOMBSTONED
    wanted = {"id": "f-1", "kind": "fact", "status": "tombstoned", "was": "active",
              "at": "2026-12-15T10:02:11Z", "reason_code": code}  # fmt: skip
    extra = {key: record.fields[key] for key in record.fields if key not in wanted}
    assert {key: record.fields[key] for key in wanted} == wanted
    hashed = code in ("duplicate", "incorrect")
    private = code in ("privacy", "secret")
    assert ("text_sha256" in extra) == hashed
    assert ("aliases" in extra) != private
    assert set(extra) <= {"text_sha256", "aliases"}
    assert record.findings == ()
    assert planned.change.extra == (("Vault-Reason", code),)
    assert planned.change.discarded == (frozenset(before) if private else frozenset())
    take_back(vault, undo)
    assert vault.files == {path: text.encode() for path, text in before.items()}


def test_unknown_reasons_and_second_deaths(make_vault: Any, note: Any, forget: Any) -> None:
    vault = make_vault({"a.md": fact(note)})
    with pytest.raises(UsageError, match="no reason code boredom"):
        forget(vault, "f-1", reason_code="boredom")
    forget(vault, "f-1")
    planned, _ = forget(vault, "f-1")
    assert planned.change.is_empty


def test_a_note_without_an_id_gets_one_for_its_tombstone(make_vault: Any, forget: Any) -> None:
    vault = make_vault({"drafts/林的生日.md": "# 林的生日\n\n五月三日。\n"})
    planned, _ = forget(vault, "林的生日")
    (path,) = vault.files
    assert path == f"tombstones/{planned.ids[0]}.md"
    assert "生日" not in path + vault.text(path)


def test_the_middle_of_a_chain(make_vault: Any, note: Any, forget: Any) -> None:
    vault = make_vault(chain(note, *CHAIN))
    before = dict(vault.files)
    planned, undo = forget(vault, "f-2")
    assert vault.record("f-3").supersedes == ("f-1",)
    assert vault.record("f-1").fields["superseded_by"] == "f-3"
    assert vault.record("f-1").status is Status.SUPERSEDED
    assert set(planned.change.touched) == {"f-1", "f-3"}
    assert planned.notes == ()
    take_back(vault, undo)
    assert vault.files == before


def test_the_end_of_a_chain(make_vault: Any, note: Any, forget: Any) -> None:
    for revive in (False, True):
        vault = make_vault(chain(note, *CHAIN))
        planned, _ = forget(vault, "f-3", revive=revive)
        heir = vault.record("f-2")
        assert heir.status is (Status.ACTIVE if revive else Status.DEPRECATED)
        assert ("deprecated" in heir.fields) != revive
        assert vault.record("f-1").status is Status.SUPERSEDED
        words = "comes back in force" if revive else "is deprecated"
        assert [words in found.message for found in planned.notes] == [True]
        assert len(current_successors(vault.snapshot(), vault.record("f-1"))) == revive


def test_the_beginning_of_a_chain(make_vault: Any, note: Any, forget: Any) -> None:
    vault = make_vault(chain(note, *CHAIN))
    forget(vault, "f-1")
    assert vault.record("f-2").supersedes == ()
    assert vault.text("memories/3.md") == chain(note, *CHAIN)["memories/3.md"]


def test_several_of_a_chain_at_once(make_vault: Any, note: Any, forget: Any) -> None:
    vault = make_vault(chain(note, "superseded", "superseded", "superseded", "active"))
    forget(vault, "f-2", "f-3")
    assert vault.record("f-4").supersedes == ("f-1",)
    assert vault.record("f-1").fields["superseded_by"] == "f-4"
    forget(vault, "f-4", "f-1")
    assert {r.status for r in vault.snapshot().records} == {Status.TOMBSTONED}


def test_no_second_successor_by_inheritance(make_vault: Any, note: Any, forget: Any) -> None:
    files = chain(note, *CHAIN, **{"memories/x.md": fact(note, id="f-9", supersedes="[f-1]")})
    vault = make_vault(files)
    forget(vault, "f-2")
    assert vault.record("f-3").supersedes == ()
    assert vault.record("f-1").fields["superseded_by"] == "f-9"


def test_no_revival_beside_what_it_replaced(make_vault: Any, note: Any, forget: Any) -> None:
    files = chain(note, *CHAIN)
    files["memories/1.md"] = fact(note, id="f-1")
    vault = make_vault(files)
    planned, _ = forget(vault, "f-3", revive=True)
    assert vault.record("f-2").status is Status.DEPRECATED
    assert ["is deprecated" in found.message for found in planned.notes] == [True]


def test_a_draft_of_a_successor_changes_nothing_but_itself(
    make_vault: Any, note: Any, forget: Any
) -> None:
    files = {"a.md": fact(note)}
    draft = fact(note, id="f-2", status="candidate", supersedes="[f-1]")
    vault = make_vault({**files, "drafts/b.md": draft})
    forget(vault, "f-2", actor=Actor.AGENT, own={"f-2"})
    assert vault.text("a.md") == files["a.md"]


def test_who_refers_to_it_is_named_before_and_after(
    make_vault: Any, note: Any, forget: Any
) -> None:
    files = {
        "a.md": fact(note),
        "b.md": fact(note, id="f-2", derived_from="[f-1]"),
        "c.md": fact(note, id="f-3", conflicts="[{id: f-1, type: goal}]"),
    }
    vault = make_vault(files)
    planned, _ = forget(vault, "f-1")
    assert [found.path for found in planned.notes] == ["b.md", "c.md"]
    found = check_forgotten(vault.snapshot())
    assert [(f.code, f.path, f.severity) for f in found] == [
        ("forgotten-reference", "b.md", "warning"),
        ("forgotten-reference", "c.md", "warning"),
    ]
    assert "mvault log f-1" in found[0].hint
    assert check_forgotten(make_vault(files).snapshot()) == []


def test_one_of_two_files_with_the_same_id(make_vault: Any, note: Any, forget: Any) -> None:
    vault = make_vault({"a.md": fact(note), "b.md": fact(note)})
    planned, _ = forget(vault, "b.md")
    assert list(vault.files) == ["a.md"]
    assert [found.code for found in planned.notes] == ["no-tombstone"]
    vault = make_vault({"a.md": fact(note), "b.md": fact(note)})
    forget(vault, "a.md", "b.md")
    assert list(vault.files) == ["tombstones/f-1.md"]


def test_a_skill_goes_back_to_its_recipe_first(make_vault: Any, note: Any, forget: Any) -> None:
    skill = "---\nname: a\ndescription: d\nmetadata:\n  mvault-id: k-1\n---\nT\n"
    recipe = note(id="c-1", kind="recipe", status="superseded", superseded_by="k-1")
    vault = make_vault({"skills/a/SKILL.md": skill, "recipes/a.md": recipe})
    with pytest.raises(RefusedError, match="made of the recipe c-1"):
        forget(vault, "k-1")
    vault = make_vault({"skills/a/SKILL.md": skill})
    forget(vault, "k-1")
    assert list(vault.files) == ["tombstones/k-1.md"]


def test_what_was_deleted_is_known_when_it_comes_again(
    make_vault: Any, note: Any, forget: Any
) -> None:
    files = {
        "a.md": fact(note, "端口是 ８０８０。\n", id="f-1", title="端口"),
        "b.md": fact(note, id="f-2", aliases='["expmem:5f0c"]'),
        "c.md": fact(note, "Other words.\n", id="f-3"),
    }
    vault = make_vault(files)
    forget(vault, "f-1", reason_code="incorrect")
    forget(vault, "f-2", reason_code="user-request")
    forget(vault, "f-3", reason_code="privacy")
    shot = vault.snapshot()

    def known(**keys: str) -> list[str]:
        body = keys.pop("body", "New.\n")
        record = make_vault({"n.md": fact(note, body, **keys)}).snapshot().records[0]
        return [found.message.split()[0] for found in find_forgotten(shot, record)]

    assert known(id="f-7", title="端口", body="端口是 8080。\n") == ["f-1"]
    assert known(id="f-7", aliases='["expmem:5f0c"]') == ["f-2"]
    assert known(id="f-3", body="Other words.\n") == ["f-3"]
    assert known(id="f-8", body="Other words.\n") == []


def test_the_digest_is_of_words_and_not_of_layout(make_vault: Any, note: Any) -> None:
    one = make_vault({"a.md": fact(note, "A  b\n\nC\n")}).record("f-1")
    same = make_vault({"b.md": fact(note, "a b c", topics="[x]")}).record("f-1")
    other = make_vault({"c.md": fact(note, "a b d")}).record("f-1")
    assert text_digest(one) == text_digest(same) != text_digest(other)
