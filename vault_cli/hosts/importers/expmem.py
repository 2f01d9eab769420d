"""DSH ExpMem: `archive/<kind>/<uuid>.json`, schema v1, and `version: 1` of 0.2.x.

Format: 07-import-formats. Status, verification and times are the source's claims; tombstones and
reflection runs are named and not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

from vault_cli.hosts.importers.port import Basket, Raw
from vault_cli.hosts.importers.values import (
    Fields,
    claims_of,
    echo_of,
    instant_of,
    one_line,
    text_of,
    texts_of,
)
from vault_cli.model.foreign import Item
from vault_cli.model.record import Kind

FORMAT: Final = "expmem"
KINDS: Final = {"habit": Kind.PREFERENCE, "experience": Kind.NOTE, "insight": Kind.INSIGHT}
"""ExpMem's kinds, and ours."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_AUTHORS: Final = {"agent": "agent", "tool": "tool"}
_PLACED: Final = frozenset(
    {"schemaVersion", "version", "id", "kind", "title", "content", "tags", "importance"}
    | {"workspace", "supersedes", "conflictsWith", "evidenceText", "reflection", "evidence"}
    | {"createdAt", "updatedAt", "lastAccessedAt", "claimedAt", "authoredBy", "status"}
    | {"verification", "importedFrom", "sourceSession"}
)


_TYPED: Final = (
    "evidenceText", "title", "tags", "importance", "supersedes", "conflictsWith",
)  # fmt: skip
"""Keys whose value is a claim where it is not of the type that their place takes."""


def fits(root: Path) -> bool:
    """Tell whether a folder has ExpMem's archive, or is the archive."""
    archive = _archive(root)
    names = (path.stem for kind in KINDS for path in islice((archive / kind).glob("*.json"), 9))
    return any(_UUID.fullmatch(name) for name in names)


def _archive(root: Path) -> Path:
    for name in ("expmem/archive", "archive"):
        if (root / name).is_dir():
            return root / name
    return root


def read(basket: Basket) -> None:
    """Read every record of the archive."""
    archive = _archive(basket.base)
    below = archive.relative_to(basket.base).as_posix()
    for path in basket.walk(".json", below="" if below == "." else below):
        if path.parent.name == "tombstones":
            basket.skip(path, "deleted there")
        elif "reflection-runs" in path.parts:
            basket.skip(path, "a run of reflection, not a memory")
        else:
            found = basket.read_json(path)
            if found is not None:
                _read_record(basket, *found)
    _name_the_rest(basket, archive.parent)


def _name_the_rest(basket: Basket, top: Path) -> None:
    runs = top / "reflection-runs"
    if runs.is_dir() and runs.is_relative_to(basket.base):
        for path in basket.walk(".json", below=runs.relative_to(basket.base).as_posix()):
            basket.skip(path, "a run of reflection, not a memory")
    if (top / "recall-index.sqlite").is_file():
        basket.skip(top / "recall-index.sqlite", "an index, made from the archive")


def _read_record(basket: Basket, raw: Raw, value: Any) -> None:
    own = text_of(value.get("id")) if isinstance(value, dict) else ""
    problem = _problem(value, own)
    if problem:
        basket.fail(raw.path, problem)
        return
    if raw.stem != own or raw.path.parent.name != value["kind"]:
        text = f"the file says it is {value['kind']} {own}; its name and folder say otherwise"
        basket.note(raw.path, "misplaced", text, severity="warning")
    evidence, odd = _evidence(basket, value)
    author = value.get("authoredBy")
    by = text_of(author.get("kind")) if isinstance(author, dict) else ""
    reflection = value.get("reflection")
    grounds = reflection.get("sourceMemoryIds") if isinstance(reflection, dict) else ()
    fields = Fields(value)
    said = fields.text("evidenceText")
    title = fields.text("title") or one_line(value["content"])
    workspace = fields.text("workspace")
    topics, importance = fields.texts("tags"), fields.importance("importance")
    relations = {key: _aliases(fields.texts(key)) for key in ("supersedes", "conflictsWith")}
    ours, echo = echo_of(title, value["content"], said)
    basket.add(
        Item(
            alias=f"mvault:{ours}" if ours else f"{FORMAT}:{own}",
            kind=KINDS[value["kind"]],
            title=title,
            echo=echo,
            body=value["content"].replace("\r\n", "\n"),
            sections={"evidence": said} if said and not ours else {},
            file=raw.shown,
            sha256=raw.sha256,
            workspace=workspace,
            topics=topics,
            importance=importance,
            source=_AUTHORS.get(by, "import"),
            evidence=tuple(evidence),
            supersedes=relations["supersedes"],
            conflicts=relations["conflictsWith"],
            derived_from=_aliases(texts_of(grounds if isinstance(grounds, list) else [])),
            claims=claims_of(
                {
                    **_claims(value),
                    **fields.rest(*_TYPED),
                    "workspace": _own_place(basket, workspace) or value.get("workspace"),
                    "evidence": odd,
                }
            ),
            left=tuple(sorted(set(value) - _PLACED)),
        )
    )


