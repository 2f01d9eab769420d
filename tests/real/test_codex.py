"""mvault in the real Codex: what the model is given, what hooks stop and count, what is learnt.

Skipped unless `MVAULT_REAL_AGENTS` names the folder of the program (0.171.0 was used).
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import git
from real.codex_session import MODEL, SCRIPTING_MODEL, Machine, Session
from real.home import Turn

RULE = ("rule", "--title", "Use pnpm, never npm", "--body", "In all projects.",
        "--applies-when", "installing packages")  # fmt: skip
FACT = ("fact", "--title", "测试库的端口是 5544", "--body", "用 psql 看。")
DONE: Turn = [{"say": "ok"}]
MODELS = [MODEL, SCRIPTING_MODEL]


def shell(model: str, command: str) -> Turn:
    """A call of the shell as a model makes it: by itself, or in a program."""
    if model == MODEL:
        return [{"run": command}]
    return [{"code": f"text(await tools.exec_command({{cmd: {json.dumps(command)}}}))"}]


def count(session: Session, words: str, number: int = 0) -> int:
    """How often words stand in a request."""
    return sum(
        text.count(words)
        for role in ("developer", "user", "system")
        for text in session.texts(role, number)
    )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A person's home with a vault in force, in English and Chinese, and Codex; not attached."""
    found = Machine(tmp_path)
    found.keep(*RULE)
    found.keep(*FACT)
    return found


@pytest.fixture
def attached(machine: Machine) -> Machine:
    """The same with the hooks of `mvault install codex`, reviewed."""
    machine.mvault("install", "codex", "--yes").ok()
    machine.trust_hooks()
    return machine


def test_hooks_are_trusted_in_the_dialogue_at_the_first_start(machine: Machine) -> None:
    machine.mvault("install", "codex", "--yes").ok()
    before = machine.run([DONE], "hello")
    assert before.code == 0
    assert (before.hooks(), before.blocks()) == ([], [])
    checked = machine.mvault("install", "--check", "codex")
    assert checked.code == 1
    assert "not reviewed yet" in checked.out

    steps = [
        {"see": "Trust and continue", "type": "\r"},
        {"see": "Trust all and continue", "type": "\x1b[B\r"},
        {"see": "? for shortcuts", "type": "which port? 端口是多少"},
        {"see": "which port?", "type": "\r"},  # by itself: keys that come at once are pasted text
        {"see": "the answer", "type": ""},
    ]
    typed = machine.type(steps, [[{"say": "the answer"}]], "-m", SCRIPTING_MODEL)
    assert typed.code == 0, typed.out
    assert len(typed.blocks(0)) == 1
    assert machine.mvault("install", "--check", "codex").ok()
    assert len(machine.run([DONE], "hello").ok().blocks()) == 1


@pytest.mark.parametrize(
    "places", [("user",), ("project",), ("plugin",), ("user", "project"), ("user", "plugin")]
)
def test_the_block_arrives_once_wherever_the_hooks_are_installed(
    machine: Machine, places: tuple[str, ...]
) -> None:
    machine.trust_project()
    for place in places:
        if place == "plugin":
            folder = machine.home / "market"
            machine.mvault("install", "--plugin", folder, "--yes").ok()
            for words in (("marketplace", "add", str(folder)), ("add", "mvault@mvault")):
                assert not machine.alone([machine.program, "plugin", *words]).returncode
        else:
            more = ["--project"] if place == "project" else []
            machine.mvault("install", "codex", *more, "--yes").ok()
    assert machine.mvault("install", "--check", "codex").code == 1
    machine.trust_hooks()
    assert machine.mvault("install", "--check", "codex").ok()

    session = machine.run([DONE], "hello").ok()
    assert session.hooks().count("SessionStart Completed") == len(places)
    assert len(session.blocks()) == 1
    assert count(session, "Use pnpm, never npm") == count(session, "测试库的端口是") == 1
    if "plugin" in places:
        assert count(session, "mvault:recall") == 1


