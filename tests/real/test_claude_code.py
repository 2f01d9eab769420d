"""mvault inside the real Claude Code: what the model is really given, and what is learned of it.

    npm install @anthropic-ai/claude-code@2.1.332
    MVAULT_REAL_AGENTS=$PWD/node_modules/.bin pytest tests/real

Without `MVAULT_REAL_AGENTS` all of it is skipped. The program runs in a network namespace that
holds loopback only (`programs.run_alone`, Linux, as root) against a scripted model
(`anthropic_model.py`), with hooks that `mvault install` wrote. What is asserted is what stood in
the requests to the model, and what the program wrote into its own log. The clock is the real one:
the program writes it into its logs.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.real.claude_machine import Machine, Played, Terminal, bash, text, tool

BLOCK: Final = "<mvault-memory>"
STANDS: Final = "still holds as it stands there"
RULE: Final = ("Run the linter before every commit", "提交前先跑测试")
LANGUAGES: Final = {
    "en": (
        "Payment gateway retries",
        "Retries carry the idempotency key of the first attempt. ",
        "How do retries of the payment gateway carry the idempotency key?",
    ),
    "zh": (
        "支付网关重试",
        "支付网关重试时必须带上第一次请求的幂等键。",
        "支付网关重试时,幂等键放在哪里?",
    ),
}
"""A record that has no room in the block, and a prompt that asks for it."""


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A machine with an empty vault, and nothing of mvault in the program."""
    return Machine(tmp_path)


@pytest.fixture
def machine(bare: Machine) -> Machine:
    """A machine with two rules in force, and our hooks in the program's settings."""
    for title in RULE:
        bare.admit("add", "rule", "--title", title, "--required", "--body", "例外 none.")
    bare.mvault("install", "claude-code", "--yes")
    return bare


def with_plugin(machine: Machine) -> None:
    """Install the plugin the way its README says."""
    market = str(machine.home / "market")
    machine.mvault("install", "--plugin", market, "--yes")
    machine.claude("plugin", "marketplace", "add", market)
    machine.claude("plugin", "install", "mvault@mvault")


def ended_last(machine: Machine) -> str:
    """Which session our hook saw end last: it has 1.5 seconds for that."""
    (file,) = (machine.home / ".local/state/mvault/hook/ended").iterdir()
    return str(json.loads(file.read_text())["session"])


def require_quiet(played: Played) -> None:
    """No hook of ours failed, was late, or said anything that is not its answer."""
    assert played.done.returncode == 0, played.done.stderr
    for answer in played.hooks():
        assert answer["outcome"] == "success", answer
        assert answer["exit_code"] == 0, answer
        assert answer["stderr"] == "", answer
        assert isinstance(json.loads(answer["stdout"]), dict)


# What a session is given


def test_a_session_is_given_the_block_once(machine: Machine) -> None:
    played = machine.play("hello", [bash("echo one")], [text("done")])

    require_quiet(played)
    assert [played.seen(turn).count(BLOCK) for turn in (0, 1)] == [1, 1]
    assert all(title in played.seen() for title in RULE)
    assert "SessionStart hook additional context: <mvault-memory>" in played.seen()
    assert len(played.hooks("Stop")) == 1


def test_two_settings_and_the_plugin_give_it_once(machine: Machine) -> None:
    machine.mvault("install", "claude-code", "--project", "--yes")
    played = machine.play("hello", [text("done")])
    assert played.seen().count(BLOCK) == 1
    assert len(played.hooks("SessionStart")) == 1  # equal lines are started once

    with_plugin(machine)
    guard = machine.mvault(
        "guard", "add", "--title", "no fortune", "--match", "fortune", "--instead", "echo"
    )
    machine.mvault("approve", "--yes", guard.split()[-1])
    played = machine.play("hello", [bash("fortune")], [bash("fortune || true")], [text("done")])
    require_quiet(played)
    assert played.seen().count(BLOCK) == 1
    assert len(played.hooks("SessionStart")) == 2
    stopped, passed = played.results()
    assert "no fortune" in stopped
    assert "mvault guard" not in passed
    assert "one of them answers" in machine.mvault("install", "--check", "claude-code")
    assert machine.data("guard", "failures")["raw"] == 0


