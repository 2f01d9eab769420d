"""Requests from outside: a payload (a tool call, stdin) or a template filled in an editor.

May import `text`, `model`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from vault_cli.errors import UsageError
from vault_cli.features.composing import (
    FLAG_KEYS,
    LIST_KEYS,
    PROGRAM_KEYS,
    TEXT_KEYS,
    DraftRequest,
)
from vault_cli.features.parts import has_text
from vault_cli.features.records import read_checked
from vault_cli.model.record import Kind
from vault_cli.text.document import parse_document
from vault_cli.text.lines import first_heading

__all__ = ["DraftRequest", "read_payload", "request_from_template"]


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
        if name in PROGRAM_KEYS:
            ignored.append(key)
        elif name in TEXT_KEYS:
            values[name] = _payload_text(key, value)
        elif name in LIST_KEYS:
            values[name] = _payload_list(key, value)
        elif name in FLAG_KEYS:
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
    own = {key: payload[key] for key in request.ignored if key not in PROGRAM_KEYS}
    rest = tuple(key for key in request.ignored if key not in own and key != "status")
    if not (request.title or first_heading(body) or has_text(body)):
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
