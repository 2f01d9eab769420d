"""Code that memories speak about, through the command line (tests/features.toml)."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from helpers import checked, git, head, make_vault, rendered, run, snapshot_bytes, write_files

AGENT = {"MVAULT_ACTOR": "agent"}
MARK = "its code has changed since"


def record(record_id: str, title: str, **keys: str) -> str:
    """One record in force as a file's text."""
    front = {"id": record_id, "kind": "fact", "status": "active", "title": title, **keys}
    lines = "\n".join(f"{key}: {value}" for key, value in front.items())
    return f"---\n{lines}\n---\n# {title}\n\n正文 text.\n"


def make_project(tmp_path: Path, name: str = "web", remote: str = "") -> Path:
    """A code repository with two committed files."""
    top = tmp_path / name
    code = "a = 1\nb = 2\n" if name == "web" else f"# {name}\n"
    write_files(top, {"src/cart.py": code, "配置/价格.json": "{}\n"})
    git(top, "init", "-q")
    if remote:
        git(top, "remote", "add", "origin", remote)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "code")
    return top


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A code repository with a project vault, and a record in force."""
    top = make_project(tmp_path)
    run("--vault", top / ".mvault", "init", "--in-repo", top / ".mvault").ok()
    write_files(top / ".mvault", {"memories/a.md": record("f-1", "Totals are in cents 价格")})
    return top


def anchor(top: Path, *argv: Any, cwd: Path | None = None, **options: Any) -> Any:
    return run("--vault", top / ".mvault", "anchor", *argv, cwd=cwd or top, **options)


def states(root: Path, record_id: str = "f-1", **options: Any) -> dict[str, str]:
    shown = run("--vault", root, "--json", "anchor", record_id, **options).ok().data
    return {item["path"]: item["state"] for item in shown["anchors"]}


def written(top: Path) -> str:
    return (top / ".mvault/memories/a.md").read_text(encoding="utf-8")


# --- setting them


@pytest.mark.parametrize("path", ["src/cart.py", "配置/价格.json"])
def test_a_file_is_named_by_its_path_in_the_project(project: Path, path: str) -> None:
    blob = git(project, "rev-parse", f"HEAD:{path}").strip()
    done = anchor(project, "f-1", path, "--yes").ok()
    assert done.out == "f-1\n"
    assert f'- {{path: {path}, blob: "{blob}"}}' in written(project).replace(
        "blob: " + blob, f'blob: "{blob}"'
    )
    assert git(project, "log", "-1", "--format=%s").startswith("anchor(fact): Totals")
    again = anchor(project, "f-1", Path(path).name, "--yes", cwd=(project / path).parent).ok()
    assert "nothing to do" in again.err
    assert states(project / ".mvault", cwd=project) == {path: "fresh"}
    shown = run("--vault", project / ".mvault", "show", "f-1", cwd=project).ok().out
    assert f"  {path}  fresh" in shown


def test_a_dry_run_shows_the_line_and_writes_nothing(project: Path) -> None:
    before, files = head(project), snapshot_bytes(project)
    shown = run(
        "--vault", project / ".mvault", "--dry-run", "anchor", "f-1", "src/cart.py", cwd=project
    )
    assert "+  - {path: src/cart.py" in shown.ok().out
    assert head(project) == before
    assert snapshot_bytes(project) == files


def test_an_agent_anchors_drafts_only(project: Path) -> None:
    refused = anchor(project, "f-1", "src/cart.py", env=AGENT)
    assert refused.code == 3
    assert "a person has to agree" in refused.err
    assert "anchors" not in written(project)
    draft = {"drafts/b.md": record("f-2", "Draft", status="candidate")}
    write_files(project / ".mvault", draft)
    anchor(project, "f-2", "src/cart.py", env=AGENT).ok()
    assert states(project / ".mvault", "f-2", cwd=project) == {"src/cart.py": "fresh"}


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("../outside.py", 2, "not a file of the project"),
        ("out.py", 2, "not a file of the project"),
        ("src", 6, "is a folder"),
        ("none.py", 6, "no such file"),
        (".git/config", 2, "git's own folder"),
        ("a\0b", 6, "no such file"),
        ("", 6, "is a folder"),
    ],
)
def test_no_path_leaves_the_project(
    project: Path, tmp_path: Path, path: str, code: int, words: str
) -> None:
    (tmp_path / "outside.py").write_text("secret\n")
    (project / "out.py").symlink_to(tmp_path / "outside.py")
    before = snapshot_bytes(project)
    done = anchor(project, "f-1", path, "--yes")
    assert (done.code, words in done.err) == (code, True), done.err
    assert "Traceback" not in done.err
    assert snapshot_bytes(project) == before


def test_a_link_inside_names_the_real_file(project: Path) -> None:
    (project / "link.py").symlink_to("src/cart.py")
    anchor(project, "f-1", "link.py", project / "配置/价格.json", "--yes").ok()
    assert states(project / ".mvault", cwd=project) == {
        "src/cart.py": "fresh",
        "配置/价格.json": "fresh",
    }


@pytest.mark.parametrize("name", ["-a.py", "--yes", "a b'c.py", "e\u0301.py", "#1: x.py", "…"])
def test_odd_names(project: Path, name: str) -> None:
    (project / name).write_text("x\n")
    anchor(project, "f-1", "--yes", "--", name).ok()
    (found,) = states(project / ".mvault", cwd=project).items()
    assert found[1] == "fresh"
    (project / name).write_text("y\n")
    hint = next(f["hint"] for f in stale_findings(project))
    command = hint.partition("Still right: mvault ")[2].partition(" --refresh")[0]
    run(*split(command), "--refresh", "--yes", cwd=project).ok()
    assert states(project / ".mvault", cwd=project) == {found[0]: "fresh"}
    anchor(project, "f-1", "--remove", "--yes", "--", name).ok()
    assert "anchors" not in written(project)


def stale_findings(top: Path, **options: Any) -> list[dict[str, Any]]:
    done = run("--vault", top / ".mvault", "--json", "check", "--stale", cwd=top, **options)
    found = [f for f in done.json["diagnostics"] if f["code"].startswith("anchor-")]
    assert len(done.data["anchors"]) >= len([f for f in found if f["code"] == "anchor-stale"])
    return found


# --- what became of them


def test_a_change_is_told_everywhere_and_a_person_goes_on(project: Path) -> None:
    root = project / ".mvault"
    anchor(project, "f-1", "src/cart.py", "--yes").ok()
    assert MARK not in rendered(root)
    assert stale_findings(project) == []
    (project / "src/cart.py").write_text("a = 1\nb = 3\nc = 4\n")
    assert run("--vault", root, "list", "--state", "stale").ok().out.startswith("f-1 ")
    assert "src/cart.py  stale: it has changed" in run("--vault", root, "show", "f-1").ok().out
    assert f"Totals are in cents 价格 ({MARK})" in rendered(root)
    (found,) = stale_findings(project)
    assert "src/cart.py is not what it was: it has changed (+2 -1 lines)" in found["message"]
    assert "mvault anchor f-1 src/cart.py --refresh" in found["hint"]
    assert run("--vault", root, "check").ok().out == "no findings\n"
    assert "stale" not in [f["code"] for f in checked(root)]
    receipt = run("--vault", root, "--json", "render", "--receipt").ok().data["receipt"]
    assert receipt["lines"][0]["reason"] == "importance 5, stale: its code has changed"
    anchor(project, "f-1", "--refresh", "--yes").ok()
    assert MARK not in rendered(root)
    (project / "src/cart.py").unlink()
    assert MARK in rendered(root)
    gone = anchor(project, "f-1", "--refresh", "--yes")
    assert gone.code == 2
    assert "this anchor stays as it is" in gone.err
    assert "--remove" in stale_findings(project)[0]["hint"]


def test_a_renamed_file_is_suggested_and_nothing_changes_by_itself(project: Path) -> None:
    anchor(project, "f-1", "配置/价格.json", "--yes").ok()
    git(project, "mv", "配置/价格.json", "src/价格.json")
    git(project, "commit", "-q", "-am", "moved")
    before = written(project)
    (found,) = stale_findings(project)
    assert "The same content is in src/价格.json" in found["hint"]
    assert written(project) == before
    anchor(project, "f-1", "src/价格.json", "--yes").ok()
    anchor(project, "f-1", "配置/价格.json", "--remove", "--yes").ok()
    assert states(project / ".mvault", cwd=project) == {"src/价格.json": "fresh"}


def test_a_render_is_the_same_on_any_day_and_with_or_without_the_cache(project: Path) -> None:
    root = project / ".mvault"
    anchor(project, "f-1", "src/cart.py", "--yes").ok()
    (project / "src/cart.py").write_text("changed\n")
    os.utime(project / "src/cart.py", (1, 1))
    first = rendered(root)
    assert MARK in first
    for _ in range(2):
        assert (
            run("--vault", root, "render", env={"MVAULT_NOW": "2031-01-01T00:00:00Z"}).ok().out
            == first
        )
    (root / ".state/anchors").unlink(missing_ok=True)
    assert rendered(root) == first
    past = run("--vault", root, "render", "--at", "HEAD").ok().out
    assert MARK not in past, "nobody knows what the code was then"


def test_only_anchored_records_make_anyone_look(project: Path, monkeypatch: Any) -> None:
    from vault_cli.cli import checkout

    monkeypatch.setattr(checkout, "AnchorReader", None)
    assert "Totals" in rendered(project / ".mvault")


# --- whose code it is


def test_records_of_other_projects_are_not_stale_here(tmp_path: Path) -> None:
    web = make_project(tmp_path, "web", "https://example.invalid/acme/web.git")
    api = make_project(tmp_path, "api", "git@example.invalid:acme/api.git")
    blob = git(web, "rev-parse", "HEAD:src/cart.py").strip()
    anchors = f'[{{path: src/cart.py, blob: "{blob}"}}]'
    scopes = {"f-1": "project:example.invalid/acme/web", "f-2": "project:example.invalid/acme/api",
              "f-3": "global"}  # fmt: skip
    texts = {
        f"memories/{key}.md": record(key, key, scope=scope, anchors=anchors)
        for key, scope in scopes.items()
    }
    root = make_vault(tmp_path, texts)

    def found(cwd: Path) -> dict[str, str]:
        return {key: states(root, key, cwd=cwd)["src/cart.py"] for key in scopes}

    none = dict.fromkeys(scopes, "unverifiable")
    assert found(web) == {**none, "f-1": "fresh", "f-3": "fresh"}
    assert found(api) == {**none, "f-2": "stale"}, "api never had that content: f-3 is another's"
    assert found(tmp_path) == none
    (web / "src/cart.py").write_text("changed\n")
    assert found(web) == {**none, "f-1": "stale", "f-3": "stale"}, "web once had it"
    listed = run("--vault", root, "list", "--state", "stale", cwd=web / "src").ok().out
    assert [line.split()[0] for line in listed.splitlines()] == ["f-1", "f-3"]
    block = run("--vault", root, "render", cwd=web).ok().out
    assert block.count(MARK) == 2
    told = run("--vault", root, "--json", "check", "--stale", cwd=api).data
    assert {item["id"]: item["state"] for item in told["anchors"]} == found(api)
    said = run("--vault", root, "check", "--stale", cwd=api)
    assert "1 anchor not compared: it is of another project" in said.err
    named = {"MVAULT_PROJECT_ROOT": str(web)}
    assert states(root, "f-3", cwd=tmp_path, env=named) == {"src/cart.py": "stale"}
    assert states(root, "f-2", cwd=tmp_path, env=named) == {"src/cart.py": "unverifiable"}


def test_a_vault_of_its_own_is_anchored_to_the_project_around_the_working_folder(
    tmp_path: Path,
) -> None:
    web = make_project(tmp_path)
    root = make_vault(tmp_path, {"memories/a.md": record("f-1", "T")})
    nowhere = run("--vault", root, "anchor", "f-1", "src/cart.py", "--yes", cwd=tmp_path)
    assert nowhere.code == 2
    assert "no checkout of its project is at hand" in nowhere.err
    done = run("--vault", root, "anchor", "f-1", "cart.py", "--yes", cwd=web / "src").ok()
    assert "Its scope is global, no project" in done.err
    (web / "src/cart.py").write_text("changed\n")
    assert states(root, cwd=web) == {"src/cart.py": "stale"}


def test_user_and_project_vault_are_read_together(tmp_path: Path, monkeypatch: Any) -> None:
    web = make_project(tmp_path, "web", "https://example.invalid/acme/web.git")
    run("--vault", web / ".mvault", "init", "--in-repo", web / ".mvault").ok()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    user = tmp_path / "data/mvault"
    run("init", user).ok()
    old, never = git(web, "rev-parse", "HEAD:src/cart.py").strip(), "0a" * 20
    (web / "src/cart.py").write_text("changed\n")
    entry = "[{{path: src/cart.py, blob: '{}'}}]"
    write_files(
        web / ".mvault", {"memories/a.md": record("f-1", "Project", anchors=entry.format(never))}
    )
    write_files(user, {
        "memories/a.md": record("f-2", "Mine once", anchors=entry.format(old)),
        "memories/b.md": record("f-3", "Elsewhere", anchors=entry.format(never)),
    })  # fmt: skip
    block = run("render", cwd=web, env={"MVAULT_READ_SCOPES": "both"}).ok().out
    marked = [line for line in block.splitlines() if MARK in line]
    assert len(marked) == 2
    assert any("Project" in line for line in marked)
    assert any("Mine once" in line for line in marked)
    assert states(user, "f-3", cwd=web) == {"src/cart.py": "unverifiable"}


def test_git_is_asked_once_for_any_number_of_records(tmp_path: Path, monkeypatch: Any) -> None:
    from vault_cli.store.project_history import ProjectHistory

    web = make_project(tmp_path)
    files = {
        f"memories/{n}.md": record(
            f"f-{n}", f"T{n}", anchors=f"[{{path: f{n}.py, blob: '{n:040}'}}]"
        )
        for n in range(30)
    }
    root = make_vault(tmp_path, files)
    asked: list[int] = []
    real = ProjectHistory._ask

    def ask(self: ProjectHistory, blobs: Any) -> dict[str, bool]:
        asked.append(len(blobs))
        return real(self, blobs)

    monkeypatch.setattr(ProjectHistory, "_ask", ask)
    for command in (("render",), ("list", "--state", "stale"), ("check", "--stale")):
        asked.clear()
        run("--vault", root, *command, cwd=web).ok()
        assert [number for number in asked if number] == ([30] if command == ("render",) else [])


# --- what a hostile repository may try


def test_hostile_anchors_neither_hang_nor_tell(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2\n")
    blob = git(project, "hash-object", str(secret)).strip()
    (project / "up").symlink_to(tmp_path)
    os.mkfifo(project / "pipe")
    with (project / "huge.bin").open("wb") as file:
        file.truncate(1 << 33)
    paths = ["../secret.txt", str(secret), "up/secret.txt", "pipe", "huge.bin", ".git/HEAD", "a\\b",
             "\u202esrc", "x" * 5000, "[31m", "up"]  # fmt: skip
    entries = "\n".join(f'  - {{path: {_quoted(path)}, blob: "{blob}"}}' for path in paths)
    many = "\n".join(f'  - {{path: "f{n}", blob: "{blob}"}}' for n in range(80))
    text = record("f-1", "T", anchors=f"\n{entries}\n{many}", allow="[bidi-control, hidden-text]")
    write_files(project / ".mvault", {"memories/a.md": text})
    for command in (("check", "--stale"), ("show", "f-1"), ("render",), ("anchor", "f-1"),
                    ("list", "--states"), ("--json", "anchor", "f-1")):  # fmt: skip
        done = run("--vault", project / ".mvault", *command, cwd=project)
        assert done.code in {0, 1}, done.err
        for said in (done.out, done.err):
            assert "hunter2" not in said
            assert "Traceback" not in said
            assert "\u202e" not in said
    found = states(project / ".mvault", cwd=project)
    assert {found[path] for path in paths[:7]} == {"unverifiable"}
    assert found["up"] == found["f7"] == "stale"


def _quoted(path: str) -> str:
    import json

    return json.dumps(path, ensure_ascii=False)


def test_nothing_of_the_project_runs(project: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    script = project / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    write_files(project, {".gitattributes": "* filter=trap diff=trap\n"})
    for key in ("filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv", "core.fsmonitor",
                "diff.external"):  # fmt: skip
        git(project, "config", key, str(script))
    trap.unlink(missing_ok=True)
    shown = run(
        "--vault", project / ".mvault", "--dry-run", "anchor", "f-1", "src/cart.py", cwd=project
    )
    assert shown.code in {0, 4, 7}
    text = record("f-1", "T", anchors='[{path: src/cart.py, blob: "0a0a0a0a0a"}]')
    write_files(project / ".mvault", {"memories/a.md": text})
    trap.unlink(missing_ok=True)
    for command in (
        ("check", "--stale"),
        ("render",),
        ("anchor", "f-1"),
        ("list", "--state", "stale"),
    ):
        run("--vault", project / ".mvault", *command, cwd=project)
        assert not trap.exists(), command
    assert states(project / ".mvault", cwd=project) == {"src/cart.py": "unverifiable"}