def test_the_plugin_alone_gives_it(bare: Machine) -> None:
    bare.admit("add", "rule", "--title", RULE[1], "--required", "--body", "没有例外。")
    with_plugin(bare)
    said = bare.claude("plugin", "validate", str(bare.home / "market/plugins/mvault"), "--strict")
    assert "Validation passed" in said
    assert "Validation passed" in bare.claude(
        "plugin", "validate", str(bare.home / "market"), "--strict"
    )
    played = bare.play("你好", [text("好")])

    require_quiet(played)
    assert played.seen().count(BLOCK) == 1
    assert RULE[1] in played.seen()
    assert "mvault:recall" in played.seen()
    assert ended_last(bare) == played.session
    (found,) = bare.data("install", "--check", "claude-code")["hosts"]
    assert found["problems"] == []
    assert "SessionStart" in next(iter(found["hooks"].values()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_prompt_brings_what_the_block_had_no_room_for(machine: Machine, language: str) -> None:
    title, words, prompt = LANGUAGES[language]
    for number in range(6):
        body = f"Deploy on Tuesdays, part {number} of the plan. " * 45
        machine.admit(
            "add", "note", "--title", f"Deployment {number}", "--body", body, "--importance", "9"
        )
    body = words + ("Kept in the ledger. " * 80 if language == "en" else "账本里有记录。" * 230)
    key = machine.admit("add", "note", "--title", title, "--body", body, "--importance", "1")

    first = machine.play(prompt, [text("ok")])
    require_quiet(first)
    (start,), (brought,) = first.hooks("SessionStart"), first.hooks("UserPromptSubmit")
    assert (
        words.strip() not in json.loads(start["stdout"])["hookSpecificOutput"]["additionalContext"]
    )
    assert key in json.loads(brought["stdout"])["hookSpecificOutput"]["additionalContext"]
    assert first.seen().count(words.strip()) == 1

    again = machine.play(prompt, [text("ok")], more=("--resume", first.session))
    assert again.seen().count(words.strip()) == 1  # it has it
    assert again.seen().count("Memory in force") == 1
    assert STANDS in again.seen()


def test_what_was_compacted_comes_again(machine: Machine) -> None:
    first = machine.play("look at the tests", [text("I did.")])
    resumed = ("--resume", first.session)
    compacted = machine.play("/compact", more=resumed)
    require_quiet(compacted)
    sources = [p.get("source") for p in compacted.payloads if "source" in p]
    assert sources == ["resume", "compact"]
    last = machine.play("go on", [text("ok")], more=resumed)

    require_quiet(last)
    assert last.seen().count(BLOCK) == 1
    assert all(last.seen().count(title) == 1 for title in RULE)
    assert "the conversation was compacted" in last.seen()


def test_a_subagent_is_given_the_footer_only(machine: Machine) -> None:
    asked = tool(
        "Agent", description="look", prompt="看看 look", subagent_type="general-purpose",
        run_in_background=False,
    )  # fmt: skip
    played = machine.play("look around", [asked], [text("nothing")], [text("done")])

    require_quiet(played)
    own = next(
        "\n".join(str(message) for message in request["messages"])
        for request in played.requests
        if "SubagentStart hook additional context" in str(request["messages"])
    )
    assert own.count("`mvault search WORDS` finds them") == 1
    assert BLOCK not in own
    assert not any(title in own for title in RULE)


@pytest.mark.parametrize("kind", ["settings", "gone"])
def test_a_broken_vault_keeps_nobody_from_work(machine: Machine, kind: str) -> None:
    if kind == "gone":
        shutil.rmtree(machine.vault)
    else:
        (machine.vault / "vault.toml").write_text("[[[")
    played = machine.play("hello", [bash("echo went-on")], [text("done")])

    assert played.done.returncode == 0
    assert BLOCK not in played.seen()
    assert played.results() == ["went-on"]
    assert all(answer["outcome"] == "success" for answer in played.hooks())
    found = machine.data("install", "--check", "claude-code", code=0 if kind == "gone" else 1)
    (host,) = found["hosts"]
    said = host["notes"] if kind == "gone" else host["problems"]
    assert ("gives nothing" if kind == "gone" else "vault.toml cannot be read") in " ".join(said)


def test_the_block_of_an_instruction_file_is_read(bare: Machine) -> None:
    bare.admit("add", "rule", "--title", RULE[1], "--required", "--body", "没有例外。")
    bare.mvault("install", "claude-code", "--project", "--block", "--yes")
    bare.mvault("uninstall", "claude-code", "--yes")
    assert "@AGENTS.md" in (bare.work / "CLAUDE.md").read_text()
    (bare.work / ".claude/settings.local.json").unlink()  # the file alone, without its hooks
    played = bare.play("hello", [text("done")])
    assert played.seen().count(RULE[1]) == 1
    assert "mvault:begin" not in played.seen()


@pytest.mark.parametrize("own", ["", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
def test_check_knows_whether_agents_md_is_read(bare: Machine, own: str) -> None:
    bare.admit("add", "rule", "--title", RULE[1], "--required", "--body", "没有例外。")
    bare.mvault("install", "codex", "--project", "--block", "--yes")
    if own:
        (bare.work / own).parent.mkdir(exist_ok=True)
        (bare.work / own).write_text("mine 我的\n")
    seen = bare.play("hello", [text("done")]).seen()
    (found,) = bare.data("install", "--check", "claude-code")["hosts"]
    read = [file["path"] for file in found["instructions"]["files"] if file["block"]]
    assert seen.count(RULE[1]) == len(read) == (0 if own else 1)


def test_what_is_a_persons_is_read_where_the_program_looks(bare: Machine) -> None:
    own = bare.home / "elsewhere"
    bare.env["CLAUDE_CONFIG_DIR"] = str(own)
    bare.admit("add", "rule", "--title", RULE[0], "--required", "--body", "No exception.")
    bare.mvault("install", "claude-code", "--block", "--yes")
    played = bare.play("hello", [text("done")])
    assert played.seen().count(RULE[0]) == 1  # the file says it, and the hook not again
    assert "twice" not in bare.mvault("install", "--check", "claude-code")
    assert not (bare.home / ".claude").exists()


# Guards and failures


@pytest.mark.parametrize(
    ("title", "instead"),
    [("npx goes to the network", "make check"), ("npx 会联网", "用 make 检查")],
)
def test_a_warning_stops_the_first_call_only(machine: Machine, title: str, instead: str) -> None:
    made = machine.mvault(
        "guard", "add", "--title", title, "--match", "npx tsc", "--instead", instead
    )
    machine.mvault("approve", "--yes", made.split()[-1])
    step = bash("cd . && npx tsc --version 2>/dev/null || echo was-run")
    (machine.home / "bin/npx").write_text("#!/bin/sh\nexit 1\n")
    (machine.home / "bin/npx").chmod(0o755)

    played = machine.play("build", [step], [step], [text("done")])

    require_quiet(played)
    stopped, passed = played.results()
    assert title in stopped
    assert instead in stopped
    assert passed == "was-run"
    assert [p["hook_event_name"] for p in played.payloads].count("PostToolUse") == 1


def test_a_refusal_holds_and_names_its_way_out(machine: Machine) -> None:
    made = machine.mvault(
        "guard", "add", "--title", "不要强推 never force-push", "--match", "git push --force",
        "--action", "deny", "--instead", "git push",
    ).split()[-1]  # fmt: skip
    machine.mvault("approve", "--yes", made)
    step = bash("git push --force")

    played = machine.play("push it", [step], [step], [text("done")])

    require_quiet(played)
    assert len(played.results()) == 2
    for result in played.results():
        assert "不要强推 never force-push" in result
        assert f"mvault guard off {made}" in result


def test_failures_are_counted_and_proposed_as_a_guard(machine: Machine) -> None:
    step = bash("python3 -c 'import 没有这个模块'")
    played = machine.play("try", [step], [step], [step], [bash("echo 好")], [text("done")])

    require_quiet(played)
    counted = machine.data("guard", "failures")
    assert counted["raw"] == 3
    assert counted["failures"][0]["due"]
    machine.mvault("guard", "propose")
    proposed = [row for row in machine.data("list")["records"] if row["status"] == "candidate"]
    assert len(proposed) == 1
    machine.mvault("guard", "propose")
    assert len(machine.data("list")["records"]) == len(RULE) + 1


# What sessions may teach


@pytest.mark.parametrize(
    ("did", "correction"),
    [
        ("I installed the packages with npm.", "No, don't use npm, use pnpm"),
        ("我用 npm 装好了依赖。", "不要用 npm,用 pnpm"),
    ],
)
def test_a_correction_is_captured_with_what_it_answers(
    machine: Machine, did: str, correction: str
) -> None:
    first = machine.play("install the packages", [bash("echo npm install")], [text(did)])
    machine.play(correction, [text("ok")], more=("--resume", first.session))
    machine.mvault("capture", "sessions")

    (item,) = machine.data("capture", "list")["items"]
    assert item["kind"] == "correction"
    assert item["text"] == correction
    assert item["detail"]["agent"] == did


@pytest.mark.parametrize("correction", ["No, don't use npm, use pnpm", "不要用 npm,用 pnpm"])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_what_is_typed_at_a_terminal_is_captured(
    machine: Machine, correction: str, meanwhile: bool
) -> None:
    step = bash("sleep 4; echo npm install" if meanwhile else "echo npm install")
    said = [] if meanwhile else [[text("I used npm. 我用了 npm。")]]
    with Terminal(machine, [step], *said, [text("ok")]) as terminal:
        terminal.type_in("install the packages", requests=1 if meanwhile else 2)
        terminal.type_in(correction, requests=2 if meanwhile else 3)
        assert terminal.leave() == 0
    assert "hook error" not in terminal.shown
    machine.mvault("capture", "sessions")
    (item,) = machine.data("capture", "list")["items"]
    assert (item["kind"], item["text"]) == ("correction", correction)
    assert "npm install" in item["detail"]["call"]


def test_what_failed_and_what_mended_it_is_captured(machine: Machine) -> None:
    bad, good = bash("python3 -c 'import 没有这个模块'"), bash("python3 -c 'import json'")
    machine.play("try", [bad], [bad], [good], [text("done")])
    machine.mvault("capture", "sessions")

    kinds = {item["kind"]: item for item in machine.data("capture", "list")["items"]}
    assert set(kinds) == {"repeated-error", "failed-then-fixed"}
    assert kinds["failed-then-fixed"]["detail"]["worked"] == good["input"]["command"]


def test_what_mvault_said_is_never_captured(machine: Machine) -> None:
    for words in ("No, don't use npm, always use pnpm", "不对,以后不要用 npm,要用 pnpm"):
        machine.admit("add", "lesson", "--title", words, "--section", f"correction={words}")
    first = machine.play("go", [text("ok")])
    assert first.seen().count("always use pnpm") >= 1
    machine.play("/compact", more=("--resume", first.session))
    machine.play(
        "No, don't use npm, always use pnpm", [text("ok")], more=("--resume", first.session)
    )
    machine.mvault("capture", "sessions")
    assert machine.data("capture", "list")["items"] == []


# Tools and skills


@pytest.mark.parametrize("way", ["config", "plugin", "project"])
def test_the_server_is_connected_and_its_tools_work(bare: Machine, way: str) -> None:
    title, words, _ = LANGUAGES["zh"]
    bare.admit("add", "note", "--title", title, "--body", words)
    more: tuple[str, ...] = ()
    name = "mcp__plugin_mvault_mvault__" if way == "plugin" else "mcp__mvault__"
    if way == "config":
        servers = {"mcpServers": {"mvault": {"command": "mvault", "args": ["mcp"]}}}
        more = ("--mcp-config", json.dumps(servers))
    elif way == "plugin":
        with_plugin(bare)
    else:
        bare.mvault("install", "claude-code", "--project", "--mcp", "--yes")
        allowed = {"enableAllProjectMcpServers": True}
        (bare.home / ".claude").mkdir(exist_ok=True)
        bare.settings.write_text(json.dumps(allowed))

    played = bare.play(
        "use memory",
        [bash("sleep 4")],  # a server of a plugin is connected while the session goes on
        [tool("ToolSearch", query=f"select:{name}search,{name}remember", max_results=5)],
        [tool(f"{name}search", query="幂等键")],
        [
            tool(
                f"{name}remember",
                kind="lesson",
                title="用 pnpm Use pnpm",
                sections={"problem": "x"},
            )
        ],
        [tool(f"{name}approve", id="x")],
        [text("done")],
        more=more,
    )

    _, _, found, remembered, approved = played.results()
    assert title in found
    assert "No such tool" in approved
    assert "candidate" in remembered or "draft" in remembered, remembered
    made = {row["title"]: row["status"] for row in bare.data("list")["records"]}
    assert made == {title: "active", "用 pnpm Use pnpm": "candidate"}


def test_a_graduated_skill_is_listed_and_loaded(machine: Machine) -> None:
    key = machine.admit(
        "add", "recipe", "--title", "Rotate the keys 轮换密钥", "--applies-when", "每季度 quarterly",
        "--section", "problem=Old keys stop working.", "--section", "steps=1. Renew. 重新生成。",
    )  # fmt: skip
    for _ in range(3):
        machine.mvault("used", key, "--ok", "--yes")
    machine.mvault("graduate", key, "--name", "rotate-keys", "--force", "-r", "proven", "--yes")
    assert "does not find: rotate-keys" in machine.mvault("install", "--check")
    machine.mvault("install", "claude-code", "--yes")

    played = machine.play("hello", [tool("Skill", skill="rotate-keys")], [text("done")])

    require_quiet(played)
    assert "- rotate-keys: Rotate the keys 轮换密钥" in played.seen(0)
    assert "Renew. 重新生成。" not in played.seen(0)
    assert "Renew. 重新生成。" in played.seen()


@pytest.mark.parametrize(("shared", "local"), [("true", ""), ("true", "false"), ("", "true")])
def test_check_knows_when_hooks_are_switched_off(machine: Machine, shared: str, local: str) -> None:
    (machine.work / ".claude").mkdir()
    for name, value in (("settings.json", shared), ("settings.local.json", local)):
        if value:
            (machine.work / ".claude" / name).write_text(f'{{"disableAllHooks": {value}}}')
    is_given = BLOCK in machine.play("hello", [text("done")]).seen()
    said = machine.mvault("install", "--check", code=0 if is_given else 1)
    assert ("disableAllHooks" in said) is not is_given


# In and out


@pytest.mark.parametrize("where", [(), ("--project",)])
def test_out_again_leaves_the_settings_of_a_used_program(
    bare: Machine, where: tuple[str, ...]
) -> None:
    own = '{\n  "env": { "GREETING": "你好" },\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}\n'
    path = bare.work / ".claude/settings.local.json" if where else bare.settings
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(own)
    bare.mvault("install", "claude-code", *where, "--yes")
    require_quiet(bare.play("hello", [bash("echo $GREETING")], [text("done")]))
    bare.mvault("uninstall", "claude-code", *where, "--yes")
    assert path.read_text() == own
    assert bare.play("hello", [text("done")]).hooks() == []


def test_a_session_waits_for_no_hook(machine: Machine) -> None:
    """What the program itself measured, of the second session on: hooks of a prompt and of tools."""
    machine.play("hello", [text("done")])
    played = machine.play("hello", [bash("true")], [bash("false")], [text("done")])
    require_quiet(played)
    log = next((machine.home / ".claude/projects").rglob(f"{played.session}.jsonl"))
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    took = {
        row["attachment"]["hookEvent"]: row["attachment"]["durationMs"]
        for row in rows
        if row.get("attachment", {}).get("type") == "hook_success"
        and re.search(r"main\.py|guards\.bin", row["attachment"]["command"])
    }
    assert set(took) >= {"SessionStart", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"}
    assert all(spent < 1500 for spent in took.values()), took  # of the 1.5 s of a SessionEnd
    assert ended_last(machine) == played.session
