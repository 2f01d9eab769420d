"""A recipe is used, is proposed as a skill by the program, is admitted, changes, and goes back."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from helpers import checked, commit_count, git, make_vault, run, write_files

from vault_cli.features.practice import find_practice, is_idle, success_rank
from vault_cli.model.record import Kind, Record, Snapshot, Status, Tally

EN = ("Rotate the staging keys", "a key is older than a quarter", "rotate-the-staging-keys")
ZH = ("轮换 staging 密钥", "密钥超过一个季度", "staging")
RECIPE = (
    "---\nid: {id}\nkind: recipe\nstatus: active\ntitle: {title}\napplies_when: {when}\n"
    "created: 2026-11-01T00:00:00Z\n---\n# {title}\n\n## {problem}\n{why}\n\n## {steps}\n1. {do}\n"
)
WORDS = {
    "en": {"problem": "Problem", "why": "Old keys stop working.", "steps": "Steps", "do": "Renew."},
    "zh": {"problem": "问题", "why": "旧密钥会失效。", "steps": "步骤", "do": "重新生成。"},
}
PERSON = {"MVAULT_ACTOR": "person"}


def recipe(language: str, record_id: str = "c-keys") -> str:
    title, when, _ = EN if language == "en" else ZH
    return RECIPE.format(id=record_id, title=title, when=when, **WORDS[language])


@pytest.fixture(params=["en", "zh"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return make_vault(tmp_path, {"recipes/keys.md": recipe(request.param)})


def cli(root: Path, *argv: str, code: int = 0, actor: str = "person", now: str = "") -> Any:
    env: dict[str, str | None] = {"MVAULT_ACTOR": actor}
    if now:
        env["MVAULT_NOW"] = now
    done = run("--vault", root, "--json", *argv, env=env)
    assert done.code == code, done.text
    return done.json.get("data") if code == 0 else done


def use(root: Path, record_id: str = "c-keys", times: int = 3) -> Any:
    said = None
    for _ in range(times):
        said = cli(root, "used", record_id, "--ok", "--yes")
    return said


def of_kind(root: Path, status: str) -> list[dict[str, Any]]:
    rows = cli(
        root,
        "list",
        "--all" if status == "rejected" else "--status",
        *(() if status == "rejected" else (status,)),
    )["records"]
    return [row for row in rows if row["kind"] == "skill" and row["status"] == status]


def test_a_recipe_that_uses_make_mature_is_proposed_and_a_person_admits_it(root: Path) -> None:
    assert use(root, times=2)["proposed"] == []
    said = use(root, times=1)
    assert len(said["proposed"]) == 1
    own = said["proposed"][0]
    assert not (root / "skills").exists()
    assert use(root, times=1)["proposed"] == [], "proposed once"
    assert cli(root, "graduate", "--propose")["changed"] is False
    draft = cli(root, "show", own)
    assert (draft["kind"], draft["status"]) == ("skill", "candidate")
    assert run("--vault", root, "approve", own, "--yes", env={"MVAULT_ACTOR": "agent"}).code == 3
    before = commit_count(root)
    name = "rotate-keys" if draft["fields"].get("skill_name") is None else ""
    if name:  # a Chinese title gives no skill name: a person names it
        cli(root, "edit", own, "--set", f"skill_name={name}", "--yes")
        before += 1
    cli(root, "approve", own, "--yes")
    assert commit_count(root) == before + 1
    status = {row["id"]: row["status"] for row in cli(root, "list")["records"]}
    assert status == {"c-keys": "superseded", own: "active"}
    (skill,) = (root / "skills").glob("*/SKILL.md")
    dossier = (skill.parent / "references" / "dossier.md").read_text("utf-8")
    assert "4 hits, 4 succeeded, 0 failed" in dossier
    assert [found for found in checked(root) if found["severity"] != "note"] == []


def admitted(root: Path) -> tuple[str, Path]:
    own = use(root)["proposed"][0]
    if cli(root, "show", own)["fields"].get("skill_name") is None:
        cli(root, "edit", own, "--set", "skill_name=rotate-keys", "--yes")
    cli(root, "approve", own, "--yes")
    (skill,) = (root / "skills").glob("*/SKILL.md")
    return own, skill


def test_a_change_of_the_recipe_is_proposed_again_and_rewrites_the_skill(root: Path) -> None:
    own, skill = admitted(root)
    before = skill.read_text("utf-8")
    assert cli(root, "graduate", "--propose")["changed"] is False
    path = root / "recipes" / "keys.md"
    path.write_text(path.read_text("utf-8") + "2. Tell the team.\n", "utf-8")
    (again,) = cli(root, "graduate", "--propose")["ids"]
    assert skill.read_text("utf-8") == before
    cli(root, "approve", again, "--yes")
    assert skill.read_text("utf-8") == before + "2. Tell the team.\n"
    assert {row["id"] for row in cli(root, "list")["records"]} == {"c-keys", own}
    assert cli(root, "graduate", "--propose")["changed"] is False


def test_what_was_rejected_is_proposed_again_only_with_another_text(root: Path) -> None:
    own = use(root)["proposed"][0]
    cli(root, "reject", own, "--reason", "too rare", "--yes")
    assert use(root, times=1)["proposed"] == []
    path = root / "recipes" / "keys.md"
    path.write_text(path.read_text("utf-8") + "2. Tell the team.\n", "utf-8")
    assert len(use(root, times=1)["proposed"]) == 1


def test_a_proposal_about_an_older_text_is_not_admitted(root: Path) -> None:
    own = use(root)["proposed"][0]
    path = root / "recipes" / "keys.md"
    path.write_text(path.read_text("utf-8") + "2. Tell the team.\n", "utf-8")
    done = cli(root, "approve", own, "--yes", code=4)
    assert "has changed since" in done.json["error"]["message"]
    assert not (root / "skills").exists()


def test_what_was_demoted_has_to_prove_itself_again(root: Path) -> None:
    before = (root / "recipes" / "keys.md").read_bytes()
    own, _ = admitted(root)
    cli(root, "demote", own, "--reason", "step 1 changed", "--yes")
    assert (root / "recipes" / "keys.md").read_bytes() == before
    assert not list((root / "skills").glob("*/SKILL.md"))
    for expected in (0, 0, 1):
        said = use(root, times=1)
        assert len(said["proposed"]) == expected


def test_nothing_is_said_of_what_a_demotion_did(root: Path) -> None:
    own, _ = admitted(root)
    cli(root, "used", own, "--ok", "--yes")
    cli(root, "demote", own, "--reason", "step 1 changed", "--yes")

    assert cli(root, "status")["ready"] == []
    assert "graduate" not in run("--vault", root, "status").ok().text
    listed = cli(root, "graduate", "--list")
    assert (listed["due"], listed["records"][0]["state"]) == ([], "proving")
    assert cli(root, "graduate", "--propose")["changed"] is False
    assert checked(root) == []
    early = cli(root, "graduate", "c-keys", "--name", "keys", "--yes", code=4)
    assert "0 of 3 hits since it was demoted" in early.json["error"]["message"]
    use(root)
    assert [one["id"] for one in cli(root, "status")["ready"]] == ["c-keys"]


def test_a_renewal_that_waits_has_lost_no_support(root: Path) -> None:
    admitted(root)
    path = root / "recipes" / "keys.md"
    path.write_text(path.read_text("utf-8") + "2. Tell the team.\n", "utf-8")
    (again,) = cli(root, "graduate", "--propose")["ids"]

    assert "support-lost" not in {found["code"] for found in checked(root)}
    cli(root, "approve", again, "--yes")
    assert checked(root) == []


def test_a_demotion_takes_a_waiting_renewal_along(root: Path) -> None:
    own, _ = admitted(root)
    path = root / "recipes" / "keys.md"
    path.write_text(path.read_text("utf-8") + "2. Tell the team.\n", "utf-8")
    (again,) = cli(root, "graduate", "--propose")["ids"]
    env = {"MVAULT_ACTOR": "person"}
    done = run("--vault", root, "demote", own, "--reason", "changed", "--yes", env=env).ok()

    assert f"{again}, which proposed to renew it, went with it" in done.err
    assert cli(root, "status")["drafts"] == []
    assert checked(root) == []
    cli(root, "undo", "--yes")
    assert [record["id"] for record in cli(root, "status")["drafts"]] == [again]


def test_what_was_undone_is_no_unknown_record(root: Path) -> None:
    own = cli(root, "add", "note", "--title", "Keys", "--body", "Keys are renewed.", "--yes")[
        "ids"
    ][0]
    cli(root, "mark", own, "--helpful", "--yes")
    (added,) = cli(root, "log", own)["commits"]
    cli(root, "undo", added["commit"], "--yes")
    assert "usage-unknown" not in {found["code"] for found in checked(root)}


def test_a_graduation_by_hand_answers_the_proposal(root: Path) -> None:
    own = use(root)["proposed"][0]
    cli(root, "graduate", "c-keys", "--name", "keys", "--yes")
    assert own not in {row["id"] for row in cli(root, "list")["records"]}
    assert (root / "skills" / "keys" / "SKILL.md").is_file()


def test_failures_outweigh(root: Path) -> None:
    for _ in range(3):
        cli(root, "used", "c-keys", "--fail", "--yes")
    assert use(root)["proposed"] == []
    (row,) = cli(root, "graduate", "--list")["records"]
    assert (row["hits"], row["succeeded"], row["failed"], row["mature"]) == (3, 3, 3, False)
    done = cli(root, "graduate", "c-keys", "--name", "keys", "--yes", code=4)
    assert "3 succeeded and 3 failed" in done.json["error"]["message"]


@pytest.mark.parametrize("number", ["9" * 5000, "²", "many"])
def test_a_trailer_of_others_that_is_no_number_stops_nothing(root: Path, number: str) -> None:
    use(root)
    said = f"x\n\nVault-Id: c-keys\nVault-Uses: {number}"
    git(root, "commit", "-q", "--allow-empty", "-m", said)
    assert [record["id"] for record in cli(root, "status")["ready"]] == ["c-keys"]


def test_the_setting_turns_proposals_off(root: Path) -> None:
    cli(root, "config", "set", "graduation.propose", "off", "--yes")
    assert "proposed" not in use(root)
    assert len(cli(root, "graduate", "--propose")["ids"]) == 1


def test_an_agent_notes_a_use_of_what_its_session_was_shown_once(root: Path) -> None:
    refused = cli(root, "used", "c-keys", "--ok", "--session", "s1", code=4, actor="agent")
    assert "no block" in refused.json["error"]["message"]
    cli(root, "render", "--session", "s1", actor="agent")
    cli(root, "used", "c-keys", "--ok", "--session", "s1", actor="agent")
    cli(root, "used", "c-keys", "--ok", "--session", "s1", actor="agent")
    (row,) = cli(root, "graduate", "--list")["records"]
    assert (row["hits"], row["succeeded"]) == (1, 1)
    assert cli(root, "used", "c-keys", code=2).json["error"]["message"] == "how did it go?"
    assert cli(root, "used", "c-keys", "--ok", "--fail", code=2)


def test_a_use_may_be_taken_back(root: Path) -> None:
    use(root, times=1)
    cli(root, "used", "c-keys", "--ok", "--undo", "--yes")
    (row,) = cli(root, "graduate", "--list")["records"]
    assert (row["hits"], row["succeeded"]) == (0, 0)


def test_the_newest_use_is_taken_back_however_it_went(root: Path) -> None:
    for number, how in enumerate(("--ok", "--fail")):
        cli(root, "used", "c-keys", how, "--yes", now=f"2026-11-30T10:0{number}:00Z")
    for succeeded, failed, hits in [(1, 0, 1), (0, 0, 0)]:
        cli(root, "used", "c-keys", "--undo", "--yes")
        (row,) = cli(root, "graduate", "--list")["records"]
        assert (row["succeeded"], row["failed"], row["hits"]) == (succeeded, failed, hits)
    assert "no mark to take back" in cli(root, "used", "c-keys", "--undo", "--yes", code=6).err
    cli(root, "used", "c-keys", "--ok", "--fail", "--undo", "--yes", code=2)
    cli(root, "used", "c-keys", "--yes", code=2)


def test_thirty_days_without_a_use_is_told(root: Path) -> None:
    use(root, times=1)
    assert cli(root, "graduate", "--list")["records"][0]["state"] == "proving"
    last = cli(root, "graduate", "--list", now="2026-12-30T12:00:00Z")["records"][0]
    assert (last["state"], last["unused"]) == ("proving", False)
    late = cli(root, "graduate", "--list", now="2026-12-31T12:00:00Z")["records"][0]
    assert (late["state"], late["unused"]) == ("unused", True)


def test_two_skills_that_say_the_same_are_noticed(root: Path) -> None:
    _, skill = admitted(root)
    text = skill.read_text("utf-8")
    body = text.split("---\n", 2)[2]
    twin = f"---\nname: keys-two\ndescription: The same once more.\n---\n{body}"
    write_files(root, {"skills/keys-two/SKILL.md": twin})
    found = [f for f in checked(root) if f["code"] == "skill-twin"]
    assert len(found) <= 1
    twin = twin.replace("---\n#", "metadata:\n  mvault-id: k-two\n  mvault-status: active\n---\n#")
    write_files(root, {"skills/keys-two/SKILL.md": twin})
    (found_one,) = [f for f in checked(root) if f["code"] == "skill-twin"]
    assert "says nearly the same" in found_one["message"]


def test_success_is_ranked_by_what_is_sure() -> None:
    assert success_rank(0, 0) is None
    # Wilson's interval for 9 of 10 is 0.596 to 0.982, for 1 of 1 it is 0.207 to 1.
    assert success_rank(9, 1) == pytest.approx(0.5958, abs=1e-4)
    assert success_rank(1, 0) == pytest.approx(0.2065, abs=1e-4)
    assert success_rank(0, 5) == 0


def test_the_order_is_by_rank_then_uses() -> None:
    records = tuple(
        Record(f"c-{n}", Kind.RECIPE, f"recipes/{n}.md", "", Status.ACTIVE, n, "")
        for n in ("new", "busy", "lucky", "sure")
    )
    tallies = {
        "c-sure": Tally(hits=9, succeeded=9, failed=1, last_used="2026-11-29"),
        "c-lucky": Tally(hits=1, succeeded=1),
        "c-busy": Tally(hits=30),
    }
    found = find_practice(Snapshot(records, tallies=tallies), date(2026, 11, 30))
    assert [item.record.id for item in found] == ["c-sure", "c-lucky", "c-busy", "c-new"]
    assert not is_idle(found[0].record, found[0].tally, date(2026, 12, 29))
    assert is_idle(found[0].record, found[0].tally, date(2026, 12, 30))
