"""The hand-over of a project: where the last session stopped. May import `text`, `model`.

One record a project, first in the block; the next hand-over takes its place. An agent's waits for
a person like any other proposal, since it would be read by every session to come; an agent's next
one takes the place of its last that still waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic, UsageError
from vault_cli.features.composing import DraftRequest, check_request, compose_draft
from vault_cli.features.drafts import as_verb, plan_add
from vault_cli.features.parts import is_chinese
from vault_cli.features.records import (
    Planned,
    instant_text,
    other_ids,
    patch_keys,
    put_change,
    read_checked,
    require_same,
    subject_of,
)
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.text.document import REMOVE, replace_body
from vault_cli.text.names import file_name, new_id
from vault_cli.text.scan import ALL

TITLES: Final = ("Hand-over", "交接")
"""Title of a hand-over in English and in Chinese."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The hand-overs of one scope.

    Args:
        current: the one in force, None for none; of several the newest.
        waiting: the newest draft, None for none.
        others: what stands in force besides the newest.
    """

    current: Record | None = None
    waiting: Record | None = None
    others: tuple[Record, ...] = ()


def find_handoff(snapshot: Snapshot, scope: str) -> Standing:
    """Return the hand-overs of a scope, `project:<id>` or `global`."""
    own = [r for r in snapshot.records if r.kind is Kind.HANDOFF and str(r.scope) == scope]
    own.sort(key=lambda record: (record.created, record.id), reverse=True)
    in_force = [record for record in own if record.in_force and not record.withheld]
    waiting = [record for record in own if record.status is Status.CANDIDATE]
    return Standing(next(iter(in_force), None), next(iter(waiting), None), tuple(in_force[1:]))


@dataclass(frozen=True, slots=True)
class HandoffRequest:
    """A hand-over to write.

    Args:
        text: Markdown.
        scope: whose.
        budget: most characters; 0: no limit.
    """

    text: str
    scope: str
    budget: int = 0

    def checked(self) -> str:
        """Return the text without blank ends.

        Raises:
            UsageError: there is none, or it does not fit the budget.
        """
        text = self.text.replace("\r\n", "\n").strip()
        if not text:
            raise UsageError(
                "a hand-over needs words", hint='mvault handoff "what is done, what comes next"'
            )
        if self.budget and len(text) > self.budget:
            raise UsageError(
                f"the hand-over has {len(text)} characters, {len(text) - self.budget} too many",
                hint=f"At most {self.budget} (handoff.max_characters): what is needed first?",
            )
        return text


def plan_handoff(
    snapshot: Snapshot,
    request: HandoffRequest,
    data: bytes,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
    gates: frozenset[str] = ALL,
) -> Planned:
    """Plan to put a hand-over in the place of the last; what an agent leaves waits for a person.

    Args:
        snapshot: all records.
        request: what to leave.
        data: bytes of the file that is replaced (`replaced`), b"" for none.
        now: aware instant.
        actor: a person, a policy, or somebody who proposes.
        origin: how it came in.
        random_int: for the id of a new one.
        gates: the gates of admission that are on.

    Raises:
        UsageError: no text, or too long. RefusedError: as `plan_add`.
    """
    text = request.checked()
    found = find_handoff(snapshot, request.scope)
    old = replaced(found, actor)
    if old is not None:
        plan = _replaced(old, data, text, found, now=now, actor=actor, origin=origin)
        return Planned(plan, (old.id,))
    draft = DraftRequest(
        Kind.HANDOFF, title=TITLES[is_chinese(text)], body=_body(text), scope=request.scope
    )
    if actor not in (Actor.PERSON, Actor.POLICY):
        planned = plan_add(
            snapshot,
            _superseding(draft, found.current),
            now=now,
            actor=actor,
            origin=origin,
            random_int=random_int,
            gates=gates,
        )
        return as_verb(planned, "handoff")
    own = new_id(Kind.HANDOFF, other_ids(snapshot), random_int)
    source = "user" if actor is Actor.PERSON else "agent"
    new = compose_draft(
        check_request(draft), own, status="active", source=source, origin=origin, now=now
    )
    path = f"{Kind.HANDOFF.folder}/{file_name(draft.title, own)}"
    record = read_checked(new, path)
    change = Change(
        "handoff", subject_of(record), (Put(path, new),), ids=(own,), actor=actor, origin=origin
    )
    return Planned(change, (own,))


def _superseding(draft: DraftRequest, current: Record | None) -> DraftRequest:
    if current is None:
        return draft
    return replace(draft, supersedes=(current.id,), reason="the next hand-over")


def replaced(found: Standing, actor: Actor) -> Record | None:
    """Return the record whose text the next hand-over takes the place of, None for a new one."""
    if actor in (Actor.PERSON, Actor.POLICY):
        return found.current
    return found.waiting


def _body(text: str) -> str:
    title = TITLES[is_chinese(text)]
    return text if text.startswith("# ") else f"# {title}\n\n{text}"


def _replaced(
    old: Record,
    data: bytes,
    text: str,
    found: Standing,
    *,
    now: datetime,
    actor: Actor,
    origin: str,
) -> Change:
    require_same(old, data)
    body = f"{_body(text)}\n"
    if body.strip() == old.body.strip():
        return put_change("handoff", old, data, data, actor=actor, origin=origin)
    values: dict[str, Any] = {
        "created": instant_text(now),
        "title": TITLES[is_chinese(text)],
        "source": "user" if actor is Actor.PERSON else "agent",
    }
    if old is found.waiting:
        wanted = [found.current.id] if found.current is not None else []
        if wanted != list(old.supersedes):
            values["supersedes"] = wanted or REMOVE
    new = replace_body(patch_keys(data, old.path, values), body, old.path)
    after = read_checked(new, old.path)
    return put_change("handoff", after, data, new, actor=actor, origin=origin)


def check_handoffs(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report a second hand-over in force for one scope: a block shows one place to go on from."""
    scopes = {str(r.scope) for r in snapshot.records if r.kind is Kind.HANDOFF and r.in_force}
    for scope in sorted(scopes):
        for record in find_handoff(snapshot, scope).others:
            text = f"an older hand-over of {scope} is in force too"
            hint = f"Take it out: mvault deprecate {record.id} --reason TEXT"
            yield Diagnostic(record.path, 0, "two-handoffs", "warning", text, hint)


def handoff_data(record: Record | None) -> dict[str, Any] | None:
    """Return the promised JSON shape of a hand-over, None for none."""
    if record is None:
        return None
    return {
        "id": record.id,
        "path": record.path,
        "scope": str(record.scope),
        "created": record.created,
        "status": str(record.status),
        "kind": str(record.kind),
        "title": record.title,
        "text": text_of(record),
    }


def text_of(record: Record) -> str:
    """Return the words of a hand-over without the heading that names it."""
    lead, _, rest = record.body.strip().partition("\n")
    return rest.strip() if lead.lstrip("# ").strip() in TITLES else record.body.strip()
