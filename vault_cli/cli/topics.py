"""`topic`: declare topics, name them, put records under them. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.complete import complete_id, complete_topic
from vault_cli.cli.curate import actor_for
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View, inline, safe
from vault_cli.cli.views import brief_data, list_lines, plural
from vault_cli.model.record import Kind, Record, Status

if TYPE_CHECKING:
    from vault_cli.model.change import Change
    from vault_cli.recall.topics import Topic, TopicTable

topic = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Declare topics, name them, put records under them.\n\nExample: mvault topic list",
)


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name, alias or id of a topic.", autocompletion=complete_topic
    ),
]
NewName = Annotated[str, typer.Argument(metavar="NAME", help="The new name.")]
Aliases = Annotated[
    list[str] | None, typer.Option("--alias", "-a", help="A further name (repeatable).")
]
Ids = Annotated[list[str], flags.some_ids(complete_id, "ID...")]


@topic.callback()
def topic_group() -> None:
    """Declare topics, name them, put records under them.

    Examples:
      mvault topic list
      mvault topic add database --alias postgres --alias 数据库
    """


@topic.command("list", cls=PanelCommand)
def list_topics(ctx: typer.Context) -> int:
    """List topics: how many records each has, and its names.

    Names that records use and no file declares come last. Disabled topics are marked.

    Examples:
      mvault topic list
    """
    from vault_cli.recall.topics import TopicTable

    inv: Invocation = ctx.obj
    snapshot = inv.reading.snapshot(guarded=True).standing()
    records = snapshot.records
    table = TopicTable(records)
    rows = [*_declared(table, records), *_undeclared(table, records)]
    notes = () if rows else ("no topics",)
    inv.warn_unreadable(snapshot)
    return inv.out.show(View({"topics": rows}, lambda: _rows(rows), notes=notes, listed=True))


def _declared(table: TopicTable, records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    for found in sorted(table.topics, key=lambda item: (item.is_disabled, item.name.casefold())):
        yield {
            "id": found.record.id,
            "name": found.name,
            "aliases": list(found.record.aliases),
            "disabled": found.is_disabled,
            "members": len(table.members(records, found.record.id)),
        }


def _undeclared(table: TopicTable, records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    used: dict[str, list[str]] = {}
    for record in records:
        if record.kind is not Kind.TOPIC:
            for text in record.topics:
                if table.find(text, record.vault) is None:
                    used.setdefault(table.key(text, record.vault), []).append(text)
    for key in sorted(used):
        yield {
            "id": "",
            "name": used[key][0],
            "aliases": [],
            "disabled": False,
            "members": len(used[key]),
        }


def _rows(rows: Sequence[dict[str, Any]]) -> Iterator[Line]:
    for row in rows:
        names = ", ".join(row["aliases"])
        marks = "disabled" if row["disabled"] else "" if row["id"] else "not declared"
        line = f"{row['members']:4}  {inline(row['name'])}"
        line += f"  ({inline(names)})" if names else ""
        yield f"{line}  [{marks}]" if marks else line


@topic.command("show", cls=PanelCommand)
def show(ctx: typer.Context, name: Name) -> int:
    """Show one topic: what it is about, its names, and every record under it.

    Examples:
      mvault topic show database
    """
    from vault_cli.cli.recall import period_aside
    from vault_cli.features.topics import require_topic
    from vault_cli.recall.topics import TopicTable

    inv: Invocation = ctx.obj
    snapshot = inv.reading.snapshot(guarded=True).standing()
    found = require_topic(snapshot, name)
    members = TopicTable(snapshot.records).members(snapshot.records, found.record.id)
    data = {
        **brief_data(found.record),
        "aliases": list(found.record.aliases),
        "disabled": found.is_disabled,
        "body": found.record.body,
        "members": [brief_data(record) for record in members],
    }

    def lines() -> Iterator[Line]:
        state = " (disabled)" if found.is_disabled else ""
        yield f"{inline(found.name)}{state}  {found.record.id}"
        if found.record.aliases:
            yield f"also: {inline(', '.join(found.record.aliases))}"
        described = safe(_description(found)).splitlines()
        yield from ("", *described, "") if described else ("",)
        yield from list_lines(members, width=0, aside=period_aside(inv))

    notes = () if members else ("nothing stands under it",)
    return inv.out.show(View(data, lines, notes=notes))


def _description(found: Topic) -> str:
    """Return the text of a topic without the heading that repeats its name."""
    lead, _, rest = found.record.body.strip().partition("\n")
    # the heading keeps the first name when the topic is renamed; that name is an alias then
    names = (found.name, *found.record.aliases)
    return rest.strip() if lead.lstrip("# ") in names else found.record.body.strip()


def _topic(inv: Invocation, name: str) -> Topic:
    """Return the topic of a name, and turn to its vault; where both have it, the project's."""
    from vault_cli.features.topics import require_topic
    from vault_cli.recall.topics import TopicTable

    reading = inv.reading
    if reading.other is None or reading.home is None:
        if reading.other is not None:
            inv.turn_to(reading.other, reading.beside_heads)
        return require_topic(inv.snapshot, name)
    if TopicTable(inv.snapshot.records).find(name) is None:
        require_topic(reading.snapshot(), name)
        inv.turn_to(reading.other, reading.beside_heads)
    return require_topic(inv.snapshot, name)


