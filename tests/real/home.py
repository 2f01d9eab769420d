"""A person's home with an agent program and mvault in it, and a project; the same for all programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helpers import PROJECT, Result, git
from real.programs import program, run_alone

Turn = list[dict[str, Any]]

_HERE = Path(__file__).parent


class Home:
    """What lies in a folder of its own, and how it is talked to.

    Args:
        folder: where all of it lies.
        name: the program.
        env: variables that the program is given.
        model: file of the scripted model beside this one.
        port: where the model listens; each run has a network namespace of its own, so it is free.
    """

    def __init__(
        self, folder: Path, name: str, env: Mapping[str, str], *, model: str, port: int
    ) -> None:
        self.program = program(name)
        self._model, self._port = model, port
        self.home = folder / "home"
        self.project = folder / "项目 demo"
        self.vault = self.home / ".local/share/mvault"
        self.state = self.home / ".local/state/mvault"
        self.bin = folder / "bin"
        self.temporary = folder / "tmp"
        for place in (self.home, self.project, self.bin, self.temporary):
            place.mkdir(parents=True)
        self.env = {
            "PATH": f"{self.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.environ["GIT_CONFIG_GLOBAL"],
            **env,
        }
        self._place_mvault(self.bin / "mvault")
        git(self.project, "init", "-q")
        self.mvault("init", self.vault).ok()

    def _place_mvault(self, script: Path) -> None:
        """Put `mvault` on the PATH, and let a person approve without a terminal."""
        script.write_text(
            f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m vault_cli "$@"\n'
        )
        script.chmod(0o755)
        own = self.home / ".config/mvault/config.toml"
        own.parent.mkdir(parents=True)
        own.write_text('[trust]\napprove_without_terminal = ["person"]\n')

    def mvault(self, *argv: object, stdin: str = "", cwd: Path | None = None) -> Result:
        """Run a command line of mvault in the project."""
        done = subprocess.run(
            ["mvault", *map(str, argv)],
            executable=str(self.bin / "mvault"),
            cwd=cwd or self.project, env=self.env, input=stdin, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    def keep(self, kind: str, *argv: str) -> str:
        """Write a record, put it in force, and return its id."""
        record = self.mvault("-q", "add", kind, *argv, "--yes").ok().out.split()[-1]
        self.mvault("-q", "approve", record, "--yes").ok()
        return record

    def alone(
        self,
        command: Sequence[str],
        script: Sequence[Turn] = (),
        cwd: Path | None = None,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command beside the scripted model, with nothing else to talk to."""
        record, turns = self.home / "asked.jsonl", self.home / "script.json"
        for name in (record, self.home / "model.ready"):
            name.unlink(missing_ok=True)
        turns.write_text(json.dumps(list(script), ensure_ascii=False), "utf-8")
        words = [str(_HERE / self._model), str(turns), str(record), str(self._port)]
        return run_alone(
            command, home=self.home, cwd=cwd or self.project, model=[sys.executable, *words],
            env={**self.env, **more}, timeout=240,
        )  # fmt: skip

    def asked(self) -> list[dict[str, Any]]:
        """Return everything that was asked of the model in the last run."""
        path = self.home / "asked.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def complaints(self) -> str:
        """Return what hooks wrote down that went wrong."""
        log = self.state / "hook/log"
        return log.read_text("utf-8") if log.exists() else ""

    def break_vault(self) -> None:
        """Leave of the vault what no program can read."""
        (self.vault / "vault.toml").write_bytes(b"\xff\x00 [[[")
        for path in self.vault.rglob("*.md"):
            path.write_bytes(b"---\n\xff: [\n")
