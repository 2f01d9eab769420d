"""`install` and `uninstall`: what goes into the files of agent programs, and out again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from skills_ref import validate

from tests.helpers import DATA, Result, make_vault, run
from vault_cli.hosts.install.codex_trust import handlers_in
from vault_cli.hosts.install.commands import (
    Program,
    hook_command,
    is_ours,
    plugin_command,
    portable_command,
)
from vault_cli.hosts.install.hooks import find_hooks, with_hooks, without_hooks
from vault_cli.hosts.table import HOSTS
from vault_cli.text.json_patch import read_json_text

USER_FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "dsh": ".dsh/mvault-hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
}
MINE = """{
  // 我的设置
  "version": 1,
  "theme": "dark", /* at night */
  "hooks": {
    "%s": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh"}]}, // mine
    ],
  },
}
"""
RULE = "---\nid: r-0000001\nkind: rule\nstatus: active\ntitle: 先跑测试\n---\nmake test\n"
SKILL = (
    "---\nname: find-flaky\ndescription: Finds flaky tests.\n"
    "metadata:\n  mvault-id: k-0000001\n  mvault-status: active\n---\n# Find them\n"
)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with nothing in it, and a project below it."""
    home = tmp_path / "家"
    (home / "project").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", home / "project"], check=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DSH_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def root(machine: Path) -> Path:
    return make_vault(machine, {"playbook/r-0000001.md": RULE})


def mvault(root: Path, *words: str) -> Result:
    return run("--vault", root, *words, cwd=root.parent / "project")


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but those of git and of mvault."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(part in name for part in (".git/", "vault/", ".local/")):
            found[name] = path.read_bytes()
    return found


def first_event(host: str) -> str:
    place = HOSTS[host].hooks
    assert place is not None
    return next(event for event, _ in place.events if "ool" in event or "hell" in event)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("where", [(), ("--project",)])
def test_out_again_leaves_every_byte_as_it_was(
    machine: Path, root: Path, host: str, where: tuple[str, ...]
) -> None:
    place = HOSTS[host].hooks
    name = USER_FILES.get(host) if not where else place.project if place else ""
    if name and place and not place.is_own:
        target = (machine / "project" if where else machine) / name
        target.parent.mkdir(parents=True)
        target.write_bytes((MINE % first_event(host)).replace("\n", "\r\n").encode())
    (machine / "project/AGENTS.md").write_text("# 项目\n\nMine.\n")
    before = everything(machine)

    mvault(root, "install", host, *where, "--mcp", "--yes").ok()
    after = everything(machine)
    mvault(root, "uninstall", host, *where, "--yes").ok()

    if (host, bool(where)) != ("dsh", True):
        assert after != before
    for path, data in before.items():
        lines = data.decode().splitlines()
        assert [line for line in lines if line not in after[path].decode().splitlines()] == []
    assert everything(machine) == before


@pytest.mark.parametrize("host", USER_FILES)
def test_again_changes_nothing(machine: Path, root: Path, host: str) -> None:
    mvault(root, "install", host, "--yes").ok()
    before = everything(machine)

    result = mvault(root, "install", host).ok()

    assert "nothing to do" in result.err
    assert everything(machine) == before


@pytest.mark.parametrize("host", USER_FILES)
def test_what_is_written_is_what_the_host_reads(machine: Path, root: Path, host: str) -> None:
    mvault(root, "install", host, "--yes").ok()

    data = json.loads((machine / USER_FILES[host]).read_text())

    place = HOSTS[host].hooks
    assert place is not None
    assert list(data["hooks"]) == [event for event, _ in place.events]
    for entries in data["hooks"].values():
        (entry,) = entries
        handlers = entry["hooks"] if host != "cursor" else [entry]
        (handler,) = handlers
        assert is_ours(handler["command"])
        assert handler["timeout"] <= (20_000 if host == "gemini-cli" else 20)


def test_without_a_person_it_is_shown_and_not_written(machine: Path, root: Path) -> None:
    result = mvault(root, "--json", "install", "claude-code")

    assert result.code == 3
    assert "SessionStart" in result.data["diff"]
    assert everything(machine) == {}
    assert mvault(root, "install", "claude-code", "--dry-run").ok().out.count("+++") == 1
    assert everything(machine) == {}


def test_settings_that_cannot_be_read_are_refused_and_named(machine: Path, root: Path) -> None:
    (machine / ".gemini").mkdir()
    (machine / ".gemini/settings.json").write_text('{\n  "hooks": {\n')

    result = mvault(root, "install", "gemini", "--mcp", "--yes")

    assert result.code == 4
    assert "settings.json, line 3" in result.err
    assert set(everything(machine)) == {".gemini/settings.json"}


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', '"x"'])
def test_another_layout_is_refused(machine: Path, root: Path, text: str) -> None:
    (machine / ".claude").mkdir()
    (machine / ".claude/settings.json").write_text(text)

    assert mvault(root, "install", "claude-code", "--yes").code == 4
    assert (machine / ".claude/settings.json").read_text() == text