@topic.command("add", cls=PanelCommand)
def add(
    ctx: typer.Context,
    name: NewName,
    description: Annotated[
        str, typer.Option("--description", "-d", help="What belongs to it.")
    ] = "",
    alias: Aliases = None,
    yes: flags.Yes = False,
) -> int:
    """Declare a topic. A person's is in force at once; an agent's is a draft.

    Records that use one of its names already belong to it.

    Examples:
      mvault topic add database --alias postgres --alias 数据库 -d "Tables, migrations, backups."
    """
    from vault_cli.cli.additions import submit_new
    from vault_cli.features.topics import TopicRequest, plan_topic

    inv: Invocation = ctx.obj
    agreed = inv.consent(yes=yes).how
    planned = plan_topic(
        inv.snapshot,
        TopicRequest(name, description, tuple(alias or ())),
        now=inv.now,
        actor=inv.decider(yes=yes) if agreed else inv.actor,
        random_int=inv.random_int,
        gates=inv.vault.config.gates,
    )
    own = planned.ids[0]
    drafted = planned.change.edits[0].path.startswith("drafts/")
    done = f"added {'draft' if drafted else 'topic'} {own}: {name}"
    hints = [f"A person puts it in force: mvault approve {own}"] if drafted else []
    plan = Plan(planned.change, done, f"Declare the topic {name}?", yes=yes, hints=hints)
    plan.person = not drafted
    plan.findings = planned.notes
    return submit_new(inv, planned, plan)


@topic.command("alias", cls=PanelCommand)
def set_names(
    ctx: typer.Context,
    name: Name,
    names: Annotated[list[str], typer.Argument(metavar="ALIAS...", help="Further names.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take these names away.")] = False,
    yes: flags.Yes = False,
) -> int:
    """Give a topic further names, in any language, or take some away.

    Examples:
      mvault topic alias database pg 数据库
      mvault topic alias database pg --remove
    """
    from vault_cli.features.topics import plan_names

    inv: Invocation = ctx.obj
    found = _topic(inv, name)
    change = plan_names(
        inv.snapshot,
        found,
        inv.read(found.record.path),
        add=() if remove else names,
        remove=names if remove else (),
        actor=actor_for(inv, found.record, yes=yes),
    )
    return _submit(inv, found, change, f"changed the names of {found.name}", yes=yes)


@topic.command("rename", cls=PanelCommand)
def rename(ctx: typer.Context, name: Name, new_name: NewName, yes: flags.Yes = False) -> int:
    """Give a topic another first name. The old one stays as an alias, so no record changes.

    Examples:
      mvault topic rename db database
    """
    from vault_cli.features.topics import plan_rename

    inv: Invocation = ctx.obj
    found = _topic(inv, name)
    actor = actor_for(inv, found.record, yes=yes)
    data = inv.read(found.record.path)
    change = plan_rename(inv.snapshot, found, data, name=new_name, actor=actor)
    return _submit(inv, found, change, f"renamed {found.name} to {new_name}", yes=yes)


@topic.command("disable", cls=PanelCommand)
def disable(
    ctx: typer.Context, name: Name, reason: flags.Reason = "", yes: flags.Yes = False
) -> int:
    """Take a topic out of use, with the reason. Its records stay what they are.

    Examples:
      mvault topic disable legacy-api --reason "the last client is gone"
    """
    return _switch(ctx.obj, name, enable=False, reason=reason, yes=yes)


@topic.command("enable", cls=PanelCommand)
def enable(
    ctx: typer.Context, name: Name, reason: flags.Reason = "", yes: flags.Yes = False
) -> int:
    """Take a disabled topic back into use.

    Examples:
      mvault topic enable legacy-api
    """
    return _switch(ctx.obj, name, enable=True, reason=reason, yes=yes)


def _switch(inv: Invocation, name: str, *, enable: bool, reason: str, yes: bool) -> int:
    from vault_cli.features.topics import plan_switch

    found = _topic(inv, name)
    change = plan_switch(
        found,
        inv.read(found.record.path),
        enable=enable,
        reason=reason,
        now=inv.now,
        actor=inv.decider(yes=yes),
    )
    state = "enabled" if enable else "disabled"
    return _submit(inv, found, change, f"{state} {found.name}", yes=yes, nothing=f"{state} already")


def _submit(
    inv: Invocation, found: Topic, change: Change, done: str, *, yes: bool, nothing: str = ""
) -> int:
    plan = Plan(change, done, f"Change the topic {found.name}?", yes=yes)
    plan.nothing = nothing or "it is like that already"
    plan.person = found.record.in_force or found.is_disabled
    return inv.submit(plan)


@topic.command("assign", cls=PanelCommand)
def assign(ctx: typer.Context, name: Name, ids: Ids, yes: flags.Yes = False) -> int:
    """Put records under a topic, all in one commit.

    Examples:
      mvault topic assign database f-1m4c8tt l-7k3qd2m
    """
    return _assign(ctx.obj, name, ids, remove=False, yes=yes)


@topic.command("unassign", cls=PanelCommand)
def unassign(ctx: typer.Context, name: Name, ids: Ids, yes: flags.Yes = False) -> int:
    """Take records out of a topic, all in one commit.

    Examples:
      mvault topic unassign database f-1m4c8tt
    """
    return _assign(ctx.obj, name, ids, remove=True, yes=yes)


def _assign(inv: Invocation, name: str, ids: Sequence[str], *, remove: bool, yes: bool) -> int:
    from vault_cli.features.topics import plan_assign

    records = inv.find_all(ids)
    settled = any(record.status is not Status.CANDIDATE for record in records)
    texts = {record.path: inv.read(record.path) for record in records}
    change = plan_assign(
        inv.snapshot,
        records,
        texts,
        name=name,
        remove=remove,
        actor=inv.decider(yes=yes) if settled else inv.actor,
    )
    verb = "took out of" if remove else "put under"
    done = f"{verb} {name}: {plural(len(change.ids), 'record')}"
    plan = Plan(change, done, "Change these records?", yes=yes)
    plan.nothing = f"not under {name}" if remove else f"under {name} already"
    plan.person = settled
    return inv.submit(plan)
