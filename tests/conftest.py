"""The hermetic environment of every test: no setting of the machine reaches the product."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from helpers import NOW, PREPARED, Golden

_KEPT = ("PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Variables that only find programs; everything else is set here or absent."""

_GIT_CONFIG = """\
[user]
\tname = Test Person
\temail = person@example.invalid
[init]
\tdefaultBranch = main
[core]
\tautocrlf = false
[commit]
\tgpgsign = false
"""

_USER_CONFIG = """\
[trust]
approve_without_terminal = ["person"]
"""


# The same examples in every run, so that a red run says something about the change at hand;
# `HYPOTHESIS_PROFILE=explore` looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`."""
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files instead of comparing"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers."""
    config.addinivalue_line("markers", "slow: takes seconds (kill and concurrency cases)")
    is_worker = hasattr(config, "workerinput")  # of xdist: it is told a folder
    asked = config.getoption("basetemp") or "PYTEST_DEBUG_TEMPROOT" in os.environ
    if not is_worker and not asked and _has_room_in_memory():
        folder = tempfile.mkdtemp(prefix="mvault-tests-", dir=_MEMORY)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        # Not `shutil.rmtree`: some tests leave folders deeper than Python may recurse.
        config.add_cleanup(lambda: subprocess.run(["rm", "-rf", folder], check=False))


_MEMORY = Path("/dev/shm")
_ROOM = 8 << 30
"""The vaults of all tests take 1 GiB; a file system in memory takes it from the programs."""


def _has_room_in_memory() -> bool:
    """Whether the vaults of the tests may lie in memory, as a disk spends minutes on their names.

    They are gone after the run; with `--basetemp` they lie where it says and stay.
    """
    limit = Path("/sys/fs/cgroup/memory.max")
    try:
        known = Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]
        most = limit.read_text().strip() if limit.exists() else "max"
        space = os.statvfs(_MEMORY)
    except (OSError, IndexError):
        return False
    enough = int(known) * 1024 >= _ROOM and (most == "max" or int(most) >= _ROOM)
    return enough and space.f_bavail * space.f_frsize >= _ROOM and os.access(_MEMORY, os.W_OK)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Clear the environment and give the test a home of its own; return it."""
    place = tmp_path_factory.mktemp("home")
    work = place / "work"
    work.mkdir()
    (place / "gitconfig").write_text(_GIT_CONFIG)
    (place / "mvault.toml").write_text(_USER_CONFIG)
    temporary = place / "tmp"
    temporary.mkdir()
    for name in list(os.environ):
        if name.upper() not in _KEPT and not name.startswith(("PYTEST_", "COV_", "COVERAGE_")):
            monkeypatch.delenv(name)
    settings = {
        "HOME": str(place),
        "USERPROFILE": str(place),
        "XDG_CONFIG_HOME": str(place / "config"),
        "XDG_DATA_HOME": str(place / "data"),
        "XDG_CACHE_HOME": str(place / "cache"),
        "XDG_STATE_HOME": str(place / "state"),
        "TMPDIR": str(temporary),
        "MVAULT_STATE_DIR": str(place / "mvault-state"),
        "MVAULT_CONFIG": str(place / "mvault.toml"),
        "MVAULT_NOW": NOW,
        "GIT_CONFIG_GLOBAL": str(place / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(place),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work)
    PREPARED.plain = PREPARED.surroundings()
    return place


@pytest.fixture(scope="session", autouse=True)
def _quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Spend no time on what no test of this process asks about.

    `os.fsync` waits for the disk, and whether it did can only be seen after a power failure; that
    it is called is tested where it matters. The garbage collector would go through all modules
    and tests over and over; the program itself runs without it.
    """
    PREPARED.folder = tmp_path_factory.mktemp("prepared") / "vault"
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare text with a golden file; see `helpers.Golden`."""
    return Golden(update=bool(request.config.getoption("--update-golden")))
