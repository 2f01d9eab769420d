"""Is this value a secret or a stand-in: placeholders, code, randomness. Standard library only.

A value is judged only where a known shape or a name beside it says that a secret may stand here;
nothing is a secret because it looks random.
"""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text.late import late

_STAND_INS: Final = (
    "xxxx *** ... … •• ____ ---- ??? #### < ${ {{ }} $( %( your example placeholder changeme"
    " change-me change_me changeit changethis redacted dummy fake sample replace- replace_"
    " replaceme replacewith insert- insert_ put- put_ enter- enter_ fixme foobar not-a- not_a_"
    " notreal not-real not_real my-secret my_secret mysecret my-passw my_passw mypassw"
    " my-token my_token mytoken my-key my_key mykey my-api my_api myapi secret-key secret_key"
    " secretkey secret-token secret_token secrettoken secret-value secret_value secret-here"
    " secret_here test-key test_key test-token test_token test-secret test_secret test-passw"
    " test_passw test-only test_only key-here key_here key-goes key_goes token-here token_here"
    " token-goes token_goes password-here password_here 占位 示例 你的 您的 填写 替换 省略 某某"
)
_STAND_IN_WORDS: Final = tuple(_STAND_INS.split())
_TYPED_ROWS: Final = (
    "lorem ipsum deadbeef testtest asdf qwerty 123456 987654 000000 abcdefg abcdef0 abcdef1 01234"
)
_TYPED_WORDS: Final = tuple(_TYPED_ROWS.split())
"""What fingers type in a row: a stand-in behind a name, no excuse for a vendor's whole shape."""

