"""`trust`, `check --trust`: what a vault may do here, and who admitted what is in force.

May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.guarding import waiting_notes
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, Span, View, finding_lines, inline, told
from vault_cli.cli.views import plural, summary_line
from vault_cli.cli.walking import Walk, ask_about, go_through
from vault_cli.errors import (
    ChangedMeanwhileError,
    NeedsPersonError,
    NotFoundError,
    StoreError,
    UsageError,
)

if TYPE_CHECKING:
    from vault_cli.features.trust import Account
    from vault_cli.model.lineage import Deed
    from vault_cli.model.record import Snapshot
    from vault_cli.store.repo import Repository
    from vault_cli.store.waiting import Waiting

_NO_SETTINGS = b"schema = 1\n"
_SHORT = 10
_MOST = 20


def check_trust(inv: Invocation, wanted: Callable[[str], bool]) -> int:
    """Say of every record in force where it came from, and what is odd about that.

    Args:
        inv: the running command.
        wanted: whether a vault-relative path was asked for.

    Raises:
        UsageError: the vault is not in git.
    """
    from vault_cli.features.trust import FOOTER, account_for, judge_accounts
    from vault_cli.store.lineage import read_lineage

    snapshot = inv.snapshot
    repo = inv.vault.require_repo()
    paths = [r.path for r in snapshot.records if r.in_force and wanted(r.path)]
    lineage = read_lineage(repo.git, repo.prefix, repo.head(), paths)
    pending = {change.path: change.code for change in repo.pending(also=paths)}
    records = [record for record in snapshot.records if wanted(record.path)]
    made = {a.versions[0].deed.id for a in lineage.ancestries.values() if a.versions}
    signed = _signatures(inv, repo, made)
    accounts = account_for(records, lineage.ancestries, pending, signed)
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


def _signatures(inv: Invocation, repo: Repository, commits: Iterable[str]) -> dict[str, str]:
    """Return in words what the signatures of commits are worth; nothing when nobody can tell."""
    from vault_cli.store.signatures import check_commits, make_checker

    try:
        named = str(inv.vault.config["trust.allowed_signers"])
        checker = make_checker(repo.git, repo.read_settings(), named)
    except UsageError as error:
        inv.out.warn(error.message)
        return {}
    found = check_commits(repo.git, checker, commits)
    return {c: s.reason or f"good ({told(s.signer)})" for c, s in found.items()}


def _account_lines(account: Account) -> Iterator[Line]:
    record = account.record
    yield f"{told(record.id)}  {told(record.title)}"
    admitted = account.admitted.deed if account.admitted else None
    yield [("dim", f"  origin {inline(account.origin or 'unknown')}; admitted "), _said(admitted)]
    state = "" if account.state == "committed" else f" ({account.state} since, not committed)"
    signed = f"; {account.signed}" if account.signed else ""
    yield [("dim", "  text "), _said(account.last) + state + signed]


def _said(deed: Deed | None) -> str:
    """Return commit, day, how and by whom, as the commit says."""
    if deed is None:
        return "unknown"
    how = (deed.say("Vault-Actor"), deed.say("Vault-Agent"), deed.say("Vault-Approval"))
    by = " ".join(filter(None, how)) or "no trailer"
    op = deed.say("Vault-Op") or "by hand"
    return f"{deed.id[:_SHORT]} {deed.date[:10]} {told(op)} ({told(by)}), {told(deed.author)}"


def trust(ctx: typer.Context, yes: flags.Yes = False) -> int:
    """Trust this vault: its hooks and local git settings, and what is in force, as they are now.

    Until a person has done so nothing of a received repository is run, and what is in force in it
    waits. Hooks and settings are trusted until they change.

    To see only what somebody with an allowed key has signed: make git sign (git config --global
    gpg.format ssh, user.signingkey, commit.gpgsign true), list the allowed keys in a file outside
    of the vault, name it in trust.allowed_signers, set trust.require_signed to true.

    Examples:
      mvault trust
      mvault config set --user --here trust.incoming review
      mvault config set --user trust.allowed_signers ~/.ssh/allowed_signers
    """
    from vault_cli.cli.history import repository
    from vault_cli.cli.preview import answer_data
    from vault_cli.model.lifecycle import Actor
    from vault_cli.store.guard import guard_snapshot
    from vault_cli.store.policy import is_own

    inv: Invocation = ctx.obj
    repo = repository(inv)
    names, is_known = repo.untrusted(), is_own(inv.root, named=False)
    looked_at = _what_counts(inv, repo)
    waiting = guard_snapshot(inv.vault, inv.vault.snapshot()).waiting
    data = {
        **answer_data("trust", "trust"),
        "untrusted": list(names),
        "waiting": [item.id for item in waiting],
        "fingerprint": repo.trust_fingerprint(),
        "trusted": is_known and not names and not waiting,
    }
    if data["trusted"]:
        return inv.out.show(View(data, notes=("nothing to do: nothing here needs trust",)))
    shown: list[Line] = [[("yellow", "would run: "), name] for name in names]
    for item in waiting:
        shown.append(_waiting_line(item))
        shown += _settings_lines(inv, item)
    if not is_known:
        shown.append([("yellow", "would count from now on: "), "what this clone has and pulls"])
    if inv.options.dry_run:
        return inv.out.show(View({**data, "dry_run": True}, lambda: shown))
    inv.out.partial = data
    consent = inv.consent(yes=yes)
    if not consent.how or consent.actor is not Actor.PERSON:
        inv.out.lines(shown)
        raise NeedsPersonError(
            "trust: a person has to agree; nothing was trusted",
            hint="Look at .git/config, .git/hooks and the records, then run the same command in a"
            " terminal.",
        )
    if consent.ask:
        inv.out.preview(shown)
        if not inv.confirm("Trust this from now on?"):
            return inv.left(data)
    if _what_counts(inv, repo) != looked_at:
        raise ChangedMeanwhileError(
            "trust: the vault or its settings changed meanwhile; nothing was trusted",
            hint="Run the command again: it shows what is there now.",
        )
    _trust_now(inv, repo)
    done = {**data, "trusted": True, "applied": True}
    notes = ["trusted until they change"] if names else []
    notes += [f"{plural(len(waiting), 'record')} admitted"] if waiting else []
    notes += [] if is_known else ["this clone is yours from now on"]
    return inv.out.show(View(done, notes=notes))


def _what_counts(inv: Invocation, repo: Repository) -> tuple[object, ...]:
    """Return what trust is about: the texts in force, the vault's settings, those of git."""
    from vault_cli.store.incoming import read_settings

    records = inv.vault.snapshot(whole=False).records
    texts = frozenset((r.path, r.digest) for r in records if r.has_effect)
    return texts, read_settings(inv.root), repo.trust_fingerprint()


