"""What was typed, piped or written in the editor, as the text and the keys of a record.

May import `features`, `text`, `store.files`, `errors`.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vault_cli.errors import Diagnostic, NotFoundError, StoreError, UsageError

if TYPE_CHECKING:
    from vault_cli.cli.editor import Desk
    from vault_cli.cli.invocation import Invocation
    from vault_cli.features.requests import DraftRequest
    from vault_cli.model.record import Kind

_PATIENCE = 1.0
"""Seconds to wait for a first byte on a piped stdin when a title stands by itself already."""

_MOST = 1 << 20

LIST_KEYS = frozenset(
    {"topics", "tags", "keywords", "supersedes", "derived_from", "aliases", "branch"}
)
"""Keys whose `--set` value is a comma-separated list."""


def read_requests(
    inv: Invocation,
    kind: Kind,
    flags: dict[str, Any],
    body: str | None,
    sections: list[str],
    payload: str,
) -> tuple[list[DraftRequest], Desk | None]:
    """Return what is to be added, and the desk where it was edited (None without an editor).

    A payload may be a list of objects; all else is one request.

    Raises:
        UsageError: there is no text, or a value cannot be used.
    """
    from vault_cli.features.requests import DraftRequest, read_payload

    if payload:
        items = _load_payload(payload)
        return [replace(read_payload(item, kind=kind), **flags) for item in items], None
    named = parse_sections(sections)
    text = read_stdin() if body == "-" else body
    if text is None and not named:
        text = _piped_stdin(patient=not flags.get("title"))
    is_said = bool(text or named) or body is not None
    if is_said or (flags.get("title") and not inv.has_terminal):
        return [DraftRequest(kind, body=text or "", sections=named, **flags)], None
    request, desk = _ask_editor(inv, kind, flags)
    return [request], desk


def parse_sections(items: list[str]) -> dict[str, str]:
    """Read `NAME=TEXT` items of `--section`; UsageError when one has no `=` or no name."""
    sections: dict[str, str] = {}
    for item in items:
        name, mark, text = item.partition("=")
        if not mark or not name.strip():
            raise UsageError(
                f"--section needs NAME=TEXT, not {item}",
                hint='For example: --section problem="what went wrong"',
            )
        sections[name.strip().casefold()] = text
    return sections


def parse_sets(items: list[str], known: Container[str] = ()) -> dict[str, Any]:
    """Read `key=value` items of `--set`.

    An empty value takes the key away; list keys are split at commas.

    Args:
        items: as typed.
        known: keys that the record has, whatever they are called.

    Raises:
        UsageError: an item has no `=`, or its key is one slip away from one of ours.
    """
    from vault_cli.text.document import REMOVE

    values: dict[str, Any] = {}
    for item in items:
        key, mark, value = item.partition("=")
        key = key.strip()
        if not mark or not key:
            raise UsageError(
                f"--set needs KEY=VALUE, not {item}", hint="For example: --set topics=ci,git"
            )
        if key not in known:
            _require_no_slip(key)
        if not value.strip():
            values[key] = REMOVE
        elif key in LIST_KEYS:
            parts = value.replace("，", ",").replace("、", ",").split(",")
            values[key] = [part.strip() for part in parts if part.strip()]
        else:
            values[key] = value.strip()
    return values


def _require_no_slip(key: str) -> None:
    from vault_cli.text.spelling import nearest_key

    near = nearest_key(key)
    if near:
        raise UsageError(
            f"--set {key}: there is no such key",
            hint=f"Did you mean {near}? A key of your own of that name goes in by `mvault edit`.",
        )


def section_notes(path: str, sections: Mapping[str, str]) -> list[Diagnostic]:
    """Return a note for each section whose name is probably a misspelt one of ours."""
    from vault_cli.text.sections import nearest_heading

    found = []
    for name in sections:
        if near := nearest_heading(name):
            text = f"the section {name} is kept under that heading, which means nothing special"
            hint = f"Did you mean {near}? Then take the draft back with `mvault undo`, or edit it."
            found.append(Diagnostic(path, 0, "section-spelling", "note", text, hint))
    return found


def read_stdin() -> str:
    """Return all of stdin as UTF-8 text.

    Raises:
        UsageError: it is not UTF-8, or more than a record may hold.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("stdin is closed", hint="Give the text with --body TEXT.")
    stream = getattr(sys.stdin, "buffer", None)
    data = stream.read(_MOST + 1) if stream is not None else sys.stdin.read().encode()
    if len(data) > _MOST:
        raise UsageError(
            "stdin holds more than 1 MiB", hint="A record is one note, not an archive."
        )
    try:
        return str(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            "stdin is not UTF-8 text", hint="Convert it first, for example with `iconv -t UTF-8`."
        ) from error


def _piped_stdin(*, patient: bool) -> str | None:
    """Return what is piped in, None at a terminal or when nothing comes.

    A program that starts mvault may leave its stdin open and silent; with a title at hand that
    must not hang.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    if not patient and not _has_input():
        return None
    return read_stdin()


def _has_input() -> bool:
    import select

    try:
        return bool(select.select([sys.stdin], [], [], _PATIENCE)[0])
    except (OSError, ValueError):
        return True


def _load_payload(name: str) -> list[dict[str, Any]]:
    import json
    from pathlib import Path

    try:
        text = read_stdin() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
        found = json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--payload {name} cannot be read: {error}") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"--payload {name} is not JSON: {error}") from error
    items = found if isinstance(found, list) else [found]
    if not items or not all(isinstance(item, dict) for item in items):
        raise UsageError(f"--payload {name} must hold one JSON object, or a list of them")
    return items


def _ask_editor(
    inv: Invocation, kind: Kind, flags: dict[str, Any]
) -> tuple[DraftRequest, Desk | None]:
    from vault_cli.cli.editor import open_desk
    from vault_cli.features.requests import request_from_template

    plain = template_text(kind, inv.environ)
    title = flags.pop("title", "")
    template = with_title(plain, title)
    desk = open_desk(inv, f"new-{kind}.md")
    try:
        edited = desk.edit(template.encode())
    except BaseException:
        desk.clear()
        raise
    if edited.data is None:
        desk.leave(edited)
        desk.clear()
        raise UsageError("nothing was written; nothing was added", hint=edited.hint)
    try:
        text = edited.data.decode("utf-8-sig")
        return replace(request_from_template(kind, text, plain), **flags), desk
    except UnicodeDecodeError as error:
        raise StoreError(
            f"the text is not UTF-8; it is kept in {desk.rescue(edited.data)}"
        ) from error
    except UsageError as error:
        error.hint = f"{error.hint} The text is kept in {desk.rescue(edited.data)}".strip()
        raise


def with_title(template: str, title: str) -> str:
    """Return a template with its empty heading filled in."""
    import re

    heading = "# " + " ".join(title.split())
    return re.sub(r"(?m)^#[ \t]*$", lambda _: heading, template, count=1) if title else template


def template_text(kind: Kind, environ: Mapping[str, str]) -> str:
    """Return the template of a kind in the person's language, or a plain one when there is none."""
    from vault_cli.store.files import find_template

    language = next(
        (environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), ""
    )
    for name in (f"{kind}.zh.md", f"{kind}.md")[0 if language.lower().startswith("zh") else 1 :]:
        try:
            return find_template(name)
        except NotFoundError:
            continue
    return "---\ntopics: []\n---\n# \n\n<!-- Write the title after the # and the text below. -->\n"
