"""Records as files of another program's format. May import `text`, `model`.

`json` and `markdown` are for keeping: every readable record, its bytes and their hashes. The others
are for another program: what is in force, and only what that program has a place for. A mark tells
the importer that a text came from here and whether it was changed since.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from vault_cli.features.export_expmem import expmem_bundle
from vault_cli.features.export_parts import (
    Bundle,
    Entry,
    claims_in,
    dump_json,
    plain_body,
    plain_value,
    unplaced_keys,
)
from vault_cli.features.records import instant_text
from vault_cli.model.foreign import echo_digest
from vault_cli.model.record import Kind, Record
from vault_cli.text.document import compose_document
from vault_cli.text.names import skill_name

JSON_FORMAT: Final = "mvault-export/1"


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
            "front": plain_value(entry.record.fields),
            "body": entry.record.body,
            "text": entry.data.decode("utf-8"),
        }
        for entry in entries
    ]
    whole = {"format": JSON_FORMAT, "exported": instant_text(now), "records": records}
    return Bundle({"mvault-export.json": dump_json(whole)}, "mvault-export.json")


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
        claimed = claims_in(record)
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
    lost = {e.record.id: unplaced_keys(e.record, ("topics", "summary")) for e in entries}
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
    lost = {e.record.id: unplaced_keys(e.record, ()) for e in entries}
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


FORMATS: Final[Mapping[str, Callable[[Sequence[Entry], datetime, str], Bundle]]] = {
    "json": _json,
    "markdown": _markdown,
    "expmem": expmem_bundle,
    "claude-code": _claude_code,
    "mcp-memory": _mcp_memory,
}
"""What writes each format."""