def _trust_now(inv: Invocation, repo: Repository) -> None:
    """Record the repository's settings as trusted, and what is in force as admitted."""
    from vault_cli.store.admitting import admit_present
    from vault_cli.store.policy import incoming_policy

    repo.trust_now()
    if incoming_policy(inv.vault.root, inv.vault.config) != "accept":
        admit_present(inv.vault, inv.vault.snapshot())


_WHAT = {
    "new": "put in force by others",
    "changed": "changed by others",
    "gone": "taken out of force by others",
    "settings": "settings changed by others",
}


def _waiting_line(item: Waiting) -> Line:
    title = f"  {told(item.present.title)}" if item.present is not None else ""
    return [("yellow", f"{_WHAT[item.what]}: "), f"{told(item.id)}{title}"]


def _settings_lines(inv: Invocation, item: Waiting) -> Iterator[Line]:
    """Yield what waiting settings set: nothing else of them is shown before they count."""
    from vault_cli.store.incoming import read_settings

    if item.what == "settings":
        text = read_settings(inv.root).decode("utf-8", "replace")
        lines = (line.strip() for line in text.splitlines())
        yield from (f"  {told(line)}" for line in lines if line and not line.startswith("#"))


def waiting_data(waiting: Iterable[Waiting]) -> list[dict[str, str]]:
    """Return what `--json` says about changes of others that wait."""
    return [
        {
            "id": item.id,
            "what": item.what,
            "path": item.path,
            "title": item.present.title if item.present is not None else "",
        }
        for item in waiting
    ]


def review_incoming(inv: Invocation) -> int:
    """Go through what others changed in force: old against new, then accept, reject or skip.

    Raises:
        NeedsPersonError: there is something, and nobody at a terminal.
    """
    from vault_cli.store.guard import guard_snapshot

    walk: Walk[Waiting] = Walk(
        ask=lambda item, place: _ask_incoming(inv, item, place),
        line=_waiting_line,
        shown=waiting_data,
        told=lambda items: [item.id for item in items],
        rest=lambda _unseen, left: f"; {left} waiting",
        nothing="nothing of others waits",
        waits="waiting",
        hint="Until then the admitted texts are shown; a person runs `mvault review --incoming`.",
    )
    return go_through(inv, guard_snapshot(inv.vault, inv.vault.snapshot()).waiting, walk)


