"""The least an agent should know: what there is and the titles that matter most, on few lines.

May import `text`, `model`, `recall.select`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vault_cli.recall.select import Pick, Selection
from vault_cli.text.neutral import neutral_inline

_RULES = ("rule", "rules")
_LESSONS = ("lesson", "lessons")
_NAMES = {
    "handoff": ("hand-over", "hand-overs"),
    "persona": ("persona", "personas"),
    "profile": ("profile", "profiles"),
    "corrections": _LESSONS,
    "failures": ("known failure", "known failures"),
    "required": _RULES,
    "checklist": _RULES,
    "rules": _RULES,
    "lessons": _LESSONS,
    "reference": ("fact or note", "facts and notes"),
    "conflicts": ("side of a conflict", "sides of conflicts"),
    "recipes": ("recipe", "recipes"),
    "skills": ("skill", "skills"),
    "requested": ("other record", "other records"),
}
_WAY_ON = "`mvault render` prints them."
_NOTHING = "Memory: nothing is in force here.\n"


class Brief(NamedTuple):
    """A summary.

    Args:
        text: at most as many characters as allowed, ends in a newline unless it is empty.
        shown: ids whose titles are in it, most important first.
        total: how many records are in force for the query.
    """

    text: str
    shown: tuple[str, ...]
    total: int


def write_brief(selection: Selection, limit: int) -> Brief:
    """Summarise a selection within `limit` characters: counts by group, then whole titles.

    Titles come in the order of the groups and, within a group, by rank; those that fit the
    query's text best come first. One that does not fit is left out whole, and smaller ones after it
    may still be shown. The counts say how many there are. With too little room for the counts
    the text is empty.
    """
    picks = selection.picks
    if not picks:
        return Brief(_NOTHING if len(_NOTHING) <= limit else "", (), 0)
    head = f"Memory: {len(picks)} in force ({_counts(picks)}). {_WAY_ON}\n"
    if len(head) > limit:
        head = f"Memory: {len(picks)} in force. {_WAY_ON}\n"
    if len(head) > limit:
        return Brief("", (), len(picks))
    lines, shown, room = [head], [], limit - len(head)
    for pick in sorted(picks, key=lambda pick: -pick.worth.relevance):
        if len(pick.record.title) > room:
            continue
        line = f"- [{pick.record.id}] {neutral_inline(pick.record.title)}\n"
        if len(line) <= room:
            lines.append(line)
            shown.append(pick.record.id)
            room -= len(line)
    return Brief("".join(lines), tuple(shown), len(picks))


def _counts(picks: Iterable[Pick]) -> str:
    numbers: dict[tuple[str, str], int] = {}
    for pick in picks:
        names = _NAMES[pick.group]
        numbers[names] = numbers.get(names, 0) + 1
    return ", ".join(f"{number} {names[number != 1]}" for names, number in numbers.items())
