"""`bisect`: which commit made the block worse. May import everything below `cli`.

The spelling; `cli.bisection` keeps and answers, `cli.judging` runs a command, `features.bisect`
chooses.
"""

from __future__ import annotations

from typing import Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.app import PanelCommand
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.option_groups import RenderChoices, takes
from vault_cli.cli.output import View
from vault_cli.cli.rendering import make_options, make_query
from vault_cli.errors import NeedsPersonError, RefusedError, UsageError

bisect = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    help="Find the commit that made the block worse.\n\nExample: mvault bisect start HEAD HEAD~20",
)

Revision = Annotated[
    str, typer.Argument(metavar="[COMMIT]", help="Commit or date (default: the one asked about).")
]
_ANY_ARGS = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@bisect.callback(invoke_without_command=True)
def bisect_group(ctx: typer.Context) -> int:
    """Find the commit that made the block worse: halve the history between a bad and a good one.

    Without a command it shows where the search stands and the block that is asked about. Files and
    HEAD are never touched; the verdicts are kept in `.state/` until `mvault bisect reset`.

    Examples:
      mvault bisect start HEAD 2026-06-01
      mvault bisect run -- ./judge.sh {}
    """
    if ctx.invoked_subcommand is not None:
        return 0
    from vault_cli.cli.bisection import Bisection

    inv: Invocation = ctx.obj
    return inv.out.show(Bisection.load(inv).proceed())


@bisect.command("start", cls=PanelCommand)
@takes(choices=RenderChoices)
def start(
    ctx: typer.Context,
    choices: RenderChoices,
    bad: Annotated[
        str, typer.Argument(metavar="[BAD]", help="Commit or date with the bad block.")
    ] = "",
    good: Annotated[
        list[str] | None, typer.Argument(metavar="[GOOD...]", help="Older ones that were good.")
    ] = None,
) -> int:
    """Begin a search: name a commit with a bad block and an older one with a good block.

    The options are those of `render`: all blocks are rendered with them, for today. A commit
    belongs to one vault, which alone is looked at.

    Examples:
      mvault bisect start HEAD HEAD~20
      mvault bisect start --query "支付回调" --scope project
    """
    from vault_cli.cli.bisection import Bisection

    inv: Invocation = ctx.obj
    if Bisection.is_under_way(inv):
        raise RefusedError(
            "a bisection is under way already",
            hint="`mvault bisect` shows where it stands; `mvault bisect reset` ends it.",
        )
    wanted = choices.wanted()
    found = Bisection.begin(inv, make_query(inv, wanted), make_options(inv, wanted))
    if bad:
        found.mark("bad", [bad])
    if good:
        found.mark("good", good)
    return inv.out.show(found.proceed())


def _mark(ctx: typer.Context, verdict: str, names: list[str]) -> int:
    from vault_cli.cli.bisection import Bisection

    inv: Invocation = ctx.obj
    found = Bisection.load(inv)
    found.mark(verdict, list(filter(None, names)))
    return inv.out.show(found.proceed())


@bisect.command("good", cls=PanelCommand)
def good(ctx: typer.Context, commit: Revision = "") -> int:
    """Say that the block is good; the next one to judge is shown.

    Examples:
      mvault bisect good
      mvault bisect good HEAD~20
    """
    return _mark(ctx, "good", [commit])


@bisect.command("bad", cls=PanelCommand)
def bad(ctx: typer.Context, commit: Revision = "") -> int:
    """Say that the block is bad; the next one to judge is shown.

    Examples:
      mvault bisect bad
    """
    return _mark(ctx, "bad", [commit])


@bisect.command("skip", cls=PanelCommand)
def skip(
    ctx: typer.Context,
    commits: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMIT...]", help="Default: the one asked.")
    ] = None,
) -> int:
    """Say that the block cannot be judged; another one is shown.

    Examples:
      mvault bisect skip
    """
    return _mark(ctx, "skip", commits or [])


@bisect.command("run", cls=PanelCommand, context_settings=_ANY_ARGS)
def run(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- CMD...", help="A program and its arguments; no shell."),
    ] = None,
    yes: flags.Yes = False,
) -> int:
    """Let a program judge: it is run on one block after the other until the commit is found.

    Needs a person, since it starts whatever is named.

    The program gets the block on its standard input; `{}` in its arguments stands for a file with
    the block, as does $MVAULT_BLOCK; $MVAULT_COMMIT names the commit. It ends with 0 for good, 125
    for "cannot be judged", 128 or more (or by a signal) to stop, anything else for bad. What it
    prints goes to stderr. After a stop or a kill, `run` goes on where it was.

    Examples:
      mvault bisect run -- grep -q "run the tests"
      mvault bisect run -- ./judge.sh {}
    """
    from vault_cli.cli.bisection import Bisection
    from vault_cli.cli.judging import Judge

    if not command:
        raise UsageError("which program judges?", hint="mvault bisect run -- ./judge.sh {}")
    inv: Invocation = ctx.obj
    found = Bisection.load(inv)
    found.require_ends()
    if not (inv.consent(yes=yes).how or inv.options.dry_run):
        raise NeedsPersonError(
            "bisect run starts a program; that takes a person",
            hint="Run it in a terminal, or judge block by block: mvault bisect good",
        )
    view = found.proceed()
    judge = Judge(inv, command, found)
    while found.search.current and not inv.options.dry_run:
        verdict = judge.verdict()
        inv.out.say(f"{verdict}: {found.describe(found.search.current)}")
        found.mark(verdict, [])
        view = found.proceed()
    return inv.out.show(view)


@bisect.command("log", cls=PanelCommand)
def log(ctx: typer.Context) -> int:
    """List the verdicts so far, oldest first.

    Examples:
      mvault bisect log
    """
    from vault_cli.cli.bisection import Bisection, log_view

    inv: Invocation = ctx.obj
    return inv.out.show(log_view(Bisection.load(inv)))


@bisect.command("reset", cls=PanelCommand)
def reset(ctx: typer.Context) -> int:
    """End the search and forget its verdicts.

    Examples:
      mvault bisect reset
    """
    from vault_cli.cli.bisection import Bisection

    inv: Invocation = ctx.obj
    was = Bisection.is_under_way(inv)
    if not inv.options.dry_run:
        Bisection.end(inv)
    note = "the bisection is ended" if was else "nothing to do: no bisection is under way"
    if was and inv.options.dry_run:
        note = "dry run, nothing written: the bisection would be ended"
    return inv.out.show(View({"reset": was}, notes=(note,)))
