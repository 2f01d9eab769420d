"""How much work a turn was, counted from the tail of the spool. Standard library, `hook`."""

from __future__ import annotations

from vault_cli.hook import events, words
from vault_cli.hook.language import is_chinese
from vault_cli.hook.spool import NAMES
from vault_cli.hook.state import FOLDER
from vault_cli.hook.system import calls, open_plain
from vault_cli.hook.tools import canonical

TAIL = 2 << 20
"""Bytes of the spool that are looked at: what a turn usually leaves, and a bound on its cost."""

LEAST_CALLS = 8
"""So many tool calls are work worth a word, and any change of a file."""

_CHANGING = frozenset({"edit", "write"})
"""Canonical names of tools that change files."""

_RECORDING = tuple(
    word.encode()
    for word in (
        *("task_start", "task_checkpoint", "task_end", "mvault task", "mvault ticket"),
        *("mvault add", "mvault mark", "mvault revise", "mvault handoff"),
        # of the MCP server, whatever a host puts before their names
        *("mvault__remember", "mvault_remember", "mvault__mark", "mvault_mark"),
    )
)
_TOOL = b'"tool_name"'
_CALL_ID = b'"tool_use_id"'
_CALLS = frozenset({events.POST_TOOL, events.TOOL_FAILURE})
_FIELDS = 6
_JOINTS = {ord(char): None for char in "-_."}
_SEEN = 200
"""Characters of a prompt that tell its language."""


def unrecorded(state: str, session: str) -> str:
    """Return what is to be said of the last turn of a session, "" for nothing.

    A turn begins with the last prompt. Nothing is said of one that touched memory, or that was
    little work. What was folded already does not count, nor what lies far back.
    """
    mark = f'"{session}"'.encode("utf-8", "surrogatepass")
    made = changed = touched = 0
    prompt = b""
    seen: set[bytes] = set()
    for event, raw in _frames(state):
        if mark not in raw or (_CALL_ID in raw and raw in seen):
            continue  # of another session, or taken down by two installations of ours
        seen.add(raw)
        if event == events.PROMPT:
            made = changed = touched = 0
            seen = set()
            prompt = raw
        elif event in _CALLS:
            touched += any(word in raw for word in _RECORDING)
            made += 1
            changed += event == events.POST_TOOL and _tool_of(raw) in _CHANGING
    if touched or (made < LEAST_CALLS and not changed):
        return ""
    if _is_chinese(prompt):
        return words.UNRECORDED_CHINESE.format(made, changed)
    return words.UNRECORDED.format(_count(made, "tool call"), _count(changed, "file"))


def to_reflect_on(state: str, session: str, *, in_task: bool) -> str:
    """Return what is said of a turn that can be reflected on, "" for an empty one.

    A turn without a prompt that is talk has nothing to reflect on.

    Args:
        state: the state folder.
        session: its id.
        in_task: whether a task of the session is open, whose reflection would say the same.
    """
    if not session.translate(_JOINTS).isalnum():  # it goes into a command line
        return ""
    mark = f'"{session}"'.encode("utf-8", "surrogatepass")
    prompts = [raw for event, raw in _frames(state) if event == events.PROMPT and mark in raw]
    if not prompts or not words.is_talk(_prompt_of(prompts[-1])):
        return ""
    chinese = _is_chinese(prompts[-1])
    text = (words.TURN_CHINESE if chinese else words.TURN).format(session)
    beside = words.TURN_IN_TASK_CHINESE if chinese else words.TURN_IN_TASK
    return text + beside if in_task else text


def _is_chinese(raw: bytes) -> bool:
    """Tell whether a payload's prompt is in Chinese."""
    return is_chinese(_prompt_of(raw)[:_SEEN])


def _prompt_of(raw: bytes) -> str:
    """Return the prompt of a payload, "" where it says none."""
    from vault_cli.hook.jsons import loads

    try:
        return events.prompt_of(loads(raw)) if raw else ""
    except (ValueError, RecursionError):
        return ""


def speaks_chinese(state: str, session: str) -> bool:
    """Tell whether the last prompt of a session is in Chinese, as far as it is still spooled."""
    mark = f'"{session}"'.encode("utf-8", "surrogatepass")
    prompts = [raw for event, raw in _frames(state) if event == events.PROMPT and mark in raw]
    return bool(prompts) and _is_chinese(prompts[-1])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _frames(state: str) -> list[tuple[str, bytes]]:
    """Return events and payloads of the spool's tail; a torn one may be taken for whole."""
    try:
        file = open_plain(f"{state}/{FOLDER}/{'/'.join(NAMES)}", calls.O_RDONLY)
    except OSError:
        return []
    try:
        size = calls.fstat(file).st_size
        calls.lseek(file, max(0, size - TAIL), 0)
        lines = calls.read(file, TAIL).split(b"\n")
    finally:
        calls.close(file)
    found = []
    for place, raw in enumerate(lines[1:]):
        head = lines[place]
        fields = head.split(b" ")
        if fields[0] == b"mv1" and len(fields) >= _FIELDS:
            found.append((fields[3].decode("ascii", "replace"), raw))
    return found


def _tool_of(raw: bytes) -> str:
    place = raw.find(_TOOL)
    if place < 0:
        return ""
    text = raw[place + len(_TOOL) : place + 96].lstrip(b" :").partition(b'"')[2].partition(b'"')[0]
    return canonical(text.decode("ascii", "replace"))