def test_what_is_trusted_is_what_codex_says(machine: Machine) -> None:
    """Our digest of a hook is the one of Codex, also behind another's hook and with a matcher."""
    hooks = machine.settings.parent / "hooks.json"
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true # 我的"}]}
    hooks.write_text(json.dumps({"hooks": {"PreToolUse": [other], "Stop": [other]}}), "utf-8")
    machine.mvault("install", "codex", "--yes").ok()
    machine.trust_hooks()
    assert machine.mvault("install", "--check", "codex").ok()
    text = hooks.read_text("utf-8")
    hooks.write_text(text.replace('"timeout": 20', '"timeout": 21'), "utf-8")
    changed = {hook["eventName"] for hook in machine.hook_states().values()
               if hook["trustStatus"] == "modified"}  # fmt: skip
    assert changed == {"sessionStart", "userPromptSubmit"}
    checked = machine.mvault("install", "--check", "codex")
    assert "passes over SessionStart, UserPromptSubmit;" in checked.out


def test_what_agents_md_says_no_hook_says_again(machine: Machine) -> None:
    own = "# 项目说明\n\n" + "这是给助手看的说明。\n" * 2500
    (machine.project / "AGENTS.md").write_text(own, "utf-8")
    machine.mvault("init", ".mvault", "--in-repo").ok()
    machine.keep("fact", "--title", "This project deploys on Tuesdays", "--body", "By hand.")
    for place in ([], ["--project", "--block"]):
        machine.mvault("install", "codex", *place, "--yes").ok()
    machine.trust_project()
    machine.trust_hooks()

    session = machine.run([DONE], "hello").ok()
    (file,) = [text for text in session.texts("user") if "AGENTS.md" in text[:200]]
    assert "deploys on Tuesdays" in file
    assert "项目说明" in file
    for words in ("deploys on Tuesdays", "Use pnpm, never npm", "测试库的端口是"):
        assert count(session, words) == 1

    machine.mvault("uninstall", "codex", "--project", "--yes").ok()
    assert "这是给助手看的说明" in (machine.project / "AGENTS.md").read_text("utf-8")


def test_a_prompt_brings_what_the_block_has_no_room_for(attached: Machine) -> None:
    """150 records in Chinese: cut by bytes, so that Codex puts nothing into a file instead."""
    many = [
        {"kind": "fact", "title": f"服务{n}的端口是 {4000 + n},每晚重启", "body": "说明。" * 90}
        for n in range(150)
    ]
    payload = json.dumps(many, ensure_ascii=False)
    attached.mvault("add", "fact", "--payload", "-", "--yes", stdin=payload).ok()
    drafts = attached.mvault("list", "--status", "candidate", "--json").data["records"]
    attached.mvault("-q", "approve", *(draft["id"] for draft in drafts), "--yes").ok()
    attached.keep("fact", "--title", "支付回调要校验签名", "--importance", "1",
                  "--body", f"支付回调必须先校验签名，再更新订单状态。{'说明。' * 90}")  # fmt: skip

    session = attached.run([DONE], "支付回调怎么校验签名?").ok()
    (block,) = session.blocks()
    assert 8000 < len(block.encode()) <= 9700
    assert "再更新订单状态" not in block
    assert count(session, "再更新订单状态") == 1
    again = attached.run([DONE], "resume", "--last", "支付回调的签名在哪里校验?").ok()
    assert count(again, "再更新订单状态") == 1
    assert len(again.blocks()) == 1
    assert not list(attached.temporary.rglob("hook_outputs/**/*"))


