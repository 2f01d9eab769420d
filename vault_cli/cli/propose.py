"""`promote --auto`: what proved itself, proposed to the user vault. + everything below `cli`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import View, inline

if TYPE_CHECKING:
    from vault_cli.features.proposals import Proposal
    from vault_cli.model.change import Change
    from vault_cli.store.vault import Vault

_NAMED = 5


def propose(inv: Invocation) -> int:
    """Propose to the user vault what proved itself in the project (`--auto`)."""
    from vault_cli.cli.rendering import find_project
    from vault_cli.features.proposals import Policy, plan_proposals
    from vault_cli.store.config import load_config
    from vault_cli.store.layers import require_user_vault
    from vault_cli.store.vault import Vault

    own = load_config(None, environ=inv.environ, lenient=True)
    if own["promote.auto"] == "off" and not inv.options.dry_run:
        hint = "A person switches it on: mvault config set --user promote.auto draft"
        notes = ("nothing to do: promote.auto is off",)
        return inv.out.show(View(_proposal_data(None), notes=notes, hints=(hint,)))
    project = find_project(inv) if inv.layers.is_project else ""
    if not project:
        text = "nothing to do: only a project vault of a project with a name proposes"
        return inv.out.show(View(_proposal_data(None), notes=(text,)))
    if _is_temporary(inv.root, inv.environ):
        text = "nothing to do: projects in a folder for temporary files propose nothing"
        return inv.out.show(View(_proposal_data(None), notes=(text,)))
    user = Vault.open(require_user_vault(), environ=inv.environ)
    policy = Policy(
        project,
        most=int(own["promote.most"]),
        floor=int(own["promote.floor"]),
        admit=project in own["promote.admit"],
    )
    found = plan_proposals(
        inv.reading.snapshot(whole=True, alone=True, guarded=True),
        user.snapshot(),
        policy,
        now=inv.now,
        actor=inv.actor,
        random_int=inv.random_int,
    )
    return _show_proposal(inv, user, found)


def _proposal_data(found: Proposal | None) -> dict[str, Any]:
    from vault_cli.cli.preview import answer_data
    from vault_cli.cli.views import brief_data

    data = answer_data("promote", "promote --auto")
    chosen = found.chosen if found else ()
    passed = found.passed_over if found else ()
    return {
        **data,
        "proposed": [brief_data(record) for record in chosen],
        "passed_over": [{**brief_data(record), "reason": why} for record, why in passed],
        "ids": list(found.change.ids) if found else [],
    }


def _show_proposal(inv: Invocation, user: Vault, found: Proposal) -> int:
    from vault_cli.cli.preview import change_diff, plain

    change = found.change
    diff = change_diff(user.root, change)
    data = {**_proposal_data(found), "diff": plain(diff)}
    notes = [f"{record.id} is not proposed: {why}" for record, why in found.passed_over[:_NAMED]]
    more = len(found.passed_over) - _NAMED
    notes += [f"and {more} more are not proposed (--json names them)"] if more > 0 else []
    if change.is_empty:
        return inv.out.show(View(data, notes=(*notes, "nothing to do: nothing qualifies")))
    if inv.options.dry_run:
        notes.append(_say_planned(change))
        return inv.out.show(View({**data, "dry_run": True}, lambda: diff, notes=tuple(notes)))
    receipt = user.apply(change)
    paths = [edit.path for edit in change.edits]
    done = {**data, "changed": True, "applied": True, "commit": receipt.commit}
    titles: Sequence[str] = [inline(record.title) for record in found.chosen]
    commit = f"(commit {receipt.commit[:10]})"
    in_force = [title for title, path in zip(titles, paths, strict=True) if not _is_draft(path)]
    drafts = [title for title, path in zip(titles, paths, strict=True) if _is_draft(path)]
    told = [f"put in force in the user vault: {', '.join(in_force)} {commit}"] if in_force else []
    told += [f"proposed to the user vault: {', '.join(drafts)} {commit}"] if drafts else []
    hint = f"A person looks at them: mvault --vault {user.root} review"
    lines = list(change.ids)
    hints = (hint,) if drafts else ()
    return inv.out.show(
        View(done, lambda: lines, None, receipt.diagnostics, (*notes, *told), hints)
    )


def _is_draft(path: str) -> bool:
    return path.startswith("drafts/")


def _say_planned(change: Change) -> str:
    """Say how many drafts a run would write, and how much it would put in force."""
    from vault_cli.cli.views import plural

    drafts = sum(_is_draft(edit.path) for edit in change.edits)
    admitted = len(change.edits) - drafts
    said = [plural(drafts, "draft")] if drafts or not admitted else []
    said += [f"{plural(admitted, 'record')} put in force"] if admitted else []
    return f"dry run, nothing written: {', '.join(said)}"


def _is_temporary(place: Path, environ: Mapping[str, str]) -> bool:
    """Tell whether a folder lies where the system keeps what may be thrown away."""
    named = [environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    usual = ["/tmp", "/var/tmp"] if os.name == "posix" else []  # noqa: S108 - compared only
    folders = [name for name in named if name] or usual
    if sys.platform == "darwin":
        folders += usual
    real = Path(os.path.realpath(place))
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in folders)
