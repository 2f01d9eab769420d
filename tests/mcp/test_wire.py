"""Whatever an agent program writes to the server, it gets an answer that it can read."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import anyio
import pytest
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, TextContent

from tests.helpers import PROJECT, make_vault
from vault_cli.mcp.wire import Unreadable, _feed, _one_end, read_message, write_message

HALF = "\ud800"
LONG = b"a" * 300
DEEP = "[" * 100_000 + "]" * 100_000
CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":%s}}'


def call(ident: str, tool: str = "search", given: str = '{"query":"x"}') -> bytes:
    return (CALL % (ident, json.dumps(tool), given)).encode("utf-8", "surrogatepass")


REFUSED: dict[str, tuple[bytes, int | str | None]] = {
    "nested too deeply": (call("4", given=f'{{"query":{DEEP}}}'), 4),
    "nested, and the id behind": (b'{"params":{"a":%s},"id":5}' % DEEP.encode(), 5),
    "an id within": (b'{"params":{"id":5,"a":%s}}' % DEEP.encode(), None),
    "cut": (b'{"jsonrpc":"2.0","id":"\xe7\x99\xbe","method":"tools/call","para', "百"),
    "no JSON": (b"hello", None),
    "no UTF-8": (b"\xff\xfe\x00", None),
    "a list": (b"[" + call("6") + b"]", None),
    "null": (b"null", None),
    "no method": (b'{"jsonrpc":"2.0","id":7}', 7),
    "a method that is none": (b'{"jsonrpc":"2.0","id":7,"method":5}', 7),
    "another protocol": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7),
    "a list of params": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}', 7),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
    "id true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
    "an id of many characters": (b'{"jsonrpc":"2.0","id":"%s","method":5}' % LONG, LONG.decode()),
    "an id with an escape in its key": (b'{"jsonrpc":"2.0","\\u0069d":7,"method":5}', 7),
    "two ids, of which the last counts": (b'{"jsonrpc":"2.0","id":1,"id":7,"method":5}', 7),
    "id 1.5": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None),
    "an id that no reader takes": (b'{"jsonrpc":"2.0","id":"\\q","method":"ping"}', None),
    "an id with a zero before": (b'{"jsonrpc":"2.0","id":012,"method":"ping"}', None),
    "an id with a tab": (b'{"jsonrpc":"2.0","id":"a\tb","method":5}', "a\tb"),
    "id of 5000 digits": (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % (b"9" * 5000), None),
}
READ: dict[str, bytes] = {
    "half of a pair, escaped": call("1", given=json.dumps({"query": HALF})),
    "half of a pair in a name": call("1", given=json.dumps({"query": "x", HALF: 1})),
    "half of a pair as a tool": call("1", HALF),
    "half of a pair, raw": call("1", given='{"query":"\ud800"}'),
    "bytes that are not UTF-8": call("1").replace(b'"x"', b'"\xff\xfe"'),
    "a zero byte": call("1").replace(b'"x"', b'"a\x00b"'),
    "a number too long": call("1", given='{"query":"x","limit":%s}' % ("9" * 6000)),
    "no number": call("1", given='{"query":"x","limit":NaN}'),
    "a BOM": b"\xef\xbb\xbf" + call("1"),
    "a return within": call("1").replace(b",", b",\r", 1),
    "arguments that are a list": call("1", given="[]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_that_is_no_request_is_refused_under_its_id(name: str) -> None:
    line, ident = REFUSED[name]
    found = read_message(line)

    assert isinstance(found, Unreadable)
    assert found.answer.id == ident
    assert 10 < len(found.answer.error.message) <= 200


@pytest.mark.parametrize("name", READ)
def test_what_only_a_strict_reader_refuses_is_a_request(name: str) -> None:
    found = read_message(READ[name])

    assert isinstance(found, JSONRPCRequest)
    assert found.id == 1
    write_message(JSONRPCResponse(jsonrpc="2.0", id=1, result={"params": found.params})).decode()


def test_what_asks_for_nothing_is_not_answered() -> None:
    assert read_message(b"\r\n") is None
    assert read_message(b'{"jsonrpc":"2.0","id":7,"result":5}') is None
    named = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":"\\ud800"}}'
    assert isinstance(read_message(named), JSONRPCNotification)


def test_an_answer_with_half_of_a_pair_can_be_written() -> None:
    content = TextContent(type="text", text=f"a{HALF}百").model_dump()
    line = write_message(JSONRPCResponse(jsonrpc="2.0", id=HALF, result={"content": [content]}))

    assert json.loads(line)["result"]["content"][0]["text"] == "a?百"


class Server:
    """The program over stdio, as an agent program starts it."""

    def __init__(self, vault: Path) -> None:
        environ = {**os.environ, "PYTHONPATH": str(PROJECT), "MVAULT": str(vault)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "vault_cli", "mcp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environ, cwd=vault,
        )  # fmt: skip
        ender = Timer(30, self._process.kill)  # of one that hangs
        ender.daemon = True
        ender.start()
        self._lines = self.greeting()

    @staticmethod
    def greeting() -> list[bytes]:
        """Return the lines with which an agent program begins."""
        who = {"name": "t", "version": "1"}
        given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
        begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": given}
        begun = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        return [json.dumps(begin).encode(), begun]

    def interrupt(self) -> tuple[int, bytes]:
        """Return how the server ends when a person at a terminal has enough of it, and what it says."""
        self.talk_on(self._lines)
        assert self._process.stdout is not None
        self._process.stdout.readline()
        self._process.send_signal(signal.SIGINT)
        return self._ending()

    def leave(self) -> tuple[int, bytes]:
        """Return how the server ends when nobody reads its answers, and what it says."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self.talk_on(self._lines)
        return self._ending()

    def _ending(self) -> tuple[int, bytes]:
        with self._process as process:  # its streams are closed then, and not in another test
            assert process.stderr is not None
            return process.wait(20), process.stderr.read()

    def talk_on(self, lines: list[bytes]) -> None:
        """Write some lines, and leave stdin open."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"".join(line + b"\n" for line in lines))
        self._process.stdin.flush()

    def talk(self, *lines: bytes, wanted: int) -> tuple[list[dict[str, Any]], str]:
        """Return so many answers behind the first one, and what stands on stderr at the end."""
        heard = self._process.stdout
        assert heard is not None
        writer = Thread(target=self.talk_on, args=([*self._lines, *lines],))
        writer.start()
        answers = [json.loads(heard.readline()) for _ in range(wanted + 1)]
        writer.join()
        _, noise = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, noise
        return answers[1:], noise.decode()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def test_every_line_over_stdio_is_answered_and_ends_nothing(vault: Path) -> None:
    asked = [
        line.replace(b'"id":1,', b'"id":%d,' % (100 + number))
        for number, line in enumerate(READ.values())
    ]
    refused = [line for line, _ in REFUSED.values()]

    wanted = len(refused) + len(asked) + 1
    answers, noise = Server(vault).talk(*refused, *asked, call("999"), wanted=wanted)

    found = [answer["id"] for answer in answers]
    assert sorted(n for n in found if isinstance(n, int) and n > 99) == [
        *range(100, 100 + len(READ)),
        999,
    ]
    assert noise == ""


def test_it_ends_with_whoever_started_it_though_stdin_stays_open(vault: Path) -> None:
    assert Server(vault).leave() == (0, b"")
    for _ in range(3):
        assert Server(vault).interrupt() == (130, b"")


def piped(vault: Path, how: str, *lines: bytes) -> tuple[int, list[Any], str]:
    """Run the server from a shell, as `mvault mcp HOW`; return what it says."""
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "MVAULT": str(vault)}
    begin = Server.greeting()
    done = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m vault_cli mcp {how}"],
        input=b"".join(line + b"\n" for line in [*begin, *lines]),
        capture_output=True, env=environ, cwd=vault, timeout=30, check=False,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, [answer["id"] for answer in answers], done.stderr.decode()


def test_what_was_asked_before_the_end_of_stdin_is_answered(vault: Path) -> None:
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}'
    code, found, noise = piped(vault, "", call("7"), call("8"), cancelled, call("9"))

    assert (code, noise) == (0, "")
    assert {0, 7, 9} <= set(found)


@pytest.mark.parametrize("how", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "0>written", "</dev/null"])
def test_streams_that_lead_nowhere_end_it_without_a_word(vault: Path, how: str) -> None:
    code, found, noise = piped(vault, how, call("7"))

    assert (code, noise) == (0, "")
    assert set(found) == ({0, 7} if how == "2>&-" else set())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes there know no such mode")
def test_pipes_that_do_not_wait_are_waited_for(vault: Path) -> None:
    (stdin, asks), (answers, stdout) = os.pipe(), os.pipe()
    for end in (stdin, stdout):
        os.set_blocking(end, False)
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "MVAULT": str(vault)}
    command = [sys.executable, "-m", "vault_cli", "mcp"]
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, env=environ, cwd=vault) as process:
        os.close(stdin)
        os.close(stdout)
        ender = Timer(30, process.kill)
        ender.start()
        with os.fdopen(asks, "wb") as out, os.fdopen(answers, "rb") as heard:
            for line in [*Server.greeting(), b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}']:
                time.sleep(0.5)  # it looks for more meanwhile
                out.write(line + b"\n")
                out.flush()
            found = [json.loads(heard.readline())["id"] for _ in range(2)]
        ender.cancel()
    assert (process.returncode, found) == (0, [0, 7])


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_a_stream_that_breaks_in_an_interrupt_hides_it_not(*, is_interrupted: bool) -> None:
    """The SDK's own tasks may fail over a stream that it closed, in the place of the interrupt."""

    async def end() -> None:
        with _one_end():
            if is_interrupted:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            raise BaseExceptionGroup("", [anyio.BrokenResourceError()])

    wanted = asyncio.CancelledError if is_interrupted else BaseExceptionGroup
    with pytest.raises(wanted):
        asyncio.run(end())


def test_a_line_that_comes_behind_the_end_is_dropped(recwarn: pytest.WarningsRecorder) -> None:
    to_reader, read = anyio.create_memory_object_stream[bytes](0)
    loop = asyncio.new_event_loop()
    loop.close()
    with to_reader, read:
        _feed(BytesIO(b"one\ntwo\n"), to_reader, loop)
    gc.collect()
    assert not [str(found.message) for found in recwarn if "never awaited" in str(found.message)]
