"""What others push changes neither rank nor mark of what was admitted, in any reading command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.test_terminal import Terminal
from helpers import make_vault, run, write_files
from test_trust_incoming import Pair

BASE = "---\nid: {id}\nkind: {kind}\nstatus: {status}\ntitle: {title}\n{keys}---\n{body}\n"
IDS = ("l-zh", "l-en", "l-old")


def text(
    key: str, status: str = "active", kind: str = "lesson", body: str = "", **keys: str
) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in keys.items())
    title = keys.pop("title", f"标题 title of {key}")
    return BASE.format(
        id=key, kind=kind, status=status, title=title, keys=front, body=body or f"正文 of {key}."
    )


OWN = {
    "memories/l-zh.md": text("l-zh", derived_from="[f-gone, f-base]"),
    "memories/l-en.md": text("l-en", derived_from="[outside-7, f-draft]"),
    "memories/l-old.md": text("l-old", derived_from="[f-ended]"),
    "memories/f-base.md": text("f-base", kind="fact", aliases="[outside-7]"),
    "memories/f-ended.md": text("f-ended", "deprecated", kind="fact"),
    "drafts/f-draft.md": text("f-draft", "candidate", kind="fact"),
}


def draft(key: str) -> dict[str, str]:
    return {f"drafts/x-{key}.md": text(key, "candidate", kind="fact")}


def ended(key: str) -> dict[str, str]:
    return {f"memories/x-{key}.md": text(key, "deprecated", kind="fact")}


def rejected(key: str) -> dict[str, str]:
    return {f"memories/x-{key}.md": text(key, "rejected", kind="fact")}


def active(key: str) -> dict[str, str]:
    return {f"memories/x-{key}.md": text(key, kind="fact")}


def disputed(key: str) -> dict[str, str]:
    return {f"memories/x-{key}.md": text(key, "disputed", kind="fact")}


PUSHED: tuple[Callable[[str], dict[str, str]], ...] = (draft, ended, rejected, active, disputed)


def answers(pair: Pair) -> dict[str, Any]:
    """All that readers say of support, without what they say of the pushed records themselves."""
    found: dict[str, Any] = {}
    for key in IDS:
        shown = run("--vault", pair.mine, "--json", "show", key, "--provenance").ok().data
        told = shown["provenance"]
        rests = [(item["named"], item["lost"]) for item in told["rests_on"]]
        found[f"show {key}"] = told["support"], rests, shown["states"], told["states"]
        (story,) = run("--vault", pair.mine, "--json", "why", key).ok().data["records"]
        found[f"why {key}"] = story["support"]
    listed = run("--vault", pair.mine, "--json", "list").ok().data["states"]
    found["list"] = {key: listed.get(key) for key in IDS}
    for state in ("orphaned", "weakened"):
        rows = run("--vault", pair.mine, "--json", "list", "--state", state).ok().data["records"]
        found[state] = sorted(row["id"] for row in rows if row["id"] in IDS)
    lines = run("--vault", pair.mine, "--json", "render").ok().data["receipt"]["lines"]
    found["render"] = [json.dumps(line, sort_keys=True) for line in lines]
    return found


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    pair = Pair(tmp_path)
    write_files(pair.theirs, OWN)
    pair.push()
    pair.pull()
    pair.trust()
    return pair


def test_what_is_known_here_has_a_say(pair: Pair) -> None:
    found = answers(pair)
    assert found["list"] == {"l-zh": ["weakened"], "l-en": None, "l-old": ["orphaned"]}
    # what a person or an agent writes here through the program is known, too
    done = run("--vault", pair.mine, "deprecate", "f-base", "--reason", "gone", "--yes",
               env={"MVAULT_ACTOR": "person"})  # fmt: skip
    done.ok()
    assert answers(pair)["list"] == {
        "l-zh": ["orphaned"],
        "l-en": ["weakened"],
        "l-old": ["orphaned"],
    }


@pytest.mark.parametrize("make", PUSHED, ids=lambda make: make.__name__)
@pytest.mark.parametrize("key", ["f-gone", "outside-7", "f-draft", "f-ended"])
def test_a_push_changes_no_mark(
    pair: Pair, make: Callable[[str], dict[str, str]], key: str
) -> None:
    before = answers(pair)
    write_files(pair.theirs, make(key))
    pair.push()
    pair.pull()
    assert answers(pair) == before


def test_what_a_person_let_end_is_known(pair: Pair) -> None:
    before = answers(pair)
    write_files(pair.theirs, {"memories/f-base.md": text("f-base", "deprecated", kind="fact")})
    pair.push()
    pair.pull()
    assert answers(pair) == before  # the admitted text stands until somebody looked
    terminal = Terminal("--vault", pair.mine, "review", "--incoming")
    terminal.read("[a,r,s,q,?]")
    terminal.type("a")
    assert terminal.end() == 0
    lost = dict(answers(pair)["show l-zh"][1])
    assert lost == {"f-gone": "not in the vault", "f-base": "deprecated"}


QUERIES = ("部署", "tests push", "例外 before", "pusj")


def ranks(pair: Pair) -> dict[str, Any]:
    """Score, parts and order of what was admitted, with and without what is stored."""
    found: dict[str, Any] = {}
    for query in QUERIES:
        for extra in ((), ("--limit", "2")):
            done = run("--vault", pair.mine, "--json", "search", query, *extra)
            rows = [row for row in done.data["records"] if not row["id"].startswith("x-")]
            found[f"{query} {extra}"] = [
                (r["id"], r["score"], r["parts"], r["snippet"]) for r in rows
            ]
            found[f"meant {query}"] = done.data["meant"]
    return found


@pytest.mark.parametrize("status", ["active", "candidate", "disputed"])
def test_a_push_changes_no_rank(pair: Pair, status: str) -> None:
    before = ranks(pair)
    assert ranks(pair) == before  # now from what is stored
    bodies = ("部署 部署 push pusj tests", "例外 例外 before 每次 push", "long " * 400 + "部署")
    more = {
        f"drafts/x-{n}.md" if status == "candidate" else f"memories/x-{n}.md":
            text(f"x-{n}", status, body=bodies[n % 3])
        for n in range(12)
    }  # fmt: skip
    write_files(pair.theirs, more)
    pair.push()
    pair.pull()
    for _ in range(2):
        assert ranks(pair) == before


def verified(key: str, digest: str) -> str:
    evidence = (
        "evidence:\n- id: e1\n  type: session-event\n  session: s\n  start: '1'\n  end: '2'\n"
    )
    check = f"verification:\n  method: user-confirmation\n  actor: user\n  evidence: [e1]\n{digest}"
    head = f"---\nid: {key}\nkind: lesson\nstatus: verified\ntitle: 已证实 {key}\n"
    return f"{head}{evidence}{check}---\n正文 text.\n"


def test_a_plain_list_says_what_a_lapsed_verification_counts(tmp_path: Path) -> None:
    stale = f"  target_sha256: {'0' * 64}\n"
    files = {
        "memories/l-good.md": verified("l-good", ""),
        "memories/l-stale.md": verified("l-stale", stale),
        "memories/l-none.md": text("l-none", "verified"),
        "drafts/l-draft.md": verified("l-draft", stale),
    }
    vault = make_vault(tmp_path, files)
    for _ in range(2):  # cold and from the cache
        for line in ("list", "list --states", "search", "list --view historical"):
            rows = {
                row.split()[0]: row
                for row in run("--vault", vault, *line.split()).out.split("\n")
                if row[:2] == "l-"
            }
            assert rows["l-good"].split()[1] == "verified", line
            assert rows["l-stale"].split()[1] == "active", line
            assert "(verification stale" in rows["l-stale"], line
            assert rows["l-none"].split()[1] == "active", line
            assert "(verification missing" in rows["l-none"], line
        data = {
            r["id"]: r["status"]
            for r in run("--vault", vault, "--json", "list").ok().data["records"]
        }
        assert data == {
            "l-good": "verified",
            "l-stale": "active",
            "l-none": "active",
            "l-draft": "candidate",
        }
        assert run("--vault", vault, "list", "--status", "verified").ok().out.split()[0] == "l-good"
