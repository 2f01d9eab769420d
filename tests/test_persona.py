"""Persona and user profile: who may write them, what no proposal drops, where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import checked, git, make_vault, rendered, run

from vault_cli.features.persona import dropped_lines, locked_lines

TEXTS = {
    "en": {
        "first": "A careful colleague.\n\nBoundary: never pushes to main.",
        "drops": "A careful and cheerful colleague.",
        "keeps": "A careful and cheerful colleague.\n\n- Boundary: never  pushes to main.",
        "line": "Boundary: never pushes to main.",
        "profile": "Backend engineer in Berlin.",
    },
    "zh": {
        "first": "细心的同事。\n\n边界：不直接推送 main。",
        "drops": "细心而开朗的同事。",
        "keeps": "细心而开朗的同事。\n\n边界：不直接推送 main。",
        "line": "边界：不直接推送 main。",
        "profile": "后端工程师，在成都。",
    },
}


@pytest.fixture(params=["en", "zh"])
def words(request: pytest.FixtureRequest) -> dict[str, str]:
    return TEXTS[request.param]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def cli(root: Path, *argv: str, code: int = 0, actor: str = "person") -> Any:
    yes = ("--yes",) if argv[1] in ("set", "approve", "reject", "undo") else ()
    done = run("--vault", root, "--json", *argv, *yes, env={"MVAULT_ACTOR": actor})
    assert done.code == code, done.text
    return done.json["data"] if code == 0 else done


def test_an_agent_proposes_and_a_person_admits(root: Path, words: dict[str, str]) -> None:
    own = cli(root, "persona", "propose", words["first"], actor="agent")["ids"][0]
    assert words["line"] not in rendered(root)
    for argv in (("persona", "approve", own), ("approve", own)):
        refused = run("--vault", root, *argv, "--yes", env={"MVAULT_ACTOR": "agent"})
        assert refused.code == 3, refused.text
    cli(root, "persona", "approve")
    block = rendered(root)
    assert "### Persona (follow: who you are here)\n" in block
    assert words["line"] in block
    shown = cli(root, "persona", "show")
    assert shown["persona"]["locked"] == [words["line"]]
    assert (shown["budget"], shown["persona"]["characters"]) == (600, len(words["first"]))
    assert shown["proposals"] == []


def test_a_proposal_that_drops_a_locked_line_is_refused(root: Path, words: dict[str, str]) -> None:
    cli(root, "persona", "set", words["first"])
    refused = cli(root, "persona", "propose", words["drops"], code=4, actor="agent")
    assert words["line"] in refused.json["error"]["message"]
    kept = cli(root, "persona", "propose", words["keeps"], actor="agent")["ids"][0]
    # Whatever became of the draft on its way, it is asked again when it is admitted.
    path = next((root / "drafts").rglob(f"*{kept[2:]}.md"))
    whole = path.read_text("utf-8")
    text = "\n".join(
        line for line in whole.split("\n") if "push" not in line and "推送" not in line
    )
    path.write_text(text, "utf-8")
    refused = cli(root, "persona", "approve", kept, code=4)
    assert "a locked line of" in refused.json["error"]["message"]
    path.write_text(whole, "utf-8")
    cli(root, "persona", "approve", kept)
    block = rendered(root)
    assert block.count("### Persona") == 1
    assert words["drops"][:4] in block


def test_add_and_revise_are_no_way_round(root: Path, words: dict[str, str]) -> None:
    cli(root, "persona", "set", words["first"])
    (own,) = [r["id"] for r in run("--vault", root, "--json", "list").data["records"]]
    agent = {"MVAULT_ACTOR": "agent"}
    for argv in (
        ("add", "persona", "--title", "x", "--body", words["drops"]),
        ("revise", own, "--body", words["drops"]),
        ("add", "persona", "--payload", "-"),
        ("persona", "propose", "--user", words["profile"]),
    ):
        payload = '{"title": "x", "body": "y", "role": "user"}'
        refused = run("--vault", root, *argv, env=agent, stdin=payload)
        assert refused.code == 4, (argv, refused.text)
    draft = run("--vault", root, "--json", "persona", "propose", words["keeps"], env=agent).ok()
    own = draft.data["ids"][0]
    moved = run("--vault", root, "edit", own, "--set", "role=user", env=agent)
    assert moved.code == 4, moved.text


def test_a_person_takes_a_locked_line_out_and_back_by_undo(
    root: Path, words: dict[str, str]
) -> None:
    cli(root, "persona", "set", words["first"])
    assert cli(root, "persona", "set", words["drops"], code=4)
    cli(root, "persona", "set", words["drops"], "--unlock")
    assert words["line"] not in rendered(root)
    run("--vault", root, "undo", "--yes", env={"MVAULT_ACTOR": "person"}).ok()
    assert words["line"] in rendered(root)
    assert git(root, "log", "-2", "--format=%s").count("persona(persona)") == 2


def test_the_profile_is_the_person_s_own(root: Path, words: dict[str, str]) -> None:
    refused = cli(root, "persona", "propose", "--user", words["profile"], code=4, actor="agent")
    assert "the person's own" in refused.json["error"]["message"]
    done = run("--vault", root, "persona", "set", "--user", words["profile"], "--yes",
               env={"MVAULT_ACTOR": "agent"})  # fmt: skip
    assert done.code == 3
    cli(root, "persona", "set", "--user", words["profile"])
    cli(root, "persona", "set", words["first"])
    run("--vault", root, "add", "fact", "--title", "Z", "--body", "z").ok()
    block = rendered(root)
    places = [block.index(text) for text in ("### Persona", words["line"], "### Who you work for")]
    assert places == sorted(places)
    assert words["profile"] in block


def test_budgets(root: Path, words: dict[str, str]) -> None:
    assert cli(root, "persona", "set", "字" * 600)
    refused = cli(root, "persona", "set", "x" * 601, code=2)
    assert "601 of 600 characters, 1 too many" in refused.json["error"]["message"]
    refused = cli(root, "persona", "set", "--user", "x" * 501, code=2)
    assert "501 of 500 characters, 1 too many" in refused.json["error"]["message"]
    path = next((root / "persona").glob("*.md"))
    path.write_text(path.read_text("utf-8") + "more", "utf-8")
    assert "persona-long" in {found["code"] for found in checked(root)}
    run("--vault", root, "config", "set", "persona.max_characters", "700", "--yes",
        env={"MVAULT_ACTOR": "person"}).ok()  # fmt: skip
    cli(root, "persona", "set", "x" * 700)


def test_a_long_draft_is_not_admitted(root: Path) -> None:
    done = run("--vault", root, "--json", "add", "persona", "--title", "P", "--body", "y" * 601)
    own = done.ok().data["ids"][0]
    assert "601 of 600" in cli(root, "persona", "approve", own, code=2).json["error"]["message"]


def test_a_second_one_is_refused_and_named_by_check(root: Path, words: dict[str, str]) -> None:
    cli(root, "persona", "set", words["first"])
    body = words["keeps"]
    own = run("--vault", root, "--json", "add", "persona", "--title", "Two", "--body", body).ok()
    refused = cli(root, "persona", "approve", own.data["ids"][0], code=4)
    assert "already" in refused.json["error"]["message"]
    (path,) = (root / "persona").glob("*.md")
    twin = path.read_text("utf-8").replace("id: a-", "id: a-x")
    path.with_name("twin.md").write_text(twin, "utf-8")
    assert "two-personas" in {found["code"] for found in checked(root)}


def test_a_project_has_its_own(root: Path, words: dict[str, str]) -> None:
    cli(root, "persona", "set", words["first"])
    cli(root, "persona", "set", "Terse.", "--scope", "project:web")
    assert cli(root, "persona", "show")["persona"]["text"] == words["first"]
    assert cli(root, "persona", "show", "--scope", "project:web")["persona"]["text"] == "Terse."
    assert cli(root, "persona", "approve", code=6)


def test_which_lines_are_locked() -> None:
    text = "x\n- **Boundary:** a\n> 边界：b\nBoundary of this\nboundary: c\nno boundary: d\n"
    assert locked_lines(text) == ("- **Boundary:** a", "> 边界：b", "boundary: c")
    assert dropped_lines(text, "boundary:   c\n- **Boundary:** a") == ("> 边界：b",)
    assert dropped_lines("plain", "") == ()


def test_an_agent_does_not_switch_it_off_by_an_objection(root: Path, words: dict[str, str]) -> None:
    cli(root, "persona", "set", words["first"])
    cli(root, "persona", "set", "--user", words["profile"])
    for record in run("--vault", root, "--json", "list").data["records"]:
        refused = run(
            "--vault",
            root,
            "dispute",
            record["id"],
            "--reason",
            "不",
            env={"MVAULT_ACTOR": "agent"},
        )
        assert refused.code in (3, 4), refused.text
    assert words["line"] in rendered(root)
    assert words["profile"] in rendered(root)


def test_what_is_shown_of_the_persona_says_where_the_profile_is(
    root: Path, words: dict[str, str]
) -> None:
    person = {"MVAULT_ACTOR": "person"}
    run("--vault", root, "persona", "set", words["first"], "--yes", env=person).ok()
    assert "hint" not in run("--vault", root, "persona", "show").ok().err
    run("--vault", root, "persona", "set", "--user", "后端工程师", "--yes", env=person).ok()
    assert "mvault persona show --user" in run("--vault", root, "persona", "show").ok().err
    assert "后端工程师" in run("--vault", root, "persona", "show", "--user").ok().out
