from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from helpers import CASES

from vault_cli.model.change import Change, Move, Put, Remove
from vault_cli.model.record import Record, Snapshot, Tally
from vault_cli.text.fields import read_record

SHANGHAI = timezone(timedelta(hours=8))


@dataclass
class MemoryVault:
    """A vault as a map of texts, with the gate's rules for edits but no disk and no git."""

    files: dict[str, bytes] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)

    def snapshot(self) -> Snapshot:
        records, diagnostics, unreadable = [], [], []
        for path in sorted(self.files):
            if not path.endswith(".md") or "/references/" in path:
                continue
            record, findings = read_record(self.files[path], path)
            diagnostics += findings
            if record is None:
                unreadable.append(path)
            else:
                records.append(record)
        return Snapshot(
            tuple(records), tuple(sorted(diagnostics)), tuple(unreadable), tallies=self.tallies
        )

    def record(self, record_id: str) -> Record:
        return self.snapshot().by_id[record_id]

    def data(self, record_id: str) -> bytes:
        return self.files[self.record(record_id).path]

    def text(self, path: str) -> str:
        return self.files[path].decode()

    def apply(self, change: Change) -> list[tuple[str, bytes | None, bytes | None]]:
        """Do the edits; return (path, before, after) of every path, as a commit would show."""
        import hashlib

        before = dict(self.files)
        paths: list[str] = []
        for edit in change.edits:
            old = self.files.get(edit.path)
            assert (hashlib.sha256(old).hexdigest() if old is not None else "") == edit.expects
            assert edit.path not in paths, "paths of a change are distinct"
            paths.append(edit.path)
            if isinstance(edit, Put):
                self.files[edit.path] = edit.data
            elif isinstance(edit, Remove):
                del self.files[edit.path]
            elif isinstance(edit, Move):
                assert edit.target not in self.files
                del self.files[edit.path]
                self.files[edit.target] = edit.data
                paths.append(edit.target)
        return [(path, before.get(path), self.files.get(path)) for path in paths]


@pytest.fixture
def make_vault() -> Callable[..., MemoryVault]:
    def make(files: Mapping[str, str | bytes] | None = None, **tallies: Tally) -> MemoryVault:
        texts = {
            path: text if isinstance(text, bytes) else text.encode()
            for path, text in (files or {}).items()
        }
        return MemoryVault(texts, {key.replace("_", "-"): t for key, t in tallies.items()})

    return make


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 12, 15, 18, 2, 11, tzinfo=SHANGHAI)


@pytest.fixture
def random_int() -> Callable[[int], int]:
    counter = itertools.count(7)
    return lambda below: (next(counter) * 7919) % below


@pytest.fixture
def cases() -> Path:
    return CASES


@pytest.fixture
def note() -> Callable[..., str]:
    """Write a record's text from keys; lists and maps as YAML flow text."""

    def write(body: str = "Text.\n", /, **keys: str) -> str:
        lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
        return f"---\n{lines}---\n{body}"

    return write
