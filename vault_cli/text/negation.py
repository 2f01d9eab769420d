"""What a sentence affirms and what it negates, English and Chinese. Standard library only.

After NegEx (Chapman and others, 2001): cue words open a scope that ends at punctuation and at
conjunctions, and some phrases only look like a negation ("not only", 不仅). Two departures. Cues
are counted within a clause, so that "no release without notes" and 没有备份就不要部署 come out as
affirmed. And the clause as a whole takes the sign, because a cue may stand behind what it negates
("deployment is forbidden").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from vault_cli.text.late import late
from vault_cli.text.tokens import tokenize

_LATIN: Final = {
    "kept": "not only|not just|not merely|no doubt|no matter|not least|whether or not|"
    "no (?:more|less|later|fewer|earlier) than|(?:--)?no-[\\w-]+",
    "affirmed": "(?:not|never) forget(?: to)?|no choice but(?: to)?|not fail to",
    "contrast": "instead of|rather than|as opposed to|in place of|(?:and )not(?= [a-z])",
    "without": "without|unless|except(?: for| when| if| on| in)?",
    "before": "before|until|till",
    "after": "after|once|as soon as",
    "when": "if|when(?:ever)?|while|because|since|so that|as long as|in case|where",
    "break": "but|however|although|though|yet|otherwise|therefore",
    "yes": "always|must|shall|should|ha(?:ve|s) to|needs? to|ought to|may|might|can|could|will|"
    "would|(?:allow|permit)(?:s|ed|ted|ting|ing)?|requires?|required|mandatory|accept(?:s|ed)?|"
    "(?:is|are) (?:ok|okay|fine)|ok|okay|please|be sure to|make sure(?: to| that)?|ensure|"
    "keeps?(?= \\w+ing)|continues? to|any ?more|any longer|"
    "enabl(?:e|es|ed|ing)|activat(?:e|es|ed|ing)|(?:turn|switch)(?:s|es|ed|ing)? on|"
    "do|does|did|is|are|was|were|be|been|has|have",
    "no": "not|never|no longer|no more|nor|neither|none|nobody|nothing|no|avoid(?:s|ed|ing)?|"
    "prevent(?:s|ed|ing)?|refrain(?:s|ed)? from|stop(?:s|ped|ping)?(?= \\w+ing)|refuses? to|"
    "(?:forbid|ban)(?:s|den|ding|ned|ning)?|(?:prohibit|disallow|reject)(?:s|ed|ing)?|"
    "den(?:y|ies|ied)|disabl(?:e|es|ed|ing)|deactivat(?:e|es|ed|ing)|"
    "(?:turn|switch)(?:s|es|ed|ing)? off|optional|unsupported|"
    "skip(?:s|ped|ping)?|omit(?:s|ted|ting)?|bypass(?:es|ed|ing)?",
}
_CHINESE: Final = {
    "kept": "不仅|不但|不只|不光|不单|不论|不管|不同|不错|不断|不久|不足|不变|不一致|不可变|不可用|"
    "不超过|不少于|不多于|不低于|不大于|不小于|无[论线状关服障限缝效]|非常|未来|是否|能否|否则|"
    "可[能用靠见读选行视信观测]|[特区级类分识个性差辨告]别|别[名人]|[主重必只首摘概想]要|"
    "要[求点么素是害义]",
    "affirmed": "不得不|不能不|不可不|不要忘记?了?|别忘记?了?|切勿忘记",
    "contrast": "而不是|而不要|而不用|而非|代替|取代",
    "without": "除非|除了|未经|不经",
    "when": "如果|假如|一旦|因为|由于|只要",
    "break": "但是|然而|可是|不过|但|却|所以|因此|然后|以及|(?<!\\d)[,，](?!\\d|\\s*就)|"
    "[;；：—()（）]|:(?=\\s|$)",
    "yes": "必须|务必|一定要?|应该|应当|需要|总是|始终|一律|可以|允许|准许|能够|继续|绝对|"
    "启用|开启|打开|要|可|须|请|都|尚",
    "no": "不再|不要|不用|不必|不需要?|不应[该当]?|不能够?|不可以?|不得|不许|不准|不该|不会|"
    "不允许|不宜|没有|没|并非|绝不|决不|从不|永不|别再|别|切勿|请勿|勿|禁止|严禁|禁用|禁|避免|"
    "防止|拒绝|停止|停用|无[需须法]|毋须|未|无|不|关闭|关掉|跳过|略过|省略|绕过",
}
_TRADITIONAL: Final = str.maketrans(
    "別沒無嚴啟關閉開須應該總許絕決從續對務請來時報僅當論斷變級類區識辨認為",
    "别没无严启关闭开须应该总许绝决从续对务请来时报仅当论断变级类区识辨认为",
)
"""Traditional forms of the characters that cues are written with."""

_LONGEST: Final = 400
"""Characters of one sentence that are read; what is longer is no sentence."""

_CONTRACTED: Final = (
    (late(r"\b(ca|wo|sha)n['’]t\b"), "can not"),
    (late(r"n['’]t\b"), " not"),
    (late(r"\bcannot\b"), "can not"),
)
_SENTENCE_END: Final = late(r"[.!?](?=[\s\"'”’)]|$)|[。！？\n]|(?<=\S)\s+[-–](?=\s)")
_WRAP: Final = late(r"(?<=\S)[ \t]*\n(?![ \t]*(?:\n|[-*+>#|]|\d{1,3}[.)、][ \t]?|$))")
"""A line end within a paragraph: the sentence goes on in the next line."""

_CJK_SPACE: Final = late(r"(?<=[\u3001-\u9fff\uff01-\uff5e]) (?=[\u3001-\u9fff])")
_LIST_MARK: Final = late(r"^[ \t]*(?:[-*+>]|\d{1,3}[.)]|#{1,6})[ \t]+", re.MULTILINE)
_BEHIND: Final = {
    "before": "之前|以前|(?<![以目提先当面])前(?![端面缀台提者后置一二两三几天年期往景沿言身次]|$)",
    "after": "之后|以后|(?<![以然最今背落前])后(?![端面缀台续者果悔天来门期置退备勤盾]|$)",
    "when": "的时候|(?<![及同随实定临超小按延即暂平有当何准历耗用计])"
    "时(?![间候刻区长常效序钟机段代光装]|$)",
}
"""Chinese cues that stand behind what they make a subordinate clause (打标签之前先测试)."""

_NOT_YET: Final = frozenset({"没", "没有", "未"})
"""What belongs to the time before something (没测完之前), and denies nothing."""

_PAST: Final = late(r"\b(?:was|were|did|had) not\b")
_SUBORDINATE: Final = frozenset({"without", "before", "after", "when"})
_OPENING: Final = _SUBORDINATE | {"contrast", "break"}
"""Cues that begin a clause."""


def _pattern() -> re.Pattern[str]:
    """Return one expression of all cues; of cues at one place the first in this order counts."""
    parts = ["(?P<code>`[^`]*`)"]
    for name in ("kept", "affirmed", "contrast", "without", "before", "after", "when", "break"):
        parts += _alternatives(name)
    parts += [f"(?P<{name}_behind>{cues})" for name, cues in _BEHIND.items()]
    parts.append(r"(?P<comma>,(?=\s))")
    # What negates comes first: 不需要 is one cue, and not 不 and 需要.
    parts += [*_alternatives("no"), *_alternatives("yes")]
    return late("|".join(parts))


def _alternatives(name: str) -> list[str]:
    found = []
    if name in _LATIN:
        found.append(f"(?P<{name}>(?<![a-z0-9_./-])(?:{_LATIN[name]})(?![a-z0-9_-]))")
    if name in _CHINESE:
        found.append(f"(?P<{name}_zh>{_CHINESE[name]})")
    return found


_CUES: Final = _pattern()


class Clause(NamedTuple):
    """A stretch of a sentence under one sign.

    Args:
        tokens: words of its content, without the cues.
        negated: whether an odd number of cues negates it.
        role: `main`, or what introduces it: `without`, `before`, `after`, `when`.
    """

    tokens: tuple[str, ...]
    negated: bool
    role: str = "main"


class Reading(NamedTuple):
    """A sentence as read.

    Args:
        clauses: in the order of the sentence, empty ones left out.
        content: all content tokens in order.
        is_report: whether it tells what was not done once, which denies no rule.
    """

    clauses: tuple[Clause, ...]
    content: tuple[str, ...]
    is_report: bool = False

    def words(self, *roles: str) -> frozenset[str]:
        """Return the tokens of the clauses that have one of these roles."""
        return frozenset(t for c in self.clauses if c.role in roles for t in c.tokens)

    def signs(self) -> dict[str, bool]:
        """Return for each token of a main clause whether it is negated.

        A token that stands under both signs ("prefer A to B: A instead of B") is negated. A
        sentence that only has subordinate clauses is read as if they were main ones.
        """
        mains = [c for c in self.clauses if c.role == "main"] or self.clauses
        signs: dict[str, bool] = {}
        for clause in mains:
            for token in clause.tokens:
                signs[token] = signs.get(token, False) or clause.negated
        return signs


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, in order; paragraphs and list items end them too."""
    text = _CJK_SPACE.sub("", _WRAP.sub(" ", text.replace("\r\n", "\n")))
    parts = (part.strip() for part in _SENTENCE_END.split(_LIST_MARK.sub("", text)))
    return [part for part in parts if part]


