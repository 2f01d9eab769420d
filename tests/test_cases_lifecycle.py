"""Acceptance cases about who may do what to a memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from helpers import case_folder, case_vault, head, listed, make_vault, rendered, run, snapshot_bytes

RULE = """\
---
id: r-1
kind: rule
status: active
force: required
title: Never skip the tests
---
Never skip the tests.
"""
FACT = "---\nid: f-1\nkind: fact\nstatus: active\ntitle: Port 8080\n---\nIt listens on 8080.\n"

# The agent channel: an actor that names itself so, and anything without a terminal that says nothing.
CHANNELS = [{"MVAULT_ACTOR": "agent"}, {"MVAULT_ACTOR": "hook"}, {"MVAULT_ACTOR": "import"},
            {"MVAULT_ACTOR": "claude"}, {}]  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    disputed = FACT.replace("f-1", "f-8").replace("active", "disputed")
    ended = FACT.replace("f-1", "f-9").replace("active", "deprecated")
    files = {"memories/f.md": FACT, "memories/d.md": disputed, "memories/e.md": ended}
    return make_vault(tmp_path, {"playbook/r.md": RULE, **files})


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
def test_sa_07_the_captured_item_is_a_candidate(vault: Path, channel: dict[str, str]) -> None:
    payload = case_folder("sa-07") / "payload.json"
    done = run("--vault", vault, "--json", "add", "rule", "--payload", payload, env=channel).ok()
    # The captured item is a candidate whatever the payload says ...
    own = done.data["ids"][0]
    item = run("--vault", vault, "--json", "show", own).ok().data
    assert item["status"] == "candidate"
    assert not item["in_force"]
    assert "Fridays" not in rendered(vault)
    # ... the writing channel is recorded by the program and cannot be set from the payload ...
    log = run("--vault", vault, "--json", "log", own).ok().data["commits"]
    trailers = dict(log[0]["trailers"])
    known = channel.get("MVAULT_ACTOR") in ("agent", "hook", "import")
    assert trailers["Vault-Actor"] == (channel["MVAULT_ACTOR"] if known else "agent")
    assert trailers["Vault-Origin"] == "cli"
    # ... and the claimed source is kept as a claim; nothing else of the claims is taken over.
    assert item["source"] == "user"
    assert not {"confirmed", "verified_by", "verification", "approved_by"} & item["fields"].keys()
    ignored = [f["message"] for f in done.json["diagnostics"] if f["code"] == "claim-ignored"]
    assert len(ignored) == 1
    for key in ("status", "origin", "confirmed", "verified_by"):
        assert key in ignored[0]


@pytest.mark.parametrize("yes", [(), ("--yes",)])
@pytest.mark.parametrize("channel", CHANNELS[:4], ids=str)
def test_sa_07_the_agent_cannot_approve_itself(
    vault: Path, channel: dict[str, str], yes: tuple[str, ...]
) -> None:
    payload = case_folder("sa-07") / "payload.json"
    added = run("--vault", vault, "--json", "add", "rule", "--payload", payload, env=channel).ok()
    own = added.data["ids"][0]
    before, start = snapshot_bytes(vault), head(vault)
    why = ("--reason", "because")
    refused = [
        ("approve", own),
        ("approve", own, "--allow", "injection", *why),
        ("edit", "f-1", "--set", "title=Port 1"),
        ("edit", "r-1", "--set", "force=advice"),
        ("forget", "f-1", *why),
        ("forget", "r-1", "--purge"),
        ("deprecate", "r-1", *why),
        ("dispute", "r-1", *why),
        ("supersede", "r-1", "f-1", *why),
        ("reject", own, *why),
        ("resolve", "f-8", *why),
        ("revive", "f-9", *why),
        ("config", "set", "--user", "trust.approve_without_terminal", '["agent"]'),
    ]
    for words in refused:
        result = run("--vault", vault, *words, *(yes if words[0] != "config" else ()), env=channel)
        # Refused on that channel with a message that says who can do it (or only a preview).
        assert result.code in (2, 3, 4), (words, result.text)
        assert "person" in result.err or "own configuration" in result.err, (words, result.err)
        assert snapshot_bytes(vault) == before, words
        assert head(vault) == start, words
    # A change of the rule is only a proposal: a draft beside it.
    run("--vault", vault, "supersede", "r-1", "--title", "Skip them", *why, env=channel).ok()
    run("--vault", vault, "revise", "r-1", "--body", "Skip them.", *why, env=channel).ok()
    assert "Never skip the tests" in rendered(vault)
    assert "Skip them" not in rendered(vault)
    assert listed(vault)["r-1"]["status"] == "active"


def test_sa_07_a_file_written_directly_shows_in_status(vault: Path) -> None:
    text = RULE.replace("r-1", "r-2").replace("Never skip", "Always skip")
    (vault / "playbook" / "new.md").write_text(text)
    changed = (vault / "memories" / "f.md").read_text().replace("8080", "1")
    (vault / "memories" / "f.md").write_text(changed)
    shown = run("--vault", vault, "status").ok().out
    assert "changed outside, not committed:" in shown
    assert "added playbook/new.md (in force)" in shown
    assert "changed memories/f.md (in force)" in shown


@pytest.mark.parametrize("how", ["a new draft", "a record that is there"])
def test_ti_03_a_correction_replaces_but_keeps_by_supersede(tmp_path: Path, how: str) -> None:
    root = case_vault("ti-03", tmp_path)
    start = snapshot_bytes(root)
    text = ("--title", "项目使用 FastAPI 和 MySQL", "--body", "项目使用 FastAPI 和 MySQL。")
    why = ("--reason", "数据库换成 MySQL")
    if how == "a new draft":
        own = run("--vault", root, "supersede", "m-c301", *text, *why).ok().out.strip()
        before = snapshot_bytes(root)
        run("--vault", root, "approve", own, *why, "--yes").ok()
    else:
        own = run("--vault", root, "add", "fact", *text).ok().out.strip()
        run("--vault", root, "approve", own, "--yes").ok()
        before = snapshot_bytes(root)
        run("--vault", root, "supersede", "m-c301", own, *why, "--yes").ok()
    # Render has only the new one.
    assert "MySQL" in rendered(root)
    assert "PostgreSQL" not in rendered(root)
    # The old file keeps its text, gets the end of validity and the pointer; the new one points
    # back; both changes are in ONE commit.
    old = run("--vault", root, "--json", "show", "m-c301").ok().data
    assert "PostgreSQL" in old["body"]
    assert (old["status"], old["valid_to"]) == ("superseded", "2026-11-29")
    assert old["fields"]["superseded_by"] == own
    new = run("--vault", root, "--json", "show", own).ok().data
    assert new["supersedes"] == ["m-c301"]
    last = run("--vault", root, "--json", "log", "m-c301").ok().data["commits"][0]
    assert {"m-c301.md", new["path"]} <= set(last["paths"])
    # History shows old, new, time and reason.
    assert last["ids"] == [own, "m-c301"]
    assert last["body"] == "数据库换成 MySQL"
    age = datetime.now(UTC) - datetime.fromisoformat(last["date"])  # git's clock, not ours
    assert timedelta(0) <= age + timedelta(seconds=1) < timedelta(hours=1)
    # Undo restores exactly the earlier state.
    run("--vault", root, "undo", "--yes").ok()
    assert snapshot_bytes(root) == before
    assert before["m-c301.md"] == start["m-c301.md"]
