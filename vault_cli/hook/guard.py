"""Compiled guards: load them, match a tool call, remember that a warning was said. Standard lib.

This runs before every tool call, so it loads little: neither `json` nor `re`, and the matchers only
when a literal of a rule stands in the payload. The index is one sealed file of plain tuples that
`store.guard_index` writes; a rule is a tuple, by the places below.

Matching takes a bounded number of steps whatever the rule and the text: words are looked for in one
pass, patterns run as sets of states.
"""

from __future__ import annotations

import marshal
import sys

from vault_cli.hook.guard_look import (
    MAGIC,
    clock,
    find_section,
    named_section,
    read_file,
    split,
    stamp,
    write_head,
)
from vault_cli.hook.system import calls

__all__ = ["clock", "named_section", "stamp"]

TYPE_CHECKING = False  # the name that type checkers know; `typing` takes 8 ms to load

if TYPE_CHECKING:
    from typing import Any

MAC_SIZE = 16
TOKEN_SIZE = 32
TOKEN_FILE = "cache-token"  # noqa: S105 - a name of a file
COOLDOWNS = "cooldown"
NAME = "guards.bin"
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"

# places in a rule
ID = 0
VAULT = 1
"""Folder of the vault that the rule is from."""
TITLE = 2
ACTION = 3
TOOLS = 4
FIELD = 5
FORM = 6
PROGRAM = 7
LITERALS = 8
"""Bytes of which one stands in every payload that the rule matches; () when there are none."""
FOLDED = 9
"""Whether the literals are those of the payload in lower case."""
COOLDOWN = 10
INSTEAD = 11
SESSION = 12
SOURCE = 13
"""Absolute path of the file of its record."""
STAMP = 14
"""Time of change and size of that file."""

ALLOW = "allow"
WARN = "warn"
DENY = "deny"
LOGGED = "log"
ACTIONS = (DENY, WARN, LOGGED)
WORDS = "words"
PATTERN = "re"

DEFAULT_COOLDOWN = 600
"""Seconds in which a call that was stopped passes when it is made again."""

MAX_TEXT = 16 << 10
"""Characters of a field that are looked at."""

MAX_STEPS = 150_000
"""Steps after which matching one pattern gives up, as if it had not matched."""


class Index:
    """What was compiled on this machine.

    Args:
        sections: by folder (`""`: wherever no other one holds): (stamps, until, rules). A stamp is
            (path, time of change in ns, size); `until`: when the rules may change by the clock, 0
            for never. Rules are a tuple, or its marshalled bytes until somebody asks (`rules_of`).
        off: until when a person has switched rules off, by `off_key`.
    """

    __slots__ = ("off", "sections")

    def __init__(self, sections: dict[str, tuple[Any, ...]], off: dict[str, float]) -> None:
        self.sections = sections
        self.off = off

    def __bool__(self) -> bool:
        """Whether there is anything to look up."""
        return bool(self.sections)

    def rules_of(self, key: str) -> tuple[tuple[Any, ...], ...]:
        """Return the rules of a section."""
        rules: tuple[tuple[Any, ...], ...] | bytes = self.sections[key][2]
        return marshal.loads(rules) if isinstance(rules, bytes) else rules  # noqa: S302 - sealed

    def section(self, folder: str) -> str | None:
        """Return the key of the section for a folder, None for none."""
        return find_section(self.sections, folder)


class Verdict:
    """What becomes of a call.

    Args:
        action: `allow`, `warn` (stopped this once), `deny`, or `log` (runs; a rule that does not
            count now would have matched).
        id, vault: of the record with the guard, "" for allow.
        reason: what the agent is told.
        tool: canonical name.
    """

    __slots__ = ("action", "id", "reason", "tool", "vault")

    def __init__(
        self, action: str, record_id: str = "", vault: str = "", reason: str = "", tool: str = ""
    ) -> None:
        self.action = action
        self.id = record_id
        self.vault = vault
        self.reason = reason
        self.tool = tool


def collect_needs(
    sections: dict[str, tuple[Any, ...]],
) -> tuple[tuple[bytes, ...], tuple[bytes, ...], bool]:
    """Return the literals of all rules, each once, and whether a rule needs none."""
    plain: dict[bytes, None] = {}
    folded: dict[bytes, None] = {}
    always = False
    for section in sections.values():
        rules = section[2]
        for rule in marshal.loads(rules) if isinstance(rules, bytes) else rules:  # noqa: S302
            (folded if rule[FOLDED] else plain).update(dict.fromkeys(rule[LITERALS]))
            always = always or not rule[LITERALS]
    return tuple(plain), tuple(folded), always


