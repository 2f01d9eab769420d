from __future__ import annotations

import pytest

from vault_cli.text.negation import compare_signs, read_sentence, split_sentences


def opposed(one: str, other: str) -> bool:
    return compare_signs(read_sentence(one), read_sentence(other)).opposed


@pytest.mark.parametrize(
    ("sentence", "negated"),
    [
        ("Commit the lock file.", False),
        ("Do not commit the lock file.", True),
        ("Don’t commit the lock file.", True),
        ("Never commit the lock file.", True),
        ("The lock file is no longer committed.", True),
        ("Avoid committing the lock file.", True),
        ("Committing the lock file is forbidden.", True),
        ("Committing the lock file is not forbidden.", False),
        ("Never refuse to commit the lock file.", False),
        ("Do not forget to commit the lock file.", False),
        ("Not only the lock file is committed.", False),
        ("No more than one lock file is committed.", False),
        ("Pass --no-verify to commit the lock file.", False),
        ("锁文件要提交。", False),
        ("锁文件不要提交。", True),
        ("锁文件别提交。", True),
        ("別提交鎖文件。", True),
        ("鎖文件應該提交。", False),
        ("沒有備份就不要部署。", False),
        ("请勿提交锁文件。", True),
        ("严禁提交锁文件。", True),
        ("不得不提交锁文件。", False),
        ("不能不提交锁文件。", False),
        ("不仅要提交锁文件。", False),
        ("别忘了提交锁文件。", False),
        ("没有备份就不要部署。", False),
        ("区别不同级别的类别。", False),
        ("锁文件可能很大。", False),
    ],
)
def test_the_sign_of_a_clause(sentence: str, negated: bool) -> None:
    clauses = read_sentence(sentence).clauses
    assert clauses
    assert {clause.negated for clause in clauses} == {negated}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You must sign commits.", "You must not sign commits."),
        ("Reviewers may skip it.", "Reviewers may not skip it."),
        ("Enable telemetry.", "Disable telemetry."),
        ("可以跳步。", "不可跳步。"),
        ("允许直连。", "禁止直连。"),
        ("启用遥测。", "停用遥测。"),
    ],
)
def test_opposites(one: str, other: str) -> None:
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never deploy without a backup.", "Always deploy with a backup."),
        ("Do not push before the tests pass.", "Push after the tests pass."),
        ("Never push before running the tests.", "Run the tests before pushing."),
        ("If there is no backup, do not deploy.", "Deploy with a backup."),
        ("Never deploy except on Mondays.", "Deploy on Mondays."),
        ("未经评审不得合并。", "评审后才能合并。"),
        ("不要在没有备份时部署。", "部署前先备份。"),
    ],
)
def test_two_negations_agree_with_the_plain_word(one: str, other: str) -> None:
    assert not opposed(one, other)


def test_the_scope_ends_at_punctuation_and_conjunctions() -> None:
    reading = read_sentence("Do not use npm, but pnpm is installed by the image.")
    assert reading.signs()["npm"] is True
    assert reading.signs()["imag"] is False
    zh = read_sentence("不要用 npm，但是镜像里装了 pnpm。")
    assert zh.signs()["npm"] is True
    assert zh.signs()["pnpm"] is False


@pytest.mark.parametrize(
    "sentence",
    ["Use tabs, not spaces.", "Use tabs not spaces.", "Use tabs instead of spaces.",
     "Use tabs rather than spaces."],
)  # fmt: skip
def test_a_contrast_negates_only_what_is_turned_down(sentence: str) -> None:
    assert read_sentence(sentence).signs() == {"us": False, "tab": False, "space": True}


def test_conditions_of_their_own_are_told() -> None:
    one = read_sentence("Squash commits when the branch is short.")
    other = read_sentence("Do not squash commits if auditors ask.")
    assert compare_signs(one, other).exception
    assert not compare_signs(one, read_sentence("Do not squash commits.")).exception


def test_code_spans_hold_no_cues() -> None:
    assert not read_sentence("Run `git commit --no-edit; not now` first.").clauses[0].negated


def test_sentences_of_wrapped_paragraphs_and_lists() -> None:
    text = (
        "One sentence\nover two lines. Another.\n\n- an item\n- v1.2 of it\n1. third\n一句\n两行。"
    )
    assert split_sentences(text) == [
        "One sentence over two lines",
        "Another",
        "an item",
        "v1.2 of it",
        "third 一句两行",
    ]


def test_a_long_line_is_read_in_bounded_time() -> None:
    reading = read_sentence("not " * 50_000)
    assert len(reading.clauses) <= 200
