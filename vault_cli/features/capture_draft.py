"""What waits in the queue becomes a proposal. May import `model`, `text`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vault_cli.errors import UsageError
from vault_cli.features.capture import CORRECTION, ERROR, FIXED
from vault_cli.features.composing import DraftRequest
from vault_cli.features.parts import is_chinese
from vault_cli.model.record import Kind
from vault_cli.text.corrections import find_correction, split_sentences
from vault_cli.text.late import late
from vault_cli.text.quality import is_filler

MOST_EVIDENCE: Final = 5
_TITLE: Final = 110
_KINDS: Final = {CORRECTION: Kind.LESSON, ERROR: Kind.FAILURE, FIXED: Kind.LESSON}
_SOURCES: Final = {CORRECTION: "user", ERROR: "tool", FIXED: "tool"}
_LEAD: Final = late(
    r"^(?:(?:no+|nope|wait|hey|ok|okay|but|and|so|please|actually|sorry|stop|不对|不是|不|请|拜托|等等|错了)"
    r"[\s,.!:;，。！：；]+)+",
    re.IGNORECASE,
)

_MASK: Final = late(r"^(?:<\w+>[\s:]*)+")


def propose(
    kind: str,
    text: str,
    detail: Mapping[str, Any],
    evidence: Sequence[Mapping[str, str]],
    *,
    named: Kind | None = None,
    title: str = "",
    body: str = "",
    scope: str = "",
    topics: Sequence[str] = (),
) -> DraftRequest:
    """Return what would be remembered of an item.

    Args:
        kind: of the item.
        text: what is kept of it, without secrets.
        detail: more about it, without secrets.
        evidence: the sessions it was seen in, newest last.
        named: the kind somebody chose.
        title: somebody's own words in the place of what was said, "" for none.
        body: as `title`.
        scope: as `DraftRequest` has it; "" for global.
        topics: as `DraftRequest` has them.

    Raises:
        UsageError: the item says nothing that could stand in a title.
    """
    told = {} if body else _sections(kind, text, detail)
    said = title.strip() or _title(kind, text, detail)
    if not said:
        raise UsageError("there is nothing to make a title of", hint="Give one: --title TEXT")
    wanted = named or _KINDS[kind]
    return DraftRequest(
        wanted,
        said,
        body,
        told,
        scope=scope or "global",
        topics=tuple(topics),
        correction=kind == CORRECTION and wanted in (Kind.LESSON, Kind.RULE, Kind.FACT),
        source=_SOURCES[kind],
        evidence=tuple(evidence[-MOST_EVIDENCE:]),
    )


def _title(kind: str, text: str, detail: Mapping[str, Any]) -> str:
    if kind == CORRECTION:
        return _shorten(_best_sentence(text))
    if kind == FIXED:
        worked, failed = str(detail.get("worked", "")), str(detail.get("failed", ""))
        words = "可行，{1} 会失败" if is_chinese(text) else "works where {1} fails"
        pieces = [f"`{_one_line(part, 44)}`" for part in (worked, failed)]
        return f"{pieces[0]} {words.replace('{1}', pieces[1])}"
    lines = str(detail.get("template") or text).splitlines() or [""]
    tool, said = str(detail.get("tool", "")), _MASK.sub("", lines[-1]).strip()
    return _shorten(f"{tool}: {said}" if tool else said)


def _best_sentence(text: str) -> str:
    """Return the sentence that says what to do: a rule before a replacement, else the longest."""
    sentences = [_LEAD.sub("", one.strip()).strip() for one in split_sentences(text)]
    kept = [one for one in sentences if one]
    order = {"standing": 0, "replaced": 1}
    ranked = []
    for one in kept:
        found = find_correction(one)
        ranked.append((order.get(found.kind if found else "", 2), -len(one), one))
    return min(ranked, default=(0, 0, ""))[2].rstrip(".。!！ ")


def _sections(kind: str, text: str, detail: Mapping[str, Any]) -> dict[str, str]:
    """Return the parts of a record: what was seen, what was done, what to do instead."""
    if kind == CORRECTION:
        said = str(detail.get("agent") or "")
        done = str(detail.get("call") or ("" if is_filler(said) else said))
        found = {"attempted": _one_line(done, 300), "correction": text}
    elif kind == FIXED:
        found = {
            "problem": _fenced(str(detail.get("error", ""))),
            "attempted": _code(str(detail.get("failed", ""))),
            "correction": _code(str(detail.get("worked", ""))),
        }
    else:
        found = {"problem": _fenced(text), "attempted": _code(str(detail.get("command", "")))}
    return {name: part for name, part in found.items() if part.strip()}


def _fenced(text: str) -> str:
    if not text.strip():
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.strip()}\n{fence}"


def _code(text: str) -> str:
    line = _one_line(text, 300)
    return _fenced(text) if "`" in line or "\n" in text.strip() else f"`{line}`" if line else ""


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _shorten(text: str) -> str:
    return _one_line(text, _TITLE)