@lru_cache(maxsize=8_192)
def read_sentence(sentence: str) -> Reading:
    """Read one sentence into clauses with a sign each; only its first 400 characters count."""
    text = unicodedata.normalize("NFKC", sentence[:_LONGEST]).lower().translate(_TRADITIONAL)
    for pattern, plain in _CONTRACTED:
        text = pattern.sub(plain, text)
    clauses = tuple(_clauses(text))
    content = tuple(token for clause in clauses for token in clause.tokens)
    return Reading(clauses, content, _is_report(text, clauses))


def _is_report(text: str, clauses: Sequence[Clause]) -> bool:
    """Tell whether a sentence says what was not done at some time."""
    if not any(clause.negated for clause in clauses):
        return False
    negating = [cue.group() for cue in _CUES.finditer(text) if cue.lastgroup in ("no", "no_zh")]
    if negating == ["not"]:
        return _PAST.search(text) is not None
    has_time = any(clause.role in ("before", "after", "when") for clause in clauses)
    return len(negating) == 1 and negating[0] in _NOT_YET and (has_time or "了" in text)


class _Open:
    """The clause that is being read."""

    def __init__(self, role: str = "main", *, negated: bool = False, text: str = "") -> None:
        self.text = text
        self.role = role
        self.negated = negated
        self.has_verb = False
        self._order = (0, False)

    def sign(self, cue: str, *, negates: bool) -> None:
        """Take in a cue that says whether the clause holds."""
        self.text += " "
        self.has_verb = True
        self.negated ^= negates
        if cue not in _NOT_YET:
            self._order = (len(self.text), self._order[1] ^ negates)

    def split_behind(self, role: str) -> tuple[_Open, _Open]:
        """Return the subordinate clause that ends here, and the main one that goes on behind it.

        An order before it is about the main clause: 不要在测试之前发布.
        """
        place, negated = self._order
        return _Open(role, text=self.text[place:]), _Open(negated=negated, text=self.text[:place])

    def close(self) -> Iterator[Clause]:
        tokens = tuple(tokenize(self.text))
        if tokens:
            yield Clause(tokens, self.negated, self.role)


