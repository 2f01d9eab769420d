"""The small parts of the fast path, each on its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from vault_cli.hook import events, jsons, ready, sessions, state, system


@pytest.mark.parametrize(
    ("payload", "name", "given"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "ls"}}, "Bash", {"command": "ls"}),
        ({"toolName": "bash", "toolArgs": '{"command":"列"}'}, "bash", {"command": "列"}),
        ({"toolName": "bash", "toolArgs": '{"command"'}, "bash", {"command": '{"command"'}),
        ({"toolName": "bash", "toolArgs": "ls"}, "bash", {"command": "ls"}),
        ({"command": "ls", "cwd": "/"}, "shell", {"command": "ls"}),
        ({"tool_name": "x", "tool_input": [1]}, "x", {}),
        ({"tool_name": 3, "tool_input": None}, "", {}),
        ({}, "", {}),
        ([], "", {}),
        ("text", "", {}),
    ],
)
def test_a_call_in_every_hosts_words(payload: object, name: str, given: dict[str, Any]) -> None:
    assert events.call_of(payload) == (name, given)


@pytest.mark.parametrize(
    ("payload", "folder"),
    [
        ({"cwd": "/a/b"}, "/a/b"),
        ({"cwd": "C:\\a"}, "C:\\a"),
        ({"cwd": "relative"}, ""),
        ({"cwd": 7}, ""),
        ({"workspace_roots": ["/w", "/x"]}, "/w"),
        ({"workspace_roots": []}, ""),
        ({"workspace_roots": [3]}, ""),
        ({"workspace_roots": "/w"}, ""),
        (None, ""),
    ],
)
def test_the_folder_of_an_event(payload: object, folder: str) -> None:
    assert events.folder_of(payload) == folder


VALUES = [
    '{"a": [1, 2.5, -3, null, true, false], "b": {"c": "中文 \\u00e9 \\ud83d\\ude00"}}',
    "  [] \n",
    "{}",
    '"\\ud800"',
    "1e400",
    "[NaN]",
]
BROKEN = ["", "{", "{} {}", "nul", '{"a":}', "{'a':1}", "[1,]", '"\x01"', "\ufeff{}", "[" * 100_000]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("text", VALUES)
def test_json_is_read_and_written_as_json_does(
    text: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fast:
        monkeypatch.setitem(sys.modules, "_json", None)
    value = jsons.loads(text.encode())

    assert repr(value) == repr(json.loads(text))
    assert json.loads(jsons.dumps(value)) == json.loads(text) or "NaN" in text
    assert jsons.dumps(value) == json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("text", BROKEN)
def test_what_is_not_json_is_an_error(
    text: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fast:
        monkeypatch.setitem(sys.modules, "_json", None)
    with pytest.raises((ValueError, RecursionError)):
        jsons.loads(text.encode())
    with pytest.raises(TypeError):
        jsons.dumps(object())


def test_only_so_many_sessions_and_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST", 10)
    for number in range(12):
        sessions.save(str(tmp_path), sessions.SESSIONS, f"s-{number}", {"n": number})
        path = tmp_path / "hook" / "sessions" / f"s-{number}"
        os.utime(path, (number, number))
    sessions.prune(str(tmp_path), sessions.SESSIONS)
    kept = sorted(p.name for p in (tmp_path / "hook" / "sessions").iterdir())
    assert kept == ["s-10", "s-11", "s-7", "s-8", "s-9"]
    assert sessions.load(str(tmp_path), sessions.SESSIONS, "s-0") == {}
    sessions.prune(str(tmp_path / "nothing"), sessions.SESSIONS)

    (tmp_path / "cache-token").write_bytes(b"k" * 32)
    monkeypatch.setattr(ready, "MOST", 4)
    for number in range(8):
        ready.keep(str(tmp_path), f"{number:016x}", {"until": 0, "stamps": [], "quick": []})
    assert len(list((tmp_path / "hook" / "ready").iterdir())) <= 4
    assert ready.load(str(tmp_path), f"{7:016x}", exact=True) is not None


def test_without_a_secret_of_this_machine_nothing_is_kept_ready(tmp_path: Path) -> None:
    ready.keep(str(tmp_path), "0" * 16, {"until": 0, "stamps": [], "quick": []})
    assert not (tmp_path / "hook").exists()
    (tmp_path / "cache-token").write_bytes(b"short")
    ready.keep(str(tmp_path), "0" * 16, {"until": 0, "stamps": [], "quick": []})
    assert not (tmp_path / "hook").exists()


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"7"])
def test_a_damaged_session_is_none(tmp_path: Path, data: bytes) -> None:
    sessions.save(str(tmp_path), sessions.SESSIONS, "s", {"a": 1})
    (tmp_path / "hook" / "sessions" / "s").write_bytes(data)
    assert sessions.load(str(tmp_path), sessions.SESSIONS, "s") == {}


def test_stamps_tell_every_kind_of_change(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / ".git").mkdir()
    file = tree / "a" / "b" / "x.md"
    file.write_text("one")
    seen = [ready.stamp(ready.TREE, str(tree))]

    def changed() -> bool:
        seen.append(ready.stamp(ready.TREE, str(tree)))
        return seen[-1] != seen[-2]

    assert not changed()
    (tree / ".git" / "index").write_text("not looked at")
    assert not changed()
    file.write_text("two")
    assert changed()
    file.chmod(0o600)
    assert changed()
    file.rename(tree / "a" / "x.md")
    assert changed()
    (tree / "new.md").symlink_to("a/x.md")
    assert changed()
    (tree / "empty").mkdir()
    assert changed()
    assert ready.stamp(ready.FILE, str(tmp_path / "no")) == ""
    assert ready.stamp(ready.TREE, str(tmp_path / "no")) != seen[-1]


def test_git_s_own_folder_is_looked_at_without_its_objects(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    for name in ("objects/ab", "refs/heads/topic", "info", "logs"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    before = ready.stamp(ready.GIT, str(git))
    (git / "objects" / "ab" / "cd").write_text("")
    (git / "logs" / "HEAD").write_text("")
    assert ready.stamp(ready.GIT, str(git)) == before
    (git / "refs" / "heads" / "topic" / "one").write_text("x")
    assert ready.stamp(ready.GIT, str(git)) != before


def test_a_very_deep_tree_is_looked_at(tmp_path: Path) -> None:
    """Deeper than Python may call, with a path longer than the system takes."""
    top = here = tmp_path / "deep"
    here.mkdir()
    handle = os.open(here, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d" * 10, dir_fd=handle)
        below = os.open("d" * 10, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    assert ready.stamp(ready.TREE, str(top)) == ready.stamp(ready.TREE, str(top))
    assert len(ready.folders_below(str(top))) > 100


def test_the_state_folder_without_a_word_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.store.places import state_folder

    assert state.default_state() == str(state_folder())
    monkeypatch.delenv("MVAULT_STATE_DIR")
    assert state.default_state() == str(state_folder())
    monkeypatch.delenv("XDG_STATE_HOME")
    assert state.default_state() == str(state_folder())
    monkeypatch.setenv("MVAULT_STATE_DIR", "~/x")
    assert state.default_state() == str(state_folder())
    monkeypatch.chdir(tmp_path)
    assert system.absolute("a") == str(tmp_path / "a")


def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    system.make_folders(f"{tmp_path}/a/b/c")
    assert (tmp_path / "a" / "b" / "c").stat().st_mode & 0o777 == 0o700
    system.make_folders(f"{tmp_path}/a/b/c")
    for place in ("/proc/nothing/a/b", "nowhere-relative\x00"):
        with pytest.raises((OSError, ValueError)):
            system.make_folders(place)


def test_a_folder_that_another_hook_makes_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two first events of a machine: neither may go to the spare folder."""
    base = f"{tmp_path}/state/hook"

    class Calls:
        def __getattr__(self, name: str) -> object:
            return getattr(posix, name)

        def mkdir(self, path: str, mode: int) -> None:
            if Path(path).parent.is_dir():
                Path(path).mkdir(mode)  # the other one was faster
            posix.mkdir(path, mode)

    posix = system.calls
    monkeypatch.setattr(system, "calls", Calls())
    system.make_folders(base)
    assert Path(base).is_dir()
