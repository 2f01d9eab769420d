"""`eval`, `audit` and the study of outcomes: frozen cases, four parts, honest counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_all, commit_count, git, make_vault, run, write_files
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.errors import UsageError
from vault_cli.features.evals import case_key, compare_answers, read_cases, with_case
from vault_cli.model.observation import EXPOSURE, Observation, write_line
from vault_cli.model.shares import Share, paired_chance
from vault_cli.store.own_usage import new_key

LESSON = (
    "---\nid: {id}\nkind: lesson\nstatus: active\ntitle: {title}\n---\n## 问题\n{body}\n\n"
    "## 修正\n{fix}\n"
)
FILES = {
    "memories/npx.md": LESSON.format(
        id="l-npx", title="Check node_modules/.bin before npx", body="npx downloads", fix="look"
    ),
    "memories/pay.md": LESSON.format(
        id="l-pay", title="微信支付回调要在 5 秒内应答", body="超时会重发", fix="先应答"
    ),
}
CASES = (("why does npx download offline", "l-npx"), ("支付回调多久必须应答", "l-pay"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path, FILES)


def cli(root: Path, *argv: str, code: int = 0, actor: str = "person", stdin: str = "") -> Any:
    done = run("--vault", root, "--json", *argv, env={"MVAULT_ACTOR": actor}, stdin=stdin)
    assert done.code == code, done.text
    return done.json["data"] if code in (0, 1) else done.json["error"]


def freeze(root: Path) -> None:
    for question, key in CASES:
        cli(root, "eval", "add", question, "--expect", key, actor="agent")
    cli(root, "eval", "run", "--baseline", "--yes")


# eval


def test_cases_are_found_and_kept_as_the_baseline(root: Path) -> None:
    assert cli(root, "eval", "run", code=6)["message"] == "there are no cases"
    cli(root, "eval", "add", *CASES[0][:1], "--expect", "l-npx")
    assert "no baseline" in cli(root, "eval", "run", "--gate", code=6)["message"]
    freeze(root)
    data = cli(root, "eval", "run", "--gate")
    assert [(row["question"], row["place"], row["passed"]) for row in data["cases"]] == [
        (question, 1, True) for question, _ in CASES
    ]
    assert (data["top1"]["part"], data["top3"]["part"], data["below"]) == (2, 2, False)
    before = commit_count(root)
    assert cli(root, "eval", "add", CASES[0][0], "--expect", "l-npx")["changed"] is False
    assert cli(root, "eval", "run", "--baseline", "--yes")["changed"] is False
    assert commit_count(root) == before
    assert git(root, "status", "--porcelain") == ""


def test_the_baseline_is_a_person_s(root: Path) -> None:
    cli(root, "eval", "add", CASES[0][0], "--expect", "l-npx")
    done = run("--vault", root, "eval", "run", "--baseline", "--yes", env={"MVAULT_ACTOR": "agent"})
    assert done.code == 3
    assert not (root / "eval" / "baseline.json").exists()


def test_the_gate_fails_below_the_baseline_and_names_the_case(root: Path) -> None:
    freeze(root)
    cli(root, "deprecate", "l-pay", "--reason", "old", "--yes")
    assert cli(root, "eval", "run")["below"] is True
    data = cli(root, "eval", "run", "--gate", code=1)
    assert data["worse"] == [case_key(CASES[1][0], ["l-pay"])]
    assert (data["top3"]["part"], data["top3"]["total"]) == (1, 2)


def test_a_case_that_is_taken_out_does_not_pass(root: Path) -> None:
    freeze(root)
    path = root / "eval" / "cases.toml"
    kept = read_cases(path.read_bytes())[0]
    path.write_bytes(with_case(b"", kept.question, kept.expect))
    data = cli(root, "eval", "run", "--gate", code=1)
    assert data["missing"] == [case_key(CASES[1][0], ["l-pay"])]


def test_what_replaced_a_record_counts_for_it(root: Path) -> None:
    freeze(root)
    new = cli(root, "revise", "l-pay", "--set", "title=微信支付回调要在 3 秒内应答")["ids"][0]
    cli(root, "approve", new, "--yes")
    row = cli(root, "eval", "run", "--gate")["cases"][1]
    assert (row["passed"], row["found"]) == (True, new)


def test_a_secret_in_a_question_is_refused(root: Path) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    done = run("--vault", root, "eval", "add", f"key {token}", "--expect", "l-npx")
    assert done.code == 4, done.text
    assert not (root / "eval").exists()


@pytest.mark.parametrize(
    "text",
    ["case = 1", "[[case]]\n", '[[case]]\nquestion = "x"\n', "\x00", '[[case]]\nquestion = "x"\nexpect = [1]\n'],
)  # fmt: skip
def test_a_file_of_cases_that_cannot_be_read_is_said(root: Path, text: str) -> None:
    write_files(root, {"eval/cases.toml": text})
    assert "eval/cases.toml" in cli(root, "eval", "run", code=2)["message"]
    write_files(root, {"eval/cases.toml": b"", "eval/baseline.json": b"[]"})
    cli(root, "eval", "add", "x", "--expect", "l-npx")
    assert "no baseline" in cli(root, "eval", "run", code=2)["message"]


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=5))
def test_every_case_reads_back(pairs: list[tuple[str, str]]) -> None:
    data = b""
    wanted = {}
    for question, key in pairs:
        text = " ".join(question.split())
        if not text or any("\ud800" <= char <= "\udfff" for char in question + key):
            continue
        data = with_case(data, question, [key])
        wanted[case_key(text, [key])] = (text, (key,))
    found = {case.key: (case.question, case.expect) for case in read_cases(data)}
    assert found == wanted


def test_answers_with_and_without_the_vault_are_compared_both_ways(root: Path) -> None:
    freeze(root)
    out = run("--vault", root, "eval", "export").ok().out
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["memory"], bool(row["block"])) for row in rows] == [
        (True, True),
        (False, False),
    ] * 2
    assert "微信支付回调" in rows[2]["block"]
    verdicts = [("a", True, True), ("a", False, False), ("b", True, False), ("b", False, True)]
    verdicts += [("c", True, False), ("c", False, True), ("d", True, True)]
    lines = "\n".join(json.dumps({"case": c, "memory": m, "ok": k}) for c, m, k in verdicts)
    data = cli(root, "eval", "compare", "-", stdin=lines, code=1)
    assert (data["pairs"], data["better_with"], data["worse_with"]) == (3, 1, 2)
    assert (data["alone"], data["with"]["too_few"], data["chance"]) == (["d"], True, 1.0)
    assert "line 1" in cli(root, "eval", "compare", "-", stdin="{}", code=2)["message"]
    with pytest.raises(UsageError, match="line 2"):
        compare_answers('\n{"case": 1, "memory": true, "ok": true}')


# numbers


def test_a_share_says_what_it_can() -> None:
    # Wilson's interval of 3 of 12, worked out by hand from equation 3.
    assert Share(3, 12).interval == pytest.approx((0.0889, 0.5323), abs=1e-4)
    assert Share(0, 20).interval == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert Share(0, 0).describe() == "none"
    assert Share(1, 9).describe() == "1 of 9 (too few to tell)"
    assert Share(3, 12).describe() == "3 of 12 (25%; 95 %: 9% to 53%)"


def test_the_chance_of_pairs_is_exact() -> None:
    # Two-sided binomial test with p = 1/2: 1 of 10 differing pairs is 22/1024.
    assert paired_chance(1, 9) == pytest.approx(22 / 1024)
    assert paired_chance(5, 5) == 1
    assert paired_chance(0, 0) is None


# audit


def task(key: str, goal: str, state: str, day: int, shown: str = "", session: str = "s1") -> str:
    seen = f"shown: {{full: [{shown}]}}\n" if shown else ""
    return (
        f"---\nid: {key}\nkind: task\ntitle: {goal}\ngoal: {goal}\nstatus_of_task: {state}\n"
        f"started: 2026-11-{day:02}T10:00:00Z\nended: 2026-11-{day:02}T11:00:00Z\n"
        f"session: {session}\n{seen}---\n# {goal}\n"
    )


GOALS = {"en": "Make the login test pass at night", "zh": "让夜间登录测试通过"}
OTHER = {"en": "Write the release notes", "zh": "写发布说明"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_study_counts_repeats_with_and_without_the_vault(tmp_path: Path, language: str) -> None:
    goal, other = GOALS[language], OTHER[language]
    lesson = FILES["memories/npx.md"].replace("status:", "derived_from: [t-2]\nstatus:")
    root = make_vault(tmp_path, {
        "memories/npx.md": lesson,
        "tasks/1.md": task("t-1", goal, "failed", 1),
        "tasks/2.md": task("t-2", goal, "failed", 2),
        "tasks/3.md": task("t-3", goal, "succeeded", 3, shown="l-npx"),
        "tasks/4.md": task("t-4", other, "failed", 4),
        "tasks/5.md": task("t-5", goal, "abandoned", 5),
    })  # fmt: skip
    part = cli(root, "audit")["parts"]["outcomes"]
    assert part["tasks"] == 4
    repeat = part["repeat_failure"]
    assert [(p["earlier"], p["later"], p["failed_again"]) for p in repeat["pairs"]] == [
        ("t-1", "t-2", True),
        ("t-2", "t-3", False),
    ]
    assert (repeat["without"]["part"], repeat["without"]["total"]) == (1, 1)
    assert (repeat["with"]["part"], repeat["with"]["total"]) == (0, 1)
    about = repeat["with_a_record_about_it"]
    assert (about["part"], about["total"], about["too_few"]) == (0, 1, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_study_counts_what_was_proposed_again(tmp_path: Path, language: str) -> None:
    text = {"en": "Cache every booking in Redis for an hour.", "zh": "所有预订在 Redis 里缓存一小时。"}[language]  # fmt: skip
    front = "---\nid: {id}\nkind: lesson\nstatus: {status}\ntitle: {title}\ncreated: {at}\n{more}---\n{text}\n"

    def fact(key: str, at: str, session: str, body: str, status: str = "candidate") -> str:
        more = f"evidence: [{{id: e1, type: session-event, session: {session}, start: 1, end: 2}}]\n" if session else ""  # fmt: skip
        if status == "rejected":
            more += "rejected: {reason: stale, at: 2026-11-02T00:00:00Z}\n"
        return front.format(id=key, status=status, title=body[:12], at=at, more=more, text=body).replace("kind: lesson", "kind: fact")  # fmt: skip

    root = make_vault(tmp_path, {
        "drafts/a.md": fact("f-a", "2026-11-01T00:00:00Z", "", text, "rejected"),
        "drafts/b.md": fact("f-b", "2026-11-03T00:00:00Z", "s-blind", text),
        "drafts/c.md": fact("f-c", "2026-11-04T00:00:00Z", "s-shown", "Something else altogether 另一件事。"),
        "drafts/d.md": fact("f-d", "2026-11-05T00:00:00Z", "", "Nobody knows the session 没有会话。"),
    })  # fmt: skip
    seen = Observation(
        EXPOSURE, "2026-11-03T10:00:00Z", new_key(), ("f-a",), session="s-shown", receipt="r1"
    )
    write_files(root, {"usage/0123456789abcdef.jsonl": write_line(seen)})
    commit_all(root)
    again = cli(root, "audit")["parts"]["outcomes"]["reproposal"]
    assert (again["without"]["part"], again["without"]["total"]) == (1, 1)
    assert (again["with"]["part"], again["with"]["total"]) == (0, 1)
    assert again["session_unknown"] == 1
    assert [(row["id"], row["again"]) for row in again["again"]] == [("f-b", "f-a")]


def test_four_parts_each_with_its_judge_and_no_total(root: Path) -> None:
    data = cli(root, "audit")
    assert list(data) == ["parts"]
    assert list(data["parts"]) == ["memory", "retrieval", "feedback", "outcomes"]
    judges = [part["judge"] for part in data["parts"].values()]
    assert len(set(judges)) == 4
    assert not {"score", "total_score", "grade"} & set(data["parts"])
    assert data["parts"]["retrieval"] == {"judge": judges[1], "cases": 0, "measured": False}
    said = run("--vault", root, "audit").ok().out
    for name, judge in zip(data["parts"], judges, strict=True):
        assert f"{name}  judged by {judge}" in said
    assert "not measured" in said


def test_memory_is_counted_and_misleading_records_are_proposed_for_demotion(root: Path) -> None:
    freeze(root)
    for verdict in ("--helpful", *["--harmful"] * 4):
        cli(root, "mark", "l-npx", verdict, "--yes")
    cli(root, "dispute", "l-pay", "--reason", "真的吗", "--yes")
    parts = cli(root, "audit")["parts"]
    assert (parts["memory"]["total"], parts["memory"]["current"]) == (2, 1)
    assert parts["memory"]["disputed"] == 1
    assert parts["feedback"]["demote"] == [{"id": "l-npx", "helpful": 1, "harmful": 4}]
    assert (parts["feedback"]["helpful"]["part"], parts["feedback"]["helpful"]["total"]) == (1, 5)
    assert parts["retrieval"]["top3"]["total"] == 2
    assert "look at l-npx: harmful in 4 of 5" in run("--vault", root, "audit").ok().out


def test_an_audit_changes_nothing(root: Path) -> None:
    freeze(root)
    before = commit_count(root)
    cli(root, "audit")
    cli(root, "eval", "run")
    assert commit_count(root) == before
    assert git(root, "status", "--porcelain") == ""
