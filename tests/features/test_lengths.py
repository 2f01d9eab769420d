"""How long what is proposed may be: the same at every door, and no limit for a person's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import listed, make_vault, run

from vault_cli.features.lengths import LONGEST_WORD, MOST, MOST_WORDS

AGENT = {"MVAULT_ACTOR": "agent"}


def long(key: str, sign: str, more: int) -> Any:
    if key in MOST:
        return sign * (MOST[key] + more)
    return [sign * (LONGEST_WORD + more)]


KEYS = pytest.mark.parametrize("key", [*MOST, "topics", "keywords"])
SIGNS = pytest.mark.parametrize("sign", ["a", "字"])


@KEYS
@SIGNS
def test_what_is_proposed_has_a_limit(tmp_path: Path, key: str, sign: str) -> None:
    root = make_vault(tmp_path)
    for more in (1, 0):
        row = {"title": "T", "body": "A text.", key: long(key, sign, more)}
        done = run(
            "--vault", root, "add", "fact", "--payload", "-", stdin=json.dumps(row), env=AGENT
        )
        assert done.code == (2 if more else 0), done.text
        if more:
            assert f"{key} has" in done.err or f"an entry of {key} has" in done.err
            assert listed(root) == {}


@KEYS
def test_a_record_that_is_there_is_not_set_beyond_it(tmp_path: Path, key: str) -> None:
    root = make_vault(tmp_path)
    own = (
        run("--vault", root, "--json", "add", "fact", "--title", "T", "--body", "x").ok().data["id"]
    )
    row = {key: long(key, "a", 1)}
    done = run("--vault", root, "revise", own, "--payload", "-", stdin=json.dumps(row), env=AGENT)
    assert done.code == 2, done.text


def test_too_many_topics_are_refused(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    row = {"title": "T", "body": "x", "topics": [f"t{n}" for n in range(MOST_WORDS + 1)]}
    done = run("--vault", root, "add", "fact", "--payload", "-", stdin=json.dumps(row))
    assert done.code == 2
    assert "topics has 101 entries; at most 100 are taken" in done.err


@SIGNS
def test_what_a_person_wrote_by_hand_may_be_long_and_is_still_revised(
    tmp_path: Path, sign: str
) -> None:
    title = sign * 900
    text = f"---\nid: f-0000001\nkind: fact\nstatus: active\ntitle: {title}\n---\nA text.\n"
    root = make_vault(tmp_path, {"memories/f.md": text})
    assert listed(root)["f-0000001"]["title"] == title
    run("--vault", root, "revise", "f-0000001", "--body", "Another text.", env=AGENT).ok()
    (draft,) = (row for row in listed(root).values() if row["status"] == "candidate")
    assert draft["title"] == title


@SIGNS
def test_a_title_from_elsewhere_is_cut_and_kept_whole_in_the_text(
    tmp_path: Path, sign: str
) -> None:
    root = make_vault(tmp_path)
    title = sign * 700
    source = tmp_path / "a.md"
    source.write_text(f"---\ntitle: {title}\n---\nA text.\n", encoding="utf-8")
    argv = ("--vault", root, "--json", "import", "markdown", source)
    run(*argv).ok()
    (path,) = (root / "drafts").rglob("*.md")
    (row,) = listed(root).values()
    assert len(row["title"]) == MOST["title"]
    assert title in path.read_text("utf-8").split("\n---\n", 1)[1]
    again = run(*argv).ok()
    assert len(listed(root)) == 1, again.text
