"""`check --fix`: the repairs, shown first, then one commit. May import everything below `cli`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from vault_cli.cli.invocation import Invocation, Plan
from vault_cli.cli.output import Line, inline
from vault_cli.cli.views import plural
from vault_cli.errors import Diagnostic, VaultError
from vault_cli.model.record import Record
from vault_cli.text.names import show_path


class _Texts(Mapping[str, bytes]):
    """The bytes of the vault's files, read when a planner asks for them, and then kept."""

    def __init__(self, inv: Invocation) -> None:
        self._inv = inv
        self._read: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._read:
            try:
                self._read[path] = self._inv.read(path)
            except VaultError as error:
                raise KeyError(path) from error
        return self._read[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


def fix(inv: Invocation, *, jumps: bool, only: Callable[[str], bool], yes: bool) -> int:
    """Plan the repairs and submit them.

    Args:
        inv: the run.
        jumps: also set statuses back that were changed by hand against the lifecycle.
        only: which paths may be repaired.
        yes: `--yes` was given.
    """
    from vault_cli.features.repair import plan_repairs

    planned = plan_repairs(
        inv.whole_snapshot(),
        _Texts(inv),
        committed_texts(inv),
        inv.now,
        inv.decider(yes=yes),
        jumps=jumps,
        earlier=lambda record: _before_succession(inv, record),
        only=only,
    )
    steps = [note for note in planned.notes if note.code == "repair"]
    left = tuple(note for note in planned.notes if note.code != "repair")
    return inv.submit(
        Plan(
            planned.change,
            f"repaired {plural(len(planned.change.edits), 'file')}",
            "Make these repairs?",
            person=True,
            yes=yes,
            data={"repairs": [note.as_data() for note in steps]},
            card=[*_step_lines(steps), ""],
            findings=left,
            hints=("`mvault check` shows what is left for a person.",),
            nothing="there is nothing that a program can repair",
        )
    )


def _step_lines(steps: list[Diagnostic]) -> Iterator[Line]:
    for step in steps:
        yield [("yellow", inline(show_path(step.path))), f": {inline(step.message)}"]


def committed_texts(inv: Invocation) -> dict[str, bytes | None] | None:
    """Return the committed bytes of records that differ from HEAD (None: not in HEAD).

    Without a commit there is nothing to compare with: None.
    """
    repo = inv.vault.repo
    if repo is None or not repo.head():
        return None
    texts: dict[str, bytes | None] = {}
    for change in repo.pending():
        if change.path.endswith(".md"):
            texts[change.path] = None
            with suppress(VaultError):
                texts[change.path] = repo.read_blob("HEAD", change.path)
    return texts


def _before_succession(inv: Invocation, record: Record) -> bytes | None:
    """Return the newest committed text of a record in which it was in force."""
    from vault_cli.text.fields import read_record

    repo = inv.vault.repo
    if repo is None:
        return None
    with suppress(VaultError):
        for commit in repo.log(paths=(record.path,), record_id=record.id):
            for path in dict.fromkeys((record.path, *commit.paths)):
                data = repo.read_blob(commit.id, path) if path.endswith(".md") else None
                old = read_record(data, path)[0] if data else None
                if old is not None and old.id == record.id and old.in_force:
                    return data
    return None