def test_an_old_command_is_renewed_where_a_person_put_it() -> None:
    place = HOSTS["claude-code"].hooks
    assert place is not None
    old = "exec /gone/python -I -S /gone/vault_cli/hook/main.py claude-code Stop /state"
    text = json.dumps(
        {
            "hooks": {
                "Stop": [
                    {"hooks": [{"command": old}, {"command": "mine"}]},
                    {"hooks": [{"command": old}]},
                ],
                "Retired": [{"hooks": [{"type": "command", "command": old}]}],
            }
        },
        indent=1,
    )

    new = with_hooks(text, place, lambda event: f"mvault hook claude-code {event}")

    data = read_json_text(new)
    assert "Retired" not in data["hooks"]
    assert data["hooks"]["Stop"] == [
        {
            "hooks": [
                {"type": "command", "command": "mvault hook claude-code Stop", "timeout": 5},
                {"command": "mine"},
            ]
        }
    ]
    assert read_json_text(without_hooks(new, place)) == {
        "hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}
    }


def test_a_link_stays_a_link(machine: Path, root: Path) -> None:
    (machine / "dotfiles").mkdir()
    (machine / "dotfiles/claude.json").write_text("{}\n")
    (machine / ".claude").mkdir()
    (machine / ".claude/settings.json").symlink_to(machine / "dotfiles/claude.json")

    mvault(root, "install", "claude-code", "--yes").ok()

    assert (machine / ".claude/settings.json").is_symlink()
    assert find_hooks((machine / "dotfiles/claude.json").read_text())


def test_comments_of_toml_stay(machine: Path, root: Path) -> None:
    text = '# mine\nmodel = "gpt"  # 大的\n\n[mcp_servers.other]\ncommand = "x"\n'
    (machine / ".codex").mkdir()
    (machine / ".codex/config.toml").write_text(text)

    mvault(root, "install", "codex", "--mcp", "--yes").ok()

    new = (machine / ".codex/config.toml").read_text()
    assert new.startswith(text)
    assert '[mcp_servers.mvault]\ncommand = "mvault"\nargs = ["mcp"]' in new
    mvault(root, "uninstall", "codex", "--yes").ok()
    assert (machine / ".codex/config.toml").read_text() == text


def test_a_command_is_one_constant_line() -> None:
    """Codex trusts a hook by the hash of its line."""
    program = Program(
        "/opt/mvault/bin/python", "/opt/lib/vault_cli/hook/main.py", "/home/dev/state"
    )

    line = hook_command(program, "codex", "PreToolUse")

    assert line == (
        "[ -s /home/dev/state/hook/guards.bin ] && [ -x /opt/mvault/bin/python ] &&"
        " [ -f /opt/lib/vault_cli/hook/main.py ] || { echo '{}'; exit 0; };"
        " exec /opt/mvault/bin/python -I -S /opt/lib/vault_cli/hook/main.py codex PreToolUse"
        " /home/dev/state"
    )


def shell(line: str, payload: bytes, **environ: str) -> tuple[int, Any]:
    """Run a line as an agent program does, and read its answer."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=payload, capture_output=True, env={**os.environ, **environ}, check=False,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(params=["claude-code", "codex", "gemini-cli", "cursor"])
def lines(request: pytest.FixtureRequest, machine: Path, root: Path) -> tuple[str, dict[str, str]]:
    """The command lines as they stand in a host's settings, by event."""
    host = str(request.param)
    mvault(root, "install", host, "--yes").ok()
    found = find_hooks((machine / USER_FILES[host]).read_text())
    return host, {event: line for event, (line,) in found.items()}


def test_the_installed_line_gives_the_block(
    machine: Path, root: Path, lines: tuple[str, dict[str, str]]
) -> None:
    host, commands = lines
    event = next(iter(commands))
    payload = json.loads((DATA / f"hook-payloads/{host}/{event}.json").read_text())
    payload["cwd"] = str(machine / "project")
    payload["workspace_roots"] = [payload["cwd"]]

    code, answer = shell(commands[event], json.dumps(payload).encode(), MVAULT=str(root))

    assert code == 0
    assert "先跑测试" in json.dumps(answer, ensure_ascii=False)


def test_without_a_guard_no_interpreter_is_started(
    machine: Path, lines: tuple[str, dict[str, str]]
) -> None:
    host, commands = lines
    line = commands[first_event(host)]

    assert shell(line, b"{}", PATH="/nowhere") == (0, {})


