from __future__ import annotations
from pathlib import Path
import pytest, json, os
from real.codex_session import Machine, SCRIPTING_MODEL, MODEL


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


SAY = [[{"say": "ok"}]]


def test_big(machine: Machine) -> None:
    m = machine
    payload = [
        {
            "kind": "fact",
            "title": f"服务{n}的端口是 {4000 + n},每晚重启",
            "body": f"第 {n} 个服务的说明。" * 30,
        }
        for n in range(150)
    ]
    r = m.mvault(
        "add", "fact", "--payload", "-", "--yes", stdin=json.dumps(payload, ensure_ascii=False)
    )
    print(r.code, r.text[-300:])
    ids = [
        x["id"]
        for x in json.loads(m.mvault("list", "--status", "candidate", "--json").out)["data"][
            "records"
        ]
    ]
    r = m.mvault("approve", *ids, "--yes")
    print(r.code, r.text[-200:])
    m.keep(
        "fact",
        "--title",
        "支付回调要校验签名",
        "--body",
        "支付回调必须先校验签名,再更新订单状态。" * 3,
        "--importance",
        "1",
    )
    m.mvault("install", "codex", "--yes").ok()
    m.trust_hooks()
    s = m.run(SAY, "支付回调怎么校验签名?")
    print(s.err)
    b = s.blocks()
    print(len(b), [len(x.encode()) for x in b], ["签名" in x for x in b])
    print([x[:1000] for x in s.texts("developer") if "Memory" in x and "in force" not in x])
    print([p for p in Path(m.env["TMPDIR"]).rglob("*")])
    s = m.run([[{"say": "ok"}]], "resume", "--last", "服务7的端口是多少")
    print(s.err)
    print([x[-800:] for x in s.texts("developer") if "Memory:" in x])
    assert 0


def test_skill(machine: Machine) -> None:
    m = machine
    sk = m.vault / "skills/find-flaky"
    sk.mkdir(parents=True)
    (sk / "SKILL.md").write_text(
        "---\nname: find-flaky\ndescription: Finds flaky tests 找不稳定的测试.\nmetadata:\n  mvault-id: k-0000001\n  mvault-status: active\n---\n# Find them\n"
    )
    (m.project / "AGENTS.md").write_text("# Project rules\n\n" + "这是项目说明。\n" * 2500)
    m.mvault("init", ".mvault", "--in-repo").ok()
    m.keep("fact", "--title", "项目数据库端口是 5544", "--body", "测试环境。")
    print(m.mvault("install", "codex", "--project", "--block", "--yes").text)
    print(m.mvault("install", "--check", "codex").text)
    print((m.project / "AGENTS.md").read_text()[:900])
    s = m.run(SAY, "--trust", "hello")
    print(s.err)
    print(len(s.blocks()), [t[:300] for t in s.blocks()])
    print(["find-flaky" in t for t in s.texts("developer")])
    print([i for t in s.texts("developer") for i in t.splitlines() if "flaky" in i])
    m.trust_hooks()
    s = m.run(SAY, "hello")
    print(s.err)
    print(len(s.blocks()))
    assert 0


def test_broken(machine: Machine) -> None:
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
    m.mvault("install", "codex", "--yes").ok()
    m.trust_hooks()
    (m.vault / "vault.toml").write_bytes(b"\xff\xfe broken [[[")
    s = m.run([[{"run": "echo 1"}], [{"say": "ok"}]], "hello")
    print(s.err, len(s.blocks()), s.texts("developer")[-1][:500])
    import shutil

    shutil.rmtree(m.vault / ".git")
    s = m.run([[{"run": "echo 1"}], [{"say": "ok"}]], "hello")
    print(s.err, len(s.blocks()))
    shutil.rmtree(m.vault)
    s = m.run([[{"run": "echo 1"}], [{"say": "ok"}]], "hello")
    print(s.err, len(s.blocks()))
    print(m.mvault("status").text)
    assert 0


def test_more(machine: Machine) -> None:
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
    m.mvault("install", "codex", "--yes").ok()
    m.trust_hooks()
    s = m.run(
        [
            [{"tools": "spawn agent"}],
            [
                {
                    "call": "spawn_agent",
                    "namespace": "multi_agent_v1",
                    "arguments": {"message": "look around", "task_name": "look"},
                }
            ],
            [{"say": "ok"}],
            [
                {
                    "call": "wait_agent",
                    "namespace": "multi_agent_v1",
                    "arguments": {"timeout_ms": 3000},
                }
            ],
            [{"say": "ok"}],
        ],
        "hello",
    )
    print(
        s.err,
        len(s.blocks()),
        s.answers,
        [(r["input"][-1].get("role"), json.dumps(r["input"][-1])[:300]) for r in s.requests],
    )
    for d in m.spool():
        print(d.get("hook_event_name"), d.get("source"), d.get("agent_id"), d.get("prompt"))
    for r in s.requests:
        print("----", [json.dumps(i)[:200] for i in r["input"] if "Memory" in json.dumps(i)])
    r = m.serve(
        {"method": "thread/start", "params": {"cwd": str(m.project)}},
        {
            "method": "turn/start",
            "params": {"threadId": "$thread", "input": [{"type": "text", "text": "hello"}]},
        },
        {"await": "turn/completed"},
        {"method": "thread/compact/start", "params": {"threadId": "$thread"}},
        {"await": "turn/completed"},
        {
            "method": "turn/start",
            "params": {
                "threadId": "$thread",
                "input": [{"type": "text", "text": "不要用 npm,用 pnpm"}],
            },
        },
        {"await": "turn/completed"},
        script=[[{"say": "one"}], [{"say": "summary"}], [{"say": "two"}]],
    )
    for l in r:
        if "hook" in l.get("method", "") or "error" in l:
            print(json.dumps(l)[:600])
    for a in m.asked():
        print(
            a["path"],
            [
                json.dumps(i)[:250]
                for i in (a["body"] or {}).get("input", [])
                if "mvault" in json.dumps(i) or "Memory" in json.dumps(i)
            ],
        )
    assert 0
