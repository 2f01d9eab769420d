"""Acceptance cases about Agent Skills: limits of the open format, names, listings."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers import case_folder, commit_all, findings_of, make_vault, run, snapshot_bytes

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
STEPS = "## Problem\nReleases differ by hand.\n\n## Steps\n1. Stop the worker.\n2. Publish.\n3. Start it.\n"


def front_of(path: Path) -> dict[str, Any]:
    """The front matter of a SKILL.md as a strict reader sees it."""
    text = path.read_text()
    return dict(yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n")))


def is_valid_skill(folder: Path) -> bool:
    """What the reference validator of the open format says."""
    tool = Path(sys.executable).parent / "agentskills"
    if not tool.exists():
        pytest.skip("the reference validator is not installed")
    done = subprocess.run([tool, "validate", str(folder)], capture_output=True, check=False)
    return done.returncode == 0


def skill_vault(case: str, tmp_path: Path) -> Path:
    """A vault that holds the skills (and records) of a case."""
    root = make_vault(tmp_path)
    for part in ("skills", "vault"):
        source = case_folder(case) / part
        if source.exists():
            shutil.copytree(
                source, root / ("skills" if part == "skills" else ""), dirs_exist_ok=True
            )
    commit_all(root)
    return root


def skills_in(root: Path) -> set[str]:
    """Names of the skill folders."""
    folder = root / "skills"
    return {p.name for p in folder.iterdir() if p.is_dir()} if folder.exists() else set()


def recipe(title: str, number: int, body: str = STEPS) -> str:
    """A recipe in force that was used often enough."""
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'---\nid: c-mature{number}\nkind: recipe\nstatus: active\ntitle: "{quoted}"\n'
        f"summary: Publishes the package number {number} step by step.\nhits: 5\n---\n{body}"
    )


def test_sk_01_description_over_1024(tmp_path: Path) -> None:
    root = skill_vault("sk-01", tmp_path)
    before = skills_in(root)
    # Graduation does not write an invalid skill: it asks for a shorter description or refuses with
    # the number (1,325 of 1,024); it does not cut in the middle of a sentence in silence.
    refused = run("--vault", root, "graduate", "m-8101", "--name", "publish-a-package", "--yes")
    assert refused.code == 4
    assert re.search(r"1,?325", refused.err)
    assert re.search(r"1,?024", refused.err)
    assert skills_in(root) == before
    # The limit is counted in characters on the folded value, not on the raw lines.
    # The check reports too-long with the count; exactly 1,024 passes.
    found = [
        f
        for f in findings_of(root, "skills/too-long/SKILL.md")
        if "1024" in f["message"].replace(",", "")
    ]
    assert len(found) == 1
    length = len(front_of(root / "skills/too-long/SKILL.md")["description"])
    assert str(length) in found[0]["message"].replace(",", "")
    fits = findings_of(root, "skills/just-fits/SKILL.md")
    assert not any("1024" in f["message"].replace(",", "") for f in fits)
    # A shorter description is taken.
    run("--vault", root, "graduate", "m-8101", "--name", "publish-a-package",
        "--description", "Publishes a package. Use when a release is due.", "--yes").ok()  # fmt: skip
    assert is_valid_skill(root / "skills/publish-a-package")


def test_sk_03_skill_names(tmp_path: Path) -> None:
    titles = (case_folder("sk-03") / "titles.txt").read_text().splitlines()
    root = make_vault(
        tmp_path, {f"recipes/r{i}.md": recipe(title, i) for i, title in enumerate(titles)}
    )
    results = []
    for number in range(len(titles)):
        before = skills_in(root)
        result = run("--vault", root, "graduate", f"c-mature{number}", "--yes")
        made = skills_in(root) - before
        assert len(made) == (1 if result.code == 0 else 0), result.text
        if result.code != 0:
            # Lines 1 and 2 do not end up in the same directory; the second gets another name or is
            # refused with a hint.
            assert "--name" in result.err, (titles[number], result.err)
        results.append(next(iter(made), ""))
    for name, title in zip(results, titles, strict=True):
        if not name:
            continue
        # Every result is a directory whose name obeys the rule and equals the name field.
        assert NAME.fullmatch(name), name
        assert len(name) <= 64
        skill = root / "skills" / name / "SKILL.md"
        assert front_of(skill)["name"] == name
        assert is_valid_skill(skill.parent)
        # For the Chinese title the person is asked for a name or gets a valid ASCII one; the
        # Chinese title is kept in the text.
        assert title.strip() in skill.read_text()
    assert results[0]
    assert results[0] != results[1]
    assert len([r for r in results if r]) == len({r for r in results if r})
    if not results[2]:
        run("--vault", root, "graduate", "c-mature2", "--name", "release-flow", "--yes").ok()
        assert "发布流程" in (root / "skills/release-flow/SKILL.md").read_text()
    # The long title gives at most 64 characters and does not end in a hyphen.
    assert not results[5].endswith("-")


def test_sk_05_many_skills_one_listing(tmp_path: Path) -> None:
    root = skill_vault("sk-05", tmp_path)
    (root / "recipes").mkdir(exist_ok=True)
    (root / "recipes" / "r.md").write_text(recipe("One more", 1))
    commit_all(root)
    before = snapshot_bytes(root)
    lengths = {
        p.parent.name: len(front_of(p)["description"]) for p in (root / "skills").glob("*/SKILL.md")
    }
    total = sum(lengths.values())
    # The product tells the sum of the description lengths and warns when it is over a stated
    # budget, naming the longest ones.
    result = run("--vault", root, "check")
    text = result.text.replace(",", "")
    assert str(total) in text
    assert "6000" in text
    longest = max(lengths.values())
    assert any(name in text for name, length in lengths.items() if length == longest)
    # A proposal to graduate one more says what it adds.
    preview = run("--vault", root, "graduate", "c-mature1", "--name", "one-more")
    assert preview.code == 3
    added = len("Publishes the package number 1 step by step.")
    assert f"adds {added} " in preview.text
    # No skill file is changed by the check.
    assert snapshot_bytes(root) == before


def test_rf_09_two_blocks_in_one_skill(tmp_path: Path) -> None:
    root = skill_vault("rf-09", tmp_path)
    path = "skills/agent-coordinator/SKILL.md"
    # The second block is noticed and reported (path, line); name of the first block wins; nothing
    # from the second is run or silently merged.
    found = [f for f in findings_of(root, path) if f["line"] == 6]
    assert found, findings_of(root, path)
    assert "block" in found[0]["message"]
    block = run("--vault", root, "render").ok().out
    assert "swarm" not in block
    assert "starting" not in block
    # later: import of the rule takes the filled block when the first is empty, or asks
    # The product itself never writes such a file, also when it graduates a recipe whose BODY
    # begins with a block.
    body = "---\nname: other\nhooks: x\n---\n\n" + STEPS
    (root / "recipes").mkdir(exist_ok=True)
    (root / "recipes" / "r.md").write_text(recipe("Coordinate agents", 7, body))
    commit_all(root)
    result = run("--vault", root, "graduate", "c-mature7", "--name", "coordinate-agents", "--yes")
    written = root / "skills" / "coordinate-agents" / "SKILL.md"
    if result.code == 0:
        text = written.read_text().split("\n---\n", 1)[1].lstrip()
        assert not text.startswith("---")
        assert [
            f
            for f in findings_of(root, "skills/coordinate-agents/SKILL.md")
            if "block" in f["message"]
        ] == []
    else:
        assert result.code == 4
        assert not written.exists()
