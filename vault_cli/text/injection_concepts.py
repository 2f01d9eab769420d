"""Which concepts of the vocabulary are in a text at all, and by which words.

Words and phrases are looked up, Chinese words by their first two characters, addresses and key
files by what they must contain. Everything here is linear. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from vault_cli.text.fold import holds_any, holds_plain
from vault_cli.text.injection_vocabulary import (
    WORD,
    Lookup,
    Vocabulary,
    pair_codes,
    rare_words,
)
from vault_cli.text.late import late
from vault_cli.text.shape import may_have_leet_word

_LEET_WORD = late(r"[a-z]*[013457][a-z]+[a-z0-9]*")
_PAIR: Final = 2
LEET_SIGN = late("[013457]")
_WORD_BYTES: Final = bytes(
    code if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_'") else ord(" ")
    for code in range(256)
)
_ASCII_BLANK: Final = b" " * 128 + bytes(range(128, 256))
_LEET = (str.maketrans("013457", "oieast"), str.maketrans("013457", "oleast"))
_DEST = late(
    r"https?://[^\s\"'<>)]{3}|(?<![\w/@.-])//\d{1,3}(?:\.\d{1,3}){3}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,10}"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|discord\.gg/|t\.me/|pastebin"
    r"|(?<![\w.@/-])(?:[a-z0-9-]{2,63}\.){1,4}(?:com|net|org|io|example|cn|xyz|ru|top|dev|app"
    r"|site|info|co|ai|me|cc|tk|test|invalid|online|tech|tld|icu|vip|click|club|biz|cloud|pw)(?![\w.-]*\()(?![a-z0-9_-])",
    re.ASCII,
)
_KEYFILE = late(
    r"(?<!\w)\.env(?![\w(]|\.(?:example|sample|template|dist))|(?<!\w)id_(?:rsa|ed25519|dsa)(?!\w)|/etc/(?:passwd|shadow)"
    r"|~/\.(?:ssh|aws|netrc|npmrc|pypirc|kube|docker|gnupg|config/gcloud|azure|git-credentials"
    r"|gcloud|bash_history|pgpass|cursor/mcp)|\.git-credentials|wallet\.dat|seed\.txt|\.netrc"
    r"|login data|\.pem(?!\w)|\.ssh/|\.aws/credentials|credentials\.json",
    re.ASCII,
)
_HARDKEY = late(
    r"(?<!\w)id_(?:rsa|ed25519|dsa|ecdsa)(?!\w|\.pub)|/etc/shadow|\.aws/credentials"
    r"|\.git-credentials|\.netrc(?!\w)|wallet\.dat|\.ssh/?(?![\w/]|\.)|\.gnupg|\.pgpass|mcp\.json"
    r"|config[/\\]+sam(?!\w)|login data",
    re.ASCII,
)
_EVILHOST = late(
    r"https?://(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0|169\.254\.)\d{1,3}(?:\.\d{1,3}){3}"
    r"|(?<![\w.])(?:203\.0\.113|198\.51\.100|192\.0\.2)\.\d{1,3}(?![\w.])"
    r"|(?<![\w-])(?:[a-z0-9-]{1,63}\.){0,4}[a-z0-9-]{0,40}"
    r"(?:evil|attacker|malicious|malware|hacker(?!one|news|noon|rank|space)|badhost|phish|exfil|darkweb|badguy|rogue|untrusted)"
    r"[a-z0-9-]{0,40}\.[a-z]{2,10}(?![a-z0-9_(-])",
    re.ASCII,
)
_WIPEOUT = late(
    r"(?<!\w)rm\s{1,3}-(?:rf|fr|r\s{1,3}-f|rf\s--no-preserve-root)\s{1,3}(?:/\*?|~/?\*?|\$home/?)(?![\w./$*-])",
    re.ASCII,
)
_DANGERCMD = late(
    r"(?<!\w)chmod\s{1,3}(?:-r\s{1,3})?(?:[0-7]?[67]{3}|[ao]\+[rwx]{1,3})\s{1,3}(?:-r\s{1,3})?/"
    r"|/etc/(?:shadow|sudoers)(?!\w)|(?<!\w)iptables\s{1,3}-(?:f(?!\w)|[^\n]{1,60}(?:--dport\s{1,3}22|-p\s)[^\n]{0,40}drop)"
    r"|(?<!\w)(?:setenforce\s{1,3}0|ufw\s{1,3}disable|history\s{1,3}-c|crontab\s{1,3}-r|userdel|passwd\s{1,3}-d)(?!\w)"
    r"|systemctl\s{1,3}(?:stop|disable|mask)\s{1,3}(?:--now\s)?(?:auditd|firewalld|ufw|apparmor|fail2ban|rsyslog|sshd?)(?!\w)"
    r"|(?<!\w)mkfs(?:\.\w{2,5})?\s{1,3}/dev/|(?<!\w)dd\s[^\n]{0,60}of=/dev/(?:sd|nvme|disk)"
    r"|kill\s{1,3}-9\s{1,3}-1(?!\w)|nopasswd|unset\s{1,3}histfile|histsize=0|useradd\s[^\n]{0,40}-o\s|>\s{0,3}/dev/sd[a-z]"
    r"|:\(\)\s?\{|>>\s{0,3}~?/?[\w./]{0,20}(?:authorized_keys|sudoers|\.bashrc|\.profile)(?!\w)"
    r"|usermod\s[^\n]{0,20}-a?g\s{0,2}(?:sudo|wheel|root|docker)(?!\w)|net\s{1,3}user\s[^\n]{1,40}/add"
    r"|vssadmin\s{1,3}delete|drop\s{1,3}(?:database|schema)\s|mv\s{1,3}/(?:etc|\*)?\s{0,2}[^\n]{0,20}/dev/null",
    re.ASCII,
)
_OPTION = late(
    r"\A(?:[-*+] )?[`*]{0,3}(?:-{1,2}[a-z0-9][\w-]{0,30}"
    r"(?:[=< ,|/、或-]{1,3}[\w<>-]{1,24}){0,3}[`*]{0,3}\s{0,30}[：:\s]"
    r"|[a-z+][：])"
)
"""How a line begins that says what an option of a command does."""
PATTERNS: Final = (
    ("OPTION", _OPTION),
    ("DANGERCMD", _DANGERCMD),
    ("DEST", _DEST),
    ("KEYFILE", _KEYFILE),
    ("HARDKEY", _HARDKEY),
    ("EVILHOST", _EVILHOST),
    ("WIPEOUT", _WIPEOUT),
)
_DOT = late(
    r"\.(?:com|net|org|io|example|cn|xyz|ru|top|dev|app|site|info|co|ai|me|cc|tk|test|invalid|gg|tld|icu|vip|click|club|biz|cloud|pw"
    r"|online|tech|\d)"
)
_ADDRESS_MARKS: Final = ("//", "@", "pastebin")
_KEY_WORDS: Final = {
    ".": (
        ".env", ".git-cred", ".netrc", ".pem", ".ssh", ".gnupg", ".pgpass", "wallet.dat",
        "seed.txt", "mcp.json",
    ),
    "/": ("/etc/", "~/.", "/sam"),
    "_": ("id_",),
    "\\": ("\\sam",),
    " -": ("rm -",),
    **{word: (word,) for word in ("credentials", "login data")},
}  # fmt: skip
"""What key files and commands that wipe out must contain."""
_COMMAND_WORDS: Final = {
    "user": ("userdel", "useradd", "usermod", "net user"),
    "passwd": ("passwd -", "nopasswd"),
    "drop ": ("drop data", "drop sch"),
    "kill -": ("kill -",),
    "/": ("/etc/s", "/dev/"),
    ":(": (":()",),
    **{word: (word,) for word in (
        "chmod", "mkfs", "iptables", "setenforce", "ufw ", "crontab", "systemctl", "hist", ">>",
        "vssadmin",
    )},
}  # fmt: skip
"""What dangerous commands must contain."""
_EVIL_WORDS: Final = (
    "//1", "//2", "//3", "//4", "//5", "//6", "//7", "//8", "//9", "203.0.113", "198.51.100",
    "192.0.2", "evil", "attacker", "malicious", "malware", "hacker", "badhost", "phish", "exfil",
    "darkweb", "badguy", "rogue", "untrusted",
)  # fmt: skip
"""The same of the hosts of attackers."""


def marked_concepts(text: str, book: Vocabulary, among: int = -1) -> int:
    """Return the concepts of the patterns that may match, judged by what they must contain."""
    marked = 0
    if among & book.addresses and (
        holds_any(text, _ADDRESS_MARKS) or ("." in text and _DOT.search(text) is not None)
    ):
        marked = book.addresses
        if not holds_any(text, _EVIL_WORDS):
            marked &= ~book.bits["EVILHOST"]
    if among & book.key_files and holds_plain(text, _KEY_WORDS):
        marked |= book.key_files
    if among & book.commands and holds_plain(text, _COMMAND_WORDS):
        marked |= book.commands
    return marked & among


@lru_cache(maxsize=8)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a folded text, as `WORD` finds them."""
    return frozenset(_tokens(text))


