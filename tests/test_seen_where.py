"""What was seen in one project holds there; what was seen in several, or nobody knows where, everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import git, make_vault, run
from test_capture import claude_log

SAID = pytest.mark.parametrize(
    "said", ["No, that's wrong, always use make test here.", "不对，这里一律用 make test。"]
)
ERRORS = pytest.mark.parametrize(
    "error", ["npm error: no executable", "npm 错误：找不到可执行文件"]
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path)


def project(parent: Path, name: str, *, remote: bool = True) -> Path:
    folder = parent / name
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "--quiet")
    if remote:
        git(folder, "remote", "add", "origin", f"https://github.com/acme/{name}.git")
    return folder


def draft_of(vault: Path, *argv: str | Path) -> str:
    """The scope of the draft that a command made."""
    done = run("--vault", vault, "--json", *argv).ok()
    rows = done.data.get("proposals") or done.data["records"]
    return str(run("--vault", vault, "--json", "show", rows[0]["id"]).ok().data["scope"])


def seen(vault: Path, logs: Path, said: str, *folders: Path | str) -> str:
    for number, folder in enumerate(folders):
        claude_log(logs / f"s-{number}.jsonl", "go", said, cwd=str(folder))
    run("--vault", vault, "capture", "sessions", logs).ok()
    (row,) = run("--vault", vault, "--json", "capture", "list").ok().data["items"]
    return str(row["id"])


@SAID
@pytest.mark.parametrize(
    ("names", "scope"),
    [
        (("web/src", "web"), "project:github.com/acme/web"),
        (("web", "shop"), "global"),
        (("web", ""), "global"),
        (("plain",), "global"),
        (("gone",), "global"),
    ],
)
def test_a_draft_of_a_correction(
    vault: Path, tmp_path: Path, said: str, names: tuple[str, ...], scope: str
) -> None:
    work = tmp_path / "work"
    project(work, "web")
    project(work, "shop")
    project(work, "plain", remote=False)
    item = seen(vault, tmp_path / "logs", said, *(work / name if name else "" for name in names))
    words = ("--title", said[:20], "--body", said)
    shown = run("--vault", vault, "--json", "--dry-run", "capture", "draft", item, *words).ok().data
    assert f"+scope: {scope}\n" in shown["diff"]
    assert draft_of(vault, "capture", "draft", item, *words) == scope


@SAID
def test_who_names_a_scope_is_heard(vault: Path, tmp_path: Path, said: str) -> None:
    item = seen(vault, tmp_path / "logs", said, project(tmp_path, "web"))
    argv = ("capture", "draft", item, "--title", said[:20], "--body", said, "--scope", "global")
    assert draft_of(vault, *argv) == "global"


def fail(vault: Path, error: str, *folders: Path | str) -> None:
    rows: list[dict[str, Any]] = [
        {
            "tool": "Bash",
            "exit": 1,
            "error": error,
            "command": "npx tsc",
            "session": f"{n}",
            "cwd": str(f),
        }
        for n, f in enumerate(folders)
    ]
    path = vault.parent / "failures.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("--vault", vault, "guard", "failures", "--from", path).ok()


@ERRORS
@pytest.mark.parametrize("other", ["web/src", "shop", ""])
def test_a_guard_of_a_failure(vault: Path, tmp_path: Path, error: str, other: str) -> None:
    web = project(tmp_path, "web")
    project(tmp_path, "shop")
    fail(vault, error, web, web, web, tmp_path / other if other else "")
    wanted = "project:github.com/acme/web" if other == "web/src" else "global"
    assert draft_of(vault, "guard", "propose") == wanted


@ERRORS
def test_a_projects_own_vault_needs_no_other_scope(tmp_path: Path, error: str) -> None:
    web = project(tmp_path, "web")
    run("init", ".mvault", "--in-repo", cwd=web).ok()
    fail(web / ".mvault", error, web, web, web)
    done = run("--json", "guard", "propose", cwd=web).ok().data["proposals"]
    assert run("--json", "show", done[0]["id"], cwd=web).ok().data["scope"] == "global"


def shown_scope(root: Path, record_id: str) -> str:
    return str(run("--vault", root, "--json", "show", record_id).ok().data["scope"])


def own_vault(parent: Path, name: str) -> Path:
    """The vault of a project of its own, which is no checkout that sessions ran in."""
    run("init", ".mvault", "--in-repo", cwd=project(parent, name)).ok()
    return parent / name / ".mvault"


OF_WEB = "project:github.com/acme/web"
HOME = pytest.mark.parametrize(
    ("name", "scope"), [("vault", OF_WEB), ("shop", OF_WEB), ("web", "global")]
)
"""A vault of a person's own, that of another project, that of the project itself."""


