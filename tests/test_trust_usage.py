"""What others observed counts where a look at their changes is not asked for, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers import git, make_vault, rendered, run, write_files
from test_trust_incoming import PERSON, Pair

RULE = "---\nid: {id}\nkind: rule\nstatus: active\ntitle: {title}\n---\n{title}.\n"


def observe(root: Path, record_id: str) -> None:
    """Note three times, as the person, that a record misled, and let renders show it."""
    for _ in range(3):
        run("--vault", root, "mark", record_id, "--harmful", "--yes", env=PERSON).ok()
    run("--vault", root, "mark", "--settle", "--yes", env=PERSON).ok()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_what_others_observed_does_not_count_before_a_look(pair: Pair) -> None:
    pair.trust("review")
    before = rendered(pair.mine)
    observe(pair.theirs, "r-one")
    assert "3 harmful" in rendered(pair.theirs)
    git(pair.theirs, "push", "-q", "origin", "HEAD:main")  # `mark --settle` committed them
    pair.pull()
    assert list((pair.mine / "usage").glob("*.jsonl"))
    assert rendered(pair.mine) == before
    observe(pair.mine, "r-two")
    assert rendered(pair.mine).count("harmful") == 1
    own = Path(os.environ["MVAULT_CONFIG"])
    own.write_text(own.read_text("utf-8").replace('"review"', '"accept"'), "utf-8")
    assert rendered(pair.mine).count("3 harmful") == 2


def test_a_project_observes_nothing_about_records_of_the_user_vault(
    tmp_path: Path, home: Path
) -> None:
    mine = {"playbook/mine.md": RULE.format(id="r-mine", title="先问再部署")}
    make_vault(home / "data", mine, name="mvault")
    project = tmp_path / "work"
    project.mkdir()
    git(tmp_path, "init", "--quiet", str(project))
    run("init", project / ".mvault", "--in-repo").ok()
    theirs = {
        "playbook/p.md": RULE.format(id="r-proj", title="项目"),
        "playbook/copy.md": RULE.format(id="r-mine", title="Copy"),
    }
    write_files(project / ".mvault", theirs)
    observe(project / ".mvault", "r-mine")
    observe(project / ".mvault", "r-proj")
    (project / ".mvault" / "playbook/copy.md").unlink()
    shown = run("render", cwd=project).ok().out
    assert "先问再部署" in shown
    lines = [line for line in shown.splitlines() if "harmful" in line]
    assert len(lines) == 1
    assert "r-proj" in lines[0]
