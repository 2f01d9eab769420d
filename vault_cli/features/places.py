"""Where in a file a finding stands: of a key, of an entry of a list, of a line of the body."""

from __future__ import annotations

from collections.abc import Callable

from vault_cli.errors import Diagnostic, Severity
from vault_cli.model.record import Record
from vault_cli.text.block import Block, find_block
from vault_cli.text.document import Document, parse_document


class Places:
    """Finds the lines of a record's file, which is only read when there is a finding.

    Args:
        load: gives a file's bytes by path; without it no finding has a line.
    """

    def __init__(self, load: Callable[[str], bytes] | None) -> None:
        self._load = load
        self._path = ""
        self._document: Document | None = None

    def _read(self, record: Record) -> Document | None:
        if self._load is not None and record.path != self._path:
            self._path = record.path
            self._document = parse_document(self._load(record.path), record.path)
        return self._document

    def key(self, record: Record, key: str) -> int:
        """Return the file line of a front-matter key, 0 when it is not known."""
        document = self._read(record)
        return document.key_lines.get(key, 0) if document else 0

    def entry(self, record: Record, key: str, index: int, inner: str = "") -> int:
        """Return the file line of an entry of a list, or of a key within that entry.

        Args:
            record: whose file.
            key: front-matter key that holds the list.
            index: 0-based place in it.
            inner: key of the entry; when it is not there the line of the entry is returned.
        """
        document = self._read(record)
        if document is None or document.is_broken:
            return 0
        return _entry_line(document.data, key, index, inner) or document.key_lines.get(key, 0)

    def body(self, record: Record, line: int) -> int:
        """Return the file line of a body line, 0 when it is not known."""
        document = self._read(record)
        return document.body_line + line - 1 if document else 0


def _entry_line(data: bytes, key: str, index: int, inner: str) -> int:
    from vault_cli.text.nodes import read_nodes

    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    block = find_block(text)
    top = read_nodes(text[block.start : block.end]) if isinstance(block, Block) else None
    value = (
        next((v for k, v in top.items if k is not None and k.value == key), None) if top else None
    )
    if value is None or value.kind not in ("list", "map"):
        return 0
    entry = value if value.kind == "map" else value.items[index][1]
    named = [k for k, _ in entry.items if k is not None and k.value == inner]
    return (named[0] if named else entry).start[0] + 2


def finding(
    record: Record, code: str, severity: Severity, message: str, hint: str, line: int = 0
) -> Diagnostic:
    """Return a finding about a record's file."""
    return Diagnostic(record.path, line, code, severity, message, hint)
