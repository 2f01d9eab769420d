"""`sync`: commit, fetch, merge record by record, push. May import everything below `cli`."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vault_cli.cli import flags
from vault_cli.cli.consent import consent_hint
from vault_cli.cli.invocation import LEFT, Invocation
from vault_cli.cli.output import Line, View
from vault_cli.cli.sync_answers import (
    Done,
    Wish,
    attach,
    conflict_hints,
    decision_data,
    edit_lines,
    incoming_data,
    kept_out_notes,
    left_of_merges,
    merge_change,
    own_lines,
    result_lines,
    summary,
    tell,
)
from vault_cli.cli.sync_sides import told_of
from vault_cli.cli.views import plural
from vault_cli.errors import ChangedMeanwhileError, NeedsPersonError, RefusedError
from vault_cli.text.names import show_path

if TYPE_CHECKING:
    from vault_cli.features.decisions import Decision, Reconciled
    from vault_cli.model.lifecycle import Actor
    from vault_cli.store.own_changes import Gone, Own
    from vault_cli.store.remotes import Fetched, Remote
    from vault_cli.store.repo import Repository
    from vault_cli.store.sides import Sides
    from vault_cli.store.syncing import Plan

_TRIES: Final = 12
"""So often others may be faster before the command gives up."""

_WAIT: Final = 30.0


def sync(
    ctx: typer.Context,
    remote: Annotated[
        str, typer.Option("--remote", metavar="NAME", help="The remote; else what git follows.")
    ] = "",
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch there; else this one's.")
    ] = "",
    no_push: Annotated[
        bool, typer.Option("--no-push", help="Take in what is there, send nothing.")
    ] = False,
    deletions: Annotated[
        bool, typer.Option("--deletions", help="Let many deletions at once pass. Needs a person.")
    ] = False,
    unrelated: Annotated[
        bool,
        typer.Option("--unrelated", help="Join histories without a common commit. Needs a person."),
    ] = False,
    rewritten: Annotated[
        bool,
        typer.Option(
            "--rewritten", help="Merge with a history that was rewritten there. Needs a person."
        ),
    ] = False,
    yes: flags.Yes = False,
) -> int:
    """Bring this vault and its remote together: commit, fetch, merge record by record, push.

    What was edited by hand is committed first. What both sides changed is joined by id: keys by
    what they mean, lists as sets, text by lines; of two statuses the more restrictive holds.
    Where both say something different the record is disputed, out of force, and the other wording
    lies in drafts/conflicts until `mvault resolve` says which counts. No file ever gets conflict
    markers. What was decided is listed here and in the commit message. Exit 1: something waits
    for a person. Changes of what is in force by hand, many deletions at once, and histories that do
    not fit together need a person.

    Examples:
      mvault sync
      mvault sync --dry-run
      mvault sync --no-push
    """
    inv: Invocation = ctx.obj
    wish = Wish(remote, branch, not no_push, deletions, unrelated, rewritten, yes)
    return _Sync(inv, wish).run()


class _Sync:
    """One run."""

    def __init__(self, inv: Invocation, wish: Wish) -> None:
        self.inv = inv
        self.wish = wish
        self.done = Done()
        self.merged: dict[tuple[str, str], Reconciled] = {}
        self.agreed: set[tuple[str, Gone]] = set()

    @property
    def repo(self) -> Repository:
        return self.inv.vault.require_repo()

    def run(self) -> int:
        """Do it, or show it."""
        from vault_cli.store.gate import require_no_operation
        from vault_cli.store.own_changes import find_own
        from vault_cli.store.remotes import find_remote

        self.inv.vault.require_in_place()
        require_no_operation(self.repo)
        own = find_own(self.inv.vault)
        self._guard_deletions(own.gone, "are missing here", own)
        try:
            remote = find_remote(self.repo, self.wish.remote, self.wish.branch)
        except Exception as error:
            attach(error, own.left)
            raise
        if self.inv.options.dry_run:
            return self._preview(own, remote)
        self._record(own)
        self._exchange(own, remote)
        return self._report(own, remote)

    # Own edits

    def _record(self, own: Own) -> None:
        """Commit what was edited here; a person agrees to what changes what is in force."""
        from contextlib import suppress

        from vault_cli.errors import VaultError
        from vault_cli.store.observing import commit_usage
        from vault_cli.store.own_changes import edit_change, record_own

        with suppress(VaultError):  # they can wait
            commit_usage(self.inv.vault, wait=_WAIT)
        if not own.edits:
            return
        change = edit_change(own, self._actor())
        if own.in_force:
            consent = self._agree(
                f"{plural(len(own.in_force), 'file')} edited by hand change what is in force",
                "Commit these edits?",
                edit_lines(self.repo, own),
                {"in_force": list(own.in_force)},
            )
            change = consent.sign(change) if consent is not None else change
        receipt = record_own(self.inv.vault, own, change, wait=_WAIT)
        self.done.committed = receipt.commit
        self.done.notes += receipt.diagnostics
        self.inv.forget_snapshot()

    def _actor(self) -> Actor:
        """Return who runs this: the person who stands behind it, if one does."""
        consent = self.inv.consent(yes=self.wish.yes)
        return consent.actor if consent.how else self.inv.actor

    def _agree(
        self, what: str, question: str, lines: Sequence[Line], data: Mapping[str, Any]
    ) -> Any:
        """Return who agreed.

        Raises:
            NeedsPersonError: nobody did; the preview was shown.
        """
        consent = self.inv.consent(yes=self.wish.yes)
        if not consent.how:
            self.inv.out.partial = dict(data)
            self.inv.out.lines(lines)
            raise NeedsPersonError(
                f"sync: {what}; a person has to agree",
                hint=consent_hint(self.inv.environ, yes=self.wish.yes),
            )
        if consent.ask:
            self.inv.out.preview([what, *lines])
            if not self.inv.confirm(question):
                raise NeedsPersonError(LEFT)
        return consent

    def _guard_deletions(self, gone: Gone, where: str, own: Own | None = None) -> None:
        """Let a person decide when so many records are missing that it looks like an accident."""
        if not gone.is_mass or (where, gone) in self.agreed:
            return
        what = f"{gone.number} of {plural(gone.total, 'record')} {where}"
        if not self.wish.deletions:
            hint = "If they are meant to go: mvault sync --deletions"
            if own is not None:
                root = show_path(str(self.repo.place.work_tree))
                hint = (
                    f"To bring the missing files back: git -C {root} checkout-index --all"
                    f" (it writes no file that is there). {hint}"
                )
            raise NeedsPersonError(f"sync: {what}; nothing was done", hint=hint)
        self._agree(what, "Delete them?", (), {"deletions": gone.number})
        self.agreed.add((where, gone))

    # The other side

    def _exchange(self, own: Own, remote: Remote) -> None:
        """Fetch, merge and push until nobody was faster."""
        from vault_cli.store.remotes import PushRaceError, note_synced, push

        last: Exception | None = None
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(random.uniform(0, min(2.0, 0.05 * 2**attempt)))  # noqa: S311 - a pause
            try:
                fetched = self._fetch(remote)
                if fetched.tip:
                    self._merge(own, remote, fetched)
                head = self.repo.head()
                note_synced(self.repo, remote, fetched.tip)
                if not self.wish.push or head == fetched.tip or not head:
                    return
                self._require_own_commits(fetched.tip, head)
                tell("pushing to", remote)
                push(self.repo, remote, head)
                note_synced(self.repo, remote, head)
            except (PushRaceError, ChangedMeanwhileError) as error:
                last = error
                continue
            self.done.pushed = True
            return
        raise ChangedMeanwhileError(
            f"others kept changing {remote}: {last}",
            hint="What was merged is committed here. Run it again: mvault sync",
        ) from last

    def _fetch(self, remote: Remote) -> Fetched:
        """Fetch; a history that was rewritten there is not merged without a person."""
        from vault_cli.store.git_place import is_shallow
        from vault_cli.store.remotes import fetch

        tell("fetching from", remote)
        fetched = fetch(self.repo, remote)
        head = self.repo.head()
        known = not (fetched.tip and head) or self.repo.merge_base(head, fetched.tip)
        if not known and is_shallow(self.repo.place):  # the common commit may just not be here
            fetched = fetch(self.repo, remote, whole=True)
        before, tip = fetched.before, fetched.tip
        lost = before and tip and self.repo.merge_base(before, tip) != before
        if lost and not self.wish.rewritten:
            raise NeedsPersonError(
                f"the history of {remote} was rewritten: {before[:10]}, which it had, is no part"
                " of it any more",
                hint="It may have been done to remove a secret: merging would bring it back. Ask"
                " who did it; then take a fresh clone, or join both: mvault sync --rewritten",
            )
        return fetched

    def _merge(self, own: Own, remote: Remote, fetched: Fetched) -> None:
        from vault_cli.store.syncing import plan_merge, take_in

        plan = plan_merge(self.inv.vault, self.repo.head(), fetched.tip, self._reconcile)
        if plan.kind in {"none", "ahead"}:
            return
        self._guard_plan(plan, remote)
        merged = self.merged.get((plan.head, plan.other))
        decisions = merged.decisions if merged is not None and plan.kind == "merge" else []
        change = merge_change(remote, plan, decisions, self._actor())
        blocked = {item.path: item for item in own.left}
        receipt = take_in(self.inv.vault, plan, change, blocked=blocked, wait=_WAIT)
        self.done.kind = plan.kind if self.done.kind != "merge" else "merge"
        self.done.commit = receipt.commit
        self.done.decisions += decisions
        self.done.incoming += incoming_data(plan)
        self.inv.forget_snapshot()

    def _guard_plan(self, plan: Plan, remote: Remote) -> None:
        if plan.is_unrelated and not self.wish.unrelated:
            raise NeedsPersonError(
                f"{remote} and this vault have no commit in common",
                hint="If they are to become one: mvault sync --unrelated",
            )
        if plan.is_unrelated:
            what = f"{remote} has no commit in common with this vault; both are joined"
            self._agree(what, "Join them?", (), {"unrelated": True})
        self._guard_deletions(plan.gone, f"are deleted by {remote}")

    def _require_own_commits(self, tip: str, head: str) -> None:
        """In a folder of a bigger repository, send no commit that is about other files."""
        repo = self.repo
        if not repo.prefix:
            return
        from vault_cli.store.sides import outside_changes

        base = repo.merge_base(head, tip) if tip else ""
        names = outside_changes(repo, base, head)
        if names:
            raise RefusedError(
                f"commits here change files outside of the vault, {show_path(names[0])} for one;"
                " they are not pushed by mvault",
                hint="Push them with git when they are ready. What came in is merged.",
            )

    def _reconcile(self, sides: Sides, one: str, other: str) -> Mapping[str, bytes | None]:
        """Merge three versions."""
        from vault_cli.features.reconcile import reconcile
        from vault_cli.store.file_names import is_record_path

        ignore = self.inv.vault.config["files.ignore"]
        found = reconcile(
            sides.base, sides.one, sides.other,
            kept=sides.kept, is_record=lambda path: is_record_path(path, ignore),
            told=told_of(self.inv.vault, sides, one, other),
        )  # fmt: skip
        self.merged[one, other] = found
        return found.files

    # Answers

    def _preview(self, own: Own, remote: Remote) -> int:
        """Show what a run would do. The fetch is real: it changes nothing of the vault."""
        from vault_cli.model.change import Put
        from vault_cli.store.syncing import plan_merge

        fetched = self._fetch(remote)
        data = self._data(own, remote, dry_run=True)
        decisions: list[Decision] = []
        head = self.repo.head()
        push = self.wish.push and bool(head) and (bool(own.edits) or head != fetched.tip)
        if fetched.tip:
            overlay = {e.path: e.data if isinstance(e, Put) else None for e in own.edits}
            plan = plan_merge(self.inv.vault, head, fetched.tip, self._reconcile, overlay)
            merged = self.merged.get((plan.head, plan.other))
            decisions = merged.decisions if merged is not None else []
            push = push and (plan.kind != "forward" or bool(own.edits))
            data |= {
                "kind": plan.kind,
                "decisions": [decision_data(item) for item in decisions],
                "incoming": incoming_data(plan),
                "deletions": plan.gone.number,
                "unrelated": plan.is_unrelated,
            }
        data["would_push"] = push
        lines = [*own_lines(own), *result_lines(data, decisions)]
        if push:
            lines.append([("dim", "would push to "), str(remote)])
        notes = ("dry run, nothing written",)
        view = View(data, lambda: lines, None, own.left, notes)
        return self.inv.out.show(view)

    def _report(self, own: Own, remote: Remote) -> int:
        data = self._data(own, remote)
        broken = left_of_merges(self.inv.snapshot)
        waits = [item for item in self.done.decisions if item.waits]
        data["waiting"] = [item.path for item in waits] + [item.path for item in broken]
        lines = list(result_lines(data, self.done.decisions))
        notes = [summary(self.done, remote), *kept_out_notes(self.inv)]
        hints = conflict_hints(waits, self.inv.snapshot)
        findings = tuple(dict.fromkeys((*own.left, *broken, *self.done.notes)))
        problem = bool(own.left or broken or waits)
        view = View(data, lambda: lines, None, findings, notes, hints, 1 if problem else 0)
        return self.inv.out.show(view)

    def _data(self, own: Own, remote: Remote, *, dry_run: bool = False) -> dict[str, Any]:
        from vault_cli.model.change import Put

        done = self.done
        data: dict[str, Any] = {
            "remote": remote.name,
            "branch": remote.branch,
            "head": self.repo.head(),
            "edits": [
                {"path": e.path, "what": "removed" if not isinstance(e, Put) else "changed"}
                for e in own.edits
            ],
            "not_committed": [item.path for item in own.left],
            "committed": done.committed,
            "kind": done.kind,
            "commit": done.commit,
            "incoming": done.incoming,
            "decisions": [decision_data(item) for item in done.decisions],
            "pushed": done.pushed,
        }
        return {**data, "dry_run": True} if dry_run else data
