"""`check --ci`: a whole vault and what a branch changes in it, for a pull request.

May import everything below `cli`. Nobody's trust settings count here: a clone on a build machine
admitted nothing, and what is asked is whether the branch may be merged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View, finding_lines
from vault_cli.cli.views import plural, summary_line
from vault_cli.errors import Diagnostic, NotFoundError, UsageError, VaultError
from vault_cli.features.graduating import check_drift

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

STYLES: Final = ("github", "gitlab", "text")
_LEVELS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_SEVERITIES: Final = {"error": "blocker", "warning": "major", "note": "info"}
_MARKER: Final = "mvault:begin"


def check_ci(
    inv: Invocation, found: Sequence[Diagnostic], counts: Iterable[bool], *, base: str, style: str
) -> int:
    """Say what keeps a branch from being merged; exit 1 when anything does.

    Args:
        inv: the run.
        found: the findings of the whole vault.
        counts: for each of them whether it makes a check fail.
        base: what the branch goes out from; "" finds it.
        style: `github`, `gitlab`, `text`; "" goes by the environment.

    Raises:
        UsageError: no such style, or no such base.
    """
    style = style or _style_here(inv)
    if style not in STYLES:
        raise UsageError(f"--annotate {style}: unknown", hint=f"Use {', '.join(STYLES)}.")
    bad = {item for item, is_bad in zip(found, counts, strict=True) if is_bad}
    repo = inv.vault.require_repo()
    start = _find_base(inv, repo, base)
    fresh = [
        *_branch_findings(inv, repo, start),
        *_budget_findings(inv),
        *_drift_findings(inv, repo),
        *check_drift(inv.whole_snapshot()),
    ]
    bad.update(item for item in fresh if item.severity != "note")
    every = sorted(dict.fromkeys((*found, *fresh)))
    prefix = f"{repo.prefix}/" if repo.prefix else ""
    data: dict[str, Any] = {"base": start, "problems": len(bad), "annotations": style}
    code = 1 if bad else 0
    raw = _annotated(every, bad, style, prefix)
    if raw is not None:
        note = f"compared with {start[:10] or 'nothing'}; {plural(len(bad), 'problem')}"
        return inv.out.show(
            View(data, raw=raw, diagnostics=every, notes=(note,), exit_code=code, listed=True)
        )

    def lines() -> Iterator[Line]:
        for item in every:
            yield from finding_lines(item)
        yield summary_line(every, holding=sum(item.severity == "warning" for item in bad))

    return inv.out.show(View(data, lines, None, every, exit_code=code, listed=True))


def _style_here(inv: Invocation) -> str:
    if inv.environ.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if inv.environ.get("GITLAB_CI") == "true" else "text"


def _find_base(inv: Invocation, repo: Repository, base: str) -> str:
    """Return the commit a branch goes out from; "" when nothing says it."""
    head = repo.head()
    environ = inv.environ
    named = environ.get("GITHUB_BASE_REF", "")
    likely = [
        base,
        environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
        f"refs/remotes/origin/{named}" if named else "",
        "refs/remotes/origin/HEAD",
    ]
    for text in filter(None, likely):
        done = repo.git.run("rev-parse", "--verify", "--quiet", f"{text}^{{commit}}", check=False)
        if not done.code:
            tip = done.out.decode("ascii").strip()
            return repo.merge_base(head, tip) or tip
        if base:
            raise NotFoundError(
                f"--base {base}: git does not know it here",
                hint="A shallow clone has few commits; fetch the branch it goes out from, too.",
            )
    return ""


def _branch_findings(inv: Invocation, repo: Repository, base: str) -> list[Diagnostic]:
    """Look at what the commits of a branch do: steps nobody may take, and secrets on the way."""
    from vault_cli.features.jumps import check_history

    if not base:
        text = "nothing says what this branch goes out from, so its steps were not looked at"
        hint = "Name it: mvault check --ci --base REV"
        return [Diagnostic("", 0, "no-base", "note", text, hint)]
    before = _texts_at(repo, base)
    steps = check_history(inv.whole_snapshot(), before)
    return [*steps, *_secrets_between(inv, repo, base)]


def _texts_at(repo: Repository, base: str) -> dict[str, bytes]:
    """Return what the base has of the records that are not the same now."""
    from vault_cli.store.history import read_files

    args = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=MD")
    out = repo.git.run(*args, base, repo.head()).out
    start = f"{repo.prefix}/" if repo.prefix else ""
    names = [name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name]
    own = [name for name in names if name.startswith(start) and name.endswith(".md")]
    return {
        path.removeprefix(start): data for path, data in read_files(repo.git, base, own).items()
    }


def _secrets_between(inv: Invocation, repo: Repository, base: str) -> Iterator[Diagnostic]:
    """Find secrets in every text the branch ever had: one that was removed again is out as well."""
    scope = ("--", repo.prefix) if repo.prefix else ()
    args = (
        "log", "--format=%x01%H", "--raw", "--no-abbrev", "--no-renames", "-z", "--diff-filter=AM",
        "-m", f"{base}..HEAD", *scope,
    )  # fmt: skip
    start = f"{repo.prefix}/" if repo.prefix else ""
    seen: dict[str, tuple[str, str]] = {}
    commit = ""
    tokens = iter(repo.git.run(*args).out.split(b"\0"))
    for token in tokens:
        facts = token.strip(b"\n")
        if b"\x01" in facts:
            commit = facts.split(b"\x01")[1][:40].decode("ascii", "replace")
            facts = facts.split(b"\n")[-1]
        if facts.startswith(b":"):
            blob = facts.split(b" ")[3].decode("ascii")
            path = next(tokens, b"").decode("utf-8", "surrogateescape").removeprefix(start)
            seen.setdefault(blob, (path, commit))
    screen = inv.vault.screen()
    for (path, where), data in zip(seen.values(), repo.read_blobs(list(seen)), strict=True):
        allowed = screen.allowed_before(path)
        for item in screen.secrets_in(data.decode("utf-8", "replace"), path):
            if item.code not in allowed:
                text = f"commit {where[:10]} of this branch has a secret: {item.message}"
                hint = "Do not merge: it would stay in history. Make the branch anew without it."
                yield Diagnostic(path, item.line, "secret-in-branch", "error", text, hint)


def _budget_findings(inv: Invocation) -> list[Diagnostic]:
    """Say what of the records in force has no room in a block any more."""
    from vault_cli.cli.rendering import Wanted, make_options, make_query, render_query

    wanted = Wanted()
    block = render_query(inv.whole_snapshot(), make_query(inv, wanted), make_options(inv, wanted))
    left = block.receipt.omitted
    if not left:
        return []
    text = f"{plural(left, 'record')} in force found no room in the block (render.budget)"
    hint = "Take records out of force, shorten them, or raise render.budget."
    return [Diagnostic("vault.toml", 0, "over-budget", "note", text, hint)]


def _drift_findings(inv: Invocation, repo: Repository) -> Iterator[Diagnostic]:
    """Say which committed files hold a block that is not what the vault says now."""
    from vault_cli.cli.rendering import Wanted, make_options, make_query, render_query
    from vault_cli.hosts.sinks import plan_managed_block

    out = repo.git.run("grep", "-lIz", "--fixed-strings", _MARKER, "HEAD", check=False).out
    names = [n.decode("utf-8", "surrogateescape").partition(":")[2] for n in out.split(b"\0") if n]
    own = f"{repo.prefix}/" if repo.prefix else ""
    files = [name for name in names if name.endswith(".md") and not _is_record(inv, name, own)]
    if not files:
        return
    wanted = Wanted()
    block = render_query(inv.whole_snapshot(), make_query(inv, wanted), make_options(inv, wanted))
    for name in files:
        path = Path(repo.place.work_tree, name)
        with suppress(VaultError):
            if plan_managed_block(path, block.text).changed:
                text = "the block in this file is not what the vault says now"
                hint = f"Run: mvault render --to {name}"
                yield Diagnostic(f"/{name}", 0, "block-drift", "warning", text, hint)


def _is_record(inv: Invocation, name: str, own: str) -> bool:
    from vault_cli.store.file_names import is_record_path

    inner = name.removeprefix(own)
    return name.startswith(own) and is_record_path(inner, inv.vault.config["files.ignore"])


def _annotated(
    found: Iterable[Diagnostic], bad: set[Diagnostic], style: str, prefix: str
) -> str | None:
    """Return the findings as a build service reads them; None for plain text."""
    if style == "github":
        return "".join(_github(item, prefix) for item in found)
    if style == "gitlab":
        listed = [_gitlab(item, prefix, is_bad=item in bad) for item in found]
        return json.dumps(listed, ensure_ascii=False, indent=1) + "\n"
    return None


def _place(item: Diagnostic, prefix: str) -> str:
    """Return the path in the repository; one outside of the vault begins with a slash."""
    if item.path.startswith("/"):
        return item.path[1:]
    return prefix + item.path if item.path else ""


def _github(item: Diagnostic, prefix: str) -> str:
    """One workflow command (docs.github.com: workflow commands, `::error file=,line=,title=::`)."""
    place = _place(item, prefix)
    parts = [f"file={_property(place)}"] if place else []
    parts += [f"line={item.line}"] if item.line and place else []
    parts += [f"title={_property(item.code)}"]
    text = f"{item.message} {item.hint}".strip()
    return f"::{_LEVELS[item.severity]} {','.join(parts)}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _gitlab(item: Diagnostic, prefix: str, *, is_bad: bool) -> dict[str, Any]:
    """One entry of a code quality report (docs.gitlab.com: code quality report format)."""
    place = _place(item, prefix) or "vault.toml"
    mark = hashlib.sha256(f"{item.code}\0{place}\0{item.message}".encode()).hexdigest()
    severity = _SEVERITIES[item.severity]
    return {
        "description": f"{item.message} {item.hint}".strip(),
        "check_name": item.code,
        "fingerprint": mark,
        "severity": severity if is_bad or severity == "info" else "minor",
        "location": {"path": place, "lines": {"begin": max(1, item.line)}},
    }
