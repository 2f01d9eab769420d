"""Ids, slugs, file names and skill names in many scripts."""

import random
import re
import unicodedata

import pytest

from vault_cli.errors import StoreError
from vault_cli.model.record import ID_PATTERN, Kind
from vault_cli.text.names import file_name, new_id, show_path, skill_name, slugify

OWN = "l-7k3qd2m"
SKILL = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
TITLES = [
    'Why: what? "prod" <v2> | done*', "AUX", "con.notes", "ends with dot.", "ends with space ",
    "Release Notes", "a/b\\c", "../../outside", "发布流程", "回滚流程", "Правила релиза",
    "قواعد الإصدار", "🚀🚀", "———", "リリース手順", "café ☕ rule", "/tmp/absolute",
    ".git/hooks/pre-commit", "..", ".", "C:\\Windows\\x", "~/.ssh/config", "%2e%2e%2fx", "-rf",
    "--help", "com¹", "nul", "a\x00b\x1b[2J\nc", "rtl\u202egnp", "", "长" * 200, "é" * 200, "a\u0301" * 200,
]  # fmt: skip


def test_new_id_is_kind_letter_and_seven_characters() -> None:
    source = random.Random(1)
    fresh = new_id(Kind.FAILURE, (), source.randrange)
    assert re.fullmatch(r"x-[0-9a-hjkmnp-tv-z]{7}", fresh)
    assert ID_PATTERN.fullmatch(fresh)


def test_new_id_avoids_taken_ones() -> None:
    first = new_id(Kind.LESSON, (), random.Random(1).randrange)
    assert new_id(Kind.LESSON, {first}, random.Random(1).randrange) != first


def test_new_id_gives_up_on_a_stuck_source() -> None:
    with pytest.raises(StoreError):
        new_id(Kind.LESSON, {"l-0000000"}, lambda _: 0)


@pytest.mark.parametrize("title", TITLES)
def test_file_name_can_be_checked_out_anywhere(title: str) -> None:
    name = file_name(title, OWN)
    assert name.endswith("-7k3qd2m.md")
    assert not name.startswith(("-", "."))
    assert not re.search(r"[<>:\"/\\|?*\x00-\x1f\u202e]", name)
    assert not RESERVED.fullmatch(name)
    assert not RESERVED.fullmatch(slugify(title))
    assert len(name.encode()) < 200
    assert unicodedata.is_normalized("NFC", name)
    assert name == name.lower()


@pytest.mark.parametrize("title", TITLES)
def test_slug_limits(title: str) -> None:
    slug = slugify(title)
    assert 0 < len(slug) <= 60
    assert len(slug.encode()) <= 120
    assert slugify(slug) == slug


def test_chinese_slugs_are_kept_and_distinct() -> None:
    assert file_name("发布流程", OWN) == "发布流程-7k3qd2m.md"
    assert slugify("发布流程") != slugify("回滚流程")
    assert slugify("हिन्दी में") == "हिन्दी-में"


def test_cut_never_parts_a_letter_from_its_marks() -> None:
    slug = slugify("क" + "\u0301" * 80 + "ख")
    assert slug in {"क", "note"} or unicodedata.category(slug[-1])[0] == "M"
    assert slugify("x" + "कि" * 59) == "x" + "कि" * 19


def test_invisible_characters_are_dropped() -> None:
    assert slugify("Obsidian\u200b 的 front\u2060matter") == "obsidian-的-frontmatter"
    assert slugify("\u3164") == "note"


def test_foreign_id_stays_whole_where_it_fits() -> None:
    assert file_name("Note", "202205021009") == "note-202205021009.md"
    assert file_name("Note", "rule_two-aaaaaaa") != file_name("Note", "rule_one-aaaaaaa")
    assert len(file_name("长" * 99, "字" * 99).encode()) < 200


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Deploy  the -- API!", "deploy-the-api"),
        ("deploy the API", "deploy-the-api"),
        ("发布流程", "fa-bu-liu-cheng"),
        ("用 Docker 发布v2", "yong-docker-fa-bu-v2"),
        ("UPPER_case Name", "upper-case-name"),
        ("-leading and trailing-", "leading-and-trailing"),
        ("Правила релиза", "pravila-reliza"),
        ("Don't panic", "dont-panic"),
        ("42", "42"),
        ("aux", "skill-aux"),
        ("configure Claude hooks", "configure-hooks"),
        ("claude", ""),
        ("———", ""),
        ("", ""),
    ],
)
def test_skill_name(title: str, name: str) -> None:
    assert skill_name(title) == name


@pytest.mark.parametrize("title", [*TITLES, "a very long title about deploying " * 4, "长" * 99])
def test_skill_name_obeys_the_format(title: str) -> None:
    name = skill_name(title)
    assert name == "" or (SKILL.fullmatch(name) and len(name) <= 64)


def test_show_path() -> None:
    assert (
        show_path("a\nb\x1b[2J\u202e\udcff\t中文 é.md") == "a\\nb\\x1b[2J\\u{202e}\\xff\\t中文 é.md"
    )
