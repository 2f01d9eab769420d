"""Files to Snapshot, through the derived cache. May import `text`, `model`, `errors`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vault_cli.model.record import Snapshot
from vault_cli.store.config import Config


def read_vault(root: Path, config: Config, *, use_cache: bool = True) -> Snapshot:
    """Read every record of the vault: stat all, reuse what the cache has, parse the rest.

    Adds the findings that need all files: duplicate ids, conflict copies, colliding names.
    Works on a read-only vault and never takes the lock.
    """
    raise NotImplementedError


def snapshot_of_tree(files: Mapping[str, bytes], commit: str) -> Snapshot:
    """Build a Snapshot from the bytes of a git tree (`Repository.read_tree`)."""
    raise NotImplementedError
