"""Records as an ExpMem v1 archive (07-import-formats). May import `text`, `model`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from vault_cli.features.export_parts import (
    Bundle,
    Entry,
    claims_in,
    dump_json,
    parsed_claim,
    plain_body,
    section_of,
    unplaced_keys,
)
from vault_cli.features.foreign import OWN, content_digest
from vault_cli.model.foreign import CONTENT, echo_digest
from vault_cli.model.record import Kind, Record
from vault_cli.text.values import whole_number

_EXPMEM: Final = {
    Kind.PREFERENCE: "habit",
    Kind.RULE: "habit",
    Kind.INSIGHT: "insight",
    Kind.HYPOTHESIS: "insight",
}
_SAFE: Final = ("verified", "disputed", "superseded", "candidate")


def expmem_bundle(entries: Sequence[Entry], _: datetime, home: str) -> Bundle:
    """Return an ExpMem v1 archive.

    What came from ExpMem and was not changed here goes back with the status it had there. All else
    is a candidate there: ExpMem verifies by rules of its own.
    """
    ids = {entry.record.id: expmem_id(entry.record) for entry in entries}
    files = {}
    for entry in entries:
        value = _expmem_value(entry.record, ids, home)
        files[f"archive/{value['kind']}/{value['id']}.json"] = dump_json(value)
    lost = {e.record.id: unplaced_keys(e.record, ("topics", "importance")) for e in entries}
    return Bundle(files, lost={key: value for key, value in lost.items() if value})


def expmem_id(record: Record) -> str:
    """Return the UUID a record has in ExpMem: its own there, else one made of our id."""
    for alias in record.aliases:
        if alias.startswith("expmem:"):
            return alias.removeprefix("expmem:")
    digits = hashlib.sha256(f"{OWN}{record.id}".encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    parts = (
        digits[:8],
        digits[8:12],
        f"4{digits[13:16]}",
        f"{variant}{digits[17:20]}",
        digits[20:32],
    )
    return "-".join(parts)


def _expmem_value(record: Record, ids: Mapping[str, str], home: str) -> dict[str, Any]:
    claimed = claims_in(record)
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
        "kind": said
        if said in ("habit", "experience", "insight")
        else _EXPMEM.get(record.kind, "experience"),
        "title": record.title,
        "content": body or record.title,
        "tags": list(record.topics),
        "status": status if status in _SAFE else "candidate",
        "authoredBy": parsed_claim(claimed.get("authored_by")) or _author(record),
        "evidence": [
            *_expmem_evidence(record, home),
            *(parsed_claim(claimed.get("evidence")) or []),
        ],
        "importance": record.importance,
        "lastAccessedAt": _millis(str(claimed.get("last_accessed") or "")) or None,
        "createdAt": created,
        "updatedAt": updated or created,
        "evidenceText": section_of(record, "evidence") if is_theirs else _mark(record, body),
        "claimedAt": _millis(str(claimed.get("claimed_at") or "")) or None,
        "workspace": _expanded(str(claimed.get("workspace") or ""), home) if is_theirs else None,
        **(_their_relations(claimed) if kept else {}),
    }
    return {key: item for key, item in value.items() if item not in (None, "")}


def _their_relations(claimed: Mapping[str, Any]) -> dict[str, Any]:
    def ids(key: str) -> list[str] | None:
        aliases = claimed.get(key)
        return (
            [str(one).removeprefix("expmem:") for one in aliases]
            if isinstance(aliases, list)
            else None
        )

    return {
        "verification": parsed_claim(claimed.get("verification")),
        "supersedes": ids("supersedes"),
        "conflictsWith": ids("conflicts"),
        "reflection": parsed_claim(claimed.get("reflection")),
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
        numbers = {key: whole_number(text) for key, text in ends.items()}
        more |= {key: number for key, number in numbers.items() if number is not None}
    elif kind == "imported-file":
        path = _expanded(str(entry.get("path", "")), home)
        more = {
            "provider": entry.get("provider"),
            "path": path,
            "sha256": f"sha256:{entry.get('sha256')}",
        }
    elif kind == "external-uri":
        more = {
            "uri": entry.get("uri"),
            "capturedTextSha256": f"sha256:{entry.get('captured_sha256')}",
        }
    elif kind == "review-report":
        hashes = {
            k: f"sha256:{entry.get(n)}"
            for k, n in (("sha256", "sha256"), ("targetSha256", "target_sha256"))
        }
        name = str(entry.get("report") or entry.get("id"))
        more = {
            "schemaVersion": "review-report@1",
            "reportId": name,
            "location": entry.get("location"),
            **hashes,
        }
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
