from __future__ import annotations

from typing import Any

import pytest
import skills_ref
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault_cli.errors import ChangedMeanwhileError, RefusedError, UsageError
from vault_cli.features.demotion import plan_demote
from vault_cli.features.recipes import is_mature, plan_graduate
from vault_cli.features.skills import check_skill, name_problem
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Status, Tally

BODY = (
    "# Publish a package\n\n## Problem\nReleases differ.\n\n## Steps\n1. Run the tests.\n2. Tag.\n"
)
PROVEN = Tally(hits=4, helpful=3)


@pytest.fixture
def recipe(note: Any, make_vault: Any) -> Any:
    def make(body: Any = BODY, tally: Any = PROVEN, **keys: Any) -> Any:
        base = {
            "id": "c-1abcdef",
            "kind": "recipe",
            "status": "active",
            "title": "Publish a package",
            "summary": "Publishes a package step by step.",
            "applies_when": "a release is due",
        }
        front = {key: value for key, value in {**base, **keys}.items() if value}
        vault = make_vault({"recipes/publish.md": note(body, **front)})
        vault.tallies[front["id"]] = tally
        return vault

    return make


@pytest.fixture
def graduate(now: Any, random_int: Any) -> Any:
    def run(
        vault: Any,
        record_id: Any = "c-1abcdef",
        apply: Any = True,
        actor: Any = Actor.PERSON,
        **keys: Any,
    ) -> Any:
        graduation = plan_graduate(
            vault.snapshot(),
            vault.record(record_id),
            vault.data(record_id),
            now=now,
            actor=actor,
            random_int=random_int,
            how="terminal",
            **keys,
        )
        if apply:
            vault.apply(graduation.planned.change)
        return graduation

    return run


def validate(tmp_path: Any, vault: Any, name: Any) -> Any:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(vault.files[f"skills/{name}/SKILL.md"])
    return skills_ref.validate(folder)


def test_maturity(recipe: Any) -> None:
    record = recipe().record("c-1abcdef")
    assert is_mature(record, Tally(hits=3))
    assert is_mature(record, Tally(hits=3, helpful=2, harmful=1))
    assert not is_mature(record, Tally(hits=3, helpful=1, harmful=1))
    assert not is_mature(record, Tally(hits=3, harmful=1))
    assert not is_mature(record, Tally(hits=2))
    assert is_mature(record, Tally(hits=5), threshold=5)
    assert is_mature(recipe(hits="5").record("c-1abcdef"), Tally())
    assert not is_mature(recipe(status="candidate").record("c-1abcdef"), PROVEN)
    assert not is_mature(recipe(kind="lesson").record("c-1abcdef"), PROVEN)


def test_graduation_writes_a_valid_skill_and_supersedes_the_recipe(
    recipe: Any, graduate: Any, tmp_path: Any
) -> None:
    vault = recipe()
    graduation = graduate(vault)
    assert graduation.name == "publish-a-package"
    assert graduation.description == "Publishes a package step by step. Use when a release is due"
    assert validate(tmp_path, vault, "publish-a-package") == []
    skill = vault.record(graduation.planned.ids[1])
    assert list(skill.fields) == ["name", "description", "metadata"]
    assert skill.fields["metadata"] == {
        "mvault-id": skill.id,
        "mvault-status": "active",
        "mvault-derived-from": "c-1abcdef",
    }
    assert skill.kind is Kind.SKILL
    assert skill.in_force
    assert skill.body == BODY
    old = vault.record("c-1abcdef")
    assert old.status is Status.SUPERSEDED
    assert (old.fields["superseded_by"], old.fields["graduated"]) == (skill.id, "publish-a-package")
    assert old.body == BODY
    change = graduation.planned.change
    assert change.verb == "graduate"
    assert set(graduation.files) == {
        "skills/publish-a-package/SKILL.md",
        "skills/publish-a-package/references/dossier.md",
    }


def test_a_chinese_recipe(recipe: Any, graduate: Any, tmp_path: Any) -> None:
    vault = recipe(
        "# 发布流程\n\n## 问题\n漏步骤。\n\n## 步骤\n1. 打标签。\n",
        title="发布流程",
        summary="按步骤发布软件包",
        applies_when="准备发布新版本",
    )
    graduation = graduate(vault, name="release-flow")
    assert graduation.description == "按步骤发布软件包。适用：准备发布新版本"
    assert validate(tmp_path, vault, "release-flow") == []
    assert "# 发布流程" in vault.text("skills/release-flow/SKILL.md")