@pytest.mark.parametrize("model", MODELS)
def test_guards_stop_once_or_always_and_name_the_way_out(attached: Machine, model: str) -> None:
    for name in ("deploy.sh", "migrate.sh"):
        (attached.project / name).write_text(f"echo {name} ran\n")
    guards = []
    for title, match, action in (
        ("Deploying by hand breaks the release", "sh deploy.sh", "warn"),
        ("不要直接迁移", "sh migrate.sh", "deny"),
    ):
        given = ("--title", title, "--match", match, "--instead", "make check", "--action", action)
        guards.append(attached.mvault("-q", "guard", "add", *given, "--yes").ok().out.split()[-1])
        attached.mvault("-q", "approve", guards[-1], "--yes").ok()
    deploy, migrate = "sh deploy.sh now", "sh migrate.sh all"
    commands = [deploy, deploy, migrate, migrate, "echo 'sh migrate.sh'"]
    script = [*(shell(model, command) for command in commands), DONE]
    session = attached.run(script, "-m", model, "install and check").ok()

    first, retry, *denied, harmless = session.answers.values()
    assert "Deploying by hand breaks the release. Instead: make check" in first
    assert "deploy.sh ran" in retry
    assert ".. Command:" not in first + denied[0]
    for answer in denied:
        assert "不要直接迁移" in answer
        assert f"mvault guard off {guards[1]} --for 1h" in answer
        assert "migrate.sh ran" not in answer
    assert "sh migrate.sh" in harmless
    assert session.hooks().count("PreToolUse Blocked") == 3

    attached.mvault("guard", "off", guards[1], "--for", "1h", "--yes").ok()
    last = attached.run([shell(model, migrate), DONE], "-m", model, "again").ok()
    assert "migrate.sh ran" in "".join(last.answers.values())


def fail(text: str) -> str:
    return f"echo '{text}' >&2; exit 3"


def test_failures_are_counted_and_a_guard_is_proposed(attached: Machine) -> None:
    """The exit code stands in the session log only; both kinds of models fail alike."""
    english, chinese = fail("TypeError: cannot read port"), fail("错误：缺少配置文件里的端口")
    for model in (MODEL, SCRIPTING_MODEL, MODEL):
        script = [*(shell(model, each) for each in (english, chinese, "grep x /dev/null")), DONE]
        attached.run(script, "-m", model, "run the build").ok()
    failures = attached.mvault("guard", "failures").ok().out
    for words in ("TypeError: cannot read port", "错误：缺少配置文件里的端口"):
        (line,) = [each for each in failures.splitlines() if words in each] or [failures]
        assert "3x (3 raw, 3 sessions)" in line
        assert "due" in line
    assert "9 calls ended other than with 0, 6 of them failures" in failures
    proposed = attached.mvault("guard", "propose").ok().text
    assert proposed.count("proposed after 3 failures") == 2


def test_resume_says_that_the_block_stands_and_brings_it_anew_when_it_changed(
    attached: Machine,
) -> None:
    first = attached.run([DONE], "hello").ok()
    again = attached.run([DONE], "resume", "--last", "go on").ok()
    assert again.thread == first.thread
    assert len(again.blocks()) == 1
    assert count(again, "still holds") == 1
    attached.keep(
        "rule", "--title", "先跑测试再提交", "--body", "没有例外。", "--applies-when", "提交"
    )
    changed = attached.run([DONE], "resume", "--last", "继续").ok()
    assert count(changed, "先跑测试再提交") == 1


def test_a_compaction_brings_the_block_again_and_no_hook_fails(attached: Machine) -> None:
    def turn(text: str) -> list[dict[str, Any]]:
        asked = [{"type": "text", "text": text}]
        return [
            {"method": "turn/start", "params": {"threadId": "$thread", "input": asked}},
            {"await": "turn/completed"},
        ]

    compact = {"method": "thread/compact/start", "params": {"threadId": "$thread"}}
    started = {"method": "thread/start", "params": {"cwd": str(attached.project)}}
    asks = [started, *turn("hello"), compact, {"await": "turn/completed"}, *turn("继续")]
    script = [[{"run": "echo 1"}], [{"say": "one"}], [{"say": "summary"}], [{"say": "two"}]]
    said = attached.serve(*asks, script=script)

    runs = [line["params"]["run"] for line in said if line.get("method") == "hook/completed"]
    assert {run["eventName"] for run in runs} == {
        "sessionStart", "userPromptSubmit", "preToolUse", "postToolUse", "preCompact",
        "postCompact", "stop",
    }  # fmt: skip
    assert {run["status"] for run in runs} == {"completed"}
    last = Session("", "", 0, [line["body"] for line in attached.asked() if line["body"]])
    assert len(last.requests) == len(script)
    assert len(last.blocks()) == 1
    assert count(last, "the conversation was compacted", -1) == 1
    print({run["eventName"]: run["durationMs"] for run in runs})


