"""The hook starts fast: the exact modules each path loads, in a process as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import DATA, PROJECT, make_vault, run

from vault_cli.hook import answer, events, replies
from vault_cli.hosts.table import HOSTS, Host

ENTRY = PROJECT / "vault_cli" / "hook" / "main.py"
PAYLOADS = DATA / "hook-payloads" / "claude-code"

OWN = {"vault_cli", "vault_cli.hook"} | {
    f"vault_cli.hook.{name}" for name in ("answer", "call", "events", "state", "system")
}
BASE = OWN | {"__future__"}
"""What every event loads beyond a bare interpreter."""


def loaded(event: str, state: Path, raw: bytes) -> set[str]:
    """Modules that an event loads beyond those of `python -I -S -c pass`."""
    code = (
        "import sys; before = {*sys.modules}; sys.path.append(sys.argv.pop(1))\n"
        "from vault_cli.hook.answer import respond, read_input\n"
        "respond(sys.argv[1:], read_input())\n"
        "after = {*sys.modules} - before\n"
        "import json; sys.stderr.write(json.dumps(sorted(after)))"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, str(PROJECT), "claude-code", event, str(state)]
    done = subprocess.run(argv, input=raw, capture_output=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(
    ("event", "file", "more"),
    [
        ("pre-tool", "PreToolUse.json", set()),
        ("post-tool", "PostToolUse.json", {"vault_cli.hook.spool", "binascii"}),
        ("tool-failure", "PostToolUseFailure.json", {"vault_cli.hook.spool", "binascii"}),
    ],
)
def test_a_tool_call_loads_exactly_these(
    event: str, file: str, more: set[str], tmp_path: Path
) -> None:
    found = loaded(event, tmp_path, (PAYLOADS / file).read_bytes())

    assert found == BASE | more


GUARD = """---
id: x-0000001
kind: failure
status: active
title: It fails
guard: {{match: {match}, action: deny}}
---
## Problem
x
"""
LOOK = {"vault_cli.hook.guard_look"}
HIT = {"_blake2", *LOOK} | {
    f"vault_cli.hook.{name}"
    for name in ("guard", "tools", "command_words", "jsons", "spool", "injected", "replies",
                 "reason", "language")
}  # fmt: skip


@pytest.mark.parametrize(
    ("match", "more"),
    [
        ("docker compose", LOOK),
        ("python3 -m pytest", HIT | {"binascii", "_json"}),
        ("'re:python3 +-m'", (HIT - {"vault_cli.hook.command_words"}) | {"binascii", "_json",
                                                                         "vault_cli.hook.automaton"}),
    ],
)  # fmt: skip
def test_a_look_at_guards_loads_exactly_these(
    match: str, more: set[str], tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither `re` nor `os`; the matcher, and JSON, only where a literal stands in the payload."""
    root = make_vault(tmp_path, {"memories/x.md": GUARD.format(match=match)})
    run("--vault", root, "guard", "compile").ok()
    monkeypatch.chdir(root)
    monkeypatch.delenv("MVAULT_NOW")
    raw = (PAYLOADS / "PreToolUse.json").read_bytes()
    raw = raw.replace(b"/home/dev/work/demo-app", str(root).encode())
    found = loaded("pre-tool", home / "mvault-state", raw)
    assert found == BASE | more


def test_a_prompt_that_brings_a_record_loads_no_parser_and_nothing_of_the_program(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither `re` nor `typing`, `json`, `datetime` or `sqlite3`: what is ready is all it takes."""
    filler = {f"memories/{n}.md": FACT.format(n, f"Plain {n}", "x" * 900, 9) for n in range(30)}
    note = FACT.format(99, "Zeppelin hangars need 黄铜阀门", "Ghent. " * 300, 1)
    root = make_vault(tmp_path, filler | {"memories/note.md": note})
    monkeypatch.delenv("MVAULT_NOW")
    monkeypatch.setattr("vault_cli.hook.ready.SETTLED", -(1 << 62))
    state, call = home / "mvault-state", {"cwd": str(root), "session_id": "s"}
    answer.respond(["claude-code", "session-start", str(state)], json.dumps(call).encode())
    said = json.dumps(call | {"prompt": "why do zeppelin hangars need 黄铜阀门?"}).encode()
    found = loaded("prompt", state, said)

    assert '"f-0000099"' in (state / "hook" / "sessions" / "s").read_text()
    assert {name for name in found if name.startswith("vault_cli")} == PROMPT_OWN
    assert not found & {
        "re",
        "typing",
        "json",
        "datetime",
        "sqlite3",
        "collections",
        "dataclasses",
        "hashlib",
    }


FACT = """---
id: f-{0:07d}
kind: fact
status: active
title: {1}
scope: global
source: user
importance: {3}
created: "2026-11-01"
---
{2}
"""
PROMPT_OWN = OWN | {
    f"vault_cli.hook.{name}"
    for name in (
        *("asked", "beside", "fitting", "injected", "jsons", "keeping", "look", "prompts"),
        *("once", "ready", "replies", "sessions", "shown", "spool", "turns", "words"),
    )
} | {"vault_cli.plain"} | {
    f"vault_cli.plain.{name}"
    for name in (
        *("allot", "han_forms", "layout", "naming", "notices", "ranking", "slips", "stem"),
        *("stops", "weights"),
    )
}  # fmt: skip


@pytest.mark.parametrize("host", [h for h in HOSTS.values() if h.hook_limit], ids=lambda h: h.name)
def test_the_encoders_know_the_limits_of_the_host_table(host: Host) -> None:
    """`hook` may import nothing of ours, so the numbers stand in both."""
    limit, unit = replies.LIMITS.get(events.find_host(host.name), replies.DEFAULT_LIMIT)

    assert (limit, unit == "bytes") == (host.hook_limit, host.hook_unit == "bytes")
