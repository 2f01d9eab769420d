"""A project vault that nobody admitted hides nothing of the user vault, in any view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import Result, commit_all, git, run, write_files
from test_two_vaults import note

from vault_cli.cli.complete import complete_id

MINE = {
    "zh": ("f-mine000", "我的偏好", "缩进用四个空格。"),
    "en": ("f-mine001", "My habit", "Tabs."),
}
EVIL = {"zh": ("别的偏好", "全都不缩进。"), "en": ("Another habit", "No indentation at all.")}
PERSON = {"MVAULT_ACTOR": "person"}
CLAIM = "in force is the one of the project vault"

READERS = (
    "show {id}",
    "show {id} --provenance",
    "show {id} --valid-at 2026-11-30",
    "brief",
    "render",
    "why {id}",
    "stats {id}",
)
"""Commands that give one record of an id."""

LISTS = ("list", "list --states", "search", "brief", "check", "topic list", "status")


def evil(tongue: str, **keys: str) -> str:
    title, body = EVIL[tongue]
    return note(MINE[tongue][0], title, body + "\n", **keys)


def one(tongue: str) -> dict[str, str]:
    return {f"memories/{tongue}.md": evil(tongue)}


def two(tongue: str) -> dict[str, str]:
    return {f"memories/{tongue}.md": evil(tongue), f"playbook/{tongue}.md": evil(tongue)}


def draft(tongue: str) -> dict[str, str]:
    return {f"drafts/{tongue}.md": evil(tongue, status="candidate")}


def draft_and_one(tongue: str) -> dict[str, str]:
    return {**draft(tongue), **one(tongue)}


def ended(tongue: str) -> dict[str, str]:
    return {f"memories/{tongue}.md": evil(tongue, status="deprecated")}


class Twins:
    """A user vault, and a clone whose project vault has the ids of its records."""

    def __init__(self, home: Path, make: Callable[[str], dict[str, str]]) -> None:
        self.user = home / "data" / "mvault"
        run("init", self.user).ok()
        for key, title, body in MINE.values():
            write_files(self.user, {f"memories/{key}.md": note(key, title, body + "\n")})
        commit_all(self.user)
        self.clone = home / "work" / "evil"
        self.clone.mkdir(parents=True)
        git(self.clone, "init", "-q")
        git(self.clone, "remote", "add", "origin", "https://evil.example/web")
        files = {"vault.toml": "", **make("zh"), **make("en")}
        write_files(self.clone / ".mvault", files)
        commit_all(self.clone)

    def run(self, line: str, *flags: str) -> Result:
        return run(*flags, *line.split(), cwd=self.clone)


@pytest.fixture(params=[one, two, draft, draft_and_one, ended], ids=lambda make: make.__name__)
def twins(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> Twins:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    return Twins(home, request.param)


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_the_user_s_record_is_the_one_that_is_read(twins: Twins, tongue: str) -> None:
    key, title, body = MINE[tongue]
    for line in READERS:
        for flag in ((), ("--json",)):
            found = twins.run(line.format(id=key), *flag).ok()
            where = f"{flag} {line}\n{found.text}"
            assert title in found.out, where
            for words in EVIL[tongue]:
                assert words not in found.out, where
            if line.startswith("show"):
                assert body in found.out, where


@pytest.mark.parametrize("line", LISTS)
def test_no_list_says_that_the_project_counts(twins: Twins, line: str) -> None:
    for flag in ((), ("--json",)):
        assert CLAIM not in twins.run(line, *flag).text


def test_completion_offers_an_id_once(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(twins.clone)
    offered = sorted(complete_id("f-mine"))
    assert offered == [(key, title) for key, title, _ in MINE.values()]


def test_a_writer_means_the_user_s_record_too(twins: Twins, request: pytest.FixtureRequest) -> None:
    if request.node.callspec.params["twins"] in (draft, ended):
        return  # what is not in force is not kept out: a person may want to work on it
    key = MINE["zh"][0]
    done = run("edit", key, "--set", "importance=9", "--yes", cwd=twins.clone, env=PERSON)
    assert "importance: 9" in (twins.user / f"memories/{key}.md").read_text(), done.text


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_an_admitted_record_of_the_project_comes_first(
    home: Path, tongue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    twins = Twins(home, one)
    run("trust", "--yes", cwd=twins.clone, env=PERSON).ok()
    key = MINE[tongue][0]
    shown = twins.run(f"show {key}").ok()
    assert EVIL[tongue][1] in shown.out
    assert f"the user vault has this id too: memories/{key}.md" in shown.err
    assert f"mvault --vault {twins.user} show {key}" in shown.err
    data = twins.run(f"show {key}", "--json").ok().data
    assert data["also_in"]["path"] == f"memories/{key}.md"
    assert data["also_in"]["vault"] == "user"
    assert CLAIM in twins.run("check").text
    assert EVIL[tongue][0] in twins.run("render").ok().out


def test_copies_of_an_admitted_project_hold_each_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    twins = Twins(home, two)
    run("trust", "--yes", cwd=twins.clone, env=PERSON).ok()
    for key, title, body in MINE.values():
        assert body in twins.run(f"show {key}").ok().out
        assert title in twins.run("render").ok().out
    for line in LISTS:
        assert CLAIM not in twins.run(line).text


def test_the_beginning_of_an_id_of_others_does_not_stand_in_the_way(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    twins = Twins(home, lambda tongue: {f"memories/x-{tongue}.md": note(f"f-mine000{tongue}", "X")})
    for key, _, body in MINE.values():
        assert body in twins.run(f"show {key}").ok().out
        assert body in twins.run(f"show {key[:7]}{key[7:]}").ok().out


def test_records_of_both_vaults_are_not_mixed_in_one_answer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CEILING_DIRECTORIES")
    twins = Twins(home, lambda tongue: {f"memories/{tongue}.md": note(f"f-own-{tongue}", "它的")})
    mine = MINE["zh"][0]
    for line in (f"stats {mine} f-own-zh", f"stats f-own-zh {mine}"):
        found = twins.run(line)
        assert found.code == 2
        assert "is in another vault than what was named before it" in found.err
