"""Threats that belong to no single module: names, modules and modes of a hostile vault folder."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from helpers import PROJECT, make_vault, run, run_real, write_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FACT = "---\nid: f-0000001\nkind: fact\nstatus: active\ntitle: One\n---\nThe host is blue.\n"
SHADOWED = ("yaml", "frontmatter", "typer", "git", "markdown_it", "platformdirs", "anyascii")


@pytest.mark.parametrize("start", ["command", "module"])
def test_modules_in_the_vault_are_never_imported(tmp_path: Path, start: str) -> None:
    """Neither by the installed command nor by `python -m`, which looks in the working directory."""
    root = make_vault(tmp_path, {"memories/a.md": FACT})
    canary = tmp_path / "canary"
    evil = f"open({str(canary)!r}, 'a').write(__name__)\nraise SystemExit(99)\n"
    write_files(root, {f"{name}.py": evil for name in SHADOWED})
    installed = [
        *("-I", "-c", "import sys; sys.path.insert(0, sys.argv.pop(1)); "),
        str(PROJECT),
    ]
    installed[2] += "from vault_cli.__main__ import main; sys.exit(main())"
    words = installed if start == "command" else ["-m", "vault_cli"]

    for argv in (("list",), ("log",), ("check",), ("render",), ("add", "fact", "--title", "x")):
        done = subprocess.run(
            [sys.executable, *words, *argv],
            cwd=root,
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr
    assert not canary.exists(), canary.read_text()


def test_nothing_we_make_is_open_to_others(tmp_path: Path, home: Path) -> None:
    """Even for who set a careless umask."""
    before = os.umask(0)
    try:
        root = make_vault(tmp_path, {"memories/a.md": FACT})
        run("list", cwd=root).ok()
        run("add", "fact", "--title", "Mine", "--body", "The host is red.", cwd=root).ok()
        run("trust", "--yes", cwd=root)
    finally:
        os.umask(before)
    places = [*(root / "drafts").rglob("*"), *(root / ".state").rglob("*"), root / ".state"]
    places += [path for path in (home / "mvault-state").rglob("*") if path.is_file()]
    assert len(places) >= 4
    open_to_others = [str(p) for p in places if stat.S_IMODE(p.stat().st_mode) & 0o022]
    assert open_to_others == []
    private = [root / ".state", *(root / ".state").glob("index*")]
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in private)


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="needs directory handles")
def test_a_folder_swapped_for_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    """Between the check and the opening of a file somebody may put a link in the way."""
    from vault_cli.errors import VaultError
    from vault_cli.store.files import read_file

    outside = tmp_path / "outside"
    root = tmp_path / "vault"
    write_files(outside, {"a.md": "OUTSIDE"})
    write_files(root, {"memories/a.md": "inside"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "memories").rename(root / "away")
            (root / "memories").symlink_to(outside)
            (root / "memories").unlink()
            (root / "away").rename(root / "memories")

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[bytes] = set()
    refused = 0
    try:
        for _ in range(3000):
            try:
                seen.add(read_file(root, "memories/a.md", 1000))
            except (VaultError, OSError):
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert seen <= {b"inside"}
    assert refused > 0, "nobody stood in the way: the test shows nothing"


NAMES = st.one_of(
    st.text(min_size=1, max_size=40).filter(lambda text: "\0" not in text),
    st.sampled_from(
        [
            "--output=x",
            "-rf",
            "--exec=touch x",
            ":(top)",
            ":!memories",
            "../../etc/passwd",
            "/etc/passwd",
            "HEAD:memories/a.md",
            "@{upstream}",
            "memories/../../x",
            "$(touch x)",
            "`touch x`",
            "..",
            ".git/config",
        ]
    ),
)
COMMANDS = ("show", "approve", "reject", "edit", "adopt", "log", "diff", "undo", "check", "revise")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES, command=st.sampled_from(COMMANDS), dashes=st.booleans())
def test_any_name_is_only_a_name(
    tmp_path_factory: pytest.TempPathFactory, name: str, command: str, dashes: bool
) -> None:
    """Whatever stands where an id, a path or a commit is expected reaches no file outside."""
    base = _base(tmp_path_factory)
    root = base / "vault"
    before = _bytes_outside(base)

    result = run(command, *(["--"] if dashes else []), name, cwd=root)

    assert result.code in {0, 1, 2, 3, 4, 5, 6, 7}, result.text
    assert "Traceback" not in result.text
    assert _bytes_outside(base) == before


_MADE: list[Path] = []


def _base(factory: pytest.TempPathFactory) -> Path:
    if not _MADE:
        base = factory.mktemp("names")
        make_vault(base, {"memories/a.md": FACT})
        write_files(base, {"outside/secret.md": "secret\n"})
        _MADE.append(base)
    return _MADE[0]


def _bytes_outside(base: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(base)): path.read_bytes()
        for path in sorted(base.rglob("*"))
        if path.is_file() and ".state" not in path.parts and ".git" not in path.parts
    }


def test_what_was_acknowledged_was_made_durable_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record, its folder and the objects of the commit are synced before success is said."""
    root = make_vault(tmp_path, {"memories/a.md": FACT})
    synced: list[str] = []
    original = os.fsync

    def record(handle: int) -> None:
        synced.append(os.path.realpath(f"/proc/self/fd/{handle}"))
        original(handle)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    monkeypatch.setattr(os, "fsync", record)
    made = run(
        "--json", "add", "fact", "--title", "Kept", "--body", "The host is red.", cwd=root
    ).ok()
    path = root / made.data["records"][0]["path"]
    assert str(path.parent) in synced
    assert any(Path(name).parent == path.parent for name in synced if name != str(path.parent))
    assert any("/objects/" in name for name in synced)


def test_the_network_is_never_used(tmp_path: Path) -> None:
    """Reading and changing a vault works in a namespace without any network."""
    unshare = ["unshare", "--user", "--map-root-user", "--net"]
    probe = subprocess.run([*unshare, "true"], check=False, capture_output=True)
    if probe.returncode != 0:
        pytest.skip("no network namespaces here")
    root = make_vault(tmp_path, {"memories/a.md": FACT})
    for argv in (
        ("render",),
        ("add", "fact", "--title", "x", "--body", "The host is red."),
        ("log",),
    ):
        done = subprocess.run(
            [*unshare, sys.executable, "-m", "vault_cli", *argv],
            cwd=root,
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr


def test_a_vault_nobody_may_write_is_read(tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"memories/a.md": FACT})
    expected = run("render", cwd=root).ok().out
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert run_real("render", cwd=root).ok().out == expected
        assert run_real("list", cwd=root).ok().out
        assert run_real("show", "f-0000001", cwd=root).ok().out
    finally:
        for path in [root, *root.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o700)
