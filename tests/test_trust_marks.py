"""Every list of records says what the trust settings keep out, as text and in `--json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import run, write_files
from test_trust_incoming import PERSON, RULE, Pair

WHY = "put in force by others, not reviewed"
MARK = f"kept out of the render: {WHY}"
HINT = "mvault review --incoming"


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    pair = Pair(tmp_path)
    pair.trust()
    text = RULE.format(id="r-new", title="直接推送 straight", body="Push to 主干 at night.")
    write_files(pair.theirs, {"playbook/new.md": text.replace("kind:", "topics: [部署]\nkind:")})
    two = pair.theirs / "playbook/r-two.md"
    two.write_text(two.read_text().replace("kind:", "topics: [部署]\nkind:"))
    pair.push()
    pair.pull()
    return pair


@pytest.mark.parametrize(
    "line",
    [
        "search straight",
        "search 主干",
        "search 直接推送 --view associative",
        "list",
        "list --view strict",
        "list --valid-at 2026-11-30",
        "list --topic 部署",
        "list --kind rule --states",
    ],
)
def test_a_list_marks_what_is_kept_out(pair: Pair, line: str) -> None:
    text = run("--vault", pair.mine, *line.split()).ok()
    (row,) = [row for row in text.out.splitlines() if row.startswith("r-new")]
    assert MARK in row
    assert "at night" not in text.out
    data = run("--vault", pair.mine, "--json", *line.split()).ok().data
    (item,) = [item for item in data["records"] if item["id"] == "r-new"]
    assert item["withheld"] == WHY
    assert MARK in item.get("marks", [MARK])
    assert not item.get("snippet")
    if line.startswith("search"):
        assert HINT in text.err
    assert [i for i in data["records"] if i["id"] == "r-one" and "withheld" in i] == []


def test_show_says_so_in_json_too(pair: Pair) -> None:
    shown = run("--vault", pair.mine, "show", "r-new").ok()
    assert MARK in shown.err
    assert HINT in shown.err
    assert run("--vault", pair.mine, "--json", "show", "r-new").ok().data["withheld"] == WHY


def test_topics_stats_and_mates_say_so(pair: Pair) -> None:
    def rows(*argv: str, key: str) -> list[dict[str, Any]]:
        return list(run("--vault", pair.mine, "--json", *argv).ok().data[key])

    topic = "---\nid: o-1\nkind: topic\nstatus: active\ntitle: 部署\n---\nText.\n"
    write_files(pair.mine, {"topics/o.md": topic})  # the person's own
    (found,) = [r for r in rows("topic", "show", "部署", key="members") if r["id"] == "r-new"]
    assert found["withheld"] == WHY
    assert MARK in run("--vault", pair.mine, "topic", "show", "部署").ok().out
    (found,) = rows("stats", "r-new", key="records")
    assert found["withheld"] == WHY
    assert MARK in run("--vault", pair.mine, "stats", "r-new").ok().out
    assert rows("show", "r-two", "--expand", key="mates") == []
    run("--vault", pair.mine, "trust", "--yes", env=PERSON).ok()
    assert [r["id"] for r in rows("show", "r-two", "--expand", key="mates")] == ["r-new"]
    assert "withheld" not in run("--vault", pair.mine, "--json", "show", "r-new").ok().data