def _problem(value: Any, own: str) -> str:
    """Say why a file is no ExpMem record, "" when it is one."""
    if not isinstance(value, dict):
        return "is not a JSON object"
    version = value.get("schemaVersion", value.get("version"))
    if version != 1:
        return f"has schema version {str(version)[:20]}; version 1 is known"
    if not _UUID.fullmatch(own):
        return "has no id (a UUID)"
    if text_of(value.get("kind")) not in KINDS:
        return f"has an unknown kind {str(value.get('kind'))[:40]}"
    if not isinstance(value.get("content"), str) or not value["content"].strip():
        return "has no content"
    return ""


def _aliases(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{FORMAT}:{one}" for one in ids)


def _claims(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": value["id"],
        "kind": value["kind"],
        "status": value.get("status", "candidate"),
        "authored_by": value.get("authoredBy"),
        "created": _instant(value.get("createdAt")),
        "updated": _instant(value.get("updatedAt")),
        "last_accessed": _instant(value.get("lastAccessedAt")),
        "claimed_at": _instant(value.get("claimedAt")),
        "verification": value.get("verification"),
        "reflection": value.get("reflection"),
        "session": value.get("sourceSession"),
    }


def _instant(value: Any) -> Any:
    """Return an instant, or what stands in its place."""
    return instant_of(value) or value


def _evidence(basket: Basket, value: Mapping[str, Any]) -> tuple[list[dict[str, str]], list[Any]]:
    """Return the evidence that has our types, and what has not, as it is."""
    given = value.get("evidence")
    items = list(given) if isinstance(given, list) else [given] if given else []
    old = value.get("importedFrom")
    if isinstance(old, dict):
        items.append({"id": "imported", "kind": "imported-file", **old})
    found: list[dict[str, str]] = []
    odd: list[Any] = []
    for number, item in enumerate(items, 1):
        entry = _entry(basket, item, number) if isinstance(item, dict) else None
        odd.append(item) if entry is None else found.append(entry)
    return found, odd


def _entry(basket: Basket, item: Mapping[str, Any], number: int) -> dict[str, str] | None:
    """Return one entry with our keys, None when a part of it is missing."""
    kind = text_of(item.get("kind"))
    pairs = dict(_pairs(basket, kind, item))
    if not pairs or not all(pairs.values()):
        return None
    observed = instant_of(item.get("observedAt"))
    entry = {"id": text_of(item.get("id")) or f"e{number}", "type": kind, **pairs}
    return {**entry, "observed": observed} if observed else entry


def _pairs(basket: Basket, kind: str, item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if kind == "session-event":
        yield "session", text_of(item.get("sessionId"))
        yield "start", text_of(item.get("startSeq"))
        yield "end", text_of(item.get("endSeq"))
    elif kind == "imported-file":
        yield "provider", text_of(item.get("provider"))
        yield "path", _home_relative(basket, text_of(item.get("path")))
        yield "sha256", _hash(item.get("sha256"))
    elif kind == "external-uri":
        yield "uri", text_of(item.get("uri"))
        yield "captured_sha256", _hash(item.get("capturedTextSha256"))
    elif kind == "review-report":
        where = text_of(item.get("location"))
        yield "location", "" if where.startswith("/") else where
        yield "report", text_of(item.get("reportId"))
        yield "sha256", _hash(item.get("sha256"))
        yield "target_sha256", _hash(item.get("targetSha256"))


def _hash(value: Any) -> str:
    found = _HASH.fullmatch(text_of(value).lower())
    return found[1] if found else ""


def _own_place(basket: Basket, path: str) -> str:
    """Return a folder without the name of its user."""
    whole = PurePosixPath(path)
    return f"~/{whole.relative_to(basket.home)}" if whole.is_relative_to(basket.home) else path


def _home_relative(basket: Basket, path: str) -> str:
    """Return an absolute path from the home folder, else only its name."""
    whole = PurePosixPath(path)
    if whole.is_relative_to(basket.home):
        return f"~/{whole.relative_to(basket.home)}"
    if path.startswith("~/"):
        return path
    return whole.name if "\\" not in path else PureWindowsPath(path).name
