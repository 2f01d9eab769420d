"""What lifecycle commands answer: nothing to do, what else changes with a record, next steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import commit_count, make_vault, run, snapshot_bytes, write_files

from vault_cli.cli.consent import Plan
from vault_cli.errors import Diagnostic
from vault_cli.model.change import Change

AGENT = {"MVAULT_ACTOR": "agent"}
WHY = ("--reason", "因为 it changed")


def note(
    record_id: str, title: str, status: str = "active", kind: str = "fact", **keys: str
) -> str:
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    front = f"id: {record_id}\nkind: {kind}\nstatus: {status}\ntitle: {title}\n{more}"
    return f"---\n{front}---\n{title} is so.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(
        tmp_path,
        {
            "memories/2026-11/port.md": note("f-1", "Port 8080"),
            "memories/2026-11/端口.md": note("f-2", "端口 8443"),
            "memories/2026-11/gone.md": note("f-3", "Old cluster", "deprecated"),
            "memories/2026-11/one.md": note("f-4", "One", "superseded", superseded_by="f-5"),
            "memories/2026-11/two.md": note("f-5", "Two", supersedes="[f-4]"),
            "drafts/2026-11/draft.md": note("f-6", "Draft", "candidate"),
            "drafts/2026-11/no.md": note("f-7", "No", "rejected"),
            "memories/2026-11/hm.md": note("f-8", "Hm", "disputed"),
            "recipes/keys.md": note("c-1", "Rotate keys", kind="recipe")
            + "\n## Problem\nold keys\n\n## Steps\n1. rotate\n",
            "topics/部署.md": note("o-1", "部署", kind="topic"),
        },
    )
    write_files(root, {"quarantine/held.md": note("f-9", "Held", "quarantined")})
    return root


SKILL = ("--name", "rotate-keys", "--description", "Rotate keys when they are old.", "--force")
EVENT = "session-event:session=7f,start=1,end=9"
TWICE = {
    "approve": ("approve", "f-6"),
    "reject": ("reject", "f-6", *WHY),
    "dispute": ("dispute", "f-1", *WHY),
    "resolve": ("resolve", "f-8", *WHY),
    "resolve as active": ("resolve", "f-8", "--as", "active", *WHY),
    "resolve as candidate": ("resolve", "f-8", "--as", "candidate", *WHY),
    "resolve as deprecated": ("resolve", "f-8", "--as", "deprecated", *WHY),
    "resolve as rejected": ("resolve", "f-8", "--as", "rejected", *WHY),
    "deprecate": ("deprecate", "f-1", *WHY),
    "deprecate many": ("deprecate", "f-1", "f-2", *WHY),
    "revive": ("revive", "f-3", *WHY),
    "revive a draft": ("revive", "f-7", *WHY),
    "supersede": ("supersede", "f-1", "f-2", *WHY),
    "merge": ("merge", "f-1", "f-2", "--force", *WHY),
    "conflict": ("conflict", "f-1", "f-2", "--type", "goal"),
    "verify": ("verify", "f-1", "--evidence", EVENT, "--method", "user-confirmation"),
    "forget": ("forget", "f-1"),
    "forget many": ("forget", "f-1", "f-2"),
    "promote": ("promote", "f-1", "--to", "project:x"),
    "graduate": ("graduate", "c-1", *SKILL, *WHY),
    "quarantine release": ("quarantine", "release", "f-9", *WHY),
    "topic assign": ("topic", "assign", "部署", "f-1"),
    "topic disable": ("topic", "disable", "部署", *WHY),
    "edit": ("edit", "f-1", "--set", "title=新"),
}


@pytest.mark.parametrize("words", TWICE.values(), ids=TWICE)
def test_what_is_done_already_is_nothing_to_do(vault: Path, words: tuple[str, ...]) -> None:
    first = run("--vault", vault, "--json", *words, "--yes").ok()
    assert first.data["changed"]
    before, count = snapshot_bytes(vault), commit_count(vault)
    again = run("--vault", vault, *words, "--yes").ok()
    assert again.err.startswith("nothing to do: ")
    data = run("--vault", vault, "--json", *words, "--yes").ok().data
    assert (data["changed"], data["records"], data["paths"]) == (False, [], [])
    assert (snapshot_bytes(vault), commit_count(vault)) == (before, count)


def test_a_demoted_skill_is_a_recipe_and_stays_one(vault: Path) -> None:
    run("--vault", vault, *TWICE["graduate"], "--yes").ok()
    run("--vault", vault, "demote", "c-1", *WHY, "--yes").ok()
    assert "nothing to do" in run("--vault", vault, "demote", "c-1", "--yes").ok().err


ELSEWHERE = {
    "resolve what was superseded": (("resolve", "f-4", *WHY), "mvault revive f-4"),
    "resolve as what it is not": (
        ("resolve", "f-1", "--as", "deprecated", *WHY), "mvault dispute f-1",
    ),
    "revive what is disputed": (("revive", "f-8", *WHY), "mvault resolve f-8"),
    "approve what is disputed": (("approve", "f-8"), "mvault resolve f-8"),
    "reject what is in force": (("reject", "f-1", *WHY), ""),
    "release what is in force": (("quarantine", "release", "f-1", *WHY), "quarantine list"),
    "graduate what is none": (("graduate", "f-1", *WHY), ""),
    "demote what is none": (("demote", "f-1", *WHY), "mvault deprecate f-1"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "hint"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_cannot_come_of_it_is_refused(vault: Path, words: tuple[str, ...], hint: str) -> None:
    before = snapshot_bytes(vault)
    refused = run("--vault", vault, *words, "--yes")
    assert refused.code == 4, refused.text
    assert hint in refused.err
    assert snapshot_bytes(vault) == before


@pytest.mark.parametrize(
    ("more", "status", "says"),
    [((), "deprecated", "is deprecated"), (("--no-revive",), "deprecated", "is deprecated"),
     (("--revive",), "active", "comes back in force")],
)  # fmt: skip
def test_forget_says_what_becomes_of_what_it_had_superseded(
    vault: Path, more: tuple[str, ...], status: str, says: str
) -> None:
    shown = run("--vault", vault, "forget", "f-5", *more, env=AGENT)
    assert shown.code == 3
    assert f"f-4 loses its successor and {says}" in shown.err
    dry = run("--vault", vault, "--json", "--dry-run", "forget", "f-5", *more, "--yes").ok()
    done = run("--vault", vault, "forget", "f-5", *more, "--yes").ok()
    assert f"f-4 is {status} now: One" in done.err
    run("--vault", vault, "undo", "--yes").ok()
    data = run("--vault", vault, "--json", "forget", "f-5", *more, "--yes").ok().data
    for answer in (dry.data, data):
        assert [(r["id"], r["status"]) for r in answer["touched"]] == [("f-4", status)]


def test_other_commands_say_so_too(vault: Path) -> None:
    new = run("--vault", vault, "supersede", "f-1", "--title", "端口是 9000", *WHY).ok().out.strip()
    done = run("--vault", vault, "approve", new, "--yes").ok()
    assert "f-1 is superseded now: Port 8080" in done.err
    run("--vault", vault, "deprecate", new, *WHY, "--yes").ok()
    data = run("--vault", vault, "--json", "revive", "f-1", *WHY, "--yes").ok().data
    assert data["touched"] == []
    run("--vault", vault, "undo", "--yes").ok()


def test_no_hint_advises_what_is_being_done(vault: Path) -> None:
    plain = run("--vault", vault, "forget", "f-5", "--dry-run", "--yes").ok()
    assert "--revive puts it back instead" in plain.err
    for decided in ("--revive", "--no-revive"):
        assert "revive" not in run(
            "--vault", vault, "forget", "f-5", decided, "--dry-run", "--yes"
        ).ok().err.replace("predecessor", "")  # fmt: skip
    notes = [
        Diagnostic("a.md", 0, "x", "note", "said", hint)
        for hint in ("Run: mvault approve f-6", "mvault approve f-7", "mvault reject f-6", "")
    ]
    plan = Plan(Change("approve", "(fact): x", (), ids=("f-6",)), "done", findings=notes)
    plan.drop_own_hints()
    assert [note.hint for note in plan.findings] == ["", *(note.hint for note in notes[1:])]
    assert [note.message for note in plan.findings] == ["said"] * 4
