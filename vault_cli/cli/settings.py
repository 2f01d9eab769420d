"""`config show` and `config set`. May import everything below `cli`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli import effect, flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, View
from vault_cli.cli.views import plain_value
from vault_cli.errors import UsageError

if TYPE_CHECKING:
    from vault_cli.store.config import Config

config = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Show or set the configuration.\n\nExample: mvault config show --explain",
)


def _complete_setting(incomplete: str) -> list[tuple[str, str]]:
    from vault_cli.cli.complete import plain_title
    from vault_cli.store.settings import SETTINGS

    return [(s.name, plain_title(s.help)) for s in SETTINGS if s.name.startswith(incomplete)]


@config.callback()
def config_group() -> None:
    """Show or set the configuration.

    Examples:
      mvault config show --explain
      mvault config set render.budget 6000
    """


@config.command("show", cls=PanelCommand)
def show(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="[KEY]", autocompletion=_complete_setting)] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Say where each value comes from, and what it does.")
    ] = False,
) -> int:
    """Show the settings that hold here: flags, environment, vault, user, defaults.

    Examples:
      mvault config show
      mvault config show render.budget --explain
    """
    from vault_cli.store.settings import SETTINGS

    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    found = _config(inv)
    rows = [setting for setting in SETTINGS if key in ("", setting.name)]
    if not rows:
        raise UsageError(f"there is no setting {key}", hint=_nearest(key))
    data = {
        setting.name: {
            "value": plain_value(found[setting.name]),
            "origin": found.origin(setting.name),
            "default": plain_value(setting.default),
            "help": setting.help,
            "choices": list(setting.choices),
        }
        for setting in rows
    }
    view = View(
        data,
        lambda: _setting_lines(data, explain=explain),
        diagnostics=found.diagnostics,
    )
    return inv.out.show(view)


def _config(inv: Invocation) -> Config:
    """Return the configuration of the vault, or the person's own when there is no vault."""
    from vault_cli.store.config import load_config

    if inv.options.vault:
        return inv.vault.config
    try:
        return inv.vault.config
    except UsageError:
        return load_config(None, environ=inv.environ, lenient=True)


def _nearest(key: str) -> str:
    from vault_cli.store.config import nearest_setting

    near = nearest_setting(key)
    return f"Did you mean {near}?" if near else "`mvault config show` lists them."


def _setting_lines(data: Mapping[str, Any], *, explain: bool) -> Iterator[Line]:
    for name, row in data.items():
        line: list[str | tuple[str, str]] = [f"{name} = {value_line(row['value'])}"]
        if explain:
            line.append(("dim", f"  # {row['origin']}: {row['help']}"))
        yield line


def value_line(value: Any) -> str:
    """Return a value as TOML shows it."""
    import json

    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {value_line(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False)


@config.command("set", cls=PanelCommand)
def set_value(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", autocompletion=_complete_setting)],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Lists: a,b. Tables: a=1,b=2.")],
    user: Annotated[
        bool, typer.Option("--user", help="In your own configuration, not in the vault's.")
    ] = False,
    here: Annotated[bool, typer.Option("--here", help="With --user: for this vault only.")] = False,
    yes: flags.Yes = False,
) -> int:
    """Set one setting in vault.toml (a commit), or with --user in your own file.

    The settings decide what is rendered, so setting one needs a person: the change is shown
    first, then asked about. Comments and order of the file stay.

    Examples:
      mvault config set render.budget 6000
      mvault config set --user trust.approve_without_terminal ci-bot
      mvault config set --user --here trust.incoming review
    """
    inv: Invocation = ctx.obj
    inv.bear_bad_settings()
    if user:
        return _set_user(inv, key, value, here=here, yes=yes)
    if here:
        raise UsageError("--here goes with --user", hint="Without --user it is this vault anyway.")
    from vault_cli.features.records import digest_of
    from vault_cli.model.change import Change, Put
    from vault_cli.store.toml_patch import set_setting

    _require_safe(key)
    old = inv.read("vault.toml")
    new = set_setting(inv.root / "vault.toml", key, value)
    edits = (Put("vault.toml", new, digest_of(old)),) if new != old else ()
    change = Change("config", f": {key} = {value}", edits, actor=inv.decider(yes=yes))
    plan = Plan(change, f"set {key} = {value}", f"Set {key} = {value}?", lines=())
    if edits and key in effect.SCOPES:
        found = effect.describe_effect(inv, key, value, user=False)
        plan.data = found.data
        for line in found.lines:
            inv.out.say(line)
    plan.person, plan.yes, plan.nothing = True, yes, f"{key} is {value} already"
    return inv.submit(plan)


