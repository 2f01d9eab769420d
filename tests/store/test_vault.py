"""The gate: one change, one commit, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vault_cli.errors import ChangedMeanwhileError, RefusedError, StoreError, UsageError
from vault_cli.model.change import ABSENT, Change, Move, Put, Remove
from vault_cli.model.lifecycle import Actor
from vault_cli.store import reader
from vault_cli.store.files import digest_bytes
from vault_cli.store.lock import lock_vault, open_lock_file, try_lock
from vault_cli.store.repo import Repository
from vault_cli.store.vault import Vault, find_vault


def git(root: Path, *args: str, check: bool = True) -> str:
    done = subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=check)
    return done.stdout


def note(record_id: str, body: str = "Body.\n", status: str = "candidate") -> bytes:
    return f"---\nid: {record_id}\nkind: note\nstatus: {status}\ntitle: T {record_id}\n---\n{body}".encode()


def add(path: str, data: bytes, **more: object) -> Change:
    return Change("add", "(note): A note", (Put(path, data),), **more)  # type: ignore[arg-type]


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    for name in list(os.environ):
        if name.startswith(("GIT_", "MVAULT", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Test\n\temail = t@example.invalid\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(home / "state"))
    root = tmp_path / "vault"
    root.mkdir()
    Repository.create(root)
    opened = Vault.open(root, environ={})
    first = (Put("vault.toml", b"schema = 1\n"), Put(".gitignore", b"/.state/\n/quarantine/\n"))
    opened.apply(Change("init", ": a vault", first))
    return opened


def commits(vault: Vault) -> list[str]:
    return git(vault.root, "log", "--format=%s").splitlines()


def is_clean(vault: Vault) -> bool:
    return not git(vault.root, "status", "--porcelain")


def left_overs(vault: Vault) -> list[str]:
    names = [p for p in vault.root.rglob(".*") if ".git" not in p.parts]
    return [str(p) for p in names if ".tmp-" in p.name] + [
        str(p) for p in [vault.root / ".state/journal"] if p.exists()
    ]


def test_an_addition_is_one_commit_with_trailers(vault: Vault) -> None:
    receipt = vault.apply(add("drafts/2026-11/a.md", note("n-1"), ids=("n-1",), reason="Why.\n"))
    assert receipt.commit == git(vault.root, "rev-parse", "HEAD").strip()
    assert receipt.paths == ("drafts/2026-11/a.md",)
    message = git(vault.root, "log", "-1", "--format=%B")
    assert message.startswith("add(note): A note\n\nWhy.\n\nVault-Op: add\nVault-Id: n-1\n")
    assert (
        git(vault.root, "log", "-1", "--format=%(trailers:key=Vault-Actor,valueonly)").strip()
        == "person"
    )
    assert is_clean(vault)
    assert (vault.root / "drafts/2026-11/a.md").read_bytes() == note("n-1")
    assert left_overs(vault) == []


def test_a_move_is_one_commit_and_leaves_no_empty_folder(vault: Vault) -> None:
    vault.apply(add("drafts/2026-11/a.md", note("n-1")))
    old = note("n-1")
    new = note("n-1", status="active")
    vault.apply(
        Change(
            "approve",
            "(note): A",
            (Move("drafts/2026-11/a.md", "memories/2026-11/a.md", new, digest_bytes(old)),),
        )
    )
    assert commits(vault)[0] == "approve(note): A"
    assert not (vault.root / "drafts/2026-11").exists()
    assert (vault.root / "memories/2026-11/a.md").read_bytes() == new
    assert git(vault.root, "show", "--name-status", "--no-renames", "--format=").split() == [
        "D", "drafts/2026-11/a.md", "A", "memories/2026-11/a.md",
    ]  # fmt: skip
    assert is_clean(vault)
    assert left_overs(vault) == []


def test_nothing_to_do_touches_nothing(vault: Vault) -> None:
    vault.apply(add("a.md", note("n-1")))
    before = (vault.root / "a.md").stat(), commits(vault)
    same = Change("edit", "(note): A", (Put("a.md", note("n-1"), digest_bytes(note("n-1"))),))
    assert vault.apply(same).commit == ""
    assert vault.apply(Change("edit", "", ())).paths == ()
    assert ((vault.root / "a.md").stat(), commits(vault)) == before


def test_other_work_of_the_person_stays_staged_and_out_of_the_commit(vault: Vault) -> None:
    (vault.root / "other.txt").write_text("mine")
    git(vault.root, "add", "other.txt")
    vault.apply(add("a.md", note("n-1")))
    assert git(vault.root, "status", "--porcelain") == "A  other.txt\n"
    assert git(vault.root, "show", "--name-only", "--format=").split() == ["a.md"]


def test_a_pending_hand_edit_gets_its_own_commit_first(vault: Vault) -> None:
    vault.apply(add("a.md", note("n-1")))
    edited = note("n-1", "By hand.\n")
    (vault.root / "a.md").write_bytes(edited)
    change = Change(
        "edit", "(note): B", (Put("a.md", note("n-1", "By us.\n"), digest_bytes(edited)),)
    )
    receipt = vault.apply(change)
    assert commits(vault)[:2] == ["edit(note): B", "edit(note): T n-1"]
    assert len(receipt.edit_commits) == 1
    trailers = git(vault.root, "log", "-1", "--skip=1", "--format=%(trailers:only)")
    assert trailers.split("\n")[:4] == [
        "Vault-Op: edit", "Vault-Id: n-1", "Vault-Origin: editor", "Vault-Actor: person",
    ]  # fmt: skip
    assert git(vault.root, "show", "HEAD~1:a.md").endswith("By hand.\n")


def test_a_pending_hand_edit_that_cannot_be_read_is_recorded_before_its_repair(
    vault: Vault,
) -> None:
    vault.apply(add("a.md", note("n-1")))
    broken = b"---\nid: [\n---\nx\n"
    (vault.root / "a.md").write_bytes(broken)
    repair = Put("a.md", note("n-1", "x\n"), digest_bytes(broken))
    vault.apply(Change("edit", "(note): B", (repair,)))
    assert len(commits(vault)) == 4
    assert git(vault.root, "show", "HEAD~1:a.md").encode() == broken
    assert (vault.root / "a.md").read_bytes() == note("n-1", "x\n")


@pytest.mark.parametrize("found", [b"other\n", None])
def test_a_text_changed_meanwhile_is_not_overwritten(vault: Vault, found: bytes | None) -> None:
    vault.apply(add("a.md", note("n-1")))
    if found is None:
        (vault.root / "a.md").unlink()
    else:
        (vault.root / "a.md").write_bytes(found)
    change = Change("edit", "", (Put("a.md", note("n-1", "x\n"), digest_bytes(note("n-1"))),))
    with pytest.raises(ChangedMeanwhileError):
        vault.apply(change)
    assert ((vault.root / "a.md").read_bytes() if found else None) == found
    assert len(commits(vault)) == 2


def test_a_new_file_never_replaces_one_that_is_there(vault: Vault) -> None:
    (vault.root / "a.md").write_bytes(b"mine\n")
    with pytest.raises(ChangedMeanwhileError):
        vault.apply(add("a.md", note("n-1")))
    assert (vault.root / "a.md").read_bytes() == b"mine\n"


def test_a_text_that_does_not_parse_is_refused_before_anything_is_written(vault: Vault) -> None:
    with pytest.raises(RefusedError) as caught:
        vault.apply(add("a.md", b"---\nid: x\nBody\n"))
    assert caught.value.exit_code == 4
    assert [d.path for d in caught.value.diagnostics] == ["a.md"]
    assert not (vault.root / "a.md").exists()


def test_files_that_are_no_records_pass_with_any_text(vault: Vault) -> None:
    vault.apply(Change("mark", ": a use", (Put("usage/m1.jsonl", b'{"a": 1}\n'),)))
    assert git(vault.root, "show", "HEAD:usage/m1.jsonl") == '{"a": 1}\n'


@pytest.mark.parametrize(
    "path",
    [
        "../x.md", "/etc/x.md", "a/../../x.md", ".git/hooks/pre-commit", "a/.GIT/x.md", "git~1/x.md",
        ".gitattributes", "sub/.gitattributes", ".gitmodules", ".git\u200b/x.md", ".git./x.md",
        ".state/lock", "a//b.md", "", ".", "a\0.md", "new\nline.md", "CON.md", "a:b.md",
        "x" * 260 + ".md", "C:\\Windows\\x", "end. /a.md", "/".join(["d"] * 80) + ".md",
    ],
)  # fmt: skip
def test_paths_that_leave_the_vault_or_reach_into_git_are_refused(vault: Vault, path: str) -> None:
    head = commits(vault)
    with pytest.raises(RefusedError):
        vault.apply(add(path, note("n-1")))
    assert commits(vault) == head
    assert is_clean(vault)


def test_a_link_on_the_way_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault.root / "memories").symlink_to(outside)
    with pytest.raises(StoreError):
        vault.apply(add("memories/a.md", note("n-1")))
    (vault.root / "b.md").symlink_to(outside / "b.md")
    with pytest.raises(StoreError):
        vault.apply(add("b.md", note("n-1")))
    assert list(outside.iterdir()) == []


def test_a_name_that_differs_only_in_case_is_refused(vault: Vault) -> None:
    vault.apply(add("memories/Note.md", note("n-1")))
    with pytest.raises(RefusedError, match="only in case"):
        vault.apply(add("memories/note.md", note("n-2")))


def test_a_merge_under_way_is_named_and_nothing_is_written(vault: Vault) -> None:
    head = git(vault.root, "rev-parse", "HEAD").strip()
    (vault.root / ".git/MERGE_HEAD").write_text(head)
    with pytest.raises(ChangedMeanwhileError, match="merge") as caught:
        vault.apply(add("a.md", note("n-1")))
    assert "--continue" in caught.value.hint
    assert not (vault.root / "a.md").exists()


def test_no_identity_is_said_before_anything_is_written(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(vault.root.parent))
    with pytest.raises(StoreError) as caught:
        vault.apply(add("a.md", note("n-1")))
    assert "user.name" in caught.value.hint
    assert not (vault.root / "a.md").exists()


def test_a_vault_outside_git_is_told_about_init(tmp_path: Path) -> None:
    (tmp_path / "vault.toml").write_text("schema = 1\n")
    with pytest.raises(UsageError) as caught:
        Vault.open(tmp_path, environ={}).apply(add("a.md", note("n-1")))
    assert "mvault init" in caught.value.hint


def refuse_by_hook(vault: Vault) -> None:
    hook = vault.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit diff --cached | grep -q '^+.*FORBIDDEN' || exit 0\n"
                    "echo 'policy: word not allowed' >&2; exit 1\n")  # fmt: skip
    hook.chmod(0o755)
    vault.require_repo().trust_now()


def test_an_addition_a_hook_refuses_is_saved_and_said_so(vault: Vault) -> None:
    refuse_by_hook(vault)
    with pytest.raises(StoreError, match="saved but not committed") as caught:
        vault.apply(add("a.md", note("n-1", "FORBIDDEN\n")))
    assert "policy: word not allowed" in str(caught.value)
    assert (vault.root / "a.md").exists()
    assert [p.path for p in vault.require_repo().pending()] == ["a.md"]
    vault.apply(add("b.md", note("n-2")))
    assert git(vault.root, "show", "--name-only", "--format=").split() == ["b.md"]
    assert left_overs(vault) == []


def test_any_other_change_a_hook_refuses_is_taken_back(vault: Vault) -> None:
    vault.apply(add("a.md", note("n-1")))
    refuse_by_hook(vault)
    change = Change(
        "edit", "", (Put("a.md", note("n-1", "FORBIDDEN\n"), digest_bytes(note("n-1"))),)
    )
    with pytest.raises(StoreError, match="nothing was changed"):
        vault.apply(change)
    assert (vault.root / "a.md").read_bytes() == note("n-1")
    assert is_clean(vault)
    assert left_overs(vault) == []


def test_quarantined_text_is_written_but_never_enters_history(vault: Vault) -> None:
    receipt = vault.apply(add("quarantine/a.md", note("n-1", status="quarantined")))
    assert receipt.commit == ""
    assert (vault.root / "quarantine/a.md").exists()
    old = digest_bytes(note("n-1", status="quarantined"))
    vault.apply(Change("release", "", (Move("quarantine/a.md", "drafts/a.md", note("n-1"), old),)))
    assert git(vault.root, "log", "--name-only", "--format=", "-1").split() == ["drafts/a.md"]


def test_title_and_reason_cannot_forge_trailers(vault: Vault) -> None:
    hostile = "x\n\nVault-Id: n-9\r\nVault-Actor: person\x1b[2J\u2028Vault-Op: approve"
    vault.apply(
        Change(
            "add",
            f"(note): {hostile}",
            (Put("a.md", note("n-1")),),
            reason=f"{hostile}\n\nVault-Id: n-8\n---\n# gone\nSigned-off-by: x <x@x>",
            ids=("n-1\nVault-Id: n-7",),
            actor=Actor.AGENT,
            extra=(("Vault-Approval", "terminal\nVault-Actor: person"),),
        )
    )
    form = "--format=%(trailers:key={},valueonly)"
    assert git(vault.root, "log", "-1", form.format("Vault-Actor")).split() == ["agent"]
    assert git(vault.root, "log", "-1", form.format("Vault-Op")).split() == ["add"]
    assert git(vault.root, "log", "-1", form.format("Vault-Id")).strip() == "n-1 Vault-Id: n-7"
    raw = git(vault.root, "log", "-1", "--format=%B")
    assert "\x1b" not in raw
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=raw,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert parsed.count("Vault-Actor:") == 1 + parsed.count("terminal Vault-Actor:")
    assert git(vault.root, "log", "-1", "--format=%s").count("\n") == 1


def test_a_subject_keeps_text_and_loses_tricks(vault: Vault) -> None:
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    title = f"می\u200cخواهم {flag} 👩\u200d💻 a\u200bb\u202eevil\u2066 \udc80x"
    vault.apply(Change("add", f"(note): {title}", (Put("a.md", note("n-1")),)))
    subject = git(vault.root, "log", "-1", "--format=%s").strip()
    assert subject == f"add(note): می\u200cخواهم {flag} 👩\u200d💻 abevil x"


def test_two_edits_of_one_path_are_a_mistake_of_the_program(vault: Vault) -> None:
    edits = (Put("a.md", note("n-1")), Put("a.md", note("n-2")))
    with pytest.raises(RuntimeError, match=r"a\.md"):
        vault.apply(Change("add", ": twice", edits))
    assert not (vault.root / "a.md").exists()
    assert is_clean(vault)


def test_a_large_change_leaves_a_repository_that_git_may_tidy(vault: Vault) -> None:
    git(vault.root, "config", "gc.auto", "1")  # of a repository nobody trusted: not followed
    edits = tuple(Put(f"drafts/{n}.md", note(f"n-{n}")) for n in range(120))
    receipt = vault.apply(Change("import", ": 120 notes", edits))
    assert git(vault.root, "rev-parse", "HEAD").strip() == receipt.commit
    assert is_clean(vault)
    git(vault.root, "fsck", "--strict")


def test_a_trailer_of_the_gate_cannot_be_given_as_an_extra(vault: Vault) -> None:
    with pytest.raises(RefusedError):
        vault.apply(add("a.md", note("n-1"), extra=(("vault-actor", "person"),)))


def test_left_over_temporaries_of_dead_processes_are_removed(vault: Vault) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mine = vault.root / f".a.md.tmp-{dead.pid}-0123abcd"
    living = vault.root / f".a.md.tmp-{os.getppid()}-0123abcd"
    foreign = vault.root / ".m-9302.md.tmp-1234"
    for place in (mine, living, foreign):
        place.write_text("half")
    vault.apply(add("a.md", note("n-1")))
    assert [mine.exists(), living.exists(), foreign.exists()] == [False, True, True]


def test_a_locked_vault_is_named_with_its_owner(vault: Vault) -> None:
    with lock_vault(vault.root), pytest.raises(ChangedMeanwhileError, match=str(os.getpid())):
        vault.apply(add("a.md", note("n-1")), wait=0.05)
    assert not (vault.root / "a.md").exists()


def test_a_vault_inside_a_bigger_repository_commits_only_its_paths(
    vault: Vault, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / "notes").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(project))
    (project / "app.txt").write_text("v1")
    git(project, "add", ".")
    git(project, "commit", "-qm", "base")
    (project / "app.txt").write_text("v2 of it")
    (project / "notes/vault.toml").write_text("schema = 1\n")
    inner = Vault.open(project / "notes", environ={})
    inner.apply(add("a.md", note("n-1")))
    assert git(project, "show", "--name-only", "--format=").split() == ["notes/a.md"]
    assert git(project, "status", "--porcelain").splitlines() == [
        " M app.txt",
        "?? notes/vault.toml",
    ]


def test_snapshot_at_a_commit_shows_what_was_there(vault: Vault) -> None:
    first = vault.apply(add("a.md", note("n-1"))).commit
    vault.apply(Change("forget", "", (Remove("a.md", digest_bytes(note("n-1"))),)))
    assert [r.id for r in vault.snapshot().records] == []
    before = vault.snapshot(at=first)
    assert [r.id for r in before.records] == ["n-1"]
    assert before.commit == first


class TestFindVault:
    def test_order(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data = tmp_path / "data"
        monkeypatch.setenv("XDG_DATA_HOME", str(data))
        named, project, user = tmp_path / "named", tmp_path / "code/.mvault", data / "mvault"
        deep = tmp_path / "code/src/deep"
        for folder in (named, project, user):
            folder.mkdir(parents=True)
            (folder / "vault.toml").write_text("schema = 1\n")
        deep.mkdir(parents=True)
        assert find_vault(named, cwd=deep, environ={"MVAULT": str(user)}) == named
        assert find_vault(None, cwd=deep, environ={"MVAULT": str(named)}) == named
        assert find_vault(None, cwd=deep, environ={}) == project
        assert find_vault(tmp_path / "code", cwd=deep, environ={}) == project
        if sys.platform.startswith("linux"):
            assert find_vault(None, cwd=tmp_path, environ={}) == user

    def test_none_names_init(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
        with pytest.raises(UsageError) as caught:
            find_vault(tmp_path, cwd=tmp_path, environ={})
        assert "mvault init" in caught.value.hint


def test_a_journal_from_elsewhere_moves_no_file(vault: Vault) -> None:
    vault.apply(add("a.md", note("n-1")))
    step = {"path": "a.md", "before": "", "data": None, "after": digest_bytes(note("n-1")),
            "temporary": "", "aside": ""}  # fmt: skip
    text = json.dumps({"head": "", "steps": [step]})
    for seal in ("", "0" * 32):
        (vault.root / ".state/journal").write_text(f"{seal}\n{text}")
        vault.apply(add(f"b{len(seal)}.md", note("n-2")))
        assert (vault.root / "a.md").exists()
        assert left_overs(vault) == []


def test_a_vault_of_another_user_above_must_be_named(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = (vault.root / "vault.toml").stat().st_uid
    inside = vault.root / "drafts"
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner:  # what belongs to root is as good as one's own
        with pytest.raises(UsageError, match="another user"):
            find_vault(None, cwd=inside, environ={})
    assert find_vault(vault.root, cwd=inside, environ={}) == vault.root
    monkeypatch.setattr(os, "geteuid", lambda: owner)
    assert find_vault(None, cwd=inside, environ={}) == vault.root
    with pytest.raises(UsageError, match="~no-such-person"):
        find_vault(Path("~no-such-person/v"), cwd=inside, environ={})


def test_what_the_gate_wrote_is_not_parsed_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = note("n-0000001")
    vault.apply(add("drafts/2026-11/one.md", data))
    vault.apply(add("drafts/2026-11/two.md", note("n-0000002")))
    admitted = note("n-0000001", status="active")
    move = Move("drafts/2026-11/one.md", "memories/2026-11/one.md", admitted, digest_bytes(data))
    vault.apply(Change("approve", "(note): One", (move,), Actor.PERSON))
    parsed: list[str] = []
    original = reader.parse_file

    def counted(data: bytes, path: str, gates: frozenset[str], *, often: bool) -> object:
        parsed.append(path)
        return original(data, path, gates, often=often)

    monkeypatch.setattr(reader, "parse_file", counted)
    warm = vault.snapshot()
    assert parsed == []
    assert [(r.id, r.status) for r in warm.records] == [
        ("n-0000002", "candidate"),
        ("n-0000001", "active"),
    ]
    assert warm == reader.read_vault(vault.root, vault.config, use_cache=False)


def test_a_file_changed_right_after_a_commit_is_read_as_it_is(vault: Vault) -> None:
    place = vault.root / "drafts/2026-11/one.md"
    for turn in range(5):
        data = note("n-0000001", f"turn {turn}\n")
        expects = digest_bytes(place.read_bytes()) if place.exists() else ABSENT
        vault.apply(Change("edit", "(note): One", (Put("drafts/2026-11/one.md", data, expects),)))
        with place.open("r+b") as file:  # the same size, the same inode, the same tick
            file.write(note("n-0000001", f"hand {turn}\n"))
        assert vault.snapshot().records[0].body == f"hand {turn}\n"
        assert vault.snapshot(whole=False).records[0].body == f"hand {turn}\n"


@pytest.mark.parametrize("state", ["garbage", "foreign", "locked", "fixed"])
def test_a_change_is_made_whatever_the_cache_is_like(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    vault.apply(add("drafts/2026-11/one.md", note("n-0000001")))
    cache = vault.root / ".state/index.sqlite"
    lock = None
    if state == "garbage":
        cache.write_bytes(b"SQLite format 3\0" + b"x" * 9000)
    elif state == "foreign":
        monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "other machine"))
    elif state == "locked":
        lock = open_lock_file(vault.root, ".state/index.lock")
        assert try_lock(lock)
    else:
        cache.unlink()
        cache.mkdir()
    vault.apply(add("drafts/2026-11/two.md", note("n-0000002")))
    if lock is not None:
        os.close(lock)
    assert [r.id for r in vault.snapshot().records] == ["n-0000001", "n-0000002"]
    assert vault.snapshot() == reader.read_vault(vault.root, vault.config, use_cache=False)
    assert is_clean(vault)
