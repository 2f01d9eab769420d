"""One Markdown file: parse, patch a key in place, compose. Byte-exact otherwise.

The public face of `text.parse`, `text.patch` and `text.compose`.
"""

from __future__ import annotations

from vault_cli.text.compose import REMOVE, compose_document
from vault_cli.text.parse import Document, parse_document
from vault_cli.text.patch import patch_document, replace_body

__all__ = [
    "REMOVE",
    "Document",
    "compose_document",
    "parse_document",
    "patch_document",
    "replace_body",
]
