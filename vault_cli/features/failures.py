"""Failures that repeat: which count, of what class they are, which are due for a guard. + `hook`.

Not every exit other than 0 is a failure: `grep` says so that it found nothing. Such ends are told
apart by a list that a person can change; they are kept, and counted beside the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from vault_cli.errors import UsageError
from vault_cli.hook.command_words import Part, split_command
from vault_cli.model.sighting import Sighting
from vault_cli.text.exit_words import without_code
from vault_cli.text.late import late
from vault_cli.text.values import whole_number

MODEL: Final = "M"
PRECONDITION: Final = "P"
ARTEFACT: Final = "A"
CLASSES: Final = {
    MODEL: "the call was wrong",
    PRECONDITION: "something was missing: a program, a module, a network, a right",
    ARTEFACT: "no failure: the exit code is an answer",
}

BENIGN: Final = (
    "grep exit=1",
    "egrep exit=1",
    "fgrep exit=1",
    "zgrep exit=1",
    "rg exit=1",
    "ag exit=1",
    "ack exit=1",
    "git grep exit=1",
    "diff exit=1",
    "colordiff exit=1",
    "cmp exit=1",
    "comm exit=1",
    "git diff --exit-code exit=1",
    "git diff --quiet exit=1",
    "git diff --no-index exit=1",
    "git diff --check exit=2",
    "git merge-base --is-ancestor exit=1",
    "git show-ref exit=1",
    "git rev-parse --verify exit=1,128",
    "git check-ignore exit=1",
    "git config --get exit=1",
    "git ls-files --error-unmatch exit=1",
    "test exit=1",
    "[ exit=1",
    "[[ exit=1",
    "expr exit=1",
    "false exit=1",
    "ls exit=1,2 says=No such file",
    "ls exit=1,2 says=没有那个文件",
    "stat exit=1 says=No such file",
    "pgrep exit=1",
    "pidof exit=1",
    "which exit=1",
    "type exit=1",
    "command -v exit=1,127",
    "timeout exit=124",
    "systemctl is-active exit=3",
    "systemctl is-enabled exit=1",
    "kubectl diff exit=1",
    "terraform plan -detailed-exitcode exit=2",
    "jq -e exit=1,4",
    "npm outdated exit=1",
    "* exit=130",
)
"""Ends that are answers: the command's words, `exit=` codes, `says=` a text of its output.

