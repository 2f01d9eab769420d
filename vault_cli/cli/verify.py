"""`verify`: a person says what a record is confirmed by. May import everything below `cli`."""

from __future__ import annotations

from typing import Annotated

import typer

from vault_cli.cli import flags
from vault_cli.cli.deciding import approval_card, decide_about
from vault_cli.cli.guarding import require_admitted
from vault_cli.cli.invocation import Invocation

GivenEvidence = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        "-e",
        metavar="ID|TYPE:KEY=VALUE,…|JSON",
        help="Evidence of the record by its id, or new evidence (repeatable).",
    ),
]
Method = Annotated[
    str,
    typer.Option("--method", help="user-confirmation, tool-reproduction or independent-source."),
]
ConfirmedBy = Annotated[
    str, typer.Option("--actor", help="Who confirmed or looked it up (default: user).")
]


def verify(
    ctx: typer.Context,
    record_id: flags.AnyId,
    evidence: GivenEvidence = None,
    method: Method = "",
    actor: ConfirmedBy = "",
    reason: flags.Reason = "",
    yes: flags.Yes = False,
) -> int:
    """Make a record verified by evidence. Needs a person; a draft is approved by it at once.

    A confirmation or a reproduction needs a session event with both ends of its range; a source
    needs its address and the SHA-256 of the captured text, and must be another than the record's
    own. Review reports are kept but never enough. Without --evidence all that the record has is
    cited. The verification is tied to the text as it is now.

    Examples:
      mvault verify l-7k3qd2m -e session-event:session=7f3a,start=120,end=188
      mvault verify l-7k3qd2m -e e1 --method tool-reproduction --actor "npm test"
      mvault verify f-1m4c8tt -e '{"type": "external-uri", "uri": "…", "captured_sha256": "…"}'
    """
    from vault_cli.features.evidence import (
        VerifyRequest,
        needed_paths,
        parse_evidence,
        plan_verify,
    )

    inv: Invocation = ctx.obj
    record = inv.find(record_id)
    require_admitted(inv.vault, "verify", record)
    given = [text if _is_id(text) else parse_evidence(text) for text in evidence or ()]
    planned = plan_verify(
        inv.snapshot,
        record,
        {path: inv.read(path) for path in needed_paths(inv.snapshot, (record,))},
        VerifyRequest(given, method, actor, reason),
        now=inv.now,
        actor=inv.decider(yes=yes),
        random_int=inv.random_int,
    )
    plan = decide_about(planned, record, "verified", "Does this verify", yes=yes)
    plan.card = approval_card(inv, record)
    plan.nothing = "verified by this already"
    return inv.submit(plan)


def _is_id(text: str) -> bool:
    return "=" not in text and not text.lstrip().startswith("{")