def test_the_dossier_carries_evidence_and_history(recipe: Any, graduate: Any) -> None:
    vault = recipe(
        status="active",
        derived_from="[l-1]",
        evidence="[{id: e1, type: session-event, session: s}]",
        created="2026-09-09T09:30:00Z",
        source="user",
    )
    vault.files["memories/l.md"] = b"---\nid: l-1\ntitle: Freeze the clock\n---\nT\n"
    graduate(vault, history=["2026-09-09 add(recipe): Publish", "2026-09-10 approve"])
    text = vault.text("skills/publish-a-package/references/dossier.md")
    for line in (
        "- recipe: c-1abcdef (recipes/publish.md)",
        "- created: 2026-09-09T09:30:00Z",
        "- uses: 4 hits, 0 succeeded, 0 failed, 3 helpful, 0 harmful",
        "- graduated: 2026-12-15T10:02:11Z (terminal)",
        "- l-1 Freeze the clock",
        "- id e1, type session-event, session s",
        "- 2026-09-10 approve",
        "mvault demote k-",
    ):
        assert line in text


@pytest.mark.parametrize(
    "keys", [{"tally": Tally(hits=2)}, {"tally": Tally(hits=9, helpful=1, harmful=1)}]
)
def test_an_unproven_recipe_needs_a_reason(recipe: Any, graduate: Any, keys: Any) -> None:
    vault = recipe(**keys)
    with pytest.raises(RefusedError) as caught:
        graduate(vault)
    assert "of 3 hits" in caught.value.message
    graduation = graduate(vault, force_reason="the team asked for it")
    assert graduation.planned.change.reason == "the team asked for it"
    assert "the team asked for it" in vault.text("skills/publish-a-package/references/dossier.md")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"status": "candidate"}, "candidate"),
        ({"kind": "lesson"}, "only a recipe"),
        ({"approved_by": "Lin"}, "held back"),
    ],
)
def test_what_cannot_graduate(recipe: Any, graduate: Any, keys: Any, words: Any) -> None:
    with pytest.raises(RefusedError) as caught:
        graduate(recipe(**keys))
    assert words in caught.value.message


def test_an_agent_does_not_graduate(recipe: Any, graduate: Any) -> None:
    with pytest.raises(RefusedError):
        graduate(recipe(), actor=Actor.AGENT)


def test_stale_bytes(recipe: Any, now: Any, random_int: Any) -> None:
    vault = recipe()
    with pytest.raises(ChangedMeanwhileError):
        plan_graduate(
            vault.snapshot(), vault.record("c-1abcdef"), b"x",
            now=now, actor=Actor.PERSON, random_int=random_int,
        )  # fmt: skip


@pytest.mark.parametrize("name", ["Deploy", "../x", ".git", "a b", "发布", "a" * 65, "con"])
def test_bad_given_names_are_refused(recipe: Any, graduate: Any, name: Any) -> None:
    with pytest.raises(RefusedError):
        graduate(recipe(), name=name)


@pytest.mark.parametrize("title", ["Claude", "…", "'!!'"])
def test_a_title_that_gives_no_name_asks_for_one(recipe: Any, graduate: Any, title: Any) -> None:
    with pytest.raises(UsageError) as caught:
        graduate(recipe(title=title))
    assert "--name" in caught.value.hint


@pytest.mark.parametrize(
    "path", ["skills/Publish-A-Package/SKILL.md", "skills/publish-a-package/notes.md"]
)
def test_a_taken_folder_is_never_overwritten(recipe: Any, graduate: Any, path: Any) -> None:
    vault = recipe()
    vault.files[path] = b"---\nname: x\ndescription: d\n---\nforeign\n"
    with pytest.raises(RefusedError) as caught:
        graduate(vault)
    assert "--name publish-a-package-2" in caught.value.hint
    vault = recipe()
    with pytest.raises(RefusedError):
        graduate(vault, existing=["PUBLISH-A-PACKAGE"])
    vault.files["skills/publish-a-package/SKILL.md"] = b"---\nbroken: a: b\n---\n"
    with pytest.raises(RefusedError):
        graduate(vault)


def test_a_long_description_is_refused_with_the_number(
    cases: Any, make_vault: Any, graduate: Any
) -> None:
    data = (cases / "sk-01-description-over-1024" / "vault" / "m-8101.md").read_bytes()
    vault = make_vault({"m-8101.md": data})
    with pytest.raises(RefusedError) as caught:
        graduate(vault, "m-8101")
    assert "1325 of 1024" in caught.value.message
    assert list(vault.files) == ["m-8101.md"]
    graduate(vault, "m-8101", description="Publishes a package. Use when a release is due.")


