"""The managed block of a person's file: four rules, and every byte outside of it stays."""

import os
import shutil
from pathlib import Path

import pytest
from helpers import case_folder

from vault_cli.errors import ChangedMeanwhileError, RefusedError, StoreError
from vault_cli.hosts import sinks
from vault_cli.hosts.install.instructions import without_block
from vault_cli.hosts.sinks import plan_managed_block, write_managed_block
from vault_cli.text.markers import BLOCK_BEGIN, BLOCK_END, block_id, wrap_block
from vault_cli.text.neutral import neutral_block

BLOCK = "## Memory\n- 先看 node_modules\n"
BEGIN = BLOCK_BEGIN.format("01234567")
END = BLOCK_END.format("01234567")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "AGENTS.md"


def test_no_file_is_made(file: Path) -> None:
    plan = plan_managed_block(file, BLOCK)
    assert plan.changed
    assert not file.exists()
    assert write_managed_block(file, BLOCK) == plan
    assert file.read_text("utf-8") == wrap_block(BLOCK) == plan.new
    assert plan.old == ""


def test_missing_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / ".claude" / "rules" / "vault.md"
    write_managed_block(target, BLOCK)
    assert target.read_text("utf-8") == wrap_block(BLOCK)


def test_empty_block_makes_no_file(file: Path) -> None:
    assert not write_managed_block(file, "").changed
    assert not file.exists()


def test_only_between_the_markers(file: Path) -> None:
    file.write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\ntail  \n", "utf-8")
    result = write_managed_block(file, BLOCK)
    assert file.read_text("utf-8") == f"# Mine\n\n{wrap_block(BLOCK)}\ntail  \n"
    assert result.edited


def test_own_text_of_an_older_block_is_not_an_edit(file: Path) -> None:
    file.write_text("x\n" + wrap_block("older\n"), "utf-8")
    result = write_managed_block(file, BLOCK)
    assert result.changed
    assert not result.edited


def test_empty_block_empties(file: Path) -> None:
    file.write_text("x\n" + wrap_block("older\n") + "y\n", "utf-8")
    write_managed_block(file, "")
    ident = block_id("")
    assert (
        file.read_text("utf-8") == f"x\n{BLOCK_BEGIN.format(ident)}\n{BLOCK_END.format(ident)}\ny\n"
    )


def test_empty_block_adds_no_markers(file: Path) -> None:
    file.write_text("x\n", "utf-8")
    assert not write_managed_block(file, "").changed
    assert file.read_text("utf-8") == "x\n"


def test_many_markers_are_named_shortly(file: Path) -> None:
    file.write_text(f"{BEGIN}\n{END}\n" * 5, "utf-8")
    with pytest.raises(RefusedError, match="end on line 6, and 4 more"):
        write_managed_block(file, BLOCK)


def test_unchanged_is_not_written(file: Path) -> None:
    write_managed_block(file, BLOCK)
    os.utime(file, ns=(1, 1))
    assert not write_managed_block(file, BLOCK).changed
    assert file.stat().st_mtime_ns == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Mine\n", "# Mine\n\n{block}\n"),
        ("# Mine\n\n", "# Mine\n\n{block}\n"),
        ("# Mine", "# Mine\n\n{block}"),
        ("", "{block}\n"),
        ("\ufeff# 我的\r\n\r\ntext\r\n", "\ufeff# 我的\r\n\r\ntext\r\n\r\n{block}\r\n"),
        ("a\r\nb", "a\r\nb\r\n\r\n{block}"),
    ],
)
def test_appended_after_a_blank_line(file: Path, old: str, new: str) -> None:
    file.write_bytes(old.encode())
    write_managed_block(file, BLOCK)
    newline = "\r\n" if "\r\n" in old else "\n"
    wrapped = wrap_block(BLOCK).rstrip("\n").replace("\n", newline)
    assert file.read_bytes().decode() == new.format(block=wrapped)
    assert not write_managed_block(file, BLOCK).changed


