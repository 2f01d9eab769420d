"""Which characters are written without blanks, and which words say nothing. Standard library only.

Words that say nothing about the subject are left out of every token list; questions are full of
them, so a search leaves out more.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to load than all of this; checkers know the name
if TYPE_CHECKING:
    from typing import Final

CJK_CLASS: Final = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
"""Scripts written without spaces between words, and Hangul with its particles."""

_STOP_TEXT: Final = """
a an and are as at be been being but by can could did do does doing done for from had has have
having he her his how i if in into is it its may might must my of on or our shall she should so
such that the their them then there these they this those to too us very was we were what when
where which while who whom whose why will with would you your
"""
STOP_WORDS: Final = frozenset(_STOP_TEXT.split())
"""English words that say nothing about the subject. `not` and `no` do."""

STOP_CHARACTERS: Final = frozenset(
    "的了吗呢吧啊呀嘛是在和与及或也都就着过地得这那我你他她它们个把被对从向于而且但"
)
STOP_PAIRS: Final = frozenset({
    "什么", "怎么", "么样", "如何", "为什", "哪个", "哪些", "哪里", "多少", "是否", "可以", "我们",
    "你们", "他们", "这个", "那个", "这些", "那些", "一个", "以及", "或者", "但是", "因为", "所以",
    "如果",
})  # fmt: skip

_MORE_WORDS: Final = """
about after again also am any because before both d didn don doesn during each ever few get got here
him isn just ll m many me more most much myself nor off once only other out over own re s same
since some t tell than until up us ve very wasn whether while won yourself
"""
UNASKED_WORDS: Final = STOP_WORDS | frozenset(_MORE_WORDS.split())
SINGLES: Final = STOP_CHARACTERS | frozenset(
    "什么怎哪谁几吗呢吧啊呀嘛哦嗯哈喔呗啦么每还很太最更再又才只不没有来去说会能可要想让给到为以之其所并则些样点儿"
    "上下中里"
)
"""Characters that count in a pair only."""

DULL: Final = SINGLES - frozenset("不没")
"""A pair of two of these says nothing; `不要` and `没有` do."""

_PAIR_TEXT: Final = """
哪家 哪种 哪天 多久 几个 她们 咱们 大家 自己 这样 那样 这么 那么 一下 一些 一点 然后 而且 不过 还是
就是 不是 知道 觉得 是不 有没 可能 应该 现在 时候 已经 真的 非常 特别 我的 你的 他的 吗我
"""
UNASKED_PAIRS: Final = STOP_PAIRS | frozenset(_PAIR_TEXT.split())
