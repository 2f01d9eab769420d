"""A failure that repeats becomes a draft with a guard. May import `model`, `text`, `hook`.

Nothing is in force by it: the draft waits for a person like any other. It carries the masked error
and the words that all of the failed calls share, never an output or a whole command.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from vault_cli.errors import UsageError
from vault_cli.features.composing import DraftRequest
from vault_cli.features.failures import Group
from vault_cli.features.guard_trials import Trial
from vault_cli.features.guards import KEY, guard_values
from vault_cli.features.parts import is_chinese
from vault_cli.hook.command_words import split_command
from vault_cli.model.record import Kind, Record
from vault_cli.model.sighting import Sighting
from vault_cli.text.exit_words import is_code

MOST_WORDS: Final = 3
MOST_ERROR: Final = 300
_TITLE: Final = 100
_LONGEST: Final = 30
_SHOWN_LINES: Final = 4
_TELLING: Final = ("error", "fail", "cannot", "not found", "no module", "denied", "refused",
                   "错误", "失败", "找不到", "无法")  # fmt: skip


def shared_words(calls: Sequence[Sighting]) -> str:
    """Return the words that failed calls of one tool share, "" when there are none to go by.

    Of shell commands: program, subcommands and options that stand in all of them, in order, up to
    the first argument; of calls about a file the end of its path.
    """
    texts = [seen.given for seen in calls if seen.given]
    if not texts or len(texts) < len(calls):
        return ""
    if calls[0].tool != "shell":
        ends = {"/".join(text.rsplit("/", 2)[-2:]) for text in texts if "\n" not in text}
        return ends.pop() if len(ends) == 1 and len(texts[0]) <= MOST_ERROR else ""
    rows = [_command_words(text) for text in texts]
    common = rows[0]
    for row in rows[1:]:
        common = _common(common, row)
    words = common[:MOST_WORDS]
    while len(words) > 1 and words[-1].startswith("-"):
        words.pop()
    return " ".join(words)


def _command_words(text: str) -> list[str]:
    """Return the words of the last simple command of a line, up to the first argument."""
    parts = split_command(text, into_quotes=False)
    if not parts:
        return []
    part = parts[-1]
    found = [part.words[part.head].rpartition("/")[2]]
    for word in part.words[part.head + 1 :]:
        if not word.startswith("-") and not _is_plain(word):
            break
        found.append(word)
    return found


def _is_plain(word: str) -> bool:
    """Tell whether a word may be a subcommand: letters, digits, hyphens and colons, not long."""
    return (
        len(word) <= _LONGEST and word.replace("-", "").replace("_", "").replace(":", "").isalnum()
    )


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the longest row of words that stands in both, in order."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            same = one[i] == other[j]
            table[i][j] = table[i + 1][j + 1] + 1 if same else max(table[i + 1][j], table[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return found if found[:1] == list(one[:1]) else []


def known_fingerprints(records: Iterable[Record]) -> dict[str, str]:
    """Return the failures that records speak of, whatever became of them: fingerprint to id."""
    found = {}
    for record in records:
        guard = record.fields.get(KEY)
        mark = guard.get("fingerprint") if isinstance(guard, dict) else None
        mark = mark or record.fields.get("failure")
        if isinstance(mark, str):
            found[mark] = record.id
    return found


def proposed_guard(group: Group) -> dict[str, object]:
    """Return what stands under `guard:` of a proposal; empty when no call is known to stop."""
    match = shared_words(group.counted)
    if not match:
        return {}
    try:
        return guard_values(
            match=match,
            tools=(group.tool,),
            hit=tuple(dict.fromkeys(_example(match, seen) for seen in group.counted))[:1],
            fingerprint=group.fingerprint,
        )
    except UsageError:  # it would hit everything, or nothing
        return {}


def _example(match: str, seen: Sighting) -> str:
    """Return an example of a hit that tells nothing of the call but the words of the guard."""
    return match if seen.tool == "shell" else f"/{match}"


def propose(
    group: Group, trial: Trial | None, guard: dict[str, object], scope: str = "global"
) -> DraftRequest:
    """Return the draft for a failure that repeated.

    Args:
        group: the failure.
        trial: its guard on recorded calls, None without one.
        guard: what stands under `guard:`, empty for none.
        scope: where it failed.
    """
    lines = group.template.split("\n") if group.template else []
    chinese = is_chinese("\n".join(_own_lines(lines)))
    match = str(guard.get("match", ""))
    extra: dict[str, object] = {KEY: guard} if guard else {"failure": group.fingerprint}
    return DraftRequest(
        kind=Kind.FAILURE,
        title=_title(match or group.tool, lines),
        sections=MappingProxyType(_sections(group, trial, match, lines, chinese=chinese)),
        scope=scope,
        confidence="low",
        source="tool",
        extra=MappingProxyType(extra),
        reason=f"{len(group.counted)} failures with fingerprint {group.fingerprint}",
    )


def _own_lines(lines: Sequence[str]) -> Sequence[str]:
    """Return what the program said, without what the host says of its end."""
    return [line for line in lines if not is_code(line)] or lines


def _title(what: str, lines: Sequence[str]) -> str:
    telling = [line for line in lines if any(word in line.lower() for word in _TELLING)]
    plain = [line for line in _own_lines(lines) if not line.lower().startswith("traceback")]
    line = next(iter(telling or plain or lines), "")
    title = f"{what}: {line}" if line else f"{what} fails"
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


def _sections(
    group: Group, trial: Trial | None, match: str, lines: Sequence[str], *, chinese: bool
) -> dict[str, str]:
    count, sessions = len(group.counted), group.sessions
    span = _span(group)
    said = _own_lines(lines)
    error = "\n".join(f"    {line}" for line in said[:_SHOWN_LINES])[:MOST_ERROR]
    if chinese:
        problem = f"在 {sessions} 个会话中失败了 {count} 次（{span}），错误相同："
        avoid = f"不要原样再次运行 `{match}`。" if match else "不要原样重复同样的调用。"
    else:
        many = "session" if sessions == 1 else "sessions"
        problem = f"Failed {count} times in {sessions} {many} ({span}) with the same error:"
        avoid = f"Running `{match}` as it is." if match else "Making the same call again as it is."
    if trial is not None and trial.asked:
        stopped, failed = len(trial.hit), trial.failed
        avoid += (
            f"已记录的 {trial.asked} 次调用中，它会拦下 {stopped} 次，其中 {failed} 次失败。"
            if chinese
            else f" Of {trial.asked} recorded calls the guard would have stopped {stopped},"
            f" of which {failed} failed."
        )
    return {"problem": f"{problem}\n\n{error}".rstrip(), "avoid": avoid}


def _span(group: Group) -> str:
    first, last = (
        datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d") for at in (group.first, group.last)
    )
    return first if first == last else f"{first} – {last}"
