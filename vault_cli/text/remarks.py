"""Findings about the texts of a file: lost comments, what the scanner says. May import `text.*`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic, Severity
from vault_cli.model.record import ID_PATTERN, WORK_KINDS
from vault_cli.model.schema import FIELDS
from vault_cli.text.admission import Finding
from vault_cli.text.codes import Problem, show
from vault_cli.text.late import late
from vault_cli.text.parse import Document
from vault_cli.text.scan import (
    BODY,
    PERSONAL,
    QUARANTINE_KEY,
    SECRET,
    find_secret_findings,
    find_secret_values,
    front_texts,
    mask_secrets,
    mask_values,
    scan_wording,
)

_TEXT_KEYS = frozenset({f.key for f in FIELDS if f.form == "text"} | {"description", "name"})
_COMMENT = late(r"[ \t]#")
_SELF_BOUND = ('"', "'", "|", ">", "[", "{")
_ALLOW: Final = "After reading it a person lets it pass: mvault approve {} --allow {} --reason TEXT"
_HINTS: Final = {
    SECRET: "Take the value out and change the key; it is written into no commit and no block.",
}
_OF_WORK: Final = frozenset(kind.folder for kind in WORK_KINDS)
_JUDGED: Final = frozenset({PERSONAL, "injection", "filler"})
"""Codes that are a person's to judge: the text may stay as it is."""


def find_lost_text(document: Document) -> list[Problem]:
    """Return notes about values of which a part was read as a comment (`Fix for #42`).

    A comment set off by two blanks and followed by one is meant as a comment and is no finding.
    """
    if b" #" not in document.data and b"<%" not in document.data:
        return []
    found: list[Problem] = []
    lines = document.data.decode("utf-8", "replace").split("\n")
    for key, number in document.key_lines.items():
        line = lines[number - 1].rstrip("\r")
        problem = _find_lost(key, document.front.get(key), line, number)
        if problem is not None:
            found.append(problem)
    return found


def _find_lost(key: str, value: Any, line: str, number: int) -> Problem | None:
    if isinstance(value, str) and value.startswith("<%"):
        message = f"`{show(key)}` looks like an unfilled template placeholder: {show(value)}"
        hint = "Fill it in; templates belong in a folder named Templates, which is not read."
        return Problem("template-text", number, message, hint)
    rest = line.partition(":")[2]
    match = _COMMENT.search(rest)
    if match is None or rest.lstrip().startswith(_SELF_BOUND):
        return None
    kept, lost = rest[: match.start() + 1], rest[match.end() :]
    unspaced = bool(lost) and not lost[0].isspace()
    if not kept.strip():
        if value is not None or not unspaced:
            return None
        message = f"`{show(key)}` is empty: what follows is a comment: #{show(lost)}"
    elif key in _TEXT_KEYS and (unspaced or len(kept) - len(kept.rstrip()) == 1):
        message = f"the text after # is not part of `{key}`: #{show(lost)}"
    else:
        return None
    hint = "Put the whole value in double quotes if the # belongs to it."
    return Problem("comment-in-value", number, message, hint)


