"""Memories of another program become drafts: one change for a whole import.

May import `text`, `model`.

Every text goes through the admission scanner as if nobody had vouched for it: a secret is refused,
what else is held goes into `quarantine/`. A record knows its item by an alias and by a digest of
the content as it came, so a second import of the same store changes nothing, an edit made here is
never overwritten, and a change over there is told from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.composing import DraftRequest, check_request
from vault_cli.features.foreign import OWN, about_item, content_digest, item_request
from vault_cli.features.forgetting import find_forgotten
from vault_cli.features.proposing import Composer, Draft
from vault_cli.features.records import other_ids
from vault_cli.features.suspects import find_suspects
from vault_cli.model.change import Change, Put
from vault_cli.model.foreign import CLAIMED, CONTENT, Item, Store
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import IN_FORCE, Record, Snapshot, Status
from vault_cli.text.names import OWN_ID, new_id
from vault_cli.text.scan import ALL

ORIGIN: Final = "import"

ACTIONS: Final = (
    "added", "updated", "proposed", "unchanged", "duplicate", "held", "refused", "forgotten",
    "rejected",
)  # fmt: skip
"""What becomes of an item. `proposed` is a new draft beside a record that stays as it is."""

_STANDING: Final = IN_FORCE | {Status.CANDIDATE, Status.DISPUTED}
_ANSWERED: Final = IN_FORCE | {Status.DISPUTED}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one item.

    Args:
        item: what was found.
        action: one of `ACTIONS`.
        record_id: of the draft, or of the record that is there; "" when there is none.
        notes: findings about it.
        scope: as it was decided.
    """

    item: Item
    action: str
    record_id: str = ""
    notes: tuple[Diagnostic, ...] = ()
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do.

    Args:
        change: all drafts, one commit; empty when there is nothing new.
        held: what goes into quarantine, which is no part of history; may be empty.
        outcomes: one per item, in the order of the source.
    """

    change: Change
    held: Change
    outcomes: tuple[Outcome, ...]

    @property
    def totals(self) -> dict[str, int]:
        """How many items each action has."""
        actions = [outcome.action for outcome in self.outcomes]
        return {name: actions.count(name) for name in ACTIONS if name in actions}


def plan_import(
    snapshot: Snapshot,
    store: Store,
    texts: Callable[[str], bytes],
    *,
    scope_of: Callable[[Item], str],
    now: datetime,
    random_int: Callable[[int], int],
    actor: Actor = Actor.IMPORT,
    gates: frozenset[str] = ALL,
) -> ImportPlan:
    """Plan the import of a store.

    Args:
        snapshot: the vault it goes into, whole.
        store: what an importer found.
        texts: the bytes of a file of the vault, by path.
        scope_of: the scope of an item, decided by evidence (`foreign.scope_by_name` else).
        now: aware instant in the vault's time zone.
        random_int: random integer below its argument, for ids.
        actor: who runs the import; every text is admitted as of `import`, whoever it is.
        gates: the gates of admission that are on.
    """
    run = _Run(snapshot, store, texts, scope_of, now, random_int, gates)
    outcomes = tuple(map(run.take, store.items))
    where = sorted({source.file for source in store.sources if source.items})
    count = len(run.drafts)
    subject = f"({store.format}): {count} record{'' if count == 1 else 's'}"
    reason = "\n".join(f"from {name}" for name in where[:20])
    if len(where) > 20:  # noqa: PLR2004
        reason += f"\nand {len(where) - 20} more files"

    def change(verb: str, edits: dict[str, tuple[str, Put]]) -> Change:
        ids = tuple(own for own, _ in edits.values())
        puts = tuple(put for _, put in edits.values())
        return Change(verb, subject, puts, reason, ids, actor, ORIGIN)

    return ImportPlan(change("import", run.drafts), change("quarantine", run.held), outcomes)


class _Run:
    """One import while it is planned."""

    def __init__(
        self,
        snapshot: Snapshot,
        store: Store,
        texts: Callable[[str], bytes],
        scope_of: Callable[[Item], str],
        now: datetime,
        random_int: Callable[[int], int],
        gates: frozenset[str],
    ) -> None:
        self.snapshot = snapshot
        self.texts = texts
        self.scope_of = scope_of
        self.now = now
        self.random_int = random_int
        self.gates = gates
        self.drafts: dict[str, tuple[str, Put]] = {}
        self.held: dict[str, tuple[str, Put]] = {}
        self.taken = other_ids(snapshot)
        self.known = _by_alias(snapshot)
        self.fresh: dict[str, tuple[str, str]] = {}
        self.contents: dict[tuple[str, str], str] = {}
        self.titles: dict[str, list[Record]] = {}
        for record in snapshot.records:
            if record.status in _STANDING:
                self.titles.setdefault(record.title, []).append(record)
        self.tombs = any(r.status is Status.TOMBSTONED for r in snapshot.records)
        self.ids = self._promised(store.items)

    def _promised(self, items: tuple[Item, ...]) -> dict[str, str]:
        """Return the id of each alias that a record has, or will have, for relations."""
        found = {alias: records[-1].id for alias, records in self.known.items()}
        for item in items:
            if item.alias not in found:
                found[item.alias] = self._new_id(item)
        return found

    def _new_id(self, item: Item) -> str:
        own = item.record_id
        if not own or own in self.taken or not OWN_ID.fullmatch(own):
            own = new_id(item.kind, self.taken, self.random_int)
        self.taken.add(own)
        return own

    def take(self, item: Item) -> Outcome:
        """Decide about one item."""
        scope = self.scope_of(item)
        try:
            outcome = self._decide(item, scope)
        except RefusedError as error:
            notes = error.diagnostics or (about_item(item, "refused", error.message),)
            outcome = Outcome(item, "refused", notes=tuple(_placed(item, n) for n in notes))
        except UsageError as error:
            outcome = Outcome(
                item, "refused", notes=(about_item(item, "bad-value", error.message),)
            )
        return replace(outcome, scope=scope)

    def _decide(self, item: Item, scope: str) -> Outcome:
        known = self._known(item)
        if item.echo and known:
            return Outcome(item, "unchanged", known[-1].id)
        request, dropped = item_request(item, scope, self.now, self.ids)
        probe = self._compose(request, self.ids[item.alias], whole=False)
        digest = content_digest(probe.record)
        same = next((r for r in known if digest in (_imported_digest(r), content_digest(r))), None)
        if same is not None:
            self.fresh.setdefault(item.alias, (same.id, digest))
            return Outcome(item, "unchanged", same.id)
        if item.alias in self.fresh:
            return self._met_again(item, digest)
        gone = find_forgotten(self.snapshot, probe.record) if self.tombs else ()
        if gone:
            return Outcome(item, "forgotten", notes=tuple(_placed(item, n) for n in gone))
        twin = self.contents.get((digest, scope)) or self._twin(probe.record, digest)
        if twin and not known:
            return Outcome(item, "duplicate", twin)
        request = replace(request, extra=_with_digest(request.extra, digest))
        return self._write(item, request, known, digest, scope, dropped)

    def _known(self, item: Item) -> tuple[Record, ...]:
        """Return the records of an item: by its alias, else by a foreign id it had before."""
        foreign = (name for name in item.names if ":" in name)
        keys = (item.alias, *foreign)
        return next((found for key in keys if (found := self.known.get(key))), ())

    def _twin(self, record: Record, digest: str) -> str:
        """Return the id of a record of the vault that says exactly the same to the same ones."""
        return next(
            (
                other.id
                for other in self.titles.get(record.title, ())
                if other.scope == record.scope and content_digest(other) == digest
            ),
            "",
        )

    def _met_again(self, item: Item, digest: str) -> Outcome:
        own, seen = self.fresh[item.alias]
        if seen == digest:
            return Outcome(item, "duplicate", own)
        text = f"{item.alias} stands twice in the source with different texts; the first is taken"
        return Outcome(item, "refused", notes=(about_item(item, "same-alias", text),))

    def _write(
        self,
        item: Item,
        request: DraftRequest,
        known: tuple[Record, ...],
        digest: str,
        scope: str,
        dropped: Sequence[Diagnostic],
    ) -> Outcome:
        last = known[-1] if known else None
        # Any file may carry the mark of a record; only its own source changes an imported draft.
        in_place = last is not None and item.alias in last.aliases and _is_untouched(last)
        if last is not None and in_place:
            own, action = last.id, "updated"
            request = replace(request, scope=str(last.scope))
        else:
            own, action = self.ids[item.alias], "added"
            if last is not None:
                own, action = self._new_id(replace(item, record_id="")), "proposed"
                if last.status in _ANSWERED and not item.supersedes:
                    request = replace(request, supersedes=(last.id,))
        draft = self._compose(request, own)
        edit = Put(draft.record.path, draft.data)
        if last is not None and in_place and draft.is_held == (last.status is Status.QUARANTINED):
            edit = Put(last.path, draft.data, last.digest)
        elif last is not None and in_place:
            own = self._new_id(replace(item, record_id=""))
            draft, action = self._compose(request, own), "proposed"
            edit = Put(draft.record.path, draft.data)
        (self.held if draft.is_held else self.drafts)[edit.path] = (own, edit)
        self.fresh[item.alias] = (own, digest)
        self.contents.setdefault((digest, scope), own)
        notes = tuple(_placed(item, n) for n in (*dropped, *self._notes(draft)))
        return Outcome(item, "held" if draft.is_held else action, own, notes)

    def _compose(self, request: DraftRequest, own: str, *, whole: bool = True) -> Draft:
        """Return the draft; what is like it is looked for only if `whole`, since that is dear."""
        composer = Composer(check_request(request), own, self.now, Actor.IMPORT, ORIGIN, self.gates)
        return composer.compose(self.snapshot if whole else Snapshot(), ())

    def _notes(self, draft: Draft) -> tuple[Diagnostic, ...]:
        found = [n for n in draft.record.findings if n.severity != "note"]
        return (*draft.alike, *found, *find_suspects((draft.record,), self.gates))


def _by_alias(snapshot: Snapshot) -> dict[str, tuple[Record, ...]]:
    """Return the records of each alias: ended ones first, then those in force, drafts last."""
    order = (Status.QUARANTINED, Status.DISPUTED, Status.ACTIVE, Status.VERIFIED, Status.CANDIDATE)
    found: dict[str, list[Record]] = {}
    for record in snapshot.records:
        if record.status is Status.TOMBSTONED:
            continue
        for alias in (*record.aliases, f"{OWN}{record.id}"):
            found.setdefault(alias, []).append(record)

    def rank(record: Record) -> tuple[int, str, str]:
        known = record.status in order
        return (order.index(record.status) + 1 if known else 0, record.created, record.id)

    return {alias: tuple(sorted(records, key=rank)) for alias, records in found.items()}


def _imported_digest(record: Record) -> str:
    claimed = record.fields.get(CLAIMED)
    return str(claimed.get(CONTENT) or "") if isinstance(claimed, Mapping) else ""


def _is_untouched(record: Record) -> bool:
    """Tell whether a draft is as it was imported, so that a newer text may take its place."""
    waits = record.status in (Status.CANDIDATE, Status.QUARANTINED)
    return waits and _imported_digest(record) == content_digest(record)


def _with_digest(extra: Mapping[str, Any], digest: str) -> Mapping[str, Any]:
    return MappingProxyType({**extra, CLAIMED: {**extra[CLAIMED], CONTENT: digest}})


def _placed(item: Item, found: Diagnostic) -> Diagnostic:
    """Return a finding about a draft as one about the file it came from."""
    return found._replace(path=item.file or found.path, line=item.line)
