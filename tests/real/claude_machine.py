"""A machine with a vault made by the command line, on which the real Claude Code runs a script."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from tests.helpers import PROJECT
from tests.real.anthropic_model import PORT
from tests.real.programs import QUIET, program, run_alone

MODEL: Final = Path(__file__).parent / "anthropic_model.py"
KEY: Final = "sk-ant-scripted-model-no-key"
PATIENCE: Final = 60.0
_EVENTS: Final = (
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse",
    "PostToolUseFailure", "PreCompact", "PostCompact", "Stop", "SubagentStart", "SubagentStop",
    "SessionEnd",
)  # fmt: skip


def text(words: str) -> dict[str, Any]:
    """Return what the model says."""
    return {"text": words}


def tool(name: str, **given: Any) -> dict[str, Any]:
    """Return a tool call of the model."""
    return {"tool": name, "input": given}


def bash(command: str) -> dict[str, Any]:
    """Return a shell call of the model."""
    return tool("Bash", command=command, description="a step")


@dataclass(frozen=True, slots=True)
class Played:
    """What one run of the program came to.

    Args:
        done: the process: exit code and what it printed, one JSON object a line.
        requests: what the model was asked in its turns, oldest first.
        payloads: what the program gave to hooks.
    """

    done: subprocess.CompletedProcess[str]
    requests: list[dict[str, Any]]
    payloads: list[dict[str, Any]] = field(default_factory=list)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What the program printed."""
        return [json.loads(line) for line in self.done.stdout.splitlines() if line[:1] == "{"]

    @property
    def session(self) -> str:
        """The id of the session."""
        return next(str(line["session_id"]) for line in self.lines if line.get("session_id"))

    def hooks(self, event: str = "") -> list[dict[str, Any]]:
        """Return the answers of hooks that the program took down, but for the test's own."""
        found = [line for line in self.lines if line.get("subtype") == "hook_response"]
        return [
            line
            for line in found
            if event in ("", line["hook_event"]) and (line["stdout"] or line["stderr"])
        ]

    def seen(self, number: int = -1) -> str:
        """Return all that the model saw in one of its turns, the newest by default."""
        return "\n".join(_texts(self.requests[number]["messages"]))

    def results(self) -> list[str]:
        """Return the results of tool calls that the model saw in its last turn."""
        return [
            "\n".join(_texts([block.get("content", "")]))
            for message in self.requests[-1]["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [found for each in value for found in _texts(each)]
    if isinstance(value, dict):
        return _texts(value.get("text") or value.get("content") or value.get("input") or "")
    return []


class Machine:
    """A home with a vault, and a repository in which the agent works."""

    def __init__(self, place: Path) -> None:
        self.claude_path = program("claude")
        self.home, self.work = place / "home", place / "work"
        for folder in (self.home / "bin", self.home / ".config/mvault", self.work):
            folder.mkdir(parents=True)
        shim = self.home / "bin/mvault"
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m vault_cli "$@"\n')
        shim.chmod(0o755)
        own = '[trust]\napprove_without_terminal = ["person"]\n'
        (self.home / ".config/mvault/config.toml").write_text(own)
        who = "[user]\n\tname = Test Person\n\temail = person@example.invalid\n"
        (self.home / ".gitconfig").write_text(who)
        self.env = {
            "PATH": f"{self.home / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(PROJECT),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
        }
        self._ran = 0
        self.shell("git init -q . && git commit -q --allow-empty -m begin")
        self.mvault("init", str(self.vault))

    @property
    def vault(self) -> Path:
        """The person's own vault."""
        return self.home / ".local/share/mvault"

    @property
    def settings(self) -> Path:
        """The program's settings for all projects."""
        return self.home / ".claude/settings.json"

    def shell(self, line: str) -> str:
        """Run a line where the agent works."""
        return self._run(["sh", "-c", line], code=0).stdout

    def mvault(self, *argv: str, code: int = 0) -> str:
        """Run mvault as a person; its standard output."""
        return self._run([str(self.home / "bin/mvault"), *argv], code=code).stdout

    def data(self, *argv: str, code: int = 0) -> Any:
        """Run mvault with `--json`; its data."""
        return json.loads(self.mvault(*argv, "--json", code=code))["data"]

    def admit(self, *argv: str) -> str:
        """Add a record and approve it; its id."""
        made = self.mvault(*argv).split()[-1]
        self.mvault("approve", "--yes", made)
        return made

    def _run(self, words: list[str], code: int) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words, cwd=self.work, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def claude(self, *argv: str, code: int = 0) -> str:
        """Run a command of the program that needs no model; all that it says."""
        done = run_alone(
            [self.claude_path, *argv], home=self.home, cwd=self.work, env=self.surroundings()
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def surroundings(self) -> dict[str, str]:
        """Return the environment of the program."""
        return {
            **self.env,
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
            "ANTHROPIC_API_KEY": KEY,
            "IS_SANDBOX": "1",
        }

    def play(self, prompt: str, *turns: list[dict[str, Any]], more: tuple[str, ...] = ()) -> Played:
        """Run one prompt against a script.

        Args:
            prompt: what the person types.
            turns: what the model answers.
            more: further arguments of the program.
        """
        self._ran += 1
        base = self.home / f"run{self._ran}"
        script, record, taken = (base.with_suffix(end) for end in (".json", ".jsonl", ".taken"))
        script.write_text(json.dumps(turns, ensure_ascii=False))
        tap = {"type": "command", "command": f"(cat; echo) >> {shlex.quote(str(taken))}"}
        tapped = json.dumps({"hooks": {event: [{"hooks": [tap]}] for event in _EVENTS}})
        done = run_alone(
            [
                self.claude_path, "-p", prompt, "--dangerously-skip-permissions", "--verbose",
                "--output-format", "stream-json", "--include-hook-events", "--settings", tapped,
                *more,
            ],
            home=self.home,
            cwd=self.work,
            model=[sys.executable, str(MODEL), str(script), str(record)],
            env=self.surroundings(),
        )  # fmt: skip
        requests = [row["body"] for row in _rows(record) if row["kind"] == "turn"]
        return Played(done, requests, _rows(taken))


class Terminal:
    """The program in a terminal of its own, typed into as a person does.

    Args:
        machine: where it runs; the folder counts as trusted, the first questions as answered.
        turns: what the model answers.
    """

    def __init__(self, machine: Machine, *turns: list[dict[str, Any]]) -> None:
        self._record = machine.home / "typed.jsonl"
        script, ready = machine.home / "typed.json", machine.home / "typed.ready"
        script.write_text(json.dumps(turns, ensure_ascii=False))
        answered = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(machine.work): {"hasTrustDialogAccepted": True}},
        }
        (machine.home / ".claude.json").write_text(json.dumps(answered))
        model = shlex.join([sys.executable, str(MODEL), str(script), str(self._record)])
        inner = (
            f"ip link set lo up; {model} > {shlex.quote(str(ready))} & held=$!; "
            f"while [ ! -s {shlex.quote(str(ready))} ]; do sleep 0.05; done; "
            '"$@"; code=$?; kill $held; exit $code'
        )
        quiet = {k: v for k, v in QUIET.items() if k not in {"CI", "NO_COLOR", "TERM"}}
        self._screen, screen = os.openpty()
        termios.tcsetwinsize(screen, (40, 120))
        self._process = subprocess.Popen(
            ["unshare", "-n", "sh", "-c", inner, "sh", machine.claude_path, "--allowedTools", "Bash"],
            cwd=machine.work, env={**machine.surroundings(), **quiet, "TERM": "xterm-256color"},
            stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
        )  # fmt: skip
        os.close(screen)
        self.shown = ""

    def __enter__(self) -> Self:
        self._read_until(lambda: "❯" in self.shown)
        self._read(1)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._screen)

    def type_in(self, words: str, requests: int = 0) -> None:
        """Type a line and press Enter; wait until the model was asked so often in all."""
        os.write(self._screen, words.encode())
        self._read(0.5)
        os.write(self._screen, b"\r")
        self._read_until(lambda: len(_rows(self._record)) >= requests)
        self._read(1)

    def leave(self) -> int:
        """End the session; the exit code."""
        self.type_in("/exit")
        self._read_until(lambda: self._process.poll() is not None)
        return self._process.wait()

    def _read_until(self, is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_done():
            assert time.monotonic() < end, self.shown[-2000:]
            self._read(0.1)

    def _read(self, seconds: float) -> None:
        """Take what is shown for some time; a program that nobody reads stands still."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self._screen], [], [], left)[0]:
                try:
                    raw = os.read(self._screen, 1 << 16)
                except OSError:  # it has ended
                    return
                self.shown += raw.decode("utf-8", "replace")


def _rows(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.strip()]