def _ask_incoming(inv: Invocation, item: Waiting, place: str) -> str | None:
    """Ask about one change until it is decided; None ends the review."""
    from vault_cli.cli.preview import diff_lines, shown_as_read
    from vault_cli.store.admitting import admit_one
    from vault_cli.store.waiting import admitted_bytes

    old = admitted_bytes(inv.vault, [item]).get(item.id, b"")
    new = _present(inv, item)
    old_name = item.admitted.path if item.admitted else ""
    path, gates = item.path or old_name, inv.vault.config.gates
    diff = diff_lines(
        old, new or b"", old_name, item.path, shown=lambda data: shown_as_read(data, path, gates)
    )
    inv.out.preview([_waiting_line(item), *diff])

    def accept() -> str:
        admit_one(inv.vault, item, new or b"")
        return "accepted"

    def reject() -> str:
        _reject_incoming(inv, item, old, new)
        return "rejected"

    question = f"{place} {told(item.id)} [a,r,s,q,?] "
    return ask_about(inv, question, {"a": accept, "r": reject}, INCOMING_HELP)


INCOMING_HELP = (
    "a - accept: it counts from now on",
    "r - reject it: the admitted text comes back, or a new record is deleted, in a commit that a",
    "    push would share; what was there comes back by undo",
    "s - skip it for now; the admitted text is shown",
    "q - quit; what was decided stays",
)


def _present(inv: Invocation, item: Waiting) -> bytes | None:
    """Return the bytes of what waits, None when others removed the file."""
    try:
        return inv.read(item.path) if item.path else None
    except NotFoundError:
        return None


def _reject_incoming(inv: Invocation, item: Waiting, old: bytes, new: bytes | None) -> None:
    """Bring the admitted state of a record back.

    Raises:
        StoreError: git no longer has the admitted text.
    """
    from vault_cli.cli.invocation import Plan
    from vault_cli.features.records import digest_of
    from vault_cli.model.change import ABSENT, Change, Edit, Put, Remove

    if item.admitted is not None and not old:
        raise StoreError(f"git no longer has the admitted text of {item.id}")
    edits: list[Edit] = []
    here = digest_of(new) if new is not None else ABSENT
    if item.admitted is None and item.what == "settings":
        edits.append(Put(item.path, _NO_SETTINGS, here))
    elif item.admitted is None:
        edits.append(Remove(item.path, here))
    elif item.path == item.admitted.path or not item.path:
        edits.append(Put(item.admitted.path, old, here))
    else:
        edits += [Remove(item.path, here), Put(item.admitted.path, old, ABSENT)]
    change = Change("reject", f": incoming change of {item.id}", tuple(edits), ids=(item.id,))
    what = f"deleted the new {item.id}" if item.admitted is None else f"put {item.id} back"
    done = f"{what} in a commit that a push would share; `mvault undo` brings the change back"
    inv.carry_out(Plan(change, f"rejected the incoming change of {item.id}: {done}"))


def status_lines(inv: Invocation) -> tuple[dict[str, Any], list[Line], Snapshot]:
    """Return what `status` says about the person's trust settings: data, lines, what they leave."""
    from vault_cli.store.guard import guard_snapshot
    from vault_cli.store.policy import policies_of
    from vault_cli.store.signatures import UNSIGNED

    if not policies_of(inv.vault.root, inv.vault.config):
        return {"policies": [], "waiting": [], "withheld": {}}, [], inv.snapshot
    try:
        guarded = guard_snapshot(inv.vault, inv.vault.snapshot())
    except UsageError as error:
        said = {
            "policies": list(policies_of(inv.vault.root, inv.vault.config)),
            "waiting": [],
            "withheld": {},
        }
        lines: list[Line] = [[("red", f"nothing is shown: {error.message}")]]
        return {**said, "problem": error.message}, lines, inv.snapshot
    withheld = {record.path: record.withheld for record in guarded.withheld}
    data = {
        "policies": list(guarded.policies),
        "waiting": waiting_data(guarded.waiting),
        "withheld": withheld,
    }
    lines = [[("dim", "trust: "), "; ".join(guarded.policies)]]
    if guarded.problem:
        data["problem"] = guarded.problem.message
        lines += [[("red", guarded.problem.message)], f"  {guarded.problem.hint}"]
    lines += [[("yellow", note)] for note in waiting_notes(guarded)]
    lines += [[*_indented(_waiting_line(item))] for item in guarded.waiting[:_MOST]]
    waits = {item.id for item in guarded.waiting}
    others = [r for r in guarded.withheld if r.id not in waits]
    lines += [f"  {told(r.id)}  {told(r.title)}: {r.withheld}" for r in others[:_MOST]]
    if any(r.withheld == UNSIGNED for r in others):
        lines.append("  Your next signed change of one brings it back: mvault edit ID")
    return data, lines, guarded.snapshot


def _indented(line: Line) -> list[Span]:
    return ["  ", *([line] if isinstance(line, str) else line)]
