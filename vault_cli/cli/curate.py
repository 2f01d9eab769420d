"""`add`, `edit`, `adopt`, `revise`. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.admit import require_person_to_allow
from vault_cli.cli.complete import complete_kind
from vault_cli.cli.filters import one_of
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.option_groups import takes
from vault_cli.cli.text_options import TextOptions
from vault_cli.cli.views import plural
from vault_cli.errors import NeedsPersonError, RefusedError, UsageError, VaultError
from vault_cli.model.record import WORK_COMMANDS, Kind

if TYPE_CHECKING:
    from vault_cli.cli.editor import Desk
    from vault_cli.features.records import Planned
    from vault_cli.model.change import Change
    from vault_cli.model.lifecycle import Actor
    from vault_cli.model.record import Record


@takes(text=TextOptions)
def add(
    ctx: typer.Context,
    kind: flags.KindName,
    text: TextOptions,
    payload: flags.Payload = "",
    supersedes: flags.Supersedes = None,
    checklist: flags.Checklist = False,
    correction: flags.Correction = False,
    reason: flags.Reason = "",
    allow: flags.Allow = None,
    yes: flags.Yes = False,
    to_user: flags.ToUser = False,
) -> int:
    """Write a new draft; a person approves it later.

    A secret, an ID or a card number is refused. A text that gives orders, hides characters or says
    nothing goes into quarantine when an agent brings it, or when its source is web, tool or doc.

    The text comes from --body and --section, from stdin, or at a terminal from the editor on a
    template. The id of the draft is printed. Kinds: lesson, failure, rule, fact, preference,
    insight, hypothesis, resource, decision, note, recipe, topic, persona and more.

    Examples:
      mvault add lesson --title "Check node_modules/.bin first" --section problem="npx downloads"
      mvault add rule --title "提交前先跑测试" --required --body "没有例外。"
      mvault add fact --title "Staging has two workers" --scope project
      git log -1 --format=%B | mvault add note --title "Why the cache went away"
      mvault add recipe
    """
    from vault_cli.cli.additions import submit_drafts
    from vault_cli.cli.intake import read_requests

    inv: Invocation = ctx.obj
    if to_user:
        inv.reading.write_to_user()
    replaced = tuple(map(inv.known_id, supersedes or ()))
    more = {"supersedes": replaced, "checklist": checklist, "correction": correction}
    given = text.values(inv, **more, reason=reason)
    named = one_of(Kind, kind, "kind")
    _require_no_work(named)
    requests, desk = read_requests(inv, named, given, text.body, text.section or [], payload)
    if allow and not inv.consent(yes=yes).how:
        from vault_cli.cli.consent import consent_hint

        raise NeedsPersonError(
            "add --allow: a person has to let it pass; nothing was written",
            hint=consent_hint(inv.environ, yes=yes),
        )
    if allow:
        require_person_to_allow(inv, yes=yes)
    return _guarded(desk, lambda: submit_drafts(inv, requests, allow=tuple(allow or ())))


def _require_no_work(kind: Kind) -> None:
    """Refuse to draft what nobody admits; it has a command of its own."""
    if kind in WORK_COMMANDS:
        hint = f"It has its own command: mvault {WORK_COMMANDS[kind]} --help"
        raise UsageError(f"a {kind} is no draft: nobody admits it", hint=hint)


def _guarded(desk: Desk | None, act: Any) -> int:
    """Run an action on a text from the editor; when it fails the text is kept and named."""
    if desk is None:
        return int(act())
    try:
        code = int(act())
    except VaultError as error:
        kept = desk.rescue(desk.text())
        error.hint = f"{error.hint} The text is kept in {kept}".strip()
        raise
    finally:
        desk.clear()
    return code


def edit(
    ctx: typer.Context,
    record_id: flags.AnyId,
    set_: flags.Sets = None,
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Change one record: in the editor ($VISUAL, $EDITOR), or key by key with --set.

    Everything else in the file stays as it is, byte for byte. A record in force needs a person.
    What cannot be taken over is kept in a file that is named.

    Examples:
      mvault edit l-7k3qd2m
      mvault edit l-7k3qd2m --set importance=8 --set topics=node-tooling,ci
      mvault edit l-7k3qd2m --set valid_to=
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    data = inv.read(record.path)
    actor = actor_for(inv, record, yes=yes)
    if set_:
        from vault_cli.cli.intake import parse_sets
        from vault_cli.features.editing import plan_set

        values = parse_sets(set_, known=record.fields)
        change = plan_set(
            inv.snapshot, record, data, values, verb="edit", reason=reason, actor=actor
        )
        plan = Plan(change, f"edited {record.id}", "Change this record in force?", yes=yes)
        plan.hints = _verify_again(change, record)
        plan.nothing = f"{', '.join(values)} stands there like that already"
        return inv.submit(plan)
    return edit_in_editor(inv, record, data, actor, reason=reason, yes=yes)


def actor_for(inv: Invocation, record: Record, *, yes: bool = False) -> Actor:
    """Return who a change of this record is planned for.

    What is in force is planned for whoever agrees; without anyone the change is only shown. A
    draft is changed by whoever asks; a person without a terminal says who they are by `yes`.
    """
    from vault_cli.model.lifecycle import Actor

    if record.in_force:
        return inv.decider(yes=yes)
    agreed = inv.consent(yes=yes) if yes else None
    return agreed.actor if agreed and agreed.how and agreed.actor is Actor.PERSON else inv.actor


def edit_in_editor(
    inv: Invocation,
    record: Record,
    data: bytes,
    actor: Actor,
    *,
    reason: str = "",
    yes: bool = False,
) -> int:
    """Edit a record's file in the editor until it can be taken over or the person gives up."""
    from vault_cli.cli.editor import open_desk
    from vault_cli.features.editing import plan_edit

    desk = open_desk(inv, record.path.rsplit("/", 1)[-1])
    text = data
    try:
        while True:
            edited = desk.edit(text)
            if edited.data is None and text == data:
                desk.leave(edited)
                return _unchanged(inv, "edit", record, edited.hint)
            text = edited.data if edited.data is not None else text
            try:
                change = plan_edit(inv.snapshot, record, data, text, actor=actor, reason=reason)
                done = f"edited {record.id}: {record.title}"
                plan = Plan(change, done, "Change this record in force?", yes=yes)
                plan.hints = _verify_again(change, record)
                return inv.submit(plan)
            except VaultError as error:
                if not _edit_again(inv, desk, text, error):
                    raise
    finally:
        desk.clear()


