"""Which record a person means by an id, of one vault or of two. May import everything below `cli`.

Who writes means the file; who reads is given the text that counts here. A text that waits for a
person never stands for the admitted one, and a record that nobody admitted hides none of the other
vault.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from vault_cli.errors import (
    ChangedMeanwhileError,
    NotFoundError,
    RefusedError,
    UsageError,
    VaultError,
)
from vault_cli.features.resolve import resolve_record
from vault_cli.model.record import Record, Snapshot
from vault_cli.recall.together import PROJECT, USER, mark_vault, pick_loser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vault_cli.cli.output import Output
    from vault_cli.store.layers import Layers
    from vault_cli.store.vault import Vault


class Run(Protocol):
    """What is needed here of the running invocation."""

    environ: Mapping[str, str]
    out: Output
    lenient: bool

    @property
    def cwd(self) -> Path: ...  # noqa: D102 - as `Invocation`, like all of these

    @property
    def layers(self) -> Layers: ...  # noqa: D102

    @property
    def root(self) -> Path: ...  # noqa: D102

    @property
    def vault(self) -> Vault: ...  # noqa: D102

    @property
    def snapshot(self) -> Snapshot: ...  # noqa: D102

    def whole_snapshot(self) -> Snapshot: ...  # noqa: D102

    def turn_to(self, vault: Vault, snapshot: Snapshot | None = None) -> None: ...  # noqa: D102


class Vaults(Protocol):
    """What is needed here of the vaults that a run reads (`reading.Reading`)."""

    @property
    def home(self) -> Vault | None: ...  # noqa: D102 - as there, like the next two

    @property
    def other(self) -> Vault | None: ...  # noqa: D102

    @property
    def beside_heads(self) -> Snapshot: ...  # noqa: D102


class Found(NamedTuple):
    """What a text names.

    Args:
        record: the record.
        vault: the vault beside when it is there; None stands for the one that is written.
        twin: the record of the same id in the other vault, if there is one.
    """

    record: Record
    vault: Vault | None
    twin: Record | None = None


class Finder:
    """Finds records for one run.

    Args:
        reading: the vaults.
        inv: the run; its `snapshot` is that of the vault which is written.
    """

    def __init__(self, reading: Vaults, inv: Run) -> None:
        self._reading = reading
        self._inv = inv
        self._guarded: dict[Path, tuple[Snapshot, Snapshot]] = {}

    # as the files are

    def find_file(self, text: str) -> Found:
        """Return the record that an id, its beginning or a path names, as its file is.

        An id that stands in both is the project's, unless that is what a promotion left behind or
        what the trust settings keep out.

        Raises:
            NotFoundError, UsageError, RefusedError: as `features.resolve.resolve_record`; also
                when the beginning of an id fits records of both vaults.
        """
        inv, reading = self._inv, self._reading
        other = reading.other
        if other is None:
            return Found(self._in_files(inv.snapshot, text, inv.root), None)
        first: Record | None = None
        error: VaultError | None = None
        if reading.home is not None:
            try:
                first = self._in_files(inv.snapshot, text, inv.root)
            except (NotFoundError, RefusedError) as fault:
                error = fault
            if isinstance(error, RefusedError) and not self._counts_for_nothing(text.strip()):
                raise error
        if first is not None and text.strip() == first.id and not _was_moved(first):
            return self._unless_kept_out(first, other)
        second = None
        try:
            second = self._in_files(reading.beside_heads, text, other.root)
        except (NotFoundError, UsageError, ChangedMeanwhileError) as missing:
            error = error or missing
        if first is None and second is None:
            raise error or NotFoundError(f"no record {text}")
        return _decide(first, second, other, text, moved_only=True)

    def _in_files(self, snapshot: Snapshot, text: str, root: Path) -> Record:
        return resolve_record(snapshot, text, root=root, cwd=self._inv.cwd)

    def _counts_for_nothing(self, record_id: str) -> bool:
        """Whether the files of an id in the vault that is written are kept out, or not in force."""
        home = self._reading.home
        if home is None or not self._has_policies(home):
            return False
        same = [r for r in self.whole(home).records if r.id == record_id]
        return bool(same) and not any(r.in_force and not r.withheld for r in same)

    def _unless_kept_out(self, first: Record, other: Vault) -> Found:
        """Return the project's record, or the user's when nobody let the project's count here."""
        home = self._reading.home
        if home is None or not self._has_policies(home):
            return Found(first, None)
        known = {r.id for r in self.of(home).records if not r.withheld}
        mine = [r for r in self.of(other).records if r.id == first.id and not r.withheld]
        if first.id in known or not first.in_force or not mine:
            return Found(first, None)
        return Found(self._in_files(self._reading.beside_heads, first.id, other.root), other)

    def _has_policies(self, vault: Vault) -> bool:
        from vault_cli.store.policy import policies_of

        return bool(policies_of(vault.root, vault.config))

    # as readers are shown them

    def whole(self, vault: Vault) -> Snapshot:
        """Return the records of a vault as the trust settings leave them, what waits among them."""
        inv, reading = self._inv, self._reading
        is_beside = reading.other is not None and vault.root == reading.other.root
        known = self._guarded.get(vault.root)
        if vault.root == inv.root:
            raw = inv.snapshot
        elif is_beside:
            raw = reading.beside_heads
        else:  # the run has turned to the other vault
            raw = known[0] if known is not None else vault.snapshot(whole=False)
        if known is not None and known[0] is raw:  # it may be read again after a change
            return known[1]
        from vault_cli.cli.guarding import guard

        found = guard(inv.out, vault, raw, inv.environ, quiet=True)
        if is_beside:
            mark_vault(found.records, USER)
        self._guarded[vault.root] = raw, found
        return found

    def of(self, vault: Vault) -> Snapshot:
        """Return the records of a vault without the texts that wait in an admitted one's place."""
        return self.whole(vault).standing()

    def find_shown(self, text: str) -> Found:
        """Return the record that an id, its beginning or a path names, as a reader is shown it.

        Of two vaults that have an id the one that counts here is meant: what is in force before
        what is not, then as in a render (`recall.together`).

        Raises:
            NotFoundError, UsageError, RefusedError: as `find_file`.
        """
        inv, reading = self._inv, self._reading
        if reading.other is None:
            return Found(self._in_shown(inv.vault, text), None)
        first, error = self._attempt(reading.home, text)
        second, missing = self._attempt(reading.other, text)
        if first is None and second is None:
            raise error or missing or NotFoundError(f"no record {text}")
        is_other = second is not None and (second.id == text.strip() or _is_missing(error))
        if first is None and error is not None and not is_other:
            raise error
        found = _decide(first, second, reading.other, text)
        mark_vault((found.record,), USER if found.vault is not None else PROJECT)
        return found

    def _attempt(self, vault: Vault | None, text: str) -> tuple[Record | None, VaultError | None]:
        if vault is None:
            return None, None
        try:
            return self._in_shown(vault, text), None
        except (NotFoundError, UsageError, RefusedError, ChangedMeanwhileError) as error:
            return None, error

    def _in_shown(self, vault: Vault, text: str) -> Record:
        """Return the record of one vault: what counts, else what waits; of a file the admitted."""
        shown = self.of(vault)
        counts = replace(shown, records=tuple(r for r in shown.records if not r.withheld))
        fault: NotFoundError | None = None
        tried = -1
        for snapshot in (counts, shown, self.whole(vault)):
            if len(snapshot.records) == tried:  # nothing is kept out
                continue
            tried = len(snapshot.records)
            try:
                record = self._in_files(snapshot, text, vault.root)
            except NotFoundError as error:
                fault = fault or error
                continue
            by_id = {r.id: r for r in shown.records}
            return record if snapshot is not self.whole(vault) else by_id.get(record.id, record)
        raise fault or NotFoundError(f"no record {text}")

    def find_waiting(self, shown: Record, text: str) -> Record:
        """Return the text that waits for a person in the place of a record that is shown.

        Args:
            shown: the record, of the vault that the run has turned to.
            text: what was typed: the path of a file says which, where there are several.

        Raises:
            NotFoundError: nothing waits, or only that it is gone.
            RefusedError: there are several.
        """
        if shown.withheld:
            return shown
        if not shown.waits:
            raise NotFoundError(f"no other text of {shown.id} waits")
        own = (shown.path, shown.digest)
        same = [r for r in self._inv.snapshot.records if r.id == shown.id]
        found = [r for r in same if (r.path, r.digest) != own]
        named = [r for r in found if text.strip().endswith(r.path)]
        found = named or [r for r in found if r.has_effect] or found
        if not found:
            raise NotFoundError(
                f"of {shown.id} no other text can be shown: its file is gone or cannot be read",
                hint="A person looks at it: mvault review --incoming",
            )
        if len(found) > 1:
            paths = ", ".join(r.path for r in found)
            raise RefusedError(f"{len(found)} texts of {shown.id} wait", hint=f"Name one: {paths}")
        return found[0]


