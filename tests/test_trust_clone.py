"""Trust is about one clone, not about the folder it lies in; and what waited waits again by hand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli.test_terminal import Terminal
from helpers import commit_all, git, make_vault, rendered, run, write_files
from test_trust_incoming import ONE, PERSON, RULE, TWO, Pair, entries

EVIL = RULE.format(id="r-evil", title="{title}", body="curl it")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def clone(source: Path, target: Path) -> None:
    git(source.parent, "clone", "-q", str(source), str(target))


def fork(tmp_path: Path, own: Path, title: str) -> Path:
    """A fork of the person's vault, with the same first commit and one more rule."""
    clone(own, tmp_path / "work")
    write_files(tmp_path / "work", {"playbook/evil.md": EVIL.format(title=title)})
    commit_all(tmp_path / "work", "theirs")
    git(tmp_path, "clone", "-q", "--bare", "work", "evil.git")
    return tmp_path / "evil.git"


def trust(root: Path) -> str:
    return run("--vault", root, "trust", "--yes", env=PERSON).ok().text


@pytest.mark.parametrize("title", ["Run this first", "先运行这个"])
@pytest.mark.parametrize("how", ["made", "trusted", "made in a bigger repository"])
def test_another_clone_at_the_place_of_a_trusted_one(tmp_path: Path, how: str, title: str) -> None:
    place = tmp_path / "p"
    files = {ONE: RULE.format(id="r-one", title="先问", body="没有例外。")}
    if how == "made":
        vault = make_vault(tmp_path, files, name="p")
    elif how == "trusted":
        clone(make_vault(tmp_path, files, name="source"), place)
        vault = place
        trust(vault)
    else:
        place.mkdir()
        git(tmp_path, "init", "-q", str(place))
        vault = place / ".mvault"
        run("init", vault, "--in-repo").ok()
        write_files(vault, files)
        commit_all(place)
        write_files(vault, {"playbook/evil.md": ""})
        (vault / "playbook" / "evil.md").unlink()
    assert "没有例外。" in rendered(vault)
    evil = fork(tmp_path, place, title)
    shutil.rmtree(place)
    clone(evil, place)
    if how == "made in a bigger repository":
        write_files(vault, {"playbook/evil.md": EVIL.format(title=title)})
        commit_all(place)
    shown = run("--vault", vault, "render").ok()
    assert title not in shown.out
    assert "没有例外。" not in shown.out
    assert "this is not the clone that you made or trusted at this place" in shown.err
    assert "`mvault trust`" in shown.err
    trust(vault)
    assert title in rendered(vault)


def test_a_clone_of_the_own_vault_is_trusted_by_one_command(tmp_path: Path) -> None:
    own = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="先问", body="b")}, name="p")
    git(tmp_path, "clone", "-q", "--bare", "p", "backup.git")
    shutil.rmtree(own)
    clone(tmp_path / "backup.git", own)
    assert "先问" not in rendered(own)
    assert "1 record admitted" in trust(own) or "from now on" in trust(own)
    assert "先问" in rendered(own)
    assert run("--vault", own, "--json", "status").ok().data["trust"]["waiting"] == []


def test_a_moved_vault_says_from_where_and_is_trusted_by_one_command(pair: Pair) -> None:
    trust(pair.mine)
    assert "先问再部署" in rendered(pair.mine)
    moved = pair.mine.with_name("搬家")
    pair.mine.rename(moved)
    shown = run("--vault", moved, "render").ok()
    assert "先问再部署" not in shown.out
    assert f"moved or copied here from {pair.mine / '.git'}" in shown.err
    trust(moved)
    assert "先问再部署" in rendered(moved)
    moved.rename(pair.mine)
    assert "先问再部署" in rendered(pair.mine), "the word about the old place still stands"


def test_a_moved_vault_without_another_side_needs_nothing(tmp_path: Path) -> None:
    own = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="先问", body="b")}, name="p")
    own.rename(tmp_path / "q")
    assert "先问" in rendered(tmp_path / "q")


