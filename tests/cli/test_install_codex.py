"""Codex starts a hook only once a person has reviewed it: `install --check` says which it does."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import Result, make_vault, run
from vault_cli.hosts.install import codex_trust as trust

RULE = "---\nid: r-0000001\nkind: rule\nstatus: active\ntitle: 先跑测试\n---\nmake test\n"

HOOKS = r"""{"hooks":{
"SessionStart":[{"hooks":[{"type":"command","command":"echo mine"}]},{"hooks":[{"type":"command","command":"exec mvault hook codex SessionStart","timeout":20}]}],
"UserPromptSubmit":[{"matcher":"x","hooks":[{"type":"command","command":"exec mvault hook codex UserPromptSubmit","timeout":20,"statusMessage":"记忆 <&>"}]}],
"PreToolUse":[{"matcher":"Bash|apply_patch","hooks":[{"type":"command","command":"lint.sh"},{"type":"command","command":"\"/opt/空 格/mvault\" hook codex PreToolUse # é","timeout":5,"additionalContextLimit":0}]}],
"PostToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"mvault hook codex PostToolUse","async":true,"commandWindows":"x"}]}],
"SessionEnd":[{"hooks":[{"type":"command","command":"mvault hook codex SessionEnd","timeout":5}]}],
"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"mvault hook codex Stop","timeout":5}]}],
"SubagentStart":[{"matcher":"worker","hooks":[{"type":"command","command":"mvault hook codex SubagentStart","timeout":5}]}]
}}
"""

REVIEWED = {
    "pre_tool_use:0:0": "sha256:32511a9ea97d7f80aba60b06ddee06a4c025f02a2e61220ef76503571e7479d3",
    "pre_tool_use:0:1": "sha256:03e6d7249f46c8055e213310b215d0e7acc1f163325fe83ba3a20920d55a4e1b",
    "post_tool_use:0:0": "sha256:1d8f158780d259cbf8a43dc1f905ef0506ef5dd5665d1470b613789f7d542bc8",
    "session_start:0:0": "sha256:c37a4e1773a17e87f09c4e1ffe5747beb7e7a88bddf0177e702abb0e845a9253",
    "session_start:1:0": "sha256:7b4d120f51cf10094ad13de5c28fa33febf99607a3300d6ed29d1b1e151d13ee",
    "session_end:0:0": "sha256:d84ddd00689248b1b8afda87bd17feb77cd4eb29959b3765bcc3217c18b67770",
    "user_prompt_submit:0:0": "sha256:f8d8bd1fb97fd245de7696fb8cde3bb91f7a8613750b6e97bf19b9a6fe2a25ce",
    "subagent_start:0:0": "sha256:ebc3f4f2cdd1f55ceaf0e64c666afa1b3f5479e5ff50a475076ba0d52302189b",
    "stop:0:0": "sha256:4793175bf52645d2ffdfd518aa1bc3666e396ccde112934223e0b0f851ca9045",
}
"""What Codex 0.171.0 wrote when these hooks were reviewed."""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a vault, and a project as the working directory."""
    home = tmp_path / "家"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MVAULT", str(make_vault(tmp_path, {"playbook/r.md": RULE})))
    return home


def mvault(machine: Path, *argv: str) -> Result:
    return run(*argv, cwd=machine / "project")


def check(machine: Path) -> dict[str, Any]:
    (found,) = mvault(machine, "--json", "install", "--check", "codex").data["hosts"]
    return dict(found)


def states(path: Path, **changes: Any) -> str:
    """Settings in which what Codex does for `trust all` was done, or something else of a key."""
    lines = []
    for handler in trust.handlers_in(path, path.read_text("utf-8")):
        own = {"trusted_hash": handler.digest, **changes.get(handler.event, {})}
        lines.append(f"[hooks.state.{json.dumps(handler.key, ensure_ascii=False)}]")
        lines += [f"{name} = {json.dumps(value)}" for name, value in own.items()]
    return "\n".join([*lines, ""])


