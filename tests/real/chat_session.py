"""DSH, OpenCode and Gemini CLI as a person has them: a home, a project, mvault by its command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers import Result
from real.home import Home, Turn

PORT = 8124
"""Of the scripted model."""

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


class Machine(Home):
    """A home with one of these programs in it.

    Args:
        folder: where all of it lies.
        name: the program.
        host: what mvault calls it.
        env: variables that the program is given.
    """

    def __init__(self, folder: Path, name: str, host: str, env: Mapping[str, str]) -> None:
        super().__init__(folder, name, env, model="chat_model.py", port=PORT)
        self.host = host

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
        done = self.alone([self.program, *argv], script, cwd=cwd)
        bodies = [line["body"] for line in self.asked() if line["turn"] >= 0]
        return Session(done.stdout, done.stderr, done.returncode, bodies)
