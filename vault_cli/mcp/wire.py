"""Messages over stdin and stdout, one a line: what cannot be read gets an answer, too.

The SDK's own transport drops a line that its parser refuses without a word, so that whoever asked
waits for ever, and it ends when an answer holds half of a character pair.
May import `text.halves`, and the SDK (extra `mvault[mcp]`).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from threading import Thread
from typing import BinaryIO, Final

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from vault_cli.text.halves import without_halves

_TOKEN: Final = re.compile(
    r'"id"\s*:\s*(?P<id>-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")(?=\s*[,}])|"(?:[^"\\]|\\.)*"?|[][{}]'
)
_MOST_DIGITS: Final = 4000
"""Python reads no longer number, and no tool takes one."""

_CANCELLED: Final = "notifications/cancelled"
_PATIENCE: Final = 30.0
"""Seconds in which what was asked before the end of stdin is answered."""

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@asynccontextmanager
async def stdio() -> AsyncIterator[Streams]:
    """Give the messages of the program that started this one, and a way to answer it.

    Whatever else reads or prints in this process meanwhile, or in one that it starts, meets an
    empty stdin, and stderr.
    """
    lines, out = _take(0, os.open(os.devnull, os.O_RDONLY), "rb"), _take(1, os.dup(2), "wb")
    asked = _Asked()
    to_reader, read = anyio.create_memory_object_stream[bytes](0)
    to_server, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, said = anyio.create_memory_object_stream[SessionMessage](0)
    feed = partial(_feed, lines, to_reader, asyncio.get_running_loop())
    Thread(target=feed, daemon=True).start()  # nothing waits for it: a read cannot be ended
    async with anyio.create_task_group() as group:
        group.start_soon(_listen, read, to_server, answers.clone(), asked)
        group.start_soon(_speak, out, said, group.cancel_scope, asked)
        with _one_end():
            yield heard, answers


@contextmanager
def _one_end() -> Iterator[None]:
    """Let an interrupt be one, also when the SDK fails meanwhile over a stream that it closed."""
    try:
        yield
    except BaseExceptionGroup as error:
        task = asyncio.current_task()
        is_ending = task is not None and task.cancelling()
        if is_ending and error.split(anyio.BrokenResourceError)[1] is None:
            raise asyncio.CancelledError from error
        raise


def fill_closed() -> None:
    """Let stdin, stdout and stderr lead nowhere where they are closed.

    Before anything is opened: it would get their numbers, and be taken for them.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


class _Asked:
    """The requests that the server was handed and has not answered yet."""

    def __init__(self) -> None:
        self._open: set[RequestId] = set()
        self._fewer = anyio.Event()

    def add(self, message: JSONRPCMessage) -> None:
        """Note what is handed to the server."""
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self.take((message.params or {}).get("requestId"))

    def take(self, ident: object) -> None:
        """Note that nobody waits for an answer any more."""
        self._open = {one for one in self._open if one != ident}
        self._fewer.set()
        self._fewer = anyio.Event()

    async def finish(self) -> None:
        """Wait until all is answered: whoever asked last may have closed our stdin behind it."""
        with anyio.move_on_after(_PATIENCE):
            while self._open:
                await self._fewer.wait()


def _take(number: int, stand_in: int, mode: str) -> BinaryIO:
    """Return the stream of a descriptor for ourselves; under its number stands something else."""
    own = os.dup(number)
    with suppress(OSError, AttributeError):  # the one who starts us may read both ends itself
        os.set_blocking(own, True)
    os.dup2(stand_in, number)
    os.close(stand_in)
    return os.fdopen(own, mode)  # type: ignore[return-value]  # the mode is binary


def _feed(
    lines: BinaryIO, to_reader: MemoryObjectSendStream[bytes], loop: asyncio.AbstractEventLoop
) -> None:
    """Hand on line by line, until the end or until nobody listens any more."""
    with suppress(RuntimeError, CancelledError, anyio.BrokenResourceError):
        with suppress(OSError):  # what cannot be read any more has ended
            for line in iter(lines.readline, b""):
                sending = to_reader.send(line)
                try:
                    asyncio.run_coroutine_threadsafe(sending, loop).result()
                except RuntimeError:  # the server has ended: nobody is told of this line
                    sending.close()
                    return
        loop.call_soon_threadsafe(to_reader.close)


async def _listen(
    lines: MemoryObjectReceiveStream[bytes],
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
    asked: _Asked,
) -> None:
    # A server that ends lets go of its streams while a message may be on its way to it.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await _hand_on(lines, to_server, answers, asked)


