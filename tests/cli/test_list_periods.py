"""`list`, `topic show` and `show --expand` say when a record holds, where that matters now."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import make_vault, run

NOTE = "---\nid: {id}\nkind: fact\nstatus: {status}\ntitle: {title}\ntopics: [部署]\n{more}---\nText.\n"


def note(key: str, title: str, more: str = "", status: str = "active") -> str:
    return NOTE.format(id=key, status=status, title=title, more=more)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(
        tmp_path,
        {
            "a.md": note("f-always", "总是"),
            "b.md": note("f-old", "Over", "valid_to: 2026-10-31\n"),
            "c.md": note("f-new", "未来", "valid_from: 2027-01-01\n"),
            "d.md": note("f-until", "Ends", "valid_from: 2026-01-01\nvalid_to: 2026-12-14\n"),
            "e.md": note("f-since", "Since", "valid_from: 2026-01-01\n"),
            "f.md": note("f-gone", "Gone", "valid_to: 2026-05-31\n", "superseded"),
            "g.md": note("f-draft", "草稿", "valid_to: 2026-11-30\n", "candidate"),
            "t.md": note("o-1", "部署", "").replace("kind: fact", "kind: topic"),
        },
    )


MARKS = {
    "f-always": "",
    "f-old": " (to 2026-10-31, expired)",
    "f-new": " (from 2027-01-01, scheduled)",
    "f-until": " (to 2026-12-14)",
    "f-since": "",
    "f-gone": "",
    "f-draft": " (to 2026-11-30)",
}


@pytest.mark.parametrize("warm", [False, True])
def test_a_list_marks_periods_where_there_is_one(vault: Path, warm: bool) -> None:
    if warm:
        run("--vault", vault, "list").ok()
    lines = {line.split()[0]: line for line in run("--vault", vault, "list").ok().out.splitlines()}
    for key, mark in MARKS.items():
        assert lines[key].partition(" (")[1:] == ((" (", mark[2:]) if mark else ("", "")), key
    records = run("--vault", vault, "--json", "list").ok().data["records"]
    found = {r["id"]: (r["valid_from"], r["valid_to"]) for r in records}
    assert found["f-until"] == ("2026-01-01", "2026-12-14")
    assert found["f-always"] == ("", "")


def test_states_do_not_say_it_twice(vault: Path) -> None:
    out = run("--vault", vault, "list", "--states").ok().out
    assert "(to 2026-10-31, expired)" in out
    assert "(from 2027-01-01, scheduled)" in out


def test_a_list_at_a_time_keeps_its_own_marks(vault: Path) -> None:
    out = run("--vault", vault, "list", "--valid-at", "2026-10-01", "--view", "strict").ok().out
    assert "Over (to 2026-10-31)\n" in out


def test_mates_and_members_have_status_and_period(vault: Path) -> None:
    out = run("--vault", vault, "show", "f-always", "--expand").ok().out
    assert "f-old  active  fact  Over (to 2026-10-31, expired)  部署" in out
    assert "f-since  active  fact  Since  部署" in out
    mates = run("--vault", vault, "--json", "show", "f-always", "--expand").ok().data["mates"]
    assert {m["id"]: (m["status"], m["valid_to"]) for m in mates}["f-until"] == (
        "active", "2026-12-14",
    )  # fmt: skip
    members = run("--vault", vault, "topic", "show", "部署").ok().out
    assert "Ends (to 2026-12-14)" in members
