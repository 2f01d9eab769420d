"""From options to a block: what `render` and `diff` share. May import `recall`, `store`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line, inline
from vault_cli.errors import UsageError
from vault_cli.store.places import PROJECT_FOLDER

if TYPE_CHECKING:
    from vault_cli.cli.invocation import Invocation
    from vault_cli.model.record import Record, Snapshot
    from vault_cli.recall.render import Block, RenderOptions
    from vault_cli.recall.select import Exclusion, FindStale, Query

LEVELS = ("global", "project", "session")
_MODES = ("assist", "strict", "off")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line; None or empty means: as configured."""

    mode: str = ""
    query: str = ""
    budget: int | None = None
    unit: str = ""
    scopes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    session: str = ""
    project: str | None = None
    moment: datetime | None = None


def render_query(snapshot: Snapshot, query: Query, options: RenderOptions) -> Block:
    """Select and render one snapshot, as a query and options say."""
    from vault_cli.recall.render import render_block
    from vault_cli.recall.select import select_records

    selection = select_records(snapshot, query)
    return render_block(selection, query, options, len(snapshot.unreadable))


def make_query(inv: Invocation, wanted: Wanted) -> Query:
    """Return the query: what was asked for, else what is configured.

    Raises:
        UsageError: an unknown scope or mode.
    """
    from vault_cli.cli.project import find_branch, named_project
    from vault_cli.recall.select import Query

    if wanted.mode and wanted.mode not in _MODES:
        raise UsageError(f"--mode {wanted.mode}: unknown", hint=f"Use {', '.join(_MODES)}.")
    config = inv.reading.config
    levels, project, session = split_scopes(wanted.scopes)
    named = wanted.project if wanted.project is not None else project
    if named:
        named = named_project(named, "--project" if wanted.project else "--scope")
    return Query(
        now=wanted.moment or inv.now,
        text=wanted.query,
        mode=wanted.mode or str(config["render.mode"]),
        scopes=levels or tuple(config["render.scopes"]),
        project=named or find_project(inv),
        session=wanted.session or session,
        topics=wanted.topics,
        kinds=wanted.kinds,
        branch=find_branch(inv.cwd, inv.layers.home),
        curve=str(config["decay.curve"]),
        find_stale=stale_port(inv),
    )


def stale_port(inv: Invocation) -> FindStale:
    """Return what a render asks about the code of records; nobody looks before it asks."""

    def find_stale(records: Sequence[Record]) -> set[tuple[str, str]]:
        from vault_cli.cli.checkout import AnchorReader

        reader = AnchorReader(inv, find_project)
        return {(record.vault, record.path) for record in reader.find_stale(records)}

    return find_stale


def make_options(inv: Invocation, wanted: Wanted) -> RenderOptions:
    """Return how to render: what was asked for, else what is configured."""
    from vault_cli.recall.render import RenderOptions

    config = inv.reading.config
    return RenderOptions(
        budget=int(config["render.budget"]) if wanted.budget is None else wanted.budget,
        unit=wanted.unit or str(config["render.unit"]),
        order=tuple(config["render.order"]),
        quotas=dict(config["render.quotas"]),
    )


def split_scopes(scopes: Sequence[str]) -> tuple[tuple[str, ...], str, str]:
    """Return the levels, the project and the session that `--scope` options name.

    Raises:
        UsageError: one of them is not a scope.
    """
    levels, names = [], {"project": "", "session": ""}
    for text in scopes:
        level, _, name = text.strip().partition(":")
        if level not in LEVELS or (level == "global" and name):
            raise UsageError(
                f"unknown scope: {text}",
                hint="Use global, project, session, project:<id> or session:<id>.",
            )
        levels.append(level)
        if name:
            names[level] = name
    return tuple(dict.fromkeys(levels)), names["project"], names["session"]


