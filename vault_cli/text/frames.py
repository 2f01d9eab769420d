"""What imitates the frame around a prompt: tags, chat tokens, images. Standard library only.

Shared by admission (holds them) and the render (makes them dead). All patterns are linear:
every repetition is bounded or runs over a class that its successor is not in.
"""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text.hidden import characters_of
from vault_cli.text.late import late

_NAMES: Final = (
    r"m?vault(?:[-_]\w{1,20})?|memor(?:y|ies)(?:[-_]\w{1,20})?"
    r"|system(?:[-_]?(?:prompt|message|reminder|instructions?|note|info|warning|context))?"
    r"|assistant(?:[-_](?:message|response))?|user(?:[-_](?:message|prompt|query|input|request))?"
    r"|human(?:[-_](?:message|turn))?|developer[-_](?:message|instructions?)"
    r"|(?:custom[-_]|user[-_]|project[-_])?instructions?|user-prompt-submit-hook"
    r"|tool[-_]?(?:calls?|results?|use|uses|response|output|code|outputs)"
    r"|function[-_]?(?:calls?|results?|response)|invoke|environment[-_]context"
    r"|hook[-_]prompt|command-(?:name|message|args)|local-command-\w{1,20}"
    r"|(?:start|end)_of_(?:turn|text|header)"
)
FRAME_TAG: Final = late(
    r"<(?=[a-z/ \t])(?:"
    rf"(?:[ \t]{{0,4}}/[ \t]{{0,4}})?(?:[a-z]{{1,12}}:)?(?P<name>{_NAMES})(?![a-z0-9_.])"
    rf"|[ \t]{{1,4}}(?:{_NAMES})[ \t]{{0,4}}>|[ \t]{{0,4}}(?:/[ \t]{{0,4}})?m?vault)",
    re.IGNORECASE,
)
"""The start of a tag that imitates a frame, opening or closing, in folded text."""

CHAT_TOKEN: Final = late(
    r"<\|[\w\u2581./:-]{1,60}\|?>|<</?sys>>|\[/?inst\]"
    r"|\[/?(?:system_prompt|tool_calls|tool_results|available_tools)\]",
    re.IGNORECASE,
)
"""Control tokens of chat formats, in folded text."""

PLACEHOLDERS: Final = frozenset({"user", "human", "vault", "memory", "instruction"})
"""Names a person writes in `<...>` to say "put yours here" (`ssh <user>@host`)."""

BEACON: Final = late(
    r"(?P<link>\]\()[ \t]{0,4}<?(?:https?:)?//[^\s)>?(]{0,2000}\?"
    r"|<img\b[^<>\n]{0,400}\bsrc[ \t]{0,4}=[ \t]{0,4}[\"']?(?:https?:)?//[^\s\"'<>?]{0,2000}\?"
    r"|^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]{0,4}<?(?:https?:)?//[^\s>?]{0,2000}\?",
    re.IGNORECASE | re.MULTILINE,
)
"""An address with a query string: of a link (an image if `![` and ALT_TEXT stand before it), of
an `<img>`, or of a definition that an image may refer to."""

BADGE: Final = late(
    r"//(?:img\.shields\.io/(?!endpoint|badge/dynamic|.{0,80}/dynamic)|codecov\.io/|badge\.fury\.io/|badgen\.net/"
    r"|badges?\.[a-z.-]{3,40}/|coveralls\.io/|(?:www\.|api\.)?travis-ci\.(?:org|com)/|circleci\.com/"
    r"|ci\.appveyor\.com/|readthedocs\.org/projects/|(?:app\.)?codacy\.com/|api\.codacy\.com/"
    r"|sonarcloud\.io/api/project_badges/|dev\.azure\.com/|avatars\.githubusercontent\.com/"
    r"|(?:www\.)?gravatar\.com/avatar/|raw\.githubusercontent\.com/|github\.com/)"
    r"[\w./%~@:+-]{1,300}\?(?![^\s)>]{0,200}url=)[\w=&%.,~:;+#-]{1,200}(?=[\s)>\"'])",
    re.IGNORECASE,
)
"""The address of a badge, an avatar or a file of a code host, with an ordinary query: whoever wrote
the text cannot read what arrives there. A service that fetches an address in its query is none."""

ALT_TEXT: Final = late(r"(?:(?!\]\()[^\n])*")
"""What may stand between `![` and the `](` of the same image."""

_WIDE_OFFSET: Final = 0xFEE0
_FULL_WIDTH = late("[\uff01-\uff5e]")


def fold_width(text: str) -> str:
    """Return text of the same length with full-width ASCII (`＜ｓｙｓｔｅｍ＞`) made plain."""
    if text.isascii():
        return text
    for wide in _FULL_WIDTH.findall(characters_of(text)):
        text = text.replace(wide, chr(ord(wide) - _WIDE_OFFSET))
    return text
