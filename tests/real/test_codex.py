from __future__ import annotations
from pathlib import Path
import pytest, json, os
from real.codex_session import Machine, SCRIPTING_MODEL, MODEL

@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)

SAY=[[{"say":"ok"}]]
def test_mcp(machine: Machine) -> None:
    m = machine
    m.keep("rule", "--title", "Use pnpm, never npm", "--body", "In all projects.", "--applies-when", "installing")
    m.mvault("init",".mvault","--in-repo").ok()
    m.keep("fact","--title","项目数据库端口是 5544", "--body", "测试环境。")
    print(m.mvault("install","codex","--mcp", "--yes").text)
    m.trust_hooks()
    js="text(await tools.mcp__mvault__search({query:'pnpm'}));text(await tools.mcp__mvault__search({query:'数据库 端口'})); text(await tools.mcp__mvault__remember({text:'Staging uses port 5544',kind:'fact',title:'Staging port'}));"
    s = m.run([[{"code":"text(await tools.exec_command({cmd:'sleep 5'}))"}],[{"code":js}],[{"say":"ok"}]],"-m",SCRIPTING_MODEL,"hello"); print(s.err, "BLOCKS", len(s.blocks()))
    print(s.answers)
    0 and print([t for t in s.texts("developer",0) if "mvault" in t.lower()])
    s = m.run([[{"run":"sleep 5"}],[{"tools":"mvault search remember memory"}],[{"call":"search","namespace":"mcp__mvault","arguments":{"query":"pnpm"}},{"call":"remember","namespace":"mcp__mvault","arguments":{"kind":"lesson","title":"先看锁文件","text":"先看锁文件再装包"}},{"call":"approve","namespace":"mcp__mvault","arguments":{"id":"x"}}],[{"say":"ok"}]],"-m",MODEL,"hello"); print(s.err, "BLOCKS", len(s.blocks()))
    print(s.answers)
    print([t for t in s.requests[1]["input"] if t["type"].startswith("tool_search")])
    print(m.mvault("list").text)
    assert 0