def find_project(inv: Invocation) -> str:
    """Return the project id of the working directory.

    It is `$MVAULT_PROJECT`, else the git remote, else the name that the project vault gives.

    Raises:
        UsageError: `$MVAULT_PROJECT` is a path, or no name.
    """
    from vault_cli.cli.project import named_project, project_id

    named = named_project(inv.environ.get("MVAULT_PROJECT", ""), "$MVAULT_PROJECT")
    if named:
        return named
    root, config = inv.layers.home, inv.reading.config
    found = project_id(inv.cwd, root, remote=str(config["project.remote"]))
    home = inv.reading.home
    if found or home is None or home.config.origin("vault.project") != "vault":
        return found
    from vault_cli.store.layers import find_user_vault, is_same_folder

    user = find_user_vault()
    if user is not None and is_same_folder(user, root):  # one name for every folder is none
        return ""
    return str(home.config["vault.project"]).strip()


def scope_here(inv: Invocation, text: str, option: str = "--scope") -> str:
    """Return a scope as it is stored: `project` alone is the project at hand.

    Raises:
        UsageError: there is none, or the project is named by a path.
    """
    from vault_cli.cli.project import named_project

    level, _, name = text.strip().partition(":")
    if level != "project":
        return text
    found = named_project(name, option) if name.strip() else find_project(inv)
    if not found:
        raise UsageError(
            f"{option} project: this folder belongs to no project with a remote or a name",
            hint=f"Name it: {option} project:<id>; or set vault.project in the project vault.",
        )
    return f"project:{found}"


def scope_of(inv: Invocation, folders: Collection[str]) -> str:
    """Return the scope of what was seen in some folders: of one project, or everywhere.

    What was seen in a project needs no other scope in the vault of that project.

    Args:
        inv: the run.
        folders: absolute, "" for one that is not known.
    """
    if not folders or not all(folders):
        return "global"
    found = {_project_of(inv, Path(folder)) for folder in folders}
    project = found.pop() if len(found) == 1 else ""
    is_own = inv.root.name == PROJECT_FOLDER and project == _project_of(inv, inv.root.parent)
    return f"project:{project}" if project and not is_own else "global"


def _project_of(inv: Invocation, folder: Path) -> str:
    """Return the project id of a folder, "" for none."""
    from vault_cli.cli.project import find_checkout, project_id

    home = inv.layers.home
    here, there = find_checkout(inv.cwd, home), find_checkout(folder, home)
    if here is not None and there is not None and there.top == here.top:
        return find_project(inv)
    return project_id(folder, home, remote=str(inv.reading.config["project.remote"]))


def place_data(inv: Invocation) -> dict[str, str]:
    """Return which project and branch the working directory stands in, "" for none."""
    from vault_cli.cli.project import find_branch

    return {"project": find_project(inv), "branch": find_branch(inv.cwd, inv.layers.home)}


def other_lines(data: Mapping[str, Any]) -> Iterator[Line]:
    """Yield what `status` says about the other vault and the project at hand."""
    other = data["other_vault"]
    if other is not None:
        yield [("dim", f"{other['name']} vault: "), other["vault"]]
        if other["read"]:
            counts = other["counts"]
            shown = f"{counts['records']} records, {counts['in_force']} in force"
            waiting = f"; {counts['drafts']} to review" if counts["drafts"] else ""
            yield f"  read beside: {shown}{waiting}"
        if other["problem"]:
            word = "settings" if other["read"] else "not read"
            yield [("yellow", f"  {word}: {inline(other['problem'])}")]
    if data["project"]:
        branch = f" (branch {inline(data['branch'])})" if data["branch"] else ""
        yield [("dim", "project: "), inline(data["project"]) + branch]


_WHY = {
    "scope": "of another scope",
    "branch": "for another branch",
    "kind": "of a kind shown on request",
    "topic": "of other topics",
    "scheduled": "not yet valid",
    "expired": "expired",
    "ambiguous": "with an id that stands twice",
    "held": "held",
    "trust": "kept out by your trust settings",
    "shadowed": "of an id that the other vault has",
    "superseded": "superseded by the other vault",
}


def count_aside(excluded: Iterable[Exclusion]) -> dict[str, int]:
    """Return how many records in force do not apply here, by the code of the reason."""
    counts = Counter(item.code for item in excluded)
    known = {code: counts.pop(code) for code in _WHY if code in counts}
    return {**known, **dict(sorted(counts.items()))}


def aside_text(counts: Mapping[str, int]) -> str:
    """Return the same in words: `2 of another scope, 1 expired`; "" when all apply."""
    return ", ".join(f"{number} {_WHY.get(code, code)}" for code, number in counts.items())
