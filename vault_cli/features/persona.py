"""Persona of the agent and profile of the user. May import `text`, `model`.

Both stand in the block of every session. A change of them is a draft that only a person admits;
what begins with `Boundary:` or `边界:` is a locked line, which no draft may drop. The profile is
the person's own: nobody else proposes it. Going back is `mvault undo`: each change is a commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from vault_cli.errors import Diagnostic, RefusedError, UsageError
from vault_cli.features.composing import DraftRequest, check_request, compose_draft
from vault_cli.features.parts import is_chinese
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    other_ids,
    put_change,
    read_checked,
    require_same,
    subject_of,
)
from vault_cli.model.change import Change, Put
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.model.tables import USER_ROLE
from vault_cli.text.document import replace_body
from vault_cli.text.late import late
from vault_cli.text.names import file_name, new_id

AGENT_ROLE: Final = "agent"
BUDGETS: Final[Mapping[str, int]] = {AGENT_ROLE: 600, USER_ROLE: 500}
"""Characters that each may have, headings that only name it left out (C-42)."""

BUDGET_KEYS: Final[Mapping[str, str]] = {
    AGENT_ROLE: "persona.max_characters",
    USER_ROLE: "persona.max_user",
}
"""The setting of each."""

TITLES: Final[Mapping[str, tuple[str, str]]] = {
    AGENT_ROLE: ("Persona", "人设"),
    USER_ROLE: ("User profile", "用户画像"),
}
"""Title by role, in English and in Chinese."""

_LOCKED: Final = late(r"(?i)^[\s>*+-]*(?:\*\*|__)?(?:boundary|边界)(?:\*\*|__)?\s*[:：]")


@dataclass(frozen=True, slots=True)
class Standing:
    """The personas of one role and scope.

    Args:
        current: the one in force, the newest of several; None for none.
        waiting: the drafts, the newest first.
        others: what is in force besides.
    """

    current: Record | None = None
    waiting: tuple[Record, ...] = ()
    others: tuple[Record, ...] = ()


def role_of(record: Record) -> str:
    """Return whose persona a record is: the agent's where nothing else is said."""
    return USER_ROLE if record.fields.get("role") == USER_ROLE else AGENT_ROLE


def find_persona(snapshot: Snapshot, role: str, scope: str) -> Standing:
    """Return the personas of a role, `agent` or `user`, and a scope."""
    own = [
        r
        for r in snapshot.records
        if r.kind is Kind.PERSONA and role_of(r) == role and str(r.scope) == scope
    ]
    own.sort(key=lambda record: (record.created, record.id), reverse=True)
    in_force = tuple(record for record in own if record.in_force and not record.withheld)
    waiting = tuple(record for record in own if record.status is Status.CANDIDATE)
    return Standing(next(iter(in_force), None), waiting, in_force[1:])


def text_of(record: Record) -> str:
    """Return the words of a persona without the heading that only names it."""
    lead, _, rest = record.body.strip().partition("\n")
    named = lead.startswith("# ") and lead[2:].strip() == record.title.strip()
    return rest.strip() if named else record.body.strip()


def locked_lines(text: str) -> tuple[str, ...]:
    """Return the lines that begin with `Boundary:` or `边界:` (list and bold marks aside)."""
    return tuple(line.strip() for line in text.split("\n") if _LOCKED.search(line))


def dropped_lines(before: str, after: str) -> tuple[str, ...]:
    """Return the locked lines of one text that another does not have word for word."""
    kept = {_plain(line) for line in after.split("\n")}
    return tuple(line for line in locked_lines(before) if _plain(line) not in kept)


def _plain(line: str) -> str:
    """Return a line without list and bold marks, and with single blanks: what counts of it."""
    return " ".join(line.replace("**", "").replace("__", "").lstrip(" \t>*+-").split())


