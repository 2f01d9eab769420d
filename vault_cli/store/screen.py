"""May these texts be written: asked before a byte of a change. May import `text`, `model`.

A secret is refused wherever it would go: a file, its name, a commit message, the `edit:` commit
of a hand edit. What else holds a record is refused from everybody but a person, unless it goes
into `quarantine/`, which never enters history, or stood in the file before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vault_cli.errors import Diagnostic, RefusedError, VaultError
from vault_cli.model.change import ABSENT, ALLOW_TRAILER, Change, Edit, Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Record
from vault_cli.store.codec import Parsed
from vault_cli.store.file_names import is_record_path
from vault_cli.store.files import read_file
from vault_cli.store.opening import show_name
from vault_cli.text.refusal import NEVER_WRITTEN, refuse_values
from vault_cli.text.scan import PERSONAL, SECRET, find_secret_findings


@dataclass(frozen=True, slots=True)
class Screen:
    """The rules of one vault.

    Args:
        root: vault root.
        ignore: setting `files.ignore`.
        gates: setting `admission.gates`.
        read_head: gives the committed bytes of paths, to see what was allowed before.
    """

    root: Path
    ignore: tuple[str, ...]
    gates: frozenset[str]
    read_head: Callable[[Iterable[str]], Mapping[str, bytes]]

    def ask(self, change: Change) -> tuple[Diagnostic, ...]:
        """Read every text of a change; return the findings that do not refuse it.

        Raises:
            RefusedError: a text is no readable record, or may not be written (findings attached).
        """
        self._require_clean_words(change)
        found: list[Diagnostic] = []
        for edit in change.edits:
            if isinstance(edit, Remove):
                continue
            path = edit.target if isinstance(edit, Move) else edit.path
            if is_record_path(path, self.ignore):
                found += self._ask_record(change, edit, path)
            else:
                self._require_clean_file(path, edit.data)
        return tuple(found)

    def _ask_record(self, change: Change, edit: Put | Move, path: str) -> tuple[Diagnostic, ...]:
        record, own = self.read(edit.data, path)
        if record is None or any(d.severity == "error" for d in own):
            raise RefusedError(
                f"{show_name(path)} would not be a readable record; nothing was written",
                hint="Correct what the findings name.",
                diagnostics=own,
            )
        held = {f.code for f in own if f.holds} - set(record.allow)
        self._require_no_values(change, edit, record, own)
        if change.actor not in (Actor.PERSON, Actor.POLICY) and not path.startswith("quarantine/"):
            self._require_harmless(edit, path, [f for f in own if f.code in held])
        return own

    def _require_no_values(
        self, change: Change, edit: Put | Move, record: Record, own: Iterable[Diagnostic]
    ) -> None:
        """Refuse secrets, and personal data that did not stand in the file before."""
        values = [f for f in own if f.holds and f.code in NEVER_WRITTEN]
        if not values:
            return
        given = self.let_pass(change) | self.allowed_before(edit.path)
        passing = given & set(record.allow)
        before = [f for f in self._findings_before(edit) if f.holds and f.code in NEVER_WRITTEN]
        if any(found.code == PERSONAL for found in before):
            passing |= {PERSONAL}
        left = [found for found in values if found.code not in passing]
        if left:  # of a file that holds them already the lines are those on disk
            old = [found for found in before if found.code in {item.code for item in left}]
            raise refuse_values(show_name(edit.path), old or left)

    def read(self, data: bytes, path: str) -> Parsed:
        """Read one record with the gates of this vault."""
        from vault_cli.text.fields import read_record

        return read_record(data, path, self.gates)

    @staticmethod
    def let_pass(change: Change) -> frozenset[str]:
        """Return the codes that a person lets pass with a change."""
        if change.actor is not Actor.PERSON:
            return frozenset()
        return frozenset(value for name, value in change.extra if name == ALLOW_TRAILER)

    @staticmethod
    def old_paths(change: Change) -> set[str]:
        """Return the paths of which git may hold an older version."""
        old = (e.path for e in change.edits if not (isinstance(e, Put) and e.expects == ABSENT))
        return {path for path in old if not path.startswith("quarantine/")}

    def allowed_before(self, path: str) -> set[str]:
        """Return the codes that the committed version of a file allows.

        An `allow` that only stands in the work tree may be anybody's.
        """
        data = self.read_head([path]).get(path)
        record = self.read(data, path)[0] if data is not None else None
        return set(record.allow) if record is not None else set()

    def _require_harmless(self, edit: Edit, path: str, found: list[Diagnostic]) -> None:
        """Refuse what holds a record, unless it stood there before, from all but a person."""
        if not found:
            return
        before = {f.code for f in self._findings_before(edit) if f.holds}
        fresh = tuple(f for f in found if f.code not in before)
        if fresh:
            codes = ", ".join(dict.fromkeys(f.code for f in fresh))
            raise RefusedError(
                f"{show_name(path)} would be held back: {codes}; nothing was written",
                hint="Leave it out, or let a person write it.",
                diagnostics=fresh,
            )

    def _findings_before(self, edit: Edit) -> tuple[Diagnostic, ...]:
        """Return what is found in the file as it is on disk."""
        if isinstance(edit, Put) and edit.expects == ABSENT:
            return ()
        try:
            return self.read(read_file(self.root, edit.path), edit.path)[1]
        except VaultError:
            return ()

    def _require_clean_words(self, change: Change) -> None:
        """Refuse a secret in the commit message."""
        for name, text in (("title", change.subject), ("reason", change.reason)):
            found = self.secrets_in(text, "", f"in the {name}: ")
            if found:
                raise refuse_values(f"the {name}", found)

    def _require_clean_file(self, path: str, data: bytes) -> None:
        found = self.secrets_in(data.decode("utf-8", "replace"), path)
        if found:
            raise refuse_values(show_name(path), found)

    def secrets_in(self, text: str, path: str, where: str = "") -> list[Diagnostic]:
        """Return the secrets in any text as findings; none shows its value."""
        return [
            Diagnostic(path, hit.line, hit.code, "warning", where + hit.message, holds=True)
            for hit in find_secret_findings(text, self.gates)
            if hit.code == SECRET and hit.holds
        ]

    def require_clean_people(self, identity: str) -> None:
        """Refuse to commit under a name or a mail that holds a secret.

        Args:
            identity: what git's settings name, one a line.

        Raises:
            RefusedError: it does; the findings name the kind.
        """
        found = self.secrets_in(identity, "", "in user.name or user.email: ")
        if found:
            raise refuse_values("the name or mail in git's settings", found)

    def require_clean_edit(self, path: str, data: bytes, allowed: Collection[str]) -> None:
        """Refuse to commit a hand edit that holds a secret.

        Args:
            path: the edited file.
            data: its bytes.
            allowed: codes that the change to come lets pass for this file.

        Raises:
            RefusedError: it does; the findings name line and kind.
        """
        found = self.secrets_in(data.decode("utf-8", "replace"), path)
        found += self.secrets_in(path, "", "in the name of a file: ")
        if found and SECRET not in allowed and SECRET not in self.allowed_before(path):
            raise refuse_values(f"{show_name(path)}, edited by hand,", found)
