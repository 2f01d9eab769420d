"""Run hooks as agent programs do: the installed command line, JSON on stdin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helpers import PROJECT
from hook_answers import check_answer, load, place

from vault_cli.hook.answer import respond

ENTRY = PROJECT / "vault_cli" / "hook" / "main.py"

RULE = """---
id: r-0000001
kind: rule
title: Tests run with make
status: active
force: required
scope: global
source: user
created: "2026-11-01"
---
Run the tests with `make test`, never by calling pytest directly.
"""
LESSON = """---
id: l-0000002
kind: lesson
title: {title}
status: active
scope: global
source: user
created: "2026-11-01"
---
{body}
"""
FILES = {
    "memories/r-0000001.md": RULE,
    "memories/l-0000002.md": LESSON.format(
        title="部署脚本要先预演", body="部署之前先用 --dry-run 预演一次。"
    ),
}
NOTHING_DUE = {"vault.toml": "[reflection]\nthreshold = 10000\n"}
"""So that nothing is said of what waits for reflection."""


def state_of(home: Path) -> Path:
    """The state folder of a test."""
    return home / "mvault-state"


def hook(
    host: str, event: str, payload: Mapping[str, Any] | bytes, state: Path | str | None = None
) -> bytes:
    """The answer of the hook, in this process."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    argv = [host, event, str(state)] if state else [host, event]
    return respond(argv, raw)


def ask(file: str, folder: Path, **more: Any) -> dict[str, Any]:
    """The checked answer to a stored payload, moved to a folder, with some keys set."""
    host, name, raw = load(file)
    return check_answer(host, name, hook(host, name or "stop", place(raw, folder, **more)))


def real_hook(
    host: str,
    event: str,
    raw: bytes,
    state: Path | str,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as it is installed, as a process of its own."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(ENTRY), host, event, str(state)],
        input=raw,
        capture_output=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