def test_line_ends_around_the_block_stay(file: Path) -> None:
    file.write_bytes(f"\ufeffa\r\n{BEGIN}\r\nold\r\n{END}\r\nmixed\nend".encode())
    write_managed_block(file, "new\n")
    block = wrap_block("new\n").replace("\n", "\r\n")
    assert file.read_bytes().decode() == f"\ufeffa\r\n{block}mixed\nend"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"a\n{BEGIN}\nb\n", "line 2: a lone begin marker"),
        (f"a\n{END}\nb\n", "line 2: a lone end marker"),
        (f"{END}\na\n{BEGIN}\n", "end on line 1, begin on line 3"),
        (f"{BEGIN}\n{BEGIN}\na\n{END}\n", "begin on line 1, begin on line 2, end on line 4"),
        (f"{BEGIN}\na\n{END}\n{BEGIN}\nb\n{END}\n", "begin on line 4"),
        (f"{BEGIN}\na\n{BLOCK_END.format('89abcdef')}\n", "line 1"),
        ("<!-- mvault:begin -->\nhand-typed\n", "lone begin"),
        ("<!-- mvault:end id=??? -->\r\n", "lone end"),
    ],
)
def test_damaged_markers_are_refused(file: Path, text: str, said: str) -> None:
    file.write_bytes(text.encode())
    for _ in range(3):
        with pytest.raises(RefusedError) as caught:
            write_managed_block(file, BLOCK)
        assert said in caught.value.message
        assert str(file) in caught.value.message
    assert file.read_bytes() == text.encode()


def test_markers_in_a_fence_are_documentation(file: Path) -> None:
    text = f"How it looks:\n\n```\n{BEGIN}\n{END}\n```\n\n    {BEGIN}\n"
    file.write_text(text, "utf-8")
    write_managed_block(file, BLOCK)
    assert file.read_text("utf-8") == f"{text}\n{wrap_block(BLOCK)}"
    assert not write_managed_block(file, BLOCK).changed


def test_fence_that_never_closes(file: Path) -> None:
    file.write_text("a\n```\ncode\n", "utf-8")
    with pytest.raises(RefusedError, match="line 2: this code fence is never closed"):
        write_managed_block(file, BLOCK)
    file.write_text(f"a\n```\ncode\n{BEGIN}\nold\n{END}\n", "utf-8")
    write_managed_block(file, BLOCK)
    assert file.read_text("utf-8") == f"a\n```\ncode\n{wrap_block(BLOCK)}"


def test_a_memory_cannot_end_the_block(file: Path) -> None:
    body = f"x\n{END}\nNot in the block.\n{BEGIN}\n```\nopen"
    block = "- item\n" + "".join(f"  {line}\n" for line in neutral_block(body))
    file.write_text("before\n", "utf-8")
    write_managed_block(file, block)
    write_managed_block(file, block + "- more\n")
    assert file.read_text("utf-8") == f"before\n\n{wrap_block(block + '- more' + chr(10))}"


def test_link_is_written_through_and_stays(tmp_path: Path) -> None:
    real = tmp_path / "docs" / "AGENTS.md"
    real.parent.mkdir()
    real.write_text("# Guide\n", "utf-8")
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("docs/AGENTS.md")
    assert write_managed_block(real, BLOCK).changed
    result = write_managed_block(link, BLOCK)
    assert not result.changed
    assert result.path == real.resolve()
    assert link.is_symlink()
    assert real.read_text("utf-8").count("mvault:begin") == 1


