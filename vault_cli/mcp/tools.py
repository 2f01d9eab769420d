"""The tools as command lines, and answers as text for a model. May import `mcp.port`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from vault_cli.mcp.port import Answer, Run
from vault_cli.text.late import late

MOST_BYTES: Final = 28_000
"""Most of one answer. Hosts warn at 10,000 tokens and cut at 25,000 without saying where; 28,000
bytes are about 7,000 tokens of English and 9,500 of Chinese."""

MOST_BLOCK: Final = MOST_BYTES - 2000
"""Most of a block, which is rendered to it and so keeps its end; notes stand behind it."""

_NO_MATCH: Final = 1
_PLAIN: Final = late(r"[^\W\d_](?:[^\n:#]|:(?=\S)|(?<=\S)#)*")
"""A text that YAML reads as it stands, but for `_NO_TEXT`."""

_NO_TEXT: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})

_MORE: Final = late(r" \(--limit 0 shows all\)")
"""Advice for a shell: a tool takes at most what its schema says."""
_ID: Final = late(r"[^\W_][\w.-]{0,199}")
"""An id, its beginning, or a hand-written note's own name; never a path or an option."""


class ToolFailure(Exception):  # noqa: N818 - not an error of ours: what the model is told
    """A call that did not do what was asked; the text tells the model why and what to do."""