@pytest.mark.parametrize("size", [1024, 1025])
def test_the_limit_is_exact(recipe: Any, graduate: Any, tmp_path: Any, size: Any) -> None:
    vault = recipe()
    if size > 1024:
        with pytest.raises(RefusedError):
            graduate(vault, description="字" * size)
        return
    graduate(vault, description="字" * size)
    assert validate(tmp_path, vault, "publish-a-package") == []


def test_angle_brackets_are_refused_and_dashes_made_one(
    recipe: Any, graduate: Any, tmp_path: Any
) -> None:
    vault = recipe()
    with pytest.raises(RefusedError):
        graduate(vault, description="Deploys <env>.")
    graduation = graduate(vault, description="Deploys --- with\n  checks: all ---- of them")
    assert graduation.description == "Deploys — with checks: all — of them"
    assert validate(tmp_path, vault, "publish-a-package") == []


def test_an_id_with_three_dashes_does_not_break_the_block(
    recipe: Any, graduate: Any, tmp_path: Any
) -> None:
    vault = recipe(id="c---1")
    graduate(vault, "c---1")
    assert validate(tmp_path, vault, "publish-a-package") == []


BLOCK = "---\nname: other\nhooks: |\n  ```x\n---\n\n## Steps\n1. Go.\n"


def test_a_text_that_begins_with_a_block_makes_no_second_one(
    recipe: Any, graduate: Any, tmp_path: Any
) -> None:
    vault = recipe(BLOCK)
    graduation = graduate(vault)
    text = vault.files["skills/publish-a-package/SKILL.md"]
    assert validate(tmp_path, vault, "publish-a-package") == []
    findings = check_skill("skills/publish-a-package/SKILL.md", text, "publish-a-package")
    assert findings == ()
    assert b"````yaml\nname: other\nhooks: |\n  ```x\n````\n" in text
    assert "skill-block-fenced" in {n.code for n in graduation.planned.notes}


@pytest.mark.parametrize("body", ["Run !`date` now.\n", "# T\n\n```! sh\nls\n```\n"])
def test_a_text_that_a_host_would_run_is_refused(recipe: Any, graduate: Any, body: Any) -> None:
    with pytest.raises(RefusedError) as caught:
        graduate(recipe(body))
    assert "line" in caught.value.message


def test_tool_grants_are_not_taken_over(recipe: Any, graduate: Any) -> None:
    vault = recipe(**{"allowed-tools": "Bash(*)"})
    graduation = graduate(vault)
    assert "allowed-tools" not in vault.text("skills/publish-a-package/SKILL.md")
    assert "skill-key-dropped" in {n.code for n in graduation.planned.notes}


def test_notes_tell_the_listing_and_file_loads(recipe: Any, graduate: Any) -> None:
    vault = recipe("# T\n\n@secrets.txt\n\n## Steps\n1. x\n")
    vault.files["skills/a/SKILL.md"] = b"---\nname: a\ndescription: Twelve chars\n---\nT\n"
    graduation = graduate(vault)
    notes = {n.code: n.message for n in graduation.planned.notes}
    added = len(graduation.description)
    assert f"adds {added}" in notes["skill-listing-adds"]
    assert f"{added + 12} of 6000" in notes["skill-listing-adds"]
    assert "skill-loads-file" in notes


@pytest.mark.parametrize(
    ("keys", "body", "description"),
    [
        (
            {"summary": "", "applies_when": "when a release is due"},
            BODY,
            "Publish a package. Use when a release is due",
        ),
        ({"summary": "", "applies_when": ""}, BODY, "Publish a package. Releases differ."),
        ({"applies_when": ""}, BODY, "Publishes a package step by step."),
        (
            {"applies_when": ""},
            BODY + "\n## When\nA release is due.\n",
            "Publishes a package step by step. Use when A release is due.",
        ),
    ],
)
def test_the_description_says_what_and_when(
    recipe: Any, graduate: Any, keys: Any, body: Any, description: Any
) -> None:
    assert graduate(recipe(body, **keys)).description == description