def test_a_program_that_is_gone_says_nothing(tmp_path: Path) -> None:
    program = Program(str(tmp_path / "python"), str(tmp_path / "main.py"), str(tmp_path))
    for event in ("SessionStart", "PreToolUse"):
        assert shell(hook_command(program, "codex", event), b"{}") == (0, {})
    for line in (portable_command("copilot", "sessionStart"), plugin_command("SessionStart")):
        assert shell(line, b"{}", PATH="/nowhere") == (0, {})


def test_the_plugin_knows_which_program_runs_it(tmp_path: Path) -> None:
    fake = tmp_path / "bin/mvault"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\necho "[\\"$2\\"]"\n')
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"

    assert shell(plugin_command("Stop"), b"", PATH=path, PLUGIN_ROOT="")[1] == ["claude-code"]
    assert shell(plugin_command("Stop"), b"", PATH=path, PLUGIN_ROOT="/x")[1] == ["codex"]


@pytest.mark.parametrize("is_plugin", [False, True])
def test_commands_without_a_path_ask_the_shell_for_guards_first(
    machine: Path, tmp_path: Path, is_plugin: bool
) -> None:
    fake = tmp_path / "bin/mvault"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho '[1]'\n")
    fake.chmod(0o755)
    given = {"PATH": f"{fake.parent}:{os.environ['PATH']}", "MVAULT_STATE_DIR": ""}
    tool = plugin_command("PreToolUse") if is_plugin else portable_command("codex", "PreToolUse")
    stop = plugin_command("Stop") if is_plugin else portable_command("codex", "Stop")

    for state, named in ((machine / ".local/state", ""), (machine / "状态", str(machine / "状态"))):
        given["XDG_STATE_HOME"] = named
        assert shell(tool, b"", **given) == (0, {})
        assert shell(stop, b"", **given) == (0, [1])
        (state / "mvault/hook").mkdir(parents=True)
        (state / "mvault/hook/guards.bin").write_bytes(b"x")
        assert shell(tool, b"", **given) == (0, [1])

    given |= {"XDG_STATE_HOME": "/nowhere", "MVAULT_STATE_DIR": "/elsewhere"}
    assert shell(tool, b"", **given) == (0, [1])


def test_the_plugin_folder(machine: Path, root: Path) -> None:
    folder = machine / "plugin"

    mvault(root, "install", "--plugin", str(folder), "--yes").ok()

    own = folder / "plugins/mvault"
    market = json.loads((folder / ".claude-plugin/marketplace.json").read_text())
    assert market["plugins"][0]["source"] == "./plugins/mvault"
    assert json.loads((own / ".claude-plugin/plugin.json").read_text())["name"] == "mvault"
    assert find_hooks((own / "hooks/hooks.json").read_text())
    assert validate(own / "skills/recall") == []
    assert len((own / "README.md").read_text().split()) >= 40
    assert "nothing to do" in mvault(root, "install", "--plugin", str(folder)).ok().err


def test_a_block_for_programs_without_hooks_at_the_start(machine: Path, root: Path) -> None:
    mvault(root, "install", "opencode", "--yes").ok()
    assert "先跑测试" in (machine / ".config/opencode/AGENTS.md").read_text()

    mvault(root, "install", "claude-code", "--project", "--block", "--yes").ok()
    assert "先跑测试" in (machine / "project/AGENTS.md").read_text()
    assert "@AGENTS.md" in (machine / "project/CLAUDE.md").read_text()


@pytest.mark.parametrize("text", ["set nocompatible\n", "# 私人笔记\n"])
def test_no_block_goes_through_a_link_out_of_the_project(
    machine: Path, root: Path, text: str
) -> None:
    (machine / "rc").write_text(text, "utf-8")
    (machine / "project" / ".git").mkdir(exist_ok=True)
    (machine / "project" / "AGENTS.md").symlink_to(machine / "rc")
    for words in (["install", "codex", "--project", "--block", "--yes"], ["render", "--to"]):
        target = ["AGENTS.md"] if words[0] == "render" else []
        result = mvault(root, *words, *target)
        assert result.code == 4
        assert "leads out of" in result.err
    assert (machine / "rc").read_text("utf-8") == text


def review_hooks(machine: Path) -> None:
    """Have a person trust the project and all hooks of Codex, as its first dialogues do."""
    top = machine / "project"
    lines = [f"[projects.{json.dumps(str(top), ensure_ascii=False)}]", 'trust_level = "trusted"']
    for path in (machine / ".codex/hooks.json", top / ".codex/hooks.json"):
        for handler in handlers_in(path, path.read_text() if path.is_file() else ""):
            lines.append(f"[hooks.state.{json.dumps(handler.key, ensure_ascii=False)}]")
            lines.append(f'trusted_hash = "{handler.digest}"')
    (machine / ".codex").mkdir(exist_ok=True)
    (machine / ".codex/config.toml").write_text("\n".join([*lines, ""]))


