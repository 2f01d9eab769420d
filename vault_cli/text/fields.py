"""From a parsed document to a typed Record. May import `model`, `errors`, `text.*`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from vault_cli.errors import Diagnostic
from vault_cli.model.paths import SKILL_PREFIX, is_skill_file
from vault_cli.model.record import Kind, Record, Scope, Status
from vault_cli.model.schema import BY_KEY, FIELDS, Field, json_schema
from vault_cli.model.validity import Validity
from vault_cli.text import values
from vault_cli.text.codes import Problem, show
from vault_cli.text.lines import first_heading
from vault_cli.text.parse import Document, parse_document
from vault_cli.text.remarks import find_lost_text, scan_document
from vault_cli.text.scan import ALL, SECRET
from vault_cli.text.spelling import nearest_choice, nearest_key
from vault_cli.text.values import BadValueError, describe


def _read_guard(value: Any) -> Any:
    """Ask a guard what its own module asks, which is loaded for records that have one."""
    from vault_cli.text.guards import check_guard

    return check_guard(value)


_KINDS: dict[str, Kind] = {str(kind): kind for kind in Kind}
_STATUSES: dict[str, Status] = {str(status): status for status in Status}
_BY_FOLDER = {kind.folder: kind for kind in Kind if kind.folder != "memories"}
_LEGACY = tuple((name, field) for field in FIELDS for name in field.legacy)
_DIRECTIVE = "directive"
_LARGE = 1 << 16
"""A longer text is not kept for the next who asks."""
_READERS: dict[str, Callable[[Any], Any]] = {
    "id": values.read_id,
    "text": values.read_text,
    "list": values.read_list,
    "topics": values.read_topics,
    "flag": values.read_flag,
    "conflicts": values.read_conflicts,
    "data": values.read_data,
    "guard": _read_guard,
}
_TRUST_KEYS = frozenset({"approved_by", "approved", "verified", "trust"})
_NO_CLAIM = frozenset({"", "false", "no", "none", "0", "off"})


def _is_meant(ours: str, value: Any) -> bool:
    """Tell whether a misspelt key beside the right one (`adopt` adds it) says what ours could."""
    said = value.strip().lower() if isinstance(value, str) else ""
    return said in _STATUSES if ours == "status" else ours == "kind" and said in _KINDS


def read_record(
    data: bytes, path: str, gates: frozenset[str] = ALL
) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    """Read one file into a Record.

    A secret in the file is a finding, and its kind stands in its place in the record and in every
    message: nothing that reads records can print or keep it. Bytes are never changed.

    Args:
        data: the file's bytes.
        path: vault-relative POSIX path.
        gates: the gates of admission that are on (setting `admission.gates`).

    Returns:
        The record (None when a finding is an `error`) and all findings of the file.
    """
    if len(data) > _LARGE:
        return _read(data, path, gates)
    record, findings = _read_once(data, path, gates)
    # A copy each time: whoever has it may mark it (`withheld`), which is about that one only.
    return (None if record is None else replace(record)), findings


def read_fresh(
    data: bytes, path: str, gates: frozenset[str] = ALL
) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    """As `read_record`, remembering nothing: for a run over many files, each asked for once."""
    return _read(data, path, gates)


@lru_cache(maxsize=4096)
def _read_once(
    data: bytes, path: str, gates: frozenset[str]
) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    """Read a text once a run: planner, preview, gate and cache ask for the same ones."""
    return _read(data, path, gates)


def _read(
    data: bytes, path: str, gates: frozenset[str]
) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    document = parse_document(data, path)
    if document.is_broken:
        scan = scan_document(document, path, gates)
        return None, (*scan.hide(document.diagnostics), *scan.findings)
    return record_of(document, path, gates)


def record_of(
    document: Document, path: str, gates: frozenset[str] = ALL
) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    """Turn a readable document into a Record; parameters and result as in `read_record`."""
    scan = scan_document(document, path, gates)
    reader = _Reader(document, path)
    reader.read()
    lost = find_lost_text(document)
    if scan.values and SECRET not in reader.found.get("allow", ()):
        document = scan.mask(document)
        reader = _Reader(document, path)
        reader.read()
    remarks = [*reader.problems, *lost]
    own = (*document.diagnostics, *(problem.at(path) for problem in remarks))
    findings = (*scan.hide(own), *scan.findings)
    if any(finding.severity == "error" for finding in findings):
        return None, findings
    record = Record(
        path=path,
        digest=hashlib.sha256(document.data).hexdigest(),
        body=document.body,
        fields=MappingProxyType(dict(document.front)),
        findings=findings,
        **reader.attributes(),
    )
    if record.status is Status.VERIFIED:  # few records; what judges them takes a while to load
        from vault_cli.model.evidence import lapse_of

        record = replace(record, lapsed=lapse_of(record))
    return record, findings


def front_matter_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the front matter, generated from the field table."""
    return json_schema()


