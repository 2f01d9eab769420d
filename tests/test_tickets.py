"""Tickets through the command line: stages, dependencies that refuse, due days, tombstones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers import (
    Result,
    commit_count,
    git,
    make_vault,
    rendered,
    run,
    snapshot_bytes,
    write_files,
)

AGENT = {"MVAULT_ACTOR": "agent"}
PERSON = {"MVAULT_ACTOR": "person"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def mv(root: Path, *argv: str, **env: str) -> Result:
    return run("--vault", root, "--json", *argv, cwd=root, env={**AGENT, **env})


def add(root: Path, title: str, *more: str) -> str:
    return str(mv(root, "ticket", "add", title, *more).ok().data["ticket"])


def ticket(root: Path, key: str) -> dict[str, Any]:
    return dict(mv(root, "ticket", "show", key).ok().data["ticket"])


def move(root: Path, key: str, stage: str, *more: str) -> Result:
    return mv(root, "ticket", "move", key, stage, *more)


def test_a_ticket_is_a_file_that_says_who_moves_next(root: Path) -> None:
    own = add(
        root, "修复登录测试", "--deliverable", "CI 全绿", "--background", "每晚失败\n两次",
        "--due", "2026-12-24", "--external", "https://example.org/issues/7", "--topic", "ci",
    )  # fmt: skip
    found = ticket(root, own)

    assert (found["stage"], found["title"]) == ("draft", "修复登录测试")
    assert (found["deliverable"], found["background"]) == ("CI 全绿", "每晚失败\n两次")
    assert (found["due"], found["overdue"]) == ("2026-12-24", False)
    assert found["external"] == "https://example.org/issues/7"
    assert found["topics"] == ["ci"]
    assert "wanted" in found["next_move"]
    (path,) = (root / "tickets").glob("*.md")
    assert "## 背景" in path.read_text()
    assert rendered(root, "--kind", "ticket") == rendered(root)


def test_every_jump_is_allowed_and_leaving_done_needs_a_reason(root: Path) -> None:
    own = add(root, "x")
    for stage in ("done", "draft", "review", "open", "doing", "done"):
        before = ticket(root, own)["stage"]
        result = move(root, own, stage)
        assert result.code == (2 if before == "done" else 0), (before, stage)
        if before == "done":
            move(root, own, stage, "--reason", "又出现了").ok()
            assert "又出现了" in git(root, "log", "-1", "--format=%b")
    assert "done" in git(root, "log", "-1", "--format=%s")


def test_a_dependency_refuses_an_advance_and_names_what_is_missing(root: Path) -> None:
    first, second = add(root, "First"), add(root, "第二")
    last = add(root, "Last", "--depends", first, "--depends", second, "--stage", "open")
    before = snapshot_bytes(root)
    for stage in ("doing", "review", "done"):
        refused = move(root, last, stage)
        assert refused.code == 4
        message = refused.json["error"]["message"]
        assert f"{first} First (draft)" in message
        assert f"{second} 第二 (draft)" in message
    assert snapshot_bytes(root) == before
    move(root, first, "done").ok()
    assert first not in move(root, last, "doing").json["error"]["message"]
    assert move(root, second, "done").ok().data["unblocked"] == [last]
    move(root, last, "doing").ok()


def test_only_what_waits_for_nothing_else_is_unblocked_and_it_may_wait_again(root: Path) -> None:
    one, two = add(root, "one"), add(root, "two")
    both, single = (
        add(root, "both", "--depends", one, "--depends", two),
        add(root, "single", "--depends", one),
    )
    assert move(root, one, "done").ok().data["unblocked"] == [single]
    back = move(root, one, "open", "--reason", "broken").ok()
    assert sorted(back.data["blocked"]) == sorted([both, single])
    assert "Waits again" in back.err or back.json["ok"]
    assert move(root, single, "doing").code == 4


def test_stepping_back_is_never_refused(root: Path) -> None:
    one = add(root, "one")
    other = add(root, "other", "--stage", "review")
    mv(root, "ticket", "edit", other, "--depends", one).ok()

    move(root, other, "open").ok()
    assert move(root, other, "review").code == 4


def test_a_task_or_a_record_may_be_what_is_waited_for(root: Path) -> None:
    task = str(mv(root, "task", "start", "measure").ok().data["task"])
    own = add(root, "x", "--depends", task)
    assert "measure (open)" in move(root, own, "doing").json["error"]["message"]
    mv(root, "task", "end", task, "--status", "failed").ok()
    assert "measure (failed)" in move(root, own, "doing").json["error"]["message"]
    rule = "---\nid: r-1\nkind: rule\nstatus: {}\ntitle: 先问\n---\n先问。\n"
    write_files(root, {"playbook/r.md": rule.format("candidate")})
    other = add(root, "y", "--depends", "r-1")
    assert move(root, other, "doing").code == 4
    write_files(root, {"playbook/r.md": rule.format("active")})
    move(root, other, "doing").ok()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_nothing_waits_for_itself(root: Path, length: int) -> None:
    ids = [add(root, f"t{n}") for n in range(length)]
    for one, other in pairwise(ids):
        mv(root, "ticket", "edit", other, "--depends", one).ok()
    refused = mv(root, "ticket", "edit", ids[0], "--depends", ids[-1])

    assert refused.code == 4
    assert " -> ".join(ids[:1]) in refused.json["error"]["message"]


def test_a_circle_by_hand_is_found_and_stops_nothing_else(root: Path) -> None:
    text = "---\nid: w-{0}\nkind: ticket\nstage: open\ndepends_on: [w-{1}]\n---\n# {0}\n"
    write_files(
        root, {"tickets/a.md": text.format("a", "b"), "tickets/b.md": text.format("b", "a")}
    )
    codes = [d["code"] for d in mv(root, "check").json["diagnostics"]]

    assert codes.count("depends-circle") == 1
    assert move(root, "w-a", "doing").code == 4
    mv(root, "ticket", "edit", "w-a", "--no-depends", "w-b").ok()
    move(root, "w-a", "doing").ok()


def test_what_is_due_comes_by_its_day_in_the_vault_s_zone(root: Path) -> None:
    late, today = (
        add(root, "late", "--due", "2026-11-29"),
        add(root, "today", "--due", "2026-11-30"),
    )
    add(root, "done", "--due", "2026-11-01", "--stage", "done")
    add(root, "far", "--due", "2026-12-30")
    soon = add(root, "soon", "--due", "2026-12-07")
    rows = mv(root, "ticket", "due").ok().data["records"]

    assert [row["id"] for row in rows] == [late, today, soon]
    assert [row["overdue"] for row in rows] == [True, False, False]
    assert len(mv(root, "ticket", "due", "--within", "30").ok().data["records"]) == 4
    assert len(mv(root, "ticket", "due", "--within", "999999999").ok().data["records"]) == 4
    with (root / "vault.toml").open("a") as file:
        file.write('[vault]\ntimezone = "Pacific/Kiritimati"\n')  # 14 hours ahead: a day later
    rows = mv(root, "ticket", "due", "--within", "0").ok().data["records"]
    assert [row["id"] for row in rows] == [late, today]
    assert [row["overdue"] for row in rows] == [True, True]
    assert "1 overdue" not in run("--vault", root, "status").ok().out
    assert "2 overdue" in run("--vault", root, "status").ok().out


def test_lists_are_by_stage_topic_and_leave_out_what_is_done(root: Path) -> None:
    draft, doing = add(root, "a", "--topic", "ci"), add(root, "b", "--stage", "doing")
    done = add(root, "c", "--stage", "done", "--topic", "CI")

    def ids(*argv: str) -> list[str]:
        return [row["id"] for row in mv(root, "ticket", "list", *argv).ok().data["records"]]

    assert ids() == [draft, doing]
    assert ids("--all") == [draft, doing, done]
    assert ids("--stage", "done") == [done]
    assert ids("--all", "--topic", "ci") == [draft, done]
    assert mv(root, "ticket", "list", "--stage", "x").code == 2


def test_a_task_takes_its_ticket_along_in_one_commit(root: Path) -> None:
    own = add(root, "登录页", "--stage", "open")
    commits = commit_count(root)
    task = str(mv(root, "task", "start", "login", "--ticket", own).ok().data["task"])

    assert commit_count(root) == commits + 1
    assert ticket(root, own)["stage"] == "doing"
    assert [t["id"] for t in ticket(root, own)["tasks"]] == [task]
    end = run("--vault", root, "task", "end", task, "--status", "succeeded", env=AGENT).ok()
    assert f"mvault ticket move {own} review" in end.err


def test_a_task_does_not_start_on_a_ticket_that_waits(root: Path) -> None:
    first = add(root, "first")
    own = add(root, "second", "--depends", first)

    assert mv(root, "task", "start", "x", "--ticket", own).code == 4
    assert list((root / "tasks").rglob("*.md")) == []


def test_a_dropped_ticket_leaves_a_tombstone_and_no_task_behind(root: Path) -> None:
    own = add(root, "x")
    other = add(root, "y", "--depends", own)
    task = str(mv(root, "task", "start", "login", "--ticket", own).ok().data["task"])
    assert mv(root, "ticket", "drop", own, "--yes").code == 2
    dropped = mv(root, "ticket", "drop", own, "--reason", "不要了", "--yes").ok()

    assert dropped.data["abandoned"] == [task]
    assert dropped.data["waiting"] == [other]
    assert (root / f"tombstones/{own}.md").exists()
    shown = run("--vault", root, "ticket", "show", own)
    assert (shown.code, f"{own} was dropped" in shown.err) == (6, True)
    assert [t["state"] for t in mv(root, "task", "list").ok().data["records"]] == ["abandoned"]
    assert [t["id"] for t in mv(root, "ticket", "list", "--all").ok().data["records"]] == [other]
    assert "(dropped)" in move(root, other, "doing").json["error"]["message"]
    assert "不要了" in git(root, "log", "-1", "--format=%b")
    assert mv(root, "ticket", "edit", other, "--no-depends", own).ok().data["changed"]
    move(root, other, "doing").ok()


def test_an_agent_drops_only_what_agents_wrote(root: Path) -> None:
    own = add(root, "x")
    run("--vault", root, "edit", own, "--set", "due=2026-12-01", "--yes", env=PERSON).ok()
    git(root, "commit", "--amend", "-qm", git(root, "log", "-1", "--format=%B").replace(
        "Vault-Actor: agent", "Vault-Actor: person"
    ))  # fmt: skip
    refused = mv(root, "ticket", "drop", own, "--reason", "x", "--yes")

    assert refused.code == 3
    assert (root / "tickets").glob("*.md")
    run("--vault", root, "ticket", "drop", own, "--reason", "x", "--yes", env=PERSON).ok()


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("ticket", "add", " "), 2),
        (("ticket", "add", "x", "--due", "2026-02-30"), 2),
        (("ticket", "add", "x", "--due", "2026-12-01T10:00Z"), 2),
        (("ticket", "add", "x", "--stage", "later"), 2),
        (("ticket", "add", "x", "--depends", "w-nobody"), 6),
        (("ticket", "add", "x", "--external", "a\nb"), 2),
        (("ticket", "add", "token AKIAIOSFODNN7EXAMPLQ"), 4),
        (("ticket", "move", "{id}", "finished"), 2),
        (("ticket", "move", "w-nobody", "done"), 6),
        (("ticket", "edit", "{id}", "--title", ""), 2),
        (("ticket", "edit", "{id}", "--due", "tomorrow"), 2),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(
    root: Path, argv: tuple[str, ...], code: int
) -> None:
    own = add(root, "x")
    before = snapshot_bytes(root)
    result = mv(root, *(word.format(id=own) for word in argv))

    assert result.code == code, result.text
    assert snapshot_bytes(root) == before


def test_few_words_are_enough(root: Path) -> None:
    own = add(root, "好的")
    assert add(root, "done")
    task = str(mv(root, "task", "start", "ok", "--ticket", own).ok().data["task"])
    mv(root, "task", "checkpoint", task, "好的").ok()
    mv(root, "task", "end", task, "--status", "succeeded", "--result", "Done.").ok()


def test_an_edit_changes_only_what_is_named(root: Path) -> None:
    own = add(
        root, "x", "--due", "2026-12-01", "--background", "old\n\n- list", "--deliverable", "d"
    )
    (path,) = (root / "tickets").glob("*.md")
    path.write_text(path.read_text() + "\n## Mine\n\nkept\n")
    mv(root, "ticket", "edit", own, "--due", "", "--background", "新的背景").ok()
    found = ticket(root, own)

    assert (found["due"], found["background"], found["deliverable"]) == ("", "新的背景", "d")
    assert "## Mine\n\nkept\n" in path.read_text()
    assert "old" not in path.read_text()
    assert mv(root, "ticket", "edit", own, "--background", "新的背景").ok().data["changed"] is False
