"""mvault in the real OpenCode: its plugin, `AGENTS.md`, MCP server, skills.

Skipped unless `MVAULT_REAL_AGENTS` names the folder of the program (1.18.33 was used).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from real.chat_checks import counts_failures, stops_once_or_always
from real.chat_session import DONE, FACT, PORT, RULE, Machine, Session
from real.home import Turn

SETTINGS = f"""\
{{
  // 我的设置 (mine); OpenCode writes the next line itself where it is missing
  "$schema": "https://opencode.ai/config.json",
  "model": "scripted/m",
  "provider": {{"scripted": {{
    "npm": "@ai-sdk/openai-compatible",
    "options": {{"baseURL": "http://127.0.0.1:{PORT}/v1", "apiKey": "dummy"}},
    "models": {{"m": {{"name": "m"}}}}
  }}}},
}}
"""


def shell(command: str) -> Turn:
    return [{"call": "bash", "arguments": {"command": command, "description": "x"}}]


def answers(session: Session) -> list[str]:
    """What tools said, in the last request."""
    messages = session.requests[-1]["messages"]
    return [str(each["content"]) for each in messages if each["role"] == "tool"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    env = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    found = Machine(tmp_path, "opencode", "opencode", env)
    settings = found.home / ".config/opencode/opencode.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS, "utf-8")
    # it installs a package for plugins in the background, and tries for a minute without a network
    (found.home / ".npmrc").write_text("fetch-retries=0\noffline=true\n", "utf-8")
    found.keep(*RULE)
    found.keep(*FACT)
    return found


@pytest.fixture
def attached(machine: Machine) -> Machine:
    machine.install()
    return machine


def test_the_block_is_in_every_request_once(attached: Machine) -> None:
    session = attached.run([shell("echo one"), DONE], "run", "请安装依赖 install").ok(2)
    assert [session.blocks(0), session.blocks(1)] == [1, 1]
    assert session.text(0).count("Use pnpm, never npm") == 1
    assert session.text(0).count("测试库的端口是 5544") == 1
    assert attached.complaints() == ""


def test_guards_stop_once_or_always_and_name_the_way_out(attached: Machine) -> None:
    stops_once_or_always(attached, ["run"], shell, answers)


def test_failing_tools_are_counted(attached: Machine) -> None:
    counts_failures(attached, ["run"], shell)


def test_a_broken_vault_or_no_program_breaks_nothing(attached: Machine) -> None:
    attached.guard("不要直接迁移", "sh migrate.sh", "deny")
    attached.break_vault()
    assert "it runs" in attached.run([shell("echo it runs"), DONE], "run", "go on").ok(2).text()
    plugin = attached.home / ".config/opencode/plugins/mvault.js"
    plugin.write_text(plugin.read_text("utf-8").replace("main.py", "gone.py"), "utf-8")
    assert "it runs" in attached.run([shell("echo it runs"), DONE], "run", "go on").ok(2).text()


def test_the_server_is_attached_and_what_it_keeps_waits_for_a_person(machine: Machine) -> None:
    machine.install("--mcp")
    remember = {"kind": "fact", "title": "缓存在 9 号机"}
    script: list[Turn] = [
        [{"call": "mvault_remember", "arguments": remember}],
        [{"call": "mvault_search", "arguments": {"query": "pnpm"}}],
        DONE,
    ]
    session = machine.run(script, "run", "remember where the cache is").ok(3)
    assert {"mvault_remember", "mvault_search", "mvault_context"} <= session.tools()
    assert not any("approve" in name for name in session.tools())
    assert "Use pnpm, never npm" in answers(session)[-1]
    assert "缓存在 9 号机" in machine.mvault("list", "--status", "candidate").ok().out


def test_skills_of_the_project_are_listed(attached: Machine) -> None:
    skill = attached.project / ".agents/skills/demo-skill"
    skill.mkdir(parents=True)
    text = "---\nname: demo-skill\ndescription: 发布步骤 release steps\n---\nDo it.\n"
    (skill / "SKILL.md").write_text(text, "utf-8")
    session = attached.run([DONE], "run", "hello").ok(1)
    assert "demo-skill" in json.dumps(session.requests[0], ensure_ascii=False)


def test_the_check_knows_the_plugin(machine: Machine) -> None:
    assert "hooks: none" in machine.mvault("install", "--check", "opencode").out
    machine.install()
    plugin = machine.home / ".config/opencode/plugins/mvault.js"
    assert f"hooks: {plugin}: tool.execute.before" in machine.mvault(
        "install", "--check", "opencode"
    ).ok().out  # fmt: skip
    plugin.write_text(plugin.read_text("utf-8").replace("5000", "4000"), "utf-8")
    assert "written by another version" in machine.mvault("install", "--check", "opencode").out


def test_uninstall_gives_everything_back(machine: Machine) -> None:
    folder = machine.home / ".config/opencode"
    (folder / "AGENTS.md").write_text("# 我的规则\n\nBe brief.\n", "utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    machine.install("--mcp")
    assert machine.run([DONE], "run", "hello").ok(1).blocks() == 1
    for junk in ("node_modules", "package.json", "bun.lock", ".gitignore", "package-lock.json"):
        target = folder / junk  # what OpenCode itself puts there for plugins
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    machine.mvault("uninstall", "opencode", "--yes").ok()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_prompt_brings_what_fits_it_and_once(attached: Machine) -> None:
    """What came in after `AGENTS.md` was written is in no block: a prompt about it brings it."""
    attached.mvault("config", "set", "render.mode", "assist", "--yes").ok()
    title = "导入器在空文件上会崩溃 The importer crashes on an empty file"
    attached.keep("lesson", "--title", title, "--body", "Check its size first.")
    script = [shell("echo one"), DONE]
    session = attached.run(script, "run", "导入器 importer crashes on an empty file, why").ok(2)
    assert [session.text(n).count("导入器在空文件上会崩溃") for n in (0, 1)] == [1, 1]
    assert session.text(0).index("why") < session.text(0).index("导入器在空文件上会崩溃")
    again = attached.run([DONE], "run", "--continue", "the importer crashes, empty file").ok(1)
    assert again.text(0).count("导入器在空文件上会崩溃") == 1
    assert attached.complaints() == ""
