"""The loop test in the log format of every program: what is said again is no news, whoever says it.

Fifty sessions of each format. In all of them the block was injected, pasted as a host cuts it, quoted
word for word by the agent and printed by tools, and a guard stopped a call. In every second one a
person corrected something.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import make_vault, run
from test_cases_capture import REAL, RECORD

from vault_cli.hook import injected
from vault_cli.hosts.transcripts import stream
from vault_cli.store.places import state_folder

SESSIONS = 50
ENGLISH = (
    ("r-0000001", "rule", "Never call pytest directly, always use make test",
     "Don't run pytest by hand again. From now on use make test.", "force: required\n"),
    ("l-0000003", "lesson", "That's wrong: amounts are integers",
     "## Problem\nThat is not right: a float lost a cent.\n## Correction\nAlways store cents, not floats.", "correction: true\n"),
    ("x-0000005", "failure", "I told you: npx tsc downloads another compiler",
     "## Problem\nIt still fails with npx.\n## Avoid\nDo not run npx tsc.", "guard: {match: npx tsc}\n"),
)  # fmt: skip
CHINESE = (
    ("r-0000001", "rule", "以后不要直接调 pytest", "不要再手动跑 pytest，一律用 make test。", "force: required\n"),
    ("l-0000003", "lesson", "不对，金额用整数", "## 问题\n还是不对，浮点数丢了一分钱。\n## 修正\n一律存分，不要用浮点数。", "correction: true\n"),
    ("x-0000005", "failure", "说过了：npx tsc 会下载别的编译器",
     "## 问题\n用 npx 还是失败。\n## 不要做\n不要跑 npx tsc。", "guard: {match: npx tsc}\n"),
)  # fmt: skip

Call = tuple[str, str, int]
"""What a tool was asked, what it said, how it ended."""
Turn = tuple[str, list[Call], str]
"""What the user said, the calls after it, what the agent said."""
Writer = Callable[[int, str, list[Turn]], Iterator[dict[str, Any]]]


def claude(number: int, context: str, turns: list[Turn]) -> Iterator[dict[str, Any]]:
    base = {"sessionId": f"s-{number}", "cwd": "/home/dev/app", "version": "2.1.332",
            "timestamp": f"2026-11-30T10:{number % 60:02}:00Z", "userType": "external"}  # fmt: skip

    def row(kind: str, content: Any) -> dict[str, Any]:
        return {**base, "type": kind, "message": {"role": kind, "content": content}}

    yield {**base, "type": "attachment",
           "attachment": {"type": "hook_additional_context", "content": [context]}}  # fmt: skip
    for place, (said, calls, told) in enumerate(turns):
        yield row("user", said)
        for n, (command, output, code) in enumerate(calls):
            own = f"t-{place}-{n}"
            yield row("assistant", [{"type": "tool_use", "id": own, "name": "Bash",
                                     "input": {"command": command}}])  # fmt: skip
            text = f"Exit code {code}\n{output}" if code > 0 else output
            yield row("user", [{"type": "tool_result", "tool_use_id": own, "is_error": code != 0,
                                "content": text}])  # fmt: skip
        yield row("assistant", [{"type": "text", "text": told}])


def codex(number: int, context: str, turns: list[Turn]) -> Iterator[dict[str, Any]]:
    yield from _codex(number, context, turns, legacy=False)


def codex_legacy(number: int, context: str, turns: list[Turn]) -> Iterator[dict[str, Any]]:
    yield from _codex(number, context, turns, legacy=True)


def _codex(
    number: int, context: str, turns: list[Turn], *, legacy: bool
) -> Iterator[dict[str, Any]]:
    def line(kind: str, **payload: Any) -> dict[str, Any]:
        at = f"2026-11-30T11:{number % 60:02}:00Z"
        return {"timestamp": at, "type": kind, "payload": payload}

    def item(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        return line("response_item", type="message", role=role, content=content)

    yield line("session_meta", id=f"c-{number}", cwd="/home/dev/app", source="cli",
               cli_version="0.99.0" if legacy else "0.171.0")  # fmt: skip
    yield item("developer", context)
    yield item("user", f"# AGENTS.md instructions for /home/dev/app\n\n{context}")
    for place, (said, calls, told) in enumerate(turns):
        yield item("user", said)
        if legacy:
            yield line("event_msg", type="user_message", message=said)
        for n, (command, output, code) in enumerate(calls):
            own = f"call-{place}-{n}"
            given = {"command": ["bash", "-lc", command]} if legacy else {"cmd": command}
            name = "shell" if legacy else "exec_command"
            yield line("response_item", type="function_call", name=name, call_id=own,
                       arguments=json.dumps(given))  # fmt: skip
            answer = f"Chunk ID: 3f\nProcess exited with code {abs(code)}\nOutput:\n{output}"
            if legacy:
                answer = json.dumps({"output": output, "metadata": {"exit_code": abs(code)}})
            yield line("response_item", type="function_call_output", call_id=own, output=answer)
        yield item("assistant", told)
    yield line("compacted", message=f"{context} No, that's wrong. 不对，以后用 make test。")


def dsh(number: int, context: str, turns: list[Turn]) -> Iterator[dict[str, Any]]:
    places = iter(range(1, 1000))

    def line(kind: str, **data: Any) -> dict[str, Any]:
        seq = next(places)
        at = 1796040000000 + number * 60000 + seq
        return {"type": kind, "seq": seq, "time": at, "data": data}

    def said_by(kind: str, text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        return line("user/message", content=content, source={"kind": kind})

    yield {"type": "session", "version": 0, "id": f"d-{number}", "cwd": "/home/dev/app",
           "delegationDepth": 0}  # fmt: skip
    yield said_by("plugin", context)
    for place, (said, calls, told) in enumerate(turns):
        yield said_by("user", said)
        for n, (command, output, code) in enumerate(calls):
            own = f"call-{place}-{n}"
            yield line("tool/call", callId=own, name="bash",
                       arguments=json.dumps({"command": command}))  # fmt: skip
            text = f"{output}\n[exit code: {code}]" if code > 0 else output
            result = {"type": "tool-result", "toolCallId": own, "isError": code != 0,
                      "content": [{"type": "text", "text": text}]}  # fmt: skip
            yield line("tool/result", message={"content": [result]})
        yield line("assistant/message", message={"content": [{"type": "text", "text": told}]})


FORMATS: dict[str, tuple[Writer, str]] = {
    "claude-code": (claude, "s-{0}.jsonl"),
    "codex": (codex, "rollout-{0}.jsonl"),
    "codex legacy": (codex_legacy, "rollout-{0}.jsonl"),
    "dsh": (dsh, "d-{0}/session.jsonl"),
    "dsh zstd": (dsh, "d-{0}/session.jsonl.zstd"),
}


def write(folder: Path, form: str, number: int, context: str, turns: list[Turn]) -> None:
    writer, name = FORMATS[form]
    path = folder / name.format(number)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(
        f"{json.dumps(line, ensure_ascii=False)}\n" for line in writer(number, context, turns)
    )
    data = text.encode()
    path.write_bytes(stream.load_zstd().compress(data) if name.endswith(".zstd") else data)


def cut(block: str, number: int) -> str:
    """A block as hosts cut it: the first 2,000 characters, head and tail, within a line."""
    size = len(block)
    ways = [
        f"{block[:2000]}\n... [output truncated, full text in /tmp/x.txt]",
        f"{block[: size // 3]}\n…{size // 3} characters omitted…\n{block[-size // 3 :]}",
        block[: size // 2],
        block[size // 2 :],
        block,
    ]
    return ways[number % len(ways)]


def stops(vault: Path) -> str:
    """What a guard of ours says when it stops a call."""
    payload = {"hook_event_name": "PreToolUse", "session_id": "7f", "cwd": str(vault),
               "tool_name": "Bash", "tool_input": {"command": "npx tsc"}}  # fmt: skip
    run("--vault", vault, "guard", "compile").ok()
    answer = run("hook", "claude-code", "PreToolUse", cwd=vault, stdin=json.dumps(payload)).ok()
    return str(json.loads(answer.out)["hookSpecificOutput"]["permissionDecisionReason"])


@pytest.mark.parametrize("records", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("form", FORMATS)
def test_fifty_sessions_of_a_program_add_what_people_said_and_nothing_else(
    tmp_path: Path, form: str, records: Any
) -> None:
    files = {
        f"memories/{own}.md": RECORD.format(
            id=own, kind=kind, title=json.dumps(title, ensure_ascii=False), body=body, more=more
        )
        for own, kind, title, body, more in records
    }
    vault = make_vault(tmp_path, files)
    block = run("--vault", vault, "render").ok().out
    injected.remember(str(state_folder()), [block])
    reason = stops(vault)
    assert records[2][2][:6] in reason
    quoted = [line for line in block.split("\n") if line.strip() and "<" not in line]
    wanted = set()
    for number in range(SESSIONS):
        quote = "\n".join(quoted[number % 5 : number % 5 + 4])
        calls = [
            ("cat AGENTS.md", block, 0),
            ("sh check.sh", cut(block, number), 3),
            ("npx tsc -p .", reason, -1),
            ("make notes", f"> {quote}", 2),
        ]
        turns: list[Turn] = [
            ("go on", calls, f"The memory says:\n\n{quote}\n\nSo I follow it."),
            (f"look at this\n\n{cut(block, number)}", [], quote),
            ("thanks, 谢谢", [], "OK"),
        ]
        if number % 2 == 0:
            real = REAL[number // 2 % len(REAL)].format(n=number)
            wanted.add(real)
            turns.insert(1 + number // 2 % 3, (real, [], quote))
        write(tmp_path / "logs", form, number, block, turns)
    done = run("--vault", vault, "--json", "capture", "sessions", tmp_path / "logs").ok().data
    assert done["states"] == {"read": SESSIONS}
    found = run("--vault", vault, "--json", "capture", "list", "--limit", "0").ok().data["items"]
    assert {item["text"] for item in found} == wanted
    assert {item["kind"] for item in found} == {"correction"}
    assert len(found) == len(wanted) == SESSIONS // 2
