"""Options that commands share, declared once. May import typer and `cli.complete`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from vault_cli.cli.complete import (
    complete_disputed,
    complete_draft,
    complete_ended,
    complete_id,
    complete_in_force,
    complete_kind,
    complete_status,
    complete_view,
)

_SET = "Set a front-matter key (repeatable); lists are separated by commas: topics=ci,git."
Complete = Callable[[str], list[Any]]


def one_id(complete: Complete) -> Any:
    """Declare an argument that names one record, completed by `complete`."""
    return typer.Argument(
        metavar="ID", help="Id, its unique beginning, or a path.", autocompletion=complete
    )


def some_ids(complete: Complete, metavar: str = "[ID...]") -> Any:
    """Declare an argument that names records, completed by `complete`."""
    return typer.Argument(
        metavar=metavar, help="Ids, their beginnings, or paths.", autocompletion=complete
    )


AnyId = Annotated[str, one_id(complete_id)]
DraftId = Annotated[str, one_id(complete_draft)]
DraftIds = Annotated[list[str], some_ids(complete_draft, "ID...")]
ForceId = Annotated[str, one_id(complete_in_force)]
DisputedId = Annotated[str, one_id(complete_disputed)]
EndedId = Annotated[str, one_id(complete_ended)]
SomeIds = Annotated[list[str] | None, some_ids(complete_id)]
SomeForceIds = Annotated[list[str] | None, some_ids(complete_in_force)]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        help="Do not ask. Without a terminal only for an actor the user's configuration names.",
    ),
]
Reason = Annotated[
    str, typer.Option("--reason", "-r", help="Why; it becomes the body of the commit message.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="CODE", help="Let a finding pass (a person, with --reason)."),
]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=_SET)]
Body = Annotated[
    str | None, typer.Option("--body", "-b", help="Text in Markdown; `-` reads stdin.")
]

Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", "-k", help="Only this kind (repeatable).", autocompletion=complete_kind),
]
Statuses = Annotated[
    list[str] | None,
    typer.Option(
        "--status", "-s", help="Only this status (repeatable).", autocompletion=complete_status
    ),
]
States = Annotated[
    list[str] | None,
    typer.Option("--state", metavar="STATE", help="Only in this derived state (repeatable)."),
]
WithStates = Annotated[bool, typer.Option("--states", help="Show derived states too.")]
Topics = Annotated[
    list[str] | None, typer.Option("--topic", "-t", help="Only this topic (repeatable).")
]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="global, project[:ID], session[:ID] (repeatable)."),
]

KindName = Annotated[
    str, typer.Argument(metavar="KIND", help="What it is.", autocompletion=complete_kind)
]
Title = Annotated[str | None, typer.Option("--title", "-T", help="One line; else the heading.")]
Sections = Annotated[
    list[str] | None,
    typer.Option("--section", help="NAME=TEXT, for example problem=…, 修正=… (repeatable)."),
]
Payload = Annotated[
    str, typer.Option("--payload", metavar="FILE", help="JSON object or list of them; `-`: stdin.")
]
OneScope = Annotated[
    str, typer.Option("--scope", help="global, project (this one), project:ID, session:ID.")
]
ToUser = Annotated[
    bool, typer.Option("--to-user", help="Into the user vault, also where a project has its own.")
]
SomeTopics = Annotated[list[str] | None, typer.Option("--topic", "-t", help="Repeatable.")]
Keywords = Annotated[list[str] | None, typer.Option("--keyword", help="Repeatable.")]
AppliesWhen = Annotated[str, typer.Option("--applies-when", help="When it matters.")]
Boundary = Annotated[str, typer.Option("--boundary", help="Where it stops being true.")]
Summary = Annotated[str, typer.Option("--summary", help="One or two sentences.")]
Importance = Annotated[int | None, typer.Option("--importance", help="1 to 10.")]
Confidence = Annotated[str, typer.Option("--confidence", help="low, medium, high.")]
Source = Annotated[
    str, typer.Option("--source", help="Who claims it: user agent web tool doc import.")
]
ValidFrom = Annotated[str, typer.Option("--valid-from", help="Day or instant (ISO).")]
ValidTo = Annotated[str, typer.Option("--valid-to", help="Last day or instant (ISO).")]
Supersedes = Annotated[
    list[str] | None,
    typer.Option(
        "--supersedes", help="Id it replaces once approved.", autocompletion=complete_in_force
    ),
]
DerivedFrom = Annotated[
    list[str] | None,
    typer.Option("--derived-from", help="Id it rests on.", autocompletion=complete_id),
]
Required = Annotated[bool, typer.Option("--required", help="A rule that must be followed.")]
Checklist = Annotated[bool, typer.Option("--checklist", help="A rule to check before work.")]
Correction = Annotated[bool, typer.Option("--correction", help="Pin to the top.")]

Mode = Annotated[str, typer.Option("--mode", "-m", help="assist, strict or off.")]
Task = Annotated[str, typer.Option("--query", help="The task at hand; ranks what fits first.")]
Most = Annotated[
    int, typer.Option("--max", min=0, metavar="CHARS", help="Most characters it may take.")
]
Budget = Annotated[
    int | None,
    typer.Option("--budget", "-b", min=0, help="Most the block may take; 0: no limit."),
]
Unit = Annotated[str, typer.Option("--unit", help="bytes or characters.")]
SessionId = Annotated[str, typer.Option("--session", help="Session id.")]
Project = Annotated[
    str | None,
    typer.Option("--project", help="Project id (default: from the git remote of this folder)."),
]
WithReceipt = Annotated[
    bool, typer.Option("--receipt", help="Explain on stderr what is shown and left out.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--to", metavar="FILE", help="Write into the managed block of FILE (repeatable)."),
]
WithUser = Annotated[
    bool, typer.Option("--with-user", help="With --to: also your own vault, into a project's file.")
]
Since = Annotated[
    str,
    typer.Option(
        "--since",
        metavar="RECEIPT|DATE|COMMIT",
        help="Only what is new, changed or gone since then (@1: the last render).",
    ),
]
Batch = Annotated[
    bool,
    typer.Option(
        "--batch", help="With --to: additions wait until render.commit_every of them are there."
    ),
]
At = Annotated[
    str,
    typer.Option(
        "--at", metavar="DATE|COMMIT", help="Both clocks: what was rendered then (--known-at too)."
    ),
]
KnownAt = Annotated[
    str,
    typer.Option(
        "--known-at",
        metavar="DATE|COMMIT",
        help="The vault as git knew it: a commit, or the last one up to the end of a day.",
    ),
]
ValidAt = Annotated[
    str,
    typer.Option("--valid-at", metavar="DATE|TIME", help="Only what holds on that day or then."),
]
TimeView = Annotated[
    str,
    typer.Option(
        "--view",
        help="strict, historical, belief (with --known-at) or associative.",
        autocompletion=complete_view,
    ),
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=0, help="Most records; 0: all.")]
