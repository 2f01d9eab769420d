"""The `guard:` of a record: read it, judge how much it would hit, compile it. + `hook.guard`.

A guard names tool calls that went wrong before: which tools, which words (or which pattern) of
their input, and what to do when such a call comes. It is part of a record, so it is admitted,
disputed and taken out of force with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vault_cli.hook import guard as fast
from vault_cli.hook.command_words import group_words
from vault_cli.hook.tools import FIELDS, MAIN_FIELDS, canonical
from vault_cli.text.late import late
from vault_cli.text.neutral import neutral_inline
from vault_cli.text.pattern import PatternError, compile_pattern, word_literals
from vault_cli.text.values import BadValueError, describe

CODE: Final = "guard-refused"
SHELL: Final = "shell"
PATTERN_SIGN: Final = "re:"
KEYS: Final = (
    "tools",
    "field",
    "match",
    "action",
    "instead",
    "cooldown",
    "examples",
    "fingerprint",
)
ACTIONS: Final = (fast.WARN, fast.DENY)
MAX_MATCH: Final = 500
MAX_TEXT: Final = 300
MAX_EXAMPLES: Final = 50
MOST_HIT: Final = 0.5
"""A guard that hits this share of everyday calls, or more, is refused."""

MOST_DENIED: Final = 0.2
"""One that denies and hits this share or more only warns."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME: Final = late(r"(\d{1,5})\s*([smhd])")
_LONGEST: Final = 7 * 86400

EVERYDAY_COMMANDS: Final = (
    "ls -la",
    "cat README.md",
    "cd src && ls",
    "pwd",
    "git status",
    "git diff HEAD~1",
    "git add -A && git commit -m 'Fix the cart'",
    "git log --oneline -5",
    "git checkout -b feature/cart",
    "git push origin main",
    "grep -rn TODO src",
    "rg 'def total' --type py",
    "find . -name '*.py' | head",
    "python -m pytest -q tests",
    "python3 scripts/load.py --dry-run",
    "pip install -e .",
    "npm ci",
    "npm run build",
    "npx tsc --noEmit",
    "node index.js",
    "make test",
    "cargo build --release",
    "go test ./...",
    "docker compose up -d",
    "docker ps",
    "kubectl get pods -n shop",
    "curl -s http://localhost:8080/health",
    "psql -c 'select 1'",
    "mkdir -p build && cp a.txt build/",
    "rm -rf build",
    "mv old.py new.py",
    "sed -n 1,40p app.py",
    "echo done",
    "tail -n 50 app.log",
    "chmod +x run.sh",
    "export PATH=/opt/bin:$PATH",
    "ps aux | grep python",
    "tar czf out.tgz dist",
    "which uv",
    "touch notes.txt",
)
EVERYDAY_PATHS: Final = (
    "/home/dev/shop/src/cart.py",
    "/home/dev/shop/src/order.ts",
    "/home/dev/shop/README.md",
    "/home/dev/shop/package.json",
    "/home/dev/shop/tests/test_cart.py",
    "/home/dev/shop/migrations/0001_init.sql",
    "/home/dev/shop/.env",
    "/home/dev/shop/Makefile",
    "/home/dev/shop/docs/使用说明.md",
    "/home/dev/shop/.github/workflows/ci.yml",
)
"""Calls as they come every day: what hits most of these hits everything."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What stands under `guard:`, checked.

    Args:
        tools: canonical names; `*` for every tool, `mcp:<server>/*` for those of a server.
        field: of the tool's input, "" for its main one.
        match: as written: words in order, or a pattern behind `re:`.
        action: `warn` or `deny`.
        instead: what to do, "" when nothing is said.
        cooldown: seconds in which a stopped call passes when it is made again.
        hit, miss: examples of inputs that it hits, and that it must not.
        fingerprint: of the failure that it was proposed for, "" for none.
    """

    tools: tuple[str, ...]
    field: str
    match: str
    action: str
    instead: str
    cooldown: int
    hit: tuple[str, ...]
    miss: tuple[str, ...]
    fingerprint: str = ""

    @property
    def first_tool(self) -> str:
        """The tool that its examples are of."""
        return next((name for name in self.tools if name != "*"), SHELL)


