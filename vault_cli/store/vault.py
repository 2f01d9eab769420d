"""A vault: open it, read it, and the one way to change anything. May import `store`, `text`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault_cli.model.change import Change, Receipt
from vault_cli.model.record import Snapshot
from vault_cli.store.config import Config
from vault_cli.store.repo import Repository


def find_vault(explicit: Path | None, *, cwd: Path, environ: Mapping[str, str]) -> Path:
    """Find the vault root: `--vault`, `$MVAULT`, upwards `vault.toml` or `.mvault/vault.toml`, user vault.

    Raises:
        UsageError: there is none; the hint names `mvault init`.
    """
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Vault:
    """One vault on disk. `repo` is None until git holds it."""

    root: Path
    config: Config
    repo: Repository | None

    @classmethod
    def open(
        cls, root: Path, *, environ: Mapping[str, str], flags: Mapping[str, Any] | None = None
    ) -> Vault:
        """Open the vault at `root` (git is only touched when `repo` is used)."""
        raise NotImplementedError

    def snapshot(self, *, at: str = "") -> Snapshot:
        """Read the working tree, or the commit/date `at`."""
        raise NotImplementedError

    def apply(self, change: Change) -> Receipt:
        """The gate: see 03-architecture. All or nothing.

        Raises:
            RefusedError: a new text does not parse as what it must be (diagnostics attached).
            ChangedMeanwhileError: a digest differs, or a merge/rebase is under way.
            StoreError: git or the disk failed; the old bytes are back.
        """
        raise NotImplementedError