def _require_safe(key: str) -> None:
    """Keep the number that says how the vault is laid out from being set."""
    if key == "schema":
        raise UsageError("schema says how the vault is laid out; it is not set by hand")


def _set_user(inv: Invocation, key: str, value: str, *, here: bool, yes: bool) -> int:
    from vault_cli.cli.preview import answer_data, diff_lines, plain
    from vault_cli.store.config import read_toml_file, user_config_path
    from vault_cli.store.own_settings import change_settings
    from vault_cli.store.toml_patch import set_here, set_setting

    path = user_config_path(inv.environ)
    old = read_toml_file(path) or b""
    change = partial(set_setting, path, key, value)
    if here:
        change = partial(set_here, path, os.path.realpath(inv.root), key, value)
    new = change()
    diff = diff_lines(old, new, str(path) if old else "", str(path))
    subject = f"config: {key} = {value}"
    data = answer_data("config", subject, [str(path)] if new != old else [])
    data["diff"] = plain(diff)
    if new == old:
        note = f"nothing to do: {key} is {value} already"
        return inv.out.show(View(data, notes=(note,)))
    if key in effect.SCOPES:
        found = effect.describe_effect(inv, key, value, user=True)
        data |= found.data
        for line in found.lines:
            inv.out.say(line)
    if inv.options.dry_run:
        note = f"dry run, nothing written: {subject}"
        return inv.out.show(View({**data, "dry_run": True}, lambda: diff, notes=(note,)))
    if not _is_agreed(inv, key, value, diff, data, yes=yes):
        return inv.left(data)
    change_settings(path, change)
    if key == "trust.incoming":
        _admit_own(inv)
    done = {**data, "changed": True, "applied": True}
    return inv.out.show(View(done, notes=(f"set {key} = {value} in {path}",)))


def _admit_own(inv: Invocation) -> None:
    """Take what is in force as admitted where changes of others begin to wait from now on."""
    from vault_cli.errors import VaultError
    from vault_cli.store.admitting import admit_present
    from vault_cli.store.incoming import has_ledger
    from vault_cli.store.policy import incoming_policy, is_own
    from vault_cli.store.vault import Vault

    try:
        vault = Vault.open(inv.root, environ=inv.environ)
        asks = incoming_policy(vault.root, vault.config) != "accept"
        if asks and is_own(vault.root, named=vault.config.named) and not has_ledger(vault.root):
            count = admit_present(vault, vault.snapshot())
            inv.out.say(f"{count} in force here are taken as admitted")
    except VaultError as error:  # the setting is made; there may be no vault here
        inv.out.say(error.message)


def _is_agreed(
    inv: Invocation,
    key: str,
    value: str,
    diff: Sequence[Line],
    data: dict[str, Any],
    *,
    yes: bool,
) -> bool:
    """Tell whether a person wants a setting of their own; the change is shown first.

    Raises:
        NeedsPersonError: nobody is there. What grants trust is set at a terminal only, never by
            an actor that was granted some.
    """
    from vault_cli.cli.consent import consent_hint
    from vault_cli.errors import NeedsPersonError
    from vault_cli.store.settings import BY_NAME

    setting = BY_NAME.get(key)
    grants = setting is not None and setting.user_only
    consent = inv.consent(yes=yes)
    if not consent.how or (grants and not inv.is_person):
        inv.out.partial = data
        inv.out.lines(diff)
        why = f"{key} grants trust" if grants else "config: this is only the preview"
        hint = "Run the same command in a terminal."
        if not grants:
            hint = consent_hint(inv.environ, yes=yes)
        raise NeedsPersonError(f"{why}; a person has to set it", hint=hint)
    if not consent.ask:
        return True
    inv.out.preview(diff)
    return inv.confirm(f"Set {key} = {value}?")
