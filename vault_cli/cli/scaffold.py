"""The files of a new vault, as text; nothing is written. May import `store.settings`, `text`.

A file that is there already is kept; `.gitignore` and `.gitattributes` get the lines they lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IGNORED = ("/.state/", "/quarantine/")
"""What git never holds: derived files, and text that was held back before it entered history."""

ATTRIBUTES = ("*.md -text", "usage/*.jsonl -text merge=union")
"""Notes keep their bytes on every system; two machines' observations merge by keeping both."""

SCHEMA_FILE = ".mvault-schema.json"
SNIPPETS_FILE = ".vscode/mvault.code-snippets"

_README = """\
# Memory vault

Every file here is one memory, rule or recipe for coding agents: Markdown with a few keys at the
top. Agents propose (`drafts/`), people admit, git remembers who, when and why.

- `mvault review` goes through what waits; `mvault status` says what is going on.
- `mvault render` prints what an agent is told; `mvault log` and `mvault undo` use the history.
- Edit any file with any editor. `mvault check` says what cannot be read, with line and remedy.
- Without mvault this is a plain folder of Markdown in git; nothing else is needed to read it.

Obsidian: open this folder as a vault. Keys appear as properties, `topics` and `tags` work as tags
do, links such as `[[name]]` are followed and checked. Files below `.obsidian/`, `.trash/` and
`Templates/` are not read as memories.

VS Code: type `mvault` in an empty Markdown file for a template of each kind. Tools that validate
front matter (remark-lint-frontmatter-schema, for example) can use `.mvault-schema.json`.
"""


def vault_files(old: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the bytes each file of a new vault should have.

    Args:
        old: bytes found by path, b"" or missing where there is no file.
    """
    return {
        "vault.toml": old.get("vault.toml") or settings_text().encode(),
        ".gitignore": _with_lines(old.get(".gitignore", b""), IGNORED),
        ".gitattributes": _with_lines(old.get(".gitattributes", b""), ATTRIBUTES),
        "README.md": old.get("README.md") or _README.encode(),
        SCHEMA_FILE: old.get(SCHEMA_FILE) or _schema_text().encode(),
        SNIPPETS_FILE: old.get(SNIPPETS_FILE) or _snippets_text().encode(),
    }


def _with_lines(data: bytes, lines: tuple[str, ...]) -> bytes:
    """Return the text with the lines it lacks at its end, in its own line ends."""
    present = {line.strip() for line in data.decode("utf-8", "replace").splitlines()}
    missing = [line for line in lines if line not in present]
    if not missing:
        return data
    end = b"\r\n" if b"\r\n" in data else b"\n"
    gap = end if data and not data.endswith((b"\n", b"\r")) else b""
    return data + gap + b"".join(line.encode() + end for line in missing)


def settings_text() -> str:
    """Return `vault.toml`: the schema number, and every setting of a vault as a comment."""
    from vault_cli.store.settings import SCHEMA, SETTINGS

    lines = [
        "# Settings of this vault. `mvault config show --explain` says what holds and why;",
        "# `mvault config set render.budget 6000` sets one. The defaults are shown as comments.",
        f"schema = {SCHEMA}",
    ]
    table = ""
    for setting in SETTINGS:
        section, _, key = setting.name.rpartition(".")
        if setting.user_only or not section:
            continue
        if section != table:
            lines += ["", f"# [{section}]"]
            table = section
        lines += [f"# {setting.help}", f"# {key} = {_toml(setting.default)}"]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    import json

    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def _schema_text() -> str:
    import json

    from vault_cli.text.fields import front_matter_schema

    return json.dumps(front_matter_schema(), ensure_ascii=False, indent=2) + "\n"


_SNIPPETS = {
    "lesson": ("problem", "attempted", "correction"),
    "failure": ("problem", "avoid", "instead"),
    "rule": (),
    "fact": (),
    "preference": (),
    "recipe": ("problem", "steps"),
    "note": (),
}


def _snippets_text() -> str:
    """Return VS Code snippets: front matter and sections of a draft, one per kind."""
    import json

    snippets = {f"mvault {kind}": _snippet(kind, parts) for kind, parts in _SNIPPETS.items()}
    return json.dumps(snippets, ensure_ascii=False, indent=2) + "\n"


def _snippet(kind: str, parts: tuple[str, ...]) -> dict[str, Any]:
    body = ["---", f"kind: {kind}", "title: $1", "topics: [$2]"]
    if kind in ("lesson", "failure", "rule", "recipe"):
        body.append("applies_when: $3")
    body += ["---", "", "# $1", ""]
    stop = 4
    for part in parts:
        body += [f"## {part.capitalize()}", f"${stop}", ""]
        stop += 1
    body.append("$0")
    return {
        "scope": "markdown",
        "prefix": [f"mvault-{kind}", f"mv-{kind}"],
        "description": f"mvault: draft of a {kind} (`mvault adopt` gives it an id)",
        "body": body,
    }