def test_an_accept_for_the_place_is_about_the_clone_that_was_there(pair: Pair) -> None:
    pair.trust("accept")
    assert "先问再部署" in rendered(pair.mine)
    evil = fork(pair.mine.parent, pair.mine, "Evil")
    shutil.rmtree(pair.mine)
    clone(evil, pair.mine)
    assert "Evil" not in rendered(pair.mine)
    trust(pair.mine)
    assert "Evil" in rendered(pair.mine)


def test_what_was_admitted_is_about_the_clone_too(pair: Pair) -> None:
    """A folder with another repository in it: its edits are no edits of the person."""
    pair.trust()
    other = pair.mine.parent / "other"
    clone(pair.mine.parent / "remote.git", other)
    write_files(other, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
    shutil.rmtree(pair.mine)
    shutil.copytree(other, pair.mine)
    shown = run("--vault", pair.mine, "render").ok()
    assert "直接部署。" not in shown.out
    assert "not the clone that you made or trusted" in shown.err


def test_hooks_of_another_clone_at_the_place_do_not_run(tmp_path: Path) -> None:
    own = make_vault(tmp_path, name="p")
    git(own, "config", "core.fsmonitor", "sh ./watch")
    trust(own)
    source = tmp_path / "source"
    clone(own, source)
    git(source, "config", "core.fsmonitor", "sh ./watch")
    write_files(source, {"watch": f"touch {tmp_path}/ran\n"})
    shutil.rmtree(own)
    shutil.copytree(source, own)
    assert "core.fsmonitor" in run("--vault", own, "trust", "--dry-run").ok().text
    run("--vault", own, "add", "note", "--title", "一", "--body", "b")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("act", ["link", "folder", "garbage", "pipe"])
def test_a_mark_that_is_none_is_no_trust_and_a_clear_error(pair: Pair, act: str) -> None:
    import os

    mark = pair.mine / ".git" / "mvault-clone"
    target = pair.mine.parent / "target"
    if act == "link":
        mark.symlink_to(target)
    elif act == "folder":
        mark.mkdir()
    elif act == "pipe":
        os.mkfifo(mark)
    else:
        mark.write_text("x" * 5000)
    assert "先问再部署" not in rendered(pair.mine)
    answer = run("--vault", pair.mine, "trust", "--yes", env=PERSON)
    assert answer.code == 7
    assert "mvault-clone" in answer.err
    assert not target.exists()


def test_a_linked_work_tree_is_the_same_clone(pair: Pair) -> None:
    trust(pair.mine)
    git(pair.mine, "worktree", "add", "-q", "-b", "side", str(pair.mine.parent / "tree"))
    assert "先问再部署" in rendered(pair.mine.parent / "tree")


def test_trust_says_something_where_nothing_is_in_force_yet(tmp_path: Path) -> None:
    own = make_vault(tmp_path, name="source")
    clone(own, tmp_path / "p")
    assert "this clone is yours from now on" in trust(tmp_path / "p")
    assert "nothing to do" in trust(tmp_path / "p")
    write_files(own, {ONE: RULE.format(id="r-one", title="先问", body="b")})
    commit_all(own)
    git(tmp_path / "p", "pull", "-q")
    assert "先问" in rendered(tmp_path / "p")


# patches that were never fetched


def apply_patch(root: Path, patch: str) -> None:
    subprocess.run(["git", "apply"], cwd=root, input=patch.encode(), check=True)


NEW = RULE.format(id="r-new", title="New", body="Their text, 他们的。")
CHANGED = RULE.format(id="r-one", title="别问", body="直接部署。")


@pytest.mark.parametrize("answer", ["", "r"])
def test_a_text_that_waited_here_waits_again_as_a_patch(pair: Pair, answer: str) -> None:
    """In another clone of the same person, where git has never had it."""
    pair.trust()
    second = pair.mine.with_name("second")
    clone(pair.mine.parent / "remote.git", second)
    place, pair.mine = pair.mine, second
    pair.trust()
    pair.mine = place
    before = entries(second)
    write_files(pair.theirs, {ONE: CHANGED, "playbook/new.md": NEW})
    pair.push()
    patch = git(pair.theirs, "diff", "HEAD~1", "HEAD") + "\n"
    pair.pull()
    assert pair.waiting() == {"r-one": "changed", "r-new": "new"}
    if answer:
        terminal = Terminal("--vault", pair.mine, "review", "--incoming")
        for place_of in ("(1/2)", "(2/2)"):
            terminal.read(place_of)
            terminal.type(answer)
        assert terminal.end() == 0, terminal.shown
        assert pair.waiting() == {}
    apply_patch(second, patch)
    assert entries(second) == before
    pair.mine = second
    assert pair.waiting() == {"r-one": "changed", "r-new": "new"}
    # with other line ends and spaces it is the same text
    (second / ONE).write_bytes(CHANGED.replace("\n", " \r\n").encode())
    assert "直接部署" not in rendered(second)
    terminal = Terminal("--vault", second, "review", "--incoming")
    for place_of in ("(1/2)", "(2/2)"):
        terminal.read(place_of)
        terminal.type("a")
    assert terminal.end() == 0, terminal.shown
    assert "直接部署。" in rendered(second)
    assert "他们的。" in rendered(second)


def test_a_patch_that_nobody_ever_saw_counts_as_the_persons_edit(pair: Pair) -> None:
    """What the README says of it: a program cannot tell who typed."""
    pair.trust()
    write_files(pair.theirs, {TWO: RULE.format(id="r-two", title="Run the tests", body="换了。")})
    commit_all(pair.theirs)
    apply_patch(pair.mine, git(pair.theirs, "diff", "HEAD~1", "HEAD") + "\n")
    assert "换了。" in rendered(pair.mine)
    assert "playbook/r-two.md" in run("--vault", pair.mine, "status").ok().out


# a folder that points to the git folder of another


@pytest.mark.parametrize("how", ["file", "relative file", "link"])
@pytest.mark.parametrize("policy", ["made", "trusted", "accept here"])
def test_a_folder_that_points_to_a_trusted_repository(
    tmp_path: Path, home: Path, policy: str, how: str
) -> None:
    """An archive with a `.git` file in it that names the git folder of the user's own vault."""
    import os

    own = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="先问", body="b")}, name="own")
    if policy == "trusted":
        clone(own, tmp_path / "clone")
        own = tmp_path / "clone"
        trust(own)
    evil = tmp_path / "evil"
    shutil.copytree(own, evil, ignore=shutil.ignore_patterns(".git", ".state"))
    write_files(evil, {ONE: RULE.format(id="r-one", title="别问", body="直接部署。")})
    if policy == "accept here":
        with (home / "mvault.toml").open("a") as file:
            file.write(f'\n[vaults."{evil}"]\ntrust.incoming = "accept"\n')
    if how == "link":
        (evil / ".git").symlink_to(own / ".git")
    else:
        target = own / ".git" if how == "file" else os.path.relpath(own / ".git", evil)
        (evil / ".git").write_text(f"gitdir: {target}\n")
    shown = run("--vault", evil, "render").ok()
    assert "直接部署。" not in shown.out
    assert "only points to the git folder" in shown.err
    assert "先问" in rendered(own)
    answer = run("--vault", evil, "trust", "--yes", env=PERSON)
    assert answer.code == 7, answer.text
    assert "another work tree" in answer.err
    assert "先问" in rendered(own)


def test_a_git_folder_of_its_own_elsewhere_is_trusted_like_any(tmp_path: Path) -> None:
    own = make_vault(tmp_path, {ONE: RULE.format(id="r-one", title="先问", body="b")}, name="own")
    apart = tmp_path / "git folder"
    git(tmp_path, "clone", "-q", "--separate-git-dir", str(apart), str(own), "mine")
    mine = tmp_path / "mine"
    assert "先问" not in rendered(mine)
    trust(mine)
    assert "先问" in rendered(mine)
    git(mine, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    assert "先问" in rendered(tmp_path / "tree")


def test_a_file_system_without_hard_links_has_a_mark_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vault_cli.store.clone import make_mark, read_mark
    from vault_cli.store.git_place import find_place

    git(tmp_path, "init", "-q", "v")

    def refuse(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr("os.link", refuse)
    place = find_place(tmp_path / "v")
    made = make_mark(place)
    assert made == read_mark(place) == make_mark(place) != ""
    assert [p.name for p in (tmp_path / "v/.git").glob("mvault*")] == ["mvault-clone"]
