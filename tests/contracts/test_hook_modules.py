"""The hook starts fast: the exact modules each path loads, in a process as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import DATA, PROJECT

ENTRY = PROJECT / "vault_cli" / "hook" / "main.py"
PAYLOADS = DATA / "hook-payloads" / "claude-code"

OWN = {"vault_cli", "vault_cli.hook"} | {
    f"vault_cli.hook.{name}" for name in ("answer", "events", "state", "system")
}
BASE = OWN | {"__future__"}
"""What every event loads beyond a bare interpreter."""


def loaded(event: str, state: Path, raw: bytes) -> set[str]:
    """Modules that an event loads beyond those of `python -I -S -c pass`."""
    code = (
        "import sys; before = {*sys.modules}; sys.path.append(sys.argv.pop(1))\n"
        "from vault_cli.hook.answer import respond, read_input\n"
        "respond(sys.argv[1:], read_input())\n"
        "after = {*sys.modules} - before\n"
        "import json; sys.stderr.write(json.dumps(sorted(after)))"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, str(PROJECT), "claude-code", event, str(state)]
    done = subprocess.run(argv, input=raw, capture_output=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(
    ("event", "file", "more"),
    [
        ("pre-tool", "PreToolUse.json", set()),
        ("post-tool", "PostToolUse.json", {"vault_cli.hook.spool", "binascii"}),
        ("tool-failure", "PostToolUseFailure.json", {"vault_cli.hook.spool", "binascii"}),
    ],
)
def test_a_tool_call_loads_exactly_these(
    event: str, file: str, more: set[str], tmp_path: Path
) -> None:
    found = loaded(event, tmp_path, (PAYLOADS / file).read_bytes())

    assert found == BASE | more