def test_mode_is_kept_and_no_temporary_file_stays(file: Path) -> None:
    file.write_text("x\n", "utf-8")
    file.chmod(0o640)
    write_managed_block(file, BLOCK)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["AGENTS.md"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    latin = tmp_path / "latin.md"
    latin.write_bytes(b"ok\ncaf\xe9\n")
    with pytest.raises(StoreError, match="line 2: not UTF-8"):
        write_managed_block(latin, BLOCK)
    assert latin.read_bytes() == b"ok\ncaf\xe9\n"
    with pytest.raises(StoreError, match="is a folder"):
        plan_managed_block(tmp_path, BLOCK)
    loop = tmp_path / "loop.md"
    loop.symlink_to("loop.md")
    with pytest.raises(StoreError):
        plan_managed_block(loop, BLOCK)
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    with pytest.raises(StoreError):
        plan_managed_block(pipe, BLOCK)


def test_a_writer_in_between_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("one\n", "utf-8")
    plan = plan_managed_block

    def plan_then_write(target: Path, block: str) -> sinks.SinkResult:
        result = plan(target, block)
        file.write_text("two\n", "utf-8")
        return result

    monkeypatch.setattr(sinks, "plan_managed_block", plan_then_write)
    with pytest.raises(ChangedMeanwhileError):
        write_managed_block(file, BLOCK)
    assert file.read_text("utf-8") == "two\n"


def test_case_of_the_lost_end_marker(tmp_path: Path) -> None:
    source = case_folder("re-03") / "AGENTS.md"
    target = tmp_path / "AGENTS.md"
    text = source.read_text("utf-8").replace("@@START@@", BEGIN)
    target.write_text(text, "utf-8")
    for _ in range(3):
        with pytest.raises(RefusedError, match="line 5"):
            write_managed_block(target, BLOCK)
    assert target.read_text("utf-8") == text


def test_case_of_the_linked_instruction_file(tmp_path: Path) -> None:
    source = case_folder("re-05") / "project"
    project = tmp_path / "project"
    shutil.copytree(source, project, symlinks=True)
    (project / "CLAUDE.md").unlink()  # a copy of the cases may hold the link as a file
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    changed = [
        write_managed_block(project / name, BLOCK).changed
        for _ in range(2)
        for name in ("AGENTS.md", "CLAUDE.md")
    ]
    assert changed == [True, False, False, False]
    assert (project / "CLAUDE.md").is_symlink()
    assert (project / "AGENTS.md").read_text("utf-8").count("mvault:begin") == 1


@pytest.mark.parametrize("name", ["x" * 300, "中" * 200, "a" * 5000])
def test_a_name_that_no_disk_can_hold(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="cannot be used") as caught:
        plan_managed_block(tmp_path / name, BLOCK)
    assert len(caught.value.message) < 500


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault.toml").write_text("schema = 1\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "vault.toml",
        ".gitignore",
        ".git/config",
        "sub/.git/hooks/pre-commit",
        ".state/x",
        "drafts/2026-11/x.md",
        "memories/规则.md",
        "skills/deploy/SKILL.md",
    ],
)
def test_no_block_in_the_files_of_a_vault(vault: Path, name: str) -> None:
    target = vault / name
    target.parent.mkdir(parents=True, exist_ok=True)
    before = target.read_bytes() if target.exists() else None
    with pytest.raises(RefusedError, match="no place for a block"):
        write_managed_block(target, BLOCK)
    assert (target.read_bytes() if target.exists() else None) == before


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: l-aaaaaaa\nkind: lesson\n---\n# T\n",
        "\ufeff---\r\nstatus: active\r\n---\r\n发布\r\n",
    ],
)
def test_no_block_in_a_record_wherever_it_lies(vault: Path, text: str) -> None:
    record = vault / "notes" / "发布.md"
    record.parent.mkdir()
    record.write_bytes(text.encode("utf-8"))
    with pytest.raises(RefusedError, match="a part of the vault"):
        write_managed_block(record, BLOCK)
    assert record.read_bytes() == text.encode("utf-8")


@pytest.mark.parametrize("name", ["AGENTS.md", "README.md", ".claude/rules/vault.md"])
def test_a_block_for_agents_may_stand_beside_the_records(vault: Path, name: str) -> None:
    (vault / "AGENTS.md").write_text("---\ntitle: For agents\n---\nText\n", "utf-8")
    assert write_managed_block(vault / name, BLOCK).changed


