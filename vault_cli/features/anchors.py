"""Say which code a record speaks about, and whether that is still the same. May import `model`.

The files are looked at by a port (`store.project_tree` behind it): features read no disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unicodedata import normalize

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError
from vault_cli.model.anchors import (
    STALE,
    UNVERIFIABLE,
    Anchor,
    Verdict,
    entries_of,
    path_of,
    read_anchors,
)
from vault_cli.model.lifecycle import Actor
from vault_cli.model.paths import is_skill_file
from vault_cli.model.record import ENDED, Record

if TYPE_CHECKING:
    from vault_cli.features.records import Planned

Judge = Callable[[Record], list[tuple[Anchor, Verdict]]]
"""Port: gives the anchors of a record and what became of each."""

CHANGED_CODE: Final = "anchor-stale"
UNKNOWN_CODE: Final = "anchor-unverifiable"
_SHOWN: Final = 10
"""Digits of a blob id in a message."""


class Request(NamedTuple):
    """What `anchor` is asked to do with a record.

    Args:
        record: whose anchors.
        add: blob ids by path, to set; one that is there gets the new id.
        remove: paths to take out.
        reason: body of the commit message.
    """

    record: Record
    add: Mapping[str, str] = {}
    remove: Sequence[str] = ()
    reason: str = ""


def plan_anchor(request: Request, data: bytes, *, actor: Actor, origin: str = "cli") -> Planned:
    """Plan to set, refresh or take out anchors; the others stay as they are written.

    Args:
        request: see `Request`.
        data: bytes of the record's file.
        actor: who asks; only a person touches what is no draft.
        origin: how the request came in.

    Returns:
        The change of one line or a few, empty when it is so already.

    Raises:
        RefusedError: a SKILL.md, a record whose time is over, or the actor may not.
        NotFoundError: a path to take out is not among them.
        ChangedMeanwhileError: the bytes of the file differ.
    """
    # not for `show`, which asks only whether an anchor is stale: this loads the whole scanner
    from vault_cli.features.records import (
        Planned,
        patch_keys,
        put_change,
        require_editable,
        require_same,
    )
    from vault_cli.text.document import REMOVE

    record = request.record
    require_same(record, data)
    require_editable(record, actor, "naming its code")
    if is_skill_file(record.path):
        raise RefusedError(
            f"{record.path}: a SKILL.md has no key anchors",
            hint="Anchor a record that stands for it, or name the files in its text.",
        )
    if request.add and record.status in ENDED:
        raise RefusedError(
            f"{record.id} is {record.status}; what it says about code does not count",
            hint="Anchor the record that took its place.",
        )
    entries = _without(record, request.remove)
    for path, blob in request.add.items():
        _put(entries, path, blob)
    new = data
    if entries != entries_of(record):
        new = patch_keys(data, record.path, {"anchors": entries or REMOVE})
    change = put_change(
        "anchor", record, data, new, reason=request.reason, actor=actor, origin=origin
    )
    return Planned(change, change.ids)


def _without(record: Record, paths: Sequence[str]) -> list[Any]:
    """Return the entries that stay; NotFoundError when one of the paths names none."""
    gone = {_same(path) for path in paths}
    entries = [dict(e) if isinstance(e, Mapping) else e for e in entries_of(record)]
    missing = gone - {_same(path_of(entry)) for entry in entries}
    if missing:
        known = ", ".join(anchor.path for anchor in read_anchors(record)) or "none"
        raise NotFoundError(
            f"{record.id} has no anchor {min(missing)}", hint=f"Its anchors: {known}"
        )
    return [entry for entry in entries if _same(path_of(entry)) not in gone]


def _put(entries: list[Any], path: str, blob: str) -> None:
    """Set the blob of a path; other keys of its entry stay."""
    for place, entry in enumerate(entries):
        if _same(path_of(entry)) == _same(path):
            kept = dict(entry) if isinstance(entry, Mapping) else {"path": path}
            entries[place] = {**kept, "blob": blob}
            return
    entries.append({"path": path, "blob": blob})


def _same(path: str) -> str:
    """Return what two spellings of a path share."""
    return normalize("NFC", path)


class Stale(NamedTuple):
    """A record of which an anchor needs a look.

    Args:
        lines: how many lines came and went, None when the old text is not at hand.
        moved: where the anchored content lies now.
    """

    record: Record
    anchor: Anchor
    verdict: Verdict
    lines: tuple[int, int] | None = None
    moved: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What to do next; a record is never changed by itself."""
        key, path = self.record.id, _typed(self.anchor.path)
        if self.moved:
            new = _typed(self.moved[0])
            return (
                f"The same content is in {self.moved[0]}: mvault anchor {key} {new}, then"
                f" mvault anchor {key} {path} --remove"
            )
        look = "Read it against the code. Still right: "
        refresh = f"mvault anchor {key} {path} --refresh"
        if not self.verdict.blob:
            refresh = f"mvault anchor {key} {path} --remove"
        verb = "edit" if not self.record.in_force else "revise"
        return f"{look}{refresh}. Not any more: mvault {verb} {key}"

    def finding(self) -> Diagnostic:
        """Return it as a finding of `check`."""
        what = self.verdict.why
        if self.verdict.state == UNVERIFIABLE:
            text = f"its code {self.anchor.path} cannot be compared: {what}"
            return Diagnostic(self.record.path, 0, UNKNOWN_CODE, "note", text)
        if self.lines is not None:
            what += f" (+{self.lines[0]} -{self.lines[1]} lines)"
        then = self.anchor.blob[:_SHOWN]
        now = f", now {self.verdict.blob[:_SHOWN]}" if self.verdict.blob else ""
        text = f"its code {self.anchor.path} is not what it was: {what}; blob {then} then{now}"
        return Diagnostic(self.record.path, 0, CHANGED_CODE, "warning", text, self.hint)

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        return {
            "id": self.record.id,
            "record": self.record.path,
            **anchor_data(self.anchor, self.verdict),
            "lines": None
            if self.lines is None
            else {"added": self.lines[0], "gone": self.lines[1]},
            "moved": list(self.moved),
        }


def anchor_data(anchor: Anchor, verdict: Verdict) -> dict[str, str]:
    """Return the promised JSON shape of one anchor and its state."""
    return {
        "path": anchor.path,
        "state": verdict.state,
        "why": verdict.why,
        "blob": anchor.blob,
        "now": verdict.blob,
    }


def find_stale(records: Iterable[Record], judge: Judge) -> list[Stale]:
    """Return the anchors that are not fresh, of records whose time is not over.

    Args:
        records: of which.
        judge: see `Judge`.
    """
    found = []
    for record in records:
        if record.status not in ENDED and "anchors" in record.fields:
            found += [
                Stale(record, anchor, verdict)
                for anchor, verdict in judge(record)
                if verdict.state in {STALE, UNVERIFIABLE}
            ]
    return found


def is_stale(record: Record, judge: Judge | None) -> bool:
    """Tell whether a file that a record speaks about has changed or is gone."""
    if judge is None or "anchors" not in record.fields:
        return False
    return any(verdict.state == STALE for _, verdict in judge(record))


def stale_findings(found: Iterable[Stale]) -> list[Diagnostic]:
    """Return them as findings of `check`."""
    return [item.finding() for item in found]


def count_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """Return how many lines came and how many went, whatever their order; in linear time."""
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return (after - before).total(), (before - after).total()


def _typed(path: str) -> str:
    """Return a path as it is typed in a shell; one that starts with a dash as `./-x`."""
    from shlex import quote

    return quote(f"./{path}" if path.startswith("-") else path)
