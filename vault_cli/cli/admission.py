"""What `check` says about admission beyond the files. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from vault_cli.errors import Diagnostic
from vault_cli.model.tables import ADMISSION_GATES
from vault_cli.store.config import CONFIG_FILE

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation


def admission_findings(
    inv: Invocation, head: Mapping[str, bytes] | None, more: Iterable[Diagnostic] = ()
) -> list[Diagnostic]:
    """Return the secrets that history holds, what git must not have, and gates switched off.

    Args:
        inv: this run.
        head: committed bytes of the files that differ from HEAD, None without a commit.
        more: secrets that were found in files that are no records.
    """
    return [*_gates_off(inv), *_leaks(inv, head, more), *_exposed(inv)]


def _leaks(
    inv: Invocation, head: Mapping[str, bytes] | None, more: Iterable[Diagnostic]
) -> list[Diagnostic]:
    from vault_cli.store.leaks import find_leaks

    repo = inv.vault.repo
    if repo is None or head is None:
        return []
    found = (*inv.snapshot.diagnostics, *more)
    return find_leaks(inv.root, repo, found, head, inv.vault.config.gates)


def _exposed(inv: Invocation) -> list[Diagnostic]:
    from vault_cli.store.private import find_exposed

    repo = inv.vault.repo
    return find_exposed(inv.root, repo) if repo is not None else []


def _gates_off(inv: Invocation) -> list[Diagnostic]:
    """Say which gates are off: a vault may have come with that."""
    off = [gate for gate in ADMISSION_GATES if gate not in inv.vault.config.gates]
    if not off:
        return []
    where = inv.vault.config.origin("admission.gates")
    text = f"not asked of any text: {', '.join(off)} (admission.gates, set by: {where})"
    hint = "`mvault config show admission.gates --explain` says what there is."
    return [Diagnostic(CONFIG_FILE, 0, "gates-off", "note", text, hint)]