def test_what_is_reviewed_is_worked_out_as_codex_does() -> None:
    handlers = trust.handlers_in(Path("/h/hooks.json"), HOOKS)
    found = {each.key.removeprefix("/h/hooks.json:"): each.digest for each in handlers}
    assert len(found) == 7
    assert found.items() <= REVIEWED.items()


def test_hooks_that_nobody_reviewed_are_told(machine: Path) -> None:
    mvault(machine, "install", "codex", "--yes").ok()
    assert mvault(machine, "install", "--check", "codex").code == 1
    (problem,) = check(machine)["problems"]
    assert "not reviewed yet" in problem
    assert "/hooks" in problem

    hooks = machine / ".codex/hooks.json"
    (machine / ".codex/config.toml").write_text(states(hooks), "utf-8")
    assert mvault(machine, "install", "--check", "codex").ok()
    assert check(machine)["problems"] == []


def test_what_was_changed_or_switched_off_is_named(machine: Path) -> None:
    mvault(machine, "install", "codex", "--yes").ok()
    hooks = machine / ".codex/hooks.json"
    text = states(hooks, Stop={"enabled": False}, PreCompact={"trusted_hash": "sha256:old"})
    (machine / ".codex/config.toml").write_text(text, "utf-8")
    changed, off = check(machine)["problems"]
    assert "changed since" in changed
    assert "PreCompact" in changed
    assert "switched off" in off
    assert "Stop" in off

    (machine / ".codex/config.toml").write_text("[features]\nhooks = false\n" + states(hooks))
    (problem,) = check(machine)["problems"]
    assert "[features]" in problem


def test_hooks_of_a_project_need_the_project_trusted(machine: Path) -> None:
    mvault(machine, "install", "codex", "--project", "--yes").ok()
    hooks = machine / "project/.codex/hooks.json"
    (machine / ".codex").mkdir()
    (machine / ".codex/config.toml").write_text(states(hooks), "utf-8")
    (problem,) = check(machine)["problems"]
    assert "does not trust this project" in problem

    name = json.dumps(str(machine / "project"), ensure_ascii=False)
    more = f'[projects.{name}]\ntrust_level = "trusted"\n'
    (machine / ".codex/config.toml").write_text(more + states(hooks), "utf-8")
    assert check(machine)["problems"] == []


@pytest.mark.parametrize(("old", "new"), [("0.9.0", "0.10.0"), ("1.0.0-rc.2", "1.0.0")])
def test_of_several_versions_of_the_plugin_the_newest_counts(
    machine: Path, old: str, new: str
) -> None:
    for version, event in ((old, "Stop"), (new, "SessionStart")):
        place = machine / f".codex/plugins/cache/mvault/mvault/{version}/hooks/hooks.json"
        place.parent.mkdir(parents=True)
        command = {"type": "command", "command": f"mvault hook codex {event}"}
        place.write_text(json.dumps({"hooks": {event: [{"hooks": [command]}]}}), "utf-8")
    settings = machine / ".codex/config.toml"
    settings.write_text('[plugins."mvault@mvault"]\nenabled = true\n', "utf-8")
    assert check(machine)["hooks"] == {"plugin mvault@mvault": ["SessionStart"]}


def test_the_plugin_is_known_with_the_digest_of_all_its_files(machine: Path) -> None:
    mvault(machine, "install", "--plugin", str(machine / "market"), "--yes").ok()
    place = machine / ".codex/plugins/cache/mvault/mvault/0.1.0/hooks/hooks.json"
    place.parent.mkdir(parents=True)
    place.write_bytes((machine / "market/plugins/mvault/hooks/hooks.json").read_bytes())
    settings = machine / ".codex/config.toml"
    settings.write_text('[plugins."mvault@mvault"]\nenabled = true\n', "utf-8")
    found = check(machine)
    assert "SessionStart" in found["hooks"]["plugin mvault@mvault"]
    assert "PostToolUseFailure" not in found["hooks"]["plugin mvault@mvault"]  # Codex has none
    (problem,) = found["problems"]
    assert problem.startswith("plugin mvault@mvault: not reviewed yet")

    lines = [
        f'[hooks.state.{json.dumps(each.key)}]\ntrusted_content_hash = "sha256:1"\n'
        for each in trust.plugin_handlers("mvault@mvault", found["hooks"]["plugin mvault@mvault"])
    ]
    settings.write_text(settings.read_text("utf-8") + "".join(lines), "utf-8")
    assert check(machine)["problems"] == []

    mvault(machine, "install", "codex", "--yes").ok()
    assert any("2 places" in note for note in check(machine)["notes"])


