"""Why a guard stopped a call, in the language of its record, and the way on. Standard library."""

from __future__ import annotations

from vault_cli.hook.language import is_chinese

_ENGLISH = {
    "guard": "mvault guard {}: {}.",
    "instead": " Instead: {}.",
    "warn": " This call was stopped once; made again within {} it passes.",
    "deny": " This call was not run."
    " A person can switch the guard off: mvault guard off {} --for 1h",
}
_CHINESE = {
    "guard": "mvault 护栏 {}：{}。",
    "instead": "改用：{}。",
    "warn": "这次调用被拦下一次；在 {}内再次调用即可执行。",
    "deny": "这次调用没有执行。可由人关闭此护栏：mvault guard off {} --for 1h",
}
_UNITS = ((86400, "d", " 天"), (3600, "h", " 小时"), (60, "m", " 分钟"), (1, "s", " 秒"))


def reason_of(own: str, title: str, instead: str, cooldown: int) -> str:
    """Return what the agent is told when a guard stops its call.

    Args:
        own: id of the record.
        title: of the record.
        instead: what to do instead, "" when nobody said.
        cooldown: seconds in which the call passes when it is made again; 0: it never does.
    """
    chinese = is_chinese(title)
    say = _CHINESE if chinese else _ENGLISH
    said = say["guard"].format(own, _bare(title))
    if instead:
        said += say["instead"].format(_bare(instead))
    if not cooldown:
        return said + say["deny"].format(own)
    return said + say["warn"].format(spell_seconds(cooldown, chinese=chinese))


def _bare(text: str) -> str:
    """Return a sentence without its full stop, since one follows."""
    return text.rstrip(".。 ")


def spell_seconds(seconds: int, *, chinese: bool = False) -> str:
    """Return a time in the largest unit that tells it exactly: `90s`, `10m`, `2h`, `1d`."""
    size, *units = next(u for u in _UNITS if u[0] == 1 or (seconds >= u[0] and not seconds % u[0]))
    return f"{seconds // size}{units[chinese]}"
