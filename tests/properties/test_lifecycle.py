"""Whatever is done to records, in whatever order: no text is lost, nobody has two successors."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from helpers import git, make_vault, run
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from vault_cli.cli.history import commits_since, undo_files
from vault_cli.errors import VaultError
from vault_cli.features.aftermath import clashes_of, require_sound
from vault_cli.features.approval import needed_paths, plan_approve, plan_reject
from vault_cli.features.disputes import ANSWERS, plan_dispute, plan_resolve
from vault_cli.features.drafts import DraftRequest, plan_add, plan_revise
from vault_cli.features.forgetting import ForgetRequest, paths_to_forget, plan_forget
from vault_cli.features.repair import FIXED
from vault_cli.features.revival import plan_deprecate_all, plan_revive
from vault_cli.features.succeeding import plan_successor, plan_supersede
from vault_cli.features.undo import plan_undo
from vault_cli.model.lifecycle import Actor
from vault_cli.model.record import Kind, Record, Snapshot, Status
from vault_cli.store.vault import Vault

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOKEN = re.compile(rb"token-\d+-end")
FOLDERS = ("memories/a", "drafts/b", "playbook")
EXAMPLES = int(os.environ.get("MVAULT_EXAMPLES", "12"))
STEPS = 14
PICK = st.integers(0, 30)
ALIVE = frozenset(Status) - {Status.TOMBSTONED}
SEEDS = {
    # a draft and its rival, a chain of two and what would be its third
    "memories/f1.md": ("active", ""),
    "drafts/f2.md": ("candidate", "supersedes: [f-1]\n"),
    "drafts/f3.md": ("candidate", "supersedes: [f-1]\n"),
    "memories/f4.md": ("superseded", "superseded_by: f-5\nvalid_to: 2026-11-20\n"),
    "memories/f5.md": ("active", "supersedes: [f-4]\nvalid_from: 2026-11-21\n"),
    "drafts/f6.md": ("candidate", "supersedes: [f-5]\n"),
}


class Lifecycle(RuleBasedStateMachine):
    """One vault; commands through the real gate, and edits by hand between them."""

    template: ClassVar[Path]
    place: ClassVar[Path]
    numbers: ClassVar[itertools.count[int]]

    def __init__(self) -> None:
        super().__init__()
        self.root = self.place / f"vault-{next(self.numbers)}"
        shutil.copytree(self.template, self.root)
        self.vault = Vault.open(self.root, environ={})
        self.counter = itertools.count(1)
        self.now = START
        self.written: set[bytes] = set()
        self.seen = itertools.count(7)

    # --- what the rules share

    @property
    def snapshot(self) -> Snapshot:
        return self.vault.snapshot()

    def random_int(self, below: int) -> int:
        return (next(self.seen) * 7919) % below

    def token(self) -> str:
        text = f"token-{next(self.counter)}-end"
        self.written.add(text.encode())
        return text

    def pick(self, number: int, *statuses: Status) -> Record | None:
        wanted = statuses or ALIVE
        fitting = [r for r in self.snapshot.records if r.status in wanted]
        records = [r for r in fitting if r.id in self.snapshot.by_id]
        return records[number % len(records)] if records else None

    def texts(self, paths: Any) -> dict[str, bytes]:
        return {path: (self.root / path).read_bytes() for path in paths}

    def in_history(self) -> set[bytes]:
        names = git(self.root, "rev-list", "--objects", "HEAD").splitlines()
        blobs = "\n".join(line.split()[0] for line in names if line.endswith(".md"))
        import subprocess

        out = subprocess.run(["git", "-C", str(self.root), "cat-file", "--batch"],
                             input=blobs.encode(), capture_output=True, check=True)  # fmt: skip
        return set(TOKEN.findall(out.stdout))

    def on_disk(self) -> set[bytes]:
        files = [p for p in self.root.rglob("*.md") if ".git" not in p.parts]
        return {token for path in files for token in TOKEN.findall(path.read_bytes())}

    def command(self, plan: Callable[[], Any]) -> None:
        """Carry a command out; what it refuses leaves everything as it was."""
        before = self.snapshot
        self.now += timedelta(hours=7)
        try:
            planned = plan()
            change = getattr(planned, "change", planned)
            self.vault.apply(change)
        except VaultError:
            assert [r.digest for r in self.snapshot.records] == [r.digest for r in before.records]
            return
        fresh = set(clashes_of(self.snapshot)) - set(clashes_of(before))
        assert not fresh, (change.verb, clashes_of(self.snapshot))
        self._no_orphan(change.verb, before)

    def _no_orphan(self, verb: str, before: Snapshot) -> None:
        """After a deletion nobody is superseded by a tombstone."""
        if verb != "forget":
            return
        shot = self.snapshot
        tombs = {r.id for r in shot.records if r.status is Status.TOMBSTONED}
        fresh = tombs - {r.id for r in before.records if r.status is Status.TOMBSTONED}
        for record in shot.records:
            assert not fresh & set(record.supersedes)
            if record.status is Status.SUPERSEDED:
                assert record.fields.get("superseded_by") not in fresh

    # --- commands

    @rule(revise=st.booleans(), number=PICK)
    def add(self, revise: bool, number: int) -> None:
        text = f"Text {self.token()}.\n"
        old = self.pick(number, Status.ACTIVE, Status.CANDIDATE) if revise else None
        keys: dict[str, Any] = {"now": self.now, "actor": Actor.AGENT, "origin": "cli",
                                "random_int": self.random_int}  # fmt: skip
        if old is None:
            request = DraftRequest(Kind.FACT, title=f"Fact {number}", body=text)
            self.command(lambda: plan_add(self.snapshot, request, **keys))
        else:
            data = (self.root / old.path).read_bytes()
            body = old.body + text
            self.command(lambda: plan_revise(self.snapshot, old, data, body=body, **keys))
        if text.split()[1][:-1].encode() not in self.on_disk():
            self.written.discard(text.split()[1][:-1].encode())  # refused: it was never there

    @rule(number=PICK)
    def approve(self, number: int) -> None:
        record = self.pick(number, Status.CANDIDATE)
        if record is not None:
            paths = needed_paths(self.snapshot, [record])
            self.command(
                lambda: plan_approve(
                    self.snapshot, [record], self.texts(paths), now=self.now, actor=Actor.PERSON,
                    how="test", random_int=self.random_int,
                )
            )  # fmt: skip

    @rule(number=PICK)
    def reject(self, number: int) -> None:
        record = self.pick(number, Status.CANDIDATE, Status.DISPUTED)
        if record is not None:
            data = (self.root / record.path).read_bytes()
            self.command(
                lambda: plan_reject(
                    self.snapshot, record, data, reason="no", now=self.now, actor=Actor.PERSON,
                    random_int=self.random_int,
                )
            )  # fmt: skip

    @rule(number=PICK, many=st.booleans())
    def deprecate(self, number: int, many: bool) -> None:
        first, second = self.pick(number), self.pick(number + 1)
        records = list({r.path: r for r in (first, second if many else None) if r}.values())
        if records:
            self.command(
                lambda: plan_deprecate_all(
                    self.snapshot, records, self.texts(r.path for r in records), reason="old",
                    now=self.now, actor=Actor.PERSON,
                )
            )  # fmt: skip

    @rule(number=PICK)
    def dispute(self, number: int) -> None:
        record = self.pick(number)
        if record is not None:
            data = (self.root / record.path).read_bytes()
            self.command(
                lambda: plan_dispute(
                    self.snapshot, record, data, now=self.now, actor=Actor.AGENT, reason="hm"
                )
            )

    @rule(number=PICK, to=st.sampled_from((None, *ANSWERS)))
    def resolve(self, number: int, to: Status | None) -> None:
        record = self.pick(number, Status.DISPUTED)
        if record is not None:
            paths = needed_paths(self.snapshot, [record])
            self.command(
                lambda: plan_resolve(
                    self.snapshot, record, self.texts(paths), reason="asked", now=self.now,
                    actor=Actor.PERSON, random_int=self.random_int, to=to,
                )
            )  # fmt: skip

    @rule(number=PICK)
    def revive(self, number: int) -> None:
        record = self.pick(number, Status.DEPRECATED, Status.SUPERSEDED, Status.REJECTED)
        if record is not None:
            paths = needed_paths(self.snapshot, [record])
            self.command(
                lambda: plan_revive(
                    self.snapshot, record, self.texts(paths), reason="back", now=self.now,
                    actor=Actor.PERSON,
                )
            )  # fmt: skip

    @rule(number=PICK, other=PICK)
    def supersede(self, number: int, other: int) -> None:
        old, new = self.pick(number), self.pick(other)
        if old is None or new is None:
            return
        paths = {old.path, *needed_paths(self.snapshot, [new])}
        self.command(
            lambda: plan_supersede(
                self.snapshot, old, new, self.texts(paths), now=self.now, actor=Actor.PERSON,
                reason="newer",
            )
        )  # fmt: skip

    @rule(number=PICK)
    def succeed(self, number: int) -> None:
        old = self.pick(number, Status.ACTIVE, Status.CANDIDATE, Status.DISPUTED)
        if old is not None:
            values = {"title": f"After {number}", "reason": "newer"}
            self.command(
                lambda: plan_successor(
                    self.snapshot, old, values, now=self.now, actor=Actor.PERSON, origin="cli",
                    random_int=self.random_int,
                )
            )  # fmt: skip

    @rule(number=PICK, back=st.booleans(), many=st.booleans())
    def forget(self, number: int, back: bool, many: bool) -> None:
        first, second = self.pick(number), self.pick(number + 1)
        records = list({r.path: r for r in (first, second if many else None) if r}.values())
        if records:
            paths = paths_to_forget(self.snapshot, records)
            self.command(
                lambda: plan_forget(
                    self.snapshot, records, self.texts(paths), ForgetRequest(revive=back),
                    now=self.now, actor=Actor.PERSON, random_int=self.random_int,
                )
            )  # fmt: skip

    @rule(back=st.integers(0, 3))
    def undo(self, back: int) -> None:
        repo = self.vault.require_repo()
        own = [c for c in repo.log(limit=20) if dict(c.trailers).get("Vault-Op", "init") != "init"]
        if not own:
            return
        info = repo.commit_info(own[min(back, len(own) - 1)].id)

        def plan() -> Any:
            since = commits_since(repo, info)
            change = plan_undo(undo_files(self, repo, info, since), commit=info.id,  # type: ignore[arg-type]
                               subject=info.subject, actor=Actor.PERSON)  # fmt: skip
            require_sound(self.snapshot, change)
            return change

        self.command(plan)

    def read(self, path: str) -> bytes:
        """What `undo_files` asks an invocation for."""
        from vault_cli.store.files import read_file

        return read_file(self.root, path)

    # --- by hand

    @rule(number=PICK, status=st.sampled_from(Status))
    def type_status(self, number: int, status: Status) -> None:
        record = self.pick(number)
        if record is not None:
            path = self.root / record.path
            old = f"status: {record.written_status}".encode()
            path.write_bytes(path.read_bytes().replace(old, f"status: {status}".encode(), 1))

    @rule(number=PICK)
    def type_text(self, number: int) -> None:
        record = self.pick(number)
        if record is not None and record.status is not Status.TOMBSTONED:
            path = self.root / record.path
            path.write_bytes(path.read_bytes() + f"By hand {self.token()}.\n".encode())

    @rule(number=PICK, folder=st.sampled_from(FOLDERS))
    def move(self, number: int, folder: str) -> None:
        record = self.pick(number)
        if record is not None:
            target = self.root / folder / record.path.rsplit("/", 1)[-1]
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                (self.root / record.path).rename(target)

    @rule(number=PICK)
    @precondition(lambda self: len(self.snapshot.records) > 2)
    def delete(self, number: int) -> None:
        record = self.pick(number)
        if record is not None:
            path = self.root / record.path
            lost = set(TOKEN.findall(path.read_bytes()))
            path.unlink()
            # what a person deletes before any commit had it is the person's own business
            self.written -= lost - self.in_history() - self.on_disk()

    def teardown(self) -> None:
        """No text is lost, and what is wrong by hand can be repaired."""
        assert self.written <= self.in_history() | self.on_disk()
        env = {"MVAULT_NOW": self.now.isoformat().replace("+00:00", "Z")}
        vault = ("--vault", str(self.root), "--json")
        fixed = run(*vault, "check", "--fix", "--jumps", "--yes", env=env)
        assert fixed.code == 0, fixed.text
        found = run(*vault, "check", env=env)
        left = [
            f for f in found.json["diagnostics"] if f["severity"] == "error" or f["code"] in FIXED
        ]
        assert left == []
        assert found.code == 0, found.text
        shutil.rmtree(self.root)


def test_no_text_is_lost_and_nobody_has_two_successors(tmp_path: Path) -> None:
    fact = "---\nid: f-{n}\nkind: fact\nstatus: {status}\n{more}title: Fact {n}\n---\nWords {n}.\n"
    files = {
        path: fact.format(n=path[-4], status=status, more=more)
        for path, (status, more) in SEEDS.items()
    }
    Lifecycle.template = make_vault(tmp_path, files)
    Lifecycle.place = tmp_path / "vaults"
    Lifecycle.place.mkdir()
    Lifecycle.numbers = itertools.count()
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Lifecycle, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS)
    )
