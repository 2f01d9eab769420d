"""Which project the working directory belongs to, and on which branch; git is not started.

The id is a remote as `host/owner/name`: two checkouts of one project agree on it, whatever way
its address is spelt. It never holds a path of this machine, a user name or a password.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote

from vault_cli.errors import UsageError
from vault_cli.store.places import PROJECT_FOLDER, real_path
from vault_cli.text.late import late

_URL: Final = late(r"([a-z][a-z0-9+.-]*)://([^/?#\\]*)/([^?#]*)", re.IGNORECASE | re.DOTALL)
_SCP: Final = late(r"((?:[^@/\\:\[\]]+@)?(?:\[[^\]/\\]+\]|[^:/\\@\[\]]+)):(?!//|:)(.*)", re.DOTALL)
_SCHEMES: Final = frozenset({"http", "https", "ssh", "git", "git+ssh", "ssh+git", "git+https"})
_ALIASES: Final = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
"""Hosts that serve the same repositories under a second name (ssh through port 443)."""

_HOST: Final = late(r"[^\s/@:\\]+|\[[0-9a-f:.]+\]")
_PORT: Final = late(r":\d*$")
_LONGEST: Final = 300
_MOST: Final = 1 << 18

_SECTION: Final = late(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$')
_ENTRY: Final = late(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*?)\s*$")
_PIECE: Final = late(r'"((?:[^"\\]|\\.)*)"|([^"#;]+)|[#;].*$|"')


class Checkout(NamedTuple):
    """The repository a folder belongs to.

    Args:
        top: its top folder.
        git_dir: what holds HEAD of this work tree.
        common_dir: what holds the configuration.
    """

    top: Path
    git_dir: Path
    common_dir: Path


def project_id(cwd: Path, vault: Path, *, remote: str = "") -> str:
    """Return the id of the checkout that holds `cwd`, "" when there is none or it has no remote.

    Args:
        cwd: working directory.
        vault: root of the vault; a repository that is the vault itself is no project.
        remote: name of the remote that counts; "" takes `origin`, else the first there is.
    """
    checkout = find_checkout(cwd, vault)
    if checkout is None:
        return ""
    remotes = read_remotes(checkout.common_dir / "config")
    first = next(iter(remotes.values()), "")
    return normal_url(remotes.get(remote, "") if remote else remotes.get("origin", first))


def find_checkout(cwd: Path, vault: Path) -> Checkout | None:
    """Return the repository whose files `cwd` stands among; of a submodule the outermost one.

    A submodule is a part of the project that holds it: what is true of the project is true in
    there, and its project vault is the one found on the way up.
    """
    found = None
    own_vault = vault.name != PROJECT_FOLDER
    for folder in (cwd, *cwd.parents):
        marker = folder / ".git"
        if not marker.exists() or (folder == vault and not own_vault):
            continue
        if folder == vault:
            return found
        git_dir = _git_dir(marker)
        found = Checkout(folder, git_dir, _common_dir(git_dir))
        if "modules" not in git_dir.parts:
            return found
    return found


def project_top(cwd: Path) -> Path:
    """Return the top folder of the project at hand: the checkout, else the working directory."""
    found = find_checkout(cwd, cwd / PROJECT_FOLDER)
    return found.top if found else cwd


def find_branch(cwd: Path, vault: Path) -> str:
    """Return the branch that is checked out where `cwd` is.

    Returns:
        Its short name, as somebody else may have chosen it; "" for a detached HEAD, no
        repository, or a reference storage that only git can read.
    """
    checkout = find_checkout(cwd, vault)
    if checkout is None:
        return ""
    head = _read(checkout.git_dir / "HEAD").strip()
    name = head.removeprefix("ref: refs/heads/")
    return "" if name in {head, ".invalid"} or "\n" in name else name


def _git_dir(marker: Path) -> Path:
    if marker.is_dir():
        return marker
    named = _read(marker).partition("gitdir:")[2].strip()
    return real_path(marker.parent / named) if named else marker


def _common_dir(git_dir: Path) -> Path:
    """Return the folder of the configuration: of a linked worktree it is another one."""
    common = _read(git_dir / "commondir").strip()
    return real_path(git_dir / common) if common else git_dir


def read_remotes(config: Path) -> dict[str, str]:
    """Return the first URL of each remote in a git configuration file, in the file's order."""
    found: dict[str, str] = {}
    name = ""
    for line in _read(config).replace("\\\n", "").splitlines():
        section = _SECTION.match(line)
        if section:
            name = _unescape(section[2] or "") if section[1].lower() == "remote" else ""
        entry = _ENTRY.match(section[3] if section else line)
        if name and entry and entry[1].lower() == "url":
            found.setdefault(name, _value(entry[2]))
    return found


