"""Features of the rendered block, each through the command line (tests/features.toml)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers import commit_count, git, make_vault, rendered, run

LESSON = "## Problem\n{0} breaks.\n\n## Correction\nRepair {0}.\n"


def record(record_id: str, kind: str, title: str, body: str = "Text.", **keys: str) -> str:
    """One record in force as a file's text."""
    front = {"id": record_id, "kind": kind, "status": "active", "title": title, **keys}
    lines = "\n".join(f"{key}: {value}" for key, value in front.items())
    return f"---\n{lines}\n---\n# {title}\n\n{body}\n"


def vault(tmp_path: Path, *texts: str) -> Path:
    """A vault that holds these records."""
    return make_vault(tmp_path, {f"memories/2026-11/r{i}.md": text for i, text in enumerate(texts)})


def receipt(root: Path, *argv: str) -> dict[str, Any]:
    """The receipt of a render, as data."""
    return dict(run("--vault", root, "--json", "render", "--receipt", *argv).ok().data["receipt"])


def levels(root: Path, *argv: str) -> dict[str, str]:
    """How much of each record is shown."""
    return {line["id"]: line["level"] for line in receipt(root, *argv)["lines"]}


def groups(root: Path, *argv: str) -> dict[str, str]:
    """The group of each record."""
    return {line["id"]: line["group"] for line in receipt(root, *argv)["lines"]}


def headings(text: str) -> list[str]:
    """The group headings of a block."""
    return [line for line in text.splitlines() if line.startswith("### ")]


MIXED = (
    record(
        "x-1", "failure", "Never drop the volume", "## Problem\nData went.\n\n## Avoid\ndown -v\n"
    ),
    record("l-1", "lesson", "Read the log first", LESSON.format("The log"), boundary="only on CI"),
    record("r-1", "rule", "Run the checks", "Run just check.", force="required"),
    record("r-2", "rule", "Look for a helper", "Search first.", checklist="true"),
    record("r-3", "rule", "Small commits", "One thing each."),
    record("f-1", "fact", "Staging is rebuilt on Sunday", "At three."),
    record("p-1", "preference", "先给结论", "再给理由。"),
    record(
        "c-1", "recipe", "Rotate the keys", "## Problem\nOld keys.\n\n## Steps\n1. Make new ones.\n"
    ),
)


