"""Where each record in force came from, and what is odd about it. Pure; imports `model`, `errors`.

Everything here rests on what commits say about themselves. Whoever can commit can write a trailer
and an author's name; only a signature proves who made a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from vault_cli.errors import Diagnostic
from vault_cli.model.lineage import Ancestry, Deed, Version
from vault_cli.model.record import IN_FORCE, Record, Status
from vault_cli.text.hidden import show_every

MAY_NOT_ADMIT: Final = frozenset({"agent", "hook", "import"})
_SHORT: Final = 10
_FORCE: Final = frozenset(map(str, IN_FORCE))
_NOTHING: Final = Ancestry()

FOOTER: Final = (
    "Commit messages, authors and trailers are only what a committer wrote: whoever can commit can"
    " forge them. A signature proves who made a text (trust.require_signed)."
)


class Account(NamedTuple):
    """What history says of one record in force.

    Args:
        record: the record.
        origin: how it came in: the trailer of the commit that brought it, `editor` without one,
            "" when history cannot tell.
        admitted: the commit that put it in force, None when history cannot tell.
        last: the commit that made its present text, None when it is not committed.
        state: `committed`, `changed` (the file differs from HEAD) or `added` (HEAD lacks it).
        signed: what the signature of `last` is worth: `good (NAME)`, or why it does not count.
    """

    record: Record
    origin: str
    admitted: Version | None
    last: Deed | None
    state: str
    signed: str

    def as_data(self) -> dict[str, Any]:
        """Return what `--json` says about it."""
        return {
            "id": self.record.id,
            "path": self.record.path,
            "origin": self.origin,
            "admitted": _deed_data(self.admitted.deed if self.admitted else None),
            "last_change": _deed_data(self.last),
            "state": self.state,
            "signed": self.signed,
        }


def _deed_data(deed: Deed | None) -> dict[str, Any] | None:
    if deed is None:
        return None
    return {
        "commit": deed.id,
        "date": deed.date,
        "author": deed.author,
        "op": deed.say("Vault-Op"),
        "origin": origin_of(deed),
        "actor": deed.say("Vault-Actor"),
        "approval": deed.say("Vault-Approval"),
        "agent": deed.say("Vault-Agent"),
    }


def origin_of(deed: Deed) -> str:
    """Return the way a commit came in: its trailer, `editor` for one without."""
    return deed.say("Vault-Origin") or "editor"


def account_for(
    records: Iterable[Record],
    ancestries: Mapping[str, Ancestry],
    pending: Mapping[str, str],
    signed: Mapping[str, str],
) -> list[Account]:
    """Say of every record in force where it came from.

    Args:
        records: all records; those out of force are passed over.
        ancestries: history by path; what was never committed has none.
        pending: `added` or `changed` by path for files that differ from HEAD.
        signed: what the signature of a commit is worth, in words, by commit.
    """
    return [
        _account(
            record, ancestries.get(record.path, _NOTHING), pending.get(record.path, ""), signed
        )
        for record in records
        if record.in_force
    ]


def _account(record: Record, found: Ancestry, pending: str, signed: Mapping[str, str]) -> Account:
    first = found.versions[-1].deed if found.versions and found.whole else None
    return Account(
        record=record,
        origin=origin_of(first) if first else "" if found.versions else "editor",
        admitted=admission(found),
        last=found.versions[0].deed if found.versions else None,
        state=("changed" if found.versions else "added") if pending else "committed",
        signed=signed.get(found.versions[0].deed.id, "") if found.versions else "",
    )


def admission(found: Ancestry) -> Version | None:
    """Return the version with which a record came into force for the last time, if it is known."""
    reached: Version | None = None
    for version in found.versions:
        if version.status not in _FORCE:
            return reached
        reached = version
    return reached if found.whole else None


def judge_accounts(
    accounts: Sequence[Account], ancestries: Mapping[str, Ancestry], *, shallow: bool
) -> list[Diagnostic]:
    """Return what is odd about the records in force, as findings."""
    findings: list[Diagnostic] = []
    unknown = 0
    for account in accounts:
        found = ancestries.get(account.record.path, _NOTHING)
        findings.extend(_judge(account, found))
        unknown += not found.whole
    if shallow and unknown:
        text = f"history is cut off here (a shallow clone): of {unknown} records in force it cannot"
        text += " be told who admitted them"
        findings.append(
            Diagnostic("", 0, "trust-shallow", "warning", text, "Get it: git fetch --unshallow")
        )
    return findings


def _judge(account: Account, found: Ancestry) -> Iterable[Diagnostic]:
    record = account.record
    if account.state != "committed":
        what = "it was never committed" if account.state == "added" else "its text is not committed"
        yield _finding(record, "trust-uncommitted", f"in force, but {what}: no commit says by whom")
    if account.admitted is not None:
        yield from _judge_admission(record, account.admitted.deed)
    elif account.state == "committed" and found.whole:
        text = "in force, but no commit can be found that put it there"
        yield _finding(record, "trust-unknown", text, "warning")
    yield from _judge_origin(account, found)
    yield from _judge_changes(record, found)
    if record.written_status is Status.VERIFIED and account.state == "committed":
        yield from _judge_verified(record, found)


def _judge_admission(record: Record, deed: Deed) -> Iterable[Diagnostic]:
    actor = deed.say("Vault-Actor")
    if deed.is_ours and actor in MAY_NOT_ADMIT:
        text = f"put in force by {actor} (commit {_name(deed)}): only a person may"
        hint = f"Look at it: mvault diff {deed.id[:_SHORT]}; then approve it, or deprecate it."
        yield Diagnostic(record.path, 0, "trust-admitted-by", "error", text, hint)
    elif not deed.is_ours or not actor or deed.say("Vault-Op") == "edit":
        who = f"{show_every(deed.author)}, {deed.date[:_SHORT]}"
        text = f"put in force by hand, without a recorded approval: commit {_name(deed)}, {who}"
        yield _finding(record, "trust-by-hand", text)


def _judge_origin(account: Account, found: Ancestry) -> Iterable[Diagnostic]:
    claimed = account.record.origin
    if not claimed or not account.origin or not found.versions:
        return
    first = found.versions[-1].deed
    moved_in = any(name.startswith("Vault-Promot") for name, _ in first.trailers)
    adopted = any(v.deed.say("Vault-Op") == "adopt" for v in found.versions)
    if moved_in or adopted or claimed == account.origin:
        return
    text = f"says origin: {claimed}, but commit {_name(first)} brought it in as {account.origin}"
    yield _finding(account.record, "trust-origin", text, "warning")


def _judge_changes(record: Record, found: Ancestry) -> Iterable[Diagnostic]:
    """Name changes of a record in force that hide in a commit which is about something else."""
    if found.brought_back:
        text = "a later change of its text was dropped by a merge, which brought this text back"
        yield _finding(record, "trust-brought-back", text, "warning")
    elif found.chosen_by:
        merge = found.chosen_by[0][:_SHORT]
        text = f"its text was changed on two sides, and merge {merge} dropped one of the changes"
        yield _finding(record, "trust-brought-back", text, "warning")
    for version, older in zip(found.versions, found.versions[1:], strict=False):
        if version.status not in _FORCE or older.status not in _FORCE:
            return
        deed = version.deed
        if deed.is_ours and deed.parents == 1 and record.id not in deed.ids:
            about = ", ".join(deed.ids) or "no record"
            text = f"its text was changed by commit {_name(deed)}, which says it is about {about}"
            yield _finding(record, "trust-unnamed", text, "warning")


def _judge_verified(record: Record, found: Ancestry) -> Iterable[Diagnostic]:
    made = None
    for version in found.versions:
        if version.status != str(Status.VERIFIED):
            break
        made = version.deed
    else:
        made = made if found.whole else None
    if made is not None and made.say("Vault-Op") not in {"verify", "undo"}:
        text = f"verified, but not by `mvault verify`: commit {_name(made)}"
        yield _finding(record, "trust-verified", text, "warning")


def _name(deed: Deed) -> str:
    subject = " ".join(deed.subject.split())[:60]
    return f"{deed.id[:_SHORT]} '{show_every(subject)}'"


def _finding(record: Record, code: str, text: str, severity: str = "note") -> Diagnostic:
    return Diagnostic(record.path, 0, code, "warning" if severity == "warning" else "note", text)