class _Reader:
    """Reads the keys of one document by the field table, collecting problems."""

    def __init__(self, document: Document, path: str) -> None:
        self.document = document
        self.path = path
        self.is_skill = is_skill_file(path)
        self.front = _effective_front(document.front, self.is_skill)
        self.found: dict[str, Any] = {}
        self.ends: dict[str, Any] = {}
        self.problems: list[Problem] = []

    def read(self) -> None:
        """Read every known key, and look at the others."""
        kind = self._kind()
        for key, value in self.front.items():
            field = BY_KEY.get(key)
            if field is None or not field.is_of(kind):
                self._look_at_unknown(key, value)
                continue
            try:
                self._read_field(field, value)
            except BadValueError as fault:
                code = fault.code or ("bad-value" if field.decides else "odd-value")
                written = f" (written: {self._written(key)})" if value is None else ""
                self._report(code, key, f"`{key}`: {fault.message}{written}", fault.hint)
        self._check_order()

    def attributes(self) -> dict[str, Any]:
        """Return the keyword arguments of Record, with defaults where nothing is written."""
        found = self.found
        found["adopted"] = "id" in found
        if "id" not in found:
            found["id"] = self._name()
        if "kind" not in found:
            found["kind"] = self._default_kind()
        found.setdefault("written_status", Status.CANDIDATE)
        if not found.get("title", "").strip():
            found["title"] = self._default_title()
        if self.ends:
            found["validity"] = Validity(self.ends.get("valid_from"), self.ends.get("valid_to"))
        return found

    def _read_field(self, field: Field, value: Any) -> None:
        simple = _READERS.get(field.form)
        if simple is not None:
            found = simple(value)
            if field.attribute:
                self.found[field.attribute] = found
        elif field.form == "choice":
            self._read_choice(field, value)
        elif field.form == "scope":
            self._read_scope(value)
        elif field.form == "date":
            self._read_date(field, value)
        else:
            number = values.read_number(field.key, value)
            if number is not None:
                self.found[field.attribute] = number

    def _read_choice(self, field: Field, value: Any) -> None:
        if value is None or value == "":
            return
        if value in field.choices:
            self._set_choice(field, value)
            return
        allowed = ", ".join(field.choices)
        near = nearest_choice(value, field.choices) if isinstance(value, str) else ""
        hint = f"Did you mean {near}? " if near else ""
        hint += f"Use one of: {allowed}."
        message = f"there is no {field.key} {describe(value)}"
        code = {"kind": "unknown-kind", "status": "unknown-status", "origin": "trust-claim"}
        if field.key in {"source", "origin"} and isinstance(value, str):
            self.found[field.attribute] = value
        raise BadValueError(message, hint, code.get(field.key, ""))

    def _set_choice(self, field: Field, value: str) -> None:
        if field.key == "kind":
            self.found["kind"] = _KINDS[value]
        elif field.key == "status":
            self.found["written_status"] = _STATUSES[value]
        elif field.key == "force":
            self.found["required"] = value == "required"
        elif field.attribute:
            self.found[field.attribute] = value

    def _read_scope(self, value: Any) -> None:
        if value is None:
            return
        try:
            self.found["scope"] = Scope.parse(value)
        except (ValueError, AttributeError):
            hint = "Write global, project:<id> or session:<id>."
            message = f"the scope cannot be read: {describe(value)}"
            raise BadValueError(message, hint, "bad-scope") from None

    def _read_date(self, field: Field, value: Any) -> None:
        if field.key == "created" and isinstance(value, str):
            self.found["created"] = value
        moment = values.read_date(value)
        if moment is None:
            return
        if not field.attribute:
            return
        if field.key == "created":
            if moment.year > values.LATEST_YEAR:
                message = f"the record claims to be created in the year {moment.year}"
                self._report("future-date", "created", message, "Correct the date.")
            return
        if isinstance(moment, datetime) and moment.tzinfo is None:
            hint = "Add Z or an offset such as +08:00, or write the day alone."
            message = f"`{field.key}` has no time zone and is taken as UTC: {describe(value)}"
            self._report("no-time-zone", field.key, message, hint)
        self.ends[field.key] = values.with_zone(moment)

    def _check_order(self) -> None:
        if values.ends_before(self.ends.get("valid_from"), self.ends.get("valid_to")):
            message = "`valid_to` is before `valid_from`, so the record never holds"
            self._report("odd-value", "valid_to", message, "Correct one of the two dates.")

    def _look_at_unknown(self, key: str, value: Any) -> None:
        if key in _TRUST_KEYS:
            said = value.strip().lower() if isinstance(value, str) else "claims"
            if value is not None and said not in _NO_CLAIM:
                message = f"`{key}: {describe(value)}` claims a trust that nobody checked here"
                hint = "Remove the line; a person approves with `mvault approve`."
                self._report("trust-claim", key, message, hint)
            return
        ours = nearest_key(key)
        if not ours or (ours in self.front and not _is_meant(ours, value)):
            return
        message = f"`{show(key)}` is not read; the key is spelt `{ours}`"
        hint = f"Write `{ours}:`."
        if ours in self.front:
            message, hint = f"{message}, which stands there too", "Take one of the two out."
        self._report("key-spelling", key, message, hint)

    def _name(self) -> str:
        parts = self.path.rsplit("/", 2)
        if self.is_skill and len(parts) > 1:
            return parts[-2]
        return parts[-1].removesuffix(".md")

    def _kind(self) -> Kind:
        """Return the kind as written, else that of the folder."""
        written = self.front.get("kind")
        known = _KINDS.get(written) if isinstance(written, str) else None
        return known or self._default_kind()

    def _default_kind(self) -> Kind:
        if self.is_skill:
            return Kind.SKILL
        folder = self.path.split("/", 1)[0] if "/" in self.path else ""
        return _BY_FOLDER.get(folder, Kind.NOTE)

    def _default_title(self) -> str:
        name = self.front.get("name")
        if self.is_skill and isinstance(name, str) and name.strip():
            return name
        return first_heading(self.document.body) or self._name()

    def _written(self, key: str) -> str:
        """Return the line of a key as it stands in the file."""
        line = self.document.key_lines.get(key, 1)
        return show(self.document.data.decode("utf-8", "replace").split("\n")[line - 1].strip())

    def _report(self, code: str, key: str, message: str, hint: str) -> None:
        lines = self.document.key_lines
        names = (key, *(BY_KEY[key].legacy if key in BY_KEY else ()), "metadata")
        line = next((lines[name] for name in names if name in lines), 0)
        self.problems.append(Problem(code, line, message, hint))


def _effective_front(front: Mapping[str, Any], is_skill: bool) -> Mapping[str, Any]:  # noqa: FBT001
    """Return the keys as read: foreign keys stand in for ours where ours are missing."""
    extra: dict[str, Any] = {}
    if is_skill and isinstance(front.get("metadata"), dict):
        for name, value in front["metadata"].items():
            key = name.removeprefix(SKILL_PREFIX).replace("-", "_")
            if name.startswith(SKILL_PREFIX) and key in BY_KEY and key not in front:
                extra[key] = value
    for name, field in _LEGACY:
        if name in front and field.key not in front and field.key not in extra:
            value = front[name]
            if name != "type":
                extra[field.key] = value
            elif value == _DIRECTIVE:
                extra |= {"kind": str(Kind.RULE), "force": front.get("force") or "required"}
            elif isinstance(value, str) and value in _KINDS:
                extra["kind"] = value
    return {**front, **extra} if extra else front
