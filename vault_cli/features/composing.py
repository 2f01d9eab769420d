"""What somebody wants remembered, checked and written as a file. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from vault_cli.errors import UsageError
from vault_cli.features.parts import HEADINGS, heading_of, is_chinese
from vault_cli.features.records import instant_text
from vault_cli.model.record import Kind, Record, Scope
from vault_cli.model.schema import CONFIDENCES, FIELDS, NUMBER_RANGES, SOURCES
from vault_cli.text.document import compose_document
from vault_cli.text.lines import first_heading
from vault_cli.text.values import BadValueError, ends_before, read_date, with_zone

_TITLE_LIMIT = 120
LIST_KEYS = (
    "branch",
    "topics",
    "keywords",
    "supersedes",
    "derived_from",
    "conflicts",
    "anchors",
    "evidence",
    "aliases",
)
TEXT_KEYS = (
    "title",
    "body",
    "summary",
    "scope",
    "boundary",
    "applies_when",
    "confidence",
    "source",
    "valid_from",
    "valid_to",
)
FLAG_KEYS = ("required", "checklist", "correction")
PROGRAM_KEYS = frozenset(
    {
        "id",
        "status",
        "origin",
        "created",
        "verification",
        "allow",
        "superseded_by",
        "promoted_from",
        "promoted_to",
        "deprecated",
        "rejected",
        "disputed",
        "valid_to_before",
        "graduated",
        "graduated_sha256",
        "graduates",
        "confirmed",
        "approved",
        "approved_by",
        "verified",
        "verified_by",
        "trust",
        "hits",
        "helpful",
        "harmful",
        "exposures",
        "citations",
        "last_used",
        "precedent",
        "feedback",
    }
)
"""Keys that a payload or a copy never brings along: claims about admission and counters.

