"""`trust.require_signed`: only texts made by a commit that an allowed key signed are shown."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from helpers import git, make_vault, run, write_files

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="keys are made with ssh-keygen"
)

RULE = "---\nid: {id}\nkind: rule\nstatus: active\ntitle: {title}\n---\n{body}\n"
PATH = "playbook/2026-11/{id}.md"


class Signers:
    """Keys of a person and of a stranger; the person's git signs, and the setting is on."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for name in ("mine", "theirs"):
            args = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name]
            subprocess.run([*args, "-f", str(home / name)], check=True)
        self.file = home / "allowed_signers"
        self.allow("mine")
        with (home / "gitconfig").open("a") as file:
            file.write(f"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {home}/mine.pub\n")
            file.write("[commit]\n\tgpgsign = true\n")
        with (home / "mvault.toml").open("a") as file:
            file.write(f'require_signed = true\nallowed_signers = "{self.file}"\n')

    def allow(self, *names: str) -> None:
        keys = (f"{n}@example.invalid {(self.home / f'{n}.pub').read_text()}" for n in names)
        self.file.write_text("".join(keys))

    def commit(self, root: Path, subject: str, key: str = "") -> str:
        """Commit everything with plain git: unsigned, or with one of the keys."""
        sign = ["-c", f"user.signingkey={self.home}/{key}.pub"] if key else []
        git(root, "add", "-A")
        flag = "-S" if key else "--no-gpg-sign"
        git(root, *sign, "commit", "-q", flag, "-m", subject)
        return git(root, "rev-parse", "HEAD")


@pytest.fixture
def signers(home: Path) -> Signers:
    return Signers(home)


def add_approved(root: Path, title: str, body: str) -> str:
    added = run("--vault", root, "add", "rule", "--title", title, "--body", body).ok()
    record_id = added.out.split()[0]
    run("--vault", root, "approve", record_id, "--yes", env={"MVAULT_ACTOR": "person"}).ok()
    return record_id


def receipt(root: Path, *argv: str) -> dict[str, str]:
    """Why records in force are not in the render, by id."""
    data = run("--vault", root, "--json", "render", *argv).ok().data
    return {item["id"]: item["reason"] for item in data["receipt"]["excluded"]}


def shown(root: Path) -> str:
    return run("--vault", root, "render").ok().out


def put(root: Path, key: str, body: str = "先问再改。", title: str = "规则") -> Path:
    path = PATH.format(id=key)
    write_files(root, {path: RULE.format(id=key, title=title, body=body)})
    return root / path


@pytest.mark.parametrize(
    ("title", "body"), [("Ask before a deploy", "No exceptions."), ("部署前先问", "没有例外。")]
)
def test_what_was_approved_and_signed_is_shown(
    tmp_path: Path, signers: Signers, title: str, body: str
) -> None:
    root = make_vault(tmp_path)
    record_id = add_approved(root, title, body)
    assert title in shown(root)
    assert receipt(root) == {}
    (row,) = run("--vault", root, "--json", "check", "--trust").ok().data["records"]
    assert row["signed"] == "good (mine@example.invalid)"
    signers.allow("theirs")  # the key is taken out of the file
    assert title not in shown(root)
    assert receipt(root) == {record_id: "signed by an unknown key"}


