"""`team`: vaults of others that are read beside one's own. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.consent import consent_hint
from vault_cli.cli.invocation import LEFT, Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import brief_data, plural
from vault_cli.errors import NeedsPersonError, NotFoundError, UsageError, VaultError

if TYPE_CHECKING:
    from vault_cli.model.record import Record
    from vault_cli.store.team_names import Team

team = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Read vaults of others beside your own.\n\nExample: mvault team list",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the team vault is called here.")]
Commit = Annotated[
    str, typer.Option("--commit", metavar="REV", help="A commit or branch there; else the newest.")
]


@team.callback()
def team_group() -> None:
    """Read vaults of others beside your own: pinned to a commit, never written.

    Examples:
      mvault team add backend https://git.example.com/backend-vault.git
      mvault team list
    """


@team.command("list", cls=PanelCommand)
def list_teams(ctx: typer.Context) -> int:
    """List the team vaults that the settings name: at which commit, and whether they are read.

    Nothing is fetched. What is newer is told as of the last `team fetch`.

    Examples:
      mvault team list
      mvault --json team list
    """
    inv: Invocation = ctx.obj
    found = [_describe(inv, item) for item in _named(inv)]

    def lines() -> Iterator[Line]:
        for item in found:
            place = inline(item["location"])
            yield f"{item['name']}  {item['commit'][:10]}  {item['state']}  {place}"

    notes = () if found else ("no team vault is named",)
    return inv.out.show(View({"teams": found}, lines, notes=notes))


@team.command("add", cls=PanelCommand)
def add(
    ctx: typer.Context,
    name: Name,
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="A folder, or an address of git.")
    ],
    commit: Commit = "",
    yes: flags.Yes = False,
) -> int:
    """Read a vault of others beside your own from now on; a known name gets another commit.

    What it would put in force here is shown first: a person agrees to it, and to that commit only.
    It is named in your own configuration. Of a team vault only what is in force is read, after
    your own: nothing of it takes a record of yours out of force, and nothing is written there.

    Examples:
      mvault team add backend ~/src/backend-vault
      mvault team add backend https://git.example.com/backend-vault.git --commit v3
    """
    from vault_cli.store.teams import fetch_team

    inv: Invocation = ctx.obj
    named = _named(inv)
    place = _place_of(inv, location)
    fresh = _make(name, place, "0" * 40)  # looked at before anything is asked of it
    fresh = fresh._replace(commit=fetch_team(place, commit))
    before = next((item for item in named if item.name == name), None)
    _own_names(inv, name, fresh)  # they can be read and changed
    data = _difference(inv, fresh, before)
    if not _agreed(inv, data, yes=yes):
        return inv.out.left(data, NeedsPersonError(LEFT))
    if not inv.options.dry_run:
        _change_names(inv, name, fresh)
    return _admitted(inv, fresh, data)


@team.command("fetch", cls=PanelCommand)
def fetch(ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="[NAME]")] = "") -> int:
    """Bring the commits of team vaults here; what is read stays at the commit you trusted.

    Examples:
      mvault team fetch
      mvault team fetch backend
    """
    from vault_cli.store.teams import fetch_team

    inv: Invocation = ctx.obj
    found, failed = [], []
    for item in _chosen(inv, name):
        try:
            newest = fetch_team(item.location)
        except VaultError as error:
            failed.append(error)
            continue
        found.append({"name": item.name, "commit": item.commit, "newest": newest})

    def lines() -> Iterator[Line]:
        for row in found:
            is_new = row["newest"] != row["commit"]
            yield f"{row['name']}: {'newer: ' + row['newest'][:10] if is_new else 'nothing new'}"

    if failed and not found:
        raise failed[0]
    hints = [
        f"Look at it: mvault team add {row['name']} {item.location}"
        for row in found
        if row["newest"] != row["commit"]
        for item in _named(inv)
        if item.name == row["name"]
    ]
    notes = [f"not reached: {error.message}" for error in failed]
    return inv.out.show(View({"teams": found}, lines, notes=notes, hints=hints))


@team.command("trust", cls=PanelCommand)
def trust(ctx: typer.Context, name: Name, yes: flags.Yes = False) -> int:
    """Let the commit count that a setting pins a team vault to, here on this machine.

    For team vaults that a project's vault.toml names: nothing of them counts before.

    Examples:
      mvault team trust backend
    """
    from vault_cli.store.teams import fetch_team, is_trusted, open_team

    inv: Invocation = ctx.obj
    (item,) = _chosen(inv, name)
    if is_trusted(item):
        note = f"nothing to do: {item.commit[:10]} of {name} is trusted"
        return inv.out.show(View(_describe(inv, item), notes=(note,)))
    try:
        open_team(item.location, item.commit)
    except NotFoundError:
        fetch_team(item.location, item.commit)
    data = _difference(inv, item, None)
    if not _agreed(inv, data, yes=yes):
        return inv.out.left(data, NeedsPersonError(LEFT))
    return _admitted(inv, item, data)


@team.command("remove", cls=PanelCommand)
def remove(ctx: typer.Context, name: Name, yes: flags.Yes = False) -> int:
    """Take a team vault out of your own configuration; nothing of it is read any more.

    Its rules are out of the render then, so it needs a person.

    Examples:
      mvault team remove backend
    """
    from vault_cli.store.config import load_config
    from vault_cli.store.team_names import merge_names
    from vault_cli.store.teams import distrust_team

    inv: Invocation = ctx.obj
    own = merge_names(load_config(None, environ=inv.environ)["teams"])
    if name not in {item.name for item in own}:
        raise NotFoundError(
            f"your own configuration names no team vault {name}",
            hint="One of a project stands in its vault.toml: mvault team list",
        )
    _own_names(inv, name)
    data = {"name": name, "applied": not inv.options.dry_run}
    if not _agreed(inv, data, f"stop reading {name}", yes=yes):
        return inv.out.left(data, NeedsPersonError(LEFT))
    if inv.options.dry_run:
        return inv.out.show(View({**data, "dry_run": True}, notes=("dry run, nothing written",)))
    _change_names(inv, name)
    for item in own:
        if item.name == name:
            distrust_team(item)
    return inv.out.show(View(data, notes=(f"{name} is not read any more",)))


# What they share


def _own_names(inv: Invocation, name: str, *fresh: Team) -> bytes:
    """Return the person's configuration with other team vaults of a name, or none."""
    from vault_cli.store.config import load_config, user_config_path
    from vault_cli.store.team_names import merge_names
    from vault_cli.store.toml_patch import set_setting

    own = merge_names(load_config(None, environ=inv.environ)["teams"])
    kept = [item for item in own if item.name != name]
    return set_setting(user_config_path(inv.environ), "teams", tuple(map(str, [*kept, *fresh])))


