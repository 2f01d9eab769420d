"""What a merge of two lines of history decided, for whoever tells it. Imports: none of ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Decision(NamedTuple):
    """What the merge decided about a file.

    Args:
        code: merged, status, moved, conflict, kept, deleted, not-in-force, renamed, union,
            unsigned.
        path: where the file stands now, or stood.
        id: the record, "" for another file.
        text: in words.
        waits: a person has to look.
        conflict: id of the conflict record that was laid beside it, "" for none.
    """

    code: str
    path: str
    id: str
    text: str
    waits: bool = False
    conflict: str = ""


@dataclass(slots=True)
class Reconciled:
    """The merged vault, as far as it differs between the versions.

    Args:
        files: every path that one of the versions has otherwise, with its bytes (None: gone).
        decisions: what was decided, sorted by path.
    """

    files: dict[str, bytes | None] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
