"""Take an observation down, move the watermark, commit in batches. May import `store`, `model`.

Three steps, each for itself: a line is appended at once; when enough uses wait, a watermark line
follows, and renders show what stands before it; and the file goes into git then, or before the
next change of the vault. What fails later than the first step is tried again by the next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from vault_cli.errors import VaultError
from vault_cli.model.observation import WATERMARK, Observation, count_uses
from vault_cli.store.files import read_file, write_file
from vault_cli.store.usage import (
    MAX_USAGE,
    append_lines,
    new_key,
    own_path,
    parse_lines,
    stamp_time,
)

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository
    from vault_cli.store.screen import Screen

_COMMITTED: Final = ".state/usage-committed"
_MARK_WORD: Final = b'"watermark"'
_MANY_LINES: Final = 64
"""So many exposures alone are worth a commit before the next change."""


class Held(Protocol):
    """What is asked of a vault here."""

    root: Path

    @property
    def repo(self) -> Repository | None: ...  # noqa: D102

    def screen(self) -> Screen: ...  # noqa: D102


class Observed(NamedTuple):
    """What became of observations.

    Args:
        path: the file they stand in.
        waiting: uses of this machine that no watermark has taken in.
        settled: whether the watermark moved.
        commit: the commit that took the file along, "" for none.
        problem: why it is not committed although it was time, "" otherwise.
    """

    path: str
    waiting: int
    settled: bool = False
    commit: str = ""
    problem: str = ""


def observe(
    vault: Held, seen: Sequence[Observation], now: datetime, *, every: int, wait: float
) -> Observed:
    """Take observations down; the watermark moves when `every` uses of this machine wait.

    Args:
        vault: where the records are.
        seen: observations; none: only the rest is done.
        now: aware instant.
        every: setting `render.commit_every`.
        wait: most seconds to wait for another writer, for the commit.

    Raises:
        StoreError: they cannot be written.
    """
    path = append_lines(vault.root, seen) if seen else own_path(vault.root)
    waiting = count_waiting(vault.root)
    if not waiting or waiting < every:
        return Observed(path, waiting)
    append_lines(vault.root, [Observation(WATERMARK, stamp_time(now), new_key())])
    try:
        return Observed(path, 0, settled=True, commit=commit_usage(vault, wait=wait))
    except VaultError as error:
        return Observed(path, 0, settled=True, problem=error.message)


def count_waiting(root: Path) -> int:
    """Return how many uses of this machine no watermark has taken in."""
    data = _own_bytes(root)
    start = data.find(b"\n", data.rfind(_MARK_WORD)) + 1 if _MARK_WORD in data else 0
    return count_uses(seen for seen, _ in parse_lines(data, start).lines)


def has_receipt(root: Path, receipt: str) -> bool:
    """Tell whether this machine's file names the ids of a receipt already."""
    data, word = _own_bytes(root), f'"receipt":"{receipt}"'.encode()
    place = data.find(word)
    while place >= 0:
        line = data[data.rfind(b"\n", 0, place) + 1 : place]
        if line.startswith(b'{"kind":"exposure"') and b'"ids":[' in line:
            return True
        place = data.find(word, place + 1)
    return False


def commit_usage(vault: Held, *, wait: float) -> str:
    """Commit this machine's file as it is; return the commit, "" when there is nothing new.

    Raises:
        VaultError: as `gate.commit_appended`. The file stays, and waits for the next time.
    """
    from vault_cli.model.change import Change
    from vault_cli.model.lifecycle import Actor
    from vault_cli.store.gate import commit_appended

    repo, path = vault.repo, own_path(vault.root)
    data = _own_bytes(vault.root)
    if repo is None or not data:
        return ""
    start = _committed_size(vault.root, data)
    lines = parse_lines(data, start).lines
    number = sum(seen.kind != WATERMARK for seen, _ in lines)
    what = "1 observation" if number == 1 else f"{number} observations"
    change = Change("usage", f": {what}", (), actor=Actor.AGENT)
    fresh = data[start:].decode("utf-8", "replace")
    commit = commit_appended(
        vault.root, repo, change, path, fresh, screen=vault.screen(), wait=wait
    )
    with suppress(VaultError):
        write_file(vault.root, _COMMITTED, str(len(data)).encode())
    return commit


def is_due(root: Path) -> bool:
    """Tell whether this machine has observations worth a commit, without asking git."""
    try:
        path = own_path(root)
        size = (root / path).lstat().st_size
        if size == _read_size(root):
            return False
    except (OSError, VaultError):
        return False
    data = _own_bytes(root)
    lines = [seen for seen, _ in parse_lines(data, _committed_size(root, data)).lines]
    return count_uses(lines) > 0 or len(lines) >= _MANY_LINES


def _own_bytes(root: Path) -> bytes:
    try:
        return read_file(root, own_path(root), MAX_USAGE)
    except VaultError:
        return b""


def _committed_size(root: Path, data: bytes) -> int:
    """Return up to where the file was committed, as far as we remember; 0 when in doubt."""
    size = _read_size(root)
    return size if 0 < size <= len(data) and data[size - 1 : size] == b"\n" else 0


def _read_size(root: Path) -> int:
    try:
        text = read_file(root, _COMMITTED, 20)
    except VaultError:
        return -1
    return int(text) if text.isdigit() else -1
