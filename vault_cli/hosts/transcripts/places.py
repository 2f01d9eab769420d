"""Where the programs keep their session logs. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from vault_cli.hosts.transcripts import claude_code, codex, dsh
from vault_cli.text.late import late

READABLE: Final = (claude_code.HOST, codex.HOST, dsh.HOST)
"""Hosts whose logs are found by themselves."""

_DEEPEST: Final = 6
_NAMES: Final = {
    claude_code.HOST: late(r"[^/]+\.jsonl"),
    codex.HOST: late(r"rollout-[^/]+\.jsonl(?:\.zst|\.zstd)?"),
    dsh.HOST: late(r"session\.jsonl(?:\.zstd)?"),
}


class Found(NamedTuple):
    """One log: which program's, where, when it last changed, how large it is."""

    host: str
    path: Path
    mtime_ns: int
    size: int


def log_folder(host: str, environ: Mapping[str, str]) -> Path:
    """Return the folder below which a program keeps its logs.

    Args:
        host: one of `READABLE`.
        environ: the environment; `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `DSH_HOME` move it.
    """
    variable, usual, below = {
        claude_code.HOST: ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
        codex.HOST: ("CODEX_HOME", ".codex", "sessions"),
        dsh.HOST: ("DSH_HOME", ".dsh", "sessions"),
    }[host]
    given = environ.get(variable, "").strip()
    base = Path(os.path.expanduser(given)) if given else Path.home() / usual  # noqa: PTH111 - `~name` that nobody has
    return base / below


def find_logs(
    hosts: Iterable[str], environ: Mapping[str, str], *, since_ns: int = 0
) -> Iterator[Found]:
    """Yield the logs of some programs that changed since an instant, the oldest first.

    Args:
        hosts: of `READABLE`.
        environ: the environment.
        since_ns: nanoseconds since the epoch.
    """
    found = [log for host in hosts for log in _walk(host, log_folder(host, environ))]
    for log in sorted(found, key=lambda log: (log.mtime_ns, str(log.path))):
        if log.mtime_ns >= since_ns:
            yield log


def logs_below(folder: Path) -> Iterator[Path]:
    """Yield what may be a log below a folder that was named, sorted."""
    for log in sorted(_walk("", folder), key=lambda log: str(log.path)):
        yield log.path


def _walk(host: str, folder: Path, depth: int = 0) -> Iterator[Found]:
    """Yield the files of a folder whose names fit; links are not followed."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and entry.name != "memory":
                    yield from _walk(host, Path(entry.path), depth + 1)
            elif entry.is_file(follow_symlinks=False) and _fits(host, entry.name):
                facts = entry.stat(follow_symlinks=False)
                yield Found(host, Path(entry.path), facts.st_mtime_ns, facts.st_size)
        except OSError:
            continue


def _fits(host: str, name: str) -> bool:
    patterns = [_NAMES[host]] if host else list(_NAMES.values())
    return any(pattern.fullmatch(name) for pattern in patterns)
