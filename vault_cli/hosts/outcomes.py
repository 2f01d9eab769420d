"""How a tool call ended, out of a hook's payload, whatever the host. + `model`, `hook`.

Claude Code says a failure with an event of its own (`Exit code N` first); Codex gives only the
output after a call, and the exit code stands in its session log by then (measured with 0.171.0);
Gemini CLI and DSH write the code into the text; MCP results say `isError`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

from vault_cli.hook import events
from vault_cli.hook.tools import canonical, field_text
from vault_cli.model.sighting import MAX_GIVEN, MAX_SAID, Sighting
from vault_cli.text.exit_words import exit_code_in, output_of, with_code

_LAST_BYTES: Final = 1 << 20
_SPOKEN: Final = ("stderr", "stdout", "output", "aggregated_output", "llmContent", "text",
                  "textResultForLlm", "message", "error")  # fmt: skip
_FAILURES: Final = frozenset({"failure", "failed", "error", "denied", "timeout"})


def read_sighting(
    host: str, event: str, payload: Mapping[str, Any], at: int, mark: str
) -> Sighting | None:
    """Return the call that an event after it tells of; None when it tells of none.

    Args:
        host: canonical, of the frame.
        event: likewise.
        payload: as the host sent it.
        at: Unix time the event came in.
        mark: names the event where the payload does not (see `key_of`).
    """
    name, given = events.call_of(payload)
    tool = canonical(name)
    if not tool:
        return None
    failed, code, text, interrupted = _outcome(event, payload)
    if failed is None and host == events.CODEX:
        failed, code, text = _from_log(payload, text)
    text = with_code(text, code) if failed else text
    session = events.session_of(payload)
    return Sighting(
        key=key_of(host, session, events.text_of(payload, "tool_use_id", "toolUseId"), mark),
        at=at,
        host=host,
        session=session,
        cwd=events.folder_of(payload),
        tool=tool,
        given=field_text(tool, given)[:MAX_GIVEN],
        failed=failed,
        exit_code=code,
        text=text[:MAX_SAID] if failed else "",
        interrupted=interrupted,
    )


def key_of(host: str, session: str, call: str, mark: str = "") -> str:
    """Return what names a call: its session and its id there, so that a log names it the same.

    Args:
        host: canonical name.
        session: id of the session.
        call: id of the call in it, "" when the host gives none; then `mark` counts.
        mark: names the event.
    """
    parts = (host, session, call) if session and call else ("", "", mark)
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _outcome(event: str, payload: Mapping[str, Any]) -> tuple[bool | None, int | None, str, bool]:
    """Return whether it failed, its exit code, what it said, whether a person stopped it."""
    if event == events.TOOL_FAILURE:
        text = events.text_of(payload, "error", "error_message", "errorMessage")
        code = exit_code_in(text)
        stopped = payload.get("is_interrupt") is True or payload.get("failure_type") == "interrupt"
        return True, code, text, stopped
    answer = _answer(payload)
    if isinstance(answer, str):
        answer, text = _unpack(answer), answer
        if isinstance(answer, str):
            code = exit_code_in(text)
            return (None if code is None else code != 0), code, output_of(text), False
    if not isinstance(answer, Mapping):
        return None, None, "", False
    return _structured(answer)


def _answer(payload: Mapping[str, Any]) -> Any:
    for name in ("tool_response", "toolResult", "tool_output", "result_json", "output"):
        if payload.get(name) is not None:
            return payload[name]
    return None


def _unpack(text: str) -> Any:
    """Return an answer that is JSON in a text (old Codex), else the text."""
    if text[:1] == "{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _structured(answer: Mapping[str, Any]) -> tuple[bool | None, int | None, str, bool]:
    text = "\n".join(_texts(answer))
    data = answer.get("metadata")
    inner = data if isinstance(data, Mapping) else {}
    found = inner.get("exit_code", inner.get("exit"))  # the second is OpenCode's (1.18.33)
    found = answer.get("exit_code", answer.get("exitCode", found))
    # what a program printed is no word of the host about its end (`cat build.log`)
    said_by_host = "" if "stdout" in answer else text
    code = found if type(found) is int else exit_code_in(said_by_host)
    stopped = answer.get("interrupted") is True
    said = answer.get("isError", answer.get("is_error"))
    if said is True or answer.get("error") or str(answer.get("resultType")) in _FAILURES:
        return True, code, output_of(text), stopped
    if code is not None:
        return code != 0, code, output_of(text), stopped
    known = said is False or "stdout" in answer or "resultType" in answer or "filePath" in answer
    return (False if known and not stopped else None if not stopped else True), None, text, stopped


def _texts(answer: Mapping[str, Any]) -> Iterator[str]:
    for name in _SPOKEN:
        value = answer.get(name)
        if isinstance(value, Mapping):
            value = value.get("message")
        if isinstance(value, str) and value.strip():
            yield value
    content = answer.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping) and isinstance(block.get("text"), str):
            yield block["text"]


def _from_log(payload: Mapping[str, Any], text: str) -> tuple[bool | None, int | None, str]:
    """Look the outcome of a Codex call up at the end of its session log."""
    call = events.text_of(payload, "tool_use_id")
    path = events.text_of(payload, "transcript_path")
    if not call or not path:
        return None, None, text
    for line in reversed(_last_lines(path)):
        if call.encode() not in line:
            continue
        try:
            item = json.loads(line)["payload"]["item"]
            code = item["exit_code"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if item.get("id") == call and type(code) is int:
            return code != 0, code, text
    return None, None, text


def _last_lines(path: str) -> list[bytes]:
    """Return the last lines of a plain file, none when it is none."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        file = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return []
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            return []
        os.lseek(file, max(0, facts.st_size - _LAST_BYTES), os.SEEK_SET)
        return os.read(file, _LAST_BYTES).split(b"\n")
    except OSError:
        return []
    finally:
        os.close(file)
