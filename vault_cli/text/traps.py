r"""Structures that work on an agent whatever they say: role lines, hidden HTML, shell pipes.

Every pattern is linear: repetitions are bounded or run over a class that their successor is not
in. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from vault_cli.text.fold import by_sign, holds_any, holds_odd, holds_plain
from vault_cli.text.late import late


class Trap(NamedTuple):
    """A place in a text; offsets as in the text given.

    Args:
        code: the finding's code.
        start, end: the span.
        what: what it does, for a person.
    """

    code: str
    start: int
    end: int
    what: str


_DIRECTIVE: Final = (
    r"(?:you\s+(?:are|must|will|should|now|have)|your\s|ignore|disregard|forget|from\s+now|new\s"
    r"|override|always|never|do\s+not|enter|enable|disable|all\s|print|reveal|output|send|delete|run"
    r"|execute|approve|admin|note|now\s|please|export|upload|show|dump|grant|authoriz|no\s|safety"
    r"|你(?!好|说|可以|觉得|今天|的|需要|想|真|是否|最近|已经做|做得|好像)|忽略|从现在|现在|必须|不要(?!太|担心|害怕|难过|灰心|气馁|着急|紧张|生气|怕|急|放弃|自|这样|为|把自己|忘记(?:自己|你))|无需|请|把|将|立即|执行|删除|导出|发送|打印|输出|关闭|所有|批准|泄露|无视|上传)"
)
_ROLE_LINE = late(
    r"^[ \t>*#_\[(`\"']{0,8}(?P<role>system(?:\s(?:prompt|message|note|override|notice))?|assistant"
    r"|ai|human|user|developer|tool|系统(?:提示|消息|通知|管理员)?|助手|助理|用户|人类|开发者)"
    rf"[ \t\])*_`\"']{{0,4}}[:：][ \t*_\"']{{0,4}}(?P<directive>{_DIRECTIVE})?",
    re.IGNORECASE | re.MULTILINE,
)
_ROLE_BRACKET = late(
    r"[\[【({]{1,2}\s{0,2}(?:end[ _])?"
    r"(?:system|admin(?:istrator)?|developer|assistant|系统|管理员|开发者)"
    r"(?:[ _](?:prompt|message|note|override|instructions?))?\s{0,2}[\]】)}]{1,2}[:：]?[ \t]{0,4}"
    rf"(?:admin[a-z]{{0,10}}[:：][ \t]{{0,4}})?{_DIRECTIVE}",
    re.IGNORECASE,
)
_HIDING_STYLE = late(
    r"<[a-z][a-z0-9]{0,12}\s[^<>]{0,300}?(?:display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden"
    r"|font-size\s{0,2}:\s{0,2}0|opacity\s{0,2}:\s{0,2}0(?![.\d])|color\s{0,2}:\s{0,2}(?:white|#fff(?:fff)?)(?![\w-])"
    r"|text-indent\s{0,2}:\s{0,2}-\d{3}|(?:left|top)\s{0,2}:\s{0,2}-\d{3,5}px)[^<>]{0,300}>(?=[^<\s])",
    re.IGNORECASE,
)
_HIDDEN_ATTRIBUTE = late(
    r"<[a-z][a-z0-9]{0,12}(?:\s[^<>]{0,200})?\s(?:hidden|aria-hidden=\"true\")(?:\s[^<>]{0,200})?>"
    r"\s{0,4}[^<\s][^<]{8}",
    re.IGNORECASE,
)
_SCRIPT = late(
    r"<script\b[^<>]{0,200}>[^<]{0,400}?(?:document\.cookie|\bfetch\s?\(|\beval\s?\(|xmlhttprequest)"
    r"|<(?:img|svg|iframe|body|video|input)\b[^<>]{0,300}?\bon(?:error|load|click|focus)\s{0,2}=",
    re.IGNORECASE,
)
_UNOPENED = late(
    r"</(?P<name>answer|response|document|documents|context|input|output|prompt|question|query|data"
    r"|text|example|quote|result|results|content|task|message|chat|conversation|rules)>\s{0,4}(?=[^\s<])",
    re.IGNORECASE,
)
_COMMENT = late(
    r"<!--(?P<said>[^<>]{3,2000}?)-->"
    r"|^\[(?://|comment|_)[^\]]{0,20}\]:\s{0,2}#?\s{0,2}[(\"'](?P<quiet>[^\n]{3,500})[)\"']",
    re.MULTILINE | re.IGNORECASE,
)
_TO_MACHINE = late(
    r"\b(?:ai|assistants?|agents?|llms?|language models?|claude|chatgpt|gpt|copilot|codex|gemini"
    r"|system|models?)\b\s{0,2}(?:[:：,]|must|please|should|note|instructions?)"
    r"|(?:助手|模型|智能体|ai|代理|系统)\s{0,2}[:：，,请必]|\b(?:eval|exec|system|passthru)\s?\(",
    re.IGNORECASE,
)
_FETCH: Final = r"\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)\b"
_SHELL: Final = (
    r"(?:sudo\s{1,3}(?:-\w{1,3}\s{1,3})?)?(?:/(?:usr/)?bin/)?(?:env\s)?"
    r"(?:(?:ba|z|da|k|fi|c)?sh|python[\d.]{0,4}|perl|node|ruby|php|iex|invoke-expression|pwsh"
    r"|powershell|osascript)(?![\w./=:-])"
)
_SHELL_PIPE = late(
    rf"{_FETCH}(?!\s{{0,3}}\|)[^\n|;]{{1,200}}\|\s{{0,3}}{_SHELL}"
    rf"|\b(?:ba|z|da)?sh\s{{1,3}}(?:-c\s{{1,3}})?[\"']?(?:<\(|\$\(|`)\s{{0,3}}{_FETCH}"
    rf"|\b(?:eval|source|iex)\s{{0,3}}[\"'(]{{0,2}}(?:<\(|\$\(|`)?\s{{0,3}}{_FETCH}"
    r"|\beval\s{0,3}[\"']?(?:\$\(|`)\s{0,3}(?:echo|base64|printf)\b"
    rf"|\bbase64\s{{1,3}}(?:-d|-D|--decode)\b[^\n|]{{0,80}}\|\s{{0,3}}{_SHELL}"
    r"|\bpowershell(?:\.exe)?\b[^\n]{0,60}?\s-e(?:nc|ncodedcommand)?\s{1,3}[A-Za-z0-9+/=]{12}"
    rf"|\b(?:exec|eval|system|passthru|popen|shell_exec)\s?\(\s{{0,2}}[\"']\s?{_FETCH}"
    r"|\beval\s?\(\s?(?:atob|unescape|string\.fromcharcode)\s?\(|__import__\(\s?[\"']os[\"']\s?\)"
    r"|/dev/tcp/|\bnc\s{1,3}-[a-z]{0,3}e\s"
    rf"|{_FETCH}[^\n]{{1,160}}?&&\s{{0,3}}(?:chmod\s\S{{1,10}}\s\S{{1,80}}\s{{0,3}}&&|(?:ba)?sh\s)",
    re.IGNORECASE,
)
_KNOWN_INSTALLERS = late(
    r"https://(?:sh\.rustup\.rs|get\.docker\.com|astral\.sh/uv/|bun\.sh/install|deno\.land/"
    r"|get\.pnpm\.io|install\.python-poetry\.org|claude\.ai/install|ollama\.com/install|get\.k3s\.io"
    r"|starship\.rs/|fnm\.vercel\.app/|mise\.run|get\.sdkman\.io|pyenv\.run|get\.helm\.sh"
    r"|raw\.githubusercontent\.com/(?:Homebrew/install|nvm-sh/nvm|helm/helm|ohmyzsh/ohmyzsh)/)"
)
_FORBIDDEN = late(
    r"\b(?:never|don'?t|do not|avoid|not|instead of|without|forbid\w*|refuse)\b"
    r"|不要|禁止|避免|切勿|不得|勿",
    re.IGNORECASE,
)
_LEAKY_IMAGE = late(
    r"!\[[^\]\n]{0,200}\]\([ \t]{0,4}<?(?:https?:)?//[^)\n]{0,500}?"
    r"(?:\{\{?[^}\n]{1,80}\}|\$\{?[A-Za-z_]{2,40}|\[[A-Za-z_ ]{2,40}\]|<[a-z_ ]{2,40}>|%s)",
    re.IGNORECASE,
)
_BEFORE: Final = 48


def find_traps(text: str) -> Iterator[Trap]:
    """Yield the traps of a text, kind by kind; the cheap marks of each are looked for first."""
    lower = text.lower()
    if holds_any(text, (":", "：", "[", "【")):
        yield from _role_lines(text, lower)
    if "<" in text or "]:" in text:
        yield from _hidden_html(text)
    if holds_plain(lower, _SHELL_MARKS):
        yield from _shell_pipes(text)
    if "](" in text:
        for match in _LEAKY_IMAGE.finditer(text):
            yield Trap(
                "image-beacon", *match.span(), "an image whose address carries what is known"
            )


def has_trap(text: str) -> bool:
    """Whether there may be a trap in a text, whatever was opened before it is closed."""
    if "</" in text and _UNOPENED.search(text) is not None:
        return True
    return next(find_traps(text), None) is not None


_SHELL_MARKS: Final = {
    "-": ("invoke-", "nc -"),
    "/": ("/dev/tcp",),
    "_": ("__import__",),
    **{word: (word,) for word in (
        "curl", "wget", "iwr", "irm", "base64", "powershell", "eval", "aria2c",
    )},
}  # fmt: skip


def _role_lines(text: str, lower: str) -> Iterator[Trap]:
    if not (holds_plain(lower, _ROLES) or holds_odd(text, _ROLES_HAN)):
        return
    found = list(_ROLE_LINE.finditer(text))
    roles = {match["role"].lower() for match in found}
    for match in found:
        orders = match["directive"] and _may_order(text, match)
        if orders or (len(roles) > 1 and roles & _MACHINE_ROLES):
            yield Trap("role-line", *match.span(), "speaks in the name of another role")
            return
    for match in _ROLE_BRACKET.finditer(text):
        yield Trap("role-line", *match.span(), "speaks in the name of another role")
        return


_ROLES: Final = {
    ":": ("ai:", "tool:"),
    **{word: (word,) for word in (
        "system", "assistant", "human", "user", "developer", "admin",
    )},
}  # fmt: skip
_ROLES_HAN: Final = by_sign(("系统", "助手", "助理", "用户", "人类", "开发者", "管理员"))
_MACHINE_ROLES: Final = frozenset({"system", "assistant", "系统", "助手", "助理", "ai"})
_SPOKEN_TO: Final = frozenset({"user", "human", "用户", "人类", "tool", "developer", "开发者"})


def _may_order(text: str, match: re.Match[str]) -> bool:
    """Whether a role line gives orders: `User: ...` only after other text, `System:` anywhere."""
    if match["role"].lower() not in _SPOKEN_TO:
        return True
    return "\n\n" in text[max(0, match.start() - 3) : match.start() + 1]


def _hidden_html(text: str) -> Iterator[Trap]:
    for match in _HIDING_STYLE.finditer(text):
        yield Trap("hidden-html", *match.span(), "text that a page does not show")
    for match in (*_HIDDEN_ATTRIBUTE.finditer(text), *_SCRIPT.finditer(text)):
        yield Trap("hidden-html", *match.span(), "HTML that acts or hides")
    for match in _UNOPENED.finditer(text):
        if f"<{match['name']}" not in text[: match.start()]:
            yield Trap("frame-tag", *match.span(), "closes a frame that was never opened")
            break
    for match in _COMMENT.finditer(text):
        said = match["said"] or match["quiet"]
        if _TO_MACHINE.search(said):
            yield Trap("hidden-html", *match.span(), "a comment that speaks to a machine")


def _shell_pipes(text: str) -> Iterator[Trap]:
    for match in _SHELL_PIPE.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()].rpartition("\n")[2]
        known = _KNOWN_INSTALLERS.search(match.group())
        if not known and not _FORBIDDEN.search(before):
            yield Trap("shell-pipe", *match.span(), "runs what it fetches or decodes, unseen")