def test_unsigned_unknown_and_uncommitted_texts_are_left_out(
    tmp_path: Path, signers: Signers
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one")
    signers.commit(root, "unsigned")
    put(root, "r-two")
    signers.commit(root, "by a stranger", "theirs")
    put(root, "r-three")
    assert receipt(root) == {
        "r-one": "unsigned",
        "r-two": "signed by an unknown key",
        "r-three": "not committed",
    }
    said = run("--vault", root, "render").ok()
    assert "trust.require_signed" in said.err
    assert "先问再改" not in said.out
    status = run("--vault", root, "status").ok().out
    assert "trust.require_signed = true" in status
    assert "r-two" in status
    assert "mvault edit ID" in status
    brief = run("--vault", root, "brief").ok().out
    assert "nothing is in force" in brief
    signers.allow("mine", "theirs")
    assert sorted(receipt(root)) == ["r-one", "r-three"]
    assert sorted(receipt(root, "--at", "HEAD~1")) == ["r-one"]
    assert receipt(root, "--at", "HEAD") == {"r-one": "unsigned"}


def test_a_text_swapped_later_is_left_out(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    add_approved(root, "Ask first", "Always.")
    path = next(root.rglob("playbook/**/*.md"))
    signed = path.read_bytes()
    path.write_bytes(signed.replace(b"Always.", b"Never mind."))
    assert list(receipt(root).values()) == ["changed since it was signed"]
    signers.commit(root, "typo")
    assert list(receipt(root).values()) == ["unsigned"]
    path.write_bytes(signed)  # an older text, however well it was signed, is a new decision
    signers.commit(root, "as it was")
    assert list(receipt(root).values()) == ["unsigned"]
    path.write_bytes(signed + b"More.\n")
    signers.commit(root, "mine", "mine")
    assert receipt(root) == {}


def test_a_move_is_a_change_too(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    write_files(root, {"drafts/2026-11/r-x.md": RULE.format(id="r-x", title="X", body="Y")})
    signers.commit(root, "a draft", "mine")
    (root / "playbook").mkdir(exist_ok=True)
    git(root, "mv", "drafts/2026-11/r-x.md", "playbook/r-x.md")
    signers.commit(root, "tidy up")
    assert receipt(root) == {"r-x": "unsigned"}


def test_merges_bring_in_what_each_side_signed(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "first text")
    signers.commit(root, "one", "mine")
    git(root, "checkout", "-qb", "side")
    put(root, "r-two")
    signers.commit(root, "two", "mine")
    git(root, "checkout", "-q", "main")
    put(root, "r-one", "second text")
    signers.commit(root, "one again", "mine")
    git(root, "merge", "-q", "--no-gpg-sign", "--no-edit", "side")
    assert receipt(root) == {}
    # a merge that brings a replaced text back, and one that writes a text of its own
    git(root, "checkout", "-qb", "old", "HEAD~1^")
    put(root, "r-three")
    signers.commit(root, "three", "mine")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-gpg-sign", "--no-commit", "old")
    put(root, "r-one", "first text")
    signers.commit(root, "merge")
    assert receipt(root) == {"r-one": "changed since it was signed"}
    git(root, "checkout", "-qb", "evil", "HEAD~1")
    git(root, "merge", "-q", "--no-gpg-sign", "--no-commit", "old")
    put(root, "r-three", "a text of the merge")
    signers.commit(root, "merge")
    assert receipt(root) == {"r-three": "unsigned"}


def test_dates_do_not_make_an_old_text_the_newest(
    tmp_path: Path, signers: Signers, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "first text")
    signers.commit(root, "one", "mine")
    git(root, "branch", "side")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    put(root, "r-one", "second text")
    signers.commit(root, "two", "mine")
    put(root, "r-one", "first text")
    signers.commit(root, "back, and dated long ago")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    git(root, "checkout", "-q", "side")
    put(root, "r-two")
    signers.commit(root, "side", "mine")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-gpg-sign", "--no-edit", "side")
    assert receipt(root) == {"r-one": "unsigned"}


def test_the_repository_has_no_say(tmp_path: Path, signers: Signers, home: Path) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one")
    commit = signers.commit(root, "by a stranger", "theirs")
    theirs = tmp_path / "theirs"
    theirs.write_text(f"them@example.invalid {(home / 'theirs.pub').read_text()}")
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\necho 'Good \"git\" signature for mine'\nexit 0\n")
    program.chmod(0o755)
    for key in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program"):
        git(root, "config", key, str(program))
    git(root, "config", "gpg.ssh.allowedSignersFile", str(theirs))
    git(root, "config", "diff.orderFile", str(theirs))
    git(root, "config", "trailer.separators", "=")
    assert receipt(root) == {"r-one": "signed by an unknown key"}
    assert not ran.exists()
    for key in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program"):
        git(root, "config", "--unset", key)
    # a replacement object and a graft that would make a signed commit of it
    write_files(root, {"note.txt": "x"})
    good = signers.commit(root, "mine", "mine")
    git(root, "replace", "-f", commit, good)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "grafts").write_text(f"{good}\n")
    assert receipt(root) == {"r-one": "signed by an unknown key"}


def test_a_file_of_signers_in_the_vault_is_refused(
    tmp_path: Path, signers: Signers, home: Path
) -> None:
    root = make_vault(tmp_path)
    shutil.copy(signers.file, root / "allowed")
    text = (home / "mvault.toml").read_text().replace(str(signers.file), str(root / "allowed"))
    (home / "mvault.toml").write_text(text)
    put(root, "r-one")
    refused = run("--vault", root, "render")
    assert refused.code == 2
    assert "lies in the repository" in refused.err
    assert refused.out == ""


def test_verdicts_are_kept_outside_of_the_vault_and_bound_to_the_keys(
    tmp_path: Path, signers: Signers, home: Path
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one")
    signers.commit(root, "mine", "mine")
    run("--vault", root, "list").ok()
    assert receipt(root) == {}
    kept = list((home / "mvault-state" / "signatures").iterdir())
    assert len(kept) == 1
    held = (p.read_bytes() for p in (root / ".state").rglob("*") if p.is_file())
    assert not any(kept[0].stem.encode() in data or b"signed" in data for data in held)
    signers.file.write_text("")
    assert receipt(root) == {"r-one": "signed by an unknown key"}
    signers.allow("mine")
    assert receipt(root) == {}


def test_a_copy_beside_it_does_not_take_a_signed_rule_out(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "the signed text")
    signers.commit(root, "mine", "mine")
    text = RULE.format(id="r-one", title="Copy", body="another text")
    write_files(root, {"playbook/copy.md": text})
    signers.commit(root, "a copy")
    draft = text.replace("status: active", "status: candidate")
    write_files(root, {"drafts/copy.md": draft, "playbook/2026-11/R-One.md": draft})
    write_files(root, {"Playbook/2026-11/r-one.md": draft})
    signers.commit(root, "more copies")
    out = shown(root)
    assert "the signed text" in out, run("--vault", root, "render", "--receipt").err
    assert "another text" not in out


def test_a_repository_with_sha256(tmp_path: Path, signers: Signers) -> None:
    root = tmp_path / "vault"
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", "vault")
    run("--vault", root, "init", cwd=root).ok()
    record_id = add_approved(root, "Ask first", "Always.")
    assert receipt(root) == {}
    put(root, "r-two")
    signers.commit(root, "unsigned")
    assert receipt(root) == {"r-two": "unsigned"}
    assert record_id in run("--vault", root, "check", "--trust").ok().out


def test_a_shallow_clone_cannot_tell(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one")
    signers.commit(root, "one", "mine")
    put(root, "r-two")
    signers.commit(root, "two", "mine")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "clone")
    clone = tmp_path / "clone"
    run("--vault", clone, "trust", "--yes", env={"MVAULT_ACTOR": "person"}).ok()
    assert set(receipt(clone).values()) == {"history is cut off here (shallow clone)"}
    found = run("--vault", clone, "--json", "check", "--trust").ok().json
    assert "trust-shallow" in {item["code"] for item in found["diagnostics"]}


@pytest.mark.skipif(shutil.which("gpg") is None, reason="GPG keys are made with gpg")
def test_gpg_keys_that_the_key_ring_holds_as_valid(
    tmp_path: Path, signers: Signers, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = home / "g"
    ring.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(ring))
    batch = ["gpg", "--batch", "--quiet", "--passphrase", ""]
    made = subprocess.run(
        [*batch, "--quick-gen-key", "Me <person@example.invalid>", "ed25519", "sign", "never"],
        check=False,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("gpg makes no key here")
    root = make_vault(tmp_path)
    put(root, "r-one")
    git(root, "add", "-A")
    key = ("-c", "gpg.format=openpgp", "-c", "user.signingkey=person@example.invalid")
    git(root, *key, "commit", "-q", "-S", "-m", "by gpg")
    assert receipt(root) == {}
    kept = (home / "mvault-state" / "signatures").glob("*.json")
    assert all(git(root, "rev-parse", "HEAD") not in path.read_text() for path in kept)
    trusted = subprocess.run(
        ["gpg", "--export-ownertrust"], check=True, capture_output=True, text=True
    )
    (ring / "trust").write_text(trusted.stdout.replace(":6:", ":2:"))
    subprocess.run(["gpg", "--quiet", "--import-ownertrust", str(ring / "trust")], check=True)
    assert receipt(root) == {"r-one": "signed by an unknown key"}
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)


def test_status_bears_a_file_of_keys_that_is_not_there(tmp_path: Path, signers: Signers) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one")
    signers.commit(root, "mine", "mine")
    signers.file.unlink()
    assert run("--vault", root, "render").code == 2
    status = run("--vault", root, "status").ok()
    assert "nothing is shown: trust.allowed_signers" in status.out


@pytest.mark.parametrize("newer_first", [True, False])
@pytest.mark.parametrize("key", ["", "theirs", "mine"])
def test_a_merge_that_chooses_between_signed_texts_needs_a_signature(
    tmp_path: Path, signers: Signers, newer_first: bool, key: str
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "第一版。")
    signers.commit(root, "one", "mine")
    git(root, "checkout", "-qb", "side")
    put(root, "r-one", "只在分支上。")
    old = signers.commit(root, "side", "mine")
    git(root, "checkout", "-q", "main")
    put(root, "r-one", "后来更正。")
    new = signers.commit(root, "main", "mine")
    sides = (new, old) if newer_first else (old, new)
    sign = ["-c", f"user.signingkey={signers.home}/{key}.pub"] if key else []
    flag = ["-S"] if key else []
    tree = ["commit-tree", "side^{tree}", "-p", sides[0], "-p", sides[1], "-m", "merge"]
    git(root, "reset", "-q", "--hard", git(root, *sign, *tree, *flag))
    good = key == "mine"
    assert ("只在分支上" in shown(root)) == good
    assert receipt(root) == ({} if good else {"r-one": "changed since it was signed"})
    assert "trust-brought-back" in run("--vault", root, "check", "--trust").out
    # a signed merge that chose the newer text does not cover a later one that does not
    ours = ["commit-tree", f"{new}^{{tree}}", "-p", new, "-p", old, "-m", "ours", "-S"]
    parents = ["-p", git(root, *ours), "-p", old]
    git(root, "reset", "-q", "--hard", git(root, *tree[:2], *parents, "-m", "theirs"))
    assert receipt(root) == {"r-one": "changed since it was signed"}


@pytest.mark.parametrize("first", [True, False])
def test_the_same_text_made_on_two_lines_counts_when_one_of_them_is_signed(
    tmp_path: Path, signers: Signers, *, first: bool
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "第一版。")
    base = signers.commit(root, "one", "mine")
    put(root, "r-one", "两边都写了它。")
    signed = signers.commit(root, "signed", "mine")
    git(root, "reset", "-q", "--hard", base)
    put(root, "r-one", "两边都写了它。")
    unsigned = signers.commit(root, "not signed")
    sides = (signed, unsigned) if first else (unsigned, signed)
    merge = ["commit-tree", "HEAD^{tree}", "-p", sides[0], "-p", sides[1], "-m", "merge"]
    git(root, "reset", "-q", "--hard", git(root, *merge))
    assert receipt(root) == {}
    # who takes it away and writes it anew decides anew
    put(root, "r-one", "Another.")
    signers.commit(root, "another", "mine")
    put(root, "r-one", "两边都写了它。")
    signers.commit(root, "back")
    assert receipt(root) == {"r-one": "unsigned"}


def test_a_merge_that_dropped_a_signed_text_leaves_no_signature_to_write_it_anew(
    tmp_path: Path, signers: Signers
) -> None:
    root = make_vault(tmp_path)
    put(root, "r-one", "第一版。")
    base = signers.commit(root, "one", "mine")
    put(root, "r-one", "旧规则。")
    old = signers.commit(root, "old", "mine")
    git(root, "reset", "-q", "--hard", base)
    put(root, "r-one", "新规则。")
    new = signers.commit(root, "new", "mine")
    key = f"user.signingkey={signers.home}/mine.pub"
    tree = ["commit-tree", f"{new}^{{tree}}", "-p", new, "-p", old, "-m", "new it is", "-S"]
    git(root, "reset", "-q", "--hard", git(root, "-c", key, *tree))
    assert receipt(root) == {}
    assert "新规则" in shown(root)
    put(root, "r-one", "旧规则。")
    signers.commit(root, "back to the old one, unsigned")
    assert receipt(root) == {"r-one": "unsigned"}
