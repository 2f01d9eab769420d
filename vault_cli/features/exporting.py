"""Records as files of another program's format. May import `text`, `model`.

`json` and `markdown` are for keeping: every readable record, its bytes and their hashes. The others
are for another program: what is in force, and only what that program has a place for. A mark tells
the importer that a text came from here and whether it was changed since.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from vault_cli.features.importing import OWN, content_digest
from vault_cli.features.records import instant_text
from vault_cli.model.foreign import CLAIMED, CONTENT, echo_digest
from vault_cli.model.record import Kind, Record
from vault_cli.text.document import compose_document
from vault_cli.text.names import skill_name
from vault_cli.text.sections import split_sections

JSON_FORMAT: Final = "mvault-export/1"

KEEPING: Final = frozenset({"json", "markdown", "expmem"})
"""Formats that carry a status, so that what is not in force may go along."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One record with its bytes."""

    record: Record
    data: bytes


@dataclass(frozen=True, slots=True)
class Bundle:
    """What an export writes.

    Args:
        files: bytes by path below the target folder.
        single: the name of the one file that may go to stdout, "" when there are several.
        lost: keys that the format has no place for, by record id.
    """

    files: Mapping[str, bytes]
    single: str = ""
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def export_records(name: str, entries: Sequence[Entry], *, now: datetime, home: str) -> Bundle:
    """Write records in a format.

    Args:
        name: a key of `FORMATS`.
        entries: the records that go along, with their bytes.
        now: aware instant, told in the JSON export.
        home: the home folder, for formats that want absolute paths.
    """
    return FORMATS[name](entries, now, home)


def _json(entries: Sequence[Entry], now: datetime, _: str) -> Bundle:
    records = [
        {
            "id": entry.record.id,
            "kind": str(entry.record.kind),
            "status": str(entry.record.status),
            "title": entry.record.title,
            "scope": str(entry.record.scope),
            "path": entry.record.path,
            "sha256": hashlib.sha256(entry.data).hexdigest(),
            "front": _plain(entry.record.fields),
            "body": entry.record.body,
            "text": entry.data.decode("utf-8"),
        }
        for entry in entries
    ]
    whole = {"format": JSON_FORMAT, "exported": instant_text(now), "records": records}
    return Bundle({"mvault-export.json": _dump(whole)}, "mvault-export.json")


