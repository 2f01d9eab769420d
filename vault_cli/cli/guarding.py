"""What is kept out of a render by the person's trust settings, said. May import all below `cli`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from vault_cli.cli.views import plural
from vault_cli.errors import RefusedError

if TYPE_CHECKING:
    from vault_cli.cli.output import Output
    from vault_cli.errors import Diagnostic
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.store.guard import Guarded
    from vault_cli.store.vault import Vault

OTHER_TEXT: Final = "another text is shown"


def guard(
    out: Output,
    vault: Vault,
    snapshot: Snapshot,
    environ: Mapping[str, str],
    *,
    quiet: bool = False,
) -> Snapshot:
    """Return what the person's trust settings leave of a vault; what waits is said on stderr.

    While `vault.toml` waits, the admitted one counts for the rest of the run.

    Args:
        out: where it is said.
        vault: which.
        snapshot: as the files are.
        environ: the environment, for settings.
        quiet: count nothing up: for who looks at one record.

    Raises:
        UsageError: a setting cannot be used. StoreError: git failed.
    """
    from vault_cli.store.policy import policies_of

    if not policies_of(vault.root, vault.config):
        return snapshot
    from vault_cli.store.guard import guard_snapshot

    guarded = guard_snapshot(vault, snapshot)
    if guarded.problem:
        out.findings((guarded.problem,))
    for line in () if quiet else waiting_notes(guarded):
        out.warn(line)
    _use_admitted_settings(vault, guarded, environ)
    return guarded.snapshot


def shown_records(vault: Vault, snapshot: Snapshot) -> tuple[Record, ...]:
    """Return the records of a snapshot as the trust settings leave them, without a word of it."""
    from vault_cli.store.policy import policies_of

    if not policies_of(vault.root, vault.config):
        return snapshot.records
    from vault_cli.store.guard import guard_snapshot

    return guard_snapshot(vault, snapshot).snapshot.records


def kept_out(vault: Vault, record: Record) -> str:
    """Return why the trust settings keep a record of the working tree out of renders, or ""."""
    if not record.has_effect:
        return ""
    here = (record.path, record.digest)
    records = shown_records(vault, vault.snapshot(whole=False))
    found = next((r for r in records if (r.path, r.digest) == here), None)
    return found.withheld if found is not None else OTHER_TEXT


def require_admitted(vault: Vault, verb: str, *records: Record, only_id: bool = False) -> None:
    """Refuse to build on a text that the trust settings keep out: nobody has let it count here.

    An edit of the person's own that is not committed is recorded first, as for any change.

    Args:
        vault: the vault of the records.
        verb: what was asked for.
        records: as the files have them; what is no longer, or not yet, in force is passed over.
        only_id: it is about what is shown under their ids, whatever others made of the files.

    Raises:
        RefusedError: one of them is kept out. StoreError: git failed.
    """
    from vault_cli.store.guard import SHOWN, UNCOMMITTED

    good = {"", UNCOMMITTED, OTHER_TEXT} | ({SHOWN} if only_id else set())
    for record in records:
        reason = kept_out(vault, record)
        if reason in good:
            continue
        raise RefusedError(
            f"{verb}: {record.id} does not count here: {reason}; nothing was changed",
            hint=review_hint(reason),
        )


def require_settled(verb: str, record: Record | None) -> None:
    """Refuse to change a record in whose place another text waits: its file is not what counts.

    Raises:
        RefusedError: so it is.
    """
    if record is not None and record.waits:
        raise RefusedError(
            f"{verb}: {record.id}: {record.waits}; nothing was changed",
            hint="A person looks at it: mvault review --incoming",
        )


def review_hints(records: Iterable[Record]) -> tuple[str, ...]:
    """Return how a person lets those of some records count that the trust settings keep out."""
    return tuple(dict.fromkeys(review_hint(r.withheld) for r in records if r.withheld))


def review_hint(reason: str) -> str:
    """Return how a person lets a record count that is kept out for this reason."""
    from vault_cli.store.guard import COPY, FIRST, LOST, NEW, SHOWN, UNCOMMITTED, UNREAD

    if reason == COPY:
        return "Give it another id, or take it out of the vault."
    if reason in (NEW, SHOWN, LOST):
        return "A person looks at it: mvault review --incoming"
    if reason == UNREAD:
        return "A person looks at everything again: mvault trust"
    if reason == FIRST:
        return "A person looks at it: mvault review --incoming, or trusts all of it: mvault trust"
    if reason in (UNCOMMITTED, OTHER_TEXT):
        return "It counts when it is committed."
    return "It counts when an allowed key has signed it: mvault check --trust"


def waiting_hint(record: Record, *, waiting: bool = False) -> str:
    """Return which command shows the text that waits, and how a person lets it count.

    Args:
        record: of which another text waits, or which waits itself.
        waiting: it is shown already.
    """
    from vault_cli.store.guard import EDITED

    shows = "" if waiting else f"The other text: mvault show {record.id} --waiting. "
    if record.waits == EDITED or (waiting and not record.withheld):
        return f"{shows}It counts when it is committed."
    return f"{shows}A person looks at it: mvault review --incoming"


def _use_admitted_settings(vault: Vault, guarded: Guarded, environ: Mapping[str, str]) -> None:
    found = [item for item in guarded.waiting if item.what == "settings"]
    if not found:
        return
    from vault_cli.store.config import load_config
    from vault_cli.store.waiting import admitted_bytes

    # settings that git lost: those of a vault without any
    data = next(iter(admitted_bytes(vault, found).values()), b"")
    vault.config = load_config(vault.root, environ=environ, vault_file=data)


def ledger_findings(vault: Vault) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the list of what was admitted, where the settings ask for it."""
    from vault_cli.store.policy import incoming_policy

    if incoming_policy(vault.root, vault.config) == "accept":
        return ()
    from vault_cli.store.guard import ledger_problem
    from vault_cli.store.incoming import load_ledger

    problem = ledger_problem(load_ledger(vault.root))
    return (problem,) if problem else ()


def waiting_notes(guarded: Guarded) -> Iterator[str]:
    """Yield one line about what waits for a person, and one about what else is kept out."""
    count = len(guarded.waiting)
    if guarded.is_first and count:
        waits = "1 record waits" if count == 1 else f"{count} records wait"
        why = guarded.first_because or "this vault came from elsewhere"
        yield (
            f"{why}: {waits} for a person to put in force here"
            " (`mvault trust`, or `mvault review --incoming` one by one)"
        )
    elif count:
        were = "1 change of others waits" if count == 1 else f"{count} changes of others wait"
        yield f"{were} for a person; the admitted texts are shown (`mvault review --incoming`)"
    shown = {item.id for item in guarded.waiting}
    reasons = Counter(r.withheld for r in guarded.withheld if r.id not in shown)
    if reasons:
        text = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items()))
        yield f"left out by {' and '.join(guarded.policies)}: {text}"
    if guarded.replaced:
        yield f"{plural(len(guarded.replaced), 'edit')} not committed: HEAD's text is shown"