Nor does an agent write them into a record that is there (`features.editing`).
"""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What somebody wants remembered.

    Args:
        kind: what it is.
        title: kept exactly; "" takes the first heading of the body.
        body: Markdown without front matter.
        sections: further sections by canonical name (`problem`, `steps` ...) or heading.
        scope: `global`, `project:<id>` or `session:<id>`.
        source: who claims it, "" for user (a person adds) or agent (anybody else).
        valid_from, valid_to: ISO day or instant, "" for open.
        required, checklist: for rules; `correction` pins a memory to the top of its group.
        extra: further keys of the person's own, written last as they are.
        ignored: keys of a payload that were not taken over (reported, never believed).
        reason: body of the commit message.
    """

    kind: Kind
    title: str = ""
    body: str = ""
    sections: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    summary: str = ""
    scope: str = "global"
    branch: tuple[str, ...] = ()
    boundary: str = ""
    topics: tuple[str, ...] = ()
    applies_when: str = ""
    required: bool = False
    checklist: bool = False
    correction: bool = False
    keywords: tuple[str, ...] = ()
    importance: int | None = None
    confidence: str = ""
    source: str = ""
    valid_from: str = ""
    valid_to: str = ""
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[Mapping[str, str], ...] = ()
    derived_from: tuple[str, ...] = ()
    anchors: tuple[Mapping[str, str], ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    aliases: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    ignored: tuple[str, ...] = ()
    reason: str = ""


def check_request(request: DraftRequest) -> DraftRequest:
    """Return the request with its title settled.

    Raises:
        UsageError: a value is outside what its key allows, or there is nothing to remember.
    """
    if request.kind is Kind.SKILL:
        raise UsageError(
            "a skill is not added directly",
            hint="Add a recipe, use it, then run: mvault graduate ID",
        )
    _one_of("source", request.source, SOURCES)
    _one_of("confidence", request.confidence, CONFIDENCES)
    low, high = NUMBER_RANGES["importance"]
    if request.importance is not None and not low <= request.importance <= high:
        raise UsageError(f"importance is {low} to {high}, not {request.importance}")
    try:
        Scope.parse(request.scope)
    except ValueError as error:
        raise UsageError(
            f"unknown scope {request.scope}", hint="Use global, project:<id> or session:<id>."
        ) from error
    start = with_zone(parse_when("valid_from", request.valid_from))
    end = with_zone(parse_when("valid_to", request.valid_to))
    if ends_before(start, end):
        raise UsageError(f"valid_to {request.valid_to} is before valid_from {request.valid_from}")
    return replace(request, title=_settle_title(request))


def _one_of(key: str, value: str, allowed: Sequence[str]) -> None:
    if value and value not in allowed:
        raise UsageError(f"{key} is one of {', '.join(allowed)}, not {value}")


def parse_when(key: str, value: str) -> date | datetime | None:
    """Read an ISO day or instant; "" is None.

    Raises:
        UsageError: no such day, or not ISO.
    """
    try:
        return read_date(value)
    except BadValueError as error:
        raise UsageError(f"{key}: {error.message}", hint=error.hint) from error


def _settle_title(request: DraftRequest) -> str:
    title = request.title or first_heading(request.body)
    if not title.strip():
        first = next((line.strip() for line in request.body.splitlines() if line.strip()), "")
        is_plain = len(first) <= _TITLE_LIMIT and not first.startswith(("#", "```", "~~~", "<!--"))
        title = first if is_plain else ""
    if not title.strip():
        raise UsageError(
            "a title is needed", hint="Give --title, or begin the text with a heading: # Title"
        )
    if len(title.splitlines()) > 1:
        raise UsageError("a title is one line", hint="Put the rest into the text.")
    return title


def compose_draft(
    request: DraftRequest, record_id: str, *, status: str, source: str, origin: str, now: datetime
) -> bytes:
    """Write the file of a checked request: front matter in its fixed order, then the text."""
    values: dict[str, Any] = {
        "id": record_id,
        "kind": str(request.kind),
        "status": status,
        "title": request.title,
        "scope": request.scope,
        "boundary": request.boundary,
        "topics": list(request.topics),
        "applies_when": request.applies_when,
        "keywords": list(request.keywords),
        "summary": request.summary,
        "importance": request.importance,
        "confidence": request.confidence,
        "source": source,
        "origin": origin,
        "created": instant_text(now),
        "valid_from": request.valid_from,
        "valid_to": request.valid_to,
        "supersedes": list(request.supersedes),
        "conflicts": [dict(item) for item in request.conflicts],
        "derived_from": list(request.derived_from),
        "anchors": [dict(item) for item in request.anchors],
        "evidence": [dict(item) for item in request.evidence],
        "aliases": list(request.aliases),
        "force": "required" if request.required else "",
        "checklist": request.checklist or "",
        "correction": request.correction or "",
        "branch": list(request.branch),
    }
    given = {key: value for key, value in values.items() if value not in ("", None, [])}
    front = {field.key: given[field.key] for field in FIELDS if field.key in given}
    own = {key: value for key, value in request.extra.items() if key not in front}
    return compose_document({**front, **own}, compose_body(request))


def compose_body(request: DraftRequest) -> str:
    """Return the body: `# title` unless the text has a heading of its own, then sections."""
    text = request.body.replace("\r\n", "\n").strip("\n")
    chinese = is_chinese(request.title, text)
    parts = [] if first_heading(text) else [f"# {request.title}"]
    if text.strip() and text.strip() != request.title:
        parts.append(text)
    order = [*HEADINGS, *(name for name in request.sections if name not in HEADINGS)]
    for name in order:
        content = request.sections.get(name, "").strip()
        if content:
            parts.append(f"## {heading_of(name, chinese=chinese, kind=request.kind)}\n{content}")
    return "\n\n".join(parts) + "\n"


def request_from_record(record: Record) -> DraftRequest:
    """Return what would be asked for to write this record again (revision, copy).

    Admission, provenance, validity, relations of identity and counters are left behind.
    """
    ours = set(TEXT_KEYS) | set(LIST_KEYS) | set(FLAG_KEYS) | PROGRAM_KEYS
    ours |= {"kind", "type", "tags", "importance", "force", "description"}
    own = {key: value for key, value in record.fields.items() if key not in ours}
    return DraftRequest(
        kind=record.kind,
        title=record.title,
        body=record.body,
        summary=record.summary,
        scope=str(record.scope),
        branch=record.branch,
        boundary=record.boundary,
        topics=record.topics,
        applies_when=record.applies_when,
        required=record.required,
        checklist=record.checklist,
        correction=record.correction,
        keywords=record.keywords,
        importance=record.importance,
        confidence=record.confidence,
        conflicts=tuple({"id": other, "type": kind} for other, kind in record.conflicts),
        derived_from=record.derived_from,
        extra=MappingProxyType(own),
    )
