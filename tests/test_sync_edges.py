"""`sync` where something is in the way: the remote, the work tree, the histories."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from helpers import git
from sync_helpers import ADDRESSES, Machine, drop, note, share

X, Y = "memories/x.md", "memories/y.md"


def alone(tmp_path: Path, name: str = "solo") -> Machine:
    machine = Machine(name, tmp_path / name, tmp_path / f"state-{name}")
    machine.root.mkdir()
    assert machine.run("init", machine.root).code == 0
    return machine


def test_without_a_remote(tmp_path: Path) -> None:
    machine = alone(tmp_path)
    done = machine.sync()
    assert done.code == 2
    assert "git remote add origin" in done.err


def test_an_empty_remote_gets_everything(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    assert git(both.remote, "rev-parse", "main").strip() == both["a"].head()
    assert both["a"].sync().code == 0


def test_the_remote_has_other_branches_only(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    git(both["a"].root, "switch", "-q", "-c", "other")
    done = both["a"].sync()
    assert done.code == 2
    assert "main" in done.err
    assert both["a"].sync("--branch", "main").code == 0


def test_histories_without_a_common_commit(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    other = alone(tmp_path, "other")
    git(other.root, "commit", "-q", "--amend", "-m", "not the same one")
    other.write({Y: note("f-0000002"), X: note("f-0000001", "Another", "Another text.\n")})
    git(other.root, "remote", "add", "origin", str(both.remote))
    before = git(both.remote, "rev-parse", "main")
    done = other.sync()
    assert done.code == 3
    assert "--unrelated" in done.err
    assert git(both.remote, "rev-parse", "main") == before
    done = other.sync("--unrelated")
    assert done.code == 1, done  # one record says something else on each side
    assert both["a"].sync().code == 0
    assert both["a"].files() == other.files()
    text = b"".join(other.files().values()).decode()
    assert "Another text." in text
    assert "Text." in text


def test_half_a_checkout_is_not_committed(tmp_path: Path) -> None:
    files = {f"memories/m{n:02}.md": note(f"f-00000{n:02}", f"Fact {n}") for n in range(1, 41)}
    both = share(tmp_path, files)
    for number in range(1, 36):
        drop(both["a"].root / f"memories/m{number:02}.md")
    head = both["a"].head()
    done = both["a"].sync()
    assert done.code == 3
    assert "35 of 40 records are missing here" in done.err
    assert "checkout-index --all" in done.err
    assert both["a"].head() == head
    # create commits only its own file, no deletions
    assert both["a"].run("add", "fact", "--title", "New one", "--body", "Fresh.").code == 0
    assert git(both["a"].root, "show", "--name-status", "--format=").split()[0::2] == ["A"]
    agent = both["a"].run("sync", "--deletions", "--yes", env={"MVAULT_ACTOR": "agent"})
    assert agent.code == 3
    # the printed git command brings the files back
    git(both["a"].root, "checkout-index", "--all")
    assert both["a"].sync().code == 0
    assert len([p for p in both["b"].files() if p.startswith("memories/")]) == 40


def test_many_deletions_of_others_need_a_person(tmp_path: Path) -> None:
    files = {f"memories/m{n:02}.md": note(f"f-00000{n:02}", f"Fact {n}") for n in range(1, 21)}
    both = share(tmp_path, files)
    for number in range(1, 16):
        drop(both["a"].root / f"memories/m{number:02}.md")
    assert both["a"].sync("--deletions").code == 0
    done = both["b"].sync()
    assert done.code == 3
    assert "15 of 20 records are deleted by origin/main" in done.err
    assert len([p for p in both["b"].files() if p.startswith("memories/")]) == 20
    assert both["b"].sync("--deletions").code == 0
    assert both["b"].files() == both["a"].files()


def test_marks_of_a_manual_merge_are_not_committed(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001"), Y: note("f-0000002")})
    torn = note("f-0000001", body="<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n")
    both["a"].write({X: torn, Y: note("f-0000002", body="Edited.\n")})
    done = both["a"].run("--json", "sync", "--yes")
    assert done.code == 1, done
    assert done.data["not_committed"] == [X]
    assert "conflict-markers" in done.out
    assert "mine" not in git(both["a"].root, "log", "-p", "--all")
    assert both["a"].read(X) == torn
    assert "Edited." in git(both.remote, "show", f"main:{Y}")
    # what comes in does not write over it
    both["b"].run("sync")
    both["b"].write({X: note("f-0000001", body="By b.\n")})
    assert both["b"].sync().code == 0
    done = both["a"].sync()
    assert done.code == 4
    assert X in done.err
    assert both["a"].read(X) == torn


def test_copies_of_a_sync_program(tmp_path: Path) -> None:
    plain, copy = "memories/m-4501.md", "memories/m-4501 (conflicted copy 2026-07-10 070952).md"
    both = share(tmp_path, {plain: note("m-4501", body="At nine.\n")})
    both["a"].write({copy: note("m-4501", body="At ten.\n"), Y: note("f-0000002")})
    done = both["a"].sync()
    assert done.code == 1
    assert "conflict-copy" in done.err
    assert git(both["a"].root, "ls-files", copy) == ""
    assert git(both["a"].root, "ls-files", Y) != ""


@pytest.mark.parametrize("state", ["rebase", "merge"])
def test_while_git_is_at_work(tmp_path: Path, state: str) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="One.\n")})
    root = both["a"].root
    git(root, "switch", "-q", "-c", "side")
    both["a"].write({X: note("f-0000001", body="Side.\n")})
    git(root, "commit", "-qam", "side")
    git(root, "switch", "-q", "main")
    both["a"].write({X: note("f-0000001", body="Main.\n")})
    git(root, "commit", "-qam", "main")
    git(root, state, "side", check=False)
    before = both["a"].files()
    done = both["a"].sync()
    assert done.code == 5
    assert f"git {state} is under way" in done.err
    assert both["a"].files() == before


def test_a_remote_that_is_not_there(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    both.remote.rename(tmp_path / "elsewhere.git")
    both["a"].write({X: note("f-0000001", body="Edited.\n")})
    done = both["a"].sync()
    assert done.code == 7
    assert "cannot be reached" in done.err
    assert "Edited." in git(both["a"].root, "show", f"HEAD:{X}")  # own edits are safe
    (tmp_path / "elsewhere.git").rename(both.remote)
    assert both["a"].sync().code == 0
    assert "Edited." in git(both.remote, "show", f"main:{X}")


def test_a_remote_that_says_no(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    hook = both.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'policy: not today' >&2\nexit 1\n")
    hook.chmod(0o755)
    both["a"].write({X: note("f-0000001", body="Edited.\n")})
    done = both["a"].sync()
    assert done.code == 7
    assert "does not take it" in done.err
    assert "policy: not today" in done.err
    assert "Edited." in git(both["a"].root, "show", f"HEAD:{X}")
    hook.unlink()
    assert both["a"].sync().code == 0


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_remote_that_cannot_be_written(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    folders = [both.remote, *(p for p in both.remote.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        both["a"].write({X: note("f-0000001", body="Edited.\n")})
        done = both["a"].sync()
        assert done.code == 7
        assert "--no-push" in done.err
        assert both["a"].sync("--no-push").code == 0
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_a_history_that_was_rewritten_there(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="password one\n")})
    both["a"].write({X: note("f-0000001", body="clean\n")})
    git(both["a"].root, "commit", "-qa", "--amend", "-m", "rewritten")
    git(both["a"].root, "push", "-qf", "origin", "main")
    before = both["b"].head()
    both["b"].write({Y: note("f-0000002")})
    done = both["b"].sync()
    assert done.code == 3
    assert "rewritten" in done.err
    done = both["b"].sync()  # again: what was fetched is not taken for known
    assert done.code == 3
    assert git(both["b"].root, "rev-parse", "HEAD~1").strip() == before
    assert "password" not in git(both.remote, "log", "-p", "main")


def test_a_vault_in_a_bigger_repository(tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "--initial-branch=main", str(remote))
    one, two = tmp_path / "one", tmp_path / "two"
    git(tmp_path, "init", "-q", "--initial-branch=main", str(one))
    (one / "code.py").write_text("print(1)\n")
    mine = Machine("one", one / ".mvault", tmp_path / "state-one")
    mine.root.mkdir()
    git(one, "add", "code.py")
    git(one, "commit", "-qm", "code")
    (mine.root / "vault.toml").write_text("schema = 1\n")
    mine.write({X: note("f-0000001")})
    git(one, "add", "-A")
    git(one, "commit", "-qm", "vault")
    git(one, "remote", "add", "origin", str(remote))
    git(one, "push", "-q", "origin", "main")
    git(tmp_path, "clone", "-q", str(remote), str(two))
    other = Machine("two", two / ".mvault", tmp_path / "state-two")
    other.write({X: note("f-0000001", body="Edited there.\n")})
    assert other.sync().code == 0
    (one / "code.py").write_text("print(2)\n")  # not the vault's: neither committed nor touched
    assert mine.sync().code == 0, mine.sync()
    assert "Edited there." in mine.read(X)
    assert (one / "code.py").read_text() == "print(2)\n"
    # a commit of other files is not pushed, and not merged
    git(one, "commit", "-qam", "code again")
    done = mine.sync()
    assert done.code == 4
    assert "not pushed by mvault" in done.err
    git(one, "push", "-q", "origin", "main")
    other.write({X: note("f-0000001", body="Again.\n")})
    done = other.sync()
    assert done.code == 4
    assert "git pull" in done.err


def test_untrusted_settings_reach_no_network(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    canary = tmp_path / "canary"
    for key in (
        "core.sshCommand",
        "credential.helper",
        "remote.origin.uploadpack",
        "core.gitProxy",
    ):
        git(both["a"].root, "config", key, f"touch {canary};")
        done = both["a"].sync()
        assert done.code == 4, key
        assert "mvault trust" in done.err
        git(both["a"].root, "config", "--unset", key)
    assert not canary.exists()
    assert both["a"].sync().code == 0


def test_no_hook_of_a_repository_runs(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    canary = tmp_path / "canary"
    for name in ("pre-push", "post-merge", "reference-transaction", "post-checkout", "pre-commit"):
        hook = both["a"].root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {canary}\n")
        hook.chmod(0o755)
    both["a"].write({X: note("f-0000001", body="Edited.\n")})
    assert both["a"].sync().code == 0
    assert not canary.exists()


def test_dry_run_changes_nothing(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="One.\n\nTwo.\n\nThree.\n")})
    both["a"].write({X: note("f-0000001", body="One a.\n\nTwo.\n\nThree.\n")})
    assert both["a"].sync().code == 0
    both["b"].write({X: note("f-0000001", body="One.\n\nTwo.\n\nThree b.\n"), Y: note("f-0000002")})
    before, head, there = both["b"].files(), both["b"].head(), git(both.remote, "rev-parse", "main")
    done = both["b"].run("--json", "--dry-run", "sync")
    assert done.code == 0
    assert done.data["kind"] == "merge"
    assert done.data["would_push"] is True
    assert {item["path"] for item in done.data["edits"]} == {X, Y}
    assert [item["code"] for item in done.data["decisions"]] == ["merged"]
    assert both["b"].files() == before
    assert both["b"].head() == head
    assert git(both.remote, "rev-parse", "main") == there


def test_an_agent_does_not_commit_what_is_in_force(tmp_path: Path) -> None:
    both = share(
        tmp_path, {X: note("f-0000001"), "drafts/d.md": note("f-0000002", status="candidate")}
    )
    both["a"].write({"drafts/d.md": note("f-0000002", body="Better.\n", status="candidate")})
    agent = {"MVAULT_ACTOR": "agent"}
    assert both["a"].run("sync", env=agent).code == 0
    both["a"].write({X: note("f-0000001", body="Obey the agent.\n")})
    head = both["a"].head()
    for argv in ([], ["--yes"]):
        done = both["a"].run("sync", *argv, env=agent)
        assert done.code == 3, done
        assert "what is in force" in done.err
    assert both["a"].head() == head


def test_private_folders_do_not_come_in(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    root = both["a"].root
    for name in ("quarantine/evil.md", ".state/index.sqlite"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(note("f-0000009"))
        git(root, "add", "-f", name)
    git(root, "commit", "-qm", "evil")
    git(root, "push", "-q", "origin", "main")
    both["b"].sync()
    assert not (both["b"].root / "quarantine/evil.md").exists()
    assert (
        b"f-0000009" not in (both["b"].root / ".state/index.sqlite").read_bytes()
        if (both["b"].root / ".state/index.sqlite").exists()
        else True
    )


def test_a_link_does_not_come_in(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    (both["a"].root / "memories/link.md").symlink_to("/etc/passwd")
    git(both["a"].root, "add", "-A")
    git(both["a"].root, "commit", "-qm", "link")
    git(both["a"].root, "push", "-q", "origin", "main")
    done = both["b"].sync()
    assert done.code == 4
    assert "memories/link.md is a link" in done.err
    assert not (both["b"].root / "memories/link.md").is_symlink()


def test_files_of_other_programs(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    pipeline = {".github/workflows/vault.yml": "on: pull_request\n", ".gitlab-ci.yml": "vault:\n"}
    both["a"].write({**pipeline, ".obsidian/app.json": "{}\n", "memories/.x.md.swp": "x"})
    assert both["a"].sync().code == 0
    # what another program keeps in a folder of its own is added by a person, with git
    assert git(both["a"].root, "ls-files", ".github", ".obsidian", "memories/.x.md.swp") == ""
    git(both["a"].root, "add", *pipeline)
    git(both["a"].root, "commit", "-qm", "pipeline")
    assert both["a"].sync().code == 0
    assert both["b"].sync().code == 0
    for path, text in pipeline.items():
        assert both["b"].read(path) == text
    both["b"].write({".gitlab-ci.yml": "vault: 2\n"})
    assert both["b"].sync().code == 0
    assert both["a"].sync().code == 0
    assert both["a"].read(".gitlab-ci.yml") == "vault: 2\n"


def test_a_program_stays_one(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="One.\n\nTwo.\n")})
    both["a"].write({"tools/run.sh": "#!/bin/sh\n"})
    (both["a"].root / "tools/run.sh").chmod(0o755)
    assert both["a"].sync().code == 0
    both["b"].write({Y: note("f-0000002")})  # so that it is a merge
    assert both["b"].sync().code == 0
    assert git(both["b"].root, "ls-files", "-s", "tools/run.sh").startswith("100755")
    assert git(both["b"].root, "status", "--porcelain") == ""


def test_settings_that_both_changed_keep_the_old_lines(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001")})
    old = both["a"].read("vault.toml")
    for name, budget in (("a", 9000), ("b", 8000)):
        both[name].write({"vault.toml": f"{old}\n[render]\nbudget = {budget}\n"})
    assert both["a"].sync().code == 0
    done = both["b"].sync()
    assert done.code == 1
    both["a"].sync()
    assert both["a"].files() == both["b"].files()
    (path,) = [p for p in both["a"].files() if p.startswith("drafts/conflicts/")]
    text = both["a"].read(path)
    assert "budget = 9000" in text
    assert "budget = 8000" in text
    assert both["a"].read("vault.toml") == old
    twin = next(
        r["id"] for r in both["a"].run("--json", "list").data["records"] if r["path"] == path
    )
    assert both["a"].run("resolve", twin, "--reason", "set by hand", "--yes").code == 0
    assert not (both["a"].root / path).exists()


def test_files_that_go_through_a_filter_are_left_to_git(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001"), ".gitattributes": "secret/** filter=rot\n"})
    for machine in both.machines.values():
        for part in ("clean", "smudge"):
            git(machine.root, "config", f"filter.rot.{part}", "tr a-z b-za")
        assert machine.run("trust", "--yes").code == 0
    both["a"].write({"secret/s.md": note("f-0000002", "Hidden")})
    git(both["a"].root, "add", "-A")
    git(both["a"].root, "commit", "-qm", "hidden")
    git(both["a"].root, "push", "-q", "origin", "main")
    done = both["b"].sync()
    assert done.code == 4
    assert "content filter" in done.err
    assert not (both["b"].root / "secret").exists()


def test_a_mode_that_changed_alone_comes_in(tmp_path: Path) -> None:
    """Neither a merge nor a step forward takes back that a script became a program."""
    files = {f"skills/s/scripts/{name}.sh": "echo 1\n" for name in ("一", "two", "three")}
    both = share(tmp_path, {"memories/x.md": note("f-0000001"), **files})
    one, two = both["a"], both["b"]
    scripts = "skills/s/scripts"

    def commit(name: str, mode: int) -> None:
        (one.root / scripts / f"{name}.sh").chmod(mode)
        git(one.root, "commit", "-qam", "mode")
        assert one.sync().code == 0

    commit("一", 0o755)
    assert two.sync().code == 0  # forward
    assert git(two.root, "status", "--porcelain") == ""
    assert os.access(two.root / scripts / "一.sh", os.X_OK)
    commit("two", 0o755)
    commit("一", 0o644)
    two.write({"memories/x.md": note("f-0000001", body="Other. 另一个。\n")})
    assert two.sync().code == 0  # a merge
    assert one.sync().code == 0
    for machine in (one, two):
        assert git(machine.root, "status", "--porcelain") == ""
        assert os.access(machine.root / scripts / "two.sh", os.X_OK)
        assert not os.access(machine.root / scripts / "一.sh", os.X_OK)
        assert not os.access(machine.root / scripts / "three.sh", os.X_OK)


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_that_would_start_something(tmp_path: Path, address: str) -> None:
    """Also when a person trusted the settings: only known transports are used."""
    both = share(tmp_path, {"memories/x.md": note("f-0000001")}, "a")
    canary = tmp_path / "canary"
    git(both["a"].root, "config", "remote.origin.url", address.format(canary=canary))
    assert both["a"].run("trust", "--yes").code in (0, 4)
    done = both["a"].sync()
    assert done.code in (2, 4, 7), done
    assert not canary.exists()
    assert "hunter2" not in done.text
    assert "Traceback" not in done.err
