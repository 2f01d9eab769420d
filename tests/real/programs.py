"""The agents' real programs, run against a scripted model on loopback, cut off from any network.

They are not installed by the tests. `MVAULT_REAL_AGENTS` names folders (as PATH does) that hold
them; without it, or without the program, a test of this folder is skipped and says so.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

FOLDERS = os.environ.get("MVAULT_REAL_AGENTS", "")

QUIET = {
    "CI": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DO_NOT_TRACK": "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
}
"""Nothing is reported, updated or coloured."""

_INSIDE = 'ip link set lo up && exec "$@"'


def program(name: str) -> str:
    """Return the path of a real program; the test is skipped when it is not there."""
    found = shutil.which(name, path=FOLDERS) if FOLDERS else None
    if found is None:
        pytest.skip(f"{name}: name its folder in MVAULT_REAL_AGENTS")
    if not _has_namespaces():
        pytest.skip(f"{name}: needs a network namespace of its own (unshare -n)")
    return found


@cache
def _has_namespaces() -> bool:
    tried = subprocess.run(
        ["unshare", "-n", "sh", "-c", _INSIDE, "sh", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0


def run_alone(
    command: Sequence[str],
    *,
    home: Path,
    cwd: Path,
    model: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a program in a network namespace that holds loopback and nothing else.

    Args:
        command: the program and its arguments.
        home: HOME of the program; nothing of the machine's own settings is read.
        cwd: where it runs.
        model: a command started beside it in the same namespace (the scripted model); it is
            ended afterwards. It must say one line on stdout when it listens.
        env: variables more.
        stdin: what is typed.
        timeout: seconds.
    """
    given = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        **QUIET,
        **(env or {}),
    }
    inner = _INSIDE
    if model:
        started = " ".join(shlex.quote(word) for word in model)
        inner = (
            "ip link set lo up; "
            f'{{ {started}; }} > "$HOME/model.ready" 2> "$HOME/model.err" & held=$!; '
            'i=0; while [ ! -s "$HOME/model.ready" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; '
            '"$@"; code=$?; kill $held; exit $code'
        )
    return subprocess.run(
        ["unshare", "-n", "sh", "-c", inner, "sh", *command],
        cwd=cwd,
        env=given,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