def read_guard(value: Any) -> Guard | None:
    """Return the guard of a record as its front matter has it; None for none.

    Args:
        value: what stands under `guard`, as typed.

    Raises:
        BadValueError: it cannot be used; the guard then stops nothing.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, Mapping):
        raise _refuse(f"{describe(value)} where keys belong", "Write match: and action: below it.")
    unknown = next((key for key in value if key not in KEYS), None)
    if unknown is not None:
        raise _refuse(f"there is no key {describe(unknown)}", f"Known: {', '.join(KEYS)}.")
    examples = value.get("examples") or {}
    if not isinstance(examples, Mapping) or not set(examples) <= {"hit", "miss"}:
        raise _refuse("`examples` has `hit` and `miss`", "Write {hit: [...], miss: [...]}.")
    action = _text("action", value.get("action")) or fast.WARN
    if action not in ACTIONS:
        raise _refuse(f"there is no action {describe(action)}", "Use warn or deny.")
    return Guard(
        tools=tuple(map(canonical, _texts("tools", value.get("tools")))) or (SHELL,),
        field=_field(_text("field", value.get("field"))),
        match=_match(_text("match", value.get("match"))),
        action=action,
        instead=_text("instead", value.get("instead")),
        cooldown=read_duration(_text("cooldown", value.get("cooldown")), fast.DEFAULT_COOLDOWN),
        hit=_texts("examples.hit", examples.get("hit")),
        miss=_texts("examples.miss", examples.get("miss")),
        fingerprint=_text("fingerprint", value.get("fingerprint")),
    )


def check_guard(value: Any) -> Guard | None:
    """Return the guard, asked all that a reader of the vault asks of it.

    Raises:
        BadValueError: as `read_guard`, and when it hits nearly everything.
    """
    found = read_guard(value)
    if found is not None:
        require_narrow(found)
    return found


def require_narrow(guard: Guard) -> None:
    """Refuse a guard that would stop an agent whatever it does.

    Raises:
        BadValueError: it matches the empty text, or too many of the everyday calls.
    """
    share = breadth(guard)
    if share >= MOST_HIT:
        raise _refuse(
            f"it hits {share:.0%} of everyday calls: it would stop everything",
            "Name the words that only the wrong call has.",
        )


def breadth(guard: Guard) -> float:
    """Return the share of everyday calls that a guard hits: of commands or of paths, the larger."""
    rule = compile_rule(guard)
    if rule[fast.FORM] == fast.PATTERN and compile_pattern(guard.match[3:].strip()).is_empty:
        return 1.0
    shares = []
    if guard.field in {"", "command"}:
        shares.append([fast.hits(rule, SHELL, text) for text in EVERYDAY_COMMANDS])
    if guard.field in {"", "path"}:
        shares.append([fast.hits(rule, "edit", text) for text in EVERYDAY_PATHS])
    if not shares:
        shares.append([fast.hits(rule, "", text) for text in EVERYDAY_COMMANDS])
    if "*" not in guard.tools and SHELL not in guard.tools and len(shares) > 1:
        shares = shares[1:]
    elif guard.tools == (SHELL,):
        shares = shares[:1]
    return max(sum(found) / len(found) for found in shares)


def action_in_force(guard: Guard) -> str:
    """Return what a guard does: one that denies too much only warns."""
    if guard.action == fast.DENY and breadth(guard) >= MOST_DENIED:
        return fast.WARN
    return guard.action


def compile_rule(
    guard: Guard,
    *,
    record_id: str = "",
    vault: str = "",
    title: str = "",
    action: str = "",
    session: str = "",
    source: str = "",
) -> tuple[Any, ...]:
    """Return the rule for the compiled index (places: `hook.guard`).

    Args:
        guard: checked.
        record_id: of its record.
        title: of its record; made harmless for a prompt.
        vault: folder of its vault.
        action: instead of its own, `log` for one that only logs.
        session: the only session that it counts in, "" for all.
        source: absolute path of the record's file.
    """
    literals: tuple[bytes, ...]
    program: tuple[Any, ...]
    if guard.match.startswith(PATTERN_SIGN):
        pattern = compile_pattern(guard.match[len(PATTERN_SIGN) :].strip())
        form, program, folded = fast.PATTERN, pattern.program, pattern.folded
        literals = tuple(word.encode("ascii") for word in pattern.literals)
    else:
        form, folded = fast.WORDS, False
        program = group_words(guard.match)
        words = [word for _, words in program for word in words]
        found = [literal for literal in map(word_literals, words) if literal]
        literals = max(found, key=lambda one: min(map(len, one)), default=())
    return (
        record_id,
        vault,
        said(title),
        action or guard.action,
        guard.tools,
        guard.field,
        form,
        program,
        literals,
        folded,
        guard.cooldown,
        said(guard.instead),
        session,
        source,
        fast.stamp(source)[1:],
    )


def said(text: str) -> str:
    """Return a text of a record as an agent is told it: one short line that gives no orders."""
    line = neutral_inline(text)
    return f"{line[: MAX_TEXT - 1]}…" if len(line) > MAX_TEXT else line.rstrip(".。")


def read_duration(text: str, default: int) -> int:
    """Return seconds of `90s`, `10m`, `2h`, `1d`; "" is the default.

    Raises:
        BadValueError: it is no such time, or longer than a week.
    """
    if not text:
        return default
    found = _TIME.fullmatch(text.strip())
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < seconds <= _LONGEST:
        raise _refuse(f"{describe(text)} is no time", "Write 90s, 10m, 2h or 1d (7d at most).")
    return seconds


def _refuse(message: str, hint: str) -> BadValueError:
    return BadValueError(message, hint, CODE)


def _text(key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _refuse(f"`{key}` is {describe(value)}", "Put the text in quotes.")
    if len(value) > MAX_MATCH:
        raise _refuse(f"`{key}` has more than {MAX_MATCH} characters", "Shorten it.")
    return value.strip()


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, Sequence) or not all(isinstance(item, str) for item in items):
        raise _refuse(f"`{key}` is no list of texts", "Write [one, two], quoted if needed.")
    if len(items) > MAX_EXAMPLES:
        raise _refuse(f"`{key}` has more than {MAX_EXAMPLES} entries", "Shorten it.")
    return tuple(item for item in items if item.strip())


def _field(name: str) -> str:
    """Return our name of a field, where the host's own was written; others stay."""
    if name in FIELDS or name in MAIN_FIELDS.values():
        return name
    return next((ours for ours, names in FIELDS.items() if name in names[:1]), name)


def _match(text: str) -> str:
    """Return the words or the pattern, tried."""
    hint = "Write the words that the wrong call has, or re: and a pattern."
    if not text:
        raise _refuse("`match` says nothing", hint)
    try:
        if text.startswith(PATTERN_SIGN):
            compile_pattern(text[len(PATTERN_SIGN) :].strip())
        else:
            group_words(text)
    except PatternError as error:
        raise _refuse(f"the pattern {describe(text)} is refused: {error}", hint) from None
    except ValueError as error:
        raise _refuse(f"the words {describe(text)} are refused: {error}", hint) from None
    return text
