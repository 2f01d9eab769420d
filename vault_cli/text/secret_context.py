"""Secrets known by the word beside them: `API_KEY=`, "the password is", 密码是.

A name says that a secret may stand here; the value must look like one: not a word, a call, a
path or a stand-in. Standard library only; every repetition is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Final, NamedTuple

from vault_cli.text.late import late
from vault_cli.text.secret_shapes import Found
from vault_cli.text.secret_values import (
    is_code,
    is_hash,
    is_hex,
    is_password,
    is_placeholder,
    is_random,
    is_scrambled,
    is_uuid,
)
from vault_cli.text.secret_views import decode_text
from vault_cli.text.shape import ascii_of, beyond_ascii

WORDS: Final = {
    "password": "password",
    "secret-value": "value of a key, token or secret",
}

_STEMS: Final = (
    "pass",
    "pwd",
    "pswd",
    "secret",
    "token",
    "key",
    "credential",
    "authorization",
    "cookie",
    "_sk",
    "_auth",
    "_pat",
)
_CHINESE_STEMS: Final = ("密", "口令", "令牌", "钥", "鑰", "匙", "凭证", "授权码", "暗号", "解压码")
_PASSWORD: Final = late(
    r"passw(?:or)?d?t?|passphrase|passcode|pwd|pswd|pass(?=[\"'`]{0,2}[ \t]{0,2}[:=])"
    r"|密码|密碼|口令|暗号|解压码"
)
_CHINESE_KEY: Final = late("钥|鑰|匙|令牌|凭证|授权码")
_KEY_BEFORE: Final = late(
    r"(?:api|access|auth|private|account|sign|signing|encrypt|encryption|master|license|service"
    r"|webhook|app|secret|shared|admin|client|project|security|storage|deploy|subscription"
    r"|session|server|consumer|root|jwt|hmac|密)[ _-]?$|[a-z0-9][_-]$|[a-z]$"
)
_SPACED_KEY: Final = late(
    r"\b(?:api|access|auth|private|account|signing|encryption|master|license|service"
    r"|webhook|app|secret|deploy)[ ]$"
)
_LEFT: Final = f"{ascii_letters}{digits}_.-"
_LEFT_MOST: Final = 40
_OPEN: Final = r"[ \t]{0,3}(?P<open>\\?[\"'`“「『*]{0,3})(?P<scheme>(?i:bearer|token|basic) )?"
_REST: Final = r"(?P<rest>[A-Za-z0-9_.\-]{0,40})"
_CLOSE: Final = r"[\"'`*_\])）】」\\]{0,4}[ \t]{0,3}"
_DIRECT: Final = late(
    rf"{_REST}{_CLOSE}(?::{{1,2}}=?|：|={{1,2}}>?|＝|->|→|>(?=[^<\s]{{6,99}}</)|\((?=[\"'])"
    rf"|是|为|為|\b(?:is|was)\b)(?:[ \t]{{0,3}}\n[ \t>]{{0,8}}(?:[-*] )?)?{_OPEN}"
)
_PAIR: Final = late(
    rf"{_REST}[\"']?,?\s{{0,12}}[\"']?(?:value|val|default|data|content)[\"']?"
    rf"[ \t]{{0,3}}[:=]{_OPEN}"
)
_PROSE: Final = late(
    rf"{_REST}(?:[ \t]{{1,2}}[A-Za-z@][\w./@'-]{{0,24}}"
    rf"|[ \t]{{0,2}}[(（][^()（）\n]{{0,30}}[)）]){{1,6}}?"
    rf"(?:[ \t]{{1,2}}(?:is|was|became|to)\b(?: now)?:?|[ \t]?[:=：]){_OPEN}"
)
_CHINESE: Final = late(
    rf"{_REST}[\u4e00-\u9fffA-Za-z0-9（）() ]{{0,12}}?"
    rf"(?:是|为|為|：|:|=|改成|设成|设为|换成|叫|用){_OPEN}"
)
_LOOSE: Final = late(rf"(?P<rest>s?)[\"'`*]{{0,2}}[ \t]{{1,3}}(?:\|[ \t]{{0,3}})?{_OPEN}")
_VALUE: Final = late(r"[^\s\"'`<>，。；、（）【】「」『』“”|\u4e00-\u9fff]{6,160}")
_HOPE: Final = late("[0-9A-Z!@#$%^&*+?~]")
_QUERY: Final = late(r"[&;,][A-Za-z_][\w.-]*=|\\n|\\r")
_CLOSING: Final = ",;.:)]}>*\\"
_PUBLIC: Final = late(
    r"(?:^|[_.\-])(?:test|tests|fake|dummy|mock|example|sample|fixture|public|pub|publishable|anon"
    r"|hash|hashed|sha\d*|digest|checksum|fingerprint|etag|cache|primary|foreign|sort|partition"
    r"|hotkey|idempotency|dedupe|lookup|row|object|host|known)(?:$|[_.\-])"
)
_HARMLESS: Final = late(
    r"[_.-]?(?:\w*ids?|identifiers?|attributes?|names?|types?|path|file|ur[li]|length|len|count|budget"
    r"|limit|size|ttl|expir\w*|hash\w*|policy|arn|ref|version|prefix|suffix|field|header|params?"
    r"|env|vars?|store|manager|provider|format|kind|scopes?|usage|izer|ize\w*|endpoint|class|label"
    r"|hint|alg\w*|created\w*|updated\w*|fingerprint|digest|checksum|selector|placeholder|regex"
    r"|pattern|spec|index|space|code|words?|board|map|error|reset|rotation|management)"
)
_PAGING: Final = late(
    r"(?:page|next|cursor|continuation|sync|csrf|xsrf|request|lock|change|client|lifecycle|update"
    r"|purchase|action|resume|upload|idempotency|correlation|trace|copy|product|starting|import)[_-]?$"
)
_ACCESS: Final = late(
    r"(?:access|auth|api|bearer|refresh|personal|bot|deploy|admin|app|user|service|private|jwt)[_-]?$"
)
_WEAK_NAMES: Final = frozenset({"cookie", "credential"})
_WINDOW: Final = 240
_LEAST: Final = 6
_FINGERPRINT: Final = 40
_LEAST_HEX: Final = 32
_LEAST_WEAK: Final = 24
_LEAST_LOOSE: Final = 20


class _Name(NamedTuple):
    """A name in a text: what it is about, what stands before it, where it ends."""

    word: str
    before: str
    start: int
    end: int
    password: bool


def find_context(text: str, lower: str) -> Iterator[Found]:
    """Yield the secrets that a word names. `lower` is the text in lower case, same length."""
    plain = ascii_of(lower)
    stems = [stem for stem in _STEMS if stem in plain]
    if not text.isascii():
        odd = beyond_ascii(lower)
        stems += [stem for stem in _CHINESE_STEMS if stem in odd]
    for stem in stems:
        start = lower.find(stem)
        while start >= 0:
            name = _name(lower, stem, start)
            found = _judge(text, name) if name is not None else None
            if found is not None:
                yield found
            start = lower.find(stem, found.end if found is not None else start + len(stem))


def _name(lower: str, stem: str, start: int) -> _Name | None:
    end = start + len(stem)
    left = lower[max(0, start - _LEFT_MOST) : start].removesuffix("\n")
    before = left[len(left.rstrip(_LEFT)) :]
    password = _PASSWORD.match(lower, start)
    if password is not None:
        return _Name(stem, before, start, password.end(), password=True)
    if stem in _PASSWORD_STEMS or (stem == "key" and not _is_key_name(lower, start, end)):
        return None
    if stem[0] == "_" and lower[end : end + 1].isalnum():
        return None  # `_path` is no `_pat`
    if not stem.isascii():
        whole = _CHINESE_KEY.match(lower, start)
        end = whole.end() if whole else end
        if stem == "密":
            return None  # 密码 is a password, and 密钥 is found by its second sign
    return _Name(stem, before, start, end, password=False)


def _is_key_name(lower: str, start: int, end: int) -> bool:
    """Whether this `key` is one that opens something: `api key`, `OPENAI_KEY`, not `keyword`."""
    after = lower[end : end + 1]
    if after.isascii() and after.isalpha() and after != "s" and not _KEY_MORE.match(lower, end):
        return False
    pattern = _SPACED_KEY if lower[start - 1 : start] == " " else _KEY_BEFORE
    return pattern.search(lower, max(0, start - 14), start) is not None


_PASSWORD_STEMS: Final = frozenset({"pass", "pwd", "pswd", "口令", "暗号", "解压码"})
_KEY_MORE: Final = late(r"secret|value|[a-z]*(?:base64|pem|prod|live)")


def _judge(text: str, name: _Name) -> Found | None:
    if _HOPE.search(text, name.end, name.end + _WINDOW) is None:
        return None
    flag = "--" in name.before or text[max(0, name.start - 2) : name.start] == "--"
    judged: set[tuple[int, bool]] = set()
    for pattern in _LINKS:
        link = pattern.match(text, name.end)
        if link is None or (link.end(), pattern is _LOOSE) in judged:
            continue
        judged.add((link.end(), pattern is _LOOSE))
        value = _value(text, link.end())
        loose = pattern is _LOOSE and not flag
        if value and _is_named(name, link["rest"].lower(), value, loose=loose):
            return Found(
                "password" if name.password else "secret-value", link.end(), link.end() + len(value)
            )
    return None


_LINKS: Final = (_DIRECT, _PAIR, _PROSE, _CHINESE, _LOOSE)


def _value(text: str, start: int) -> str:
    match = _VALUE.match(text, start)
    if match is None:
        return ""
    value = match.group()
    query = _QUERY.search(value)
    value = (value[: query.start()] if query else value).rstrip(_CLOSING)
    return value if len(value) >= _LEAST else ""


def _is_named(name: _Name, rest: str, value: str, *, loose: bool) -> bool:
    if (rest and _HARMLESS.fullmatch(rest)) or _PUBLIC.search(name.before) or _PUBLIC.search(rest):
        return False
    if name.password:
        return is_password(value, strict=loose) and not _is_spelled(value)
    if (name.word == "token" and _PAGING.search(name.before)) or is_hash(value) or is_code(value):
        return False
    return _is_key(name, value, loose=loose) and not _is_spelled(value)


def _is_key(name: _Name, value: str, *, loose: bool) -> bool:
    weak = name.word in _WEAK_NAMES
    if is_uuid(value):
        return not loose and not weak and bool(name.word != "token" or _ACCESS.search(name.before))
    if is_hex(value):
        if name.word == "key" and len(value) == _FINGERPRINT and value.isupper():
            return False
        return not loose and not weak and len(value) >= _LEAST_HEX and is_random(value)
    if loose or weak:
        return is_random(value, _LEAST_WEAK if weak else _LEAST_LOOSE)
    if is_random(value) or is_scrambled(value, _LEAST_LOOSE):
        return True
    return name.word == "secret" and len(value) >= _LEAST + 4 and is_password(value, strict=True)


def _is_spelled(value: str) -> bool:
    """Whether a value is base64 of a stand-in: "not my real password"."""
    spelled = decode_text(value) if len(value) > _LEAST_LOOSE else ""
    return bool(spelled) and spelled.isprintable() and (" " in spelled or is_placeholder(spelled))