@pytest.mark.parametrize("text", ["set nocompatible\n", "# 私人笔记\n"])
@pytest.mark.parametrize("kind", [".git", ".mvault/vault.toml", "vault.toml"])
@pytest.mark.parametrize("how", ["file", "folder", "chain", "new", "from outside"])
def test_a_link_of_a_checkout_that_leads_out_is_not_written(
    tmp_path: Path, how: str, kind: str, text: str
) -> None:
    checkout, own = tmp_path / "clone", tmp_path / "家"
    (checkout / kind).parent.mkdir(parents=True)
    (checkout / kind).write_text("schema = 1\n", "utf-8")
    own.mkdir()
    secret = own / "rc"
    secret.write_text(text, "utf-8")
    target = checkout / "AGENTS.md"
    if how == "folder":
        (checkout / "docs").symlink_to("../家")
        target = checkout / "docs" / "rc"
    elif how == "chain":
        target.symlink_to("other.md")
        (checkout / "other.md").symlink_to(secret)
    elif how == "from outside":
        target.symlink_to(secret)
        (tmp_path / "mine.md").symlink_to("clone/AGENTS.md")
        target = tmp_path / "mine.md"
    else:
        target.symlink_to(own / "fresh" if how == "new" else secret)
    with pytest.raises(RefusedError, match="leads out of"):
        write_managed_block(target, BLOCK)
    assert secret.read_text("utf-8") == text
    assert [path.name for path in own.iterdir()] == ["rc"]


def test_a_link_of_the_person_into_a_checkout_is_followed(tmp_path: Path) -> None:
    (tmp_path / "dotfiles" / ".git").mkdir(parents=True)
    (tmp_path / "CLAUDE.md").symlink_to("dotfiles/CLAUDE.md")
    (tmp_path / "dotfiles" / "GEMINI.md").symlink_to("../dotfiles/CLAUDE.md")
    assert write_managed_block(tmp_path / "CLAUDE.md", BLOCK).changed
    assert not write_managed_block(tmp_path / "dotfiles" / "GEMINI.md", BLOCK).changed


LONG = {"en": "Run the tests first.\n" * 2000, "zh": "先跑测试,再提交。\n" * 2000}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_in_a_file_that_is_not_read_to_its_end_the_block_stands_at_the_top(
    file: Path, text: str, bom: str, newline: str
) -> None:
    text = bom + text.replace("\n", newline)
    file.write_bytes(text.encode())
    write_managed_block(file, BLOCK)
    new = file.read_bytes().decode()
    assert new.startswith(bom + wrap_block(BLOCK).replace("\n", newline))
    assert new.endswith(text.removeprefix(bom))
    assert not write_managed_block(file, BLOCK).changed
    write_managed_block(file, BLOCK + "- more\n")
    assert without_block(file.read_bytes().decode()) == text


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_block_that_is_not_read_moves_to_the_top(file: Path, text: str) -> None:
    file.write_text(f"# Mine\n\n{text}\n{wrap_block(BLOCK)}\ntail\n", "utf-8")
    result = write_managed_block(file, BLOCK)
    assert result.changed
    assert not result.edited
    assert file.read_text("utf-8") == f"{wrap_block(BLOCK)}\n# Mine\n\n{text}\ntail\n"


@pytest.mark.parametrize("name", ["NOTES.md", "CLAUDE.md"])
def test_where_all_of_a_file_is_read_the_block_stands_behind(tmp_path: Path, name: str) -> None:
    text = LONG["en"]
    (tmp_path / name).write_text(text, "utf-8")
    write_managed_block(tmp_path / name, BLOCK)
    assert (tmp_path / name).read_text("utf-8") == f"{text}\n{wrap_block(BLOCK)}"


def test_nothing_goes_before_front_matter(file: Path) -> None:
    text = f"---\ntitle: x\n---\n{LONG['en']}"
    file.write_text(text, "utf-8")
    write_managed_block(file, BLOCK)
    assert file.read_text("utf-8") == f"{text}\n{wrap_block(BLOCK)}"


def test_a_block_at_the_top_needs_no_closed_fence(file: Path) -> None:
    file.write_text(LONG["en"] + "```\nopen\n", "utf-8")
    write_managed_block(file, BLOCK)
    assert file.read_text("utf-8").startswith(wrap_block(BLOCK))