def _clauses(text: str) -> Iterator[Clause]:
    now, place, last_sign, has_main = _Open(), 0, False, False
    for cue in _CUES.finditer(text):
        now.text += text[place : cue.start()]
        place = cue.end()
        kind = (cue.lastgroup or "").removesuffix("_zh")
        if kind == "comma" and now.role in _SUBORDINATE and not has_main:
            kind = "break"  # "before tagging, run the tests"
        if kind in ("code", "kept", "comma"):
            now.text += f" {cue.group()} "
            continue
        if kind == "no" and cue.group() == "not" and now.text.strip() and not now.has_verb:
            kind = "contrast"  # "use tabs not spaces"
        if kind.endswith("_behind"):
            if now.role == "main":
                clause, now = now.split_behind(kind.removesuffix("_behind"))
                yield from clause.close()
            continue
        if kind in _OPENING:
            if now.text.strip() and now.role == "main":
                last_sign, has_main = now.negated, True
            yield from now.close()
            if kind == "contrast":
                now = _Open(negated=not last_sign)
            else:
                now = _Open(kind if kind in _SUBORDINATE else "main")
            continue
        now.sign(cue.group(), negates=kind == "no")
    now.text += text[place:]
    yield from now.close()


class Opposition(NamedTuple):
    """How two sentences stand to each other.

    Args:
        shared: content tokens that both have.
        opposed: whether one affirms what the other negates.
        exception: whether both name a condition, and neither the other's.
    """

    shared: frozenset[str]
    opposed: bool
    exception: bool


def compare_signs(one: Reading, other: Reading) -> Opposition:
    """Tell whether one sentence affirms what the other negates.

    Only words of main clauses that both share have a vote. "Never X without Y" is read as "X with
    Y" when the other sentence speaks of Y, "not X before Y" as "X after Y" when the other says so.
    """
    mine, theirs = one.signs(), other.signs()
    flip = _turned(one, other) != _turned(other, one)
    if _is_reversed(one, other) and (_is_negated(one) or _is_negated(other)):
        flip = not flip
    both = mine.keys() & theirs.keys()
    votes = sum(1 if (mine[token] != theirs[token]) != flip else -1 for token in both)
    when, other_when = one.words("when"), other.words("when")
    return Opposition(
        frozenset(one.content) & frozenset(other.content),
        bool(both) and votes > 0 and one.is_report == other.is_report,
        bool(when - other_when and other_when - when),
    )


def _turned(one: Reading, other: Reading) -> bool:
    """Tell whether what hangs on the main clause turns its sign, as seen from the other."""
    said = frozenset(other.content)
    for clause in one.clauses:
        turns = clause.role == "without" or (clause.role == "when" and clause.negated)
        if turns and 2 * len(said.intersection(clause.tokens)) > len(set(clause.tokens)):
            return True
    later = other.words("when", "without", "main")
    return _is_negated(one) and bool(one.words("before") & later)


def _is_negated(reading: Reading) -> bool:
    mains = [clause for clause in reading.clauses if clause.role == "main"]
    return bool(mains) and all(clause.negated for clause in mains)


def _is_reversed(one: Reading, other: Reading) -> bool:
    """Tell whether one says before what the other says after."""
    before, after = one.words("before"), one.words("after")
    return bool(before & other.words("after") or after & other.words("before"))