def test_check_adds_up_what_a_host_reads(machine: Path, root: Path) -> None:
    project = machine / "project"
    mvault(root, "install", "codex", "--project", "--block", "--yes").ok()
    text = (project / "AGENTS.md").read_text()
    review_hooks(machine)
    assert mvault(root, "install", "--check", "codex").ok().out.count("with the block") == 1

    (project / "AGENTS.md").write_text("字" * 11_000 + "\n\n" + text)
    assert "arrive twice" not in mvault(root, "install", "--check", "codex").out
    result = mvault(root, "--json", "install", "--check", "codex")

    assert result.code == 1
    (found,) = result.data["hosts"]
    assert found["instructions"]["limit"] == 32_768
    assert "where Codex stops reading" in found["problems"][0]
    mvault(root, "install", "codex", "--project", "--block", "--yes").ok()
    assert (project / "AGENTS.md").read_text().startswith("<!-- mvault:begin")
    assert mvault(root, "install", "--check", "codex").ok()


def test_check_says_when_a_hook_starts_nothing(machine: Path, root: Path) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()
    settings = machine / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(sys.executable, "/gone/python"))

    result = mvault(root, "--json", "install", "--check", "claude-code")

    assert result.code == 1
    assert "/gone/python is gone" in result.data["hosts"][0]["problems"][0]


def test_check_measures_a_session_start(machine: Path, root: Path) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()

    (found,) = mvault(root, "--json", "install", "--check", "claude-code").ok().data["hosts"]

    assert found["given"]["bytes"] > found["given"]["characters"] > 50
    assert found["problems"] == []


def test_a_file_for_every_project_gets_nothing_of_one(machine: Path) -> None:
    """`install opencode` inside a project writes the instruction file that all projects read."""
    project = machine / "project"
    run("init", ".mvault", "--in-repo", cwd=project).ok()
    person = {"MVAULT_ACTOR": "person"}

    def remember(title: str, *more: str) -> None:
        own = run("--json", "add", "rule", "--title", title, *more, cwd=project, env=person).ok()
        run("approve", own.data["ids"][0], "--yes", cwd=project, env=person).ok()

    remember("只属于这个项目")
    alone = run("install", "opencode", "--yes", cwd=project).ok()
    assert "mvault init --user" in alone.err
    assert not (machine / ".config/opencode/AGENTS.md").exists()

    run("init", "--user", cwd=project).ok()
    remember("For every project", "--to-user")
    remember("Of mine for one project", "--to-user", "--scope", "project:github.com/acme/web")
    run("install", "opencode", "--yes", cwd=project).ok()
    text = (machine / ".config/opencode/AGENTS.md").read_text("utf-8")
    assert "For every project" in text
    assert "只属于这个项目" not in text
    assert "Of mine for one project" not in text


def test_a_skill_of_a_project_is_placed_in_the_project_only(machine: Path) -> None:
    project = machine / "project"
    run("init", "--user", cwd=project).ok()
    run("init", ".mvault", "--in-repo", cwd=project, env={"MVAULT_ACTOR": "person"}).ok()
    (project / ".mvault/skills/find-flaky").mkdir(parents=True)
    (project / ".mvault/skills/find-flaky/SKILL.md").write_text(SKILL)
    run("install", "claude-code", "--yes", cwd=project).ok()
    assert not (machine / ".claude/skills/find-flaky").exists()

    check = run("install", "--check", "claude-code", cwd=project).ok().out
    assert "`mvault install claude-code --project` places them" in check
    run("install", "claude-code", "--project", "--yes", cwd=project).ok()
    assert (project / ".claude/skills/find-flaky/SKILL.md").exists()
    assert "does not find" not in run("install", "--check", "claude-code", cwd=project).ok().out


def test_check_leaves_no_event_behind(machine: Path, root: Path) -> None:
    """Else `status` would say that hooks took something down, though no agent ran."""
    mvault(root, "install", "claude-code", "--yes").ok()
    mvault(root, "install", "--check", "claude-code").ok()

    assert mvault(root, "--json", "status").ok().data["sessions"]["spooled"] == 0
    assert "taken in" not in mvault(root, "capture", "sessions").ok().err