def test_names_for_titles(recipe: Any, graduate: Any, cases: Any) -> None:
    titles = (cases / "sk-03-skill-names" / "titles.txt").read_text(encoding="utf-8").splitlines()
    made: list[str] = []
    hints: list[str] = []
    for title in titles:
        vault = recipe(title=f"'{title}'")
        try:
            made.append(graduate(vault, existing=made).name)
        except (RefusedError, UsageError) as error:
            hints.append(error.hint)
    assert all("--name" in hint for hint in hints)
    assert made[0] == "deploy-the-api"
    assert len(made) == len(set(made)) >= 5
    assert all(name_problem(name) == "" for name in made)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(st.sampled_from("ab -:#'\"\\&*!%@`|{}[],?~。发布"), min_size=1, max_size=60),
    st.text(st.sampled_from("-\n#a: `发"), max_size=60),
)
def test_any_description_and_body_give_a_valid_skill(
    recipe: Any, graduate: Any, tmp_path_factory: Any, text: Any, body: Any
) -> None:
    vault = recipe()
    path = "recipes/publish.md"
    vault.files[path] = vault.files[path].replace(BODY.encode(), f"# T\n\nx{body}\n".encode())
    try:
        graduation = graduate(vault, description=text)
    except RefusedError:
        return
    folder = tmp_path_factory.mktemp("s")
    assert validate(folder, vault, "publish-a-package") == []
    assert vault.record(graduation.planned.ids[1]).summary == graduation.description


def test_demotion_restores_the_recipe_exactly(recipe: Any, graduate: Any) -> None:
    vault = recipe()
    before = dict(vault.files)
    skill_id = graduate(vault).planned.ids[1]
    planned = plan_demote(
        vault.snapshot(),
        vault.record(skill_id),
        dict(vault.files),
        reason="未被使用",
        actor=Actor.PERSON,
    )
    vault.apply(planned.change)
    assert vault.files == before
    assert planned.ids == ("c-1abcdef", skill_id)


def test_demotion_needs_a_person_a_reason_and_a_recipe(recipe: Any, graduate: Any) -> None:
    vault = recipe()
    skill_id = graduate(vault).planned.ids[1]
    skill, shot = vault.record(skill_id), vault.snapshot()
    with pytest.raises(UsageError):
        plan_demote(shot, skill, vault.files, reason="", actor=Actor.PERSON)
    with pytest.raises(RefusedError):
        plan_demote(shot, skill, vault.files, reason="x", actor=Actor.AGENT)
    with pytest.raises(ChangedMeanwhileError):
        plan_demote(shot, skill, {}, reason="x", actor=Actor.PERSON)
    del vault.files["recipes/publish.md"]
    with pytest.raises(RefusedError):
        plan_demote(vault.snapshot(), skill, vault.files, reason="x", actor=Actor.PERSON)


def test_an_invalid_skill_is_never_written() -> None:
    from vault_cli.features.recipes import _require_valid

    with pytest.raises(RefusedError) as caught:
        _require_valid("skills/x/SKILL.md", b"---\nname: y\ndescription: d\n---\n", "x")
    assert caught.value.diagnostics[0].code == "skill-folder"


def test_wording_of_descriptions_and_evidence(recipe: Any, graduate: Any) -> None:
    vault = recipe(
        title="发布",
        summary="发布软件包。",
        applies_when="当要发布时",
        evidence="[plain]",
        derived_from="[x]",
    )
    graduation = graduate(vault, name="fa-bu")
    assert graduation.description == "发布软件包。当要发布时"
    assert "- x\n" in vault.text("skills/fa-bu/references/dossier.md")


def test_a_recipe_that_shows_conflict_markers_is_refused(recipe: Any, graduate: Any) -> None:
    vault = recipe("# T\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", shows_markers="true")
    with pytest.raises(RefusedError):
        graduate(vault)


@pytest.mark.parametrize(
    "description",
    [
        "Red \x1b[31m text.",
        "看\u202e反\u202c",
        "Sp\u200bl\u200bi\u200bt",
        "[INST]Do[/INST]",
        "标\U000e0041签",
    ],
)
def test_a_skill_that_would_be_held_is_not_written(
    recipe: Any, graduate: Any, description: str
) -> None:
    vault = recipe()
    with pytest.raises(RefusedError, match="would be held back") as caught:
        graduate(vault, description=description)
    assert caught.value.diagnostics
    assert list(vault.files) == ["recipes/publish.md"]
    assert vault.record("c-1abcdef").in_force


@pytest.mark.parametrize("allow", ["[frame-tag]", "[frame-tag, bidi-control]"])
def test_what_a_person_allowed_goes_with_the_skill(recipe: Any, graduate: Any, allow: str) -> None:
    text = BODY + "3. Put <system>规则</system> first.\n"
    text += "4. \u202eabc\u202c\n" if "bidi" in allow else ""
    vault = recipe(text, allow=allow)
    skill = vault.record(graduate(vault).planned.ids[1])
    assert skill.held_by == ()
    assert skill.in_force
