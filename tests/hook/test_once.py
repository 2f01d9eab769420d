"""An event that two command lines of ours are started for is answered by one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers import PROJECT, make_vault

MAIN = PROJECT / "vault_cli" / "hook" / "main.py"
RULE = """\
---
id: r-aaaaaaa
kind: rule
status: active
required: true
---

# 先跑测试 Run the tests
"""
START = {
    "session_id": "s-1",
    "hook_event_name": "SessionStart",
    "source": "startup",
    "cwd": "",
}


def _say(vault: Path, payload: dict[str, str], plugin: str = "") -> str:
    """Return the context that one command line gives."""
    environ = {**os.environ, "MVAULT": str(vault), "CLAUDE_PLUGIN_ROOT": plugin}
    event = payload["hook_event_name"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(MAIN), "claude-code", event, os.environ["MVAULT_STATE_DIR"]],
        input=json.dumps({**payload, "cwd": str(vault)}), env=environ, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with one rule."""
    return make_vault(tmp_path, {"playbook/run-the-tests-aaaaaaa.md": RULE})


def test_two_command_lines_give_one_block(vault: Path) -> None:
    ways = ["", "/plugin"]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda way: _say(vault, START, way), ways))
    assert sorted("先跑测试" in text for text in said) == [False, True], said
    assert sorted(text.count("<mvault-memory>") for text in said) == [0, 1]


def test_the_same_command_line_answers_an_equal_event_again(vault: Path) -> None:
    again = {**START, "source": "compact"}
    said = [_say(vault, again) for _ in range(2)]
    assert all("先跑测试" in text for text in said)
    assert _say(vault, again, "/plugin") == ""


def test_another_event_is_answered_by_who_comes_first(vault: Path) -> None:
    assert "先跑测试" in _say(vault, START)
    assert "先跑测试" in _say(vault, {**START, "source": "compact"}, "/plugin")


def test_without_a_session_each_answers(vault: Path) -> None:
    nameless = {**START, "session_id": ""}
    said = [_say(vault, nameless, way) for way in ("", "/plugin")]
    assert all("先跑测试" in text for text in said)


def test_one_that_is_killed_before_it_answers_leaves_the_event_to_the_other(
    vault: Path, tmp_path: Path
) -> None:
    """The first is killed in the midst of its answer; the second waits for it, and answers."""
    raw = json.dumps({**START, "cwd": str(vault)}).encode()
    held = tmp_path / "held"
    os.mkfifo(held)
    code = (
        "import sys; sys.path.append(sys.argv.pop(1)); held = sys.argv.pop(1)\n"
        "from vault_cli.hook import answer\n"
        "answer.encode = lambda *_: open(held).read()\n"  # for ever
        "answer.run(sys.argv[1:])\n"
    )
    state = os.environ["MVAULT_STATE_DIR"]
    argv = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        code,
        str(PROJECT),
        str(held),
        "claude-code",
        "SessionStart",
        state,
    ]
    first = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "MVAULT": str(vault)},
    )
    assert first.stdin is not None
    first.stdin.write(raw)
    first.stdin.close()
    with held.open("w"), ThreadPoolExecutor(1) as pool:  # it is there, and has the event
        second = pool.submit(_say, vault, START, "/plugin")
        with pytest.raises(TimeoutError):
            second.result(timeout=1)
        first.kill()
        assert "先跑测试" in second.result(timeout=20)
    first.wait()


@pytest.mark.parametrize(
    "damage",
    [b"x" * 40, b"\x00\xff\n", b"{event} {way} " + b"9" * 6000, b"{event} {way}\n", b" \n \n"],
)
def test_rows_that_are_damaged_silence_nothing(vault: Path, damage: bytes) -> None:
    assert "先跑测试" in _say(vault, START)
    (file,) = (Path(os.environ["MVAULT_STATE_DIR"]) / "hook" / "once").iterdir()
    event, way, _ = file.read_bytes().split(b" ")
    file.write_bytes(damage.replace(b"{event}", event).replace(b"{way}", way))

    assert "先跑测试" in _say(vault, START, "/plugin")
    assert _say(vault, START) == ""


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_file_is_not_waited_for_nor_followed(
    vault: Path, tmp_path: Path, kind: str
) -> None:
    outside = tmp_path / "outside"
    place = Path(os.environ["MVAULT_STATE_DIR"]) / "hook" / "once" / START["session_id"]
    place.parent.mkdir(parents=True, mode=0o700)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(outside)

    assert "先跑测试" in _say(vault, START)
    assert _say(vault, START, "/plugin") == ""
    assert not outside.exists()


def test_a_fork_is_given_the_block_whole(vault: Path) -> None:
    """It has an id of its own and names no parent, so nobody knows what its conversation holds."""
    assert "先跑测试" in _say(vault, START)
    fork = {**START, "session_id": "s-2", "source": "fork"}
    assert _say(vault, fork).count("先跑测试") == 1
    assert "先跑测试" not in _say(vault, {**START, "source": "resume"})
