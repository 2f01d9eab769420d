"""A commit reads like the disk it was made of, from git or from the cache."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest
from helpers import HOSTILE_VAULT, commit_all, git, head, make_vault, run, write_files
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.errors import NotFoundError
from vault_cli.model.record import Snapshot
from vault_cli.store.config import load_config
from vault_cli.store.history import straighten
from vault_cli.store.past import read_past
from vault_cli.store.reader import read_vault
from vault_cli.store.vault import Vault

DATES = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")


def note(record_id: str, body: str = "Body.", status: str = "active", **keys: str) -> str:
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    front = f"id: {record_id}\nkind: note\nstatus: {status}\ntitle: 标题 {record_id}\n{more}"
    return f"---\n{front}---\n{body}\n"


def opened(root: Path) -> Vault:
    return Vault.open(root, environ=dict(os.environ))


def facts(snapshot: Snapshot) -> tuple[object, ...]:
    """All that must be the same, however it was read."""
    return snapshot.records, snapshot.diagnostics, snapshot.unreadable


def uncached(root: Path, commit: str) -> Snapshot:
    vault = opened(root)
    ignore = vault.config["files.ignore"]
    return read_past(vault.require_repo(), commit, ignore=ignore, use_cache=False)


def on_disk(root: Path) -> Snapshot:
    config = load_config(root, environ=dict(os.environ))
    return read_vault(root, config, use_cache=False)


def assert_reads_like(root: Path, at: str, wanted: tuple[object, ...], commit: str) -> None:
    for _ in range(2):  # from git, then from the cache
        for whole in (True, False):
            found = opened(root).snapshot(at=at, whole=whole)
            assert found.commit == commit
            assert facts(found) == wanted
    assert facts(uncached(root, commit)) == wanted


ODD = {
    "a.md": note("n-1"),
    "b.md": "---\nid: [\n---\n",
    "drafts/c.md": note("n-2"),
    "Templates/t.md": "x",
    "d:e.md": note("n-3"),
    "README.md": "x",
    "x (1).md": note("n-1"),
    "memories/big.md": "x" * ((1 << 20) + 1),
    "memories/空.md": "没有元数据的笔记\n",
    "skills/one/SKILL.md": "---\nname: one\ndescription: d\n---\n",
    "skills/one/references/dossier.md": "not read",
    "Lower/k.md": note("n-5"),
    "lower/K.md": note("n-6"),
    "held.md": note("n-7", "Text \u202ehidden\u202c."),
}


def test_a_commit_reads_like_the_disk(tmp_path: Path) -> None:
    root = make_vault(tmp_path, ODD)
    wanted = facts(on_disk(root))
    first = head(root)
    assert_reads_like(root, "HEAD", wanted, first)
    # later changes of the files and of git leave the old commit as it was
    (root / "a.md").write_text(note("n-1", "Other."))
    (root / "drafts" / "c.md").rename(root / "moved.md")
    commit_all(root)
    assert_reads_like(root, "HEAD~1", wanted, first)
    assert_reads_like(root, first[:9], wanted, first)
    assert facts(opened(root).snapshot(at="HEAD")) == facts(on_disk(root)) != wanted


def test_hostile_files_read_like_the_disk(tmp_path: Path) -> None:
    """What the scanner of today holds or refuses is held or refused in a past commit, too."""
    subprocess.run(
        [sys.executable, str(HOSTILE_VAULT), str(tmp_path)], check=True, capture_output=True
    )
    root = tmp_path / "files"
    made = make_vault(tmp_path, name="other")
    (made / "vault.toml").rename(root / "vault.toml")
    (made / ".git").rename(root / ".git")
    git(root, "-c", "core.autocrlf=false", "add", "-A", "-f", check=False)
    git(root, "commit", "-qm", "hostile")
    subprocess.run(["git", "checkout", "-q", "-f", "HEAD"], cwd=root, check=False)
    disk, tree = on_disk(root), opened(root).snapshot(at="HEAD")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    committed = {os.fsdecode(name) for name in names.stdout.split(b"\0")}
    known = {record.path: record for record in disk.records if record.path in committed}
    assert len(known) > 20
    assert {record.path: record for record in tree.records} == known
    held = {d.path for d in disk.diagnostics if d.holds and d.path in committed}
    assert held
    assert {d.path for d in tree.diagnostics if d.holds} == held
    errors = {d.path for d in disk.diagnostics if d.severity == "error" and d.path in committed}
    assert errors <= set(tree.unreadable)


def test_links_and_other_repositories_are_named(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"a.md": note("n-1")})
    (root / "link.md").symlink_to("a.md")
    git(root, "add", "-A")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head(root)},sub")
    git(root, "commit", "-qm", "odd")
    snapshot = opened(root).snapshot(at="HEAD")
    assert [record.id for record in snapshot.records] == ["n-1"]
    assert {(d.path, d.code) for d in snapshot.diagnostics} >= {
        ("link.md", "link"), ("sub", "nested-repository"),
    }  # fmt: skip


def many(count: int) -> dict[str, str]:
    return {f"memories/m-{n // 4}/n{n}.md": note(f"n-{n}", f"Text {n} 文本") for n in range(count)}


def past_rows(root: Path) -> int:
    with sqlite3.connect(root / ".state" / "index.sqlite") as connection:
        return int(connection.execute("SELECT count(*) FROM past").fetchone()[0])


def test_only_what_differs_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files like those of the working tree reuse its rows; of two commits the difference counts."""
    root = make_vault(tmp_path, many(60))
    old = head(root)
    for number in (3, 40):
        (root / f"memories/m-{number // 4}/n{number}.md").write_text(note(f"n-{number}", "new"))
    commit_all(root)
    middle = head(root)
    (root / "memories/m-0/n0.md").unlink()
    commit_all(root)
    opened(root).snapshot()
    read: list[str] = []
    from vault_cli.store import past

    true = past.parse_file
    monkeypatch.setattr(
        past,
        "parse_file",
        lambda data, path, gates: read.append(path) or true(data, path, gates),
    )
    first = opened(root).snapshot(at=middle)
    assert read == ["memories/m-0/n0.md"]
    assert len(first.records) == 60
    read.clear()
    opened(root).snapshot(at=old)
    assert sorted(read) == ["memories/m-0/n3.md", "memories/m-10/n40.md"]
    read.clear()
    for at in (old, middle, "HEAD"):
        for whole in (True, False):
            assert facts(opened(root).snapshot(at=at, whole=whole)) == facts(
                uncached(root, opened(root).resolve(at))
            )
    # `uncached` parses all of each commit; the cached readings nothing
    assert len(read) == 2 * (60 + 60 + 59)
    assert past_rows(root) == 3


