"""Taking out of use and deleting: `deprecate`, `forget`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.deciding import reason_for
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import brief_data, plural, record_data, value_text
from vault_cli.errors import UsageError
from vault_cli.features.choosing import Choice, choose_records, fitting_records
from vault_cli.model.record import Kind, Record, Status

if TYPE_CHECKING:
    from vault_cli.features.forgetting import ForgetRequest
    from vault_cli.model.change import Edit

_DEPRECATED = frozenset({Status.CANDIDATE, Status.ACTIVE, Status.VERIFIED, Status.DISPUTED})
"""Statuses that a choice by text, source or topic takes out of use."""

_FORGOTTEN = frozenset(Status) - {Status.TOMBSTONED}

Match = Annotated[
    str, typer.Option("--match", metavar="TEXT", help="All that hold TEXT, in title or text.")
]
FromSource = Annotated[
    str, typer.Option("--source", help="All from this source (user agent hook import …).")
]
OfTopic = Annotated[str, typer.Option("--topic", "-t", help="All of this topic.")]


def deprecate(
    ctx: typer.Context,
    ids: flags.SomeForceIds = None,
    match: Match = "",
    source: FromSource = "",
    topic: OfTopic = "",
    listing: Annotated[
        bool, typer.Option("--list", help="List what is deprecated, and why; change nothing.")
    ] = False,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Take records out of force, with the reason. Their files and their history stay.

    --match, --source and --topic choose many (what fits all of them) and show them first; it is
    one commit.

    Examples:
      mvault deprecate f-1m4c8tt --reason "the server was replaced"
      mvault deprecate --match "old cluster" --reason "moved in May" --dry-run
      mvault deprecate --list
    """
    from vault_cli.features.revival import plan_deprecate_all

    inv: Invocation = ctx.obj
    if listing:
        return _list_deprecated(inv)
    records = _chosen(inv, ids, Choice(match, source, topic), _DEPRECATED, "deprecate")
    if any(record.status is not Status.DEPRECATED for record in records):
        reason = reason_for(inv, records[0].id, "deprecate", reason)
    planned = plan_deprecate_all(
        inv.snapshot,
        records,
        {record.path: inv.read(record.path) for record in records},
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
    )
    what = _named(records)
    plan = Plan(planned.change, f"deprecated {what}", f"Deprecate {what}?", person=True, yes=yes)
    plan.findings = planned.notes
    plan.nothing = "deprecated already"
    plan.card = _card(records) if len(records) > 1 else ()
    return inv.submit(plan)


def _chosen(
    inv: Invocation,
    ids: Sequence[str] | None,
    choice: Choice,
    statuses: frozenset[Status],
    verb: str,
) -> tuple[Record, ...]:
    named = inv.find_all(ids or ())
    if not named and not choice.is_open:
        _settle_vault(inv, choice, statuses, verb)
    return choose_records(inv.snapshot, named, choice, statuses=statuses, verb=verb)


def _settle_vault(inv: Invocation, choice: Choice, statuses: frozenset[Status], verb: str) -> None:
    """Turn to the vault that holds what fits, when two are read and only the other one does.

    Raises:
        UsageError: both hold some.
    """
    from shlex import quote

    other = inv.reading.other
    if other is None:
        return
    here = fitting_records(inv.snapshot, choice, statuses) if inv.reading.home else ()
    away = fitting_records(inv.reading.beside_heads, choice, statuses)
    if here and away:
        names = [inv.layers.name_of(place) for place in (inv.root, other.root)]
        one, more = plural(len(here), "record"), plural(len(away), "record")
        raise UsageError(
            f"{choice} fits {one} of the {names[0]} vault and {more} of the {names[1]} vault;"
            " one change is made in one vault",
            hint=f"Name it: mvault --vault {quote(str(inv.root))} {verb} …"
            f" or mvault --vault {quote(str(other.root))} {verb} …",
        )
    if away:
        inv.turn_to(other, inv.reading.beside_heads)


def _named(records: Sequence[Record]) -> str:
    one = f"{records[0].id}: {records[0].title}"
    return one if len(records) == 1 else plural(len(records), "record")


def _card(records: Sequence[Record], *, veiled: bool = False) -> list[Line]:
    """Return one line per record: id, kind, status, title."""
    lines: list[Line] = [
        f"{r.id}  {r.kind}  {r.status}" + ("" if veiled else f"  {inline(r.title)}")
        for r in records
    ]
    return [*lines, ""]