def test_skills_are_linked_or_copied_and_taken_away_again(machine: Path) -> None:
    root = make_vault(machine, {"skills/find-flaky/SKILL.md": SKILL})
    folder = machine / ".claude/skills"
    mvault(root, "install", "claude-code", "--yes").ok()
    assert (folder / "find-flaky").resolve() == (root / "skills/find-flaky").resolve()
    mvault(root, "uninstall", "claude-code", "--yes").ok()
    assert not (folder / "find-flaky").exists()

    mvault(root, "install", "claude-code", "--skills", "copy", "--yes").ok()
    assert (folder / "find-flaky/SKILL.md").read_text() == SKILL
    (folder / "find-flaky/SKILL.md").write_text("我改过")
    result = mvault(root, "uninstall", "claude-code", "--yes").ok()

    assert "changed by hand" in result.err
    assert (folder / "find-flaky/SKILL.md").read_text() == "我改过"


def test_a_skill_of_somebody_else_stays(machine: Path) -> None:
    root = make_vault(machine, {"skills/find-flaky/SKILL.md": SKILL})
    own = machine / ".claude/skills/find-flaky/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")

    result = mvault(root, "install", "claude-code", "--yes").ok()
    mvault(root, "uninstall", "claude-code", "--yes").ok()

    assert "not ours" in result.err
    assert own.read_text() == "mine"


def test_hooks_may_be_there_before_any_vault(machine: Path) -> None:
    result = run("install", "claude-code", "--yes", cwd=machine / "project").ok()

    assert "no vault here yet" in result.err
    assert (machine / ".claude/settings.json").is_file()


def test_an_unknown_program_is_named_with_those_there_are(root: Path) -> None:
    result = mvault(root, "install", "vim")

    assert result.code == 2
    assert "claude-code, codex" in result.err


def test_the_plugin_for_opencode_is_javascript(machine: Path, root: Path) -> None:
    mvault(root, "install", "opencode", "--yes").ok()
    text = (machine / ".config/opencode/plugins/mvault.js").read_text()

    assert "{{" not in text
    assert json.dumps(sys.executable) in text
    node = shutil.which("node")
    if node:
        path = machine / "check.mjs"
        path.write_text(text)
        subprocess.run([node, "--check", path], check=True)


OWN_SERVER = {
    ".cursor/mcp.json": '{"mcpServers": {"mvault": {"command": "docker", "args": ["run"]}}}\n',
    ".gemini/settings.json": '{"mcpServers": {"mvault": {"command": "mine"}}}\n',
    ".codex/config.toml": '[mcp_servers.mvault]\ncommand = "mine"\n',
}


@pytest.mark.parametrize("name", OWN_SERVER)
def test_a_server_of_that_name_which_a_person_wrote_stays(
    machine: Path, root: Path, name: str
) -> None:
    host = {".cursor": "cursor", ".gemini": "gemini-cli", ".codex": "codex"}[
        name.split("/", maxsplit=1)[0]
    ]
    (machine / name).parent.mkdir()
    (machine / name).write_text(OWN_SERVER[name])

    mvault(root, "install", host, "--mcp", "--yes").ok()
    mvault(root, "uninstall", host, "--yes").ok()

    assert (machine / name).read_text() == OWN_SERVER[name]


def test_claude_md_may_be_a_link_to_agents_md(machine: Path, root: Path) -> None:
    (machine / "project/AGENTS.md").write_text("# 项目\n")
    (machine / "project/CLAUDE.md").symlink_to("AGENTS.md")

    mvault(root, "install", "claude-code", "--project", "--block", "--yes").ok()

    text = (machine / "project/AGENTS.md").read_text()
    assert "先跑测试" in text
    assert "@AGENTS.md" not in text
    assert mvault(root, "install", "--check", "claude-code").code == 0


def test_what_is_yours_goes_into_no_shared_file_unasked(machine: Path, root: Path) -> None:
    result = mvault(root, "install", "cursor", "--project", "--yes").ok()

    assert not (machine / "project/AGENTS.md").exists()
    assert "others get this file" in result.err
    mvault(root, "install", "cursor", "--project", "--block", "--yes").ok()
    assert "先跑测试" in (machine / "project/AGENTS.md").read_text()


def test_the_block_that_others_read_stays(machine: Path, root: Path) -> None:
    mvault(root, "install", "cursor", "--project", "--block", "--yes").ok()
    mvault(root, "install", "claude-code", "--project", "--yes").ok()

    result = mvault(root, "uninstall", "claude-code", "--project", "--yes").ok()

    assert "先跑测试" in (machine / "project/AGENTS.md").read_text()
    assert "keeps its block" in result.err


@pytest.mark.parametrize("text", ["[]", '{"hooks": [1]}', '{"hooks": {"Stop": "x"}}'])
def test_settings_of_another_layout_are_a_problem_and_no_failure(
    machine: Path, root: Path, text: str
) -> None:
    (machine / ".claude").mkdir()
    (machine / ".claude/settings.json").write_text(text)

    assert mvault(root, "uninstall", "claude-code", "--yes").code == 0
    result = mvault(root, "--json", "install", "--check", "claude-code")

    assert result.code == (1 if text == "[]" else 0)
    assert (machine / ".claude/settings.json").read_text() == text