@pytest.mark.parametrize("text", ["not toml [", "hooks = 3\nplugins = []\nprojects = 1\n"])
def test_settings_that_say_nothing_of_trust_keep_no_check_from_its_end(
    machine: Path, text: str
) -> None:
    mvault(machine, "install", "codex", "--yes").ok()
    (machine / ".codex/config.toml").write_text(text)
    assert "not reviewed yet" in check(machine)["problems"][0]


BEFORE = '# 我的\nmodel = "gpt"\n\n[mcp_servers.other]\ncommand = "x"  # mine\n'
BEHIND = '\n[hooks.state]\n\n[hooks.state."a:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
OLD = '\n[mcp_servers.mvault]\ncommand = "mvault"\nargs = ["mcp"]\n'


@pytest.mark.parametrize("behind", ["", BEHIND, "\n# 备注\n", "# 备注\n"])
@pytest.mark.parametrize("old", ["", OLD], ids=["new", "renewed"])
def test_the_server_is_given_what_decides_about_the_vault_and_leaves_no_trace(
    machine: Path, old: str, behind: str
) -> None:
    """Codex starts a server with a handful of variables; what it writes behind our table stays."""
    settings = machine / ".codex/config.toml"
    settings.parent.mkdir()
    settings.write_text(BEFORE + old, "utf-8")
    mvault(machine, "install", "codex", "--mcp", "--yes").ok()
    settings.write_text(settings.read_text("utf-8") + behind, "utf-8")
    own = tomllib.loads(settings.read_text("utf-8"))["mcp_servers"]["mvault"]
    assert own["command"] == "mvault"
    assert {"MVAULT", "MVAULT_CONFIG", "XDG_DATA_HOME", "GIT_CONFIG_GLOBAL"} < {*own["env_vars"]}
    assert mvault(machine, "install", "codex", "--mcp", "--yes").ok().err.count("nothing to do")

    mvault(machine, "uninstall", "codex", "--yes").ok()
    assert settings.read_text("utf-8") == BEFORE + behind


def test_a_server_that_a_person_changed_stays(machine: Path) -> None:
    settings = machine / ".codex/config.toml"
    settings.parent.mkdir()
    settings.write_text(BEFORE + OLD + "startup_timeout_sec = 30\n", "utf-8")
    mvault(machine, "install", "codex", "--mcp", "--yes").ok()
    mvault(machine, "uninstall", "codex", "--yes").ok()
    assert settings.read_text("utf-8") == BEFORE + OLD + "startup_timeout_sec = 30\n"


@pytest.mark.parametrize(
    "text",
    [
        '{\n    "hooks": {"Stop":\n  [{"hooks": [{"type":"command", "command":"true # 我的"}]}]}\n}\n',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}],\n "Z": [1]}}',
        '{ "hooks" : { "SessionStart" : [ {"hooks": [ {"command": "中"} ]} ] }, "x": [1,\n2] }',
        '{\r\n\t"hooks": {"Stop": [\r\n{"hooks": [{"command": "x"}]}]}, "z": 1 }\r\n',
        '{"z": 1,\n\n "y": {\n  "a": 2}}\n',
    ],
)
def test_hooks_leave_a_layout_as_it_was(machine: Path, text: str) -> None:
    hooks = machine / ".codex/hooks.json"
    hooks.parent.mkdir()
    hooks.write_bytes(text.encode())
    mvault(machine, "install", "codex", "--yes").ok()
    assert hooks.read_bytes() != text.encode()
    mvault(machine, "uninstall", "codex", "--yes").ok()
    assert hooks.read_bytes().decode() == text
