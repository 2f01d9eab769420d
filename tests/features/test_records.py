from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from vault_cli.errors import (
    ChangedMeanwhileError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from vault_cli.features.editing import plan_edit, plan_set
from vault_cli.features.records import (
    plan_deprecate,
    resolve_record,
    resolve_records,
)
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Status
from vault_cli.text.document import REMOVE

ROOT = PurePosixPath("/home/dev/vault")


@pytest.fixture
def vault(make_vault: Any, note: Any) -> Any:
    return make_vault(
        {
            "memories/2026-11/npx-7k3qd2m.md": note(
                id="l-7k3qd2m", kind="lesson", status="active", title="Check before npx"
            ),
            "memories/2026-11/技术栈-7k9aaaa.md": note(
                "项目使用 FastAPI。\n", id="l-7k9aaaa", kind="fact", status="active", title="技术栈"
            ),
            "drafts/2026-12/d-1.md": note(
                id="f-1m4c8tt", kind="fact", status="candidate", title="Draft"
            ),
            "drafts/hand.md": "# Written by hand\n\nText.\n",
        }
    )


def test_exact_id_and_unique_prefix(vault: Any) -> None:
    snapshot = vault.snapshot()
    assert resolve_record(snapshot, "l-7k3qd2m").title == "Check before npx"
    assert resolve_record(snapshot, "l-7k3").id == "l-7k3qd2m"
    assert resolve_record(snapshot, " F-1M ").id == "f-1m4c8tt"


def test_an_exact_id_wins_over_a_longer_one(make_vault: Any, note: Any) -> None:
    vault = make_vault({"a.md": note(id="m-1", title="A"), "b.md": note(id="m-10", title="B")})
    assert resolve_record(vault.snapshot(), "m-1").title == "A"


def test_an_ambiguous_prefix_lists_the_candidates(vault: Any) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_record(vault.snapshot(), "l-7k")
    assert "l-7k3qd2m (Check before npx)" in caught.value.message
    assert "l-7k9aaaa (技术栈)" in caught.value.message


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("drafts/hand.md", None),
        ("/home/dev/vault/drafts/hand.md", None),
        ("hand.md", PurePosixPath("/home/dev/vault/drafts")),
        ("../drafts/./hand.md", PurePosixPath("/home/dev/vault/memories")),
        ("vault/drafts/hand.md", PurePosixPath("/home/dev")),
    ],
)
def test_file_paths(vault: Any, text: Any, cwd: Any) -> None:
    assert resolve_record(vault.snapshot(), text, root=ROOT, cwd=cwd).path == "drafts/hand.md"


def test_windows_paths(vault: Any) -> None:
    root = PureWindowsPath(r"C:\vault")
    found = resolve_record(vault.snapshot(), r"C:\vault\drafts\hand.md", root=root)
    assert found.path == "drafts/hand.md"
    found = resolve_record(vault.snapshot(), r"drafts\hand.md", root=root, cwd=root)
    assert found.path == "drafts/hand.md"


def test_a_path_in_the_other_unicode_form_is_found(make_vault: Any, note: Any) -> None:
    vault = make_vault({"memories/café.md": note(id="n-1", title="Cafe")})
    assert resolve_record(vault.snapshot(), "memories/café.md").id == "n-1"


def test_the_file_name_is_the_id_until_adopted(vault: Any) -> None:
    assert resolve_record(vault.snapshot(), "hand").title == "Written by hand"


@pytest.mark.parametrize(
    ("text", "near"),
    [("l-7k3qd2n", "l-7k3qd2m"), ("技术", "l-7k9aaaa"), ("chek before npx", "l-7k3qd2m")],
)
def test_not_found_names_the_nearest(vault: Any, text: Any, near: Any) -> None:
    with pytest.raises(NotFoundError) as caught:
        resolve_record(vault.snapshot(), text)
    assert near in caught.value.hint
    assert caught.value.exit_code == 6


def test_not_found_names_at_most_three(make_vault: Any, note: Any) -> None:
    vault = make_vault({f"{n}.md": note(id=f"l-aaaaaa{n}", title="T") for n in range(6)})
    with pytest.raises(NotFoundError) as caught:
        resolve_record(vault.snapshot(), "l-aaaaabz")
    assert caught.value.hint.count("l-aaaaaa") == 3


def test_an_id_in_several_files_is_refused_and_all_are_named(make_vault: Any, note: Any) -> None:
    text = note(id="l-1", title="T")
    vault = make_vault({"a.md": text, "b (conflicted copy).md": text})
    for wanted in ("l-1", "l-"):
        with pytest.raises(RefusedError) as caught:
            resolve_record(vault.snapshot(), wanted)
        assert "a.md" in caught.value.message
        assert "b (conflicted copy).md" in caught.value.message
    assert resolve_record(vault.snapshot(), "a.md").path == "a.md"