def test_check_says_what_arrives_twice(machine: Path, root: Path) -> None:
    """A hook leaves out what the file says; after an edit of the block by hand it cannot tell."""
    for host in ("codex", "cursor"):
        mvault(root, "install", host, "--project", "--block", "--yes").ok()
        mvault(root, "install", host, "--yes").ok()
        review_hooks(machine)
        checked = mvault(root, "--json", "install", "--check", host).ok()
        assert not any("twice" in note for note in checked.data["hosts"][0]["notes"]), host

        file = machine / "project/AGENTS.md"
        file.write_text(file.read_text().replace("make test", "make tests"))
        checked = mvault(root, "--json", "install", "--check", host).ok()
        notes = checked.data["hosts"][0]["notes"]
        assert any("arrive twice" in note and "r-0000001" in note for note in notes), host
        file.unlink()


def test_check_says_that_all_hooks_are_switched_off(machine: Path, root: Path) -> None:
    (machine / ".claude").mkdir()
    (machine / ".claude/settings.json").write_text('{"disableAllHooks": true}\n')
    mvault(root, "install", "claude-code", "--yes").ok()

    result = mvault(root, "--json", "install", "--check", "claude-code")

    assert result.code == 1
    assert "disableAllHooks" in result.data["hosts"][0]["problems"][0]


def test_a_copied_skill_goes_with_its_folders(machine: Path) -> None:
    files = {"skills/find-flaky/SKILL.md": SKILL, "skills/find-flaky/references/a.md": "A.\n"}
    root = make_vault(machine, files)

    mvault(root, "install", "codex", "--skills", "copy", "--yes").ok()
    mvault(root, "uninstall", "codex", "--yes").ok()

    assert not (machine / ".agents/skills/find-flaky").exists()


def test_a_remark_where_the_hooks_were_stays(machine: Path, root: Path) -> None:
    text = '{\n  "hooks": { /* keep me */ }\n}\n'
    (machine / ".claude").mkdir()
    (machine / ".claude/settings.json").write_text(text)

    mvault(root, "install", "claude-code", "--yes").ok()
    mvault(root, "uninstall", "claude-code", "--yes").ok()

    assert "keep me" in (machine / ".claude/settings.json").read_text()


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("claude-code", ".claude/settings.local.json"),
        ("codex", ".codex/config.toml"),
        ("opencode", ".opencode/plugins/mvault.js"),
        ("cursor", ".cursor/mcp.json"),
    ],
)
def test_a_link_that_leads_out_of_the_project_is_not_written_through(
    machine: Path, root: Path, host: str, name: str
) -> None:
    private = machine / "私人.txt"
    private.write_text("")
    (machine / "project" / name).parent.mkdir(parents=True)
    (machine / "project" / name).symlink_to(private)

    result = mvault(root, "install", host, "--project", "--mcp", "--yes")

    assert result.code == 4
    assert "leads out" in result.err
    assert private.read_text() == ""


def test_a_file_of_that_name_which_a_person_wrote_is_not_replaced(
    machine: Path, root: Path
) -> None:
    own = machine / ".config/opencode/plugins/mvault.js"
    own.parent.mkdir(parents=True)
    own.write_text("// 我的插件\n")

    for word in ("install", "uninstall"):
        result = mvault(root, word, "opencode", "--yes")
        assert result.code == 4, word
        assert "not the file that mvault writes" in result.err
    assert own.read_text() == "// 我的插件\n"


def test_what_a_person_adds_to_a_file_of_ours_stays(machine: Path, root: Path) -> None:
    mvault(root, "install", "copilot", "--project", "--yes").ok()
    path = machine / "project/.github/hooks/mvault.json"
    data = json.loads(path.read_text())
    data["hooks"]["sessionStart"].append({"type": "command", "bash": "echo 我的"})
    path.write_text(json.dumps(data, ensure_ascii=False))

    mvault(root, "uninstall", "copilot", "--project", "--yes").ok()

    assert json.loads(path.read_text())["hooks"] == {
        "sessionStart": [{"type": "command", "bash": "echo 我的"}]
    }


def test_the_marketplace_of_somebody_else_is_not_replaced(machine: Path, root: Path) -> None:
    listing = machine / "market/.claude-plugin/marketplace.json"
    listing.parent.mkdir(parents=True)
    listing.write_text('{"name": "mine", "plugins": []}')

    result = mvault(root, "install", "--plugin", str(machine / "market"), "--yes")

    assert result.code == 4
    assert "another marketplace" in result.err
    assert listing.read_text() == '{"name": "mine", "plugins": []}'


