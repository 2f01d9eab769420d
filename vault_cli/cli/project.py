"""Which project the working directory belongs to, read without starting git. Standard library.

The id is the remote `origin` as `host/owner/name`; two checkouts of one project agree on it.
"""

from __future__ import annotations

import re
from pathlib import Path

_REMOTE = re.compile(r'\s*\[remote "origin"\]\s*$')
_URL = re.compile(r"\s*url\s*=\s*(.+?)\s*$")
_SCP = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!/)(.+)")
_HTTP = re.compile(r"[a-z+]+://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)")
_MOST = 1 << 18


def project_id(cwd: Path, vault: Path) -> str:
    """Return the id of the checkout that holds `cwd`, "" when there is none or it has no remote.

    Args:
        cwd: working directory.
        vault: root of the vault; a repository that is the vault itself is no project.
    """
    for folder in (cwd, *cwd.parents):
        marker = folder / ".git"
        if marker.exists():
            return "" if folder == vault else normal_url(_origin(_git_dir(marker) / "config"))
    return ""


def _git_dir(marker: Path) -> Path:
    """Return the folder of the configuration, also for a worktree or a submodule."""
    if marker.is_dir():
        return marker
    named = _read(marker).partition("gitdir:")[2].strip()
    folder = (marker.parent / named).resolve() if named else marker
    common = _read(folder / "commondir").strip()
    return (folder / common).resolve() if common else folder


def _origin(config: Path) -> str:
    inside = False
    for line in _read(config).splitlines():
        if line.lstrip().startswith("["):
            inside = bool(_REMOTE.match(line))
        elif inside and (found := _URL.match(line)):
            return found[1]
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:_MOST].decode("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return ""


def normal_url(url: str) -> str:
    """Return `host/owner/name` of a remote URL, "" when it has no host (a local path)."""
    found = _HTTP.fullmatch(url) or _SCP.fullmatch(url)
    if found is None:
        return ""
    path = found[2].strip("/").removesuffix(".git")
    return f"{found[1].lower()}/{path}" if path else ""