def test_a_subagent_is_told_where_memory_is_and_nothing_more(attached: Machine) -> None:
    spawn = {"call": "spawn_agent", "namespace": "multi_agent_v1",
             "arguments": {"message": "look around, 看一看"}}  # fmt: skip
    sleep: Turn = [{"run": "sleep 4"}]
    script = [[{"tools": "spawn an agent"}], [spawn], sleep, sleep, DONE, DONE]
    session = attached.run(script, "which port, 端口?")  # the agent's end may be the subagent's
    asked = range(len(session.requests))
    own = [n for n in asked if "look around, 看一看" in session.texts("user", n)]
    assert own
    for number in own:
        assert count(session, "Memory: records of this project are kept in a vault", number) == 1
        assert session.blocks(number) == []


@pytest.mark.parametrize("spoil", ["settings", "git", "gone"])
def test_a_broken_vault_keeps_nothing_from_the_agent(attached: Machine, spoil: str) -> None:
    if spoil == "settings":
        (attached.vault / "vault.toml").write_bytes(b"\xff\xfe broken [[[")
    else:
        shutil.rmtree(attached.vault / ".git" if spoil == "git" else attached.vault)
    session = attached.run([[{"run": "echo it ran"}], DONE], "hello").ok()
    assert "it ran" in session.answers["call_1_0"]
    assert session.hooks().count("PostToolUse Completed") == 1


def test_the_mcp_server_finds_and_proposes_and_cannot_approve(machine: Machine) -> None:
    machine.mvault("init", ".mvault", "--in-repo").ok()
    machine.keep("fact", "--title", "This project deploys on Tuesdays", "--body", "By hand.")
    machine.mvault("install", "codex", "--mcp", "--yes").ok()
    machine.trust_hooks()
    wait = "sleep 6"  # as long as a model thinks; the server starts meanwhile
    search = {"query": "部署 deploys Tuesdays"}
    lesson = {"kind": "lesson", "title": "先看锁文件", "text": "装包之前先看锁文件。"}
    code = (
        f"text(await tools.mcp__mvault__search({json.dumps(search)}));"
        f"text(await tools.mcp__mvault__remember({json.dumps(lesson)}));"
        "text(Object.keys(tools).filter(name => name.includes('mvault')).join(' '))"
    )
    script = [shell(SCRIPTING_MODEL, wait), [{"code": code}], DONE]
    session = machine.run(script, "-m", SCRIPTING_MODEL, "hello").ok()
    answer = session.answers["call_2_0"]
    assert "This project deploys on Tuesdays" in answer
    assert "A candidate: not in force until a person admits it." in answer
    assert "mcp__mvault__why" in answer
    assert "approve" not in answer.rpartition("mcp__mvault__brief")[2]

    fact = {"kind": "fact", "title": "Staging port", "text": "Staging listens on 5544."}
    calls = [("search", {"query": "端口 5544"}), ("remember", fact), ("approve", {"id": "x"})]
    called: Turn = [
        {"call": name, "namespace": "mcp__mvault", "arguments": given} for name, given in calls
    ]
    script = [[{"run": wait}], [{"tools": "mvault search remember approve"}], called, DONE]
    found, proposed, approved = list(machine.run(script, "hello").ok().answers.values())[-3:]
    assert "测试库的端口是 5544" in found
    assert "Proposed as" in proposed
    assert "unsupported call" in approved
    drafts = machine.mvault("list", "--status", "candidate", "--json").data["records"]
    assert {draft["title"] for draft in drafts} == {"先看锁文件", "Staging port"}


