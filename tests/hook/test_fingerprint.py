"""When two failures are the same: a table of real tools, in both languages, and what costs time."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from helpers import copy_case
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_cli.hook.fingerprint import MOST_LINES, choose_lines, fingerprint, mask_line

TABLE = Path(__file__).parent / "data" / "failures.tsv"


def rows() -> list[tuple[str, str, str, str]]:
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            verdict, tool, one, other = (
                cell.replace("\\n", "\n").replace("\\x1b", "\x1b").replace("\\t", "\t")
                for cell in line.split("\t")
            )
            found.append((verdict, tool, one, other))
    return found


def test_the_table_covers_both_verdicts_and_both_languages() -> None:
    table = rows()
    counts = Counter(verdict for verdict, *_ in table)
    chinese = Counter(verdict for verdict, _, one, _ in table if re.search(r"[\u4e00-\u9fff]", one))
    assert set(counts) == {"same", "different"}
    assert min(counts.values()) >= 50
    assert min(chinese.values()) >= 6


@pytest.mark.parametrize(("verdict", "tool", "one", "other"), rows())
def test_same_or_different(verdict: str, tool: str, one: str, other: str) -> None:
    first, second = fingerprint(tool, one), fingerprint(tool, other)
    assert (first[0] == second[0]) is (verdict == "same"), (first[1], second[1])


def test_ho_07_when_are_two_failures_the_same(tmp_path: Path) -> None:
    lines = (copy_case("ho-07", tmp_path) / "failures.jsonl").read_text().splitlines()
    groups: dict[str, set[str]] = {}
    sizes: Counter[str] = Counter()
    for row in map(json.loads, lines):
        mark = fingerprint(row["tool"], row["error"])[0]
        groups.setdefault(row["group"], set()).add(mark)
        sizes[mark] += 1
    assert all(len(marks) == 1 for marks in groups.values())
    assert len({next(iter(marks)) for marks in groups.values()}) == len(groups)
    assert {name: sizes[next(iter(marks))] for name, marks in groups.items()} == {
        "A": 4, "B": 2, "C": 2, "D": 1, "E": 1, "F": 2,
    }  # fmt: skip


def test_the_tool_counts_by_its_canonical_name() -> None:
    error = "permission denied"
    assert fingerprint("Bash", error) == fingerprint("run_shell_command", error)
    assert fingerprint("Bash", error)[0] != fingerprint("Edit", error)[0]


def test_order_and_repetition_of_lines_do_not_count() -> None:
    one = "error: a is missing\nerror: b is missing\nerror: a is missing"
    assert (
        fingerprint("shell", one)[0]
        == fingerprint("shell", "error: b is missing\nerror: a is missing")[0]
    )


def test_of_a_long_output_the_lines_that_speak_of_an_error_count() -> None:
    noise = [f"compiling module number {name}" for name in "abcdefghijklmnopqrstuvwxyz"]
    text = "\n".join([*noise[:20], "error: cannot find crate", *noise[20:]])
    assert choose_lines(text) == ["error: cannot find crate"]
    assert choose_lines("\n".join(noise)) == noise[-MOST_LINES // 2 :]


def test_masks_say_what_stood_there() -> None:
    line = "2026-08-01 10:00:01 http://127.0.0.1:8080/x?y=1 failed after 3.5s: status 503, id 9f86d081884c7d65"
    assert (
        mask_line(line)
        == "<time> http://<addr>/<path> failed after <duration>: status 503, id <hash>"
    )


EVIL = [
    "a/" * 400, "1" * 400, "0." * 200, "/a" * 200, "-" * 400, "a:1" * 130, "1," * 200, "(1" * 200,
    "\x1b[" * 200, "Jan " * 100, "get " * 100, "f" * 400, "年1月" * 130, "1:" * 200, "http://" * 60,
]  # fmt: skip


@pytest.mark.parametrize("line", EVIL)
def test_no_output_takes_long(line: str) -> None:
    """Bounded: some lines of bounded length meet the patterns, whatever the output."""
    start = time.process_time()
    fingerprint("shell", "\n".join(f"error {number} {line}" for number in range(200)) * 40)
    assert time.process_time() - start < 5


EARLY, LATE = datetime(2020, 1, 1), datetime(2035, 1, 1)  # noqa: DTZ001 - any clock's
NUMBERS = st.integers(1, 65_535)
VARIED = [
    "{time} connect to {ip}:{port} refused (pid {pid})",
    "error: {path}:{line}:{column}: cannot find name 'total' after {seconds}s",
    "request {id} failed with status 503 in {seconds} ms at {url}",
    "{path}: 第 {line} 行：找不到变量“总价”（进程 {pid}，耗时 {seconds} 秒）",
    "端口 {port} 被占用，地址 {ip}，请求 {id}",
]


@st.composite
def circumstances(draw: st.DrawFn) -> dict[str, str]:
    """What differs from one time to the next."""
    folders = st.lists(
        st.sampled_from(["srv", "home", "dev", "shop", "a.b", "x-1"]), min_size=1, max_size=4
    )
    when = draw(st.datetimes(EARLY, LATE))
    ip = ".".join(str(draw(st.integers(1, 254))) for _ in range(4))
    port = draw(NUMBERS)
    return {
        "time": when.strftime(draw(st.sampled_from(["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d %H:%M:%S"]))),
        "ip": ip, "port": str(port), "pid": str(draw(NUMBERS)), "line": str(draw(NUMBERS)),
        "column": str(draw(st.integers(1, 300))), "seconds": f"{draw(st.integers(0, 9999)) / 100:.2f}",
        "path": "/" + "/".join(draw(folders)) + "/cart.py", "id": str(draw(st.uuids())),
        "url": f"http://{ip}:{port}/{draw(NUMBERS)}",
    }  # fmt: skip


@pytest.mark.parametrize("form", VARIED)
@given(one=circumstances(), other=circumstances())
@settings(max_examples=60)
def test_circumstances_do_not_count(form: str, one: dict[str, str], other: dict[str, str]) -> None:
    first, second = (fingerprint("shell", form.format(**facts)) for facts in (one, other))
    assert first == second


@given(one=st.integers(400, 599), other=st.integers(400, 599))
def test_statuses_and_codes_count(one: int, other: int) -> None:
    for form in (
        "HTTP {}",
        "status code {}",
        "error TS{}: no",
        "exit code {}",
        "状态码：{}",
        "errno {}",
    ):
        same = fingerprint("shell", form.format(one)) == fingerprint("shell", form.format(other))
        assert same is (one == other), form