class Tools:
    """What an agent may ask for; every method returns text for the model.

    All of them raise ToolFailure with the message and the advice of the command.

    Args:
        run: runs a command line as an agent, who may propose and never approve.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def brief(self) -> str:
        """Return in a few lines what is in force."""
        return self._ask("brief")

    def context(self, task: str, budget: int) -> str:
        """Return the block of what is in force for a task, at most `budget` bytes (0: as set)."""
        answer = self._run(_render(task, min(budget, MOST_BLOCK)))
        if not answer.code and len(answer.out.encode("utf-8", "replace")) > MOST_BLOCK:
            answer = self._run(_render(task, MOST_BLOCK))  # cut by what it says, not by its bytes
        return self._told(answer)

    def search(
        self,
        query: str,
        limit: int = 10,
        kinds: Sequence[str] = (),
        topics: Sequence[str] = (),
        view: str = "",
        *,
        expand: bool = False,
        explain: bool = False,
    ) -> str:
        """Return the records that fit a query best, a title and a piece of text each."""
        args = [f"--limit={limit}", *_each("--kind", kinds), *_each("--topic", topics)]
        args += _valued({"--view": view})
        args += [*_flag("--expand", expand), *_flag("--explain", explain), "--", query]
        return self._ask("search", *args)

    def sessions(self, query: str, limit: int = 10) -> str:
        """Return what was said in earlier sessions of this project that fits a query."""
        return self._ask("sessions", "search", "--here", f"--limit={limit}", "--", query)

    def show(self, ident: str, *, provenance: bool = False, expand: bool = False) -> str:
        """Return one record whole; with where it comes from, or what is linked to it."""
        flags = [*_flag("--provenance", provenance), *_flag("--expand", expand)]
        return self._ask("show", *flags, "--", _checked_id(ident))

    def remember(self, kind: str, fields: Mapping[str, Any]) -> str:
        """Propose a record; a person admits it or not. Returns its id and what was noticed."""
        given = {key: value for key, value in fields.items() if value not in (None, "", [], {})}
        payload = json.dumps({"source": "agent", **given}, ensure_ascii=False)
        answer = self._run(["add", "--payload=-", "--", kind], payload)
        text = self._told(answer)
        return f"Proposed as {text}\nA candidate: not in force until a person admits it."

    def mark(self, idents: Sequence[str], verdict: str, note: str = "") -> str:
        """Note that records were cited, helped or misled in this session."""
        args = [f"--{verdict}", *_valued({"--note": note}), *_flag("--cited", verdict != "cited")]
        return self._ask("mark", *args, "--", *map(_checked_id, idents))

    def used(self, ident: str, *, ok: bool, note: str = "") -> str:
        """Note that a recipe or a skill was followed in this session, and whether it worked."""
        args = ["--ok" if ok else "--fail", *_valued({"--note": note})]
        return self._ask("used", *args, "--", _checked_id(ident))

    def task_start(self, goal: str, expected: str = "", ticket: str = "") -> str:
        """Begin a task of this session; return its id and what had been shown."""
        args = [*_valued({"--expected": expected}), *_valued({"--ticket": ticket})]
        return self._ask("task", "start", *args, "--", goal)

    def task_checkpoint(self, ident: str, text: str) -> str:
        """Note how far an open task is."""
        return self._ask("task", "checkpoint", "--", _checked_id(ident), text)

    def task_end(self, ident: str, status: str, result: str = "", cited: Sequence[str] = ()) -> str:
        """End a task, with what was used in it."""
        args = [*_valued({"--status": status, "--result": result})]
        args += _each("--cited", map(_checked_id, cited))
        return self._ask("task", "end", *args, "--", _checked_id(ident))

    def task_reflect(
        self, task: str, answer: str, run: str = "", mode: str = "", questions: Sequence[str] = ()
    ) -> str:
        """Print the brief of a reflection, or with an answer write its candidates."""
        if answer.strip():
            args = ["--answer=-", *(["--", _checked_id(run)] if run else [])]
            return self._told(self._run(["reflect", "commit", *args], answer))
        named = [*_valued({"--task": task and _checked_id(task)}), *_valued({"--mode": mode})]
        named += _each("--question", questions)
        return self._ask("reflect", "prepare", *named, *(["--", _checked_id(run)] if run else []))

    def distill(self, answer: str = "") -> str:
        """Hand over what waits in the capture queue, or with an answer write its candidates."""
        if answer.strip():
            return self._told(self._run(["distill", "commit", "--answer=-"], answer))
        return self._ask("distill", "prepare")

    def review_list(self) -> str:
        """Return the candidates that wait for a person."""
        waiting = self._ask("list", "--status=candidate")
        return f"{waiting}\nOnly a person admits them (mvault review)."

    def why(self, line: str) -> str:
        """Return where a line of the block, or a record, comes from."""
        return self._ask("why", "--", line)

    def markdown(self, ident: str) -> str:
        """Return a record as its file has it, for a resource."""
        data = self.data("show", "--", _checked_id(ident))
        front = "".join(f"{key}: {_spelt(value)}\n" for key, value in data["fields"].items())
        return f"---\n{front}---\n{data['body']}"

    def data(self, *args: str) -> Any:
        """Return the `data` of a command's JSON answer."""
        answer = self._run(["--json", *args])
        whole = json.loads(answer.out)
        if answer.code:
            error = whole.get("error", {})
            raise ToolFailure("\n".join(filter(None, (error.get("message"), error.get("hint")))))
        return whole["data"]

    def _ask(self, *args: str) -> str:
        return self._told(self._run(list(args)))

    def _told(self, answer: Answer) -> str:
        """Return the answer with its notes; ToolFailure for one that did not do it."""
        notes = _MORE.sub("; ask with a higher limit, or more words", answer.notes.strip())
        if answer.code not in (0, _NO_MATCH):
            raise ToolFailure(shorten(notes or answer.out.strip() or "it failed without a word"))
        parts = [answer.out.strip("\n"), notes]
        return shorten("\n\n".join(filter(None, parts))) or "nothing"


def shorten(text: str, most: int = MOST_BYTES) -> str:
    """Return text of at most `most` bytes, cut at a line end and saying what was left out."""
    if len(text.encode("utf-8", "replace")) <= most:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    size = 200  # for the sentence at the end
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > most:
            break
        kept.append(line)
    left = len(lines) - len(kept)
    kept.append(f"[{left} more lines left out: ask for fewer records, or show one by its id]")
    return "\n".join(kept)


def _render(task: str, budget: int) -> list[str]:
    return ["render", *_valued({"--query": task, "--budget": budget or None})]


def _spelt(value: Any) -> str:
    """Return a value of front matter on one line: as it is where that is plain, else as JSON."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NO_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)


def _checked_id(ident: str) -> str:
    if not _ID.fullmatch(ident.strip()):
        raise ToolFailure(f"{ident[:80]!r} is no id; search gives the ids of records")
    return ident.strip()


def _valued(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in options.items() if value not in (None, "")]


def _each(name: str, values: Iterable[str]) -> list[str]:
    return [f"{name}={value}" for value in values]


def _flag(name: str, given: bool) -> list[str]:  # noqa: FBT001 - the value of a switch
    return [name] if given else []
