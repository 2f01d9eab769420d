"""Typer root, lazy commands, and the one error boundary. May import everything below `cli`."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from vault_cli.cli import progress
from vault_cli.cli.commands import COMMANDS, PANELS, Entry
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.options import GLOBAL_NAMES, root, scan_options, share_options
from vault_cli.cli.output import Output, is_terminal, unwritable_answer
from vault_cli.errors import UsageError, VaultError
from vault_cli.store.progress import follow

if TYPE_CHECKING:
    from vault_cli.model.change import Change

EXIT_INTERRUPTED = 130
_FULL = frozenset({errno.ENOSPC, errno.EIO, errno.EDQUOT})
_EXAMPLE = "\nExample"


class BugError(VaultError):
    """A failure nobody planned for (exit 70)."""

    exit_code = 70
    kind = "bug"


class PanelCommand(TyperCommand):
    """A command whose help keeps the layout of its examples and sets global options apart."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a list item that was pasted (`- [l-7k3qd2m] …`) as an argument of `why`."""
        if self.name == "why":
            args = [f"\n{arg}" if arg.startswith("- ") else arg for arg in args]
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer's signature
        """Write the description, wrapped, and the examples as they are typed."""
        text, mark, examples = (self.help or "").partition(_EXAMPLE)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.strip())
        if mark:
            formatter.write(f"{_EXAMPLE}{examples.rstrip()}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, own options, then the options that every command has."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Global": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            is_own = param.name not in GLOBAL_NAMES
            kind = "Arguments" if param.param_type_name == "argument" else "Options"
            rows[kind if is_own else "Global"].append(record)
        for title, records in rows.items():
            if records:
                shown = "Options of every command" if title == "Global" else title
                with formatter.section(shown):
                    formatter.write_dl(records)


class PanelGroup(TyperGroup):
    """The root: knows all names, loads the module of the command that is invoked."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - Typer's signature
        """Return the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - Typer's signature
        """Load one command, or return None when there is none of that name."""
        entry = COMMANDS.get(cmd_name)
        return None if entry is None else load_command(cmd_name, entry, self.params)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; for a mistyped one say which was meant."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing and not args[0].startswith("-"):
            raise UsageError(f"no such command: {args[0]}", hint=_suggest(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer's signature
        """Write one section per panel without loading a command."""
        for panel, title in PANELS.items():
            rows = [(n, entry.help) for n, entry in COMMANDS.items() if entry.panel == panel]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _suggest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=3, cutoff=0.5)
    if near:
        return "Did you mean " + " or ".join(f"`mvault {name}`" for name in near) + "?"
    return "`mvault --help` lists the commands."


def load_command(name: str, entry: Entry, shared: list[Any]) -> Any:
    """Import a command's module and build the command with the shared options."""
    from importlib import import_module

    target = getattr(import_module(f"vault_cli.cli.{entry.module}"), entry.function)
    if isinstance(target, typer.Typer):
        command = typer.main.get_command(target)
        parts = list(getattr(command, "commands", {}).values())
        for part in parts:
            part.short_help = part.short_help or _first_sentence(part.help or "")
    else:
        holder = typer.Typer(add_completion=False, rich_markup_mode=None)
        holder.command(name, cls=PanelCommand)(target)
        command = typer.main.get_command(holder)
        parts = []
    for part in [command, *parts]:
        part.params.extend(share_options(shared))
    return command


def _first_sentence(text: str) -> str:
    """Return what the list of a group's commands says of one: whole, where click would cut it."""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].removesuffix(".") + "."


def build_root(*, completion: bool = True) -> Any:
    """Build the root command (its subcommands load on demand).

    Args:
        completion: with the options that install shell completion.
    """
    app = typer.Typer(
        name="mvault",
        cls=PanelGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=completion,
        invoke_without_command=True,
        context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    return typer.main.get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the one place where errors become messages and exit codes.

    Args:
        argv: arguments without the program name, None for those of the process.

    Returns:
        The exit code (the table in `mvault --help` and the README).
    """
    try:
        return answer(sys.argv[1:] if argv is None else argv, os.environ)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - reporting itself failed: say the least there is
        sys.stderr.write(f"error: mvault failed: {type(error).__name__}\n")
        return BugError.exit_code
    finally:
        _close_quietly()


def answer(argv: Sequence[str], environ: Mapping[str, str], *, origin: str = "cli") -> int:
    """Run one command line on the streams there are, and return its exit code.

    Args:
        argv: arguments without the program name.
        environ: the environment the command sees.
        origin: how what it writes comes in.
    """
    args = _ask_for_help(list(argv))
    run = Invocation(scan_options(args), environ, origin)
    run.follow = _follow
    _watch(run)
    try:
        return _bounded(args, run)
    finally:
        progress.clear()


def _watch(run: Invocation) -> None:
    """Show how far long work has come, at a terminal that can."""
    can = is_terminal(sys.stderr) and run.environ.get("TERM", "") not in ("", "dumb")

    def show(what: str, done: int, total: int) -> None:
        if not run.options.quiet:  # it may stand behind the command's name
            progress.show(what, done, total)

    follow(show if can else None)


def _follow(run: Invocation, change: Change, paths: Sequence[str]) -> None:
    """Let the compiled guards follow a change."""
    from vault_cli.cli.guard_compile import after_change

    after_change(run, change, paths)


def _ask_for_help(args: list[str]) -> list[str]:
    """Read `help COMMAND` as `COMMAND --help`."""
    return [*args[1:], "--help"] if args[:1] == ["help"] else args


def _bounded(args: list[str], run: Invocation) -> int:
    try:
        return _run(args, run)
    except VaultError as error:
        if error.missing:
            from vault_cli.cli.where import say_where

            say_where(run, error)
        return run.out.error(error)
    except typer.TyperException as error:
        return run.out.error(_usage_error(error, args))
    except (KeyboardInterrupt, typer.Abort):
        run.out.say("interrupted")
        return EXIT_INTERRUPTED
    except SystemExit as stop:
        return _code_of(stop)
    except Exception as error:  # noqa: BLE001 - the boundary: no trace may reach a user
        return _report_bug(run.out, error, debug=run.options.debug)


def _run(args: list[str], run: Invocation) -> int:
    needed = "_MVAULT_COMPLETE" in os.environ or args[:1] == [] or args[0].startswith("-")
    root = build_root(completion=needed)
    try:
        code = root.main(args, prog_name="mvault", standalone_mode=False, obj=run)
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        raise unwritable_answer(error) from error
    return code if isinstance(code, int) else 0


def _code_of(stop: SystemExit) -> int:
    """Return the exit code of a parser that ended; a reader of the help that has gone is none."""
    if isinstance(stop.__context__, BrokenPipeError):
        return 0
    return stop.code if isinstance(stop.code, int) else int(stop.code is not None)


def _usage_error(error: typer.TyperException, args: list[str]) -> UsageError:
    message = error.format_message().rstrip(".")
    near = getattr(error, "possibilities", None)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "mvault"
    hint = f"`{path} --help` shows how it is used."
    if near:
        message = message.partition(" (Possible options")[0]
        hint = f"Did you mean {' or '.join(sorted(near))}? {hint}"
    elif not args:
        hint = "`mvault --help` lists the commands."
    return UsageError(message[:1].lower() + message[1:], hint=hint)


def _report_bug(out: Output, error: Exception, *, debug: bool) -> int:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({os.path.basename(last[0].filename)}:{last[0].lineno})" if last else ""  # noqa: PTH119
    if debug:
        out.trace("".join(traceback.format_exception(error)))
    failure = BugError(
        f"this is a defect of mvault: {type(error).__name__}: {error}{where}",
        hint="" if debug else "Run the command again with --debug and report what it prints.",
    )
    return out.error(failure)


def _close_quietly() -> None:
    """Flush; where that fails, keep the interpreter from complaining at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _silence(stream)


def _silence(stream: Any) -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return
