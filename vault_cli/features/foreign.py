"""A memory of another program as a request for a draft, and what it says as a digest.

May import `text`, `model`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic, Severity
from vault_cli.features.composing import PROGRAM_KEYS, DraftRequest
from vault_cli.features.lengths import cut_title
from vault_cli.features.records import instant_text
from vault_cli.model.foreign import CLAIMED, UNASSIGNED, Item
from vault_cli.model.record import Record
from vault_cli.text.scan import QUARANTINE_KEY

OWN: Final = "mvault:"
"""Beginning of an alias that is the id of a record of ours."""

_NEVER: Final = PROGRAM_KEYS | {QUARANTINE_KEY}
"""Keys that only the program sets: another vault's say about them is a claim."""


def scope_by_name(item: Item) -> str:
    """Return the scope of an item whose project has no known id.

    What belongs to a project that nobody has named gets a scope that no checkout has, so that it
    is shown to no project, and not to all of them, until a person says which.
    """
    if item.scope:
        return item.scope
    if item.session:
        return f"session:{item.session}"
    name = item.project or (
        f"folder/{item.workspace.rstrip('/').rpartition('/')[2]}" if item.workspace else ""
    )
    return f"project:{UNASSIGNED}{name}" if name else "global"


def item_request(
    item: Item, scope: str, now: datetime, ids: Mapping[str, str]
) -> tuple[DraftRequest, list[Diagnostic]]:
    """Return what to write for an item, and notes about what is not taken.

    A relation to something that is not known here is kept as a claim, and so is who replaced whom
    over there: only a person lets a record replace another.

    Args:
        item: what was found.
        scope: as it was decided.
        now: aware instant at which it was seen.
        ids: ids of records by alias.
    """
    claims: dict[str, Any] = {"by": item.by, **item.claims}
    if "by" in item.claims and f"{item.by}:" != OWN:  # an export of ours says who said it first
        claims |= {"by": item.by, "had_by": item.claims["by"]}
    grounds = tuple(ids[alias] for alias in item.derived_from if alias in ids)
    unknown = [alias for alias in item.derived_from if alias not in ids]
    named = {"derived_from": unknown, "supersedes": item.supersedes, "conflicts": item.conflicts}
    claims |= {key: list(aliases) for key, aliases in named.items() if aliases}
    own = {key: value for key, value in item.extra.items() if key not in _NEVER}
    claims |= {f"had_{key}": str(value) for key, value in item.extra.items() if key in _NEVER}
    extra = {CLAIMED: {key: _flat(value) for key, value in claims.items()}, **own}
    own_alias = () if item.alias == f"{OWN}{ids.get(item.alias)}" else (item.alias,)
    notes = []
    if item.left:
        notes.append(about_item(item, "field-left", f"not taken: {', '.join(item.left)}", "note"))
    title, body = cut_title(item.title, item.body)
    request = DraftRequest(
        kind=item.kind,
        title=title,
        body=body,
        sections=item.sections,
        summary=item.summary,
        scope=scope,
        boundary=item.boundary,
        topics=item.topics,
        applies_when=item.applies_when,
        required=item.required,
        checklist=item.checklist,
        correction=item.correction,
        keywords=item.keywords,
        importance=item.importance,
        confidence=item.confidence,
        source=item.source,
        valid_from=item.valid_from,
        valid_to=item.valid_to,
        derived_from=grounds,
        evidence=_evidence(item, now),
        aliases=(*own_alias, *(name for name in item.names if name not in own_alias)),
        extra=MappingProxyType(extra),
    )
    return request, notes


def _evidence(item: Item, now: datetime) -> tuple[Mapping[str, Any], ...]:
    """Return the evidence of the source, and the file it was imported from."""
    if not item.file:
        return item.evidence
    own = {
        "id": "import",
        "type": "imported-file",
        "provider": item.by,
        "path": item.file,
        "sha256": item.sha256,
        **({"line": str(item.line)} if item.line else {}),
        "observed": instant_text(now),
    }
    return (*(entry for entry in item.evidence if entry.get("id") != "import"), own)


def content_digest(record: Record) -> str:
    """Return the SHA-256 of what a record says; where it stands and who admitted it do not count.

    Hashed is the compact JSON of kind, title, text and the keys an author writes; scope, status,
    evidence, relations and claims are left out, since a person sets the first and the source's
    bookkeeping changes without the content.
    """
    parts = [
        str(record.kind),
        record.title,
        _bare_text(record),
        record.summary,
        list(record.topics),
        list(record.keywords),
        record.applies_when,
        record.boundary,
        record.importance,
        record.confidence,
        [str(record.fields.get(key) or "") for key in ("valid_from", "valid_to")],
        [record.required, record.checklist, record.correction],
    ]
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _bare_text(record: Record) -> str:
    """Return the text without a heading that repeats the title and blanks at ends of lines."""
    lines = [line.rstrip() for line in record.body.strip().split("\n")]
    if lines[0].startswith("# ") and lines[0][2:].strip() == record.title:
        lines = lines[1:]
    return "\n".join(lines).strip("\n")


def _flat(value: Any) -> Any:
    return value if isinstance(value, str | list) else str(value)


def about_item(item: Item, code: str, text: str, severity: Severity = "warning") -> Diagnostic:
    """Return a finding about a place in the source."""
    return Diagnostic(item.file, item.line, code, severity, text)
