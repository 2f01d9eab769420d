"""`init`: make a folder a vault. May import everything below `cli`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vault_cli.cli.invocation import Invocation
from vault_cli.cli.output import Line, View
from vault_cli.cli.views import plural, shown_path
from vault_cli.errors import StoreError, UsageError
from vault_cli.store.places import PROJECT_FOLDER, expand_home, user_folder

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

OWN, IN, FOUND = "own-repo", "in-repo", "found"


@dataclass(frozen=True, slots=True)
class Setup:
    """What `init` is going to do.

    Args:
        root: the vault's folder.
        kind: OWN (git init there), IN (part of the enclosing repository), FOUND (git holds it).
        outer: work tree of the enclosing repository, None when there is none.
        files: new bytes by path; old: bytes found ("" = none).
    """

    root: Path
    kind: str
    outer: Path | None
    files: Mapping[str, bytes]
    old: Mapping[str, bytes]


def init(
    ctx: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="Folder (default: --vault, else this one).")
    ] = "",
    own_repo: Annotated[
        bool, typer.Option("--own-repo", help="Inside another repository: make an own one here.")
    ] = False,
    in_repo: Annotated[
        bool,
        typer.Option(
            "--in-repo", "--in-project", help="Inside another repository: be a folder of it."
        ),
    ] = False,
    user: Annotated[
        bool,
        typer.Option("--user", help="Your own vault, which counts in every project."),
    ] = False,
) -> int:
    """Make a folder a vault: vault.toml, git, and what editors and git need.

    Notes that are there already stay as they are and are listed. Running it again is safe.

    Examples:
      mvault init
      mvault init --user
      mvault init ~/memory
      mvault init docs/memory --in-repo
    """
    inv: Invocation = ctx.obj
    if own_repo and in_repo:
        raise UsageError("--own-repo and --in-repo exclude each other")
    if user and (path or inv.options.vault or in_repo):
        raise UsageError(
            "--user says where the vault is", hint="Run `mvault init --user` without a folder."
        )
    root = _target(inv, str(user_folder("data")) if user else path)
    choice = OWN if own_repo else IN if in_repo else ""
    setup = _plan(inv, root, choice)
    if inv.options.dry_run:
        return _preview(inv, setup)
    return _carry_out(inv, setup)


def _target(inv: Invocation, path: str) -> Path:
    text = path or inv.options.vault
    root = (inv.cwd / expand_home(text)) if text else inv.cwd
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is not a folder")
    inner = root / PROJECT_FOLDER
    if (inner / "vault.toml").is_file() and not (root / "vault.toml").is_file():
        shown = shown_path(inner.absolute())
        raise UsageError(
            f"{shown} is the project vault here; one beside it would hide it",
            hint=f"For that one: mvault init {shown}",
        )
    return shown_path(root.absolute())


def _plan(inv: Invocation, root: Path, choice: str) -> Setup:
    kind, outer = _repository_kind(inv, root, choice)
    from vault_cli.cli.scaffold import vault_files

    old = {name: _read(root / name) for name in vault_files({})}
    files = {name: data for name, data in vault_files(old).items() if data != old[name]}
    return Setup(root, kind, outer, files, old)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error


def _repository_kind(inv: Invocation, root: Path, choice: str) -> tuple[str, Path | None]:
    """Say which set-up is made; inside another repository it has to be chosen."""
    repo = _find_repository(root)
    if repo is None:
        if choice == IN:
            raise UsageError(f"--in-repo: {root} is not inside a git repository")
        return OWN, None
    if root.is_dir() and repo.is_own:
        return FOUND, None
    if (root / "vault.toml").is_file() and not choice:
        return FOUND, None
    return choice or _ask_kind(inv, root), _work_tree(root)


def _find_repository(root: Path) -> Repository | None:
    from vault_cli.store.repo import Repository

    folder = next(place for place in (root, *root.parents) if place.is_dir())
    return Repository.find(folder)


def _work_tree(root: Path) -> Path | None:
    return next((place for place in root.parents if (place / ".git").exists()), None)


def _ask_kind(inv: Invocation, root: Path) -> str:
    outer = _work_tree(root) or root.parent
    if not inv.has_terminal:
        raise UsageError(
            f"{root} lies inside the git repository {outer}; say which set-up is wanted",
            hint="Use --own-repo for a repository of its own here; --in-repo makes the vault a"
            f" folder of {outer.name}, and commits touch only the vault's files.",
        )
    inv.out.say(f"{root} lies inside the git repository {outer}.")
    inv.out.say("  own: a repository of its own here, which the outer one should ignore")
    inv.out.say("  in:  a folder of the outer repository; commits touch only the vault's files")
    answer = inv.out.ask("Which? [own/in] ").lower()
    if answer not in ("own", "in"):
        raise UsageError("no vault was made: neither own nor in was answered")
    return OWN if answer == "own" else IN


def _preview(inv: Invocation, setup: Setup) -> int:
    from vault_cli.cli.preview import diff_lines, plain

    lines: list[Line] = []
    for name, data in setup.files.items():
        lines.extend(diff_lines(setup.old[name], data, name if setup.old[name] else "", name))
    answer = {**_data(setup), "dry_run": True, "diff": plain(lines)}
    return inv.out.show(
        View(
            answer,
            lambda: lines,
            notes=(f"dry run, nothing written: {_describe(setup)}, {setup.root}",),
        )
    )


def _data(setup: Setup) -> dict[str, Any]:
    from vault_cli.cli.preview import answer_data

    return {
        **answer_data("init", "init: files of the vault", setup.files),
        "vault": str(setup.root),
        "repository": setup.kind,
    }


def _describe(setup: Setup) -> str:
    how = {
        OWN: "an own git repository",
        IN: f"a folder of the repository {setup.outer}",
        FOUND: "the git repository that holds it already",
    }
    return f"vault in {how[setup.kind]}"


def _carry_out(inv: Invocation, setup: Setup) -> int:
    from vault_cli.store.repo import Repository

    made = _make_folder(setup.root)
    repo = Repository.create(setup.root) if setup.kind == OWN else Repository.find(setup.root)
    if repo is None:
        raise StoreError(f"git does not find the repository of {setup.root}")
    if not setup.files:
        return _answer(inv, setup, repo, "", ["nothing to do: this is a vault already"])
    try:
        repo.require_identity()
    except StoreError:
        _take_back(setup, repo, made)
        raise
    was_vault = bool(setup.old["vault.toml"] or (repo.head() and repo.read_head(["vault.toml"])))
    commit = _write(inv, setup)
    if not was_vault:
        _note_made(inv, setup)
    notes = [_describe(setup), f"wrote {', '.join(sorted(setup.files))} (commit {commit[:10]})"]
    return _answer(inv, setup, repo, commit, notes)


def _note_made(inv: Invocation, setup: Setup) -> None:
    """Remember who made this vault, unless something was in force in it before.

    What came with a repository waits for `mvault trust`, also when it came without a vault.toml.
    In a repository that something can come into only a person's word counts: else `init` would
    stand for `trust`.
    """
    from vault_cli.model.lifecycle import Actor
    from vault_cli.store.git_place import find_place
    from vault_cli.store.policy import has_other_side, note_made_here
    from vault_cli.store.vault import Vault

    root, place = setup.root, find_place(setup.root)
    consent = inv.consent(yes=True)
    by_person = bool(consent.how) and consent.actor is Actor.PERSON
    if not by_person and place is not None and has_other_side(place):
        return
    vault = Vault.open(root, environ=inv.environ, lenient=True)
    if not any(record.in_force for record in vault.snapshot(whole=False).records):
        note_made_here(root, by_person=by_person or setup.kind == OWN)


def _make_folder(root: Path) -> list[Path]:
    """Make a folder; return those that were not there, the deepest first."""
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {root}: {error.strerror}") from error
    return made


def _take_back(setup: Setup, repo: Repository, made: Sequence[Path]) -> None:
    """Remove the repository and the folders that a run made which could write nothing."""
    if setup.kind == OWN and not repo.head():
        shutil.rmtree(setup.root / ".git", ignore_errors=True)
    with suppress(OSError):  # somebody put something there meanwhile
        for folder in made:
            folder.rmdir()


def _write(inv: Invocation, setup: Setup) -> str:
    """Write the files through the gate and return the commit that holds exactly these."""
    from vault_cli.features.records import digest_of
    from vault_cli.model.change import ABSENT, Change, Put
    from vault_cli.store.vault import Vault

    edits = tuple(
        Put(name, data, digest_of(setup.old[name]) if setup.old[name] else ABSENT)
        for name, data in setup.files.items()
    )
    consent = inv.consent(yes=True)
    actor = consent.actor if consent.how else inv.actor
    change = Change("init", ": files of the vault", edits, actor=actor)
    return Vault.open(setup.root, environ=inv.environ).apply(change).commit


def _first_steps(inv: Invocation, root: Path) -> Iterator[str]:
    """Yield what to do in a new vault, as it can be typed where the person stands."""
    from shlex import quote

    is_home = root == _target(inv, str(user_folder("data")))
    reach = root.parent if root.name == PROJECT_FOLDER else root
    is_found = is_home or inv.cwd.is_relative_to(reach)
    go = "" if is_found else f"`cd {quote(os.path.relpath(root, inv.cwd))}`, "
    yield f"Begin with {go}`mvault add note --title …`, then `mvault review`."
    if is_home or root.name == PROJECT_FOLDER:
        yield "`mvault install HOST` (claude-code, codex, …) lets an agent program read it."


def _answer(inv: Invocation, setup: Setup, repo: Repository, commit: str, notes: list[str]) -> int:
    waiting = [change.path for change in repo.pending() if change.path.endswith(".md")]
    hints = []
    if setup.kind == OWN and setup.outer is not None:
        line = f"/{setup.root.relative_to(setup.outer).as_posix()}/"
        place = setup.outer / ".gitignore"
        hints.append(f"Tell the outer repository to ignore it: add {line} to {place}")
    if waiting:
        notes.append(f"{plural(len(waiting), 'note')} found, left as they are:")
        notes.extend(f"  {path}" for path in waiting)
        hints.append("`mvault adopt PATH` takes a note in; `mvault check` looks at all of them.")
    elif commit:
        hints += _first_steps(inv, setup.root)
    is_done = bool(commit)
    data = {**_data(setup), "changed": is_done, "applied": is_done, "commit": commit}
    data["pending"] = waiting
    return inv.out.show(View(data, lambda: [str(setup.root)], None, (), notes, hints))