def require_within(text: str, role: str, budget: int) -> None:
    """Raise UsageError when a text is longer than its budget (0: no limit)."""
    if budget and len(text) > budget:
        name = TITLES[role][0].lower()
        raise UsageError(
            f"the {name} has {len(text)} of {budget} characters, {len(text) - budget} too many",
            hint="It stands in the block of every session: leave out what can be looked up.",
        )


def require_may_write(role: str, actor: Actor) -> None:
    """Raise RefusedError when somebody else than a person writes the user's profile."""
    if role == USER_ROLE and actor is not Actor.PERSON:
        raise RefusedError("the user's profile is the person's own", hint=PERSON_ONLY)


def require_proposable(snapshot: Snapshot, request: DraftRequest, actor: Actor) -> None:
    """Ask of a proposed persona what only this kind asks; other kinds pass.

    Raises:
        RefusedError: it is the user's profile and no person asks, or it drops a locked line.
    """
    if request.kind is not Kind.PERSONA:
        return
    role = USER_ROLE if request.extra.get("role") == USER_ROLE else AGENT_ROLE
    require_may_write(role, actor)
    current = find_persona(snapshot, role, request.scope).current
    if current is not None and actor is not Actor.PERSON:
        _require_kept(current, request.body + "\n" + "\n".join(request.sections.values()))


def require_editable_persona(before: Record, after: Record, actor: Actor) -> None:
    """Refuse that anybody but a person makes a draft the user's profile, or changes one."""
    if Kind.PERSONA in (before.kind, after.kind):
        require_may_write(role_of(after), actor)
        require_may_write(role_of(before), actor)


def _require_kept(old: Record, text: str) -> None:
    dropped = dropped_lines(old.body, text)
    if dropped:
        named = "; ".join(dropped)
        raise RefusedError(
            f"a locked line of {old.id} is missing: {named}",
            hint="A line that begins with Boundary: or 边界: stays as it is. Only a person takes it"
            " out: mvault persona set TEXT --unlock",
        )


def require_admissible(snapshot: Snapshot, record: Record, actor: Actor) -> None:
    """Ask of a persona that is admitted what only this kind asks; other kinds pass.

    Raises:
        RefusedError: no person asks, it drops a locked line, or another of its role and scope
            stays in force.
    """
    if record.kind is not Kind.PERSONA:
        return
    if actor is not Actor.PERSON:
        raise RefusedError(f"{record.id}: a persona is not admitted by {actor}", hint=PERSON_ONLY)
    standing = find_persona(snapshot, role_of(record), str(record.scope))
    in_force = [r for r in (standing.current, *standing.others) if r is not None]
    for old in in_force:
        _require_kept(old, record.body)
        if old.id not in record.supersedes and old.id != record.id:
            raise RefusedError(
                f"{old.id} is the {TITLES[role_of(old)][0].lower()} of {old.scope} already",
                hint=f"Let it take its place: mvault supersede {old.id} {record.id} --reason TEXT",
            )


@dataclass(frozen=True, slots=True)
class PersonaRequest:
    """A persona to propose, or to set.

    Args:
        text: Markdown.
        role: `agent` or `user`.
        scope: whose.
        budget: most characters; 0: no limit.
    """

    text: str
    role: str = AGENT_ROLE
    scope: str = "global"
    budget: int = 0

    def checked(self) -> str:
        """Return the text without blank ends.

        Raises:
            UsageError: there is none, or it does not fit the budget.
        """
        text = self.text.replace("\r\n", "\n").strip()
        if not text:
            raise UsageError("a persona needs words", hint='mvault persona propose "…"')
        require_within(text, self.role, self.budget)
        return text


