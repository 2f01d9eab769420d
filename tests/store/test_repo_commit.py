"""Commits: exactly these paths, the person's work untouched, nothing half done."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vault_cli.errors import ChangedMeanwhileError, StoreError, UsageError
from vault_cli.store import commit as commit_module
from vault_cli.store import index_lock
from vault_cli.store.entry import Entry, blob_id, read_disk
from vault_cli.store.hooks import HookRefusedError
from vault_cli.store.index_file import Seen, fill_in
from vault_cli.store.index_lock import IndexLockedError
from vault_cli.store.repo import Pending, Repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.invalid\n")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("MVAULT_STATE_DIR", str(tmp_path / "state"))
    return folder


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def status(folder: Path) -> list[str]:
    return git(folder, "status", "--porcelain", "-uall").splitlines()


def write(folder: Path, path: str, data: str | bytes) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data.encode() if isinstance(data, str) else data)


def python(*args: str) -> subprocess.Popen[bytes]:
    source = str(Path(__file__).parents[2])
    return subprocess.Popen([sys.executable, *args], env={**os.environ, "PYTHONPATH": source})


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    return root


@pytest.fixture
def repo(vault: Path) -> Repository:
    found = Repository.create(vault)
    write(vault, "README.md", "# vault\n")
    found.commit_paths(["README.md"], "base")
    return found


def open_repo(folder: Path) -> Repository:
    found = Repository.find(folder)
    assert found is not None
    return found


def hook(folder: Path, name: str, text: str) -> None:
    path = folder / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_first_commit_of_a_new_vault(vault: Path) -> None:
    repo = Repository.create(vault)
    assert repo.is_own
    assert repo.head() == ""
    assert repo.log() == []
    write(vault, "memories/甲.md", "一\n")
    assert repo.pending() == (Pending("memories/甲.md", "added"),)

    commit = repo.commit_paths(["memories/甲.md"], "add(note): 甲\n\nVault-Op: add\n")

    assert repo.head() == commit == git(vault, "rev-parse", "main").strip()
    assert status(vault) == []
    assert git(vault, "log", "-1", "--format=%B").strip() == "add(note): 甲\n\nVault-Op: add"
    assert "mvault: add(note): 甲" in git(vault, "reflog", "-1")
    left = [p.name for p in (vault / ".git").iterdir() if p.name.startswith("mvault")]
    assert left == ["mvault-clone"], "the mark of the clone, and no temporary"


def test_nothing_to_commit_makes_no_commit(vault: Path, repo: Repository) -> None:
    before = repo.head()
    assert repo.commit_paths(["README.md", "not-there.md"], "x") == ""
    assert repo.commit_paths([], "x") == ""
    assert repo.head() == before


def test_staged_and_unstaged_work_of_the_person_stays(vault: Path, repo: Repository) -> None:
    write(vault, "mine.txt", "staged\n")
    write(vault, "partly.txt", "staged\n")
    git(vault, "add", "mine.txt", "partly.txt")
    write(vault, "partly.txt", "and more\n")
    write(vault, "README.md", "# VAULT\n")  # the same size: only the racy check of git sees it
    write(vault, "a.md", "a\n")

    commit = repo.commit_paths(["a.md"], "a")

    assert git(vault, "show", "--name-only", "--format=", commit).split() == ["a.md"]
    assert status(vault) == [" M README.md", "A  mine.txt", "AM partly.txt"]


@pytest.mark.parametrize("trusted", [True, False])
def test_an_edit_of_the_same_size_in_the_same_second_stays_visible(
    vault: Path, repo: Repository, trusted: bool
) -> None:
    """git looks into files that are as old as its index; a rewrite must not end that."""
    git(vault, "config", "--global", "core.trustctime", "false")
    if not trusted:
        git(vault, "config", "core.editor", "vi")
    old = time.time() - 100
    os.utime(vault / "README.md", (old, old))
    git(vault, "update-index", "--refresh")
    write(vault, "README.md", "# VAULT\n")
    os.utime(vault / "README.md", (old, old))
    os.utime(vault / ".git" / "index", (old, old))
    write(vault, "a.md", "a\n")

    repo.commit_paths(["a.md"], "a")

    assert status(vault) == [" M README.md"]


def test_committed_files_need_not_be_read_again(vault: Path, repo: Repository) -> None:
    paths = ["a.md", "memories/2026-11/\u7532.md", "x" * 200 + ".md"]
    for path in paths:
        write(vault, path, f"{path}\n")
    repo.commit_paths(paths, "three")
    git(vault, "diff-files", "--quiet")  # plumbing: it compares sizes and times only
    git(vault, "fsck")  # looks at the checksum of the index
    write(vault, "a.md", "changed\n")
    assert status(vault) == [" M a.md"]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_index_versions(vault: Path, repo: Repository, version: str) -> None:
    git(vault, "config", "index.version", version)
    write(vault, "soon.md", "s\n")
    git(vault, "add", "--intent-to-add", "soon.md")
    git(vault, "update-index", f"--index-version={version}")
    write(vault, "a.md", "a\n")
    repo.commit_paths(["a.md"], "a")
    assert status(vault) == [" A soon.md"]
    git(vault, "fsck")


def test_an_edit_while_the_index_is_written_is_not_taken_for_the_old_text(
    vault: Path, repo: Repository
) -> None:
    write(vault, "a.md", "one\n")
    file = read_disk(vault, "a.md")
    assert file is not None
    assert file.facts is not None
    repo.commit_paths(["a.md"], "one")
    index = vault / ".git" / "index"
    entry = Entry("100644", blob_id(b"one\n", "sha1"))
    git(vault, "rm", "-q", "--cached", "a.md")
    git(vault, "update-index", "--add", "--cacheinfo", f"100644,{entry.blob},a.md")
    before = index.read_bytes()
    write(vault, "a.md", "two\n")
    fill_in(index, vault, [Seen("a.md", entry, file.facts)], "sha1")
    assert index.read_bytes() == before
    assert status(vault) == [" M a.md"]


CHANGES: list[dict[str, str | None]] = [
    {"a.md": "1", "b/c/d.md": "2", "b/c.md": "3", "b.md": "4", "b0": "5"},
    {"a.md": None, "b/c/d.md": None},
    {"b.md/x.md": "6", "b/c.md": "7"},
    {"b.md": "8", "\u7532/\u4e59.md": "9", "b/z.md": "10"},
    {"b": "now a file"},
    {"b/c.md": "11", "gone/x.md": None, "b-": "12"},
    {"b/c.md": None, "b-": None, "b0": None},
]


def put(root: Path, path: str, text: str | None) -> None:
    """Write or remove a file; a folder or a file in its way goes."""
    for folder in (root / path).relative_to(root).parents:
        if (root / folder).is_file():
            (root / folder).unlink()
    if (root / path).is_dir():
        shutil.rmtree(root / path)
    if text is None:
        (root / path).unlink(missing_ok=True)
    else:
        write(root, path, text)


def test_trees_are_the_ones_git_makes(vault: Path, repo: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    through_git = Repository.create(other)
    git(other, "config", "core.sharedRepository", "group")
    write(other, "README.md", "# vault\n")
    through_git.commit_paths(["README.md"], "base")
    for number, change in enumerate(CHANGES):
        trees = []
        for found in (repo, through_git):
            for path, text in change.items():
                put(found.root, path, text)
            assert found.commit_paths(list(change), f"{number}")
            trees.append(git(found.root, "rev-parse", "HEAD^{tree}"))
            assert status(found.root) == [], change
        assert trees[0] == trees[1], change
    git(vault, "fsck", "--strict")


@pytest.mark.parametrize(
    "name", ["Zo\u00eb", " .A. B. ", "x <y> z", "\u738b\u4e94", "O'Neil,", "a\\b"]
)
def test_who_commits_is_written_as_git_does(vault: Path, repo: Repository, name: str) -> None:
    git(vault, "config", "user.name", name)
    git(vault, "config", "author.email", "<me@example.invalid>")
    write(vault, "a.md", "a\n")
    repo.commit_paths(["a.md"], "ours")
    git(vault, "commit", "-q", "--allow-empty", "-m", "git's")
    ours, theirs = git(vault, "log", "-2", "--format=%an <%ae> %cn <%ce>").splitlines()
    assert ours == theirs
    assert "<me@example.invalid>" in ours


def test_a_name_that_git_refuses_commits_nothing(vault: Path, repo: Repository) -> None:
    git(vault, "config", "user.name", "<.>")
    write(vault, "a.md", "a\n")
    before = repo.head()
    with pytest.raises(StoreError, match="commit-tree failed"):
        repo.commit_paths(["a.md"], "a")
    assert repo.head() == before
    assert status(vault) == ["?? a.md"]


@pytest.mark.parametrize("move", ["reset -q --soft HEAD~1", "commit -q --amend -m other"])
def test_a_head_that_moves_meanwhile_is_never_overwritten(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch, move: str
) -> None:
    write(vault, "b.md", "b\n")
    repo.commit_paths(["b.md"], "second")
    build = commit_module.build_commit
    moved = []

    def build_and_move(*args: object) -> object:
        built = build(*args)  # type: ignore[arg-type]
        if not moved:
            git(vault, *move.split())
            moved.append(git(vault, "rev-parse", "HEAD").strip())
        return built

    monkeypatch.setattr(commit_module, "build_commit", build_and_move)
    write(vault, "a.md", "a\n")

    commit = repo.commit_paths(["a.md"], "a")

    assert repo.commit_info(commit).parents == (moved[0],)
    assert repo.commit_info(commit).paths == ("a.md",)


def test_a_path_that_was_staged_otherwise_becomes_clean(vault: Path, repo: Repository) -> None:
    write(vault, "a.md", "staged\n")
    git(vault, "add", "a.md")
    write(vault, "a.md", "final\n")

    commit = repo.commit_paths(["a.md"], "a")

    assert repo.read_blob(commit, "a.md") == b"final\n"
    assert status(vault) == []


def test_deletions_moves_and_ignored_paths(vault: Path, repo: Repository) -> None:
    write(vault, ".gitignore", "*.log\n")
    write(vault, "old/a.md", "a\n")
    write(vault, "x.log", "kept on request\n")
    repo.commit_paths(["old/a.md", ".gitignore", "x.log"], "start")
    (vault / "old").rename(vault / "new")

    commit = repo.commit_paths(["old/a.md", "new/a.md"], "move")

    assert set(repo.commit_info(commit).paths) == {"old/a.md", "new/a.md"}
    names = git(repo.root, "ls-tree", "-r", "--name-only", commit).split()
    assert [name for name in names if name.endswith(".md")] == ["README.md", "new/a.md"]
    assert repo.read_blob(commit, "x.log") == b"kept on request\n"
    assert status(vault) == []
    assert repo.read_blob(commit, "old/a.md") is None


def test_a_file_where_a_folder_was(vault: Path, repo: Repository) -> None:
    write(vault, "x/a.md", "a\n")
    repo.commit_paths(["x/a.md"], "folder")
    (vault / "x" / "a.md").unlink()
    (vault / "x").rmdir()
    write(vault, "x", "now a file\n")

    repo.commit_paths(["x"], "file")

    assert status(vault) == []
    git(vault, "fsck", "--strict")


@pytest.mark.parametrize("setting", ["true", "input"])
def test_bytes_are_committed_as_they_are(vault: Path, repo: Repository, setting: str) -> None:
    git(vault, "config", "core.autocrlf", setting)
    data = b"\xef\xbb\xbf---\r\nid: x\r\n---\nmixed\r\nno newline"
    write(vault, "a.md", data)

    commit = repo.commit_paths(["a.md"], "a")

    assert repo.read_blob(commit, "a.md") == data
    assert repo.pending(["a.md"]) == ()


def test_executable_bit_counts_only_where_git_says_so(vault: Path, repo: Repository) -> None:
    write(vault, "run.sh", "#!/bin/sh\n")
    (vault / "run.sh").chmod(0o755)
    repo.commit_paths(["run.sh"], "x")
    assert git(vault, "ls-files", "-s", "run.sh").startswith("100755")
    git(vault, "config", "core.filemode", "false")
    (vault / "run.sh").chmod(0o644)
    assert repo.commit_paths(["run.sh"], "mode") == ""
    write(vault, "run.sh", "#!/bin/sh\n:\n")
    repo.commit_paths(["run.sh"], "text")
    assert git(vault, "ls-files", "-s", "run.sh").startswith("100755")


def test_a_sha256_repository(vault: Path) -> None:
    git(vault, "init", "-q", "--object-format=sha256")
    repo = open_repo(vault)
    write(vault, "a.md", "a\n")
    commit = repo.commit_paths(["a.md"], "a")
    assert len(commit) == 64
    assert repo.untrusted() == ()
    assert repo.pending() == ()
    write(vault, "a.md", "b\n")
    assert repo.commit_paths(["a.md"], "b") == repo.head()


def test_many_paths_at_once(vault: Path, repo: Repository) -> None:
    paths = [f"memories/2026-11/{number:04}-{'名' * 20}.md" for number in range(300)]
    for path in paths:
        write(vault, path, f"{path}\n")

    commit = repo.commit_paths(paths, "import")

    assert len(repo.commit_info(commit).paths) == 300
    assert status(vault) == []
    assert repo.pending() == ()
    git(vault, "fsck", "--strict")


def test_detached_head_and_linked_worktree(vault: Path, repo: Repository, tmp_path: Path) -> None:
    main = repo.head()
    git(vault, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    linked = open_repo(tmp_path / "linked")
    write(linked.root, "side.md", "s\n")
    side = linked.commit_paths(["side.md"], "side")
    assert git(vault, "rev-parse", "side", "main").split() == [side, main]
    assert status(linked.root) == []
    assert status(vault) == []

    git(vault, "checkout", "-q", "--detach")
    write(vault, "d.md", "d\n")
    commit = repo.commit_paths(["d.md"], "detached")
    assert repo.head() == commit
    assert git(vault, "rev-parse", "main").strip() == main


def test_packed_refs(vault: Path, repo: Repository) -> None:
    git(vault, "pack-refs", "--all", "--prune")
    assert repo.head() == git(vault, "rev-parse", "HEAD").strip()
    write(vault, "a.md", "a\n")
    assert repo.commit_paths(["a.md"], "a") == repo.head()


def test_vault_inside_another_repository(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, "src/app.txt", "v1\n")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "base")
    write(project, "src/app.txt", "v2\n")
    write(project, "src/staged.txt", "s\n")
    git(project, "add", "src/staged.txt")
    write(project, "notes/m.md", "m\n")
    write(project, "notes/vault.toml", "schema = 1\n")
    write(project, "notes-other/n.md", "n\n")
    repo = open_repo(project / "notes")

    assert not repo.is_own
    assert {item.path for item in repo.pending()} == {"m.md", "vault.toml"}
    commit = repo.commit_paths(["m.md"], "memory")

    assert git(project, "show", "--name-only", "--format=", commit).split() == ["notes/m.md"]
    assert status(project) == [
        " M src/app.txt",
        "A  src/staged.txt",
        "?? notes-other/n.md",
        "?? notes/vault.toml",
    ]
    assert repo.read_head(["m.md"]) == {"m.md": b"m\n"}
    assert repo.read_blob("HEAD", "m.md") == b"m\n"
    assert [info.paths for info in repo.log()] == [("m.md",)]
    assert repo.pending(["m.md"]) == ()


def test_own_repository_inside_another_one(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, "app.txt", "v1\n")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "base")
    before = git(project, "rev-parse", "HEAD")
    write(project, "notes/m.md", "m\n")

    repo = Repository.create(project / "notes")
    repo.commit_paths(["m.md"], "memory")

    assert repo.is_own
    assert git(project, "rev-parse", "HEAD") == before
    assert git(project / "notes", "ls-files").split() == ["m.md"]


def test_create_keeps_an_existing_repository(vault: Path, repo: Repository) -> None:
    hook(vault, "pre-commit", "exit 0")
    before = (vault / ".git" / "config").read_bytes()
    again = Repository.create(vault)
    assert again.head() == repo.head()
    assert again.untrusted() == ()
    assert (vault / ".git" / "config").read_bytes() == before


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x.md", "a/../../x", ".git/config", "a//b"])
def test_paths_stay_in_the_vault(repo: Repository, path: str) -> None:
    with pytest.raises(UsageError):
        repo.commit_paths([path], "x")


def test_links_are_never_followed(vault: Path, repo: Repository, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "secret\n")
    (vault / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (vault / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(vault / "pipe.md")
    (vault / "folder.md").mkdir()
    for path in ("link.md", "folder/secret.md", "pipe.md", "folder.md"):
        with pytest.raises(StoreError):
            repo.commit_paths([path], "x")
    assert read_disk(vault, "README.md") is not None
    assert git(vault, "count-objects").split()[0] == "3"


# Identity, signing, operations under way


@pytest.mark.parametrize("text", ["", "[user]\n\tname = T\n", "[user]\n\temail = t@x\n\tname =\n"])
def test_no_identity_is_a_clear_error(
    vault: Path, repo: Repository, home: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text(text)
    monkeypatch.setenv("EMAIL", "invented@example.invalid")
    write(vault, "a.md", "a\n")
    before = repo.head()
    for call in (repo.require_identity, lambda: repo.commit_paths(["a.md"], "a")):
        with pytest.raises(StoreError, match="not set") as caught:
            call()
        assert "git config --global user.email" in caught.value.hint
    assert repo.head() == before
    assert status(vault) == ["?? a.md"]


FAKE_GPG = """#!/bin/sh
cat > /dev/null
echo "$0 $@" >> "$HOME/signed"
echo '[GNUPG:] SIG_CREATED D' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo 'fake'
echo '-----END PGP SIGNATURE-----'
"""


def test_signing_with_the_persons_own_program(vault: Path, repo: Repository, home: Path) -> None:
    program = home / "gpg"
    program.write_text(FAKE_GPG)
    program.chmod(0o755)
    with (home / ".gitconfig").open("a") as handle:
        handle.write(f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n")
    write(vault, "a.md", "a\n")
    first = repo.commit_paths(["a.md"], "a")
    assert "gpgsig" in git(vault, "cat-file", "commit", first)

    # a repository nobody trusted may ask for a signature, not choose the program
    git(vault, "config", "gpg.program", "/bin/false")
    write(vault, "a.md", "b\n")
    second = repo.commit_paths(["a.md"], "b")
    assert repo.untrusted() == ("gpg.program",)
    assert "gpgsig" in git(vault, "cat-file", "commit", second)
    assert repo.commit_info(second).subject == "b"


def test_failing_signature_commits_nothing(vault: Path, repo: Repository, home: Path) -> None:
    with (home / ".gitconfig").open("a") as handle:
        handle.write("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = /bin/false\n")
    write(vault, "a.md", "a\n")
    before = repo.head()
    with pytest.raises(StoreError, match="commit-tree failed"):
        repo.commit_paths(["a.md"], "a")
    assert repo.head() == before
    assert status(vault) == ["?? a.md"]


def test_a_merge_under_way_is_left_alone(vault: Path, repo: Repository) -> None:
    base = repo.head()
    write(vault, "README.md", "ours\n")
    repo.commit_paths(["README.md"], "ours")
    git(vault, "checkout", "-q", "-b", "other", base)
    write(vault, "README.md", "theirs\n")
    repo.commit_paths(["README.md"], "theirs")
    subprocess.run(["git", "merge", "main"], cwd=vault, check=False, capture_output=True)
    assert repo.operation_in_progress() == "merge"
    write(vault, "a.md", "a\n")
    before = status(vault)
    with pytest.raises(ChangedMeanwhileError, match="merge is under way"):
        repo.commit_paths(["a.md"], "a")
    assert status(vault) == before


def test_a_merge_commit_of_our_own(vault: Path, repo: Repository) -> None:
    base = repo.head()
    write(vault, "a.md", "a\n")
    ours = repo.commit_paths(["a.md"], "ours")
    git(vault, "checkout", "-q", "-b", "other", base)
    write(vault, "b.md", "b\n")
    theirs = repo.commit_paths(["b.md"], "theirs")
    git(vault, "checkout", "-q", "main")
    write(vault, "b.md", "b\n")
    merge = repo.commit_paths(["b.md"], "sync", merged=theirs)
    info = repo.commit_info(merge)
    assert info.parents == (ours, theirs)
    assert info.paths == ("b.md",)
    assert status(vault) == []


# Hooks

REFUSING = (
    '[ -f README.md ] || { echo "hook not run in the root" >&2; exit 1; }\n'
    "if git diff --cached | grep -q '^+.*FORBIDDEN'; then"
    ' echo "policy: word not allowed" >&2; exit 1; fi'
)


def test_the_vaults_own_hook_refuses_one_file_only(vault: Path, repo: Repository) -> None:
    hook(vault, "pre-commit", REFUSING)
    repo.trust_now()
    write(vault, "bad.md", "FORBIDDEN\n")
    before = repo.head()
    with pytest.raises(HookRefusedError, match="policy: word not allowed"):
        repo.commit_paths(["bad.md"], "bad")
    assert repo.head() == before
    assert status(vault) == ["?? bad.md"]

    write(vault, "good.md", "fine\n")
    commit = repo.commit_paths(["good.md"], "good")
    assert repo.commit_info(commit).paths == ("good.md",)
    assert repo.pending() == (Pending("bad.md", "added"),)


def test_hooks_run_only_while_they_are_as_trusted(vault: Path, repo: Repository) -> None:
    hook(vault, "pre-commit", REFUSING)
    assert repo.untrusted() == ("hook pre-commit",)
    write(vault, "bad.md", "FORBIDDEN\n")
    assert repo.commit_paths(["bad.md"], "not trusted: not run")
    repo.trust_now()
    assert repo.untrusted() == ()
    hook(vault, "pre-commit", "echo changed; exit 1")
    write(vault, "bad.md", "FORBIDDEN again\n")
    assert repo.commit_paths(["bad.md"], "changed: not trusted")


def test_all_commit_hooks_take_part(vault: Path, repo: Repository, tmp_path: Path) -> None:
    log = tmp_path / "log"
    hook(vault, "pre-commit", 'echo tidy >> new.md; git add new.md; echo pre >> "$LOG"')
    hook(vault, "prepare-commit-msg", 'echo "Ticket: 7" >> "$1"; echo "prepare $2" >> "$LOG"')
    hook(vault, "commit-msg", 'grep -q Ticket "$1" && echo msg >> "$LOG"')
    hook(vault, "reference-transaction", '[ "$1" = committed ] && echo ref >> "$LOG"; exit 0')
    hook(vault, "post-commit", 'echo post >> "$LOG"; exit 1')
    text = f'LOG="{log}"\n'
    for path in (vault / ".git" / "hooks").iterdir():
        path.write_text(path.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{text}"))
    repo.trust_now()
    write(vault, "new.md", "new\n")
    write(vault, "staged.txt", "mine\n")
    git(vault, "add", "staged.txt")

    commit = repo.commit_paths(["new.md"], "add")

    assert log.read_text().split("\n") == ["pre", "prepare message", "msg", "ref", "post", ""]
    assert repo.read_blob(commit, "new.md") == b"new\ntidy\n"
    assert git(vault, "log", "-1", "--format=%B").split() == ["add", "Ticket:", "7"]
    assert status(vault) == ["A  staged.txt"]


def test_a_hook_without_a_first_line(vault: Path, repo: Repository) -> None:
    path = vault / ".git" / "hooks" / "pre-commit"
    path.parent.mkdir()
    path.write_text("echo no; exit 1\n")
    path.chmod(0o755)
    repo.trust_now()
    write(vault, "a.md", "a\n")
    with pytest.raises(HookRefusedError, match="no"):
        repo.commit_paths(["a.md"], "a")


def test_the_persons_own_hooks_folder_is_honoured(
    vault: Path, repo: Repository, home: Path
) -> None:
    hooks = home / "hooks"
    write(home, "hooks/pre-commit", "#!/bin/sh\necho mine; exit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    git(vault, "config", "--global", "core.hooksPath", str(hooks))
    assert repo.untrusted() == ()
    write(vault, "a.md", "a\n")
    with pytest.raises(HookRefusedError, match="mine"):
        repo.commit_paths(["a.md"], "a")


def test_a_trusted_filter_is_applied(vault: Path, repo: Repository) -> None:
    write(vault, ".gitattributes", "*.md filter=rot\n")
    git(vault, "config", "filter.rot.clean", "tr a-y b-z")
    git(vault, "config", "filter.rot.smudge", "tr b-z a-y")
    write(vault, "a.md", "abc\r\n")
    plain = repo.commit_paths(["a.md"], "untrusted")
    assert repo.read_blob(plain, "a.md") == b"abc\r\n"
    repo.trust_now()
    commit = repo.commit_paths(["a.md"], "trusted")
    assert repo.read_blob(commit, "a.md") == b"bcd\r\n"
    assert repo.pending(["a.md"]) == ()


# Locks


def test_old_lock_ends_with_a_clear_message(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lock, "LOCK_WAIT", 0.2)
    lock = vault / ".git" / "index.lock"
    lock.touch()
    old = time.time() - 7200
    os.utime(lock, (old, old))
    write(vault, "a.md", "a\n")
    before = repo.head()

    with pytest.raises(IndexLockedError, match=r"index\.lock \(2 hours old\)") as caught:
        repo.commit_paths(["a.md"], "a")

    assert "remove that" in caught.value.hint
    assert lock.exists()
    assert repo.head() == before
    assert repo.pending() == (Pending("a.md", "added"),)
    assert repo.log()[0].id == before
    lock.unlink()
    assert repo.commit_paths(["a.md"], "a")
    assert status(vault) == []


def test_fresh_lock_is_waited_for(vault: Path, repo: Repository) -> None:
    lock = vault / ".git" / "index.lock"
    lock.touch()
    write(vault, "a.md", "a\n")
    with subprocess.Popen(["/bin/sh", "-c", f"sleep 0.7; rm '{lock}'"]):
        started = time.monotonic()
        assert repo.commit_paths(["a.md"], "a")
    assert time.monotonic() - started > 0.5
    assert status(vault) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from vault_cli.store import commit
from vault_cli.store.repo import Repository

repo = Repository.find(Path(sys.argv[1]))
where = sys.argv[2]
run = commit.Git.run

def killing(self, *args, **more):
    if args[0] == "update-ref" and where == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    done = run(self, *args, **more)
    if args[0] == "update-ref":
        os.kill(os.getpid(), signal.SIGKILL)
    return done

commit.Git.run = killing
repo.commit_paths(["a.md"], "killed")
"""