def seal(body: bytes, token: bytes) -> bytes:
    """Return the seal of an index in hex; only this machine's token makes it (BLAKE2, RFC 7693)."""
    made = _blake2(MAGIC + body, key=token, digest_size=MAC_SIZE, person=b"mvault guard")
    return str(made.hexdigest()).encode("ascii")


def _blake2(data: bytes, **options: Any) -> Any:
    try:
        from _blake2 import blake2b  # without OpenSSL, which takes 2 ms to load
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, **options)


def dump(index: Index, token: bytes) -> bytes:
    """Return the bytes of an index file."""
    sections = {
        key: (stamps, until, marshal.dumps(index.rules_of(key), 4) if rules else ())
        for key, (stamps, until, rules) in index.sections.items()
    }
    body = marshal.dumps((PYTHON, sections, index.off), 4)
    head = write_head(sections, collect_needs(sections))
    return b"%s%s %d\n%s%s" % (MAGIC, seal(head + body, token), len(head), head, body)


def load(path: str, token_path: str = "") -> Index:
    """Return the index in a file; an empty one when there is none that can be believed.

    What another program, another Python or another machine wrote, or what is damaged, reads as
    empty.

    Args:
        path: the file.
        token_path: the machine's token; by default in the state folder, two folders up.
    """
    token_path = token_path or f"{_above(_above(path))}/{TOKEN_FILE}"
    try:
        return parse(read_file(path), read_file(token_path))
    except OSError:
        return Index({}, {})


def parse(data: bytes, token: bytes) -> Index:
    """Return the index that the bytes of a file hold; an empty one when they are not believed."""
    try:
        said, head, body = split(data)
        if len(token) != TOKEN_SIZE or seal(head + body, token) != said:
            return Index({}, {})
        python, sections, off = marshal.loads(body)  # noqa: S302 - sealed by this machine
    except (ValueError, IndexError, EOFError, TypeError):
        return Index({}, {})
    return Index(sections, off) if python == PYTHON else Index({}, {})


def _above(path: str) -> str:
    return path[: max(path.rfind("/"), path.rfind("\\"), 0)]


def match(
    index: Index,
    host: str,
    tool: str,
    given: object,
    *,
    cwd: str = "",
    session: str = "",
    state: str = "",
    now: float = 0,
    made: tuple[str, str, bool] = ("", "", False),
) -> Verdict:
    """Return the verdict on a tool call.

    `warn` stops the first matching call of a session, and those made beside it; while its cooldown
    lasts the call passes that is made after it (`hook.cooldown`).
    Where nothing can remember that it was said, nothing is stopped. Of several rules the strictest
    counts.

    Args:
        index: what `load` gave.
        host: canonical name (rules hold for every host).
        tool: the tool, by any of its names.
        given: its input.
        cwd: folder the agent works in.
        session: id of its session.
        state: the state folder; "" to remember nothing (a warning then lets the call pass).
        now: seconds since 1970; 0 for the clock.
        made: id of the call, its session log, whether this process is its own (`cooldown`).
    """
    del host
    now = now or clock()
    key = index.section(cwd or calls.getcwd())
    rules = () if key is None else index.rules_of(key)
    found = [
        rule
        for rule in matching(rules, tool, given, session=session)
        if not index.off or now >= index.off.get(off_key(rule[VAULT], rule[ID]), 0)
    ]
    # of a file that has changed since nobody knows what it says now
    found = [rule for rule in found if stamp(rule[SOURCE])[1:] == rule[STAMP]]
    if not found:
        return Verdict(ALLOW)
    rule = min(found, key=_rank)
    said = Verdict(rule[ACTION], rule[ID], rule[VAULT], _reason_of(rule), tool)
    if said.action != WARN:
        return said
    from vault_cli.hook.cooldown import is_first

    if not state:
        return Verdict(ALLOW)
    path = cooldown_path(state, session, rule)
    is_to_stop = is_first(path, rule[COOLDOWN], now, made, lambda: spare_path(state, path))
    return said if is_to_stop else Verdict(ALLOW)