@lru_cache(maxsize=2)
def _tokens(text: str) -> list[str]:
    if "'" in text:  # a word begins with no apostrophe
        return WORD.findall(text)
    return text.encode("ascii", "replace").translate(_WORD_BYTES).decode("ascii").split()


def _seen(text: str, lookup: Lookup) -> list[tuple[str, int]]:
    """Return the words that make an entry of the vocabulary, with the concepts of it."""
    words, tokens = words_of(text), _tokens(text)
    found = [(word, lookup.words[word]) for word in words & lookup.words.keys()]
    joined = ""
    for pair in lookup.pairs.keys() & map(" ".join, pairwise(tokens)):
        for word, entry, mask in lookup.pairs[pair]:
            if entry and not joined:
                joined = f" {' '.join(tokens)} "
            if not entry or entry in joined:
                found.append((word, mask))
    if may_have_leet_word(text):
        found += _seen_leet(words)
    return found


def _seen_leet(words: Iterable[str]) -> Iterator[tuple[str, int]]:
    for word in words:
        if not word.isalpha() and _LEET_WORD.fullmatch(word):
            for table in _LEET:
                yield from ((word, mask) for mask in rare_words().get(word.translate(table)) or ())


def _seen_han(text: str, lookup: Lookup) -> list[tuple[str, int]]:
    """Return the same of words that are found anywhere, as Chinese ones are."""
    said = _beyond_ascii(text)
    even, odd = pair_codes(said)
    found = [
        (word, mask)
        for pair in (lookup.han.keys() & even) | (lookup.han.keys() & odd)
        for word, mask in lookup.han[pair]
        if len(word) == _PAIR or word in text
    ]
    for sign, among in lookup.single.items():
        if sign in said:
            found += [(word, mask) for word, mask in among if word in text]
    return found


def _beyond_ascii(text: str) -> str:
    """Return the runs of characters of a text that are not ASCII, with a space between them.

    It goes by bytes, which takes a third of what a pattern does.
    """
    data = text.encode("utf-8", "surrogatepass").translate(_ASCII_BLANK)
    return b" ".join(data.split()).decode("utf-8", "surrogatepass")


def find_concepts(text: str, lookup: Lookup) -> list[tuple[str, int]]:
    """Return the words in a folded text that make entries, with the concepts of each.

    Of a phrase it is the rarest word, of a word in leet the way it is written.
    """
    found = _seen(text, lookup)
    return found if text.isascii() else found + _seen_han(text, lookup)


def join_masks(words: Iterable[tuple[str, int]]) -> int:
    """Return all concepts of some words together."""
    present = 0
    for _, mask in words:
        present |= mask
    return present


def plain_word(word: str, book: Vocabulary) -> str:
    """Return a word without leet (`1gn0re`), itself if there is none."""
    if word.isalpha() or word in book.words or not _LEET_WORD.fullmatch(word):
        return word
    plain = [word.translate(table) for table in _LEET]
    return next((form for form in plain if form in book.words), plain[0])
