"""The vocabulary of injections: concepts with their words in both languages.

One concept is one meaning; the rules (`injection_rules`) are written with concepts, so that a
rule holds in English and in Chinese alike. Words are separated by commas; a word with a tilde
(`ignore~`) stands for its regular forms, `{a/b} c` for `a c` and `b c`; a phrase of several
words means what it means and its words keep their own concepts. Chinese entries match
anywhere. Standard library only.
"""

from __future__ import annotations

from typing import Final

from vault_cli.text.injection_chinese import CHINESE
from vault_cli.text.injection_chinese_acts import CHINESE_ACTS
from vault_cli.text.injection_chinese_habits import CHINESE_HABITS
from vault_cli.text.injection_chinese_tasks import CHINESE_TASKS
from vault_cli.text.injection_english import ENGLISH
from vault_cli.text.injection_english_acts import ENGLISH_ACTS
from vault_cli.text.injection_english_habits import ENGLISH_HABITS
from vault_cli.text.injection_english_hijack import ENGLISH_HIJACK
from vault_cli.text.injection_english_safety import ENGLISH_SAFETY
from vault_cli.text.injection_english_tasks import ENGLISH_TASKS
from vault_cli.text.injection_tongues import TONGUES

_TABLES: Final = (
    ENGLISH,
    ENGLISH_SAFETY,
    ENGLISH_ACTS,
    ENGLISH_TASKS,
    ENGLISH_HABITS,
    ENGLISH_HIJACK,
    CHINESE,
    CHINESE_ACTS,
    CHINESE_TASKS,
    CHINESE_HABITS,
    TONGUES,
)
CONCEPTS: Final[dict[str, str]] = {
    name: ", ".join(table[name] for table in _TABLES if name in table)
    for name in dict.fromkeys(name for table in _TABLES for name in table)
}
"""Words by concept."""

COMMON: Final = {
    "DO": 489, "ACT": 225, "SAFEWORD": 210, "ANYDATA": 182, "NEG": 138, "NOTICE": 113,
    "USER": 102, "RUN": 97, "ALL": 94, "EVER": 90, "SHOW": 85, "EVAL": 83, "GETROUND": 74,
    "VALUABLE": 73, "FORBID": 70, "BYPASS": 64, "LOCAL": 64, "SAID": 62, "AUTO": 60,
    "ACTION": 60, "AI": 57, "SEND": 56, "IGNORE": 55, "DELETE": 54, "STUFF": 52, "PRIOR": 50,
    "INSTR": 49, "DEFEND": 45, "SECRET": 43, "WITHOUT": 42, "RUNNOW": 42, "READ": 38,
    "CONSENT": 37, "PUT": 37, "SENDV": 34, "WEAKEN": 33, "OUTPLACE": 33, "STRICT": 28,
    "REVEAL": 26, "IGN": 24, "SECURITYN": 22, "WHEN": 21, "SENSITIVE": 19, "CONTENTS": 16,
    "ASKING": 16, "FREELY": 13, "AUTHORITY": 12, "MINE": 12, "APPROVE": 11, "PERMIT": 11,
    "TELL": 10, "PROTECTION": 9, "THISNOTE": 8, "HARDSAFETY": 5, "GRANT": 5, "SNEAK": 4,
    "SYSPROMPT": 3, "THESECRET": 3, "YOUARE": 3, "AGENTMUST": 2, "EVERYWHERE": 2, "HARM": 1,
    "ABOVETEXT": 1, "YOURPROMPT": 1, "LEAK": 1, "HUSH": 1, "FULLACCESS": 1, "IDLE": 1,
    "ENDMARK": 1, "DECODE": 1, "THISTEXT": 1, "FROMWHOM": 79, "OUTCOME": 55, "CHANGE": 54,
    "VISIT": 52, "CLAIM": 37, "WHO": 24, "BADNEWS": 19, "RESULTS": 14, "EXACTLY": 13, "MUTE": 12,
    "MONEY": 9, "CONTAINED": 7, "ALLCOMMANDS": 6, "PAY": 4, "UNTRUE": 4, "KEEPER": 3, "FORGE": 3,
    "WENTWRONG": 3, "LOOSEN": 3, "NOVERIFY": 2, "ROOT": 1, "COPYTO": 1, "OKAYED": 1, "COVERUP": 1,
    "PAYEE": 1, "ETHICS": 2, "READER": 1, "YOUNOW": 1, "ROLEPLAY": 1,
}  # fmt: skip
"""How many of 1,000 sentences of rule files and honest memories have a word of a concept; the
others have none. A rule is looked for where its rarest step is."""

NO_CONCEPT: Final = """
    {tell/telling} {the user/users} {to/how}, do not hesitate, don't hesitate, never mind,
    do not forget to, don't forget to, not only, never forget to, no matter, without question,
    without hesitation, no problem, if not, {auto/language/type/change/leak/drift/conflict/platform}
    detection, 不要忘记, 别忘了, 不要犹豫, 毫不犹豫, 不仅, 不但,
    不只, 不管, 无论, 识别码, 特别, 区别, 级别, 类别, 分别, 别名, 个别, 鉴别, 识别出, 性别,
    辨别, 免费, 首都, 成都, 都市, 泄露的, 泄漏的, 给自己 test
"""
"""Phrases that hide the words inside them: `do not hesitate` is no negation."""
