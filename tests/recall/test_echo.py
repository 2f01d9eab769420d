"""What mvault said itself is known again: wrapped, indented, quoted, numbered, cut, flattened."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import SAMPLE_VAULT, run

from vault_cli.hook.injected import fingerprint
from vault_cli.recall.echo import Echo
from vault_cli.store.vault import Vault
from vault_cli.text.markers import wrap_block

REAL = "No, that's wrong. In this repo always use make test, never call pytest directly."
REAL_ZH = "不对，以后跑测试一律用 make test，不要直接调用 pytest。"
HOW: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in markers": wrap_block,
    "in a reminder": lambda block: f"<system-reminder>\nSessionStart hook additional context: {block}\n</system-reminder>",
    "indented": lambda block: textwrap.indent(block, "        "),
    "quoted": lambda block: textwrap.indent(block, "> ", lambda _: True),
    "quoted twice": lambda block: textwrap.indent(block, "> > ", lambda _: True),
    "numbered": lambda block: "".join(f"{n:6}\u2192{line}\n" for n, line in enumerate(block.split("\n"), 1)),
    "wrapped": lambda block: "\n".join("\n".join(textwrap.wrap(line, 40)) for line in block.split("\n")),
    "wrapped and quoted": lambda block: textwrap.indent("\n".join(
        "\n".join(textwrap.wrap(line, 52)) for line in block.split("\n")), "> ", lambda _: True),
    "cut at the end": lambda block: block[: len(block) // 2],
    "cut at the beginning": lambda block: block[len(block) // 2 :],
    "cut in every line": lambda block: "\n".join(f"{line[:60]}…" if len(line) > 60 else line for line in block.split("\n")),
    "without markdown": lambda block: block.replace("**", "").replace("`", "").replace("### ", ""),
    "windows lines": lambda block: block.replace("\n", "\r\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def block() -> str:
    return run("--vault", SAMPLE_VAULT, "render").ok().out


@pytest.fixture(scope="module")
def by_records() -> Echo:
    return Echo((), Vault.open(SAMPLE_VAULT, environ={}).snapshot().records)


@pytest.fixture(scope="module")
def by_marks(block: str) -> Echo:
    return Echo({fingerprint(line) for line in block.split("\n")} - {""})


def letters_of(text: str) -> int:
    return sum(char.isalnum() for char in text)


@pytest.mark.parametrize("how", HOW)
def test_known_by_the_records_whatever_a_host_did(how: str, block: str, by_records: Echo) -> None:
    for real in (REAL, REAL_ZH):
        for text in (f"{HOW[how](block)}\n\n{real}", f"{real}\n\n{HOW[how](block)}"):
            left = by_records.without(text)
            assert real in left
            assert letters_of(left) - letters_of(real) <= 40, left


@pytest.mark.parametrize(
    "how", [h for h in HOW if not h.startswith("cut in") and h != "without markdown"]
)
def test_known_by_fingerprints_alone(how: str, block: str, by_marks: Echo) -> None:
    left = by_marks.without(f"{HOW[how](block)}\n\n{REAL_ZH}")
    assert REAL_ZH in left
    # The two ends of a cut line are no whole line, and short lines have no fingerprint.
    assert letters_of(left) - letters_of(REAL_ZH) <= 160, left


def test_a_block_that_was_cut_does_not_swallow_what_follows(by_records: Echo, block: str) -> None:
    begin = wrap_block(block)[: len(block) // 3]
    text = f"{begin}\n{REAL}\n{wrap_block(block)}\n{REAL_ZH}"
    left = by_records.without(text)
    assert REAL in left
    assert REAL_ZH in left
    half = f"<mvault-memory>\n{REAL}\n<mvault-memory>\nx\n</mvault-memory>\n{REAL_ZH}"
    assert by_records.without(half).split("\n") == [REAL, "", REAL_ZH]


def test_flattened_into_one_line(by_records: Echo, block: str) -> None:
    entry = block[block.index("- [l-404sy9g]") : block.index("- [l-k0d6fnr]")]
    left = by_records.without(f"{' '.join(entry.split())} {REAL}")
    assert "always use make test" in left
    assert "payment.succeeded" not in left


@pytest.mark.parametrize(
    "text",
    [
        "don't do that",
        "use the webhook handler",
        "Correction",
        "The card provider is wrong here, it was credited twice and not three times",
        "不要这样",
        "网关变慢了",
        "",
    ],
)
def test_a_person_s_own_words_stay(text: str, by_records: Echo, by_marks: Echo) -> None:
    assert by_records.without(text) == text
    assert by_marks.without(text) == text


def test_a_reply_between_quoted_lines_stays(by_records: Echo, block: str) -> None:
    lines = [line for line in block.split("\n") if len(line) > 60]
    text = f"> {lines[0]}\nno!\n\n不对，应该用 make test\n\n> {lines[1]}"
    assert "不对，应该用 make test" in by_records.without(text)


def test_no_record_and_no_mark_is_no_echo() -> None:
    assert Echo().without(f"{REAL}\n{REAL_ZH}") == f"{REAL}\n{REAL_ZH}"


def test_a_long_text_takes_no_long(tmp_path: Path, by_records: Echo, by_marks: Echo) -> None:
    import time

    text = "\n".join(f"line {n} of a pasted file: value_{n} = {n * n}" for n in range(1200))
    start = time.process_time()
    assert by_records.without(text).count("\n") == 1199
    assert by_marks.without(text).count("\n") == 1199
    assert time.process_time() - start < 8
    for evil in ("<mvault-memory>" * 3000, "<!-- mvault:begin " * 3000, "<system-reminder>" * 3000):
        start = time.process_time()
        by_records.without(evil)
        assert time.process_time() - start < 3
