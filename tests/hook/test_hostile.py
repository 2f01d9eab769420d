"""Hostile input, many at once, kills, and places that cannot be written."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import PROJECT, make_vault
from hook_answers import context_of
from hook_runs import ENTRY, FILES, hook, real_hook, state_of

from vault_cli.hook import events, ready, spool, state
from vault_cli.hook.call import Call

RAWS = {
    "nothing": b"",
    "blank": b" \n\t\n",
    "not json": b"hello",
    "a list": b"[1, 2]",
    "a number": b"1e999",
    "cut": b'{"hook_event_name":"PreToolUse","tool_na',
    "two documents": b"{}{}",
    "nul": b'{"hook_event_name":"PreToolUse\x00","cwd":"/\x00"}',
    "escaped nul": rb'{"hook_event_name":"SessionStart","cwd":"/tmp/\u0000x","session_id":"\u0000"}',
    "not utf-8": b'{"hook_event_name":"PostToolUse","cwd":"/\xff\xfe","tool_name":"\xff"}',
    "utf-16": '{"hook_event_name":"SessionStart"}'.encode("utf-16"),
    "bom": b'\xef\xbb\xbf{"hook_event_name":"SessionStart"}',
    "surrogate": rb'{"hook_event_name":"UserPromptSubmit","prompt":"\ud800 tests \udfff","cwd":"/\udcff"}',
    "deep list": b"[" * 200_000,
    "deep object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep inside": b'{"hook_event_name":"PreToolUse","tool_input":'
    + b"[" * 50_000
    + b"]" * 50_000
    + b"}",
    "wrong types": b'{"hook_event_name":7,"cwd":[],"session_id":{},"prompt":1,"tool_input":3}',
    "types of a call": b'{"hook_event_name":"PreToolUse","tool_name":[],"tool_input":"{\\"a\\":"}',
    "a long name": b'{"hook_event_name":"' + b"S" * 100_000 + b'"}',
    "a long number": b'{"hook_event_name":"SessionStart","session_id":' + b"9" * 10_000 + b"}",
    "5 MB": b'{"hook_event_name":"PostToolUse","tool_response":"' + b"x" * 5_000_000 + b'"}',
    "cwd is relative": b'{"hook_event_name":"SessionStart","cwd":"../../.."}',
    "cwd is a device": b'{"hook_event_name":"SessionStart","cwd":"/dev/null/x"}',
    "cwd is long": b'{"hook_event_name":"SessionStart","cwd":"/' + b"a/" * 3_000 + b'"}',
}


@pytest.mark.parametrize("name", RAWS)
@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_whatever_comes_in_one_object_goes_out(name: str, host: str, home: Path) -> None:
    for event in ("pre-tool", "post-tool", "session-start", "prompt", "stop", "session-end"):
        start = time.monotonic()
        data = json.loads(hook(host, event, RAWS[name], state_of(home)))

        assert isinstance(data, dict)
        assert "deny" not in json.dumps(data)
        assert time.monotonic() - start < 20


@pytest.mark.parametrize("name", ["5 MB", "deep object", "not utf-8", "nothing", "surrogate"])
def test_the_real_command_too(name: str, home: Path) -> None:
    for event in ("pre-tool", "post-tool", "session-start", "prompt"):
        done = real_hook("claude-code", event, RAWS[name], state_of(home))

        assert done.returncode == 0
        assert isinstance(json.loads(done.stdout), dict)
        assert b"Traceback" not in done.stderr
        assert done.stderr.count(b"\n") <= 1


def test_a_payload_without_an_end_is_read_and_dropped(home: Path) -> None:
    raw = b'{"hook_event_name":"PreToolUse","tool_input":"' + b"x" * (40 << 20)
    done = real_hook("claude-code", "pre-tool", raw, state_of(home))

    assert (done.returncode, done.stdout) == (0, b"{}")


def test_nobody_reads_and_nobody_writes(home: Path) -> None:
    """No stdin, a closed stdout, a closed stderr: exit 0."""
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        command = (
            f"'{sys.executable}' -I -S '{ENTRY}' codex session-start '{state_of(home)}' {closed}"
        )
        done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, closed


def test_words_of_a_payload_reach_neither_log_nor_terminal(home: Path) -> None:
    raw = b'{"hook_event_name":"Stop", \x1b[2J secret-word'
    done = real_hook("claude-code", "stop", raw, state_of(home))
    log = (state_of(home) / "hook" / "log").read_bytes()

    for data in (done.stderr, log):
        assert b"\x1b" not in data
        assert b"secret-word" not in data


def test_a_linked_state_folder_works_and_links_in_it_are_not_followed(tmp_path: Path) -> None:
    real = tmp_path / "disk"
    real.mkdir()
    linked = tmp_path / "state"
    linked.symlink_to(real)
    hook("codex", "post-tool", {"hook_event_name": "PostToolUse"}, linked)
    assert (real / "hook" / "spool" / "events.bin").exists()

    other = tmp_path / "other"
    (other / "hook").mkdir(parents=True)
    target = tmp_path / "target"
    target.mkdir()
    for name in ("spool", "sessions", "ready"):
        (other / "hook" / name).symlink_to(target)
    (other / "hook" / "log").symlink_to(target / "log")
    root = make_vault(tmp_path, FILES)
    for event in ("SessionStart", "PostToolUse", "SessionEnd", "UserPromptSubmit"):
        payload = {"hook_event_name": event, "cwd": str(root), "session_id": "s", "prompt": "tests"}
        assert isinstance(json.loads(hook("codex", event, payload, other)), dict)
    hook("codex", "stop", b"no json", other)
    assert list(target.iterdir()) == []


def test_a_folder_for_the_spool_that_others_made_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "user_id", lambda: 4242)
    spare = Path(state.spare_folder("/proc/nothing"))
    spare.mkdir()
    answer = hook("codex", "post-tool", {"hook_event_name": "PostToolUse"}, "/proc/nothing")

    assert answer == b"{}"
    assert list(spare.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"x" * 100, b"\x00" * 5_000_000, b"mvguard1" + b"\xff" * 64])
def test_an_index_of_guards_that_cannot_be_used_stops_nothing(data: bytes, home: Path) -> None:
    (state_of(home) / "hook").mkdir(parents=True, mode=0o700)
    (state_of(home) / "hook" / "guards.bin").write_bytes(data)
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }

    assert hook("claude-code", "pre-tool", payload, state_of(home)) == b"{}"
    done = real_hook("codex", "pre-tool", json.dumps(payload).encode(), state_of(home))
    assert (done.returncode, done.stdout) == (0, b"{}")


def test_fifty_at_once_lose_nothing(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, FILES)
    place = state_of(home)

    def one(number: int) -> subprocess.CompletedProcess[bytes]:
        event = ("PostToolUse", "PreToolUse", "SessionStart", "UserPromptSubmit")[number % 4]
        payload = {
            "hook_event_name": event,
            "session_id": f"s-{number}",
            "cwd": str(root),
            "prompt": "run the tests",
            "tool_response": "x" * 3_000 * number,
        }
        return real_hook("claude-code", event, json.dumps(payload).encode(), place)

    with ThreadPoolExecutor(50) as pool:
        done = list(pool.map(one, range(50)))
    reader = spool.read(str(place / "hook" / "spool" / "events.bin"))
    kept = [json.loads(frame.raw)["session_id"] for frame in reader if frame.event != spool.GIVEN]

    assert [(d.returncode, d.stderr) for d in done] == [(0, b"")] * 50
    assert all("make test" in (context_of(json.loads(d.stdout)) or "") for d in done[2::4])
    assert sorted(kept) == sorted(f"s-{n}" for n in range(50) if n % 4 != 1)
    assert reader.damaged == 0


def test_fifty_that_fail_are_counted_and_said_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(25) as pool:
        done = list(
            pool.map(lambda _: real_hook("codex", "stop", b"no json", tmp_path / "s"), range(50))
        )
    (found,) = state.read_log(str(tmp_path / "s"))

    assert found[1] == 50
    assert sum(bool(d.stderr) for d in done) == 1


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from vault_cli.hook import spool
number = 0
while True:
    number += 1
    spool.append(sys.argv[2], (number, "codex", "post-tool"), b'{"n":%d,"t":"%s"}' % (number, b"y" * 100_000))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
def test_a_kill_in_the_middle_of_a_write_costs_at_most_that_event(tmp_path: Path) -> None:
    dice = random.Random(3)
    for round_ in range(12):
        place = tmp_path / str(round_)
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(PROJECT), str(place)],
                stdout=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(place / "spare")},
            )
            for _ in range(2)
        ]
        firsts = [writer.stdout.readline() for writer in writers if writer.stdout]
        time.sleep(dice.random() / 20)
        said = []
        for writer, first in zip(writers, firsts, strict=True):
            writer.send_signal(signal.SIGKILL)
            rest, _ = writer.communicate()
            out = first + rest
            said.append([int(line) for line in out.split(b"\n")[:-1]])
        reader = spool.read(str(place / "hook" / "spool" / "events.bin"))
        found = [frame.time for frame in reader]
        for numbers in said:
            for number in numbers:  # what was acknowledged is there, of each writer
                assert found.count(number) >= 1
        assert len(found) >= sum(map(len, said))
        assert not (place / "spare").exists()


def test_a_read_only_home_is_said_and_bears_no_loss(tmp_path: Path) -> None:
    """As in a sandbox: nothing can be written but the folder for temporary files."""
    root = make_vault(tmp_path, FILES)
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(root)}
    raw = json.dumps(payload).encode()
    env = {"HOME": "/proc/1", "MVAULT_STATE_DIR": "/proc/1/state"}
    one, two = (real_hook("codex", "SessionStart", raw, "/proc/1/state", env=env) for _ in "ab")
    spare = Path(state.spare_folder("/proc/1/state"))

    for done in (one, two):
        assert done.returncode == 0
        assert "make test" in (context_of(json.loads(done.stdout)) or "")
    assert one.stderr.count(b"cannot be written") == 1
    assert b"cannot be written" not in two.stderr
    frames = list(spool.read(str(spare / "spool" / "events.bin")))
    assert [frame.event for frame in frames if frame.event != spool.GIVEN] == ["session-start"] * 2
    assert stat.S_IMODE(spare.stat().st_mode) == 0o700


def test_a_full_disk_is_no_reason_to_stop(tmp_path: Path, home: Path) -> None:
    root = make_vault(tmp_path, FILES)
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(root)}
    script = (
        f"ulimit -f 0; '{sys.executable}' -I -S '{ENTRY}' codex SessionStart '{state_of(home)}'"
    )
    done = subprocess.run(
        ["sh", "-c", script], input=json.dumps(payload).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0
    assert isinstance(json.loads(done.stdout), dict)


def test_a_program_that_hangs_is_left_behind(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.hook import answer

    def hang(_call: Call) -> dict[str, str]:
        while True:
            pass

    monkeypatch.setattr(answer, "_full", hang)
    monkeypatch.setitem(answer._LIMITS, events.SESSION_START, (0.2, 0.5))
    start = time.monotonic()
    payload = {"hook_event_name": "SessionStart", "cwd": str(tmp_path)}
    data = json.loads(hook("codex", "SessionStart", payload, state_of(home)))

    assert context_of(data) == ""
    assert time.monotonic() - start < 5
    assert "OverBudget" in state.read_log(str(state_of(home)))[0][2]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such signals here")
@pytest.mark.parametrize("is_slow", [True, False])
def test_a_signal_that_comes_while_the_time_is_taken_away_ends_nothing(
    *, is_slow: bool, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.hook import answer

    unlimit = answer._unlimit_time

    def late() -> None:
        signal.raise_signal(signal.SIGALRM)
        unlimit()

    def hang(_call: Call) -> dict[str, str]:
        while is_slow:
            pass
        return {}

    monkeypatch.setattr(answer, "_full", hang)
    monkeypatch.setattr(answer, "_unlimit_time", late)
    monkeypatch.setitem(answer._LIMITS, events.SESSION_START, (0.2, 60))
    payload = {"hook_event_name": "SessionStart", "cwd": str(tmp_path)}
    data = json.loads(hook("codex", "SessionStart", payload, state_of(home)))
    assert context_of(data) == ""
    assert "OverBudget" in state.read_log(str(state_of(home)))[0][2]


@pytest.mark.parametrize(
    "damage", ["empty", "cut", "bit", "foreign", "link", "other machine", "another key"]
)
def test_a_ready_answer_that_is_not_ours_is_not_believed(
    damage: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))
    root = make_vault(tmp_path, FILES)
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(root)}
    good = hook("codex", "SessionStart", payload, state_of(home))
    (file,) = (state_of(home) / "hook" / "ready").iterdir()
    data = bytearray(file.read_bytes().replace(b"make test", b"rm -rf ~/"))
    if damage == "empty":
        data.clear()
    if damage == "cut":
        del data[len(data) // 2 :]
    if damage == "bit":
        data[len(data) // 2] ^= 4
    if damage == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
        (tmp_path / "elsewhere").write_bytes(data)
    elif damage == "other machine":
        (state_of(home) / "cache-token").write_bytes(os.urandom(32))
    elif damage == "another key":
        file.rename(file.with_name("0" * 16))
    else:
        file.write_bytes(data)

    assert hook("codex", "SessionStart", payload, state_of(home)) == good


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


CHANGES = {
    "a record in place": lambda r: add(r / "memories/r-0000001.md", "More.\n"),
    "a new record": lambda r: (r / "memories/l-0000003.md").write_text(
        FILES["memories/l-0000002.md"].replace("l-0000002", "l-0000003")
    ),
    "a record gone": lambda r: (r / "memories/r-0000001.md").unlink(),
    "a record moved": lambda r: (r / "memories/r-0000001.md").rename(r / "drafts/r-0000001.md"),
    "settings": lambda r: add(r / "vault.toml", '[render]\nmode = "off"\n'),
    "the same size and time": lambda r: _same_size_and_time(r / "memories/r-0000001.md"),
}


def _same_size_and_time(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace("make test", "make TEST"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", CHANGES)
def test_a_ready_answer_ends_with_any_change(
    name: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is ready is what a full run would say, before and after."""
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))
    root = make_vault(tmp_path, FILES)
    (root / "drafts").mkdir(exist_ok=True)

    def start(place: Path) -> bytes:
        payload = {"hook_event_name": "SessionStart", "cwd": str(root), "source": "clear"}
        return hook("codex", "SessionStart", payload, place)

    first = start(state_of(home))
    assert start(state_of(home)) == first
    CHANGES[name](root)
    second = start(state_of(home))

    assert second != first
    assert second == start(tmp_path / "fresh")


