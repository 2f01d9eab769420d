"""The derived cache: never believed without proof, never needed, never in the way."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vault_cli.errors import ChangedMeanwhileError
from vault_cli.model.record import Record, Snapshot
from vault_cli.model.tables import ADMISSION_GATES
from vault_cli.store import index as index_module
from vault_cli.store import index_key, reader
from vault_cli.store.config import Config, load_config
from vault_cli.store.index import Index
from vault_cli.store.index_rows import sum_of
from vault_cli.store.reader import read_vault

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MVAULT_CONFIG", str(tmp_path / "none.toml"))
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    place.mkdir()
    (place / "vault.toml").write_text("schema = 1\n")
    return place


def config_of(root: Path) -> Config:
    return load_config(root, environ=dict(os.environ))


def record(number: int, body: str = "Body.", more: str = "") -> str:
    return f"---\nid: n-{number:07d}\nkind: note\nstatus: active\ntitle: Title {number}\n{more}---\n{body}\n"


RICH = """scope: project:x
topics: [a, 中文]
keywords: [k]
summary: short
importance: 9
confidence: high
created: 2026-11-30T10:00:00+08:00
valid_from: 2026-11-30
valid_to: 2026-12-14T10:00:00Z
supersedes: [l-2p0x9aa]
conflicts: [{id: r-aa81mmz, type: condition}]
derived_from: [f-1m4c8tt]
aliases: ["expmem:5f0c"]
boundary: none
custom: {deep: [1, {x: ~}], no: no}
"""


def put(root: Path, path: str, text: str | bytes, *, age: int = 10) -> Path:
    """Write a file; `age` seconds ago by its time stamp."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    when = time.time_ns() - age * 1_000_000_000
    os.utime(place, ns=(when, when))
    return place


def warm(root: Path) -> Snapshot:
    return read_vault(root, config_of(root))


def heads(root: Path) -> Snapshot:
    return read_vault(root, config_of(root), whole=False)


def cold(root: Path) -> Snapshot:
    return read_vault(root, config_of(root), use_cache=False)


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every stamp count as old: as if each read came long after the last edit."""
    monkeypatch.setattr(index_module, "_TICK_NS", -(10**18))


def count_rows(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note whenever rows of the cache are loaded to complete heads."""
    seen: list[str] = []
    one, some, every = Index.load_row, Index.load_folder, Index.load_rows

    def load_row(index: Index, path: str) -> object:
        seen.append("one")
        return one(index, path)

    def load_folder(index: Index, folder: str) -> object:
        seen.append("folder")
        return some(index, folder)

    def load_rows(index: Index) -> object:
        seen.append("all")
        return every(index)

    monkeypatch.setattr(Index, "load_folder", load_folder)
    monkeypatch.setattr(Index, "load_row", load_row)
    monkeypatch.setattr(Index, "load_rows", load_rows)
    return seen


def count_parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    original = reader.parse_file

    def counted(data: bytes, path: str, gates: frozenset[str], *, often: bool) -> object:
        seen.append(path)
        return original(data, path, gates, often=often)

    monkeypatch.setattr(reader, "parse_file", counted)
    return seen


def test_a_warm_read_parses_nothing_and_gives_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "a.md", record(1, more=RICH))
    put(root, "b.md", record(2, "中文 \u2028 text\n\n```\n---\n"))
    put(root, "plain.md", "# no front matter\n")
    put(root, "broken.md", "---\nid: [\n---\n")
    put(root, "crlf.md", record(3).replace("\n", "\r\n"))
    first = warm(root)
    assert len(first.records) == 4
    settle(monkeypatch)
    assert warm(root) == first
    parsed = count_parses(monkeypatch)
    again = warm(root)
    assert parsed == []
    assert again == first == cold(root)
    rich = next(r for r in again.records if r.id == "n-0000001")
    assert dict(rich.fields)["custom"] == {"deep": ["1", {"x": None}], "no": "no"}
    assert rich.conflicts == (("r-aa81mmz", "condition"),)
    assert type(rich) is type(first.records[0])
    with pytest.raises(AttributeError):
        rich.title = "x"  # type: ignore[misc]