`*` is any command; 130 is what a shell says of a program that a person interrupted.
"""

_PRECONDITION: Final = late(
    r"command not found|not recognized as|no module named|cannot find (?:module|package)"
    r"|could not (?:find|resolve|connect)|couldn't connect|connection (?:refused|reset|timed out)"
    r"|econnrefused|etimedout|enotfound|network is unreachable|permission denied|eacces"
    r"|access(?: is)? denied|not installed|no space left|enospc|not running|unauthori[sz]ed"
    r"|authentication failed|address already in use|eaddrinuse|no such host|certificate"
    r"|connect(?:ion)? .{0,60}refused"
    r"|未找到命令|没有那个命令|未安装|拒绝连接|连接超时|权限不足|没有权限|磁盘空间不足|被占用|无法连接",
    re.IGNORECASE,
)


_SUBSTITUTED: Final = late(r"[$<>]\([^()]*\)|`[^`]*`")
_DEEPEST: Final = 5
_NAMED: Final = late(r"([\w.+-]{1,30}): ")


class Benign(NamedTuple):
    """One line of the list.

    Args:
        words: that the command begins with; options may stand between them.
        codes: exit codes, empty for every one.
        says: a text of the output, "" for any.
    """

    words: tuple[str, ...]
    codes: frozenset[int]
    says: str

    def fits(self, part: Part) -> bool:
        """Tell whether a simple command is one of this kind."""
        if self.words == ("*",):
            return True
        return self._begins([part.name, *part.words[part.head + 1 :]]) or self._begins(part.words)

    def _begins(self, own: Sequence[str]) -> bool:
        if own[0] != self.words[0]:
            return False
        place = 1
        for word in self.words[1:]:
            while place < len(own) and own[place] != word and own[place].startswith("-"):
                place += 1
            if place < len(own) and own[place] != word and word.startswith("-"):
                place = own.index(word, place) if word in own[place:] else len(own)
            if place >= len(own) or own[place] != word:
                return False
            place += 1
        return True


def read_benign(texts: Iterable[str]) -> tuple[Benign, ...]:
    """Return the list that counts: ours, with what a person adds; `-LINE` takes one of ours out.

    Raises:
        UsageError: a line cannot be read.
    """
    lines = list(BENIGN)
    for text in texts:
        line = " ".join(text.split())
        if line.startswith("-") and line[1:].strip() in lines:
            lines.remove(line[1:].strip())
        elif line:
            lines.append(line)
    return tuple(map(_read_line, dict.fromkeys(lines)))


def _read_line(line: str) -> Benign:
    head, sign, says = line.partition(" says=")
    words, codes = [], frozenset[int]()
    for word in head.split():
        if word.startswith("exit="):
            numbers = list(map(whole_number, word[5:].split(",")))
            codes = frozenset(number for number in numbers if number is not None)
            if None in numbers:
                raise _bad_line(line)
        else:
            words.append(word)
    if not words or words[0].startswith("says=") or (sign and not says):
        raise _bad_line(line)
    return Benign(tuple(words), codes, says)


def _bad_line(line: str) -> UsageError:
    return UsageError(
        f"guard.benign: {line!r} cannot be read",
        hint="Write the command's words, then exit=1 or exit=1,2, then says=TEXT.",
    )


def why_benign(seen: Sighting, benign: Sequence[Benign]) -> str:
    """Return why a failed call is none, "" when it is one.

    A shell command is judged by the simple command that gave it its exit code. Of several joined by
    `&&` any may have; then only one that said nothing counts, or one that is known by what it says.
    """
    if seen.interrupted:
        return "a person stopped it"
    if seen.tool != "shell":
        return ""
    output = without_code(seen.text)
    if seen.given:
        deciding = _deciding(split_command(_flat(seen.given), into_quotes=False))
    else:  # the command is not known: programs begin what they say with their name
        named = _NAMED.match(output)
        deciding = [Part("", [named[1]])] if named else []
    for line in benign:
        if seen.exit_code not in line.codes if line.codes and seen.exit_code is not None else False:
            continue
        if line.codes and seen.exit_code is None and (output.strip() or not seen.given):
            continue
        if line.says and line.says not in output:
            continue
        if len(deciding) > 1 and output.strip() and not line.says:
            continue
        if any(line.fits(part) for part in deciding):
            return " ".join(line.words)
    return ""


def _flat(command: str) -> str:
    """Return a command without what is substituted into it, which does not give the exit code."""
    for _ in range(_DEEPEST):
        command, number = _SUBSTITUTED.subn("x", command)
        if not number:
            break
    return command


def _deciding(parts: Sequence[Part]) -> list[Part]:
    """Return the simple commands of which one gave the exit code."""
    found: list[Part] = []
    for place in range(len(parts) - 1, -1, -1):
        part = parts[place]
        if not found or parts[place + 1].mark == "&&":
            found.append(part)
        elif parts[place + 1].mark != "|":
            break
    return found


class Failed(Protocol):
    """What is asked of a failed call (`store.failures.Failure`)."""

    @property
    def sighting(self) -> Sighting: ...  # noqa: D102

    @property
    def fingerprint(self) -> str: ...  # noqa: D102

    @property
    def template(self) -> str: ...  # noqa: D102


@dataclass(slots=True)
class Group:
    """All failures with one fingerprint.

    Args:
        fingerprint: what names them.
        tool: canonical name.
        template: the masked error.
        raw: how many there were.
        counted: those of them that are failures.
        benign: why others are none, with how often.
    """

    fingerprint: str
    tool: str
    template: str
    raw: list[Sighting] = field(default_factory=list)
    counted: list[Sighting] = field(default_factory=list)
    benign: dict[str, int] = field(default_factory=dict)

    @property
    def cls(self) -> str:
        """Its class: a key of `CLASSES`."""
        if not self.counted:
            return ARTEFACT
        return PRECONDITION if _PRECONDITION.search(self.template) else MODEL

    @property
    def sessions(self) -> int:
        """In how many sessions it was counted."""
        return len({seen.session for seen in self.counted}) if self.counted else 0

    @property
    def last(self) -> int:
        """Unix time of the newest."""
        return max(seen.at for seen in self.raw)

    @property
    def first(self) -> int:
        """Unix time of the oldest."""
        return min(seen.at for seen in self.raw)

    def as_data(self) -> dict[str, Any]:
        """Return the promised JSON shape."""
        return {
            "fingerprint": self.fingerprint,
            "tool": self.tool,
            "error": self.template,
            "class": self.cls,
            "raw": len(self.raw),
            "counted": len(self.counted),
            "benign": dict(self.benign),
            "sessions": self.sessions,
            "hosts": sorted({seen.host for seen in self.raw if seen.host}),
        }


def group_failures(
    failures: Iterable[Failed], benign: Sequence[Benign], *, below: str = ""
) -> list[Group]:
    """Return the failures by fingerprint, the most counted first.

    Args:
        failures: in the order they happened.
        benign: which ends are none.
        below: only those of this folder, and those of which the folder is not known.
    """
    groups: dict[str, Group] = {}
    for failure in failures:
        seen = failure.sighting
        if below and seen.cwd and not _is_below(seen.cwd, below):
            continue
        group = groups.get(failure.fingerprint)
        if group is None:
            group = Group(failure.fingerprint, seen.tool, failure.template)
            groups[failure.fingerprint] = group
        group.raw.append(seen)
        why = why_benign(seen, benign)
        if why:
            group.benign[why] = group.benign.get(why, 0) + 1
        else:
            group.counted.append(seen)
    return sorted(groups.values(), key=lambda one: (-len(one.counted), -one.last, one.fingerprint))


def _is_below(folder: str, root: str) -> bool:
    return folder == root or folder.startswith(root.rstrip("/") + "/")


def due_groups(groups: Iterable[Group], threshold: int, known: Collection[str]) -> Iterator[Group]:
    """Yield the groups that repeated often enough and that nobody proposed yet."""
    for group in groups:
        if len(group.counted) >= threshold and group.fingerprint not in known:
            yield group
