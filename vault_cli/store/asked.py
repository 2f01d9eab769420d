"""What a reader of a vault is asked for. May import `text`, `model`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

from vault_cli.model.record import Record
from vault_cli.store.codec import Parsed

Unheard = Callable[[Record], bool]
_BEGINS: Final = (b"---", b"\xef\xbb\xbf---")
_LONGEST_FRONT: Final = 1 << 14
"""A longer one is read as any text."""


class Asked(NamedTuple):
    """What is wanted of the files of a vault; see `read_vault`.

    `passed` takes up the path and digest of what was passed over.
    """

    gates: frozenset[str]
    whole: bool
    unheard: Unheard | None
    passed: set[tuple[str, str]]

    def pass_over(self, data: bytes, path: str) -> Parsed | None:
        """Return what the front matter of a text says, where nothing of it may count; else None.

        What comes behind it is not even parsed: neither the cost nor a fault of it may matter.
        """
        if self.unheard is None or not data.startswith(_BEGINS):
            return None
        from vault_cli.text.fields import read_fresh

        end = data.find(b"\n---", 0, _LONGEST_FRONT)
        if end < 0:
            return None
        line = data.find(b"\n", end + 1) + 1 or len(data)
        record, findings = read_fresh(data[:line], path, frozenset())
        if record is None:
            return None
        record = replace(record, digest=sha256(data).hexdigest())
        if not self.unheard(record):
            return None
        self.passed.add((path, record.digest))
        return record, findings