def _change_names(inv: Invocation, name: str, *fresh: Team) -> None:
    from vault_cli.store.config import user_config_path
    from vault_cli.store.own_settings import change_settings

    change_settings(user_config_path(inv.environ), lambda: _own_names(inv, name, *fresh))


def _named(inv: Invocation) -> list[Team]:
    from vault_cli.cli.team_reading import named_teams

    return named_teams(inv, (inv.reading.other, inv.reading.home))


def _chosen(inv: Invocation, name: str) -> list[Team]:
    """Return the team vault of a name, or all; NotFoundError when there is none."""
    every = _named(inv)
    found = [item for item in every if item.name == name] if name else every
    if not found and name:
        known = ", ".join(item.name for item in every) or "none"
        raise NotFoundError(f"no team vault is called {name}", hint=f"There are: {known}.")
    return found


def _place_of(inv: Invocation, location: str) -> str:
    """Return a location as it is kept: an address, or the absolute path of a folder."""
    from vault_cli.store.places import expand_home
    from vault_cli.store.team_names import is_address

    path = expand_home(location)
    if not is_address(location) or os.path.lexists(inv.cwd / path):
        return os.path.realpath(inv.cwd / path)
    return location


def _make(name: str, location: str, commit: str) -> Team:
    from vault_cli.store.team_names import Team, parse_team

    try:
        return parse_team(str(Team(name, location, commit)))
    except ValueError as error:
        raise UsageError(
            str(error), hint="A name has letters, digits, dots and hyphens."
        ) from error