def test_a_broken_file_is_refused_with_its_findings(make_vault: Any) -> None:
    text = "---\nid: m-d502\nstatus: candidate\nstatus: active\n---\nDo.\n"
    vault = make_vault({"status.md": text, "drafts/two-aaaaaaa.md": text})
    for wanted in ("status.md", "status", "f-aaaaaaa"):
        with pytest.raises(RefusedError) as caught:
            resolve_record(vault.snapshot(), wanted)
        assert "mvault check" in caught.value.hint
        assert caught.value.diagnostics[0].code == "duplicate-key"


def test_not_found_mentions_files_that_cannot_be_read(make_vault: Any) -> None:
    vault = make_vault({"x.md": "---\na: 1\na: 2\n---\n"})
    with pytest.raises(NotFoundError) as caught:
        resolve_record(vault.snapshot(), "m-1")
    assert "1 file cannot be read" in caught.value.hint


def test_empty_text(vault: Any) -> None:
    with pytest.raises(UsageError):
        resolve_record(vault.snapshot(), "  ")


def test_several_records_each_once(vault: Any) -> None:
    found = resolve_records(vault.snapshot(), ["l-7k3", "hand", "l-7k3qd2m"])
    assert [record.id for record in found] == ["l-7k3qd2m", "hand"]


def test_set_patches_one_line(vault: Any) -> None:
    record = vault.record("l-7k3qd2m")
    change = plan_set(
        vault.snapshot(), record, vault.data(record.id), {"importance": 9}, actor=Actor.PERSON
    )
    vault.apply(change)
    assert "importance: 9\n---\nText." in vault.text(record.path)
    assert change.ids == ("l-7k3qd2m",)


def test_set_the_same_value_is_nothing_to_do(vault: Any) -> None:
    record = vault.record("l-7k3qd2m")
    change = plan_set(
        vault.snapshot(),
        record,
        vault.data(record.id),
        {"title": "Check before npx"},
        actor=Actor.PERSON,
    )
    assert change.is_empty


@pytest.mark.parametrize("key", ["id", "status", "origin", "allow", "verification"])
def test_keys_with_their_own_command(vault: Any, key: Any) -> None:
    record = vault.record("l-7k3qd2m")
    with pytest.raises(RefusedError) as caught:
        plan_set(vault.snapshot(), record, vault.data(record.id), {key: "x"}, actor=Actor.PERSON)
    assert caught.value.hint


@pytest.mark.parametrize(
    "values", [{"importance": 99}, {"scope": "everywhere"}, {"valid_to": "2026-02-30"}]
)
def test_a_bad_value_is_refused_with_the_finding(vault: Any, values: Any) -> None:
    record = vault.record("l-7k3qd2m")
    with pytest.raises(RefusedError) as caught:
        plan_set(vault.snapshot(), record, vault.data(record.id), values, actor=Actor.PERSON)
    assert caught.value.diagnostics


def test_an_agent_changes_candidates_only(vault: Any) -> None:
    record = vault.record("l-7k3qd2m")
    with pytest.raises(RefusedError) as caught:
        plan_set(
            vault.snapshot(), record, vault.data(record.id), {"importance": 9}, actor=Actor.AGENT
        )
    assert "A person has to do this" in caught.value.hint
    draft = vault.record("f-1m4c8tt")
    change = plan_set(
        vault.snapshot(), draft, vault.data(draft.id), {"importance": 9}, actor=Actor.AGENT
    )
    assert not change.is_empty


def test_stale_bytes_are_noticed(vault: Any) -> None:
    record = vault.record("l-7k3qd2m")
    with pytest.raises(ChangedMeanwhileError):
        plan_set(vault.snapshot(), record, b"other", {"importance": 9}, actor=Actor.PERSON)


def test_a_skill_takes_only_keys_of_its_format(make_vault: Any) -> None:
    text = "---\nname: x\ndescription: Does x.\n---\n\nSteps.\n"
    vault = make_vault({"skills/x/SKILL.md": text})
    record = vault.snapshot().records[0]
    with pytest.raises(RefusedError):
        plan_set(vault.snapshot(), record, text.encode(), {"importance": 9}, actor=Actor.PERSON)
    change = plan_set(
        vault.snapshot(), record, text.encode(), {"license": "MIT"}, actor=Actor.PERSON
    )
    assert b"license: MIT" in change.edits[0].data


def test_removing_a_key(make_vault: Any, note: Any) -> None:
    text = note(id="l-1", title="T", boundary="only here")
    vault = make_vault({"a.md": text})
    change = plan_set(
        vault.snapshot(),
        vault.record("l-1"),
        text.encode(),
        {"boundary": REMOVE},
        actor=Actor.PERSON,
    )
    assert b"boundary" not in change.edits[0].data


def edit(vault: Any, record_id: Any, old: Any, new: Any, actor: Any = Actor.PERSON) -> Any:
    data = vault.data(record_id)
    text = data.replace(old.encode(), new.encode())
    return plan_edit(vault.snapshot(), vault.record(record_id), data, text, actor=actor)


def test_edit_writes_what_the_editor_left(vault: Any) -> None:
    change = edit(vault, "l-7k9aaaa", "FastAPI", "FastAPI 和 MySQL")
    assert change.verb == "edit"
    assert "MySQL" in change.edits[0].data.decode()