def _verify_again(change: Change, record: Record) -> tuple[str, ...]:
    """Say that a verification was of the text before the edit, where it was."""
    from vault_cli.features.evidence import outdates_verification

    if not outdates_verification(change, record):
        return ()
    return (f"It was verified with another text; confirm this one: mvault verify {record.id}",)


def _unchanged(inv: Invocation, verb: str, record: Record, hint: str) -> int:
    """Answer that the editor gave back what it was given."""
    from vault_cli.features.records import subject_of
    from vault_cli.model.change import Change

    change = Change(verb, subject_of(record), (), ids=(record.id,), actor=inv.actor)
    plan = Plan(change, "", nothing="the text came back as it was", stalled=hint)
    return inv.submit(plan)


def _edit_again(inv: Invocation, desk: Desk, text: bytes, error: VaultError) -> bool:
    """Keep a refused text; at a terminal offer to open it again."""
    kept = desk.rescue(text)
    error.hint = f"{error.hint} Your text is kept in {kept}".strip()
    if not isinstance(error, RefusedError) or not inv.is_person:
        return False
    inv.out.error_text(error)
    return inv.out.ask("Edit it again? [Y/n] ").lower() in ("", "y", "yes")


def adopt(
    ctx: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Notes of the vault.")],
    kind: Annotated[
        str,
        typer.Option(
            "--kind", "-k", help="Kind of notes that do not say it.", autocompletion=complete_kind
        ),
    ] = "",
) -> int:
    """Take hand-written notes in: give them an id, a kind and a status, in place.

    The rest of each file stays as it is. Notes that are adopted already are left alone.

    Examples:
      mvault adopt memories/tablet-battery.md
      mvault adopt drafts/*.md --kind lesson
    """
    from vault_cli.features.drafts import plan_adopt

    inv: Invocation = ctx.obj
    files = {path: inv.read(path) for path in dict.fromkeys(map(inv.vault_path, paths))}
    planned = plan_adopt(
        inv.snapshot,
        files,
        actor=inv.actor,
        random_int=inv.random_int,
        kind=one_of(Kind, kind, "kind") if kind else None,
        gates=inv.vault.config.gates,
    )
    done = f"adopted {plural(len(planned.ids), 'note')}"
    found = (*planned.notes, *planned.left_out)
    plan = Plan(planned.change, done, "Adopt these?", findings=found)
    plan.nothing = "adopted already"
    if planned.left_out:
        plan.exit_code = RefusedError.exit_code
        left = dict.fromkeys(item.path for item in planned.left_out)
        plan.hints = (f"Not adopted: {', '.join(left)}",)
    return inv.submit(plan)