def json_export_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `mvault export json`."""
    text = {"type": "string"}
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    record = {
        "id": {**text, "description": "identity of the record"},
        "kind": {"enum": [str(kind) for kind in Kind]},
        "status": {**text, "description": "effective status; an import never takes it over"},
        "title": text,
        "scope": {**text, "description": "global, project:<id> or session:<id>"},
        "path": {**text, "description": "where the file lies in the vault"},
        "sha256": {**digest, "description": "of the bytes of `text` in UTF-8"},
        "front": {"type": "object", "description": "the front matter, every scalar as typed"},
        "body": {**text, "description": "the text below it, LF line ends"},
        "text": {**text, "description": "the whole file; what an import reads"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mvault export",
        "type": "object",
        "required": ["format", "exported", "records"],
        "properties": {
            "format": {"const": JSON_FORMAT},
            "exported": {**text, "description": "instant in UTC"},
            "records": {
                "type": "array",
                "items": {"type": "object", "properties": record, "required": sorted(record)},
            },
        },
    }


def _markdown(entries: Sequence[Entry], now: datetime, _: str) -> Bundle:
    """Return the files as they are, a list of them, and their hashes for `sha256sum -c`."""
    files = {f"records/{entry.record.path}": entry.data for entry in entries}
    lines = [f"# {len(entries)} records, exported {instant_text(now)}", ""]
    for entry in entries:
        record = entry.record
        place = f"records/{record.path}".replace("(", "%28").replace(")", "%29").replace(" ", "%20")
        title = record.title.replace("[", "(").replace("]", ")")
        lines.append(f"- [{title}]({place}) — {record.kind}, {record.status}, `{record.id}`")
    files["INDEX.md"] = ("\n".join(lines) + "\n").encode()
    sums = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files))
    return Bundle({**files, "SHA256SUMS": ("\n".join(sums) + "\n").encode()})


_TYPES: Final = {
    Kind.PREFERENCE: "user",
    Kind.FACT: "project",
    Kind.DECISION: "project",
    Kind.RESOURCE: "reference",
}


def _claude_code(entries: Sequence[Entry], _: datetime, __: str) -> Bundle:
    """Return a memory folder: one note a record, and the index with one line a note."""
    files: dict[str, bytes] = {}
    index: list[str] = []
    for entry in entries:
        record = entry.record
        claimed = _claims(record)
        own = str(claimed.get("name") or "") if claimed.get("by") == "claude-code" else ""
        slug = own or f"{skill_name(record.title) or str(record.kind)}-{record.id[-7:]}"
        name = f"{slug}.md"
        body = plain_body(record)
        said = str(claimed.get("type") or "")
        kind = said if said in ("user", "feedback", "project", "reference") else ""
        front: dict[str, Any] = {"name": slug, "description": record.summary or record.title}
        if record.title != _humane(slug):
            front["title"] = record.title
        if record.topics:
            front["topics"] = list(record.topics)
        mark = f"mvault {record.id} {echo_digest(record.title, body)}"
        inner = {"node_type": "memory", "type": kind or _TYPES.get(record.kind, "feedback")}
        front["metadata"] = {**inner, "mvault": mark}
        files[name] = compose_document(front, f"\n{body}\n")
        hook = record.applies_when or record.summary
        title = record.title.replace("[", "(").replace("]", ")")
        index.append(f"- [{title}]({name})" + (f" — {hook}"[:100] if hook else ""))
    files["MEMORY.md"] = ("\n".join(index) + "\n").encode()
    lost = {e.record.id: _unplaced(e.record, ("topics", "summary")) for e in entries}
    return Bundle(files, lost={key: value for key, value in lost.items() if value})


def _humane(slug: str) -> str:
    words = slug.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _mcp_memory(entries: Sequence[Entry], _: datetime, __: str) -> Bundle:
    """Return JSON lines of the MCP memory server: an entity a record, relations between them."""
    names = {entry.record.id: entry.record.title for entry in entries}
    taken: set[str] = set()
    lines: list[dict[str, Any]] = []
    for entry in entries:
        record = entry.record
        name = record.title if record.title not in taken else f"{record.title} ({record.id})"
        names[record.id] = name
        taken.add(name)
        body = [line.strip() for line in plain_body(record).split("\n")]
        said = [line.removeprefix("- ") for line in dict.fromkeys(body) if line]
        mark = f"mvault {record.id} {echo_digest(name, chr(10).join(said))}"
        entity = {"type": "entity", "name": name, "entityType": str(record.kind)}
        lines.append({**entity, "observations": [*said, mark]})
    for entry in entries:
        lines += _relations(entry.record, names)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    lost = {e.record.id: _unplaced(e.record, ()) for e in entries}
    found = {key: value for key, value in lost.items() if value}
    return Bundle({"memory.jsonl": text.encode()}, "memory.jsonl", found)


def _relations(record: Record, names: Mapping[str, str]) -> Iterable[dict[str, str]]:
    pairs = [("derived_from", other) for other in record.derived_from]
    pairs += [("supersedes", other) for other in record.supersedes]
    pairs += [(f"conflicts_{kind}", other) for other, kind in record.conflicts]
    for kind, other in pairs:
        if other in names:
            yield {
                "type": "relation",
                "from": names[record.id],
                "to": names[other],
                "relationType": kind,
            }


_EXPMEM: Final = {
    Kind.PREFERENCE: "habit",
    Kind.RULE: "habit",
    Kind.INSIGHT: "insight",
    Kind.HYPOTHESIS: "insight",
}
_SAFE: Final = ("verified", "disputed", "superseded", "candidate")


def _expmem(entries: Sequence[Entry], _: datetime, home: str) -> Bundle:
    """Return an ExpMem v1 archive.

    What came from ExpMem and was not changed here goes back with the status it had there. All else
    is a candidate there: ExpMem verifies by rules of its own.
    """
    ids = {entry.record.id: expmem_id(entry.record) for entry in entries}
    files = {}
    for entry in entries:
        value = _expmem_value(entry.record, ids, home)
        files[f"archive/{value['kind']}/{value['id']}.json"] = _dump(value)
    lost = {e.record.id: _unplaced(e.record, ("topics", "importance")) for e in entries}
    return Bundle(files, lost={key: value for key, value in lost.items() if value})


def expmem_id(record: Record) -> str:
    """Return the UUID a record has in ExpMem: its own there, else one made of our id."""
    for alias in record.aliases:
        if alias.startswith("expmem:"):
            return alias.removeprefix("expmem:")
    digits = hashlib.sha256(f"{OWN}{record.id}".encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    parts = (digits[:8], digits[8:12], f"4{digits[13:16]}", f"{variant}{digits[17:20]}", digits[20:32])
    return "-".join(parts)


def _expmem_value(record: Record, ids: Mapping[str, str], home: str) -> dict[str, Any]:
    claimed = _claims(record)
    is_theirs = claimed.get("by") == "expmem"
    kept = is_theirs and claimed.get(CONTENT) == content_digest(record)
    said = str(claimed.get("kind") or "") if is_theirs else ""
    body = plain_body(record, without=("evidence",) if is_theirs else ())
    created = _millis(str(claimed.get("created") or "")) or _millis(record.created)
    updated = _millis(str(claimed.get("updated") or "")) if kept else 0
    status = str(claimed.get("status") or "candidate") if kept else "candidate"
    if str(record.status) == "disputed":
        status = "disputed"
    value: dict[str, Any] = {
        "schemaVersion": 1,
        "id": ids[record.id],
        "kind": said if said in ("habit", "experience", "insight") else _EXPMEM.get(record.kind, "experience"),
        "title": record.title,
        "content": body or record.title,
        "tags": list(record.topics),
        "status": status if status in _SAFE else "candidate",
        "authoredBy": _parsed(claimed.get("authored_by")) or _author(record),
        "evidence": [*_expmem_evidence(record, home), *(_parsed(claimed.get("evidence")) or [])],
        "importance": record.importance,
        "lastAccessedAt": _millis(str(claimed.get("last_accessed") or "")) or None,
        "createdAt": created,
        "updatedAt": updated or created,
        "evidenceText": _section(record, "evidence") if is_theirs else _mark(record, body),
        "claimedAt": _millis(str(claimed.get("claimed_at") or "")) or None,
        "workspace": _expanded(str(claimed.get("workspace") or ""), home) if is_theirs else None,
        **(_their_relations(claimed) if kept else {}),
    }
    return {key: item for key, item in value.items() if item not in (None, "")}


def _their_relations(claimed: Mapping[str, Any]) -> dict[str, Any]:
    def ids(key: str) -> list[str] | None:
        aliases = claimed.get(key)
        return [str(one).removeprefix("expmem:") for one in aliases] if isinstance(aliases, list) else None

    return {
        "verification": _parsed(claimed.get("verification")),
        "supersedes": ids("supersedes"),
        "conflictsWith": ids("conflicts"),
        "reflection": _parsed(claimed.get("reflection")),
        "sourceSession": claimed.get("session"),
    }


def _mark(record: Record, body: str) -> str:
    return f"mvault {record.id} {echo_digest(record.title, body or record.title)}"


def _author(record: Record) -> dict[str, str]:
    return {"kind": record.source if record.source in ("user", "agent", "tool") else "agent"}


def _expmem_evidence(record: Record, home: str) -> list[dict[str, Any]]:
    given = record.fields.get("evidence")
    found = []
    for entry in given if isinstance(given, list) else []:
        value = _expmem_entry(entry, home) if isinstance(entry, Mapping) else None
        if value is not None and entry.get("id") != "import":
            found.append(value)
    return found


def _expmem_entry(entry: Mapping[str, Any], home: str) -> dict[str, Any] | None:
    kind, observed = str(entry.get("type")), _millis(str(entry.get("observed") or ""))
    own = {"id": str(entry.get("id")), "kind": kind}
    more: dict[str, Any]
    if kind == "session-event" and entry.get("session"):
        more = {"sessionId": str(entry["session"])}
        ends = {"startSeq": str(entry.get("start", "")), "endSeq": str(entry.get("end", ""))}
        more |= {key: int(text) for key, text in ends.items() if text.isascii() and text.isdigit()}
    elif kind == "imported-file":
        path = _expanded(str(entry.get("path", "")), home)
        more = {"provider": entry.get("provider"), "path": path, "sha256": f"sha256:{entry.get('sha256')}"}
    elif kind == "external-uri":
        more = {"uri": entry.get("uri"), "capturedTextSha256": f"sha256:{entry.get('captured_sha256')}"}
    elif kind == "review-report":
        hashes = {k: f"sha256:{entry.get(n)}" for k, n in (("sha256", "sha256"), ("targetSha256", "target_sha256"))}
        name = str(entry.get("report") or entry.get("id"))
        more = {"schemaVersion": "review-report@1", "reportId": name, "location": entry.get("location"), **hashes}
    else:
        return None
    return {**own, **more, **({"observedAt": observed} if observed else {})}


def _expanded(path: str, home: str) -> str:
    return f"{home.rstrip('/')}/{path[2:]}" if path.startswith("~/") else path


def _millis(text: str) -> int:
    """Return an ISO instant as epoch milliseconds, 0 when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    return round(moment.timestamp() * 1000) if moment.tzinfo else 0