def test_a_first_read_that_is_killed_has_not_read_in_vain(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        put(root, f"d{number // 3}/{number}.md", record(number, more=RICH if number % 2 else ""))
    (root / "d1/4.md").write_text("---\nid: [\n---\n")
    expected = cold(root)
    settle(monkeypatch)
    monkeypatch.setattr(reader, "_BATCH", 4)
    real = reader.parse_file

    def die(data: bytes, path: str, gates: frozenset[str], *, often: bool) -> object:
        if path == "d3/10.md":
            raise KeyboardInterrupt
        return real(data, path, gates, often=often)

    monkeypatch.setattr(reader, "parse_file", die)
    with pytest.raises(KeyboardInterrupt):
        heads(root)
    monkeypatch.setattr(reader, "parse_file", real)
    parsed = count_parses(monkeypatch)
    found = heads(root)
    assert sorted(parsed) == sorted(f"d{n // 3}/{n}.md" for n in range(6, 12))
    assert found == expected
    assert warm(root) == expected
    assert len(parsed) == 6


@pytest.mark.parametrize("whole", [True, False])
def test_what_was_read_of_one_large_folder_is_kept_too(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    for number in range(12):
        put(root, f"drafts/{number:02}.md", record(number, more=RICH if number % 2 else ""))
    expected = cold(root)
    settle(monkeypatch)
    monkeypatch.setattr(reader, "_SLICE", 0)
    real = reader.parse_file

    def die(data: bytes, path: str, gates: frozenset[str], *, often: bool) -> object:
        if path == "drafts/08.md":
            raise KeyboardInterrupt
        return real(data, path, gates, often=often)

    monkeypatch.setattr(reader, "parse_file", die)
    with pytest.raises(KeyboardInterrupt):
        (warm if whole else heads)(root)
    monkeypatch.setattr(reader, "parse_file", real)
    parsed = count_parses(monkeypatch)
    assert (warm if whole else heads)(root) == expected
    assert sorted(parsed) == [f"drafts/{number:02}.md" for number in range(8, 12)]
    assert warm(root) == heads(root) == expected
    assert len(parsed) == 4


def test_a_first_read_of_many_files_keeps_heads_only(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        put(root, f"d{number // 3}/{number}.md", record(number, more=RICH if number % 2 else ""))
    settle(monkeypatch)
    monkeypatch.setattr(reader, "_BATCH", 4)
    found = heads(root)
    assert [type(item) is Record for item in found.records] == [False] * 12
    assert found == cold(root)
    (root / ".state/index.sqlite").unlink()
    monkeypatch.setattr(Index, "store", lambda *_: None)  # nothing can be written
    assert heads(root) == cold(root)


def test_heads_know_what_a_list_shows_and_load_the_rest(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        put(root, f"d{number % 3}/{number}.md", record(number, more=RICH))
    put(root, "d0/odd.md", record(99, "a\u202eb", "allow: [bidi-control]\n"))
    put(root, "d0/README.md", "# not a record")
    put(root, "d1/broken.md", "---\nid: [\n---\n")
    settle(monkeypatch)
    expected = warm(root)
    assert sorted(Index(root, frozenset(ADMISSION_GATES)).load_shelves()) == ["d0/", "d1/", "d2/"]
    rows = count_rows(monkeypatch)
    parsed = count_parses(monkeypatch)
    found = heads(root)
    shown = [(r.id, r.path, r.kind, r.status, r.title, r.held_by) for r in found.records]
    assert shown == [(r.id, r.path, r.kind, r.status, r.title, r.held_by) for r in expected.records]
    assert [r.validity for r in found.records] == [r.validity for r in expected.records]
    assert (found.diagnostics, found.unreadable) == (expected.diagnostics, expected.unreadable)
    assert rows == []
    assert found.records[3].body == expected.records[3].body
    assert rows == ["one"]
    assert found == expected
    assert (rows.count("folder"), rows.count("all")) == (3, 0)
    assert parsed == []
    assert {type(r) for r in found.records} == {Record}
    with pytest.raises(AttributeError):
        heads(root).records[0].nothing  # type: ignore[attr-defined] # noqa: B018


def test_heads_load_by_file_then_by_folder_then_all(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        put(root, f"d{number % 20}/{number}.md", record(number, more=RICH))
    settle(monkeypatch)
    expected = {r.path: r for r in warm(root).records}
    rows = count_rows(monkeypatch)
    found = list(heads(root).records)
    beside = [r for r in found if r.path.startswith("d0/")]
    for one in [*found[5:13], *beside]:
        assert one.body == expected[one.path].body
    assert rows == ["one"] * 8 + ["folder"]
    for one in reversed(found):
        assert one == expected[one.path]
    assert rows == ["one"] * 8 + ["folder"] * 8 + ["all"]
    put(root, "d3/new.md", record(99))
    assert heads(root).by_id["n-0000099"].body == warm(root).by_id["n-0000099"].body


def test_heads_do_not_mix_two_versions_of_a_file(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    for name in "abc":
        put(root, f"{name}.md", record(ord(name), "old"))
    warm(root)
    first, later = heads(root).records, heads(root).records
    put(root, "a.md", record(ord("a"), "new"))
    (root / "b.md").unlink()
    assert [r.body.strip() for r in first] == ["old", "old", "old"]  # as it was when it was read
    warm(root)  # from here on the cache has the new version
    for gone in later[:2]:
        with pytest.raises(ChangedMeanwhileError):
            gone.body  # noqa: B018
    assert later[2].body.strip() == "old"
    shutil.rmtree(root / ".state")
    assert heads(root).records[0].body.strip() == "new"


def test_files_that_collide_across_folders_are_found_in_a_warm_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    put(root, "Notes/a.md", record(1))
    warm(root)
    put(root, "notes/a.md", record(2))
    if len(list(root.iterdir())) < 4:
        pytest.skip("this file system folds case")
    for _ in range(3):
        assert [d.code for d in warm(root).diagnostics] == ["name-collision"]
        assert heads(root) == cold(root)


def test_a_same_size_edit_in_the_same_tick_is_seen(root: Path) -> None:
    for turn in range(30):
        (root / "a.md").write_text(record(1, f"turn {turn:02d}"))
        assert warm(root).records[0].body.strip() == f"turn {turn:02d}"


def test_edits_in_place_are_seen_although_their_folder_is_unchanged(root: Path) -> None:
    """No patched clock: the cache is believed, and every kind of edit is seen at once."""
    names = ["d/same.md", "d/forged.md", "d/other.md"]
    for name in names:
        put(root, name, record(len(name), "old"), age=100)
    time.sleep(2.2)  # until the stamps are old enough to be believed
    warm(root)
    assert "d/" in Index(root, frozenset(ADMISSION_GATES)).load_shelves()
    folder = (root / "d").stat().st_mtime_ns
    for text in ("new", "one", "two"):
        forged = (root / "d/forged.md").stat()
        for name in names[:2]:
            with (root / name).open("r+b") as file:  # the same size, the same inode
                file.write(record(len(name), text).encode())
        os.utime(root / "d/forged.md", ns=(forged.st_atime_ns, forged.st_mtime_ns))
        expected = {"d/same.md": text, "d/forged.md": text, "d/other.md": "old"}
        for read in (heads, warm, heads):
            assert {r.path: r.body.strip() for r in read(root).records} == expected
    assert (root / "d").stat().st_mtime_ns == folder
    (root / "d/same.md").replace(root / "d/other.md")
    assert heads(root) == warm(root) == cold(root)


def test_a_forged_time_stamp_does_not_hide_an_edit(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    place = put(root, "a.md", record(1, "old"))
    warm(root)
    facts = place.stat()
    time.sleep(0.02)
    with place.open("r+b") as file:
        file.write(record(1, "new").encode())
    os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert warm(root).records[0].body.strip() == "new"


def test_random_edits_renames_and_removals_read_like_a_cold_read(root: Path) -> None:
    rng = random.Random(5)
    for turn in range(60):
        names = [p.relative_to(root).as_posix() for p in sorted(root.rglob("*.md"))]
        action = rng.choice(["add", "add", "edit", "rename", "remove", "swap"])
        if action == "add" or len(names) < 2:
            put(root, f"d{rng.randint(0, 2)}/{turn}.md", record(turn % 40), age=rng.randint(0, 5))
        elif action == "edit":
            put(
                root,
                rng.choice(names),
                record(rng.randint(0, 40), f"turn {turn:02d}"),
                age=rng.randint(0, 5),
            )
        elif action == "rename":
            (root / rng.choice(names)).rename(root / f"moved-{turn}.md")
        elif action == "remove":
            (root / rng.choice(names)).unlink()
        else:
            one, two = rng.sample(names, 2)
            (root / one).rename(root / "x")
            (root / two).rename(root / one)
            (root / "x").rename(root / two)
        assert (warm if turn % 3 else heads)(root) == cold(root), (turn, action)


@pytest.mark.parametrize(
    "damage",
    [
        *("garbage", "empty", "cut", "flipped", "folder", "link", "missing"),
        *("rows", "columns", "table", "lost", "heads", "listing", "shelves"),
    ],
)
@pytest.mark.parametrize("read", [warm, heads])
def test_a_damaged_cache_is_rebuilt(
    root: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], Snapshot], damage: str
) -> None:
    settle(monkeypatch)
    for number in range(50):
        put(root, f"{number}.md", record(number, "text " * 200))
    expected = warm(root)
    place = root / ".state/index.sqlite"
    data = bytearray(place.read_bytes())
    if damage in {"garbage", "empty", "cut", "flipped"}:
        flipped = bytes(b ^ 0xFF if 5000 < i < 20000 else b for i, b in enumerate(data))
        place.write_bytes(
            {
                "garbage": b"x" * 9000,
                "empty": b"",
                "cut": data[: len(data) // 2],
                "flipped": flipped,
            }[damage]
        )
    elif damage in {"rows", "columns", "table", "lost", "heads", "listing", "shelves"}:
        connection = sqlite3.connect(place)
        connection.execute(
            {
                "rows": "UPDATE record SET facts = '[1,2', fields = 7 WHERE path LIKE '1%'",
                "columns": "UPDATE record SET facts = '[1],[2]', seal = seal WHERE path = '1.md'",
                "table": "DROP TABLE record",
                "lost": "DELETE FROM record WHERE path LIKE '2%'",
                "heads": "UPDATE shelf SET heads = '[[[1]],{\"0\":7},[]]'",
                "listing": "UPDATE shelf SET names = 1, facts = 'x'",
                "shelves": "DROP TABLE shelf",
            }[damage]
        )
        connection.commit()
        connection.close()
    else:
        place.unlink()
        if damage == "folder":
            place.mkdir()
        elif damage == "link":
            place.symlink_to("/etc/passwd")
    assert read(root) == expected
    assert read(root) == expected
    assert read(root) == cold(root)


def forge(root: Path) -> None:
    """Change a text inside the cache only, and its check sum with it."""
    connection = sqlite3.connect(root / ".state/index.sqlite")
    connection.execute("UPDATE record SET body = 'FORGED'")
    select = "SELECT path, digest, facts, body, fields, findings FROM record"
    for row in connection.execute(select).fetchall():
        connection.execute("UPDATE record SET crc = ? WHERE path = ?", (sum_of(*row), row[0]))
    connection.commit()
    connection.close()


def test_a_cache_from_another_machine_place_or_version_is_not_believed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    put(root, "a.md", record(1))
    warm(root)
    forge(root)
    assert (
        warm(root).records[0].body == "FORGED"
    )  # the proof that the rest of this test means something
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    (copy / "a.md").unlink()
    os.link(root / "a.md", copy / "a.md")  # the same stamp, inode included
    assert warm(copy).records[0].body.strip() == "Body."
    warm(root)
    forge(root)
    with monkeypatch.context() as patch:
        patch.setenv("MVAULT_STATE_DIR", str(tmp_path / "other machine"))
        assert warm(root).records[0].body.strip() == "Body."
    warm(root)
    forge(root)
    with monkeypatch.context() as patch:
        patch.setattr(index_key, "__version__", "99")
        assert warm(root).records[0].body.strip() == "Body."


class Derived(Index):
    """What another part may keep in the same file, by the id of the row it was made of."""

    def refresh(self) -> list[str]:
        """Make what is missing; return the paths it was made of."""
        new = self._query(
            "SELECT id, path FROM record WHERE seal = ? AND id > coalesce((SELECT max(id) FROM own), 0)"
        ) or self._query("SELECT id, path FROM record WHERE seal = ?")

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("CREATE TABLE IF NOT EXISTS own (id INTEGER PRIMARY KEY, path TEXT)")
            connection.executemany("INSERT INTO own VALUES (?, ?)", new)
            connection.execute("DELETE FROM own WHERE id NOT IN (SELECT id FROM record)")

        with self.updating():
            self._in_transaction(write)
        return sorted(path for _, path in new)

    def paths(self) -> list[str]:
        return sorted(path for (path,) in self._query("SELECT path FROM own WHERE ?"))


def test_tables_of_others_follow_the_rows_by_their_ids(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    for name in "abc":
        put(root, f"{name}.md", record(ord(name)))
    warm(root)
    other = Derived(root, frozenset(ADMISSION_GATES))
    assert other.refresh() == ["a.md", "b.md", "c.md"]
    put(root, "b.md", record(2, "new"))
    (root / "c.md").unlink()
    warm(root)
    other.close()
    assert other.refresh() == ["b.md"]
    assert other.paths() == ["a.md", "b.md"]
    put(root, "a.md", record(ord("a")))  # the same text again keeps its row
    put(root, "d.md", record(4))  # does not get the id of the row that is gone
    warm(root)
    other.close()
    assert other.refresh() == ["d.md"]


def test_rows_without_the_seal_are_not_believed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    put(root, "a.md", record(1))
    warm(root)
    forge(root)
    connection = sqlite3.connect(root / ".state/index.sqlite")
    connection.execute("UPDATE record SET seal = 1")
    connection.commit()
    connection.close()
    assert warm(root).records[0].body.strip() == "Body."


def test_the_token_never_enters_the_vault(root: Path, state: Path) -> None:
    put(root, "a.md", record(1))
    warm(root)
    token = (state / "cache-token").read_bytes()
    assert len(token) == 32
    if os.name != "nt":
        assert (state / "cache-token").stat().st_mode & 0o077 == 0
    for place in (root / ".state").iterdir():
        assert token not in place.read_bytes()
        assert token.hex().encode() not in place.read_bytes()


def test_no_state_folder_for_the_person_means_no_cache(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "file/below"))
    put(root, "a.md", record(1))
    assert [r.id for r in warm(root).records] == ["n-0000001"]
    assert not (root / ".state").exists()


READ = """
import os, sys, unicodedata, sqlite3
from pathlib import Path
from vault_cli.store.config import load_config
from vault_cli.store.reader import read_vault
def count(root):
    return len(read_vault(root, load_config(root, environ=dict(os.environ))).records)
if len(sys.argv) > 2:
    count(Path(sys.argv[2]))  # loads all modules while they can be read
    if os.geteuid() == 0:
        state = Path(os.environ["MVAULT_STATE_DIR"])
        for place in [state, *state.rglob("*")]:
            os.chown(place, 65534, 65534)
        os.setgid(65534)
        os.setuid(65534)
print(count(Path(sys.argv[1])))
"""


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("with_cache", [True, False])
def test_a_read_only_vault_is_read_and_left_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, with_cache: bool
) -> None:
    put(root, "a.md", record(1))
    settle(monkeypatch)
    if with_cache:
        warm(root)
    other = tmp_path / "other"
    shutil.copytree(root, other)
    for place in (tmp_path, *tmp_path.parents):
        if os.access(place, os.W_OK) and place != Path("/") and place.name != "tmp":
            place.chmod(place.stat().st_mode | 0o055)
    for place in [*root.rglob("*"), root]:
        place.chmod(0o555 if place.is_dir() else 0o444)
    before = {p: p.stat().st_mtime_ns for p in root.rglob("*")}
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ, str(root), str(other)],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for place in [root, *root.rglob("*")]:
            place.chmod(0o700)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert {p: p.stat().st_mtime_ns for p in root.rglob("*")} == before


def test_readers_at_the_same_time_agree(root: Path) -> None:
    for number in range(200):
        put(root, f"{number}.md", record(number))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", READ, str(root)], env=env, text=True, stdout=-1, stderr=-1
        )
        for _ in range(6)
    ]
    assert {process.communicate(timeout=60) for process in running} == {("200\n", "")}
    assert warm(root) == cold(root)


def test_another_thread_may_end_the_reading(root: Path) -> None:
    """As when the garbage collector of a server's thread meets the last record of a run."""
    put(root, "a.md", record(1))
    warm(root)
    index = Index(root, frozenset(ADMISSION_GATES))
    assert list(index.load_rows()) == ["a.md"]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(index.close).result()


def test_rows_of_files_that_are_gone_are_forgotten(root: Path) -> None:
    for name in "abc":
        put(root, f"{name}.md", record(ord(name)))
    warm(root)
    (root / "b.md").unlink()
    warm(root)
    assert sorted(Index(root, frozenset(ADMISSION_GATES)).load_rows()) == ["a.md", "c.md"]
