"""What hooks left aside is never silent: `status` says it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from helpers import make_vault, run
from hook_runs import hook, state_of

from vault_cli.hook import state


def test_status_shows_what_failed_and_how_often(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    assert run("--vault", root, "--json", "status").ok().data["hooks"] == {
        "problems": [],
        "waiting": 0,
        "spare": "",
    }
    for _ in range(3):
        hook("codex", "stop", b"no json", state_of(home))
    state.complain(str(state_of(home)), "odd \x1b[2J\u202e words\nin two lines")
    data = run("--vault", root, "--json", "status").ok().data["hooks"]
    shown = run("--vault", root, "status").ok().out

    assert sorted(item["count"] for item in data["problems"]) == [1, 3]
    assert data["waiting"] > 0
    assert "hooks that failed" in shown
    assert "(3 times)  codex stop: what came on stdin is not JSON" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_what_is_long_ago_is_not_shown(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path)
    hook("codex", "stop", b"no json", state_of(home))
    later = time.time() + 8 * 86_400
    monkeypatch.setattr("vault_cli.cli.hook_status.time.time", lambda: later)

    assert run("--vault", root, "--json", "status").ok().data["hooks"]["problems"] == []


def test_status_says_where_events_wait(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    env = {"MVAULT_STATE_DIR": "/proc/nothing"}
    hook("codex", "post-tool", {"hook_event_name": "PostToolUse"}, "/proc/nothing")

    shown = run("--vault", root, "status", env=env).ok().out
    assert (
        f"events of hooks wait in {state.spare_folder('/proc/nothing')}/spool/events.bin" in shown
    )
    assert "/proc/nothing cannot be written" in shown


def test_what_one_state_folder_left_aside_is_not_told_of_another(
    tmp_path: Path, home: Path
) -> None:
    """The folder for temporary files is one for all: an agent may run with a state of its own."""
    root = make_vault(tmp_path)
    hook("codex", "post-tool", {"hook_event_name": "PostToolUse"}, "/proc/nothing")
    hook("codex", "stop", b"no json", "/proc/nothing")

    hooks = run("--vault", root, "--json", "status").ok().data["hooks"]
    assert hooks == {"problems": [], "waiting": 0, "spare": ""}
    run("--vault", root, "capture", "sessions").ok()
    assert Path(state.spare_folder("/proc/nothing"), "spool", "events.bin").exists()


def test_a_person_has_seen_what_failed(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path)
    hook("codex", "stop", b"no json", state_of(home))
    agent = {"MVAULT_ACTOR": "agent"}
    assert run("--vault", root, "status", "--seen", env=agent).code == 3
    policy = {"MVAULT_ACTOR": "person"}
    assert (
        "hooks that failed" in run("--vault", root, "--dry-run", "status", "--seen", env=policy).out
    )
    assert "mvault status --seen" in run("--vault", root, "status").ok().out
    shown = run("--vault", root, "status", "--seen", env=policy).ok().out
    assert "hooks that failed" not in shown
    assert run("--vault", root, "--json", "status").ok().data["hooks"]["problems"] == []
    hook("codex", "stop", b"no json", state_of(home))
    assert "hooks that failed" in run("--vault", root, "status").ok().out
    assert run("--vault", root, "status", "--seen", env=policy).ok()


def test_a_log_stays_small_and_keeps_the_newest(tmp_path: Path) -> None:
    for number in range(1_200):
        state.complain(str(tmp_path), f"message {number} " + "x" * 150)
    log = tmp_path / "hook" / "log"

    assert log.stat().st_size <= state.MAX_LOG
    found = state.read_log(str(tmp_path))
    assert any("message 1199 " in text for _, _, text in found)
    assert not any("message 0 " in text for _, _, text in found)


@pytest.mark.parametrize("text", ["", "\x00\xff", "1\t2\n", "a\tb\tc\td\n", "9" * 5_000 + "\n"])
def test_a_damaged_log_is_read_as_far_as_it_goes(tmp_path: Path, text: str) -> None:
    (tmp_path / "hook").mkdir(mode=0o700)
    (tmp_path / "hook" / "log").write_text(text, "latin-1")
    assert state.read_log(str(tmp_path)) == []
    state.complain(str(tmp_path), "something new")

    assert [text for *_, text in state.read_log(str(tmp_path))] == ["something new"]
