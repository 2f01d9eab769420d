"""DSH, OpenCode and Gemini CLI as a person has them: a home, a project, mvault by its command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers import PROJECT, Result, git
from real.programs import program, run_alone

PORT = 8124
"""Of the scripted model; each run has a network namespace of its own, so it is always free."""

_MODEL = Path(__file__).parent / "chat_model.py"

Turn = list[dict[str, Any]]

DONE: Turn = [{"say": "好 ok"}]
RULE = ("rule", "--title", "Use pnpm, never npm", "--body", "In all projects.",
        "--applies-when", "installing packages")  # fmt: skip
FACT = ("fact", "--title", "测试库的端口是 5544", "--body", "用 psql 看。")


@dataclass(slots=True)
class Session:
    """What one run of a program did.

    Args:
        out: its stdout.
        err: its stderr.
        code: its exit code.
        requests: bodies of the agent's own requests to the model, in order.
    """

    out: str
    err: str
    code: int
    requests: list[dict[str, Any]] = field(default_factory=list)

    def ok(self, turns: int) -> Session:
        """Return self; fail when the program did, or asked the model more or less often."""
        told = f"exit {self.code}\n{self.out}\n{self.err}"
        assert self.code == 0, told
        assert len(self.requests) == turns, f"{len(self.requests)} requests\n{told}"
        return self

    def texts(self, number: int = -1) -> list[str]:
        """Return every text of a request, in order: what the model is given."""
        body = self.requests[number]
        said = [body.get("systemInstruction"), *body.get("contents", []), *body.get("messages", [])]
        return [text for each in said for text in _texts(each)]

    def text(self, number: int = -1) -> str:
        """Return all texts of a request as one."""
        return "\n".join(self.texts(number))

    def blocks(self, number: int = -1) -> int:
        """Return how often the standing block of mvault is in a request, whoever brought it."""
        return self.text(number).count("## Memory in force")

    def tools(self) -> set[str]:
        """Return the names of the tools that the model was given first."""
        given = self.requests[0]["tools"]
        calls = [each for tool in given for each in tool.get("functionDeclarations", ())]
        return {tool["function"]["name"] for tool in given if "function" in tool} | {
            call["name"] for call in calls
        }


def _texts(value: object) -> list[str]:
    """Return the texts in a message, at whatever depth."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, dict):
        named = ("content", "text", "parts", "functionResponse", "response", "output", "error")
        return [text for key in named if key in value for text in _texts(value[key])]
    return []


class Machine:
    """A home with an agent program and mvault in it, and a project.

    Args:
        folder: where all of it lies.
        name: the program.
        host: what mvault calls it.
        env: variables that the program is given.
    """

    def __init__(self, folder: Path, name: str, host: str, env: Mapping[str, str]) -> None:
        self.program = program(name)
        self.host = host
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

    def guard(self, title: str, match: str, action: str) -> str:
        """Put a guard in force, and return its id."""
        given = ("--title", title, "--match", match, "--instead", "make check", "--action", action)
        guard = self.mvault("-q", "guard", "add", *given, "--yes").ok().out.split()[-1]
        self.mvault("-q", "approve", guard, "--yes").ok()
        return guard

    def install(self, *argv: str) -> Result:
        """Attach the program with the real `mvault install`."""
        return self.mvault("install", self.host, *argv, "--yes").ok()

    def run(self, script: Sequence[Turn], *argv: str, cwd: Path | None = None) -> Session:
        """Run the program with arguments against a script."""
        record, turns = self.home / "asked.jsonl", self.home / "script.json"
        for name in (record, self.home / "model.ready"):
            name.unlink(missing_ok=True)
        turns.write_text(json.dumps(list(script), ensure_ascii=False), "utf-8")
        model = [sys.executable, str(_MODEL), str(turns), str(record), str(PORT)]
        done = run_alone(
            [self.program, *argv], home=self.home, cwd=cwd or self.project, model=model,
            env=self.env, timeout=240,
        )  # fmt: skip
        lines = record.read_text("utf-8").splitlines() if record.exists() else []
        asked = [json.loads(line) for line in lines]
        bodies = [line["body"] for line in asked if line["turn"] >= 0]
        return Session(done.stdout, done.stderr, done.returncode, bodies)

    def complaints(self) -> str:
        """Return what hooks wrote down that went wrong."""
        log = self.state / "hook/log"
        return log.read_text("utf-8") if log.exists() else ""

    def break_vault(self) -> None:
        """Leave of the vault what no program can read."""
        (self.vault / "vault.toml").write_bytes(b"\xff\x00 [[[")
        for path in self.vault.rglob("*.md"):
            path.write_bytes(b"---\n\xff: [\n")
