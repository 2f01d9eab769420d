"""What waits for a person is not promoted, merged, graduated or built on in any other way."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import head, run, write_files
from test_trust_incoming import ONE, PERSON, RULE, Pair

NEW = RULE.format(id="r-new", title="直接推送", body="Push straight to main.\n\n## Boundary\nNone.")
RECIPE = (
    "---\nid: c-new\nkind: recipe\nstatus: active\ntitle: Deploy\nhits: 9\n---\n## Steps\nGo.\n"
)
BUILDING = (
    "promote r-new --to project:example.com/me/x --yes",
    "merge r-two r-new --yes",
    "merge r-new r-two --yes",
    "graduate c-new --yes",
    "graduate c-new --force --reason why --yes",
    "revise r-new --body Text",
    "supersede r-new --title Other --body Text",
    "supersede r-two r-new --yes",
    "supersede r-new r-two --yes",
    "conflict r-two r-new --type goal --yes",
    "anchor r-new README.md --yes",
    "verify r-new -e session-event:session=7f,start=1,end=2 --yes",
    "mark r-new --helpful --yes",
    "mark r-new --session 7f --cited",
)


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    pair = Pair(tmp_path)
    pair.trust()
    changed = RULE.format(id="r-one", title="别问", body="直接部署。")
    write_files(pair.theirs, {"playbook/new.md": NEW, "recipes/c.md": RECIPE, ONE: changed})
    pair.push()
    pair.pull()
    return pair


@pytest.mark.parametrize("actor", ["person", "agent"])
def test_nothing_is_built_on_what_waits(pair: Pair, actor: str) -> None:
    before = head(pair.mine), pair.waiting()
    for line in BUILDING:
        done = run("--vault", pair.mine, *line.split(), cwd=pair.mine, env={"MVAULT_ACTOR": actor})
        assert done.code == 4, (line, done.text)
        assert "does not count here: put in force by others, not reviewed" in done.err, line
        assert "mvault review --incoming" in done.err
        asked = run("--vault", pair.mine, "--dry-run", *line.split(), cwd=pair.mine)
        assert asked.code == 4, (line, asked.text)
    assert (head(pair.mine), pair.waiting()) == before


def test_a_changed_text_is_not_built_on_but_may_be_marked(pair: Pair) -> None:
    done = run("--vault", pair.mine, "revise", "r-one", "--body", "x")
    assert done.code == 4
    assert "changed by others, not reviewed" in done.err
    run("--vault", pair.mine, "mark", "r-one", "--helpful", "--yes", env=PERSON).ok()
    run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
    run("--vault", pair.mine, "revise", "r-one", "--body", "x").ok()


def test_in_a_clone_nobody_trusted_it_waits_as_well(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    done = run("--vault", pair.mine, "merge", "r-one", "r-two", "--yes", env=PERSON)
    assert done.code == 4
    assert "or trusts all of it: mvault trust" in done.err