@pytest.mark.parametrize("seed", range(3))
def test_random_history_reads_like_its_checkouts(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    root = make_vault(tmp_path, many(20))
    wanted = {head(root): facts(on_disk(root))}
    for step in range(6):
        for _ in range(3):
            files = sorted(root.glob("memories/**/*.md"))
            file = rng.choice(files)
            action = rng.randrange(4)
            if action == 0:
                file.unlink()
            elif action == 1:
                target = root / rng.choice(("drafts", "playbook", "memories/m-1")) / f"{step}.md"
                target.parent.mkdir(exist_ok=True)
                file.rename(target)
            else:
                file.write_text(note(f"n-{rng.randrange(40)}", f"第 {step} 步"))
        commit_all(root)
        wanted[head(root)] = facts(on_disk(root))
        at = rng.choice(list(wanted))
        assert facts(opened(root).snapshot(at=at, whole=rng.random() < 0.5)) == wanted[at]
    for at, expected in wanted.items():
        assert_reads_like(root, at, expected, at)


def test_heads_of_a_commit_complete_themselves(tmp_path: Path) -> None:
    root = make_vault(tmp_path, many(30))
    old = head(root)
    for path in root.glob("memories/**/*.md"):
        path.unlink()
    commit_all(root)
    opened(root).snapshot(at=old)
    heads = opened(root).snapshot(at=old, whole=False)
    assert [r.body for r in heads.records] == [r.body for r in uncached(root, old).records]
    # the cache may go while a head waits
    waiting = opened(root).snapshot(at=old, whole=False).records[7]
    (root / ".state" / "index.sqlite").unlink()
    assert waiting.body.startswith("Text ")


def test_a_damaged_cache_costs_time_only(tmp_path: Path) -> None:
    root = make_vault(tmp_path, many(12))
    old = head(root)
    (root / "memories/m-0/n0.md").write_text(note("n-0", "new"))
    commit_all(root)
    wanted = facts(uncached(root, old))
    for statement in (
        "UPDATE tree SET heads = '{', digests = '' WHERE folder = 'memories/m-0/'",
        "UPDATE tree SET heads = '[]'",
        "UPDATE past SET facts = '[1,2]'",
        "DELETE FROM past",
        "DROP TABLE past",
        "DROP TABLE tree",
    ):
        opened(root).snapshot(at=old)
        with sqlite3.connect(root / ".state" / "index.sqlite") as connection:
            connection.execute(statement)
        connection.close()
        for whole in (False, True):
            assert facts(opened(root).snapshot(at=old, whole=whole)) == wanted, statement


def test_a_vault_in_a_bigger_repository(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    git(tmp_path / "code", "init", "-q")
    write_files(tmp_path / "code", {"main.py": "x", "n.md": note("n-9")})
    before = commit_all(tmp_path / "code")
    root = tmp_path / "code" / "记忆"
    run("--vault", root, "init", root, "--in-repo").ok()
    write_files(root, many(5))
    commit_all(root)
    assert not opened(root).require_repo().is_own
    wanted = facts(on_disk(root))
    (root / "new.md").write_text(note("n-10"))
    commit_all(tmp_path / "code")
    assert_reads_like(root, "HEAD~1", wanted, git(root, "rev-parse", "HEAD~1"))
    with pytest.raises(NotFoundError, match="not in commit"):
        opened(root).snapshot(at=before)


def dated(root: Path, when: str, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in DATES:
        monkeypatch.setenv(name, when)
    (root / "n.md").write_text(note("n-1", text))
    return commit_all(root)


def test_a_day_is_the_vaults_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-07-01T00:00:00Z")
    root = make_vault(tmp_path)
    with (root / "vault.toml").open("a") as file:
        file.write('[vault]\ntimezone = "Asia/Shanghai"\n')
    early = dated(root, "2026-07-15T15:59:59Z", "still the 15th", monkeypatch)
    late = dated(root, "2026-07-15T16:00:00Z", "the 16th", monkeypatch)
    assert opened(root).resolve("2026-07-15") == early
    assert opened(root).resolve("2026-07-16") == late
    assert opened(root).resolve("2026-07-15T16:00Z") == late


def test_dates_follow_first_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was merged later was not known before, whenever it was written elsewhere."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-06-01T00:00:00Z")
    root = make_vault(tmp_path)
    base = dated(root, "2026-06-10T00:00:00Z", "base", monkeypatch)
    git(root, "checkout", "-qb", "side")
    dated(root, "2026-06-12T00:00:00Z", "elsewhere", monkeypatch)
    git(root, "checkout", "-q", "main")
    own = commit_all_other(root, monkeypatch)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-06-20T00:00:00Z")
    git(root, "merge", "-q", "-m", "merged", "side")
    merged = head(root)
    vault = opened(root)
    assert vault.resolve("2026-06-13") == base
    assert vault.resolve("2026-06-15") == own
    assert vault.resolve("2026-06-20") == merged


def commit_all_other(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in DATES:
        monkeypatch.setenv(name, "2026-06-14T00:00:00Z")
    (root / "other.md").write_text(note("n-2"))
    return commit_all(root)


def test_a_shallow_clone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault(tmp_path)
    for day in (10, 11, 12):
        dated(root, f"2026-06-{day}T00:00:00Z", str(day), monkeypatch)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{root}", str(clone))
    assert opened(clone).resolve("2026-06-11") == git(root, "rev-parse", "HEAD~1")
    with pytest.raises(NotFoundError, match="shallow"):
        opened(clone).resolve("2026-06-10")


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([10, 12, 11, 13], [10, 11, 11, 13]),
        ([10, 99, 11, 12], [10, 11, 11, 12]),  # one clock far ahead
        ([10, 11, 0, 12], [10, 11, 11, 12]),  # one that went back to 1970
        ([9, 1, 2], [1, 1, 2]),
        ([1, 2, 0], [1, 2, 2]),
        ([], []),
    ],
)
def test_wrong_clocks_are_moved_between_their_neighbours(
    times: list[int], wanted: list[int]
) -> None:
    assert straighten(times) == wanted


@given(st.lists(st.integers(0, 20), max_size=12))
def test_straightened_times_never_go_back(times: list[int]) -> None:
    found = straighten(times)
    assert found == sorted(found)
    assert len(found) == len(times)
    assert set(found) <= set(times)


def test_commit_times_beyond_the_calendar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault(tmp_path)
    dated(root, "@99999999999999 +0000", "far", monkeypatch)
    repo = opened(root).require_repo()
    assert repo.commit_time(head(root)).year == 9999
    assert opened(root).resolve("9999-12-31T23:59:59+00:00")


def test_nothing_before_the_first_commit(tmp_path: Path) -> None:
    root = make_vault(tmp_path)
    result = run("--vault", root, "list", "--known-at", "1999-01-01")
    assert result.code == 6
    assert "no commit as early as 1999-01-01" in result.err
    assert "log -n 0" in result.err


UTC_PLUS_8 = timezone(timedelta(hours=8))


def test_zones_decide_the_end_of_the_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_vault(tmp_path)  # its first commit is of this moment
    commit = dated(root, "2099-12-01T20:00:00Z", "x", monkeypatch)
    repo = opened(root).require_repo()
    assert repo.resolve("2099-12-01", zone=UTC) == commit
    assert repo.resolve("2099-12-01", zone=UTC_PLUS_8) != commit
