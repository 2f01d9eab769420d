"""What somebody wants remembered: from flags, a payload or a filled template to a file's text.

May import `text`, `model`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from vault_cli.errors import UsageError
from vault_cli.features.parts import HEADINGS, has_text, heading_of, is_chinese
from vault_cli.features.records import instant_text, read_checked
from vault_cli.model.record import Kind, Record, Scope
from vault_cli.model.schema import FIELDS, NUMBER_RANGES, SOURCES
from vault_cli.text.code import fenced_lines
from vault_cli.text.document import compose_document, parse_document

CONFIDENCES = ("low", "medium", "high")
_TITLE_LIMIT = 120
_HEADING = re.compile(r" {0,3}#[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_LISTS = (
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
_TEXTS = (
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
_FLAGS = ("required", "checklist", "correction")
_PROGRAM_SETS = frozenset(
    {
        "id",
        "status",
        "origin",
        "created",
        "verification",
        "allow",
        "superseded_by",
        "deprecated",
        "rejected",
        "graduated",
        "confirmed",
        "approved",
        "approved_by",
        "verified",
        "verified_by",
        "trust",
        "hits",
        "helpful",
        "harmful",
    }
)
"""Keys that a payload or a copy never brings along: claims about admission and counters."""


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
    start, end = (
        parse_when("valid_from", request.valid_from),
        parse_when("valid_to", request.valid_to),
    )
    if isinstance(start, date) and isinstance(end, date) and end.isoformat() < start.isoformat():
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
    if not value:
        return None
    try:
        is_day = len(value) == len("2026-11-30")
        return date.fromisoformat(value) if is_day else datetime.fromisoformat(value)
    except ValueError as error:
        raise UsageError(
            f"{key}: {value} is not a date", hint="Write 2026-11-30 or 2026-11-30T10:02:11Z."
        ) from error


def _settle_title(request: DraftRequest) -> str:
    title = request.title or heading_of_body(request.body)
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


def heading_of_body(body: str) -> str:
    """Return the first level-1 heading of a body outside code, "" when there is none."""
    for line, is_code in fenced_lines(body.splitlines()):
        found = None if is_code else _HEADING.match(line)
        if found:
            return found[1]
    return ""


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
    parts = [] if heading_of_body(text) else [f"# {request.title}"]
    if text.strip() and text.strip() != request.title:
        parts.append(text)
    order = [*HEADINGS, *(name for name in request.sections if name not in HEADINGS)]
    for name in order:
        content = request.sections.get(name, "").strip()
        if content:
            parts.append(f"## {heading_of(name, chinese=chinese)}\n{content}")
    return "\n\n".join(parts) + "\n"


def read_payload(payload: Mapping[str, Any], *, kind: Kind | None = None) -> DraftRequest:
    """Take a request from a JSON-like payload (a tool call, stdin).

    Claims about admission (`status`, `approved_by`, `verified` ...) and unknown keys are never
    believed; they are listed in `ignored`.

    Args:
        payload: keys as in the front matter, plus `body` and `sections`.
        kind: used when the payload names none.

    Raises:
        UsageError: a value has the wrong type or the kind is unknown.
    """
    values: dict[str, Any] = {}
    ignored = []
    for key, value in payload.items():
        name = {"tags": "topics", "text": "body", "type": "kind"}.get(key, key)
        if name in _PROGRAM_SETS:
            ignored.append(key)
        elif name in _TEXTS:
            values[name] = _payload_text(key, value)
        elif name in _LISTS:
            values[name] = _payload_list(key, value)
        elif name in _FLAGS:
            values[name] = value is True or value == "true"
        elif name == "importance":
            values[name] = _payload_number(key, value)
        elif name == "force":
            values["required"] = value == "required"
        elif name == "sections":
            values[name] = _payload_sections(value)
        elif name != "kind":
            ignored.append(key)
    named = _payload_kind(payload.get("kind", payload.get("type")), kind)
    return DraftRequest(named, **values, ignored=tuple(ignored))


def _payload_kind(value: Any, fallback: Kind | None) -> Kind:
    if value is None and fallback is not None:
        return fallback
    if isinstance(value, str) and value in set(Kind):
        return Kind(value)
    known = ", ".join(kind for kind in Kind if kind is not Kind.SKILL)
    raise UsageError(f"unknown kind {value}", hint=f"Known kinds: {known}.")


def _payload_text(key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{key} must be text")
    return value


def _payload_list(key: str, value: Any) -> tuple[Any, ...]:
    items = [value] if isinstance(value, str | Mapping) else value
    if items is None:
        return ()
    kind = Mapping if key in ("conflicts", "anchors", "evidence") else str
    if not isinstance(items, list | tuple) or not all(isinstance(item, kind) for item in items):
        raise UsageError(f"{key} must be a list of {'maps' if kind is Mapping else 'texts'}")
    return tuple(item for item in items if item)


def _payload_number(key: str, value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,4}", value):
        return int(value)
    raise UsageError(f"{key} must be a whole number")


def _payload_sections(value: Any) -> dict[str, str]:
    if isinstance(value, Mapping) and all(isinstance(v, str) for v in value.values()):
        return {str(name).casefold(): text for name, text in value.items()}
    raise UsageError("sections must be a map of names to texts")


def request_from_template(kind: Kind, text: str, template: str) -> DraftRequest:
    """Take a request from a template that a person filled in an editor.

    The template's own comments (`<!-- … -->`) and sections left empty are dropped; everything
    the person wrote, comments of their own included, stays.

    Args:
        kind: what the template is for.
        text: what the editor left.
        template: what it was opened with.

    Raises:
        UsageError: nothing was filled in, or a value is not allowed.
        RefusedError: the front matter cannot be read (diagnostics attached; keep the text).
    """
    data = text.encode("utf-8")
    document = parse_document(data, "draft.md")
    if document.is_broken:
        read_checked(data, "draft.md")  # raises with the findings
    body = _without_guidance(document.body, template)
    payload = {key: value for key, value in document.front.items() if value not in (None, "", [])}
    request = read_payload({**payload, "body": body}, kind=kind)
    own = {key: payload[key] for key in request.ignored if key not in _PROGRAM_SETS}
    rest = tuple(key for key in request.ignored if key not in own and key != "status")
    if not (request.title or heading_of_body(body) or has_text(body)):
        raise UsageError("nothing was filled in; nothing was added")
    return replace(request, extra=MappingProxyType(own), ignored=rest)


def _without_guidance(body: str, template: str) -> str:
    for comment in re.findall(r"<!--.*?-->\n?", template, re.DOTALL):
        body = body.replace(comment, "").replace(comment.rstrip("\n"), "")
    offered = set(template.splitlines())
    kept: list[str] = []
    for block in re.split(r"(?m)^(?=## )", body):
        heading, _, text = block.partition("\n")
        if text.strip() or not heading.startswith("## ") or heading not in offered:
            kept.append(block)
    joined = "".join(kept)
    return re.sub(r"(?m)\A\s*#[ \t]*$\n?", "", re.sub(r"\n{3,}", "\n\n", joined)).strip("\n")


def request_from_record(record: Record) -> DraftRequest:
    """Return what would be asked for to write this record again (revision, copy).

    Admission, provenance, validity, relations of identity and counters are left behind.
    """
    ours = set(_TEXTS) | set(_LISTS) | set(_FLAGS) | _PROGRAM_SETS
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
