"""Secrets with a structure: private keys, JWT, addresses with a password, headers, commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from vault_cli.text.late import late
from vault_cli.text.secret_values import (
    is_mixed,
    is_password,
    is_placeholder,
    is_random,
    is_scrambled,
    is_uuid,
    is_weak,
)
from vault_cli.text.secret_views import decode_text
from vault_cli.text.shape import ascii_of


class Found(NamedTuple):
    """A secret in a text: kind, start, end."""

    kind: str
    start: int
    end: int


WORDS: Final = {
    "private-key": "private key",
    "jwt": "JSON Web Token",
    "url-password": "address with a password",
    "authorization-header": "credential in a header",
    "command-password": "password in a command",
    "netrc-password": "password in a .netrc line",
    "seed-phrase": "seed phrase of a wallet",
    "wallet-key": "private key of a wallet",
}

_KEY_START: Final = late(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = late(r"-----END [A-Z0-9 ]{0,40}-----|-----")
_KEY_LINE: Final = late(r"[A-Za-z0-9+/=]{16,}")
_PUTTY: Final = late(r"Private-Lines: \d{1,3}\s")
_KEY_LIMIT: Final = 20_000
_OPEN_KEY: Final = 2000
_LEAST_KEY: Final = 40
_LEAST_PASSWORD: Final = 6
_LEAST_TOKEN: Final = 24
_LEAST_SHORT: Final = 12
_SEED_LENGTH: Final = 12
_PROSE_WORDS: Final = frozenset(
    {"the", "and", "was", "are", "for", "with", "this", "from", "not", "must", "should", "has"}
)

_PART: Final = "[A-Za-z0-9_-]"
_JWT: Final = late(
    rf"(?<!{_PART})eyJ{_PART}{{8,2000}}+\.(?:{_PART}{{0,1000}}+\.{_PART}{{8,100}}+\.)?"
    rf"{_PART}{{8,8000}}+\.{_PART}{{16,2000}}+"
)
_PUBLISHED_JWT: Final = late(r"1234567890|John Doe|(?i:example)")

_URL_TAIL: Final = late(
    r"(?P<user>[^\s:@/\"'`<>]{0,100}):(?P<password>[^\s/\"'`<>]{1,200})@(?=[\w\[$<{(%-])"
)
_SCHEME: Final = late(r"[A-Za-z][A-Za-z0-9+.-]{1,30}$")
_EXAMPLE_HOST: Final = late(r"(?i)(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\b)")

_BEARER: Final = late(
    r"(?i:bearer|token|apikey|api-key|key)[ \t=:]{1,3}\"?'?(?P<value>[A-Za-z0-9._~+/=-]{16,2000})"
)
_BASIC: Final = late(r"(?i:basic)[ \t]{1,3}(?P<value>[A-Za-z0-9+/_-]{8,400}={0,2})")
_CURL: Final = late(
    r"(?:-u|--user|--proxy-user)[ =]{0,2}[\"']?(?P<user>[^\s:\"']{1,60}):(?P<value>[^\s\"']{6,200})"
)
_NETRC: Final = late(
    r"(?i)\blogin\s{1,4}\S{1,80}\s{1,4}password\s{1,4}[\"']?(?P<value>[^\s\"']{6,200})"
)
_COMMAND: Final = late(
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|redis-cli|docker login|psql|mongo(?:sh)?"
    r"|smbclient|ldapsearch|sqlcmd|unzip|7z|az login|cf login|skopeo|helm|podman|net use)\b"
    r"[^\n|;&]{0,120}?\s(?:-p|-a|-w|-P|--pass)[ =]?[\"']?(?P<value>[^\s\"'-][^\s\"']{5,100})"
)
_SEED: Final = late(
    r"(?i)(?:(?:seed|recovery|secret|backup)[ _-]?phrase|mnemonic|seed words"
    r"|助记词|恢复短语|种子短语)[^\n]{0,40}?[\s:：=\"'`是为]\s{0,8}"
    r"(?P<value>[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})"
)
_WALLET: Final = late(
    r"(?i)(?:(?:private|priv|secret|wallet)[ _-]?key|私钥)[^\n]{0,20}?[\s:：=\"'`是为]\s{0,8}"
    r"[\"'`]?(?P<value>0x[0-9a-f]{64}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51}"
    r"|[1-9A-HJ-NP-Za-km-z]{87,88})(?![A-Za-z0-9])"
)
_WIREGUARD: Final = late(r"(?:PrivateKey|PresharedKey)\s{0,3}=\s{0,3}(?P<value>[A-Za-z0-9+/]{43}=)")


def find_shapes(text: str, lower: str, *, coded: bool) -> Iterator[Found]:
    """Yield the structured secrets of a text.

    Args:
        text: any text.
        lower: the text in lower case, of the same length.
        coded: whether it has a run of letters and digits long enough for a token.
    """
    plain = ascii_of(lower)
    for stem, needles, find in _FINDERS if coded else _SHORT_FINDERS:
        if (
            (stem in plain or not stem.isascii())
            and stem in lower
            and (not needles or any(needle in lower for needle in needles))
        ):
            yield from find(text)


def _keys(text: str) -> Iterator[Found]:
    for match in _KEY_START.finditer(text):
        # The body ends at the next dashes whatever they belong to: linear, and never past a key.
        stop = _KEY_END.search(text, match.end(), match.end() + _KEY_LIMIT)
        end = stop.end() if stop and stop.group() != "-----" else match.end() + _OPEN_KEY
        body = text[match.end() : stop.start() if stop else end]
        lines = _KEY_LINE.findall(body)
        if sum(map(len, lines)) >= _LEAST_KEY and not _is_dummy_key(body):
            yield Found("private-key", match.start(), min(end, len(text)))


def _is_dummy_key(body: str) -> bool:
    return "..." in body or "EXAMPLE" in body or "xxxxxx" in body.lower()


def _putty(text: str) -> Iterator[Found]:
    for match in _PUTTY.finditer(text):
        # To the next header at most: linear whatever the text repeats.
        stop = text.find("Private-", match.end(), match.end() + _KEY_LIMIT)
        end = stop if stop >= 0 else match.end() + 4000
        body = text[match.end() : end]
        if sum(map(len, _KEY_LINE.findall(body))) >= _LEAST_KEY and not _is_dummy_key(body):
            yield Found("private-key", match.start(), min(end, len(text)))


def _jwts(text: str) -> Iterator[Found]:
    for match in _JWT.finditer(text):
        claims = decode_text(match.group().split(".")[1])
        if is_placeholder(match.group()) or _PUBLISHED_JWT.search(claims):
            continue
        yield Found("jwt", *match.span())


def _urls(text: str) -> Iterator[Found]:
    start = text.find("://")
    while start >= 0:
        match = _URL_TAIL.match(text, start + 3)
        if match is not None and _is_url_password(text, match):
            scheme = _SCHEME.search(text, max(0, start - 31), start)
            yield Found("url-password", scheme.start() if scheme else start, match.end())
        start = text.find("://", start + 3)


def _is_url_password(text: str, match: re.Match[str]) -> bool:
    password, user = match["password"], match["user"]
    if is_placeholder(password) or is_weak(password) or password == user or password[0] in "$%{<(":
        return False
    if is_random(password) or is_password(password, strict=True):
        return True
    local = _EXAMPLE_HOST.match(text, match.end()) is not None
    return not local and (is_password(password) or _is_plain_password(password))


def _is_plain_password(password: str) -> bool:
    """A word with a digit or with mixed letters counts in an address of a real host."""
    return len(password) >= _LEAST_PASSWORD and (
        any(letter.isdigit() for letter in password) or is_scrambled(password, _LEAST_SHORT)
    )


def _headers(text: str) -> Iterator[Found]:
    for match in _BEARER.finditer(text):
        value = match["value"].rstrip(".")
        header = match.group()[:6].lower() == "bearer" or _is_header(text, match.start())
        if header and not is_placeholder(value) and _is_header_value(value):
            yield Found("authorization-header", match.start("value"), match.end("value"))
    for match in _BASIC.finditer(text):
        user, colon, password = decode_text(match["value"]).partition(":")
        if colon and f"{user}{password}".isprintable() and _is_basic_password(password):
            yield Found("authorization-header", match.start("value"), match.end("value"))


def _is_basic_password(password: str) -> bool:
    return (
        len(password) >= _LEAST_PASSWORD - 2
        and not is_placeholder(password)
        and not is_weak(password)
    )


def _is_header(text: str, start: int) -> bool:
    return "authorization" in text[max(0, start - 30) : start].lower()


def _is_header_value(value: str) -> bool:
    return is_random(value) or is_uuid(value) or (len(value) >= _LEAST_TOKEN and is_mixed(value))


def _curls(text: str) -> Iterator[Found]:
    for match in _CURL.finditer(text):
        if is_random(match["value"], _LEAST_SHORT) or is_password(match["value"]):
            yield Found("command-password", *match.span("value"))


def _commands(text: str) -> Iterator[Found]:
    for match in _COMMAND.finditer(text):
        if is_password(match["value"]):
            yield Found("command-password", *match.span("value"))


def _netrcs(text: str) -> Iterator[Found]:
    for match in _NETRC.finditer(text):
        if is_password(match["value"]) or is_random(match["value"], _LEAST_SHORT):
            yield Found("netrc-password", *match.span("value"))


def _seeds(text: str) -> Iterator[Found]:
    for match in _SEED.finditer(text):
        words = re.findall("[a-z]+", match["value"].lower())[:_SEED_LENGTH]
        if len(set(words)) >= len(words) - 1 and not _PROSE_WORDS.intersection(words):
            yield Found("seed-phrase", *match.span("value"))


def _wallets(text: str) -> Iterator[Found]:
    for pattern in (_WALLET, _WIREGUARD):
        for match in pattern.finditer(text):
            if not is_placeholder(match["value"]):
                yield Found("wallet-key", *match.span("value"))


_Finder = Callable[[str], Iterator[Found]]
_FINDERS: Final[tuple[tuple[str, tuple[str, ...], _Finder], ...]] = (
    ("private", ("private key",), _keys),
    ("private", ("private-lines:",), _putty),
    ("key", ("privatekey", "presharedkey", "private", "secret", "私钥", "wallet"), _wallets),
    ("eyj", (), _jwts),
    ("bearer ", (), _headers),
    ("basic ", (), _headers),
    ("authorization", (), _headers),
    ("://", (), _urls),
    (" -", (" -u", "--user", "--proxy-user"), _curls),
    (" -", (" -p", " -a", " -w", "--pass"), _commands),
    ("login", ("password",), _netrcs),
    ("phrase", (), _seeds),
    ("mnemonic", (), _seeds),
    ("seed words", (), _seeds),
    ("助记词", (), _seeds),
    ("短语", (), _seeds),
)
_SHORT_FINDERS: Final = _FINDERS[7:]
