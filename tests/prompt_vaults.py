"""Generated vaults and prompts for the tests of what is made ready for prompts."""

from __future__ import annotations

import random
from collections.abc import Iterator

_rng = random.Random(7)
_ENDS = ("", "s", "ing", "ed", "ations", "Count", "_name", "ly")
ENGLISH = [
    "".join(_rng.choices(("dep", "lo", "mig", "ra", "que", "ca", "tim", "sok", "ver"), k=3)) + end
    for end in _ENDS
    for _ in range(40)
]
_SIGNS = "部署分支索引迁移重试超时队列缓存解析发布容器镜像证书轮换备份恢复流水线覆盖率快照"
CHINESE = ["".join(_rng.choices(_SIGNS, k=_rng.randint(2, 3))) for _ in range(250)]
FILLER = ("why does the", "please", "怎么", "为什么", "的", "we should", "，", "and", "now", "了")
ODD = (
    "2026-11-03",
    "11月3日",
    "v3.11",
    "may 5",
    "臺灣資料庫",
    "ＡＰＩ",
    "😀",
    "\u200b",
    "#12",
    "x",
)

_KINDS = ("rule", "lesson", "failure", "fact", "preference", "note", "recipe")


def vault_files(rng: random.Random, number: int, vault: str = "a") -> dict[str, str]:
    """Files of a vault with every sort of record that a prompt may meet."""
    files = {}
    for place in range(number):
        words = rng.choices(ENGLISH if place % 2 else CHINESE, k=rng.randint(2, 5))
        body = " ".join(
            rng.choices([*ENGLISH, *CHINESE], k=rng.choice((3, 3, 8, 8, 20, 20, 20, 200)))
        )
        kind = rng.choice(_KINDS)
        key = f"{kind[0] if kind != 'failure' else 'x'}-{vault}{place:06d}"
        lines = [f"id: {key}", f"kind: {kind}", f"title: {' '.join(words)}"]
        lines += [f"status: {_status(rng)}", f"scope: {_scope(rng)}", "source: user"]
        lines += [f"importance: {rng.randint(1, 10)}", f'created: "2026-10-{place % 28 + 1:02d}"']
        lines += _more(rng, vault, place, number)
        name = f"memories/2026-{place % 3 + 1:02d}/{key}.md"
        files[name] = "---\n" + "\n".join(lines) + f"\n---\n{body}\n"
    for place, name in enumerate((f"shipping {vault}", "数据存储")):
        key = f"t-{vault}{place:06d}"
        files[f"memories/{key}.md"] = (
            f"---\nid: {key}\nkind: topic\ntitle: {name}\nstatus: active\nscope: global\n"
            f'source: user\naliases: [{("releases", "存储")[place]}]\ncreated: "2026-10-01"\n---\n'
        )
    return files


def _status(rng: random.Random) -> str:
    return rng.choices(
        ("active", "verified", "candidate", "deprecated", "disputed"), (12, 2, 1, 1, 1)
    )[0]


def _scope(rng: random.Random) -> str:
    return rng.choices(("global", "project:elsewhere", "session:other"), (12, 1, 1))[0]


def _more(rng: random.Random, vault: str, place: int, number: int) -> Iterator[str]:
    if rng.random() < 0.2:
        yield f"topics: [{rng.choice(('shipping', '存储', 'releases', 'misc'))}]"
    if rng.random() < 0.1:
        yield f"applies_when: {rng.choice(ENGLISH)} {rng.choice(CHINESE)}"
    if rng.random() < 0.05:
        yield f"conflicts: [f-{vault}{rng.randrange(number):06d}]"
    if rng.random() < 0.1:
        yield "force: required"
    if rng.random() < 0.1:
        yield f'valid_to: "{rng.choice(("2026-11-29", "2027-01-01"))}"'
    if rng.random() < 0.15:
        yield "evidence:"
        for session in range(rng.choice((1, 1, 2, 3))):  # what was said often is of several
            yield (
                f"  - {{type: session-event, session: s{(place + session) % 4}, start: "
                f'"2026-10-01T10:{place % 60:02d}:00Z"' + "}"
            )


def prompts(rng: random.Random, number: int) -> Iterator[str]:
    """Prompts about the records and about nothing, with slips, dates and both languages."""
    for _ in range(number):
        parts = rng.choices([*ENGLISH, *CHINESE], k=rng.randint(1, 4))
        parts = [_slip(rng, part) if rng.random() < 0.1 else part for part in parts]
        parts += rng.choices(FILLER, k=rng.randint(0, 3))
        parts += rng.choices(ODD, k=1) if rng.random() < 0.1 else []
        parts += ["shipping"] if rng.random() < 0.1 else []
        rng.shuffle(parts)
        yield rng.choice((" ", " ", "")).join(parts)


def _slip(rng: random.Random, word: str) -> str:
    place = rng.randrange(len(word))
    return word[:place] + word[place + 1 :]
