"""Put a Block where a host reads it: the managed region of a file. May import `errors`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SinkResult:
    """What a write would do or did: the real path (links resolved), old and new text, changed."""

    path: Path
    old: str
    new: str
    changed: bool


def plan_managed_block(target: Path, block: str) -> SinkResult:
    """Plan the managed block of `target` by the four marker rules; writes nothing.

    Raises:
        RefusedError: half a marker, doubled or unordered markers (path and line named).
        StoreError: the file cannot be read as UTF-8 text.
    """
    raise NotImplementedError


def write_managed_block(target: Path, block: str) -> SinkResult:
    """Carry out the plan atomically, through a symbolic link, keeping line ends and BOM."""
    raise NotImplementedError
