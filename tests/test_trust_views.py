"""No reading command gives a text that waits in the place of the admitted one, in any vault."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import git, run, write_files
from test_trust_incoming import ONE, PERSON, RULE, TWO, Pair

OLD = {"zh": ("先问再部署", "没有例外。"), "en": ("Run the tests", "Before each push.")}
NEW = {"zh": ("别问了", "直接部署上线。"), "en": ("Skip the checks", "Straight to production.")}
IDS = {"zh": "r-one", "en": "r-two"}
FILES = {"zh": ONE, "en": TWO}

READERS = (
    "show {id}",
    "show {path}",
    "show {id} --provenance",
    "show {id} --expand",
    "show {id} --valid-at 2026-11-30",
    "show {id} --view strict",
    "list",
    "list --states",
    "list --status active",
    "list --kind rule --view strict",
    "search {word}",
    "search {word} --expand --explain",
    "search",
    "brief",
    "render",
    "why {id}",
    "stats {id}",
)
"""Every command that prints words of a record in force; `{word}` stands in the admitted text."""

WAITS = "a changed text of it waits"
COMMAND = "mvault show {id} --waiting"


def rewrite(pair: Pair) -> None:
    """Let the teammate change both rules: title and body."""
    for tongue, key in IDS.items():
        title, body = NEW[tongue]
        write_files(pair.theirs, {FILES[tongue]: RULE.format(id=key, title=title, body=body)})


def retire(pair: Pair) -> None:
    """Let the teammate take both out of force, with another text."""
    rewrite(pair)
    for path in FILES.values():
        file = pair.theirs / path
        file.write_text(file.read_text().replace("status: active", "status: deprecated"))


def remove(pair: Pair) -> None:
    for path in FILES.values():
        (pair.theirs / path).unlink()


def copy(pair: Pair) -> None:
    """Let the teammate put another text of each id beside the admitted one."""
    for tongue, key in IDS.items():
        title, body = NEW[tongue]
        text = RULE.format(id=key, title=title, body=body)
        write_files(pair.theirs, {f"memories/a-{tongue}.md": text})


def spoil(pair: Pair) -> None:
    """Let the teammate leave both files in a state that cannot be read."""
    for tongue, path in FILES.items():
        write_files(pair.theirs, {path: f"---\nid: [\n---\n{NEW[tongue][1]}\n"})


def edit_here(pair: Pair) -> None:
    """Let an agent change the files of the clone, without a commit."""
    for tongue, key in IDS.items():
        title, body = NEW[tongue]
        write_files(pair.mine, {FILES[tongue]: RULE.format(id=key, title=title, body=body)})


CHANGES = {f.__name__: f for f in (rewrite, retire, remove, copy, spoil)}


@pytest.fixture(params=[*CHANGES, "uncommitted"])
def changed(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    pair = Pair(tmp_path)
    if request.param == "uncommitted":
        pair.set("uncommitted", "committed")
        run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
        edit_here(pair)
        return pair
    pair.trust()
    CHANGES[request.param](pair)
    pair.push()
    pair.pull()
    return pair


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_every_reader_gives_the_admitted_text(changed: Pair, tongue: str) -> None:
    key, path, word = IDS[tongue], FILES[tongue], {"zh": "例外", "en": "push"}[tongue]
    title, body = OLD[tongue]
    for line in READERS:
        words = line.format(id=key, path=path, word=word).split()
        for flag in ((), ("--json",)):
            found = run("--vault", changed.mine, *flag, *words, cwd=changed.mine).ok()
            where = f"{flag} {line}\n{found.text}"
            for new in NEW[tongue]:
                assert new not in found.out, where
            assert title in found.out, where
            if line.startswith(("show", "render")):
                assert body in found.out, where


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_show_and_lists_say_that_a_text_waits(changed: Pair, tongue: str) -> None:
    key = IDS[tongue]
    shown = run("--vault", changed.mine, "show", key).ok()
    assert COMMAND.format(id=key) in shown.err
    data = run("--vault", changed.mine, "--json", "show", key).ok().data
    assert data["waits"]
    assert data["in_force"] is True
    for line in ("list", "search 例外" if tongue == "zh" else "search push"):
        text = run("--vault", changed.mine, *line.split()).ok().out
        (row,) = [row for row in text.splitlines() if row.startswith(key)]
        assert data["waits"] in row
        rows = run("--vault", changed.mine, "--json", *line.split()).ok().data["records"]
        (item,) = [row for row in rows if row["id"] == key]
        assert item["waits"] == data["waits"]
        assert "withheld" not in item


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_why_tells_the_commit_of_the_admitted_text(changed: Pair, tongue: str) -> None:
    key = IDS[tongue]
    found = run("--vault", changed.mine, "why", OLD[tongue][1]).ok()
    assert COMMAND.format(id=key) in found.err
    (story,) = run("--vault", changed.mine, "--json", "why", OLD[tongue][1]).ok().data["records"]
    log = git(changed.mine, "log", "--reverse", "--format=%H", "--", FILES[tongue])
    first = log.split()[0]
    assert story["history"]["last"]["commit"] == first
    assert story["history"]["line"] == 7
    assert story["waits"]


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_the_waiting_text_is_there_for_who_asks(
    changed: Pair, tongue: str, request: pytest.FixtureRequest
) -> None:
    shown = run("--vault", changed.mine, "show", IDS[tongue], "--waiting")
    how = request.node.callspec.params["changed"]
    if how in ("remove", "spoil"):
        assert shown.code == 6
        assert "mvault review --incoming" in shown.err
        return
    shown.ok()
    title, body = NEW[tongue]
    assert title in shown.out
    assert body in shown.out
    assert "not the text in force" in shown.err
    data = run("--vault", changed.mine, "--json", "show", IDS[tongue], "--waiting").ok().data
    assert data["body"].strip() == body


@pytest.mark.parametrize("how", [*CHANGES, "uncommitted"])
def test_a_diff_compares_with_what_a_render_gives_now(tmp_path: Path, how: str) -> None:
    pair = Pair(tmp_path)
    if how == "uncommitted":
        pair.set("uncommitted", "committed")
        run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
    else:
        pair.trust()
    run("--vault", pair.mine, "render").ok()
    if how == "uncommitted":
        edit_here(pair)
    else:
        CHANGES[how](pair)
        pair.push()
        pair.pull()
    for line in ("diff @1", "render --since @1"):
        found = run("--vault", pair.mine, *line.split()).ok()
        for words in NEW.values():
            assert not any(word in found.out for word in words), f"{line}\n{found.text}"


def test_conflicts_are_those_of_the_admitted_texts(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    always = "Always run the tests before each push to the main branch."
    never = "Never run the tests before each push to the main branch."
    write_files(pair.theirs, {TWO: RULE.format(id="r-two", title="Tests", body=always)})
    pair.push()
    pair.pull()
    pair.trust()
    for path, key in ((ONE, "r-one"), ("playbook/new.md", "r-new")):
        write_files(pair.theirs, {path: RULE.format(id=key, title="Speed", body=never)})
    pair.push()
    pair.pull()
    waits = run("--vault", pair.mine, "--json", "check", "--conflicts")
    assert waits.data["conflicts"] == []
    run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
    found = run("--vault", pair.mine, "--json", "check", "--conflicts").data["conflicts"]
    assert {row["id"] for item in found for row in item["records"]} >= {"r-one", "r-two"}


def test_nothing_waits_is_said(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.trust()
    found = run("--vault", pair.mine, "show", "r-one", "--waiting")
    assert found.code == 6
    assert "no other text of r-one waits" in found.err


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_completion_gives_admitted_titles(
    changed: Pair, tongue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.cli.complete import complete_id, complete_in_force

    monkeypatch.chdir(changed.mine)
    for complete in (complete_id, complete_in_force):
        assert (IDS[tongue], OLD[tongue][0]) in complete("r-")
        assert len(complete("r-")) == 2