def draft_of(request: PersonaRequest, current: Record | None, actor: Actor) -> DraftRequest:
    """Return the draft that a proposal is, to be planned like any other (`plan_add`).

    Args:
        request: what is proposed.
        current: the one in force, which it would replace.
        actor: who asks.

    Raises:
        UsageError: no text, or too long. RefusedError: the profile, and no person asks; or a
            locked line is missing.
    """
    text = request.checked()
    require_may_write(request.role, actor)
    if current is not None:
        _require_kept(current, text)
    title = current.title if current is not None else _title(request.role, text)
    return DraftRequest(
        Kind.PERSONA,
        title=title,
        body=_body(title, text),
        scope=request.scope,
        supersedes=(current.id,) if current is not None else (),
        reason="a change of the persona" if current is not None else "",
        extra={"role": request.role},
    )


def _title(role: str, text: str) -> str:
    return TITLES[role][is_chinese(text)]


def _body(title: str, text: str) -> str:
    return text if text.startswith("# ") else f"# {title}\n\n{text}"


def plan_persona(
    snapshot: Snapshot,
    request: PersonaRequest,
    data: bytes,
    *,
    unlock: bool,
    now: datetime,
    actor: Actor,
    origin: str,
    random_int: Callable[[int], int],
) -> Planned:
    """Plan what a person sets at once: the text of the persona in force, or the first one.

    Args:
        snapshot: all records.
        request: what to set.
        data: bytes of the file of the one in force, b"" for none.
        unlock: locked lines may go.
        now: aware instant.
        actor: who asks; only a person.
        origin: how it came in.
        random_int: for the id of a new one.

    Raises:
        UsageError: no text, or too long. RefusedError: no person, or a locked line is missing.
    """
    text = request.checked()
    if actor is not Actor.PERSON:
        raise RefusedError(f"a persona is not set by {actor}", hint=PERSON_ONLY)
    current = find_persona(snapshot, request.role, request.scope).current
    if current is None:
        draft = replace(draft_of(request, None, actor), reason="")
        own = new_id(Kind.PERSONA, other_ids(snapshot), random_int)
        new = compose_draft(
            check_request(draft), own, status="active", source="user", origin=origin, now=now
        )
        path = f"{Kind.PERSONA.folder}/{file_name(draft.title, own)}"
        record = read_checked(new, path)
        change = Change("persona", subject_of(record), (Put(path, new),), "", (own,), actor, origin)
        return Planned(change, (own,))
    require_same(current, data)
    if not unlock:
        _require_kept(current, text)
    body = f"{_body(current.title, text)}\n"
    if body.strip() == current.body.strip():
        same = put_change("persona", current, data, data, actor=actor, origin=origin)
        return Planned(same, (current.id,))
    new = replace_body(data, body, current.path)
    after = read_checked(new, current.path)
    change = put_change("persona", after, data, new, actor=actor, origin=origin)
    return Planned(change, (current.id,))


def check_personas(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report personas in force that are too long, and a second one of a role and scope."""
    seen: dict[tuple[str, str], str] = {}
    own = [r for r in snapshot.records if r.kind is Kind.PERSONA and r.in_force]
    for record in sorted(own, key=lambda r: (r.created, r.id), reverse=True):
        role, size = role_of(record), len(text_of(record))
        name = TITLES[role][0].lower()
        if size > BUDGETS[role]:
            text = f"the {name} has {size} characters; {BUDGETS[role]} is the advice"
            yield Diagnostic(record.path, 0, "persona-long", "note", text, "Shorten it.")
        first = seen.setdefault((role, str(record.scope)), record.id)
        if first != record.id:
            text = f"an older {name} of {record.scope} is in force too"
            hint = f"Take it out: mvault deprecate {record.id} --reason TEXT"
            yield Diagnostic(record.path, 0, "two-personas", "warning", text, hint)


def persona_data(record: Record | None) -> dict[str, Any] | None:
    """Return the promised JSON shape of a persona, None for none."""
    if record is None:
        return None
    text = text_of(record)
    return {
        "id": record.id,
        "kind": str(record.kind),
        "status": str(record.status),
        "title": record.title,
        "path": record.path,
        "scope": str(record.scope),
        "role": role_of(record),
        "created": record.created,
        "text": text,
        "characters": len(text),
        "locked": list(locked_lines(text)),
    }
