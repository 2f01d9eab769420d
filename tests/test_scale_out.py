"""git as the distributed engine: partial, sparse and shallow clones, and one server for many."""

from __future__ import annotations

from pathlib import Path

from helpers import git
from sync_helpers import Machine, Shared, note, share

X = "memories/x.md"


def clone(both: Shared, name: str, *flags: str) -> Machine:
    """Clone over the file protocol, which knows filters and depths; the person trusts it."""
    root = both.remote.parent / name
    git(both.remote, "config", "uploadpack.allowFilter", "true")
    git(both.remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(both.remote.parent, "clone", "-q", *flags, f"file://{both.remote}", str(root))
    git(root, "config", "user.name", name)
    machine = Machine(name, root, both.remote.parent / f"state-{name}")
    both.machines[name] = machine
    return machine


def history(both: Shared) -> None:
    """Some commits, so that there is something to leave out."""
    for number in range(5):
        both["a"].write({X: note("f-0000001", body=f"Version {number}.\n\nEnd.\n")})
        assert both["a"].sync().code == 0


def test_a_partial_clone_syncs(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="Version.\n\nEnd.\n")})
    history(both)
    partial = clone(both, "p", "--filter=blob:none")
    assert partial.run("trust", "--yes").code == 0
    assert "?" in git(partial.root, "rev-list", "--objects", "--all", "--missing=print")
    both["a"].write({X: note("f-0000001", body="Version 4, by a.\n\nEnd.\n")})
    assert both["a"].sync().code == 0
    partial.write({X: note("f-0000001", body="Version 4.\n\nEnd, by p.\n")})
    done = partial.sync()
    assert done.code == 0, done
    both["a"].sync()
    assert "Version 4, by a.\n\nEnd, by p." in both["a"].read(X)
    assert both["a"].files() == partial.files()


def test_a_sparse_checkout_syncs_what_it_does_not_hold(tmp_path: Path) -> None:
    files = {
        X: note("f-0000001", body="One.\n\nTwo.\n"),
        "playbook/r.md": note("r-0000001", "Rule", "One.\n\nTwo.\n", kind="rule"),
        "playbook/more/s.md": note("r-0000002", "More", "More.\n", kind="rule"),
    }
    both = share(tmp_path, files)
    sparse = clone(both, "s", "--sparse")
    git(sparse.root, "sparse-checkout", "set", "memories")
    assert sparse.run("trust", "--yes").code == 0
    assert not (sparse.root / "playbook").exists()
    both["a"].write({
        "playbook/r.md": note("r-0000001", "Rule", "One, by a.\n\nTwo.\n", kind="rule"),
        "playbook/new.md": note("r-0000003", "New", "New rule.\n", kind="rule"),
        "tickets/t.md": note("w-0000001", "Ticket", "New.\n", kind="note"),
    })  # fmt: skip
    (both["a"].root / "playbook/more/s.md").unlink()
    assert both["a"].sync().code == 0
    sparse.write({X: note("f-0000001", body="One.\n\nTwo, by s.\n")})
    done = sparse.sync()
    assert done.code == 0, done
    # neither brought into the work tree nor taken for deleted
    assert not (sparse.root / "playbook").exists()
    assert not (sparse.root / "tickets").exists()
    assert git(sparse.root, "status", "--porcelain") == ""
    assert sparse.sync().code == 0
    assert both["a"].sync().code == 0
    assert "One, by a." in both["a"].read("playbook/r.md")
    assert "New rule." in both["a"].read("playbook/new.md")
    assert "Two, by s." in both["a"].read(X)
    git(sparse.root, "sparse-checkout", "disable")
    assert sparse.files() == both["a"].files()


def test_a_forward_step_in_a_sparse_checkout(tmp_path: Path) -> None:
    files = {
        X: note("f-0000001"),
        "playbook/r.md": note("r-0000001", "Rule", "One.\n", kind="rule"),
    }
    both = share(tmp_path, files)
    sparse = clone(both, "s", "--sparse")
    git(sparse.root, "sparse-checkout", "set", "memories")
    assert sparse.run("trust", "--yes").code == 0
    both["a"].write(
        {
            "playbook/r.md": note("r-0000001", "Rule", "Two.\n", kind="rule"),
            X: note("f-0000001", body="New.\n"),
        }
    )
    assert both["a"].sync().code == 0
    assert sparse.sync().code == 0
    assert not (sparse.root / "playbook").exists()
    assert git(sparse.root, "status", "--porcelain") == ""
    assert "New." in sparse.read(X)