def test_skills_are_listed_for_all_projects_and_for_one(machine: Machine) -> None:
    text = (
        "---\nname: find-flaky\ndescription: Finds flaky tests, 找不稳定的测试\n"
        "metadata:\n  mvault-id: k-0000001\n  mvault-status: active\n---\n# Find them\n"
    )
    place = machine.vault / "skills/find-flaky/SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text(text, "utf-8")
    git(machine.vault, "add", "-A")
    git(machine.vault, "commit", "-qm", "a skill")
    for more in ([], ["--project", "--skills", "copy"]):
        machine.mvault("install", "codex", *more, "--yes").ok()
        (line,) = [
            each
            for text in machine.run([DONE], "hello").texts("developer")
            for each in text.splitlines()
            if each.startswith("- find-flaky")
        ]
        assert "找不稳定的测试" in line
        machine.mvault("uninstall", "codex", *more[:1], "--yes").ok()
    assert not any("find-flaky" in text for text in machine.run([DONE], "x").texts("developer"))


def test_uninstall_leaves_the_files_as_they_were(machine: Machine) -> None:
    hooks = machine.settings.parent / "hooks.json"
    mine = '{\n    "hooks": {"Stop":\n  [{"hooks": [{"type":"command", "command":"true # 我的"}]}]}\n}\n'
    hooks.write_text(mine, "utf-8")
    machine.trust_project()
    machine.trust_hooks()
    settings = machine.settings.read_bytes()
    for more in (["--mcp"], ["--project", "--mcp", "--block"]):
        machine.mvault("install", "codex", *more, "--yes").ok()
    machine.run([DONE], "hello")
    for more in ([], ["--project"]):
        machine.mvault("uninstall", "codex", *more, "--yes").ok()
    assert hooks.read_text("utf-8") == mine
    assert machine.settings.read_bytes() == settings
    assert [path for path in (machine.project / ".codex").rglob("*") if path.is_file()] == []
    assert machine.run([DONE], "hello").ok().hooks() == ["Stop Completed"]


CORRECTIONS = ["No, don't use npm, use pnpm", "不要用 npm,用 pnpm"]


def captured(machine: Machine, kind: str) -> list[dict[str, Any]]:
    items = machine.mvault("capture", "list", "--json").ok().data["items"]
    return [item for item in items if item["kind"] == kind]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("said", CORRECTIONS)
def test_what_a_person_corrects_in_a_session_is_captured(
    attached: Machine, model: str, said: str
) -> None:
    """In the log that Codex wrote; never what we put into the conversation ourselves."""
    attached.run([shell(model, "echo npm install"), DONE], "-m", model, "install it").ok()
    attached.run(
        [shell(model, "echo pnpm install"), DONE], "resume", "--last", "-m", model, said
    ).ok()
    for text in (*attached.run([DONE], "x").blocks(), "mvault guard x-1: 不要用 npm"):
        attached.run([DONE], text).ok()
    attached.mvault("capture", "sessions").ok()
    items = attached.mvault("capture", "list", "--json").ok().data["items"]
    assert [(item["kind"], item["text"]) for item in items] == [("correction", said)]
    assert "0 new items" in attached.mvault("capture", "sessions").ok().text


@pytest.mark.parametrize("model", MODELS)
def test_what_failed_twice_and_what_was_mended_is_captured(attached: Machine, model: str) -> None:
    again = fail("错误：锁文件已经过期")
    script = [
        shell(model, again),
        shell(model, again),
        shell(model, "cat configs/demo.toml"),
        shell(model, "mkdir -p configs; touch configs/demo.toml; cat configs/demo.toml"),
        DONE,
    ]
    attached.run(script, "-m", model, "run the build").ok()
    attached.mvault("capture", "sessions").ok()
    (repeated,) = captured(attached, "repeated-error")
    assert "锁文件已经过期" in repeated["text"]
    (fixed,) = captured(attached, "failed-then-fixed")
    assert "configs/demo.toml" in fixed["text"]


