from __future__ import annotations
from pathlib import Path
import pytest, json, os
from real.codex_session import Machine, SCRIPTING_MODEL, MODEL


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


SAY = [[{"say": "ok"}]]


def test_mcp(machine: Machine) -> None:
    m = machine
    m.keep(
        "rule",
        "--title",
        "Use pnpm, never npm",
        "--body",
        "In all projects.",
        "--applies-when",
        "installing",
    )
    print(m.mvault("install", "codex", "--mcp", "--yes").text)
    m.trust_hooks()
    js = "text(Object.keys(tools).filter(n=>n.includes('mvault')).join(' ')); text(await tools.mcp__mvault__search({query:'pnpm'})); text(await tools.mcp__mvault__remember({text:'Staging uses port 5544',kind:'fact',title:'Staging port'}));"
    s = m.run([[{"code": js}], [{"say": "ok"}]], "-m", SCRIPTING_MODEL, "hello")
    print(s.err, "BLOCKS", len(s.blocks()))
    print(s.answers)
    s = m.run(
        [
            [
                {"call": "search", "namespace": "mcp__mvault__", "arguments": {"query": "pnpm"}},
                {"call": "mcp__mvault__search", "arguments": {"query": "pnpm"}},
            ],
            [{"say": "ok"}],
        ],
        "-m",
        MODEL,
        "hello",
    )
    print(s.err, "BLOCKS", len(s.blocks()))
    print([t for t in s.texts("developer", 0) if "<tools>" in t])
    print([t for t in s.requests[0]["tools"] if t["type"] != "function"])
    print(s.answers)
    print(m.mvault("list", "--json").text)
    for d in m.spool():
        if d.get("hook_event_name") == "PostToolUse":
            print(json.dumps(d)[-900:])
    assert 0