def _value(text: str) -> str:
    """Return a value of git's configuration without its quotes and its comment."""
    pieces = [match[1] if match[1] is not None else match[2] for match in _PIECE.finditer(text)]
    return _unescape("".join(piece for piece in pieces if piece)).strip()


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:_MOST].decode("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return ""


def normal_url(url: str) -> str:
    """Return `host/owner/name` of a remote URL.

    Scheme, user, password, port, `.git` and what follows `?` or `#` play no part; the host is
    lower case. The letter case of the path counts: some hosts tell `Web` from `web`.

    Returns:
        "" for a local path, a remote helper, and what does not look like an address.
    """
    text = re.split(r"[?#]", url.strip(), maxsplit=1)[0]
    found = _URL.fullmatch(text)
    if found is not None:
        known = found[1].lower() in _SCHEMES
        return _joined(_host(found[2]), unquote(found[3])) if known else ""
    scp = _SCP.fullmatch(text)
    if scp is None or len(scp[1]) == 1:  # a path, or a drive of Windows
        return ""
    return _joined(_host(scp[1]), scp[2])


def _host(authority: str) -> str:
    """Return the host of `user:password@host:port`, also of `[user@host:port]`; "" for none."""
    bare = authority.rpartition("@")[2] if not authority.startswith("[") else authority
    if bare.startswith("["):
        inner = bare[1:].partition("]")[0]
        if inner.count(":") > 1:  # an address of IPv6
            return f"[{inner.lower()}]"
        bare = inner.rpartition("@")[2]
    return _PORT.sub("", bare).lower().rstrip(".")


def _joined(host: str, path: str) -> str:
    name = _ALIASES.get(host, host)
    parts = [part for part in path.split("/") if part]
    if name == "dev.azure.com":
        parts = [part for place, part in enumerate(parts) if (place, part) != (0, "v3")]
        parts = [part for part in parts if part != "_git"]
    if not parts or not _HOST.fullmatch(name) or {".", ".."} & set(parts):
        return ""
    parts[-1] = parts[-1].removesuffix(".git")
    result = "/".join((name, *filter(None, parts)))
    odd = {"\\", "@"} & set(result) or not result.isprintable() or any(map(str.isspace, result))
    return "" if odd or "/" not in result or len(result) > _LONGEST else result


def named_project(text: str, where: str) -> str:
    """Return a project id that somebody typed or configured.

    An address becomes its id, so that no password gets into a record.

    Args:
        text: what was typed.
        where: what it was given with, for the message.

    Raises:
        UsageError: it is a path of this machine, or no name.
    """
    wanted = text.strip()
    if not wanted:
        return ""
    if "://" in wanted or re.match(r"[^/\s]+@[^/\s]+:", wanted):
        found = normal_url(wanted)
        if found:
            return found
    is_path = wanted.startswith(("/", "~", ".", "\\")) or re.match(r"[A-Za-z]:|file:", wanted)
    odd = "\\" in wanted or "@" in wanted or not wanted.isprintable() or len(wanted) > _LONGEST
    if is_path or odd or "://" in wanted or any(map(str.isspace, wanted)):
        raise UsageError(
            f"{where}: that is no name of a project",
            hint="Give the remote as host/owner/name, or a plain name; never a path.",
        )
    return wanted