@pytest.mark.parametrize("model", MODELS)
def test_a_long_command_that_fails_once_is_no_repeated_error(attached: Machine, model: str) -> None:
    """It goes on in the background, and the model asks for its end."""
    command = "sleep 11; " + fail("ENOENT: no lockfile")
    waits: Turn = [{"call": "write_stdin", "arguments": {"session_id": "$session", "chars": ""}}]
    if model == SCRIPTING_MODEL:
        waits = [{"code": "text(await tools.write_stdin({session_id: $session, chars: ''}))"}]
    attached.run([shell(model, command), waits, DONE], "-m", model, "run the build").ok()
    attached.mvault("capture", "sessions").ok()
    assert captured(attached, "repeated-error") == []
    failures = attached.mvault("guard", "failures").ok().out
    assert "1 call ended other than with 0" in failures


def test_no_hook_keeps_the_session_waiting_for_long(attached: Machine) -> None:
    """Wall time by Codex's own clock; loose, as the machine has other work."""
    asked = [{"type": "text", "text": "which port, 端口?"}]
    turn = {"method": "turn/start", "params": {"threadId": "$thread", "input": asked}}
    started = {"method": "thread/start", "params": {"cwd": str(attached.project)}}
    time.sleep(3)  # until the vault counts as left alone
    for _ in range(2):
        said = attached.serve(
            started, turn, {"await": "turn/completed"},
            script=[[{"run": "echo 1"}], [{"run": "echo 2"}], DONE],
        )  # fmt: skip
    runs = [line["params"]["run"] for line in said if line.get("method") == "hook/completed"]
    times = [(run["eventName"], run["durationMs"]) for run in runs]
    print(times)
    assert {run["status"] for run in runs} == {"completed"}
    assert max(spent for _, spent in times) < 5000


MEMORY = """\
# Task Group: {cwd} / 演示项目的构建

scope: building demo
applies_to: cwd={cwd}; reuse_rule=safe in this checkout

## Task 1: 修好构建脚本, success

### rollout_summary_files

- rollout_summaries/2026-11-30-a.md (cwd={cwd}, rollout_path=/x/rollout.jsonl, thread_id=01a2)

### keywords

- pnpm, ERR_PNPM_OUTDATED_LOCKFILE

## User preferences

- when installing packages, the user corrected: "不要用 npm,用 pnpm" -> use pnpm here [Task 1]

## Reusable knowledge

- The staging database listens on port 5544 [Task 1]

## Failures and how to do differently

- `make test` without the lock file fails -> run `pnpm install` first [Task 1]
"""


def test_memories_that_codex_reads_are_imported(machine: Machine) -> None:
    """The folder as Codex itself reads it, after its writer was called for it."""
    memories = machine.settings.parent / "memories"
    (memories / "rollout_summaries").mkdir(parents=True)
    (memories / "memory_summary.md").write_text("v1\n\n演示项目用 pnpm。\n", "utf-8")
    (memories / "MEMORY.md").write_text(MEMORY.format(cwd=machine.project), "utf-8")
    (memories / "rollout_summaries/2026-11-30-a.md").write_text("A session.\n", "utf-8")
    text = machine.settings.read_text("utf-8")
    machine.settings.write_text(text + "\n[features]\nmemories = true\n", "utf-8")
    session = machine.run([DONE], "hello")
    given = [
        number for number in range(len(session.requests)) if count(session, "用 pnpm。", number)
    ]
    assert len(given) == 1  # and the other request is the writer's, with its rules for the layout
    told = "".join(text for n in range(len(session.requests)) for text in session.texts("user", n))
    for words in ("# Task Group: <", "applies_to: cwd=<", "### rollout_summary_files"):
        assert words in told

    machine.mvault("import", "codex", machine.settings.parent)
    drafts = machine.mvault("list", "--status", "candidate", "--json").ok().data["records"]
    texts = {each["kind"]: machine.mvault("show", each["id"]).ok().out for each in drafts}
    assert sorted(texts) == ["fact", "failure", "preference"] == sorted(d["kind"] for d in drafts)
    assert "不要用 npm,用 pnpm" in texts["preference"]
    assert "listens on port 5544" in texts["fact"]
    assert "without the lock file" in texts["failure"]
    assert "[Task 1]" not in "".join(texts.values())
    machine.mvault("capture", "sessions").ok()  # the writer's own session is nobody's words
    assert machine.mvault("capture", "list", "--json").ok().data["items"] == []