def _is_missing(error: VaultError | None) -> bool:
    return error is None or isinstance(error, NotFoundError)


def _decide(
    first: Record | None,
    second: Record | None,
    other: Vault,
    text: str,
    *,
    moved_only: bool = False,
) -> Found:
    """Return which of the records of two vaults is meant, of which one at least is there.

    Args:
        first: the project's.
        second: the user's.
        other: the user vault.
        text: what was typed.
        moved_only: of one id the project's is meant, unless a promotion left it behind.

    Raises:
        UsageError: the text is the beginning of two ids.
    """
    if second is None and first is not None:
        return Found(first, None)
    if first is None and second is not None:
        return Found(second, other)
    assert first is not None and second is not None  # noqa: PT018, S101 - said by the caller
    if first.id == second.id:
        is_second = _was_moved(first) if moved_only else _counts(first, second) is second
        return Found(second, other, first) if is_second else Found(first, None, second)
    if _is_exact(first, text):
        return Found(first, None)
    if _is_exact(second, text) or (first.withheld and not second.withheld):
        return Found(second, other)
    if second.withheld and not first.withheld:
        return Found(first, None)
    raise UsageError(
        f"ids of both vaults begin with {text}: {first.id} ({first.title}),"
        f" {second.id} ({second.title})",
        hint="Type a few more characters.",
    )


def _counts(first: Record, second: Record) -> Record:
    """Return which record of one id counts: the project's, or the user's."""
    live = [r for r in (first, second) if r.in_force and not r.is_silent]
    if len(live) == 1:
        return live[0]
    if live:
        return second if pick_loser(first, second).record is first else first
    return second if _was_moved(first) or (first.withheld and not second.withheld) else first


def _was_moved(record: Record) -> bool:
    """Whether a promotion left this behind when it moved the record to another vault."""
    return not record.in_force and "promoted_to" in record.fields


def _is_exact(record: Record, text: str) -> bool:
    return text.strip() == record.id or text.strip().endswith(".md")
