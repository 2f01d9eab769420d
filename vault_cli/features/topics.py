"""Topics as people set them: declare, name, rename, take out of use, assign. May import `recall`.

A topic is disabled, never deleted: its members keep its name and stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError, UsageError
from vault_cli.features.composing import DraftRequest, check_request, compose_draft
from vault_cli.features.drafts import plan_add
from vault_cli.features.records import (
    PERSON_ONLY,
    Planned,
    digest_of,
    instant_text,
    other_ids,
    patch_keys,
    put_change,
    read_checked,
    require_editable,
    subject_of,
    texts_of,
)
from vault_cli.model.change import Change, Edit, Put
from vault_cli.model.lifecycle import Actor, require_step
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.recall.topics import Topic, TopicTable, fold_topic
from vault_cli.text.document import REMOVE
from vault_cli.text.names import file_name, new_id
from vault_cli.text.scan import ALL


@dataclass(frozen=True, slots=True)
class TopicRequest:
    """A topic to declare: name, what belongs to it, further names."""

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()


def require_topic(snapshot: Snapshot, name: str) -> Topic:
    """Return the declared topic of a name, an alias or an id.

    Raises:
        NotFoundError: nobody declared it; the nearest names are given.
    """
    table = TopicTable(snapshot.records)
    topic = table.find(name)
    if topic is not None:
        return topic
    from difflib import get_close_matches

    names = {fold_topic(text): text for t in table.topics for text in (t.name, *t.record.aliases)}
    near = [names[key] for key in get_close_matches(fold_topic(name), names, n=3, cutoff=0.6)]
    hint = f"Nearest: {', '.join(near)}." if near else ""
    used = table.members(snapshot.records, name)
    if used:
        hint = f"{len(used)} records use this name; declare it with: mvault topic add {name}"
    raise NotFoundError(
        f"there is no topic {name!r}", hint=hint or "`mvault topic list` shows all topics."
    )


def plan_topic(
    snapshot: Snapshot,
    request: TopicRequest,
    *,
    now: datetime,
    actor: Actor,
    random_int: Callable[[int], int],
    gates: frozenset[str] = ALL,
) -> Planned:
    """Plan to declare a topic: a person's is in force at once, anybody else's is a draft.

    Raises:
        UsageError: no name.
        RefusedError: one of its names leads to another topic already.
    """
    if not fold_topic(request.name):
        raise UsageError("a topic needs a name of letters or digits")
    _require_free(snapshot, (request.name, *request.aliases))
    draft = DraftRequest(
        Kind.TOPIC,
        title=request.name.strip(),
        body=request.description.strip(),
        aliases=tuple(dict.fromkeys(request.aliases)),
    )
    if actor is not Actor.PERSON:
        return plan_add(
            snapshot,
            draft,
            now=now,
            actor=actor,
            origin="cli",
            random_int=random_int,
            gates=gates,
        )
    checked = check_request(draft)
    topic_id = new_id(Kind.TOPIC, other_ids(snapshot), random_int)
    data = compose_draft(checked, topic_id, status="active", source="user", origin="cli", now=now)
    path = f"{Kind.TOPIC.folder}/{file_name(checked.title, topic_id)}"
    record = read_checked(data, path)
    change = Change("add", subject_of(record), (Put(path, data),), ids=(topic_id,), actor=actor)
    return Planned(change, (topic_id,))


def _require_free(snapshot: Snapshot, names: Sequence[str], own: Record | None = None) -> None:
    table = TopicTable(snapshot.records)
    for name in names:
        taken = table.find(name)
        if taken is not None and (own is None or taken.record.path != own.path):
            state = " (disabled)" if taken.is_disabled else ""
            raise RefusedError(
                f"{name!r} is a name of the topic {taken.name} ({taken.record.id}){state} already",
                hint=f"See it with: mvault topic show {taken.record.id}",
            )


def plan_names(
    snapshot: Snapshot,
    topic: Topic,
    data: bytes,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    actor: Actor,
) -> Change:
    """Plan to give a topic further names, or to take some away.

    Raises:
        RefusedError: a name leads to another topic, or the topic is in force and `actor` is no
            person. UsageError: a name to be removed is not one of its aliases.
    """
    record = topic.record
    require_editable(record, actor, "a change of a topic")
    _require_free(snapshot, add, record)
    gone = set(map(fold_topic, remove))
    unknown = gone - set(map(fold_topic, record.aliases))
    if unknown:
        raise UsageError(
            f"{', '.join(sorted(unknown))} is no alias of {topic.name}",
            hint=f"Its aliases are: {', '.join(record.aliases) or 'none'}.",
        )
    kept = [name for name in record.aliases if fold_topic(name) not in gone]
    known = {fold_topic(topic.name), *map(fold_topic, kept)}
    for name in add:
        if fold_topic(name) not in known:
            kept.append(name.strip())
            known.add(fold_topic(name))
    new = patch_keys(data, record.path, {"aliases": kept or REMOVE})
    return put_change("edit", record, data, new, actor=actor)


def plan_rename(
    snapshot: Snapshot, topic: Topic, data: bytes, *, name: str, actor: Actor
) -> Change:
    """Plan to give a topic another first name; the old one stays as an alias.

    No member has to change: the old name still leads to it.

    Raises:
        UsageError: no name. RefusedError: it leads to another topic; `actor` may not.
    """
    record = topic.record
    require_editable(record, actor, "a change of a topic")
    if not fold_topic(name):
        raise UsageError("a topic needs a name of letters or digits")
    _require_free(snapshot, (name,), record)
    aliases = [alias for alias in record.aliases if fold_topic(alias) != fold_topic(name)]
    if fold_topic(name) != fold_topic(topic.name):
        aliases.append(topic.name)
    values = {"title": name.strip(), "aliases": aliases or REMOVE}
    new = patch_keys(data, record.path, values)
    return put_change("edit", read_checked(new, record.path), data, new, actor=actor)


def plan_switch(
    topic: Topic, data: bytes, *, enable: bool, reason: str, now: datetime, actor: Actor
) -> Change:
    """Plan to take a topic out of use, or back into it; its members stay as they are.

    Raises:
        UsageError: no reason to disable. RefusedError: `actor` may not.
    """
    record = topic.record
    verb = "enable" if enable else "disable"
    if topic.is_disabled is not enable:
        return put_change(verb, record, data, data, actor=actor)
    wanted = Status.ACTIVE if enable else Status.DEPRECATED
    why = reason.strip()
    if not enable and not why:
        hint = f'Run: mvault topic disable {record.id} --reason "why"'
        raise UsageError("topic disable needs a reason", hint=hint)
    require_step(record.status, wanted, actor, record.id)
    mark: Any = REMOVE if enable else {"reason": why, "at": instant_text(now)}
    values = {"status": str(wanted), "deprecated": mark}
    new = patch_keys(data, record.path, values)
    return put_change(verb, record, data, new, reason=why, actor=actor)


def plan_assign(
    snapshot: Snapshot,
    records: Sequence[Record],
    texts: Mapping[str, bytes],
    *,
    name: str,
    remove: bool = False,
    actor: Actor,
) -> Change:
    """Plan to put records under a topic, or to take them out: one change for all.

    Args:
        snapshot: all records.
        records: who; those that are (not) under it already are left alone.
        texts: bytes by path.
        name: any name of the topic; a name nobody declared counts as it is typed.
        remove: take them out.
        actor: who asks; only a person touches what is in force.

    Raises:
        RefusedError: `actor` may not, or a record is a topic itself.
    """
    table = TopicTable(snapshot.records)
    edits: list[Edit] = []
    changed: list[Record] = []
    for record in records:
        if record.kind is Kind.TOPIC:
            raise RefusedError(f"{record.id} is a topic itself", hint="Topics have no topics.")
        require_editable(record, actor, "its topics")
        data = texts_of(texts, record)
        wanted = list(_assigned(table, record, name, remove=remove))
        if wanted == list(record.topics):
            continue
        new = patch_keys(data, record.path, {"topics": wanted or REMOVE})
        edits.append(Put(record.path, new, digest_of(data)))
        changed.append(record)
    label = table.label(name)
    what = "out of" if remove else "under"
    subject = f": {len(changed)} records {what} {label}"
    if len(changed) == 1:
        subject = f"{subject_of(changed[0])} {what} {label}"
    return Change(
        "topic", subject, tuple(edits), ids=tuple(record.id for record in changed), actor=actor
    )


def _assigned(table: TopicTable, record: Record, name: str, *, remove: bool) -> Iterator[str]:
    key = table.key(name)
    if remove:
        yield from (text for text in record.topics if table.key(text) != key)
        return
    yield from record.topics
    if key not in table.keys(record):
        yield table.label(name)


def check_topics(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Report names that two topics claim, which lead to one of them only."""
    for clash in TopicTable(snapshot.records).clashes:
        kept, other = clash.kept.record, clash.other.record
        yield Diagnostic(
            other.path,
            0,
            "topic-clash",
            "warning",
            f"the name {clash.name!r} leads to the topic {kept.title} ({kept.id}), not to this one",
            f"Take the name away from one of them. {PERSON_ONLY}",
        )
