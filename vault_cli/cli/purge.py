"""`purge`: a history without a secret, made beside, never in place. May import all below."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vault_cli.cli import flags
from vault_cli.cli.consent import consent_hint
from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, inline
from vault_cli.cli.views import plural
from vault_cli.errors import NeedsPersonError, NotFoundError, RefusedError, UsageError
from vault_cli.store.places import expand_home
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.store.purging import Holding

_STEPS: Final = (
    "Revoke the secret where it is used: clones, forks, caches and backups keep it.",
    (
        "Let everybody push, and bring it here: mvault sync, git fetch --all --tags. What is not"
        " here is not in the copy."
    ),
    (
        "Look at the copy; then whoever keeps the remote replaces its branches and tags by the"
        " copy's. Protected branches have to allow it for that moment; pull requests are made anew."
    ),
    (
        "Everybody else: copy out what is not there yet, put the old clone away, and clone again."
        " A sync of an old clone says that the history was rewritten; if it is let through, the"
        " secret comes back."
    ),
    "On GitHub and GitLab ask the support to drop cached views and unreachable objects.",
    "In the fresh clone: mvault trust",
)


def purge(
    ctx: typer.Context,
    ids: flags.SomeIds = None,
    text: Annotated[
        str,
        typer.Option("--text", metavar="TEXT", help="A text to take out; `-`: from stdin."),
    ] = "",
    into: Annotated[
        str, typer.Option("--into", metavar="FOLDER", help="Make the rewritten copy there.")
    ] = "",
    yes: flags.Yes = False,
) -> int:
    """Plan a rewrite of history that takes a leaked secret out; with --into make a copy of it.

    The vault's own history is never rewritten: git filter-repo (installed by you) works on a bare
    copy, which is then looked through. Of a record every version goes and its tombstone stays, so
    it has to be forgotten first; its title stands in commit messages, which --text is for. Of a
    text (one line, literal) every occurrence is replaced, in files and commit messages. The plan
    says which commits change and what everybody has to do.
    Needs a person. Give a secret on stdin, not on the command line: shells remember.

    Examples:
      mvault purge f-1m4c8tt
      mvault purge f-1m4c8tt --into ../clean.git
      mvault purge --text - --into ../clean.git
    """
    from vault_cli.store.purging import (
        Target,
        find_tool,
        measure,
        require_rewritable,
        require_up_to_date,
        rewrite,
    )

    inv: Invocation = ctx.obj
    if not ids and not text:
        raise UsageError("an id or --text is needed", hint="Run: mvault purge ID")
    repo = inv.vault.require_repo()
    require_rewritable(repo)
    texts = _texts(text) if text else ()
    target = Target(_versions(inv, ids or []), texts)
    reach = measure(repo, target)
    data: dict[str, Any] = {
        "ids": list(ids or ()),
        "paths": list(target.paths),
        "texts": len(texts),
        "commits": list(reach.commits),
        "rewritten": reach.rewritten,
        "refs": list(reach.refs),
        "remotes": list(reach.remotes),
        "names": list(reach.names),
        "unreached": reach.unreached,
        "steps": list(_STEPS),
        "into": "",
    }
    if reach.is_empty:
        return inv.out.show(View(data, notes=("nothing to do: no commit has it",)))
    lines = _plan_lines(data)
    if not into or inv.options.dry_run:
        what = " ".join((*(ids or ()), *(("--text -",) if texts else ())))
        hint = () if into else (f"To make the copy: mvault purge {what} --into FOLDER",)
        return inv.out.show(
            View(data, lambda: lines, notes=("a plan; nothing is done",), hints=hint)
        )
    if reach.names:
        raise RefusedError(
            f"the name of a file has the text: {show_path(reach.names[0])}",
            hint="A rewrite of texts leaves names. Give it another one in history, too:"
            " git filter-repo --path-rename OLD:NEW",
        )
    place = _place(inv, into)
    require_up_to_date(repo)
    find_tool(inv.root)
    consent = inv.consent(yes=yes)
    if not consent.how:
        inv.out.partial = data
        inv.out.lines(lines)
        raise NeedsPersonError(
            "purge: a person has to agree", hint=consent_hint(inv.environ, yes=yes)
        )
    if consent.ask:
        inv.out.preview(lines)
        if not inv.confirm(f"Make a rewritten copy in {into}?"):
            return inv.left(data)
    rewrite(repo, target, place)
    data["into"] = str(place)
    count = plural(reach.rewritten, "commit")
    note = f"made {show_path(str(place))}: {count} rewritten, looked through"
    return inv.out.show(View(data, lambda: lines, notes=(note,)))


def _place(inv: Invocation, into: str) -> Path:
    """Return where the copy goes, which is outside of the vault."""
    import os

    place = Path(os.path.normpath(inv.cwd / expand_home(into)))
    if Path(os.path.realpath(place)).is_relative_to(os.path.realpath(inv.root)):
        raise UsageError("--into leads into the vault", hint="Name a folder outside of it.")
    return place


def _texts(text: str) -> tuple[str, ...]:
    from vault_cli.cli.intake import read_stdin
    from vault_cli.store.purging import require_sound_text

    return (require_sound_text(read_stdin() if text == "-" else text),)


def _versions(inv: Invocation, ids: list[str]) -> tuple[Holding, ...]:
    """Return every version of the records; they must be forgotten, so that a tombstone stays."""
    from vault_cli.store.purging import versions_of

    gone = inv.vault.forgotten()
    found: list[Holding] = []
    there = {record.id for record in inv.snapshot.records} - gone
    for name in ids:
        if name in there:
            raise RefusedError(
                f"{name} is still in the vault",
                hint=f"First delete it, so that a tombstone stays: mvault forget {name}"
                " --reason-code secret",
            )
        versions = versions_of(inv.vault.require_repo(), name)
        if not versions:
            raise NotFoundError(f"no commit has a record {name}")
        found += versions
    return tuple(dict.fromkeys(found))


def _plan_lines(data: dict[str, Any]) -> list[Line]:
    lines: list[Line] = [[("bold", "goes: "), inline(show_path(path))] for path in data["paths"]]
    if data["texts"]:
        lines.append([("bold", "goes: "), "the text, wherever it stands"])
    held, moved = plural(len(data["commits"]), "commit"), plural(len(data["refs"]), "ref")
    first = f", the first {data['commits'][0][:10]}" if data["commits"] else ""
    lines.append(f"held by {held}{first}")
    lines.append(f"{plural(data['rewritten'], 'commit')} get another id; {moved} move")
    lines += [[("yellow", "in a name: "), inline(show_path(path))] for path in data["names"]]
    if data["unreached"]:
        count = plural(data["unreached"], "commit")
        lines.append(
            f"{count} that no branch or tag reaches (a reflog, an older stash) have it here, too:"
            " they are not in the copy; a clone that is kept loses them by git stash clear,"
            " git reflog expire --expire=now --all, git gc --prune=now"
        )
    if data["remotes"]:
        lines.append(f"remotes that have the old history: {', '.join(data['remotes'])}")
    lines += [f"{number}. {step}" for number, step in enumerate(data["steps"], 1)]
    return lines