@SAID
@HOME
def test_a_distilled_candidate(tmp_path: Path, said: str, name: str, scope: str) -> None:
    root = make_vault(tmp_path) if name == "vault" else own_vault(tmp_path, name)
    web = tmp_path / "web" if name == "web" else project(tmp_path, "web")
    item = seen(root, tmp_path / "logs", said, web / "src")
    row = {
        "item": [item], "decision": "draft", "kind": "lesson", "title": said[:24],
        "problem": f"做错了: {said}", "correction": "Call make test; it sets the environment up.",
        "when": "tests are to be run",
    }  # fmt: skip
    done = run(
        "--vault", root, "--json", "distill", "commit", stdin=json.dumps({"items": [row]}), cwd=root
    )
    assert shown_scope(root, done.ok().data["made"][item]) == scope


def answered(root: Path, prepared: dict[str, Any], said: str, **more: Any) -> str:
    """The scope of the candidate that an answer to a brief gives."""
    text = {
        "relation": "new", "kind": "lesson", "title": f"{said[:24]} 2", "problem": f"做错了: {said}",
        "correction": "Call make test; it sets the environment up.",
        "applies_when": "tests are to be run",
        **(more or {}),
    }  # fmt: skip
    text.setdefault("cites", [one["id"] for one in prepared["places"][-1:]])
    done = run(
        *("--vault", root, "--json", "reflect", "commit", prepared["id"]),
        stdin=json.dumps({"assessment": "Passed over.", "lessons": [text]}),
        cwd=root,
    )
    return shown_scope(root, done.ok().data["candidates"][0])


@SAID
@HOME
@pytest.mark.parametrize("wanted", ["", "project"])
def test_a_candidate_of_a_reflection(
    tmp_path: Path, said: str, name: str, scope: str, wanted: str
) -> None:
    root = make_vault(tmp_path) if name == "vault" else own_vault(tmp_path, name)
    web = tmp_path / "web" if name == "web" else project(tmp_path, "web")
    path = claude_log(tmp_path / "logs" / "s-1.jsonl", "go", said, cwd=str(web / "src"))
    argv = ("--vault", root, "--json", "reflect")
    brief = run(*argv, "prepare", "--mode", "session", "--log", path, cwd=root).ok().data
    assert brief["run"]["language"] == ("en" if said.isascii() else "zh")
    more = {"scope": wanted} if wanted else {}
    here = OF_WEB if name == "web" else scope  # of the project at hand, which it is
    assert answered(root, brief["run"], said, **more) == here


@SAID
@pytest.mark.parametrize("name", ["vault", "shop"])
def test_a_candidate_of_a_task(tmp_path: Path, said: str, name: str) -> None:
    root = make_vault(tmp_path) if name == "vault" else own_vault(tmp_path, name)
    path = tmp_path / "logs" / "s-1.jsonl"
    path.parent.mkdir()
    rows = [{"role": "user", "content": "go"}, {"role": "user", "content": said}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    argv = ("--vault", root, "--json")
    own = run(*argv, "task", "start", said[:20], "--scope", OF_WEB, cwd=root).ok().data["task"]
    run(*argv, "task", "end", own, "--status", "failed", cwd=root).ok()
    brief = run(*argv, "reflect", "prepare", "--task", own, "--log", path, cwd=root).ok().data
    assert answered(root, brief["run"], said) == OF_WEB


@SAID
def test_a_candidate_of_records(tmp_path: Path, said: str) -> None:
    files = {
        f"memories/l-{n:07}.md": f"---\nid: l-{n:07}\nkind: lesson\nstatus: active\n"
        f"scope: {OF_WEB}\nimportance: 10\ntitle: {said} {n}\n---\n{said} {n * 7}\n"
        for n in (1, 2, 3)
    }
    root = make_vault(tmp_path, files)
    asked = ("--mode", "threshold", "--question", said)
    brief = run("--vault", root, "--json", "reflect", "prepare", *asked, cwd=root).ok().data
    assert (
        answered(root, brief["run"], said, cites=["l-0000001", "l-0000002"], differs="the cause")
        == OF_WEB
    )