_STAND_IN: Final = late(
    r"^[{\[%]|^\$[a-z_]+$|%[a-z_]+%$|^@@?\w+@@?$|\{[a-z_]\w*\}|\bt[o0]d[o0]\b|here$"
)
_TYPED: Final = late(r"abcdef|defghi|ghijkl|jklmno|mnopqr|pqrstu|stuvwx|uvwxyz")
_REPEATED: Final = late(r"(.)\1{7,}|(.{2,4})\2{3,}")
_PIECE: Final = late(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_WORD: Final = late(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_PAIR_GROUPS: Final = (
    "abcdgiklmnprstuvy baeilou caehiklortu dadeiosu eacdefglmnpqrstvxy faefiloru gehinrsu haeiot"
    " iabcdefglmnoprstvz ke ladeilostuy mabeimopsu nacdefginostuv obcdgiklmnoprstuvw paeiloprstuy"
    " qu racdegimnorstuy sacehiopstuy tacehilorstuy uabceilmnprst vaei waehior xcpt ypst ze"
)
_PAIRS: Final = frozenset(
    group[0] + second for group in _PAIR_GROUPS.split() for second in group[1:]
)
"""The 220 pairs of letters that make 93 % of the words in program texts, by first letter."""
_LEET: Final = str.maketrans("013457@$!", "oieastasi")
_WEAK_WORDS: Final = (
    "password passwd passwort passphrase passcode pass pwd pw secret secrets token key admin root"
    " user username guest test tester testing demo default login welcome letmein qwerty master"
    " postgres postgresql mysql mongo redis rabbitmq none null true false string value required"
    " optional hidden empty unset blank foo bar baz foobar changeme hunter correct hello world"
    " secure strong weak access private public service apikey api pswd mypassword mysecret userpass"
    " mypass yourpassword newpassword oldpassword somepassword dbpassword topsecret supersecret"
    " secretpassword testpassword adminpassword rootpassword app db dev"
)
_WEAK: Final = frozenset(_WEAK_WORDS.split())
_TECHNICAL: Final = late(
    r"(?i)^(?:sha[-_]?\d+|md5|argon2(?:id?|d)?|bcrypt|scrypt|pbkdf2|oauth2?|base\d\d|utf-?\d+|aes[-_]?\d+\S*|rsa[-_]?\d*"
    r"|ed25519|hs\d+|rs\d+|es\d+|hmac\S*|x509|pkcs\d*\S*|jwt|v?\d+(?:\.\d+)+\S*|v\d+|h264|ipv[46]|http2?|k8s"
    r"|i18n|l10n|p256|secp\w+|blake\w+|tls\S*|ntlmv?2?|\d+[:.]\d\S*|int\d+|str\d*|level\d|step\d|line\d+)$"
)
_DATE: Final = late(r"^\d{4}-\d\d-\d\d(?:[T ]|$)|^\d{1,2}:\d\d")
_HASH: Final = late(
    r"(?i)^(?:\$2[abxy]?\$|\$argon2|\$[156y]\$|\$pbkdf2|\{(?:s?sha|md5|crypt)|pbkdf2[_:]|scrypt:"
    r"|bcrypt|sha\d*[-_:$]|md5[-_:]|h1:|pk[-_](?:live|test|lf)|pub[-_]|ssh-|AAAA[BCE]3Nza|age1)"
)
_UUID: Final = late(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX: Final = late(r"(?:[0-9a-f]+|[0-9A-F]+)")
_CALL: Final = late(r"[A-Za-z_][\w.:>-]*+[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\.?$")
_ADDRESS: Final = late(r"[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,8}$")
_MARK: Final = late(r"[-_./:+]")
_STRONG: Final = frozenset("!@#$%^&*+=?~|\\")

_RANDOM_LENGTH: Final = 16
_PIECE_LENGTH: Final = 4.5
_JUDGED: Final = 80
_WORD_LENGTH: Final = 3
_WORD_SHARE: Final = 0.5
_FEW_WORDS: Final = 0.2
_HEX_LENGTH: Final = 32
_SLUG_PARTS: Final = 3
_DIGIT: Final = late("[0-9]")
_PART_LENGTH: Final = 10
_MIN_DISTINCT: Final = 6
_FEW_DISTINCT: Final = 4
_MIN_PASSWORD: Final = 6
_LONG_PASSWORD: Final = 8
_LONG_WEAK: Final = 28


def is_placeholder(value: str) -> bool:
    """Whether a value is a stand-in (`xxxx`, `<your-key>`, `${X}`, `abcdef123456`)."""
    low = value.lower()
    return (
        is_marked_placeholder(value)
        or any(word in low and _is_written(word, low, value) for word in _TYPED_WORDS)
        or _TYPED.search(low) is not None
        or len(set(value)) < min(_MIN_DISTINCT, len(value) - 1)
    )


def is_marked_placeholder(value: str) -> bool:
    """Whether a value says itself that it is none (`xxxx`, `<your-key>`, `${X}`, `...EXAMPLE`).

    A key of a vendor's whole shape is one although somebody typed it from the keyboard's rows:
    nobody can tell such a value from a real one that happens to look like it.
    """
    low = value.lower()
    return (
        any(word in low and _is_written(word, low, value) for word in _STAND_IN_WORDS)
        or _STAND_IN.search(low) is not None
        or _REPEATED.search(value) is not None
        or len(set(value)) < min(_FEW_DISTINCT, len(value) - 1)
    )


def _is_written(word: str, low: str, value: str) -> bool:
    """Whether a word stands in one case: `YOUR` and `Your` are written, `yOuR` is chance."""
    start = low.index(word)
    shown = value[start : start + len(word)]
    return shown.islower() or shown.isupper() or shown[1:].islower() or not word.isalpha()


def is_hash(value: str) -> bool:
    """Whether a value says itself that it is a password hash, a digest or a public key."""
    return _HASH.match(value) is not None


def is_uuid(value: str) -> bool:
    """Whether a value is a UUID and nothing else."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Whether a value has only hexadecimal digits of one case."""
    return _HEX.fullmatch(value) is not None


def is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed as a machine mixes them, unlike in words and names.

    A piece is what camelCase takes for a word; it is a word when nearly all its pairs of letters
    are common in English. Names of programs are mostly words, base 62 and hexadecimal are not.
    """
    pieces = _PIECE.findall(value[:_JUDGED])
    if not pieces:
        return False
    letters = sum(map(len, pieces))
    words = sum(len(piece) for piece in pieces if _is_word(piece))
    often = letters <= _PIECE_LENGTH * len(pieces) or words <= _FEW_WORDS * letters
    return often and words <= _WORD_SHARE * letters


def is_gibberish(value: str) -> bool:
    """Whether lower-case letters make no word, as in the keys of some vendors."""
    return value.isalpha() and value.islower() and not _is_word(value)


def _is_word(piece: str) -> bool:
    if len(piece) < _WORD_LENGTH or not piece.isalpha():
        return False
    low = piece.lower()
    common = sum(low[place : place + 2] in _PAIRS for place in range(len(low) - 1))
    return common * 5 >= (len(low) - 1) * 4


def is_random(value: str, length: int = _RANDOM_LENGTH) -> bool:
    """Whether a value of at least `length` characters looks made by a machine, not written."""
    return (
        len(value) >= length
        and any(letter.isdigit() for letter in value)
        and any(letter.isalpha() for letter in value)
        and not _DATE.match(value)
        and not _is_slug(value)
        and (is_mixed(value) or (len(value) >= _HEX_LENGTH and is_hex(value)))
        and not is_placeholder(value)
    )


def is_scrambled(value: str, length: int = _RANDOM_LENGTH) -> bool:
    """Whether letters of both cases stand mixed without a digit, as one key in thirty has them."""
    return (
        len(value) >= length
        and not value.islower()
        and not value[1:].islower()
        and not value.isupper()
        and is_mixed(value)
        and not is_placeholder(value)
    )


def _is_slug(value: str) -> bool:
    """Whether a value is short parts with marks between: `harbor-2026-11-24-b`, `my-dir/a.mp4`."""
    parts = _MARK.split(value)
    return len(parts) >= _SLUG_PARTS and max(map(len, parts)) < _PART_LENGTH


def is_code(value: str) -> bool:
    """Whether a value is an expression (`settings.KEY`, `get_token(user)`), a path, an address."""
    if "://" in value or value.startswith(("(", "[", "//")):
        return True
    if value.startswith(("/", "./", "../", "~/", "$", "&", "--")):
        return not is_mixed(value)
    if _CALL.match(value):
        return not is_mixed(value.rstrip("([])"))
    return _ADDRESS.fullmatch(value) is not None and not is_mixed(value.partition("@")[2])


def is_password(value: str, *, strict: bool = False) -> bool:
    """Whether a value beside the word "password" is one: not a word, a stand-in or code.

    Args:
        value: the candidate, without quotes.
        strict: whether the link to the word is loose, so that only an unmistakable value counts.
    """
    if len(value) < _MIN_PASSWORD or not _may_be_password(value) or _is_something_else(value):
        return False
    digits = any(letter.isdigit() for letter in value)
    strong = any(letter in _STRONG for letter in value[:-1]) or (digits and value[-1] in _STRONG)
    if not any(letter.isalpha() for letter in value):
        return len(value) >= _LONG_PASSWORD and (strong or not strict)
    if strict:
        return (strong and digits) or is_random(value)
    if strong:
        return digits or not value.isascii() or value.lower() != value
    if not digits:
        return is_scrambled(value, _RANDOM_LENGTH - 4)
    return len(value) >= _LONG_PASSWORD and not _is_name(value)


def _may_be_password(value: str) -> bool:
    """The cheap part of the test: a word in lower case is none."""
    return not value.islower() or _DIGIT.search(value) is not None


def _is_something_else(value: str) -> bool:
    return (
        is_hash(value)
        or is_placeholder(value)
        or is_weak(value)
        or _TECHNICAL.match(value) is not None
        or _DATE.match(value) is not None
        or is_code(value)
    )


def is_weak(value: str) -> bool:
    """Whether a value is what examples use: `password123`, `s3cr3t`, `root`, `changeme!`."""
    low = value.lower()
    plain = low.rstrip("0123456789!.?$#")
    bare = "".join(filter(str.isalnum, low.translate(_LEET)))
    if plain in _WEAK or plain.translate(_LEET) in _WEAK or bare.rstrip("o") in _WEAK:
        return True
    if len(value) < _LONG_WEAK and any(word in bare for word in ("password", "passwd", "secret")):
        return True
    parts = re.split(r"[-_.@:/]+", low)
    return all(part.rstrip("0123456789") in _WEAK or not part for part in parts)


def _is_name(value: str) -> bool:
    """Whether letters make words: `must-have-14-characters`, `utf8_general_ci`."""
    if not value.isascii():
        return True
    separators = sum(not letter.isalnum() for letter in value)
    letters = sum(letter.isalpha() for letter in value)
    words = sum(map(len, _WORD.findall(value)))
    return separators > 0 and words * 2 >= letters