@pytest.mark.parametrize(
    ("host", "variable", "own", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "设置", "CLAUDE.md"),
        ("codex", "CODEX_HOME", "codex-home", "AGENTS.md"),
    ],
)
def test_what_is_a_persons_follows_the_programs_own_folder(
    machine: Path, root: Path, monkeypatch: pytest.MonkeyPatch, host: str, variable: str, own: str,
    file: str,
) -> None:  # fmt: skip
    monkeypatch.setenv(variable, str(machine / own))
    (root / "skills/find-flaky").mkdir(parents=True)
    (root / "skills/find-flaky/SKILL.md").write_text(SKILL)

    mvault(root, "install", host, "--block", "--yes").ok()

    assert "先跑测试" in (machine / own / file).read_text("utf-8")
    assert not (machine / HOSTS[host].home).exists()
    skills = machine / (f"{own}/skills" if host == "claude-code" else ".agents/skills")
    assert (skills / "find-flaky/SKILL.md").read_text() == SKILL
    mvault(root, "uninstall", host, "--yes").ok()
    assert not (machine / own / file).exists()
    assert not (skills / "find-flaky").exists()


def test_check_sees_the_persons_own_instruction_file(machine: Path, root: Path) -> None:
    mvault(root, "install", "claude-code", "--block", "--yes").ok()

    (found,) = mvault(root, "--json", "install", "--check", "claude-code").ok().data["hosts"]

    assert found["instructions"]["files"][0]["path"] == str(machine / ".claude/CLAUDE.md")
    assert not any("twice" in note for note in found["notes"])  # the hook says it no more


def with_plugin(machine: Path, root: Path, version: str) -> Path:
    """What `claude plugin install` leaves behind; its folder of hooks."""
    mvault(root, "install", "--plugin", str(machine / "market"), "--yes").ok()
    home = machine / ".claude"
    (home / "plugins").mkdir(parents=True, exist_ok=True)
    row = {"scope": "user", "installPath": f"{machine}/market/plugins/mvault", "version": version}
    listed = {"version": 2, "plugins": {"mvault@mvault": [row]}}
    (home / "plugins/installed_plugins.json").write_text(json.dumps(listed))
    settings = home / "settings.json"
    data = json.loads(settings.read_text()) if settings.exists() else {}
    settings.write_text(json.dumps({**data, "enabledPlugins": {"mvault@mvault": True}}))
    return machine / "market/plugins/mvault/hooks/hooks.json"


def test_check_sees_the_plugin(machine: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = with_plugin(machine, root, "0.0.1")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    result = mvault(root, "--json", "install", "--check", "claude-code")

    (found,) = result.data["hosts"]
    assert "SessionStart" in found["hooks"][str(hooks)]
    assert found["given"]["bytes"] > 50
    assert "finds no `mvault` on the PATH" in found["problems"][0]
    assert any("0.0.1" in note for note in found["notes"])


def test_check_says_when_a_plugin_is_switched_off(machine: Path, root: Path) -> None:
    with_plugin(machine, root, "0.1.0")
    local = machine / "project/.claude/settings.local.json"
    local.parent.mkdir()
    local.write_text('{"enabledPlugins": {"mvault@mvault": false}}')

    (found,) = mvault(root, "--json", "install", "--check", "claude-code").ok().data["hosts"]

    assert found["hooks"] == {}


def test_check_says_when_an_event_starts_two_command_lines(machine: Path, root: Path) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()
    mvault(root, "install", "claude-code", "--project", "--yes").ok()
    said = mvault(root, "--json", "install", "--check", "claude-code").ok().data["hosts"][0]
    assert said["notes"] == []  # equal lines are started once

    with_plugin(machine, root, "0.1.0")
    said = mvault(root, "--json", "install", "--check", "claude-code").data["hosts"][0]
    assert any("in 3 places" in note and "one of them answers" in note for note in said["notes"])


@pytest.mark.parametrize("rounds", [1, 2])
def test_check_says_why_a_session_start_gives_nothing(
    machine: Path, root: Path, rounds: int
) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()
    (root / "vault.toml").write_text("[[[ 坏了")
    for _ in range(rounds):  # the hook itself says it once an hour
        result = mvault(root, "--json", "install", "--check", "claude-code")
    (found,) = result.data["hosts"]
    assert result.code == 1
    assert "vault.toml cannot be read" in found["problems"][0]
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("own", "is_read"),
    [
        ("", True),
        ("CLAUDE.md", False),
        (".claude/CLAUDE.md", False),
        ("sub/CLAUDE.local.md", False),
    ],
)
def test_check_knows_when_claude_code_reads_agents_md(
    machine: Path, root: Path, own: str, is_read: bool
) -> None:
    project = machine / "project"
    (project / "sub").mkdir()
    mvault(root, "install", "codex", "--project", "--block", "--yes").ok()
    if own:
        (project / own).parent.mkdir(exist_ok=True)
        (project / own).write_text("我的\n")
    words = ("--vault", str(root), "--json", "install", "--check", "claude-code")

    (found,) = run(*words, cwd=project / "sub").ok().data["hosts"]

    read = [Path(file["path"]).name for file in found["instructions"]["files"]]
    assert ("AGENTS.md" in read) is is_read


