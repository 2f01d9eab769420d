"""One table of tool names for all hosts, and which text of a call a rule looks at."""

from __future__ import annotations

import pytest

from vault_cli.hook.tools import MAIN_FIELDS, NAMES, canonical, field_text, fits


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Bash", "shell"), ("bash", "shell"), ("PowerShell", "shell"), ("pwsh", "shell"),
        ("run_shell_command", "shell"), ("exec_command", "shell"), ("run_terminal_cmd", "shell"),
        ("Edit", "edit"), ("MultiEdit", "edit"), ("apply_patch", "edit"), ("replace", "edit"),
        ("Write", "write"), ("write_file", "write"), ("Read", "read"), ("read_file", "read"),
        ("Agent", "agent"), ("Task", "agent"), ("spawn_agent", "agent"), ("Grep", "search"),
        ("WebFetch", "fetch"), ("Fetch", "fetch"), ("google_web_search", "web-search"),
        ("mcp__vault__search", "mcp:vault/search"), ("MCP:vault/search", "mcp:vault/search"),
        ("mcp__plugin_mem_vault__search", "mcp:plugin_mem_vault/search"),
        ("Something New", "something new"), ("shell", "shell"),
    ],
)  # fmt: skip
def test_canonical(name: str, wanted: str) -> None:
    assert canonical(name) == wanted


def test_the_table_has_no_name_twice() -> None:
    words = [word for words in NAMES.values() for word in words.split()]
    assert len(words) == len(set(words))
    assert set(MAIN_FIELDS) <= set(NAMES)


@pytest.mark.parametrize(
    ("wanted", "tool", "answer"),
    [
        ("mcp:vault/search", "mcp__vault__search", True),
        ("mcp:vault/search", "mcp_vault_search", True),
        ("mcp:vault/search", "mcp__plugin_mem_vault__search", True),
        ("mcp:vault/*", "mcp__vault__forget", True),
        ("mcp:vault/*", "mcp__plugin_mem_vault__forget", True),
        ("mcp:vault/*", "mcp__other__forget", False),
        ("mcp:*", "mcp__other__forget", True),
        ("shell", "Bash", True),
        ("shell", "Edit", False),
        ("*", "Edit", True),
    ],
)
def test_a_rule_names_tools_of_every_host(wanted: str, tool: str, answer: bool) -> None:
    assert fits((wanted,), canonical(tool)) is answer


@pytest.mark.parametrize(
    ("tool", "given", "field", "text"),
    [
        ("shell", {"command": "ls"}, "", "ls"),
        ("shell", {"cmd": "ls"}, "", "ls"),
        ("shell", {"command": ["bash", "-lc", "npx tsc"]}, "", "npx tsc"),
        ("shell", {"command": ["git", "status"]}, "command", "git status"),
        ("edit", {"file_path": "/a/b.py", "new_string": "x"}, "", "/a/b.py"),
        ("edit", {"absolute_path": "/a/b.py"}, "path", "/a/b.py"),
        ("edit", {"file_path": "/a", "new_string": "import os"}, "content", "import os"),
        ("edit", {"command": "*** Add File: a.txt"}, "", "*** Add File: a.txt"),
        ("read", {"command": "cat"}, "", ""),
        ("fetch", {"url": "https://x.example"}, "", "https://x.example"),
        ("mcp:vault/search", {"query": "测试", "limit": 3}, "", "测试\n3"),
        ("shell", "ls", "", "ls"),
        ("shell", None, "", ""),
        ("shell", {"command": None}, "", ""),
    ],
)
def test_the_text_of_a_call(tool: str, given: object, field: str, text: str) -> None:
    assert field_text(tool, given, field) == text