@pytest.mark.parametrize("where", ["before", "after"])
def test_killed_between_lock_and_index(vault: Path, repo: Repository, where: str) -> None:
    write(vault, "a.md", "a\n")
    write(vault, "staged.txt", "s\n")
    git(vault, "add", "staged.txt")
    before = repo.head()
    assert python("-c", KILLED, str(vault), where).wait(timeout=60) == -9
    assert (vault / ".git" / "index.lock").exists()
    assert (repo.head() == before) == (where == "before")

    write(vault, "b.md", "b\n")
    commit = repo.commit_paths(["b.md"], "next")

    assert repo.commit_info(commit).paths == ("b.md",)
    left = ["A  staged.txt", "?? a.md"] if where == "before" else ["A  staged.txt"]
    assert status(vault) == left
    assert [p.name for p in (vault / ".git").glob("mvault-*") if p.is_dir()] == []


SLOW_GIT = """#!/bin/sh
case " $* " in *" update-ref "*) touch "{marker}"; sleep 1; esac
exec "{git}" "$@"
"""
CHANGE = """
import sys
from pathlib import Path
from vault_cli.model.change import Change, Put
from vault_cli.store.files import digest_bytes
from vault_cli.store.vault import Vault

vault = Vault.open(Path(sys.argv[1]), environ={})
old = (vault.root / "a.md").read_bytes()
new = b"---\\nid: n-1\\nkind: note\\ntitle: T\\n---\\n" + sys.argv[2].encode()
vault.apply(Change("edit", "(note): T", (Put("a.md", new, digest_bytes(old)),)))
"""