def revise(
    ctx: typer.Context,
    record_id: flags.ForceId,
    body: flags.Body = None,
    set_: flags.Sets = None,
    derived_from: flags.DerivedFrom = None,
    reason: flags.Reason = "",
) -> int:
    """Propose a successor of a record in force: a draft that replaces it once approved.

    Without --body and --set the editor opens on the present text. A draft is changed in place.
    What has proven itself needs a reason to be replaced, and from an agent --derived-from.

    Examples:
      mvault revise r-aa81mmz --set boundary="only on CI" --reason "breaks locally"
      mvault revise l-7k3qd2m
    """
    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    require_admitted(inv.vault, "revise", record)
    data = inv.read(record.path)
    rests_on = [*map(inv.known_id, derived_from or ())]
    own = {"derived_from": [*dict.fromkeys((*record.derived_from, *rests_on))]} if rests_on else {}
    if body is None and not set_:
        return _revise_in_editor(inv, record, data, own, reason)
    from vault_cli.cli.intake import parse_sets, read_stdin

    text = read_stdin() if body == "-" else body
    values = {**own, **parse_sets(set_ or [], known=record.fields)}
    return _submit_revision(inv, record, data, text, values, reason)


def _submit_revision(
    inv: Invocation,
    record: Record,
    data: bytes,
    body: str | None,
    values: Mapping[str, Any],
    reason: str,
) -> int:
    from vault_cli.cli.additions import approve_hint, submit_new
    from vault_cli.features.drafts import plan_revise

    planned: Planned = plan_revise(
        inv.snapshot,
        record,
        data,
        now=inv.now,
        actor=inv.actor,
        origin=inv.origin,
        random_int=inv.random_int,
        body=body,
        values=values,
        reason=reason,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0] if planned.ids else record.id
    hint = approve_hint(planned) if planned.ids else ""
    done = f"revised {record.id} as draft {own}" if own != record.id else f"revised draft {own}"
    plan = Plan(planned.change, done, hints=(hint,), findings=planned.notes)
    plan.nothing = "the text and the keys are the same"
    return submit_new(inv, planned, plan)


def _revise_in_editor(
    inv: Invocation, record: Record, data: bytes, own: Mapping[str, Any], reason: str
) -> int:
    from vault_cli.cli.editor import open_desk
    from vault_cli.text.document import REMOVE, parse_document

    desk = open_desk(inv, record.path.rsplit("/", 1)[-1])
    edited = desk.edit(data)
    if edited.data is None:
        desk.leave(edited)
        desk.clear()
        return _unchanged(inv, "revise", record, edited.hint)

    def act() -> int:
        old, new = parse_document(data, record.path), parse_document(desk.text(), record.path)
        if new.is_broken:
            raise RefusedError("the edited text cannot be read", diagnostics=new.diagnostics)
        values = {key: value for key, value in new.front.items() if old.front.get(key) != value}
        values |= {key: REMOVE for key in old.front if key not in new.front}
        values = {**own, **values}
        body = new.body if new.body != old.body else None
        return _submit_revision(inv, record, data, body, values, reason)

    return _guarded(desk, act)
