"""How well records are supported by what has a say, in one vault or two. May import `model`.

One place for renders, lists, `show` and `why`, so that none of them tells another mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from vault_cli.model.record import Record, Snapshot
from vault_cli.model.support import Support, judge_support, rests_on_something
from vault_cli.recall.together import USER

Key = tuple[str, str]
"""Name of the vault ("" when one is read) and id of a record."""


def judge_supports(snapshot: Snapshot, records: Iterable[Record]) -> dict[Key, Support]:
    """Return how well records are supported by what may speak for them; intact ones are left out.

    A record of the user vault rests on that vault alone; one of the project on its own vault, and
    on the user's where that knows an id and the project does not.

    Args:
        snapshot: the vault, or both; what the trust settings keep out of it has no say.
        records: whom to judge.
    """
    resting = [record for record in records if rests_on_something(record) and not record.team]
    if not resting:
        return {}
    speaking = snapshot.speaking()
    own = tuple(record for record in speaking.records if not record.team)
    speaking = replace(speaking, records=own)  # of a team vault only a part is read, and no support
    mine = [record for record in speaking.records if record.vault == USER]
    if not mine or len(mine) == len(speaking.records):
        return _judge(speaking, resting)
    theirs = [record for record in speaking.records if record.vault != USER]
    known = {record.id for record in theirs}
    joined = (*theirs, *(record for record in mine if record.id not in known))
    alone = tuple(
        path for path in speaking.unreadable if PurePath(path).is_absolute()
    )  # as `join_vaults`
    users = replace(speaking, records=tuple(mine), unreadable=alone)
    found = _judge(users, [record for record in resting if record.vault == USER])
    rest = [record for record in resting if record.vault != USER]
    return found | _judge(replace(speaking, records=joined), rest)


def _judge(snapshot: Snapshot, records: list[Record]) -> dict[Key, Support]:
    found = judge_support(snapshot, records)
    return {(r.vault, r.id): found[r.id] for r in records if r.id in found}
