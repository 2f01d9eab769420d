"""Codex as a person has it: a home, a project, mvault installed by its own command line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real.home import Home, Turn

PORT = 8123
"""Of the scripted model."""

MODEL = "gpt-5.5"
"""A model of Codex's own list that is given `exec_command` and `apply_patch` as plain tools."""

SCRIPTING_MODEL = "gpt-6.2-sol"
"""One that is given a single tool for programs, which call the others."""

_HERE = Path(__file__).parent

CONFIG = f"""\
# 我的设置 (mine)
model = "{MODEL}"   # the one I like
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{PORT}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""


@dataclass(slots=True)
class Session:
    """What one run of Codex did.

    Args:
        out: its stdout.
        err: its stderr.
        code: its exit code.
        requests: bodies of the requests to the model, in order.
        answers: what a tool said, by the id of its call.
        turns: how many the script had.
    """

    out: str
    err: str
    code: int
    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    turns: int = 0

    def texts(self, role: str, number: int = -1) -> list[str]:
        """Return the texts of one role in a request, the last by default."""
        items = self.requests[number]["input"] if self.requests else []
        return [
            block["text"]
            for item in items
            if item.get("type") == "message" and item.get("role") == role
            for block in item["content"]
            if "text" in block
        ]

    def blocks(self, number: int = -1) -> list[str]:
        """Return the standing blocks of mvault in a request, whoever brought them."""
        every = self.texts("developer", number) + self.texts("user", number)
        return [text for text in every if "## Memory in force" in text]

    @property
    def thread(self) -> str:
        """The id of the session."""
        found = re.search(r"session id: (\S+)", self.err)
        assert found, self.err
        return found[1]

    def hooks(self) -> list[str]:
        """Return what was said of hooks, in order: `SessionStart Completed` …"""
        return re.findall(r"^hook: (\S+ \S+)$", self.err, re.MULTILINE)

    def ok(self) -> Session:
        """Return self; fail when Codex did, or says that a hook failed or is set up wrong.

        Also when the model was asked more or less often than the script has turns: a stop that
        is held up asks again.
        """
        told = f"exit {self.code}\n{self.out}\n{self.err}"
        assert self.code == 0, told
        assert not re.search(r"^hook: \S+ (?!Completed|Blocked)\S+", self.err, re.MULTILINE), told
        assert not re.search(
            r"hook.*(clamp|invalid|unknown|unsupported|fail)", self.err, re.IGNORECASE
        ), told
        assert len(self.requests) == self.turns, told
        return self


class Machine(Home):
    """A home with Codex in it.

    Args:
        folder: where all of it lies.
    """

    def __init__(self, folder: Path) -> None:
        env = {"SCRIPTED_KEY": "dummy"}
        super().__init__(folder, "codex", env, model="responses_model.py", port=PORT)
        self.settings = self.home / ".codex" / "config.toml"
        self.settings.parent.mkdir()
        self.settings.write_text(CONFIG, "utf-8")

    def run(self, script: Sequence[Turn], *argv: str, cwd: Path | None = None) -> Session:
        """Run `codex exec` against a script, as a person does who lets it do everything."""
        words = ("exec", "-s", "danger-full-access", "--skip-git-repo-check", *argv)
        return self.start(script, words, cwd=cwd)

    def start(
        self, script: Sequence[Turn], argv: Sequence[str], cwd: Path | None = None
    ) -> Session:
        """Run Codex with any arguments against a script."""
        done = self.alone([self.program, *argv], script, cwd=cwd)
        requests = [line["body"] for line in self.asked() if line["path"].endswith("/responses")]
        answers = {
            item["call_id"]: _answer(item)
            for body in requests[-1:]
            for item in body["input"]
            if item["type"].endswith("_call_output")
        }
        said = (done.stdout, done.stderr, done.returncode)
        return Session(*said, requests, answers, len(script))

    def type(
        self, steps: Sequence[dict[str, str]], script: Sequence[Turn] = (), *argv: str
    ) -> Session:
        """Start Codex at a terminal and type into it; see `codex_screen.py`."""
        command = [sys.executable, str(_HERE / "codex_screen.py"), json.dumps(list(steps))]
        done = self.alone([*command, self.program, *argv], script, TERM="xterm-256color")
        requests = [line["body"] for line in self.asked() if line["path"].endswith("/responses")]
        return Session(done.stdout, done.stderr, done.returncode, requests)

    def rollouts(self) -> list[Path]:
        """Return the session logs that Codex wrote, the oldest first."""
        return sorted(self.settings.parent.glob("sessions/*/*/*/*.jsonl"))

    def serve(self, *asks: dict[str, Any], script: Sequence[Turn] = ()) -> list[dict[str, Any]]:
        """Have `codex app-server` answer requests one after another; see `codex_server.py`.

        Args:
            asks: `{"method", "params"}`; `{"await": METHOD}` waits for a notification.
            script: the model's turns.
        """
        asked = self.home / "calls.json"
        asked.write_text(json.dumps(asks, ensure_ascii=False), "utf-8")
        command = [sys.executable, str(_HERE / "codex_server.py"), self.program, str(asked)]
        done = self.alone(command, script)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def hook_states(self) -> dict[str, dict[str, Any]]:
        """Return what Codex itself says of each hook, by its key."""
        listed = self.serve({"method": "hooks/list", "params": {"cwds": [str(self.project)]}})
        found = next(line["result"] for line in listed if "data" in line.get("result", {}))
        return {hook["key"]: hook for each in found["data"] for hook in each["hooks"]}

    def trust_hooks(self) -> None:
        """Trust every hook, with the request that the dialogue of Codex sends for `trust all`."""
        value = {
            key: {"trusted_hash": hook["currentHash"]} for key, hook in self.hook_states().items()
        }
        edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
        self.serve({"method": "config/batchWrite", "params": {"edits": [edit]}})

    def trust_project(self) -> None:
        """Say that the project is trusted, as `codex exec --trust` and the first dialogue do."""
        text = self.settings.read_text("utf-8")
        name = json.dumps(str(self.project), ensure_ascii=False)
        self.settings.write_text(f'{text}\n[projects.{name}]\ntrust_level = "trusted"\n', "utf-8")

    def spool(self) -> Iterator[dict[str, Any]]:
        """Yield what hooks were sent and took down, in order."""
        folder = self.home / ".local/state/mvault/hook/spool"
        for path in sorted(folder.glob("*.bin")) if folder.is_dir() else []:
            for line in path.read_bytes().split(b"\n"):
                if line.startswith(b"{"):
                    yield json.loads(line)


def _answer(item: dict[str, Any]) -> str:
    said = item["output"]
    return said if isinstance(said, str) else "\n".join(each.get("text", "") for each in said)
