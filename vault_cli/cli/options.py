"""Options every command takes, before or after its name. May import typer."""

from __future__ import annotations

import copy
from typing import Annotated, Any, Protocol

import typer

from vault_cli.cli.option_values import Options

GLOBAL_NAMES = ("vault", "json", "quiet", "dry_run", "debug", "color")
"""Names of the options that a command shares with the root."""


def scan_options(argv: list[str]) -> Options:
    """Read the flags that decide how an error is shown, even when the rest does not parse."""
    head = argv[: argv.index("--")] if "--" in argv else argv
    return Options(json="--json" in head, debug="--debug" in head)


class HasOptions(Protocol):
    """What the context carries: the running invocation, of which only this is needed here."""

    options: Options


def store_option(ctx: typer.Context, param: Any, value: Any) -> Any:
    """Keep a global option that was given (a later one wins); used as a parameter callback."""
    given = value is not None if param.name == "color" else bool(value)
    if given:
        setattr(ctx.obj.options, param.name, value)
    return value


def share_options(source: list[Any]) -> list[Any]:
    """Return copies of the root's global parameters for a command: stored, not passed on."""
    shared = []
    for param in source:
        if param.name in GLOBAL_NAMES:
            clone = copy.copy(param)
            clone.expose_value = False
            clone.callback = store_option
            shared.append(clone)
    return shared


def _show_version(value: bool) -> None:
    if value:
        from vault_cli import __version__

        typer.echo(f"mvault {__version__}")
        raise typer.Exit


Vault = Annotated[
    str | None,
    typer.Option(
        "--vault",
        metavar="PATH",
        help="Vault folder (else $MVAULT, then upwards from here, then the user's vault).",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout, errors included.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No status lines and hints on stderr.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show the exact change as a diff; write nothing.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the trace of an unexpected error.")]
Color = Annotated[
    bool | None,
    typer.Option(
        "--color/--no-color",
        help="Colour always or never (default: on a terminal, unless NO_COLOR is set).",
    ),
]
Version = Annotated[
    bool,
    typer.Option(
        "--version", help="Show the version and stop.", callback=_show_version, is_eager=True
    ),
]


def root(
    ctx: typer.Context,
    *,
    vault: Vault = None,
    json: Json = False,
    quiet: Quiet = False,
    dry_run: DryRun = False,
    debug: Debug = False,
    color: Color = None,
    version: Version = False,  # noqa: ARG001 - the callback has acted before this runs
) -> None:
    """Memory for coding agents in plain Markdown: agents propose, people admit, git records."""
    run: HasOptions = ctx.obj
    found = {"vault": vault, "json": json, "quiet": quiet, "dry_run": dry_run, "debug": debug}
    for name, value in found.items():
        if value:
            setattr(run.options, name, value)
    run.options.color = color
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