def test_check_names_a_skill_that_came_after_the_installation(machine: Path, root: Path) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()
    (root / "skills/find-flaky").mkdir(parents=True)
    (root / "skills/find-flaky/SKILL.md").write_text(SKILL)
    check = ("--json", "install", "--check", "claude-code")

    (note,) = mvault(root, *check).ok().data["hosts"][0]["notes"]
    assert "does not find: find-flaky" in note

    mvault(root, "install", "claude-code", "--project", "--yes").ok()
    assert mvault(root, *check).ok().data["hosts"][0]["notes"] == []


def test_out_again_names_the_plugin_that_stays(machine: Path, root: Path) -> None:
    with_plugin(machine, root, "0.1.0")
    assert (
        "claude plugin uninstall mvault@mvault"
        in mvault(root, "uninstall", "claude-code", "--yes").ok().err
    )


@pytest.mark.parametrize(
    ("shared", "local", "is_off"),
    [("true", "", True), ("true", "false", False), ("", "true", True), ("", "", False)],
)
def test_check_says_where_hooks_are_switched_off(
    machine: Path, root: Path, shared: str, local: str, is_off: bool
) -> None:
    """As measured with 2.1.332: the project's settings count for all hooks, the local ones most."""
    mvault(root, "install", "claude-code", "--yes").ok()
    folder = machine / "project/.claude"
    folder.mkdir()
    for name, value in (("settings.json", shared), ("settings.local.json", local)):
        if value:
            (folder / name).write_text(f'{{"disableAllHooks": {value}}}')

    result = mvault(root, "--json", "install", "--check", "claude-code")

    problems = result.data["hosts"][0]["problems"]
    assert any("disableAllHooks" in problem for problem in problems) is is_off
    assert result.code == is_off


def test_no_skill_goes_through_a_link_out_of_the_project(machine: Path) -> None:
    project, outside = machine / "project", machine / "私人"
    outside.mkdir()
    mvault(project, "init", project / ".mvault", "--in-repo").ok()
    skill = project / ".mvault/skills/find-flaky/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    (project / ".agents").symlink_to(outside)
    for copies in ("link", "copy"):
        result = run("install", "codex", "--project", "--skills", copies, "--yes", cwd=project)
        assert result.code == 4
        assert "leads out of" in result.err
    assert list(outside.iterdir()) == []


def test_a_copy_goes_on_as_one_where_another_program_wants_a_link(machine: Path) -> None:
    root = make_vault(machine, {"skills/find-flaky/SKILL.md": SKILL})
    mvault(root, "install", "codex", "--project", "--skills", "copy", "--yes").ok()
    (root / "skills/find-flaky/SKILL.md").write_text(SKILL + "新的一行\n")
    mvault(root, "install", "cursor", "--project", "--yes").ok()
    place = machine / "project/.agents/skills/find-flaky"
    assert not place.is_symlink()
    assert "新的一行" in (place / "SKILL.md").read_text()


@pytest.mark.parametrize("actor", ["agent", "hook", "Claude"])
def test_who_is_no_person_takes_nothing_out(machine: Path, root: Path, actor: str) -> None:
    mvault(root, "install", "claude-code", "--yes").ok()
    path = machine / ".claude/settings.json"
    before = path.read_text()
    asked = run("uninstall", "claude-code", "--yes", cwd=machine, env={"MVAULT_ACTOR": actor})
    assert asked.code == 3
    assert "trust.approve_without_terminal" in asked.err
    assert path.read_text() == before
    mvault(root, "uninstall", "claude-code", "--yes").ok()
    assert path.read_text() != before


@pytest.mark.parametrize("where", [(), ("--project",)])
def test_copilot_is_given_the_block_by_its_hook(
    machine: Path, root: Path, where: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MVAULT", str(root))
    mvault(root, "install", "copilot", *where, "--yes").ok()
    place = "project/.github/hooks/mvault.json" if where else ".copilot/hooks/mvault.json"
    assert "sessionStart" in json.loads((machine / place).read_text())["hooks"]
    assert not (machine / "project/AGENTS.md").exists()
    (found,) = mvault(root, "--json", "install", "--check", "copilot").ok().data["hosts"]
    assert found["given"]["bytes"] > 0, found