def _shared(inv: Invocation, item: Team | None) -> dict[str, Record]:
    from vault_cli.store.teams import read_team

    if item is None:
        return {}
    config = inv.reading.config
    return {record.id: record for record in read_team(item, config).records}


def _trusted(item: Team | None) -> Team | None:
    """Return a pin that a person agreed to: what a project only names was shown to nobody."""
    from vault_cli.store.teams import is_trusted

    return item if item is not None and is_trusted(item) else None


def _difference(inv: Invocation, item: Team, before: Team | None) -> dict[str, Any]:
    """Return what trusting a commit changes of what is read of a team vault."""
    new = _shared(inv, item)
    try:
        old = _shared(inv, _trusted(before))
    except VaultError:  # what was pinned is not here any more: all of it is shown
        old = {}
    return {
        "name": item.name,
        "location": item.location,
        "commit": item.commit,
        "added": [brief_data(new[key]) for key in new if key not in old],
        "changed": [
            brief_data(new[key]) for key in new if key in old and new[key].digest != old[key].digest
        ],
        "removed": [brief_data(old[key]) for key in old if key not in new],
    }


def _lines(data: dict[str, Any]) -> Iterator[Line]:
    for what, style in (("added", "green"), ("changed", "yellow"), ("removed", "red")):
        for row in data.get(what, ()):
            yield [(style, f"{what}: "), f"{row['id']}  {row['kind']}  {inline(row['title'])}"]


def _agreed(inv: Invocation, data: dict[str, Any], what: str = "", *, yes: bool) -> bool:
    """Tell whether a person agrees to `what`, else to let a commit count; it is shown first.

    Raises:
        NeedsPersonError: nobody is there to agree.
    """
    if inv.options.dry_run:
        return True
    consent = inv.consent(yes=yes)
    what = what or f"let {data['commit'][:10]} of {data['name']} count here"
    lines = list(_lines(data))
    if not consent.how:
        inv.out.partial = data
        inv.out.lines(lines)
        raise NeedsPersonError(
            f"team: a person has to agree: {what}",
            hint=consent_hint(inv.environ, yes=yes),
        )
    if not consent.ask:
        return True
    inv.out.preview(lines)
    return inv.confirm(f"{what[:1].upper()}{what[1:]}?")


def _admitted(inv: Invocation, item: Team, data: dict[str, Any]) -> int:
    from vault_cli.store.teams import trust_team

    lines = list(_lines(data))
    if inv.options.dry_run:
        done = {**data, "applied": False, "dry_run": True}
        return inv.out.show(View(done, lambda: lines, notes=("dry run, nothing written",)))
    trust_team(item)
    count = len(data["added"]) + len(data["changed"])
    note = f"{item.name} is read at {item.commit[:10]}: {plural(count, 'record')} new or changed"
    return inv.out.show(View({**data, "applied": True}, lambda: lines, notes=(note,)))


def _describe(inv: Invocation, item: Team) -> dict[str, Any]:
    """Return what `team list` says of one."""
    from vault_cli.store.teams import is_trusted

    state, count = "not trusted", 0
    if is_trusted(item):
        try:
            count = len(_shared(inv, item))
            state = f"read-only, {plural(count, 'record')}"
        except VaultError as error:
            state = f"not read: {error.message}"
    return {**item._asdict(), "trusted": is_trusted(item), "records": count, "state": state}