def test_a_ready_answer_is_of_one_folder_and_environment(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))
    rule = FILES["memories/r-0000001.md"].replace("scope: global", "scope: project:x")
    root = make_vault(tmp_path, {"memories/r-0000001.md": rule})
    payload = {"hook_event_name": "SessionStart", "cwd": str(root)}
    assert b"make test" not in hook("codex", "SessionStart", payload, state_of(home))
    monkeypatch.setenv("MVAULT_PROJECT", "x")
    assert b"make test" in hook("codex", "SessionStart", payload, state_of(home))


def test_a_ready_answer_ends_with_its_day(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A validity is over at midnight in the vault's time zone, without a change of any file."""
    monkeypatch.setattr(ready, "SETTLED", -(1 << 62))
    monkeypatch.delenv("MVAULT_NOW")
    root = make_vault(tmp_path, FILES)
    payload = {"hook_event_name": "SessionStart", "cwd": str(root)}
    hook("codex", "SessionStart", payload, state_of(home))
    full: list[int] = []
    from vault_cli.hook import answer

    real = answer._full
    monkeypatch.setattr(answer, "_full", lambda call: full.append(1) or real(call))
    hook("codex", "SessionStart", payload, state_of(home))
    assert not full
    day = time.time() + 86_400
    monkeypatch.setattr("vault_cli.hook.ready.time.time", lambda: day)
    hook("codex", "SessionStart", payload, state_of(home))
    assert full
