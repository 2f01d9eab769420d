"""mvault in the real Gemini CLI: hooks, `GEMINI.md`, MCP server, skills.

Skipped unless `MVAULT_REAL_AGENTS` names the folder of the program (0.61.0 was used).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from real.chat_checks import counts_failures, stops_once_or_always
from real.chat_session import DONE, FACT, PORT, RULE, Machine, Session
from real.home import Turn

SETTINGS = """\
{
  // 我的设置 (mine)
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false}
}
"""
RUN = ("-m", "gemini-2.5-pro", "-y", "-p")
"""A named model is not chosen by another one; no call is asked about."""


def shell(command: str) -> Turn:
    arguments = {"command": command, "description": "x"}
    return [{"call": "run_shell_command", "arguments": arguments}]


def answers(session: Session) -> list[str]:
    """What tools said, in the last request."""
    parts = [part for each in session.requests[-1]["contents"] for part in each["parts"]]
    found = [part["functionResponse"] for part in parts if "functionResponse" in part]
    return [json.dumps(each["response"], ensure_ascii=False) for each in found]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    env = {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{PORT}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    found = Machine(tmp_path, "gemini", "gemini-cli", env)
    settings = found.home / ".gemini/settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS, "utf-8")
    found.keep(*RULE)
    found.keep(*FACT)
    return found


@pytest.fixture
def attached(machine: Machine) -> Machine:
    machine.install()
    return machine


def test_the_block_is_in_every_request_once_and_nobody_is_told_of_a_compaction(
    attached: Machine,
) -> None:
    script = [shell("echo one"), shell("echo two"), DONE]
    session = attached.run(script, *RUN, "请安装依赖 install").ok(3)
    assert [session.blocks(number) for number in range(3)] == [1, 1, 1]
    assert session.text(0).count("Use pnpm, never npm") == 1
    assert session.text(2).count("测试库的端口是 5544") == 1
    assert "compacted" not in session.out + session.err
    again = attached.run([DONE], *RUN, "and now the tests", "--resume", "latest").ok(1)
    assert again.blocks() == 1
    assert "the conversation was compacted" not in again.text()
    assert attached.complaints() == ""


def test_guards_stop_once_or_always_and_name_the_way_out(attached: Machine) -> None:
    stops_once_or_always(attached, RUN, shell, answers)


def test_failing_tools_are_counted(attached: Machine) -> None:
    for line in counts_failures(attached, RUN, shell):
        assert "untrusted_context" not in line
        assert "PGID" not in line


@pytest.mark.parametrize(
    "prompt",
    ["不对，以后不要用 npm，应该用 make test", "No, that's wrong: always use make lint instead"],
)
def test_a_correction_in_the_first_prompt_is_captured(attached: Machine, prompt: str) -> None:
    attached.run([DONE], *RUN, prompt).ok(1)
    attached.mvault("capture", "sessions").ok()
    listed = attached.mvault("capture", "list").ok().out
    assert prompt[:20] in listed
    assert "Memory in force" not in listed


def test_a_broken_vault_breaks_nothing(attached: Machine) -> None:
    attached.guard("不要直接迁移", "sh migrate.sh", "deny")
    attached.break_vault()
    session = attached.run([shell("echo it runs"), DONE], *RUN, "go on").ok(2)
    assert "it runs" in answers(session)[0]


def test_the_server_is_attached_and_what_it_keeps_waits_for_a_person(machine: Machine) -> None:
    machine.install("--mcp")
    remember = {"kind": "fact", "title": "缓存在 9 号机"}
    script: list[Turn] = [
        [{"call": "mcp_mvault_remember", "arguments": remember}],
        [{"call": "mcp_mvault_search", "arguments": {"query": "pnpm"}}],
        DONE,
    ]
    session = machine.run(script, *RUN, "remember where the cache is").ok(3)
    assert {"mcp_mvault_remember", "mcp_mvault_search"} <= session.tools()
    assert not any("approve" in name for name in session.tools())
    assert "Use pnpm, never npm" in answers(session)[-1]
    assert "缓存在 9 号机" in machine.mvault("list", "--status", "candidate").ok().out


def test_instruction_files_and_skills_are_read(machine: Machine) -> None:
    machine.install("--block")
    skill = machine.project / ".agents/skills/demo-skill"
    skill.mkdir(parents=True)
    text = "---\nname: demo-skill\ndescription: 发布步骤 release steps\n---\nDo it.\n"
    (skill / "SKILL.md").write_text(text, "utf-8")
    session = machine.run([DONE], *RUN, "hello").ok(1)
    assert "Use pnpm, never npm" in session.text()
    assert "demo-skill" in json.dumps(session.requests[0], ensure_ascii=False)


def test_uninstall_gives_everything_back(machine: Machine) -> None:
    folder = machine.home / ".gemini"
    (folder / "GEMINI.md").write_text("# 我的规则\n\nBe brief.\n", "utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    machine.install("--mcp", "--block")
    assert machine.mvault("install", "--check", "gemini-cli").ok()
    machine.mvault("uninstall", "gemini-cli", "--yes").ok()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