def test_what_a_shallow_clone_can_say(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="Version.\n\nEnd.\n")})
    history(both)
    shallow = clone(both, "c", "--depth=1")
    assert shallow.run("trust", "--yes").code == 0
    assert shallow.run("check").code == 0
    assert "Version 4." in shallow.run("render").out
    # what was known at its one commit it can say, and of the time before that it says so
    assert "Version 4." in shallow.run("render", "--known-at", "HEAD").out
    early = shallow.run("render", "--known-at", "2001-01-01")
    assert early.code == 6
    assert "shallow" in early.err
    # a sync that needs more history fetches it
    both["a"].write({X: note("f-0000001", body="Version 5.\n\nEnd.\n")})
    assert both["a"].sync().code == 0
    shallow.write({X: note("f-0000001", body="Version 4.\n\nEnd, by c.\n")})
    done = shallow.sync()
    assert done.code == 0, done
    assert both["a"].sync().code == 0
    assert "Version 5.\n\nEnd, by c." in both["a"].read(X)


def test_many_writers_at_one_server(tmp_path: Path) -> None:
    many = share(tmp_path, {X: note("f-0000001")}, "abcde")
    for turn in range(2):
        for name, machine in many.machines.items():
            machine.write(
                {
                    f"drafts/{name}{turn}.md": note(
                        f"f-{name}00000{turn}", f"From {name} {turn} 来自", status="candidate"
                    )
                }
            )
            assert machine.sync().code == 0
    many.settle()
    drafts = [path for path in many["a"].files() if path.startswith("drafts/")]
    assert len(drafts) == 10
    assert len({tuple(machine.files().items()) for machine in many.machines.values()}) == 1


def test_a_shallow_clone_takes_nothing_back_that_it_does_not_know(tmp_path: Path) -> None:
    """All that was there looks as if the first commit of the clone had added it."""
    both = share(tmp_path, {X: note("f-0000001", "部署"), "memories/y.md": note("f-0000002")})
    both["a"].run("edit", "f-0000001", "--set", "importance=3", "--yes").ok()
    both["a"].sync().ok()
    shallow = clone(both, "c", "--depth=1")
    shallow.run("trust", "--yes").ok()
    before, head = shallow.files(), shallow.head()
    for argv in (("undo",), ("undo", "HEAD"), ("undo", "--dry-run")):
        refused = shallow.run(*argv, "--yes")
        assert refused.code == 4
        assert "is where this shallow clone begins" in refused.err
        assert "git fetch --unshallow" in refused.err
    assert (shallow.files(), shallow.head()) == (before, head)
    for argv in (("log",), ("log", "f-0000002")):
        assert "is where this shallow clone begins" in shallow.run(*argv).ok().err
    git(shallow.root, "fetch", "-q", "--unshallow")
    assert "shallow" not in shallow.run("log").ok().err
    shallow.run("undo", "--yes").ok()
    assert "importance" not in shallow.read(X)
    assert (shallow.root / "memories/y.md").exists()


def test_a_partial_clone_says_what_is_not_here(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", body="第一版。\n")})
    history(both)
    both["a"].run("edit", "f-0000001", "--set", "importance=3", "--yes").ok()
    both["a"].sync().ok()
    partial = clone(both, "p", "--filter=blob:none")
    partial.run("trust", "--yes").ok()
    before, head = partial.files(), partial.head()
    for argv in (("undo", "--yes"), ("check", "--trust"), ("render", "--known-at", "HEAD~2")):
        told = partial.run(*argv)
        assert told.code == 7, argv
        assert "this is a partial clone" in told.err
        assert "damaged" not in told.err
        assert "git fetch --refetch --no-filter" in told.err
    assert (partial.files(), partial.head()) == (before, head)
    git(partial.root, "fetch", "-q", "--refetch", "--no-filter")  # as the hint says
    partial.run("undo", "--yes").ok()
    assert "importance" not in partial.read(X)


def test_what_a_sparse_checkout_leaves_out_was_not_removed(tmp_path: Path) -> None:
    both = share(tmp_path, {X: note("f-0000001", "甲"), "playbook/r.md": note("r-0000001", "Rule")})
    both["a"].run("edit", "f-0000001", "--set", "importance=3", "--yes").ok()
    both["a"].sync().ok()
    sparse = clone(both, "s", "--sparse")
    git(sparse.root, "sparse-checkout", "set", "playbook")
    sparse.run("trust", "--yes").ok()
    compared = sparse.run("--json", "diff").ok()
    assert not compared.data["changed"], compared.data
    assert "outside the sparse checkout" in compared.err
    head = sparse.head()
    refused = sparse.run("undo", "--yes")
    assert refused.code == 4
    assert f"{X} is outside the sparse checkout" in refused.err
    for argv in (("show", "f-0000001"), ("edit", "f-0000001", "--set", "importance=4", "--yes")):
        lost = sparse.run(*argv)
        assert lost.code == 6
        assert "outside the sparse checkout" in lost.err
    assert sparse.head() == head
    git(sparse.root, "sparse-checkout", "add", "memories")
    sparse.run("undo", "--yes").ok()
    assert "importance" not in sparse.read(X)