def _list_deprecated(inv: Invocation) -> int:
    records = [r for r in inv.reading.snapshot().records if r.status is Status.DEPRECATED]
    found = [{**record_data(r), **_why(r)} for r in records]

    def lines() -> Iterator[Line]:
        for record, data in zip(records, found, strict=True):
            yield [record.id, f"  {record.kind}  {inline(record.title)}"]
            aside = ": ".join(text for text in (data["at"][:10], data["reason"]) if text)
            if aside:
                yield [("dim", f"    {inline(aside)}")]

    notes = () if records else ("nothing is deprecated",)
    return inv.out.show(View({"records": found, "counts": {"records": len(found)}}, lines,
                             notes=notes))  # fmt: skip


def _why(record: Record) -> dict[str, str]:
    """Return reason and time of a deprecation, as far as they are written down."""
    mark = record.fields.get("deprecated")
    if isinstance(mark, Mapping):
        return {key: value_text(mark.get(key) or "") for key in ("reason", "at")}
    return {"reason": value_text(mark or ""), "at": ""}


def forget(
    ctx: typer.Context,
    ids: flags.SomeIds = None,
    match: Match = "",
    source: FromSource = "",
    topic: OfTopic = "",
    reason_code: Annotated[
        str,
        typer.Option("--reason-code", help="user-request, duplicate, incorrect, privacy, secret."),
    ] = "user-request",
    reason: flags.Reason = "",
    revive: Annotated[
        bool | None,
        typer.Option(
            "--revive/--no-revive",
            help="Put back in force what only this superseded, or deprecate it (default: ask).",
        ),
    ] = None,
    purge: Annotated[
        bool,
        typer.Option("--purge", help="Text that no commit holds yet goes without being recorded."),
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Delete records: the files go, a tombstone each remains that holds no text. Needs a person.

    What is to be deleted is shown first. An agent may delete only drafts that nobody else has
    touched. Git history still holds every text that was ever committed; the command says where.
    With --purge, and for the reasons privacy and secret, a text that no commit holds yet is not
    recorded on its way out: it is gone.

    Examples:
      mvault forget f-1m4c8tt --reason-code incorrect
      mvault forget --source import --topic old-wiki --reason "the import was a test"
      mvault forget n-3d90x1c --reason-code secret --purge
    """
    from vault_cli.features.forgetting import ForgetRequest, find_heirs

    inv: Invocation = ctx.obj
    records = _chosen(inv, ids, Choice(match, source, topic), _FORGOTTEN, "forget")
    records = tuple(r for r in records if r.status is not Status.TOMBSTONED) or records
    orphans = find_heirs(inv.snapshot, records).orphans
    back = _ask_revival(inv, orphans, yes=yes) if revive is None else revive
    plan = _deletion(inv, records, ForgetRequest(reason_code, reason, back, purge), yes=yes)
    if revive is not None:  # decided already: no advice to decide it
        plan.findings = [
            item._replace(hint="") if item.code == "predecessor-left" else item
            for item in plan.findings
        ]
    return inv.submit(plan)


def drop_record(
    inv: Invocation,
    record: Record,
    reason: str,
    more: Sequence[tuple[Edit, str]],
    *,
    yes: bool,
    hints: Sequence[str],
    data: Mapping[str, Any],
) -> int:
    """Delete one record of work, as `forget` does, with what changes because of it.

    Args:
        inv: the run.
        record: which.
        reason: body of the commit message.
        more: further edits, each with the id of its record.
        yes: `--yes` was given.
        hints: said after it was done.
        data: further keys for `--json`.
    """
    from vault_cli.features.forgetting import ForgetRequest

    plan = _deletion(inv, [record], ForgetRequest(reason=reason), yes=yes)
    if plan.change.edits:
        edits = (*plan.change.edits, *(edit for edit, _ in more))
        touched = (*plan.change.touched, *(key for _, key in more))
        plan.change = replace(plan.change, verb="drop", edits=edits, touched=touched)
    plan.done = f"dropped {record.id}"
    plan.hints = [*hints, *plan.hints]
    plan.data = {**plan.data, **data}
    return inv.submit(plan)


def _deletion(
    inv: Invocation, records: Sequence[Record], request: ForgetRequest, *, yes: bool
) -> Plan:
    """Return the plan that deletes records: what goes, and where their texts still stand."""
    from vault_cli.features.forgetting import paths_to_forget, plan_forget

    own = _own_drafts(inv, records, yes=yes)
    actor = inv.actor if own is not None else inv.decider(yes=yes)
    planned = plan_forget(
        inv.snapshot,
        records,
        {path: inv.read(path) for path in paths_to_forget(inv.snapshot, records)},
        request,
        now=inv.now,
        actor=actor,
        random_int=inv.random_int,
        own=own or (),
    )
    veiled = request.reason_code == "secret"
    what = records[0].id if len(records) == 1 else plural(len(records), "record")
    left, data = _what_is_left(inv, records, request)
    return Plan(
        planned.change,
        f"deleted {what}",
        f"Delete {what}?",
        person=own is None or not yes,
        yes=yes,
        veiled=veiled,
        consent_hint="--yes deletes it: it is a draft of your own." if own is not None else "",
        card=[*_card(records, veiled=veiled), *left, ""],
        data=data,
        hints=left,
        findings=planned.notes,
        nothing="deleted already",
        stalled="A tombstone stays, so that the id is never given out again.",
    )


def _ask_revival(inv: Invocation, orphans: Sequence[Record], *, yes: bool) -> bool:
    """Ask whether what only the deleted records superseded comes back; nobody there: no."""
    if not orphans or yes or inv.options.dry_run or not inv.is_person:
        return False
    names = ", ".join(f"{record.id} ({inline(record.title)})" for record in orphans)
    return inv.confirm(f"It superseded {names}. Put that back in force?")


def _own_drafts(inv: Invocation, records: Sequence[Record], *, yes: bool) -> set[str] | None:
    """Return the ids when all are drafts of the agent that asks; None when a person is needed.

    A draft is an agent's own when every commit about it says that an agent made it, and no edit
    waits that no commit holds. The file itself cannot claim it.
    """
    from vault_cli.model.lifecycle import Actor

    repo = inv.vault.repo
    if repo is None or inv.actor is not Actor.AGENT or inv.consent(yes=yes).how:
        return None
    pending = {change.path for change in repo.pending({record.path for record in records})}
    for record in records:
        commits = repo.log(paths=(record.path,), record_id=record.id)
        actors = {value for c in commits for key, value in c.trailers if key == "Vault-Actor"}
        marked = all(any(key == "Vault-Actor" for key, _ in c.trailers) for c in commits)
        is_own = bool(commits) and marked and actors == {str(Actor.AGENT)}
        is_theirs = record.is_draft or (record.kind is Kind.TICKET and not record.in_force)
        if not is_theirs or record.path in pending or not is_own:
            return None
    return {record.id for record in records}


def _what_is_left(
    inv: Invocation, records: Sequence[Record], request: ForgetRequest
) -> tuple[list[str], dict[str, Any]]:
    """Say which commits still hold the texts, and what can be done about it."""
    from shlex import quote

    repo = inv.vault.repo
    commits = [] if repo is None else [
        commit
        for record in records
        for commit in repo.log(paths=(record.path,), record_id=record.id)
        if any(_is_text_of(record, path) for path in commit.paths)
    ]  # fmt: skip
    # git lists the newest first; of one second its order counts, not that of the ids
    found = sorted({c.id: c.date for c in reversed(commits)}.items(), key=lambda item: item[1])
    data = {
        "reason_code": request.reason_code,
        "forgotten": [brief_data(record) for record in records],
        "held_by_commits": [commit for commit, _ in found],
    }
    if not found:
        gone = "No commit ever held the text: nothing brings it back." if request.gives_up else (
            "The text is recorded in git before it goes; --purge leaves that out."
        )  # fmt: skip
        return [gone], data
    first, last = found[0], found[-1]
    span = f"{first[0][:10]} of {first[1][:10]}"
    span += f" to {last[0][:10]} of {last[1][:10]}" if len(found) > 1 else ""
    said = [f"Git history still holds the text: {plural(len(found), 'commit')}, {span}."]
    place = "" if inv.root == inv.layers.home else f"--vault {quote(str(inv.root))} "
    if request.gives_up:
        ids = " ".join(record.id for record in records)
        said.append(
            "So does every clone and backup. A secret has to be changed where it is used; how it"
            f" is taken out of history: mvault {place}purge {ids}"
        )
    else:
        said.append(f"`mvault {place}undo` brings it back.")
    return said, data


def _is_text_of(record: Record, path: str) -> bool:
    """Tell whether a path of a commit is (or was) the file of a record."""
    name = record.path.rsplit("/", 1)[-1]
    tail = f"-{record.id.split('-', 1)[-1]}.md"
    return path == record.path or path.rsplit("/", 1)[-1] == name or path.endswith(tail)
