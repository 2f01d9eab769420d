"""What a person probably meant: keys and values one slip away from ours. May import `model`."""

from __future__ import annotations

from collections.abc import Iterable

from vault_cli.model.schema import BY_KEY

_SHORTEST = 4
"""A shorter key is one slip away from too many honest ones."""

_CHINESE = {
    "标题": "title",
    "类型": "kind",
    "种类": "kind",
    "状态": "status",
    "范围": "scope",
    "主题": "topics",
    "标签": "topics",
    "关键词": "keywords",
    "适用": "applies_when",
    "重要性": "importance",
    "边界": "boundary",
    "来源": "source",
    "经验": "lesson",
    "教训": "lesson",
    "故障": "failure",
    "失败": "failure",
    "规则": "rule",
    "事实": "fact",
    "偏好": "preference",
    "见解": "insight",
    "假设": "hypothesis",
    "资源": "resource",
    "决定": "decision",
    "决策": "decision",
    "笔记": "note",
    "配方": "recipe",
    "流程": "recipe",
    "技能": "skill",
    "候选": "candidate",
    "草稿": "candidate",
    "生效": "active",
    "有效": "active",
    "已验证": "verified",
    "有争议": "disputed",
    "已取代": "superseded",
    "弃用": "deprecated",
    "已拒绝": "rejected",
    "全局": "global",
    "必须": "required",
    "建议": "advice",
}


def _squeeze(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _shorter(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


_KEYS = frozenset(key for key, field in BY_KEY.items() if not field.only)
"""Keys of every kind; those of one kind are too many honest keys of others."""

_SQUEEZED = {_squeeze(key): key for key in _KEYS}
_BY_SHAPE: dict[str, list[str]] = {}
for _key in sorted(_KEYS):
    for _shape in {_key, *_shorter(_key)}:
        _BY_SHAPE.setdefault(_shape, []).append(_key)


def nearest_key(key: str) -> str:
    """Return our key that `key` misspells (case, hyphens, Chinese, or one slip), else "".

    One slip is a letter too many, too few, wrong, or two neighbours swapped.
    """
    if key in BY_KEY:
        return ""
    found = _SQUEEZED.get(_squeeze(key)) or _CHINESE.get(key.strip(), "")
    if found in BY_KEY:
        return str(found)
    word = key.casefold()
    if len(word) < _SHORTEST:
        return ""
    near = (ours for shape in {word, *_shorter(word)} for ours in _BY_SHAPE.get(shape, ()))
    return next((ours for ours in sorted(set(near)) if one_slip(word, ours)), "")


def one_slip(left: str, right: str) -> bool:
    """Tell whether the words differ by one insertion, deletion, substitution or swap."""
    if abs(len(left) - len(right)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), -1)
    if at < 0:
        return left != right
    swapped = left[at + 1 : at + 2] + left[at : at + 1] + left[at + 2 :]
    return (
        left[at + 1 :] == right[at + 1 :]
        or left[at + 1 :] == right[at:]
        or left[at:] == right[at + 1 :]
        or swapped == right[at:]
    )


def nearest_choice(value: str, choices: Iterable[str]) -> str:
    """Return the allowed word that `value` probably means, else ""."""
    words = list(choices)
    said = value.strip().casefold()
    said = _CHINESE.get(said, said)
    if said in words:
        return said
    import difflib

    return next(iter(difflib.get_close_matches(said, words, 1, 0.75)), "")
