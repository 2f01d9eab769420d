"""From a parsed document to a typed Record. May import `model`, `errors`, `text.document`."""

from __future__ import annotations

from typing import Any

from vault_cli.errors import Diagnostic
from vault_cli.model.record import Record


def read_record(data: bytes, path: str) -> tuple[Record | None, tuple[Diagnostic, ...]]:
    """Read one file into a Record.

    Args:
        data: the file's bytes.
        path: vault-relative POSIX path.

    Returns:
        The record (None when a finding is an `error`) and all findings of the file.
    """
    raise NotImplementedError


def front_matter_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the front matter, generated from the field table."""
    raise NotImplementedError