def test_every_entry_carries_its_id(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    text = rendered(root)
    for key in ("x-1", "l-1", "r-1", "r-2", "r-3", "f-1", "p-1", "c-1"):
        assert text.count(f"[{key}]") == 1
    assert "Read the log first" in run("--vault", root, "show", "l-1").ok().out


def test_all_kinds_stand_in_one_block_grouped(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    text = rendered(root)
    assert text.count("<mvault-memory>") == text.count("</mvault-memory>") == 1
    assert groups(root) == {
        "x-1": "failures", "l-1": "lessons", "r-1": "required", "r-2": "checklist", "r-3": "rules",
        "f-1": "reference", "p-1": "reference", "c-1": "recipes",
    }  # fmt: skip


def test_failures_are_constraints_before_lessons(tmp_path: Path) -> None:
    text = rendered(vault(tmp_path, *MIXED))
    names = headings(text)
    failures = next(i for i, name in enumerate(names) if "failures" in name)
    lessons = next(i for i, name in enumerate(names) if "essons" in name)
    assert failures < lessons
    assert "Avoid: down -v" in text


def test_required_rules_are_instructions_and_facts_are_reference(tmp_path: Path) -> None:
    text = rendered(vault(tmp_path, *MIXED))
    names = " ".join(headings(text)).lower()
    assert "required rules (follow" in names
    assert "(reference" in names
    assert "lessons (weigh" in names
    assert "not an instruction" in text.split("###")[0]


def test_directive_reads_as_a_required_rule(tmp_path: Path) -> None:
    root = make_vault(
        tmp_path,
        {
            "m.md": "---\nid: m-1\ntype: directive\ntitle: Always tag\nstatus: active\n---\nTag it.\n"
        },
    )
    assert groups(root) == {"m-1": "required"}


def test_checklist_rules_are_a_list_to_go_through(tmp_path: Path) -> None:
    text = rendered(vault(tmp_path, *MIXED))
    part = next(part for part in text.split("### ") if "[r-2]" in part)
    assert "checklist" in part.splitlines()[0].lower()


def test_conflicting_entries_stand_side_by_side(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("r-1", "rule", "Squash", "One commit.", conflicts="[{id: r-2, type: condition}]"),
        record(
            "r-2", "rule", "Merge commits", "Keep them.", conflicts="[{id: r-1, type: condition}]"
        ),
        record("r-3", "rule", "Sign tags", "Always."),
    )
    text = rendered(root)
    part = next(part for part in text.split("### ") if part.startswith("Conflicts"))
    assert "nothing was decided" in part.lower()
    assert "condition" in part
    assert "[r-1]" in part
    assert "[r-2]" in part
    assert groups(root)["r-3"] == "rules"


def test_boundary_is_a_line_under_the_entry(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED, record(
        "l-9", "lesson", "Argued", LESSON.format("It") + "\n## Critique\nThe old way is better at night.\n"))  # fmt: skip
    text = rendered(root)
    assert "Boundary: only on CI" in text
    assert "better at night" not in text
    assert "better at night" in run("--vault", root, "show", "l-9").ok().out


def test_over_budget_entries_degrade_then_are_counted(tmp_path: Path) -> None:
    texts = [record(f"l-{i}", "lesson", f"Lesson {i}", LESSON.format(f"part {i} " * 12),
                    confidence=("high", "low")[i % 2]) for i in range(40)]  # fmt: skip
    root = vault(tmp_path, *texts)
    seen = levels(root, "--budget", "3000")
    assert {"full", "line"} <= set(seen.values())
    assert len(seen) == 40
    text = rendered(root, "--budget", "3000")
    assert len(text.encode()) <= 3000
    left = sum(level == "omitted" for level in seen.values())
    short = [line for line in text.splitlines() if line.startswith("> ")]
    assert short
    assert not left or any(f"{left} entr" in line for line in short)
    tight = rendered(root, "--budget", "900")
    gone = sum(level == "omitted" for level in levels(root, "--budget", "900").values())
    assert gone
    assert any(f"{gone} entr" in line and "lessons" in line for line in tight.splitlines())
    full = [key for key, level in seen.items() if level == "full"]
    assert all(int(key[2:]) % 2 == 0 for key in full), "low confidence was shown before high"


def test_marks_of_external_and_derived_sources(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "fact", "From a page", source="web"),
        record("f-2", "fact", "From a session", origin="reflection"),
        record("f-3", "fact", "From a person", source="user", origin="cli"),
        record("f-4", "fact", "From a tool", source="tool"),
        record("f-5", "fact", "From a manual", source="doc"),
    )
    lines = {line[3:6]: line for line in rendered(root).splitlines() if line.startswith("- [")}
    assert all("external source" in lines[key] for key in ("f-1", "f-4", "f-5"))
    assert "unverified" in lines["f-2"]
    assert "(" not in lines["f-3"]


def test_importance_decides_and_is_capped_while_unverified(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("f-1", "fact", "Derived, claims ten", importance="10", origin="reflection"),
        record("f-2", "fact", "A person says six", importance="6", origin="cli"),
        record("f-3", "fact", "A person says nine", importance="9", origin="cli"),
        record("f-4", "fact", "Six, and used often", importance="6", origin="cli", hits="3"),
    )
    order = [line["id"] for line in receipt(root)["lines"]]
    assert order == ["f-3", "f-4", "f-2", "f-1"]


def test_group_quotas_and_order_are_settings(tmp_path: Path) -> None:
    facts = [record(f"f-{i}", "fact", f"Fact {i}", "A rather long text. " * 10) for i in range(8)]
    root = vault(tmp_path, *facts, record("l-1", "lesson", "Only lesson", LESSON.format("It")))
    run("--vault", root, "config", "set", "render.order", "reference,lessons", "--yes").ok()
    run("--vault", root, "config", "set", "render.quotas", "reference=400", "--yes").ok()
    text = rendered(root)
    names = headings(text)
    assert "Facts" in names[0]
    assert "Lessons" in names[1]
    assert len(text.split("### ")[1].encode()) <= 400
    facts_shown = [level for key, level in levels(root).items() if key.startswith("f-")]
    assert "full" in facts_shown
    assert set(facts_shown) > {"full"}


def test_modes(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    strict = run("--vault", root, "render", env={"MVAULT_RENDER_MODE": "strict"}).ok().out
    assert "Lessons (follow" in strict
    off = run("--vault", root, "render", env={"MVAULT_RENDER_MODE": "off"}).ok().out
    assert off == ""


def test_a_query_ranks_lessons_and_recipes_with_one_scorer(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("l-1", "lesson", "Docker layers", LESSON.format("docker build")),
        record("l-2", "lesson", "支付回调验签", LESSON.format("微信支付回调")),
        record(
            "c-1",
            "recipe",
            "Rebuild docker images",
            "## Problem\nOld.\n\n## Steps\n1. docker build\n",
        ),
        record("c-2", "recipe", "支付对账排查", "## 问题\n差异。\n\n## 步骤\n1. 查流水\n"),
    )

    def order(query: str) -> list[str]:
        return [line["id"] for line in receipt(root, "--query", query)["lines"]]

    assert order("speed up the docker build") == ["l-1", "l-2", "c-1", "c-2"]
    assert order("处理支付回调和对账") == ["l-2", "l-1", "c-2", "c-1"]


def test_topics_narrow_the_block(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("l-1", "lesson", "About pay", LESSON.format("Pay"), topics="[payments]"),
        record("l-2", "lesson", "About git", LESSON.format("Git"), topics="[git]"),
    )
    assert set(levels(root, "--topic", "payments")) == {"l-1"}


def test_rules_over_budget_are_counted_in_the_block(tmp_path: Path) -> None:
    rules = [
        record(f"r-{i}", "rule", f"Rule {i}", "Keep this habit in mind. " * 8) for i in range(60)
    ]
    root = vault(tmp_path, *rules)
    text = rendered(root, "--budget", "1500")
    left = receipt(root, "--budget", "1500")["omitted"]
    assert left
    (notice,) = [line for line in text.splitlines() if f"{left} entr" in line]
    assert "rules" in notice


def test_scopes_are_kept_apart(tmp_path: Path) -> None:
    root = vault(
        tmp_path,
        record("l-1", "lesson", "Everywhere", LESSON.format("It")),
        record(
            "l-2",
            "lesson",
            "In one project",
            LESSON.format("It"),
            scope="project:git.example.org/acme/web",
        ),
        record("l-3", "lesson", "In one session", LESSON.format("It"), scope="session:s-1"),
    )
    assert set(levels(root)) == {"l-1"}
    assert set(levels(root, "--session", "s-1")) == {"l-1", "l-3"}
    excluded = {item["id"]: item["reason"] for item in receipt(root)["excluded"]}
    assert set(excluded) == {"l-2", "l-3"}
    assert "session" in excluded["l-3"]


def test_managed_block_create_replace_and_leave_alone(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    target = tmp_path / "project" / "AGENTS.md"
    target.parent.mkdir()
    preview = run("--vault", root, "--dry-run", "render", "--to", target)
    assert preview.code == 0
    assert "Run just check." in preview.out
    assert not target.exists()
    run("--vault", root, "render", "--to", target).ok()
    created = target.read_text()
    assert "Run just check." in created
    target.write_text("# By hand\r\n\r\n" + created + "\nAfter.\n", newline="")
    with_hand = target.read_bytes()
    run("--vault", root, "render", "--to", target).ok()
    assert target.read_bytes() == with_hand
    stamp = target.stat().st_mtime_ns
    run("--vault", root, "render", "--to", target).ok()
    assert target.stat().st_mtime_ns == stamp
    run("--vault", root, "deprecate", "r-3", "--reason", "obsolete", "--yes").ok()
    run("--vault", root, "render", "--to", target).ok()
    now = target.read_bytes()
    assert b"One thing each." not in now
    assert now.startswith(b"# By hand\r\n\r\n")
    assert now.endswith(b"\nAfter.\n")


def test_the_block_does_not_drift(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    early = run("--vault", root, "render", env={"MVAULT_NOW": "2026-11-30T01:00:00Z"}).ok().out
    late = (
        run("--vault", root, "render", env={"MVAULT_NOW": "2027-03-01T23:00:00Z", "LANG": "C"})
        .ok()
        .out
    )
    assert early == late
    assert not re.search(r"\d\d:\d\d:\d\d", early)


def test_one_more_lesson_changes_only_its_own_lines(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    before = rendered(root).splitlines()
    made = run(
        "--vault",
        root,
        "--json",
        "add",
        "lesson",
        "--title",
        "Added later",
        "--body",
        LESSON.format("Later"),
    ).ok()
    assert rendered(root).splitlines() == before
    commits = commit_count(root)
    run("--vault", root, "approve", made.data["id"], "--yes").ok()
    after = rendered(root).splitlines()
    assert [line for line in before if line not in after] == []
    assert commit_count(root) == commits + 1
    (path,) = git(root, "diff", "--name-only", "--diff-filter=d", "HEAD~1", "HEAD").splitlines()
    assert path.startswith("memories/")


def test_nothing_from_drafts_is_rendered(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    run(
        "--vault",
        root,
        "add",
        "lesson",
        "--title",
        "Unseen draft",
        "--body",
        LESSON.format("Drafted"),
    ).ok()
    assert "Drafted" not in rendered(root)


def test_receipt_names_every_record_once(tmp_path: Path) -> None:
    root = vault(tmp_path, *MIXED)
    seen = receipt(root)
    assert seen["shown"] + seen["omitted"] == seen["eligible"] == len(MIXED)
    assert seen["used"] == len(rendered(root).encode())
    assert all(line["reason"] and line["size"] for line in seen["lines"])
    assert json.dumps(seen)


@pytest.mark.parametrize("hits", [1, 3])
def test_graduation_needs_hits(tmp_path: Path, hits: int) -> None:
    text = record("c-1", "recipe", "Rotate the keys", "## Problem\nOld keys.\n\n## Steps\n1. Make new ones.\n",
                  summary="Rotates the keys. Use when a key is old.", hits=str(hits))  # fmt: skip
    root = make_vault(tmp_path, {"recipes/r.md": text})
    preview = run("--vault", root, "graduate", "c-1", "--name", "rotate-keys")
    made = run("--vault", root, "graduate", "c-1", "--name", "rotate-keys", "--yes")
    skill = root / "skills" / "rotate-keys" / "SKILL.md"
    if hits < 3:
        assert made.code == 4
        assert "3" in made.err
        assert not skill.exists()
        return
    assert preview.code == 3
    assert made.code == 0, made.text
    assert "1. Make new ones." in skill.read_text()
    assert (skill.parent / "references" / "dossier.md").exists()
    assert "c-1" in (skill.parent / "references" / "dossier.md").read_text()
    assert "skills" in groups(root).values()


def test_a_brief_says_the_most_important_in_few_characters(tmp_path: Path) -> None:
    files = {
        f"n{n}.md": record(f"n-{n}", "note", f"笔记 {n} " + "长" * 30, "正文\n") for n in range(9)
    }
    files["r.md"] = record("r-1", "rule", "提交前先跑测试", "没有例外。\n", force="required")
    files["d.md"] = record("l-2", "lesson", "Only proposed", "x\n", status="candidate")
    root = make_vault(tmp_path, files)
    for most in (0, 20, 80, 150, 400, 5000):
        text = run("--vault", root, "brief", "--max", str(most)).ok().out
        assert len(text) <= most
        assert "Only proposed" not in text
        assert all(line.startswith(("Memory: 10 in force", "- [")) for line in text.splitlines())
    short = run("--vault", root, "--json", "brief", "--max", "125").ok().data
    assert short["shown"] == ["r-1"]
    assert short["in_force"] == 10
    assert "1 rule, 9 facts and notes" in short["brief"]
    assert "- [n-7]" in run("--vault", root, "brief", "--query", "笔记 7", "--max", "150").ok().out
    empty = make_vault(tmp_path / "empty", {})
    assert run("--vault", empty, "brief").ok().out == "Memory: nothing is in force here.\n"


@pytest.mark.parametrize("command", [("render",), ("diff", "HEAD", "HEAD"), ("bisect", "start")])
def test_a_kind_that_there_is_not_is_no_empty_block(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    root = make_vault(tmp_path, {"memories/a.md": "# 端口\n\n5432\n"})
    refused = run("--vault", root, *command, "--kind", "lessn")
    assert refused.code == 2, refused.text
    assert "unknown kind: lessn" in refused.err
    assert "lesson" in refused.err
