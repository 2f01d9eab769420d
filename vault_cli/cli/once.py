"""What is proposed of one thing is proposed once, also by two commands at a time.

The vault's own lock makes two changes follow each other; it does not keep the second from saying
what the first has said. May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from vault_cli.model.change import Put, Receipt

if TYPE_CHECKING:
    from pathlib import Path

    from vault_cli.cli.option_values import Options
    from vault_cli.model.change import Change
    from vault_cli.store.vault import Vault

_OWN_KEYS: Final = (b"id:", b"created:")
"""Lines in which two proposals of the same words differ."""


class Run(Protocol):
    """What is asked of the run of a command here."""

    @property
    def options(self) -> Options:
        """Its global options."""
        ...  # pragma: no cover - a protocol has no body

    @property
    def vault(self) -> Vault:
        """The vault that it writes."""
        ...  # pragma: no cover - a protocol has no body

    def forget_snapshot(self) -> None:
        """Read the files again when they are next asked for."""
        ...  # pragma: no cover - a protocol has no body


@contextmanager
def in_turn(run: Run) -> Iterator[None]:
    """Let a run look again and write while nobody else proposes; not within itself.

    A dry run writes nothing and waits for nobody.

    Raises:
        ChangedMeanwhileError, StoreError: as `store.lock.take_turn`. UsageError: no git yet.
    """
    from vault_cli.store.lock import take_turn

    if run.options.dry_run:
        yield
        return
    run.vault.require_in_place()
    run.vault.require_repo()
    with take_turn(run.vault.root):
        run.forget_snapshot()
        yield


def carry_once(
    run: Run, once: Callable[[], str] | None, apply: Callable[[], Receipt]
) -> tuple[Receipt, str]:
    """Carry a change out; what is proposed once is looked for while nobody else proposes.

    Args:
        run: of the command.
        once: `Plan.once`.
        apply: carries it out.

    Returns:
        What was done, and the record that says it already, "" when none did.
    """
    if once is None:
        return apply(), ""
    with in_turn(run):
        known = once()
        return (Receipt() if known else apply()), known


def same_draft(root: Path, change: Change) -> Callable[[], str]:
    """Return what names the draft that says just what a new one would say, "" for none."""
    put = next(edit for edit in change.edits if isinstance(edit, Put))
    return lambda: find_same(root, put)


def find_same(root: Path, put: Put) -> str:
    """Return the id of a draft of the same words, keys and month; "" for none.

    Only the names of one folder are read, and the files whose name begins alike.
    """
    from vault_cli.errors import VaultError
    from vault_cli.store.files import MAX_FILE, read_file

    folder, _, name = put.path.rpartition("/")
    begin = name.rpartition("-")[0]
    wanted = _words(put.data)
    try:
        names = sorted(path.name for path in (root / folder).iterdir())
    except OSError:
        return ""
    for other in names:
        if other.rpartition("-")[0] != begin or not other.endswith(".md"):
            continue
        try:
            data = read_file(root, f"{folder}/{other}", MAX_FILE)
        except VaultError:
            continue
        if _words(data) == wanted:
            return _id_in(data)
    return ""


def _words(data: bytes) -> tuple[list[bytes], bytes]:
    """Return what two files are compared by: the keys but for their own ones, and the text."""
    head, _, text = data.partition(b"\n---\n")
    return [line for line in head.split(b"\n") if not line.startswith(_OWN_KEYS)], text


def _id_in(data: bytes) -> str:
    lines = (line for line in data.split(b"\n") if line.startswith(b"id:"))
    return next(lines, b"").partition(b":")[2].strip().decode("utf-8", "replace")