def plain_body(record: Record, *, without: tuple[str, ...] = ()) -> str:
    """Return the text below the title, without some sections."""
    lead, sections = split_sections(record.body, record.kind)
    parts = [lead.strip("\n")] if lead.strip() else []
    parts += [f"## {s.heading}\n{s.text}" for s in sections if s.name not in without]
    return "\n\n".join(parts)


def _section(record: Record, name: str) -> str:
    sections = split_sections(record.body, record.kind)[1]
    return next((section.text for section in sections if section.name == name), "")


def _claims(record: Record) -> Mapping[str, Any]:
    claimed = record.fields.get(CLAIMED)
    return claimed if isinstance(claimed, Mapping) else {}


def _parsed(value: Any) -> Any:
    """Return a claim that was kept as JSON, None when it is no JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None


def _unplaced(record: Record, placed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys an author wrote that the format has no place for."""
    names = ("summary", "topics", "keywords", "applies_when", "boundary", "importance", "confidence")
    more = ("valid_from", "valid_to", "checklist", "correction")
    said = [name for name in (*names, *more) if record.fields.get(name) not in (None, "", [])]
    return tuple(name for name in said if name not in placed)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _dump(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


FORMATS: Final[Mapping[str, Callable[[Sequence[Entry], datetime, str], Bundle]]] = {
    "json": _json,
    "markdown": _markdown,
    "expmem": _expmem,
    "claude-code": _claude_code,
    "mcp-memory": _mcp_memory,
}
"""What writes each format."""