def test_edit_without_a_change_is_nothing_to_do(vault: Any) -> None:
    assert edit(vault, "l-7k9aaaa", "x", "x").is_empty


def test_edit_refuses_broken_metadata_and_shows_why(vault: Any) -> None:
    with pytest.raises(RefusedError) as caught:
        edit(vault, "l-7k3qd2m", "title: Check before npx", "title: Check: before npx")
    assert caught.value.diagnostics[0].line == 5


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("id: l-7k3qd2m", "id: l-other", "id must not change"),
        ("status: active", "status: verified", "status is not changed"),
        ("status: active", "status: sold", "has problems"),
    ],
)
def test_edit_refuses_another_identity_or_status(
    vault: Any, old: Any, new: Any, words: Any
) -> None:
    with pytest.raises(RefusedError) as caught:
        edit(vault, "l-7k3qd2m", old, new)
    assert words in caught.value.message


def test_edit_to_nothing_is_refused(vault: Any) -> None:
    data = vault.data("l-7k3qd2m")
    with pytest.raises(RefusedError) as caught:
        plan_edit(vault.snapshot(), vault.record("l-7k3qd2m"), data, b" \n", actor=Actor.PERSON)
    assert "empty" in caught.value.message


def test_an_agent_may_not_edit_what_is_in_force(vault: Any) -> None:
    with pytest.raises(RefusedError):
        edit(vault, "l-7k3qd2m", "Text", "Other", Actor.AGENT)
    assert not edit(vault, "f-1m4c8tt", "Text", "Other", Actor.AGENT).is_empty


def test_deprecate_keeps_the_text_and_says_why(vault: Any, now: Any) -> None:
    record = vault.record("l-7k9aaaa")
    change = plan_deprecate(
        record, vault.data(record.id), reason="改用 Litestar", now=now, actor=Actor.PERSON
    )
    vault.apply(change)
    after = vault.record(record.id)
    assert after.status is Status.DEPRECATED
    assert after.fields["deprecated"] == {"reason": "改用 Litestar", "at": "2026-12-15T10:02:11Z"}
    assert after.body == record.body
    again = plan_deprecate(after, vault.data(after.id), reason="", now=now, actor=Actor.PERSON)
    assert again.is_empty


def test_deprecate_needs_a_reason_and_a_person(vault: Any, now: Any) -> None:
    record, data = vault.record("l-7k9aaaa"), vault.data("l-7k9aaaa")
    with pytest.raises(UsageError):
        plan_deprecate(record, data, reason=" ", now=now, actor=Actor.PERSON)
    with pytest.raises(RefusedError):
        plan_deprecate(record, data, reason="old", now=now, actor=Actor.AGENT)


def test_deprecate_a_skill_writes_into_its_metadata(make_vault: Any, now: Any) -> None:
    text = (
        "---\nname: x\ndescription: Does x.\nmetadata:\n"
        '  author: "Lin"\n  mvault-id: k-1\n  mvault-status: active\n---\n\nSteps.\n'
    )
    vault = make_vault({"skills/x/SKILL.md": text})
    change = plan_deprecate(
        vault.record("k-1"), text.encode(), reason="unused", now=now, actor=Actor.PERSON
    )
    vault.apply(change)
    after = vault.record("k-1")
    assert after.status is Status.DEPRECATED
    assert after.fields["metadata"]["author"] == "Lin"
    assert "reason: unused" in after.fields["metadata"]["mvault-deprecated"]
    assert set(after.fields) == {"name", "description", "metadata"}


def test_a_broken_file_is_never_patched() -> None:
    from vault_cli.features.records import patch_keys

    with pytest.raises(RefusedError) as caught:
        patch_keys(b"---\na: 1\na: 2\n---\n", "a.md", {"status": "active"})
    assert caught.value.diagnostics[0].code == "duplicate-key"


@pytest.mark.parametrize("key", ["derived_from", "conflicts"])
def test_no_channel_names_what_is_not_there(key: str, make_vault: Any) -> None:
    text = "---\nid: f-1\nkind: fact\nstatus: candidate\ntitle: T\nderived_from: [f-old]\n---\nB.\n"
    vault = make_vault({"drafts/a.md": text})
    record, data = vault.record("f-1"), vault.data("f-1")
    with pytest.raises(RefusedError, match=f"{key}: f-gone is not in the vault"):
        plan_set(vault.snapshot(), record, data, {key: ["f-gone"]}, actor=Actor.AGENT)
    edited = text.replace("title: T", f"title: T\n{key}: [f-gone]").encode()
    if key == "derived_from":
        edited = text.replace("[f-old]", "[f-old, f-gone]").encode()
    with pytest.raises(RefusedError, match=f"{key}: f-gone is not in the vault"):
        plan_edit(vault.snapshot(), record, data, edited, actor=Actor.AGENT)
    old = plan_set(vault.snapshot(), record, data, {"importance": 3}, actor=Actor.AGENT)
    assert not old.is_empty  # what it named before is not asked about again
