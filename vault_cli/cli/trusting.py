"""`trust`, `check --trust`: what a vault may do here, and who admitted what is in force.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from vault_cli.cli import flags
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, finding_lines, inline
from vault_cli.cli.views import summary_line
from vault_cli.errors import NeedsPersonError

if TYPE_CHECKING:
    from vault_cli.errors import Diagnostic
    from vault_cli.features.trust import Account
    from vault_cli.model.lineage import Deed

_SHORT = 10


def check_trust(inv: Invocation, wanted: Callable[[str], bool]) -> int:
    """Say of every record in force where it came from, and what is odd about that.

    Args:
        inv: the running command.
        wanted: whether a vault-relative path was asked for.

    Raises:
        UsageError: the vault is not in git.
    """
    from vault_cli.features.trust import FOOTER, account_for, judge_accounts

    snapshot = inv.snapshot
    repo = inv.vault.require_repo()
    paths = [r.path for r in snapshot.records if r.in_force and wanted(r.path)]
    lineage = repo.lineage(paths)
    pending = {change.path: change.code for change in repo.pending()}
    records = [record for record in snapshot.records if wanted(record.path)]
    accounts = account_for(records, lineage.ancestries, pending)
    found = sorted(judge_accounts(accounts, lineage.ancestries, shallow=lineage.is_shallow))
    bad = [item for item in found if item.severity == "error"]
    data = {
        "records": [account.as_data() for account in accounts],
        "commit": lineage.commit,
        "shallow": lineage.is_shallow,
        "counts": {"in_force": len(accounts), "problems": len(bad)},
    }

    def lines() -> Iterator[Line]:
        for account in accounts:
            yield from _account_lines(account)
        for item in found:
            yield from finding_lines(item)
        yield summary_line(found)

    inv.warn_unreadable()
    return inv.out.show(
        View(data, lines, None, found, (FOOTER,), exit_code=1 if bad else 0, listed=True)
    )


def _account_lines(account: Account) -> Iterator[Line]:
    record = account.record
    yield f"{inline(record.id)}  {inline(record.title)}"
    admitted = account.admitted.deed if account.admitted else None
    yield [("dim", f"  origin {inline(account.origin or 'unknown')}; admitted "), _said(admitted)]
    state = "" if account.state == "committed" else f" ({account.state} since, not committed)"
    yield [("dim", "  text "), _said(account.last) + state]


def _said(deed: Deed | None) -> str:
    """Return commit, day, how and by whom, as the commit says."""
    if deed is None:
        return "unknown"
    how = (deed.say("Vault-Actor"), deed.say("Vault-Agent"), deed.say("Vault-Approval"))
    by = " ".join(filter(None, how)) or "no trailer"
    op = deed.say("Vault-Op") or "by hand"
    return f"{deed.id[:_SHORT]} {deed.date[:10]} {inline(op)} ({inline(by)}), {inline(deed.author)}"


def trust(ctx: typer.Context, yes: flags.Yes = False) -> int:
    """Trust this repository's hooks and local git settings, as they are now.

    Until a person has done so mvault works without running them. The trust ends when they change.

    Examples:
      mvault trust
    """
    from vault_cli.cli.history import repository
    from vault_cli.cli.preview import answer_data
    from vault_cli.model.lifecycle import Actor

    inv: Invocation = ctx.obj
    repo = repository(inv)
    names = repo.untrusted()
    data = {
        **answer_data("trust", "trust"),
        "untrusted": list(names),
        "fingerprint": repo.trust_fingerprint(),
        "trusted": not names,
    }
    if not names:
        return inv.out.show(View(data, notes=("nothing to do: nothing here needs trust",)))
    if inv.options.dry_run:
        return inv.out.show(View({**data, "dry_run": True}, lambda: list(names)))
    inv.out.partial = data
    consent = inv.consent(yes=yes)
    shown: list[Line] = [[("yellow", "would run: "), name] for name in names]
    if not consent.how or consent.actor is not Actor.PERSON:
        inv.out.lines(shown)
        raise NeedsPersonError(
            "trust: a person has to agree; nothing was trusted",
            hint="Look at .git/config and .git/hooks, then run the same command in a terminal.",
        )
    if consent.ask:
        inv.out.preview(shown)
        if not inv.confirm("Run these from now on?"):
            return inv.left(data)
    repo.trust_now()
    done = {**data, "trusted": True, "applied": True}
    return inv.out.show(View(done, notes=("trusted until they change",)))
