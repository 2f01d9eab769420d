"""Which ends other than 0 are failures, of what class, and which repeat."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from vault_cli.errors import UsageError
from vault_cli.features.failures import (
    BENIGN,
    due_groups,
    group_failures,
    read_benign,
    why_benign,
)
from vault_cli.hook.fingerprint import fingerprint
from vault_cli.model.sighting import Sighting


def call(command: str, code: int | None = 1, text: str = "", **more: Any) -> Sighting:
    head = f"Exit code {code}\n" if code is not None else ""
    facts: dict[str, Any] = {
        "key": "k", "at": 1, "host": "codex", "session": "s", "cwd": "", "tool": "shell",
        "given": command, "failed": True, "exit_code": code, "text": head + text, **more,
    }  # fmt: skip
    return Sighting(**facts)


NONE = [
    ("grep -rn TODO src", 1, ""),
    ("cd web && grep -q 'a|b' x.txt", 1, ""),
    ("rg 'def total' --type py", 1, ""),
    ("cat a.txt | grep foo", 1, ""),
    ("git grep 部署", 1, ""),
    ("diff a b", 1, "1c1\n< a\n---\n> b"),
    ("diff -u <(ls a) <(ls b)", 1, "x"),
    ("cmp a b", 1, "a b differ: byte 1, line 1"),
    ("git diff --exit-code", 1, "diff --git a b"),
    ("git diff --stat --exit-code main", 1, "x"),
    ("git diff --quiet", 1, ""),
    ("test -f x", 1, ""),
    ("[ -d build ]", 1, ""),
    ("[[ -n $X ]]", 1, ""),
    ("ls /no/such", 2, "ls: cannot access '/no/such': No such file or directory"),
    ("ls 不存在", 2, "ls: 无法访问 '不存在': 没有那个文件或目录"),
    ("ls a b", 1, "ls: a: No such file or directory"),
    ("mkdir -p x; ls y", 2, "ls: cannot access 'y': No such file or directory"),
    ("pgrep -f server", 1, ""),
    ("which uv", 1, ""),
    ("command -v uv", 127, ""),
    ("timeout 10 sleep 60", 124, ""),
    ("sleep 100", 130, ""),
    ("sudo systemctl is-active nginx", 3, "inactive"),
    ("FOO=1 /usr/bin/grep x y", 1, ""),
    ("make build || grep x log", 1, ""),
    ("", 1, "grep: no match"),
]
FAILED = [
    ("grep -rn '(' src", 2, "grep: Unmatched ( or \\("),
    ("cd nowhere && grep x y", 1, "bash: cd: nowhere: No such file or directory"),
    ("make test && grep -q ok log", 2, ""),
    ("npm test", 1, "1 failing"),
    ("python3 -m pytest", 1, "1 failed"),
    ("git diff", 128, "fatal: bad revision"),
    ("cat /no/such", 1, "cat: /no/such: No such file or directory"),
    ("ls -z", 2, "ls: invalid option -- 'z'"),
    ("grep x y | wc -l; exit 3", 3, ""),
    ("echo grep; false_program", 1, ""),
    ("xgrep x", 1, ""),
    ("", 2, "grep: x: No such file or directory"),
]


@pytest.mark.parametrize(("command", "code", "text"), NONE)
def test_an_exit_code_that_is_an_answer(command: str, code: int, text: str) -> None:
    assert why_benign(call(command, code, text), read_benign(()))


@pytest.mark.parametrize(("command", "code", "text"), FAILED)
def test_an_exit_code_that_is_a_failure(command: str, code: int, text: str) -> None:
    assert why_benign(call(command, code, text), read_benign(())) == ""


def test_what_a_person_stopped_is_none_whatever_the_tool() -> None:
    assert why_benign(call("make", tool="edit", interrupted=True), ()) == "a person stopped it"
    assert why_benign(call("grep x", tool="edit"), read_benign(())) == ""


def test_the_list_can_be_changed() -> None:
    own = read_benign(["shellcheck exit=1 says=SC", "-ls exit=1,2 says=No such file"])
    assert why_benign(call("shellcheck a.sh", 1, "SC2086"), own) == "shellcheck"
    assert why_benign(call("shellcheck a.sh", 1, "syntax"), own) == ""
    assert why_benign(call("ls x", 2, "ls: x: No such file or directory"), own) == ""
    assert len(read_benign([])) == len(set(BENIGN)) == len(BENIGN)


@pytest.mark.parametrize(
    "line", ["exit=1", "grep exit=one", "grep says=", "says=x", "x exit=", "x exit=²"]
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(UsageError, match=r"guard\.benign"):
        read_benign([line])


class Failed(NamedTuple):
    sighting: Sighting
    fingerprint: str
    template: str


def failed(seen: Sighting) -> Failed:
    return Failed(seen, *fingerprint(seen.tool, seen.text))


def test_raw_and_corrected_counts_are_both_kept() -> None:
    seen = [
        call("python3 -m pytest", text="No module named pytest", session=str(number % 2), at=number)
        for number in range(4)
    ]
    seen += [call("grep x y", at=number) for number in range(5)]
    seen += [call("./run.sh", at=9)]
    groups = {
        group.fingerprint: group for group in group_failures(map(failed, seen), read_benign(()))
    }
    counts = sorted((len(g.raw), len(g.counted), g.sessions, g.cls) for g in groups.values())
    assert counts == [(4, 4, 2, "P"), (6, 1, 1, "M")]
    benign = next(g.benign for g in groups.values() if g.benign)
    assert benign == {"grep": 5}
    due = list(due_groups(groups.values(), 3, ()))
    assert [len(group.counted) for group in due] == [4]
    assert list(due_groups(groups.values(), 3, {due[0].fingerprint})) == []


def test_only_the_calls_of_a_project_count_for_it() -> None:
    seen = [
        call("make", cwd="/work/shop/web", at=1),
        call("make", cwd="/work/shop", at=2),
        call("make", cwd="/work/shopping", at=3),
        call("make", cwd="", at=4),
    ]
    (group,) = group_failures(map(failed, seen), (), below="/work/shop")
    assert [one.at for one in group.raw] == [1, 2, 4]
