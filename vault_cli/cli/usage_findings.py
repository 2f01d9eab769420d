"""What `check` says about the files of observations. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault_cli.cli.usage import add_up, read_log
from vault_cli.errors import Diagnostic

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation


def usage_findings(inv: Invocation) -> Iterator[Diagnostic]:
    """Yield what is wrong with the files of observations, and what use speaks against."""
    from dataclasses import replace

    from vault_cli.features.usage import demotion_findings, unknown_findings

    log = read_log(inv)
    if not log.machines and not log.findings:
        return
    sums = add_up(inv, log.pool)
    yield from log.findings
    yield from demotion_findings(replace(inv.snapshot, tallies=sums.tallies))
    if log.strange:
        yield from unknown_findings(log.strange, inv.vault.forgotten() | _once_here(inv))


def _once_here(inv: Invocation) -> frozenset[str]:
    """Return the ids that changes of this vault were about: their records went with another one.

    A skill that was demoted, or an addition that was undone.
    """
    repo = inv.vault.repo
    commits = repo.log() if repo is not None else ()
    return frozenset(own for c in commits for name, own in c.trailers if name == "Vault-Id")


def usage_secrets(inv: Invocation) -> list[Diagnostic]:
    """Return the secrets in the files of observations, as far as these are read; none is shown."""
    from vault_cli.store.usage_log import read_counted

    if "secrets" not in inv.vault.config.gates:
        return []
    screen = inv.vault.screen()
    return [
        found
        for path, data in read_counted(inv.root)
        for found in screen.secrets_in(data.decode("utf-8", "replace"), path)
    ]
