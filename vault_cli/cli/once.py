"""What is proposed of one thing is proposed once, also by two commands at a time.

The vault's own lock makes two changes follow each other; it does not keep the second from saying
what the first has said. May import everything below `cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from vault_cli.model.change import Put

if TYPE_CHECKING:
    from pathlib import Path

    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.change import Change

_OWN_KEYS: Final = (b"id:", b"created:")
"""Lines in which two proposals of the same words differ."""


@contextmanager
def in_turn(inv: Invocation) -> Iterator[None]:
    """Let this run look again and write while nobody else proposes; not within itself.

    A dry run writes nothing and waits for nobody.

    Raises:
        ChangedMeanwhileError, StoreError: as `store.lock.take_turn`. UsageError: no git yet.
    """
    from vault_cli.store.lock import take_turn

    if inv.options.dry_run:
        yield
        return
    inv.vault.require_in_place()
    inv.vault.require_repo()
    with take_turn(inv.root):
        inv.forget_snapshot()
        yield


def same_draft(inv: Invocation, change: Change) -> Callable[[], str]:
    """Return what names the draft that says just what a new one would say, "" for none."""
    put = next(edit for edit in change.edits if isinstance(edit, Put))
    return lambda: find_same(inv.root, put)


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
