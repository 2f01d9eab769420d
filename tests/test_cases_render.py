"""Acceptance cases about the rendered block: budget, markers, links between instruction files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import add_to_vault, case_folder, case_vault, copy_case, make_vault, rendered, run

UNLIMITED = 0


CHARACTERS = {"MVAULT_RENDER_UNIT": "characters"}


def receipt(root: Path, budget: int) -> tuple[str, Any]:
    """The block and its receipt at one budget, counted in characters."""
    argv = ("--vault", root, "--json", "render", "--budget", str(budget), "--receipt")
    data = run(*argv, env=CHARACTERS).ok().data
    return data["block"], data["receipt"]


@pytest.mark.parametrize("budget", [1200, 4000, UNLIMITED])
def test_re_01_nothing_falls_off_in_silence(tmp_path: Path, budget: int) -> None:
    root = case_vault("re-01", tmp_path)
    text, seen = receipt(root, budget)
    plain = run("--vault", root, "render", "--budget", str(budget), env=CHARACTERS).ok().out
    assert plain == text
    # Output length is at most the budget, counted with everything the product adds.
    if budget:
        assert len(text) <= budget
    lines = {line["id"]: line for line in seen["lines"]}
    shown = {key for key, line in lines.items() if line["level"] != "omitted"}
    omitted = set(lines) - shown
    # included + omitted = 31 in every run.
    assert len(shown) + len(omitted) == 31
    # Only whole entries appear; no sentence is cut in the middle.
    for key, line in lines.items():
        if line["level"] == "full" and key != "m-5199":
            number = key[-2:]
            assert f"Rule {number}: " + " ".join(["keep this habit in every task."] * 6) in text
    assert text.count("Rule ") == sum(
        line["level"] == "full" and key != "m-5199" for key, line in lines.items()
    )
    # The output itself says how many entries were left out; a report (or --json) lists their ids.
    if omitted:
        notice = [line for line in text.splitlines() if line.startswith("> ")]
        assert any(f"{len(omitted)} entr" in line for line in notice), notice
    else:
        assert "out to fit" not in text
    # The important directive m-5199 is in although it is the oldest and last by name.
    assert lines["m-5199"]["level"] == "full"
    assert "Never run purge.sh on production." in text


def start_marker(tmp_path: Path) -> str:
    """The product's own start marker, taken from a file it wrote."""
    root = make_vault(tmp_path, name="other")
    add_to_vault("re-07", root)
    target = tmp_path / "fresh" / "AGENTS.md"
    target.parent.mkdir()
    run("--vault", root, "render", "--to", target).ok()
    return next(line for line in target.read_text().splitlines() if line.startswith("<!--"))


def test_re_03_managed_block_with_a_lost_end_marker(tmp_path: Path) -> None:
    marker = start_marker(tmp_path)
    root = case_vault("re-07", tmp_path)
    target = tmp_path / "AGENTS.md"
    text = (case_folder("re-03") / "AGENTS.md").read_text().replace("@@START@@", marker)
    target.write_text(text)
    line = text.splitlines().index(marker) + 1
    results = []
    for _ in range(3):
        result = run("--vault", root, "render", "--to", target)
        # The hand-written policy and the contacts are there after every run, byte for byte.
        # Running three times gives the same file as running once.
        assert target.read_text() == text
        # The state is reported as damaged (file, line of the lone marker), exit code non-zero.
        assert result.code == 4
        assert "AGENTS.md" in result.err
        assert str(line) in result.err
        results.append(result)
    assert len({r.err for r in results}) == 1


def test_re_05_claude_md_is_a_link_to_agents_md(tmp_path: Path) -> None:
    case = copy_case("re-05", tmp_path)
    project = case / "project"
    # The file in the case stands for a symbolic link: it holds the target's name.
    link, agents = project / "CLAUDE.md", project / "AGENTS.md"
    target = link.read_text().strip()
    link.unlink()
    link.symlink_to(target)
    root = case_vault("re-07", tmp_path)
    by_hand = agents.read_text()
    for _ in range(2):
        for name in (agents, link):
            run("--vault", root, "render", "--to", name).ok()
        if "first" not in locals():
            first = agents.read_bytes()
    # project/CLAUDE.md is still a link to AGENTS.md.
    assert link.is_symlink()
    assert link.readlink() == Path("AGENTS.md")
    # The file holds exactly one block.
    text = agents.read_text()
    assert text.count("Check disk space first.") == 1
    assert by_hand.strip() in text
    # The second run changes nothing.
    assert agents.read_bytes() == first
    # When the two are separate files each gets one block.
    link.unlink()
    link.write_text("# Notes for one host\n")
    for _ in range(2):
        run("--vault", root, "render", "--to", link).ok()
    assert link.read_text().count("Check disk space first.") == 1
    assert agents.read_bytes() == first


def test_re_07_one_entry_larger_than_the_budget(tmp_path: Path) -> None:
    root = case_vault("re-07", tmp_path)
    text, seen = receipt(root, 1000)
    lines = {line["id"]: line for line in seen["lines"]}
    # m-5401 (18,000 characters in one line) is left out whole and named in the omission report
    # with its size.
    assert lines["m-5401"]["level"] == "omitted" or "xxx" not in text
    assert "xxxx" not in text
    assert lines["m-5401"]["size"] >= 18_000
    assert "m-5401" in run("--vault", root, "render", "--budget", "1000", "--receipt").ok().text
    # The two small memories are in.
    assert "Check disk space first." in text
    assert "Then check the clock." in text
    assert len(text) <= 1000
    # If every entry is too large the output is empty or only the notice, within the budget, exit
    # code 0, and the report says why.
    for budget in (40, 90, 150):
        text, seen = receipt(root, budget)
        assert len(text) <= budget
        assert all(line["reason"] for line in seen["lines"] if line["level"] == "omitted")
        assert len(seen["lines"]) == 3


def test_re_07_same_bytes_every_time(tmp_path: Path) -> None:
    root = case_vault("re-01", tmp_path)
    assert rendered(root) == rendered(root)