def test_a_git_that_outlives_its_killed_owner_is_waited_for(
    vault: Path, repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD moves after the owner's death: the next command must not take the files back."""
    write(vault, "vault.toml", "schema = 1\n")
    write(vault, "a.md", "---\nid: n-1\nkind: note\ntitle: T\n---\nold\n")
    repo.commit_paths(["a.md", "vault.toml"], "start")
    marker, program = tmp_path / "marker", tmp_path / "bin" / "git"
    write(tmp_path, "bin/git", SLOW_GIT.format(marker=marker, git=repo.git.program))
    program.chmod(0o755)
    search = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{search}")
    process = python("-c", CHANGE, str(vault), "killed\n")
    while not marker.exists():
        time.sleep(0.005)
    process.kill()
    process.wait()
    monkeypatch.setenv("PATH", search)
    before = repo.head()

    assert python("-c", CHANGE, str(vault), "next\n").wait(timeout=60) == 0

    assert [info.subject for info in repo.log(limit=2)] == ["edit(note): T"] * 2
    assert repo.log()[2].id == before
    killed = repo.read_blob("HEAD~1", "a.md")
    assert killed is not None
    assert killed.endswith(b"killed\n")
    assert status(vault) == []
    assert not list((vault / ".git").glob("*.lock"))


def _failing_once(monkeypatch: pytest.MonkeyPatch, name: str, part: str) -> list[str]:
    """Let one call of an `os` function on a path with this part fail."""
    real, failed = getattr(os, name), []

    def fail(path: object, *args: object, **more: object) -> object:
        if part in str(path) and not failed:
            failed.append(str(path))
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, *args, **more)

    monkeypatch.setattr(os, name, fail)
    return failed


