"""Secrets known by the word beside them: `API_KEY=...`, "the password is ...", 密码是 …

A name says that a secret may stand here, the value must look like one: not a word, a call, a
path or a stand-in. Standard library only; every repetition is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from vault_cli.text.secret_shapes import Found
from vault_cli.text.secret_values import (
    is_code,
    is_hash,
    is_hex,
    is_mixed,
    is_password,
    is_placeholder,
    is_random,
    is_uuid,
)

WORDS: Final = {
    "password": "password",
    "secret-value": "value of a key, token or secret",
}

_NAME: Final = re.compile(
    r"(?P<password>passwords?|passwd|passwort|passphrase|passcode|pwd\b|pwd[=:]|pswd|pgpassword|pass\b(?=[\s\"']*[:=])"
    r"|密码|口令|密碼|暗号|解压码)"
    r"|(?P<key>secret|token|api[ _-]?key|apikey|access[ _-]?key|auth[ _-]?key|private[ _-]?key|account[ _-]?key"
    r"|signing[ _-]?key|sign[ _-]?key|encrypt(?:ion)?[ _-]?key|master[ _-]?key|license[ _-]?key|service[ _-]?key|webhook[ _-]?key"
    r"|app[ _-]?key|_key\b|-key\b|[a-z]key\b(?=[\"']?\s*[:=])|credential|authorization|[_-]sk\b|_auth\b|_pat\b|cookie|session(?:id|_id)?\b"
    r"|密钥|秘钥|令牌|私钥|凭证|授权码|密匙|金钥|訪問令牌)"
)
_LINK: Final = re.compile(
    r"(?P<rest>[A-Za-z0-9_.\-]{0,40})[\"'`*_\])）】」]{0,4}"
    r"(?P<between>(?:[ \t]{1,2}[A-Za-z][\w-]{0,20}|[ \t]{0,2}[（(][^()（）\n]{0,30}[)）]|[\u4e00-\u9fff]{0,6}?){0,6}?)[ \t]{0,3}"
    r"(?P<sep>::?=?|：|={1,2}>?|＝|->|→|是|为|為|\b(?:is|was|are|to)\b|改成|设成|用|[|]|)"
    r"[ \t]{0,3}(?P<open>\\?[\"'`“「『*]{0,3})(?P<scheme>(?:[Bb]earer|[Tt]oken|[Bb]asic) )?"
)
_VALUE: Final = re.compile(r"[^\s\"'`<>，。；、）】」』“”|]{6,2000}")
_QUERY: Final = re.compile(r"[&;][A-Za-z_][\w.-]*=")
_LEFT: Final = re.compile(r"[A-Za-z0-9_.\-]{0,40}$")
_TRAIL: Final = ",;.:)]}>*\\!?"
_PUBLIC: Final = re.compile(
    r"(?i)(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))(?:test|tests|fake|dummy|mock|example|sample|fixture|public|pub|publishable|anon"
    r"|hash|hashed|sha\d*|digest|checksum|fingerprint|etag|cache|primary|foreign|sort|partition|hotkey|locale|i18n)(?:$|[_.\-A-Z])"
)
_HARMLESS: Final = re.compile(
    r"(?i)^[_-]?(?:s|[_-]?(?:id|ids|name|names|type|types|path|file|url|uri|length|len|count|budget|limit|size|ttl|expiry|expires\w*|hash|policy"
    r"|arn|ref|version|prefix|field|header|param\w*|env|var|vars|store|manager|provider|format|kind|scope|scopes|usage|izer|ize\w*|endpoint|class|label|hint|alg\w*|created\w*|updated\w*|fingerprint|digest|checksum|selector|placeholder|regex|pattern))$"
)
_PAGING: Final = re.compile(r"(?i)(?:page|next|cursor|continuation|sync|csrf|xsrf|request|idempotency|correlation|trace)[_-]?$")
_WEAK_NAMES: Final = frozenset({"cookie", "session", "sessionid", "session_id", "_key", "-key", "credential"})
_STRICT_SEPS: Final = frozenset({"", "to", "are", "用", "|", "->", "→"})
_WINDOW: Final = 2400


def find_context(text: str, lower: str) -> Iterator[Found]:
    """Yield the secrets that a word names. `lower` is the text in lower case, same length."""
    position = 0
    while (name := _NAME.search(lower, position)) is not None:
        found = _judge(text, name)
        if found is None:
            position = name.end()
        else:
            yield found
            position = max(found.end, name.end())


def _judge(text: str, name: re.Match[str]) -> Found | None:
    left = _LEFT.search(text, max(0, name.start() - 40), name.start())
    before = left.group() if left else ""
    for link in _links(text, name.end()):
        value = _value(text, link)
        apart = link["sep"] or link["open"] or text[link.end() - 1].isspace()
        if value is None or not apart:
            continue
        loose = link["sep"] in _STRICT_SEPS and not before.endswith("--") and not _is_flag(text, name, before)
        if name["password"]:
            if _is_named_password(before, link, value, loose=loose):
                return Found("password", link.end(), link.end() + len(value))
        elif _is_named_key(before, name.group(), link, value, loose=loose):
            return Found("secret-value", link.end(), link.end() + len(value))
    return None


def _links(text: str, end: int) -> Iterator[re.Match[str]]:
    match = _LINK.match(text, end)
    if match is not None:
        yield match


def _is_flag(text: str, name: re.Match[str], before: str) -> bool:
    return "--" in text[max(0, name.start() - len(before) - 2) : name.start()]


def _value(text: str, link: re.Match[str]) -> str | None:
    match = _VALUE.match(text, link.end())
    if match is None:
        return None
    value = match.group()
    query = _QUERY.search(value)
    if query is not None:
        value = value[: query.start()]
    closing = value.rstrip(_TRAIL[:-2])
    return closing if len(closing) >= 6 else None


def _is_named_password(before: str, link: re.Match[str], value: str, *, loose: bool) -> bool:
    rest = link["rest"]
    if _HARMLESS.match(rest) and rest != "s" or _PUBLIC.search(before) or _PUBLIC.search(rest):
        return False
    if not value.isascii() and any("\u4e00" <= letter <= "\u9fff" for letter in value):
        return False
    return is_password(value, strict=loose)


def _is_named_key(
    before: str, name: str, link: re.Match[str], value: str, *, loose: bool
) -> bool:
    rest = link["rest"]
    if _HARMLESS.match(rest) or _PUBLIC.search(before) or _PUBLIC.search(rest):
        return False
    if _PAGING.search(before) or is_hash(value) or is_code(value):
        return False
    if is_uuid(value):
        return not loose and name not in _WEAK_NAMES
    if is_hex(value):
        return not loose and name not in _WEAK_NAMES and len(value) >= 32 and is_random(value)
    if loose:
        return is_random(value, 20)
    return is_random(value) or _is_letters(value) or is_password(value, strict=True) and len(value) >= 10


def _is_letters(value: str) -> bool:
    return len(value) >= 20 and not is_placeholder(value) and is_mixed(value)
