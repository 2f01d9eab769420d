"""The texts of a graduated recipe: description, SKILL.md, dossier. May import `text`, `model`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from vault_cli.errors import RefusedError
from vault_cli.features.parts import is_chinese
from vault_cli.features.records import instant_text
from vault_cli.features.skills import description_problem
from vault_cli.model.record import Record, Snapshot, Status
from vault_cli.text.block import find_second_block
from vault_cli.text.document import compose_document
from vault_cli.text.lines import first_heading
from vault_cli.text.neutral import neutral_inline
from vault_cli.text.sections import section_text


def choose_description(record: Record, given: str) -> str:
    """Return the description as hosts will list it: one line, what and when.

    Raises:
        RefusedError: it does not fit the format (with the count); it is never cut.
    """
    text = " ".join((given or _own_description(record)).split())
    # Three dashes end the block for readers that split at them, also inside quotes.
    text = re.sub(r"-{3,}", "—", text)
    problem = description_problem(text)
    if problem:
        raise RefusedError(
            f"{record.id}: {problem}; nothing was written",
            hint=f'Say what and when, shorter: mvault graduate {record.id} --description "…"',
        )
    return text


def _own_description(record: Record) -> str:
    """Say what (summary, else title and problem) and when (condition) in the recipe's words."""
    what = record.summary or record.title
    when = record.applies_when or section_text(record.body, "when")
    if not when:
        problem = section_text(record.body, "problem")
        return what if record.summary or not problem else _join(what, problem, "")
    lead = "适用：" if is_chinese(what, when) else "Use when "
    return _join(what, when, lead)


def _join(what: str, rest: str, lead: str) -> str:
    chinese = is_chinese(what, rest)
    stop, space = ("。", "") if chinese else (".", " ")
    first = what.strip()
    if not first.endswith((".", "!", "?", "。", "！", "？")):
        first += stop
    text = rest.strip()
    if lead and not chinese:
        text = re.sub(r"(?i)\A(?:use )?when ", "", text)
    elif text.startswith(("适用", "当")):
        lead = ""
    return f"{first}{space}{lead}{text}"


def skill_text(record: Record, name: str, description: str, skill_id: str) -> bytes:
    """Write the SKILL.md: allowed keys only, then the recipe's own text."""
    front: dict[str, Any] = {"name": name, "description": description}
    metadata: dict[str, Any] = {"mvault-id": skill_id, "mvault-status": str(Status.ACTIVE)}
    if "---" not in record.id:  # three dashes must not stand in the block
        metadata["mvault-derived-from"] = record.id
    if record.allow:  # what a person allowed of the recipe's text holds for the same text here
        metadata["mvault-allow"] = record.allow[0] if len(record.allow) == 1 else record.allow
    front["metadata"] = metadata
    return compose_document(front, skill_body(record))


def skill_body(record: Record) -> str:
    """Return a recipe's text as a skill has it: with a heading, no second block at its start."""
    body = record.body.strip("\n")
    if find_second_block(body, 1):
        body = _fenced_block(body)
    first = next((line.strip(" \t#") for line in body.split("\n") if line.strip()), "")
    if first and first == first_heading(body).rstrip("# "):
        return f"{body}\n"
    return f"# {record.title}\n\n{body}\n"


def _fenced_block(body: str) -> str:
    """Put a block at the start of a body into a code fence, where no reader takes it for ours."""
    lines = body.strip("\n").splitlines()
    end = next(i for i in range(1, len(lines)) if lines[i].rstrip() in ("---", "..."))
    block = lines[1:end]
    longest = max((len(run) for line in block for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}yaml", *block, fence, *lines[end + 1 :]])


def dossier_text(
    snapshot: Snapshot,
    record: Record,
    skill_id: str,
    history: Sequence[str],
    now: datetime,
    how: str,
    remark: str,
) -> bytes:
    """Write the dossier: where the skill comes from, what supports it, how it went in."""
    tally = snapshot.tally(record.id)
    good = f"{tally.hits + record.hits} hits, {tally.succeeded} succeeded, {tally.failed} failed"
    lines = [
        f"# Dossier: {neutral_inline(record.title)}",
        "",
        "Where this skill comes from. Reference, not instructions.",
        "",
        f"- skill: {skill_id}",
        f"- recipe: {record.id} ({neutral_inline(record.path)})",
        f"- created: {record.created or 'unknown'}",
        f"- source: {record.source or 'unknown'}, origin: {record.origin or 'unknown'}",
        f"- uses: {good}, {tally.helpful} helpful, {tally.harmful} harmful",
        f"- graduated: {instant_text(now)}" + (f" ({how})" if how else ""),
    ]
    if remark:
        lines.append(f"- {neutral_inline(remark)}")
    lines += ["", "## Evidence", "", *_evidence_lines(snapshot, record)]
    entries = [f"- {neutral_inline(line)}" for line in history] or ["- none given"]
    lines += ["", "## History", "", *entries, "", "## Way back", ""]
    lines += [f"`mvault demote {skill_id}` restores the recipe and removes this folder.", ""]
    return "\n".join(lines).encode("utf-8")


def _evidence_lines(snapshot: Snapshot, record: Record) -> list[str]:
    evidence = record.fields.get("evidence")
    entries = evidence if isinstance(evidence, list) else []
    by_id = snapshot.by_id
    titles = {other: by_id[other].title for other in record.derived_from if other in by_id}
    lines = [
        f"- {other} {neutral_inline(titles.get(other, ''))}".rstrip()
        for other in record.derived_from
    ]
    for entry in entries:
        if isinstance(entry, Mapping):
            text = ", ".join(f"{key} {value}" for key, value in entry.items())
            lines.append(f"- {neutral_inline(text)}")
    return lines or ["- none recorded"]