def _reason_of(rule: tuple[Any, ...]) -> str:
    if rule[ACTION] == LOGGED:
        return ""
    from vault_cli.hook.reason import reason_of

    seconds = rule[COOLDOWN] if rule[ACTION] == WARN else 0
    return reason_of(rule[ID], rule[TITLE], rule[INSTEAD], seconds)


def _rank(rule: tuple[Any, ...]) -> tuple[int, str]:
    return ACTIONS.index(rule[ACTION]), rule[ID]


def matching(
    rules: tuple[tuple[Any, ...], ...], tool: str, given: object, *, session: str = ""
) -> list[tuple[Any, ...]]:
    """Return all rules that match a tool call; one of another session does not."""
    from vault_cli.hook.tools import canonical, field_text, fits

    name = canonical(tool)
    looks: dict[str, Look] = {}
    found = []
    for rule in rules:
        if (rule[SESSION] and rule[SESSION] != session) or not fits(rule[TOOLS], name):
            continue
        field = rule[FIELD]
        look = looks.get(field)
        if look is None:
            text = field_text(name, given, field)[:MAX_TEXT]
            look = looks[field] = Look(text, is_command=_is_command(name, field))
        if look.text and look.may_hit(rule) and look.hits(rule):
            found.append(rule)
    return found


class Look:
    """A text that rules are held against: cut into commands once, whatever their number.

    Args:
        text: a field of a tool's input.
        is_command: whether it is a shell's.
    """

    __slots__ = ("_data", "_lower", "_parts", "is_command", "text")

    def __init__(self, text: str, *, is_command: bool) -> None:
        self.text = text
        self.is_command = is_command
        self._data = text.encode("utf-8", "surrogatepass")
        self._lower = b""
        self._parts: Any = None

    def may_hit(self, rule: tuple[Any, ...]) -> bool:
        """Tell whether a literal of a rule stands in the text; no is never wrong."""
        literals = rule[LITERALS]
        data = self._data
        if rule[FOLDED]:
            data = self._lower = self._lower or data.lower()
        return not literals or any(map(data.__contains__, literals))

    def hits(self, rule: tuple[Any, ...]) -> bool:
        """Tell whether a rule matches."""
        if rule[FORM] == PATTERN:
            from vault_cli.hook.automaton import search

            return search(rule[PROGRAM], self.text, MAX_STEPS)
        from vault_cli.hook.command_words import in_parts, in_text, split_command

        if not self.is_command:
            return in_text(rule[PROGRAM], self.text)
        if self._parts is None:
            self._parts = split_command(self.text)
        return in_parts(rule[PROGRAM], self._parts)


def _is_command(tool: str, field: str) -> bool:
    return tool == "shell" and field in {"", "command"}


def hits(rule: tuple[Any, ...], tool: str, text: str) -> bool:
    """Tell whether one rule matches a text of the input of a canonical tool."""
    return Look(text, is_command=_is_command(tool, rule[FIELD])).hits(rule)


def fingerprint(tool: str, text: str) -> tuple[str, str]:
    """Return the fingerprint of a failure and its masked text (see `hook.fingerprint`)."""
    from vault_cli.hook.fingerprint import fingerprint as take

    return take(tool, text)


def off_key(vault: str, record_id: str) -> str:
    """Return the name under which it is kept that a person switched a guard off."""
    return f"{vault}\0{record_id}"


def cooldown_path(state: str, session: str, rule: tuple[Any, ...]) -> str:
    """Return the file that remembers when a session was last stopped by a rule."""
    text = "\0".join((session, rule[VAULT], rule[ID])).encode("utf-8", "surrogatepass")
    name = _blake2(text, digest_size=12).hexdigest()
    return f"{state}/hook/{COOLDOWNS}/{name}"


def spare_path(state: str, path: str) -> str:
    """Return where a stop is remembered when the state folder cannot be written, "" for nowhere.

    The sandbox of DSH lets hooks write into the project and temporary folders only. It must be a
    folder that an earlier event left there: a sandbox that begins with an empty temporary folder
    each time would stop the retry, too, for ever.
    """
    from vault_cli.hook.state import is_folder_of_user, spare_folder

    spare = spare_folder(state)
    return f"{spare}/{COOLDOWNS}/{path.rpartition('/')[2]}" if is_folder_of_user(spare) else ""