async def _hand_on(
    lines: MemoryObjectReceiveStream[bytes],
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
    asked: _Asked,
) -> None:
    async with lines, to_server, answers:
        async for line in lines:
            message = read_message(line)
            if isinstance(message, Unreadable):
                await answers.send(SessionMessage(message.answer))
            elif message is not None:
                asked.add(message)
                await to_server.send(SessionMessage(message))
        await asked.finish()


async def _speak(
    out: BinaryIO,
    said: MemoryObjectReceiveStream[SessionMessage],
    whole: anyio.CancelScope,
    asked: _Asked,
) -> None:
    async with said:
        async for item in said:
            try:
                await anyio.to_thread.run_sync(_write, out, write_message(item.message))
            except OSError:  # whoever asked is gone
                whole.cancel()
                return
            if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                asked.take(item.message.id)


def _write(out: BinaryIO, line: bytes) -> None:
    out.write(line)
    out.flush()


class Unreadable:
    """A line that is no message.

    Args:
        ident: id of the request it was to be, as far as one can be found.
        code: of JSON-RPC.
        words: what is wrong with it.
    """

    def __init__(self, ident: RequestId | None, code: int, words: str) -> None:
        error = ErrorData(code=code, message=words)
        self.answer = JSONRPCError(jsonrpc="2.0", id=ident, error=error)


def read_message(line: bytes) -> JSONRPCMessage | Unreadable | None:
    """Return the message of a line; None for one that asks for nothing.

    Halves of character pairs and bytes that are not UTF-8 are replaced, as writers of JSON let them
    through and their readers do not.
    """
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    if not text:
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return _read_again(text)
    is_sure = not isinstance(message, JSONRPCNotification) or '"id"' not in text
    return message if is_sure else _read_again(text)


def _read_again(text: str) -> JSONRPCMessage | Unreadable | None:
    """Read what the SDK's parser refused; say what is wrong with what no parser can read."""
    try:
        data = without_halves(json.loads(text, parse_int=_number, strict=False))
    except RecursionError:
        return Unreadable(_find_id(text), INVALID_REQUEST, "the request is nested too deeply")
    except ValueError as error:
        return Unreadable(_find_id(text), PARSE_ERROR, f"the line is not JSON: {error}"[:200])
    try:
        message = jsonrpc_message_adapter.validate_python(data, by_name=False)
    except ValidationError:
        pass
    else:
        if not isinstance(message, JSONRPCNotification) or "id" not in data:
            return message  # a request whose id is none would pass for a notification
    if isinstance(data, dict) and "method" not in data and ("result" in data or "error" in data):
        return None  # an answer, of which nobody waits for one
    return Unreadable(_id_of(data), INVALID_REQUEST, _what_is_wrong(data))


def _id_of(data: object) -> RequestId | None:
    ident = data.get("id") if isinstance(data, dict) else None
    return ident if isinstance(ident, str | int) and not isinstance(ident, bool) else None


def _what_is_wrong(data: object) -> str:
    if not isinstance(data, dict):
        return "a message is one JSON object on one line"
    if data.get("jsonrpc") != "2.0":
        return 'jsonrpc has to be "2.0"'
    if not isinstance(data.get("method"), str):
        return "method has to be a text"
    if not isinstance(data.get("params", {}), dict):
        return "params has to be an object"
    return "id has to be a text or a whole number"


def _number(digits: str) -> int | float:
    return (
        int(digits) if len(digits) <= _MOST_DIGITS else float("-inf" if digits[0] == "-" else "inf")
    )


def _find_id(text: str) -> RequestId | None:
    """Return the id of a request that cannot be read: the one of the outermost object."""
    depth = 0
    for found in _TOKEN.finditer(text):
        part = found[0]
        if part in "{[":
            depth += 1
        elif part in "}]":
            depth -= 1
        elif found["id"] and depth == 1 and text[0] == "{":
            return _read_id(found["id"])
    return None


def _read_id(said: str) -> RequestId | None:
    """Return an id; None for one that is itself what cannot be read."""
    try:
        ident = json.loads(said, strict=False)
    except ValueError:
        return None
    return without_halves(ident) if isinstance(ident, str) else int(ident)


def write_message(message: JSONRPCMessage) -> bytes:
    """Return a message as a line; half of a character pair becomes a question mark."""
    data = message.model_dump(mode="python", by_alias=True, exclude_unset=True)
    return (
        json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        + b"\n"
    )
