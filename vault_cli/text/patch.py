"""Change keys of a file in place. May import `errors`, `text.*`; yaml only when it patches.

Everything outside the changed values stays byte for byte. What comes out is parsed again and
compared with what was asked for before it is returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vault_cli.errors import RefusedError
from vault_cli.text.block import Block, find_block
from vault_cli.text.compose import REMOVE, as_typed, compose_entry
from vault_cli.text.lines import main_line_end
from vault_cli.text.parse import Document, parse_document


def patch_document(data: bytes, changes: Mapping[str, Any], path: str) -> bytes:
    """Return `data` with top-level front-matter keys set (or removed with REMOVE) in place.

    Everything outside the changed keys' lines stays byte for byte (comments, order, quotes,
    flow style, line ends, BOM, missing final newline). A value equal to the present one changes
    nothing. A new key goes to the end of the block; a file without a block gets one at its top.
    Of a list only the added, removed and changed items change, of a map only such keys. A key
    that stands twice with one value is changed in both places. Proven by re-parsing before it
    returns.

    Args:
        data: the file's bytes.
        changes: new values by key: text, None, numbers, flags, dates, lists and maps of these.
        path: vault-relative POSIX path, for messages.

    Raises:
        RefusedError: the file is broken, a key is written in a form that cannot be changed in
            place, or the re-parse does not show exactly the requested change.
    """
    document = _require_readable(data, path)
    wanted = {key: value for key, value in changes.items() if _differs(document, key, value)}
    if not wanted:
        return data
    text = data.decode("utf-8")
    new = _patch_block(text, wanted, path) if document.has_front else _add_block(text, wanted)
    expected = dict(document.front)
    for key, value in wanted.items():
        if value is REMOVE:
            del expected[key]
        else:
            expected[key] = as_typed(value)
    return _prove(new, path, expected, document.body)


def replace_body(data: bytes, body: str, path: str) -> bytes:
    """Return `data` with another body, front matter and line-end style untouched.

    Raises:
        RefusedError: the file is broken, or the new body cannot be read back as given.
    """
    document = _require_readable(data, path)
    body = body.replace("\r\n", "\n")
    if body == document.body:
        return data
    text = data.decode("utf-8")
    eol = main_line_end(text)
    head = _body_start(text, document)
    front = text[:head]
    if head and not front.endswith("\n") and front != "\ufeff":
        front += eol
    return _prove(front + body.replace("\n", eol), path, dict(document.front), body)


def _body_start(text: str, document: Document) -> int:
    if not document.has_front:
        return 1 if text.startswith("\ufeff") else 0
    start = 0
    for _ in range(document.body_line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return len(text)
    return start


def _require_readable(data: bytes, path: str) -> Document:
    document = parse_document(data, path)
    if document.is_broken:
        raise RefusedError(
            f"{path} cannot be read, so it is not changed",
            hint="Repair what the findings name first.",
            diagnostics=document.diagnostics,
        )
    return document


def _differs(document: Document, key: str, value: Any) -> bool:
    if value is REMOVE:
        return key in document.front
    return key not in document.front or document.front[key] != as_typed(value)


def _add_block(text: str, wanted: Mapping[str, Any]) -> str:
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    lines = "".join(compose_entry(key, value) for key, value in wanted.items())
    block = f"---\n{lines}---\n".replace("\n", main_line_end(text))
    return bom + block + text[len(bom) :]


def _patch_block(text: str, wanted: Mapping[str, Any], path: str) -> str:
    from vault_cli.text.edits import BlockEditor

    bom = text.startswith("\ufeff")
    flat = text[bom:].replace("\r\n", "\n")
    block = find_block(flat)
    if not isinstance(block, Block):  # pragma: no cover - the document was read a moment ago
        raise RefusedError(f"{path} has no metadata block")
    first = 1
    last = first + flat.count("\n", block.start, block.end)
    lines = text.split("\n")
    raw = "\n".join(lines[first:last])
    head = "\n".join(lines[:first]) + "\n"
    tail = "\n".join(lines[last:])
    if raw or last > first:
        raw += "\n"
    eol = "\r\n" if head.endswith("\r\n") else "\n"
    editor = BlockEditor(raw, eol, path)
    return head + editor.apply(wanted) + tail


def _prove(new: str, path: str, expected: dict[str, Any], body: str) -> bytes:
    hint = "Change it in an editor; nothing was written."
    try:
        data = new.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = f"U+{ord(error.object[error.start]):04X}"
        raise RefusedError(f"{path}: the text holds {bad}, no character", hint=hint) from None
    read = parse_document(data, path)
    if read.is_broken or dict(read.front) != expected or read.body != body:
        raise RefusedError(
            f"{path}: the change would not read back as asked for",
            hint=hint,
            diagnostics=read.diagnostics,
        )
    return data
