"""The Agent Skills format: what a SKILL.md must be, and how long the listing gets.

Nothing here changes a file. May import `text`, `model`; `recipes` uses the same rules to write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vault_cli.errors import Diagnostic, Severity
from vault_cli.features.records import SKILL_KEYS
from vault_cli.text.document import Document, parse_document
from vault_cli.text.late import late
from vault_cli.text.names import SKILL_NAME_LIMIT, VENDOR_WORDS, WINDOWS_NAMES

DESCRIPTION_LIMIT = 1024
COMPATIBILITY_LIMIT = 500
BODY_LINES = 500
LISTING_LIMIT = 6000
"""Characters of descriptions that common hosts list before they shorten or drop them."""

_NAME = late(r"[a-z0-9]+(-[a-z0-9]+)*")
_ANGLES = late("[<>]")


def name_problem(name: str) -> str:
    """Say why `name` is not a skill name; "" when it is."""
    return _format_problem(name) or _place_problem(name)


def _format_problem(name: str) -> str:
    """Say what no host takes."""
    if not name:
        return "the name is empty"
    if len(name) > SKILL_NAME_LIMIT:
        return f"the name has {len(name)} of {SKILL_NAME_LIMIT} characters"
    if not _NAME.fullmatch(name):
        return "a name has lower-case letters a-z, digits and single hyphens between them"
    return ""


def _place_problem(name: str) -> str:
    """Say what only some hosts or systems refuse."""
    if name in WINDOWS_NAMES:
        return "Windows cannot check out a folder of this name"
    if any(vendor in name for vendor in VENDOR_WORDS):
        return "a name with the vendor's word (anthropic, claude) is refused by some hosts"
    return ""


def description_problem(description: str) -> str:
    """Say why a description (its folded value) is not allowed; "" when it is."""
    if not description.strip():
        return "the description is empty"
    if len(description) > DESCRIPTION_LIMIT:
        return f"the description has {len(description)} of {DESCRIPTION_LIMIT} characters"
    if _ANGLES.search(description):
        return "the description has angle brackets, which hosts read as tags"
    return ""


def check_skill(path: str, data: bytes, directory_name: str) -> tuple[Diagnostic, ...]:
    """Check one SKILL.md against the open format.

    Args:
        path: vault-relative path, for the findings.
        data: the file's bytes.
        directory_name: name of the folder it stands in; must equal `name`.

    Returns:
        Findings; `error` where a host would not load the skill, `warning` where only some would.
    """
    document = parse_document(data, path)
    if document.is_broken:
        return tuple(d for d in document.diagnostics if d.severity == "error")
    if not document.has_front:
        hint = "Begin the file with --- and the keys name and description."
        return (Diagnostic(path, 1, "skill-front", "error", "no front matter", hint),)
    findings = [
        *_check_name(document, path, directory_name),
        *_check_description(document, path),
        *_check_other_keys(document, path),
        *_check_layout(document, path),
    ]
    return tuple(sorted(findings, key=lambda d: (d.line, d.code)))


def _finding(
    document: Document,
    path: str,
    key: str,
    code: str,
    message: str,
    hint: str,
    severity: Severity = "error",
) -> Diagnostic:
    return Diagnostic(path, document.key_lines.get(key, 1), code, severity, message, hint)


def _check_name(document: Document, path: str, directory: str) -> Iterator[Diagnostic]:
    name = document.front.get("name")
    if not isinstance(name, str):
        hint = f"Add the line: name: {directory}"
        yield _finding(document, path, "name", "skill-name", "the name is missing", hint)
        return
    fault = _format_problem(name)
    problem = fault or _place_problem(name)
    if problem:
        hint = "Rename the folder and the key name together."
        severity: Severity = "error" if fault else "warning"
        yield _finding(document, path, "name", "skill-name", problem, hint, severity)
    if name != directory:
        text = f"the name {name} differs from the folder {directory}"
        hint = "Make both the same; hosts go by the folder."
        yield _finding(document, path, "name", "skill-folder", text, hint)


def _check_description(document: Document, path: str) -> Iterator[Diagnostic]:
    description = document.front.get("description")
    text = description if isinstance(description, str) else ""
    problem = description_problem(text)
    if not problem:
        return
    long = len(text) > DESCRIPTION_LIMIT
    angle = not long and _ANGLES.search(text) is not None
    code = "skill-description-long" if long else "skill-description"
    hint = "Use other words." if angle else "Say what it does and when to use it, shorter."
    severity: Severity = "warning" if angle else "error"
    yield _finding(document, path, "description", code, problem, hint, severity)


def _check_other_keys(document: Document, path: str) -> Iterator[Diagnostic]:
    for key in document.front:
        if key not in SKILL_KEYS:
            text = f"the key {key} is not part of the Agent Skills format"
            hint = f"Known: {', '.join(SKILL_KEYS)}. Own data goes under metadata."
            yield _finding(document, path, key, "skill-key", text, hint, "warning")
    compatibility = document.front.get("compatibility")
    if isinstance(compatibility, str) and len(compatibility) > COMPATIBILITY_LIMIT:
        text = f"compatibility has {len(compatibility)} of {COMPATIBILITY_LIMIT} characters"
        yield _finding(document, path, "compatibility", "skill-compatibility", text, "Shorten it.")
    metadata = document.front.get("metadata")
    if metadata is not None and not _is_flat(metadata):
        hint = "Write plain texts, one line each."
        text = "metadata must be a map of text to text"
        yield _finding(document, path, "metadata", "skill-metadata", text, hint, "warning")


def _is_flat(metadata: Any) -> bool:
    return isinstance(metadata, Mapping) and all(
        isinstance(value, str | None) for value in metadata.values()
    )


def _check_layout(document: Document, path: str) -> Iterator[Diagnostic]:
    if document.data.startswith(b"\xef\xbb\xbf"):
        text = "a byte order mark stands before the front matter"
        yield Diagnostic(path, 1, "skill-bom", "error", text, "Save the file as UTF-8 without BOM.")
    front = document.data.decode("utf-8", "replace").splitlines()[1 : document.body_line - 2]
    for number, line in enumerate(front, 2):
        if "---" in line:
            text = "three dashes inside the front matter: some readers end it there"
            hint = "Write a dash (—) instead."
            yield Diagnostic(path, number, "skill-dashes", "warning", text, hint)
    for found in document.diagnostics:
        if found.code == "second-block":
            yield found
    lines = document.body.count("\n")
    if lines > BODY_LINES:
        text = f"the text has {lines} lines; {BODY_LINES} is the advice"
        hint = "Move details to references/."
        yield Diagnostic(path, 0, "skill-long", "warning", text, hint)


@dataclass(frozen=True, slots=True)
class Listing:
    """How long the descriptions of a set of skills are together.

    Args:
        total: characters of all descriptions; `limit`: what hosts list.
        count: how many skills.
        longest: the longest ones as (name, characters), longest first.
        added: characters that one more skill would add.
    """

    total: int
    limit: int
    count: int
    longest: tuple[tuple[str, int], ...]
    added: int = 0

    @property
    def is_over(self) -> bool:
        """Whether hosts are likely to shorten or drop descriptions."""
        return self.total + self.added > self.limit


def listing_budget(
    skills: Iterable[tuple[str, str]], *, limit: int = LISTING_LIMIT, adding: str = ""
) -> Listing:
    """Add up the descriptions of skills given as (name, description).

    Args:
        skills: name and description of each.
        limit: characters that may be listed.
        adding: description of one more skill that is proposed.
    """
    sizes = sorted(((name, len(text)) for name, text in skills), key=lambda s: (-s[1], s[0]))
    total = sum(size for _, size in sizes)
    return Listing(total, limit, len(sizes), tuple(sizes[:5]), len(adding))


def listing_notes(listing: Listing, path: str = "skills") -> tuple[Diagnostic, ...]:
    """Return what one more skill adds to the listing, and a warning when it is too long."""
    notes = []
    total = listing.total + listing.added
    sum_text = f"{total} of {listing.limit} characters"
    if listing.added:
        text = f"the description adds {listing.added} to the listing: {sum_text}"
        notes.append(Diagnostic(path, 0, "skill-listing-adds", "note", text))
    if listing.is_over:
        named = ", ".join(f"{name} ({size})" for name, size in listing.longest)
        text = f"{listing.count} descriptions have {sum_text}; the longest: {named}"
        hint = "Hosts shorten or drop descriptions over their limit: shorten the longest ones."
        notes.append(Diagnostic(path, 0, "skill-listing-over", "warning", text, hint))
    return tuple(notes)