def test_an_error_after_head_moved_is_not_a_failure(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "a.md", "a\n")
    failed = _failing_once(monkeypatch, "unlink", "index.lock")
    commit = repo.commit_paths(["a.md"], "a")
    assert failed
    assert repo.head() == commit
    assert status(vault) == []
    assert not (vault / ".git" / "index.lock").exists()


def test_an_index_that_cannot_be_written_leaves_everything_as_it_was(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "a.md", "a\n")
    before = repo.head()
    failed = _failing_once(monkeypatch, "replace", "next-index")
    with pytest.raises(OSError, match="error"):
        repo.commit_paths(["a.md"], "a")
    assert failed
    assert repo.head() == before
    assert status(vault) == ["?? a.md"]
    assert repo.commit_paths(["a.md"], "a")


def test_head_never_shows_our_commit_beside_an_older_index(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git reads HEAD, then the index, then locks: a commit in between would undo ours."""
    seen = []
    run = commit_module.Git.run

    def look(self: object, *args: str, **more: object) -> object:
        done = run(self, *args, **more)  # type: ignore[arg-type]
        if args[0] == "update-ref":
            seen.append(status(vault))
        return done

    monkeypatch.setattr(commit_module.Git, "run", look)
    write(vault, "a.md", "a\n")
    repo.commit_paths(["a.md"], "a")
    assert seen == [[]]


def test_a_lock_that_could_not_be_removed_is_removed_by_the_next(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, "a.md", "a\n")
    with monkeypatch.context() as patch:
        real = os.unlink

        def fail(path: object, *args: object, **more: object) -> None:
            if str(path).endswith("index.lock"):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real(path, *args, **more)  # type: ignore[arg-type]

        patch.setattr(os, "unlink", fail)
        commit = repo.commit_paths(["a.md"], "a")
    assert repo.head() == commit
    assert (vault / ".git" / "index.lock").exists()
    write(vault, "b.md", "b\n")
    assert repo.commit_paths(["b.md"], "b")  # although the process that left it lives
    assert status(vault) == []
    assert list((vault / ".git").glob("mvault-*-*")) == []


def test_a_lock_of_a_living_owner_stays(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lock, "LOCK_WAIT", 0.1)
    write(vault, "a.md", "a\n")
    with index_lock.open_workspace(repo.place) as space, index_lock.hold_index(space):
        with pytest.raises(IndexLockedError):
            repo.commit_paths(["a.md"], "a")
        facts = json.loads((space.folder / "owner.json").read_text())
        assert facts["pid"] == os.getpid()
    assert repo.commit_paths(["a.md"], "a")


def test_a_held_branch_lock_is_reported(
    vault: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_module, "MOVE_WAIT", 0.2)
    git(vault, "config", "core.filesRefLockTimeout", "0")
    lock = vault / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    write(vault, "a.md", "a\n")
    with pytest.raises(ChangedMeanwhileError, match=r"main\.lock"):
        repo.commit_paths(["a.md"], "a")
    assert lock.exists()
    assert not (vault / ".git" / "index.lock").exists()
    assert status(vault) == ["?? a.md"]


# Inherited environment


@pytest.mark.parametrize("linked", [False, True])
def test_started_from_inside_a_git_hook(
    vault: Path, repo: Repository, tmp_path: Path, linked: bool
) -> None:
    project = tmp_path / "project"
    write(project, "a.txt", "one\n")
    git(project, "init", "-q")
    git(project, "commit", "-q", "--allow-empty", "-m", "base")
    work = project
    if linked:
        work = tmp_path / "linked"
        git(project, "worktree", "add", "-q", str(work))
        write(work, "a.txt", "one\n")
    code = (
        "import sys; from pathlib import Path; from vault_cli.store.repo import Repository;"
        "r = Repository.find(Path(sys.argv[1])); r.commit_paths(['m.md'], 'memory');"
        "assert len(r.log()) == 2; assert r.pending() == ()"
    )
    source = Path(__file__).parents[2]
    hook(
        project,
        "post-commit",
        f'cd / && PYTHONPATH="{source}" "{sys.executable}" -c "{code}" "{vault}" 2>"{tmp_path}/err"',
    )
    write(vault, "m.md", "m\n")
    git(work, "add", "a.txt")
    env = {
        **os.environ,
        "GIT_DIR": git(work, "rev-parse", "--absolute-git-dir").strip(),
        "GIT_WORK_TREE": str(work),
        "GIT_AUTHOR_DATE": "@1790000000 +0100",
        "GIT_AUTHOR_NAME": "Project",
        "GIT_INDEX_FILE": git(work, "rev-parse", "--absolute-git-dir").strip() + "/index",
    }
    subprocess.run(["git", "commit", "-qm", "one"], cwd=work, env=env, check=True)

    assert (tmp_path / "err").read_text() == ""
    info = repo.log()[0]
    assert (info.subject, info.paths, info.author) == ("memory", ("m.md",), "T <t@example.invalid>")
    assert git(work, "log", "--format=%s").split() == ["one", "base"]
    assert status(work) == []
    assert git(work, "ls-files").split() == ["a.txt"]
    assert status(vault) == []


# Several writers

WRITER = """
import sys
from pathlib import Path
from vault_cli.store.repo import Repository

root, name = Path(sys.argv[1]), sys.argv[2]
repo = Repository.find(root)
for number in range(10):
    path = f"memories/{name}-{number}.md"
    (root / path).write_text(path)
    assert repo.commit_paths([path], f"add {path}")
"""

FOREIGN = """
for n in 0 1 2 3 4 5 6 7 8 9 10 11; do
  echo $n > foreign-$n.txt
  until git add foreign-$n.txt 2>/dev/null; do sleep 0.02; done
  until git commit -qm "foreign $n" 2>/dev/null; do sleep 0.02; done
done
"""


def test_concurrent_writers_lose_nothing(vault: Path, repo: Repository) -> None:
    (vault / "memories").mkdir()
    names = ["a", "b", "c", "d"]
    writers = [python("-c", WRITER, str(vault), name) for name in names]
    foreign = subprocess.Popen(["/bin/sh", "-c", FOREIGN], cwd=vault)
    assert [process.wait(timeout=120) for process in (*writers, foreign)] == [0] * 5

    expected = {f"memories/{name}-{number}.md" for name in names for number in range(10)}
    expected |= {f"foreign-{number}.txt" for number in range(12)} | {"README.md"}
    assert set(git(vault, "ls-tree", "-r", "--name-only", "HEAD").split()) == expected
    assert len(repo.log()) == 1 + 40 + 12
    assert all(len(info.paths) == 1 for info in repo.log())
    assert status(vault) == []
    git(vault, "fsck", "--strict")
    assert not list((vault / ".git").glob("*.lock"))


def test_blob_ids_are_gits() -> None:
    assert blob_id(b"hello\n", "sha1") == "ce013625030ba8dba906f756967f9e9ca394464a"