class Scan(NamedTuple):
    """What the scanner found in one file.

    Args:
        findings: one per hit, at its line of the file; no message shows a secret.
        values: the secrets themselves with their kinds, to be masked wherever text is quoted.
    """

    findings: tuple[Diagnostic, ...] = ()
    values: Mapping[str, str] = MappingProxyType({})

    def hide(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return findings whose words quote no secret."""
        if not self.values:
            return tuple(found)
        return tuple(
            item._replace(
                message=mask_values(item.message, self.values, cut=True),
                hint=mask_values(item.hint, self.values, cut=True),
            )
            for item in found
        )

    def mask(self, document: Document) -> Document:
        """Return the document as it may be shown: the kind stands in the place of each secret."""
        front = {self._masked(key): self._masked(value) for key, value in document.front.items()}
        return replace(document, front=front, body=self._masked(document.body))

    def _masked(self, value: Any) -> Any:
        if isinstance(value, str):
            return mask_values(mask_secrets(value), self.values)
        if isinstance(value, list):
            return [self._masked(item) for item in value]
        if isinstance(value, dict):
            return {self._masked(key): self._masked(item) for key, item in value.items()}
        return value


def scan_document(document: Document, path: str, gates: frozenset[str]) -> Scan:
    """Ask the scanner about a file: every text in it, and its bytes for secrets.

    Args:
        document: the file as parsed; of a broken one only the secrets are looked for.
        path: its vault-relative path.
        gates: those that are on.
    """
    secret, values = _find_secrets(document, path, gates)
    if document.is_broken:
        return Scan(_with_hints(secret, document, path, values), values)
    front = document.front
    if path.startswith("quarantine/"):
        front = {key: value for key, value in front.items() if key != QUARANTINE_KEY}
    found = list(secret)
    if path.partition("/")[0] in _OF_WORK:
        gates = gates - {"filler"}  # it says how work goes, in as few words as it takes
    for field, hit in scan_wording(front, document.body, gates=gates):
        if field == BODY:
            found.append(_diagnostic(hit, path, document.body_line + hit.line - 1))
        else:
            line = document.key_lines.get(field, 0) + hit.line - 1
            found.append(_diagnostic(hit, path, line, f"in `{show(field)}`: "))
    return Scan(_with_hints(found, document, path, values), values)


def _find_secrets(
    document: Document, path: str, gates: frozenset[str]
) -> tuple[list[Diagnostic], dict[str, str]]:
    """Look at the file as it is written, then at values that YAML reads differently."""
    if not gates & {"secrets", "personal"}:
        return [], {}
    raw = document.data.decode("utf-8", "replace").replace("\r\n", "\n")
    found = [
        _diagnostic(hit, path, hit.line, _field_at(document, hit.line))
        for hit in find_secret_findings(raw, gates)
    ]
    values = find_secret_values(raw, gates) if found else {}
    for key, text in front_texts(document.front):
        if text in raw:
            continue
        line = document.key_lines.get(key, 0)
        for hit in find_secret_findings(text, gates):
            own = find_secret_values(text, gates)
            if not own or own.keys() - values.keys():
                found.append(_diagnostic(hit, path, line, f"in `{show(key)}`: "))
            values |= own
    return found, values


def _field_at(document: Document, line: int) -> str:
    """Return which field a line of the file belongs to, in words."""
    if line >= document.body_line or not document.key_lines:
        return "in the text: "
    before = [(place, key) for key, place in document.key_lines.items() if place <= line]
    return f"in `{show(max(before)[1])}`: " if before else "in the metadata: "


class _Place(NamedTuple):
    """A file in which something was found: what a command calls it, and what it allows."""

    path: str
    name: str
    allowed: frozenset[str]
    is_settled: bool


def _with_hints(
    found: Iterable[Diagnostic], document: Document, path: str, values: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Return findings with what to do about those that hold; most files have none."""
    findings = tuple(found)
    if not any(item.holds for item in findings):
        return findings
    place = _place_of(document, path)
    if values:  # the id may be one of them
        place = place._replace(name="ID")
    return tuple(_with_hint(item, place) for item in findings)


def _place_of(document: Document, path: str) -> _Place:
    """Return what the hints need; a file without an id is called by its path."""
    from shlex import quote

    name, codes = document.front.get("id"), document.front.get("allow")
    known = isinstance(name, str) and ID_PATTERN.fullmatch(name)
    listed = codes if isinstance(codes, list) else [codes]
    return _Place(
        path,
        str(name) if known else quote(path),
        frozenset(code for code in listed if isinstance(code, str)),
        # what merely waits may have brought the list along: somebody still has to read it
        document.front.get("status") in ("active", "verified") and not path.startswith("drafts/"),
    )


def _diagnostic(hit: Finding, path: str, line: int, where: str = "") -> Diagnostic:
    message = where + hit.message
    if hit.holds:
        return Diagnostic(path, line, hit.code, "warning", message, holds=True)
    severity: Severity = "warning" if hit.code == PERSONAL else "note"
    return Diagnostic(path, line, hit.code, severity, message)


def _with_hint(found: Diagnostic, place: _Place) -> Diagnostic:
    """Return a finding that holds with what to do about it; a note when the record allows it."""
    if not found.holds:
        return found
    if place.path.startswith("quarantine/"):
        return found._replace(hint=f"A person looks at it: mvault quarantine show {place.name}")
    if found.code in place.allowed and place.is_settled:
        return found._replace(severity="note", hint="Its `allow` lets this pass.")
    if found.code in place.allowed:
        return found._replace(hint="Its `allow` lets this pass: read it before it is approved.")
    hint = (
        _HINTS.get(found.code)
        or f"Remove it, or put `{found.code}` into the record's `allow` list."
    )
    if found.code in _JUDGED:
        hint = _ALLOW.format(place.name, found.code)
    return found._replace(hint=hint)
