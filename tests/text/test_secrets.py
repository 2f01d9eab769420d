"""Secrets and personal numbers: what is found, what is not, and that no value is ever shown."""

import base64
import re
import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import CHECKED, HONEST, PERSONAL, SECRETS, Source

from tests.helpers import least_cpu
from vault_cli.text.scan import find_secret_findings, mask_secrets
from vault_cli.text.secret_rules import all_rules
from vault_cli.text.secret_views import find_runs
from vault_cli.text.secrets import describe, find_secrets

FRAMES = (
    "{}",
    "Lesson: the deploy failed because {} was wrong.",
    "备注:{}",
    "根因:{} 已过期,见工单。",
)


def frame(number: int, sample: str) -> str:
    return f"config:\n{sample}\n" if "\n" in sample else FRAMES[number % 4].replace("{}", sample)


def refused(text: str) -> list[str]:
    return [hit.kind for hit in find_secrets(text) if hit.severity == "refuse"]


@pytest.mark.parametrize("kind", SECRETS)
def test_secret_is_found(kind: str) -> None:
    texts = [frame(seed, SECRETS[kind](Source(seed))) for seed in range(24)]
    found = sum(bool(refused(text)) for text in texts)
    # A random value may look like words by chance; one in twelve is far above what was measured.
    assert found >= 22


def test_nearly_every_secret_is_found() -> None:
    shares = [
        sum(bool(refused(frame(seed, make(Source(seed))))) for seed in range(100, 112)) / 12
        for make in SECRETS.values()
    ]
    assert sum(shares) / len(shares) >= 0.97


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_number_is_found(kind: str) -> None:
    for seed in range(30):
        hits = find_secrets(frame(seed, PERSONAL[kind](Source(seed))))
        assert [(hit.personal, hit.severity) for hit in hits] == [(True, "refuse")], seed


@pytest.mark.parametrize("kind", CHECKED)
def test_wrong_check_digit_is_no_number(kind: str) -> None:
    for seed in range(30):
        number = CHECKED[kind](Source(seed))
        wrong = next(d for d in "5738" if d != number[-1])
        assert find_secrets(frame(seed, number[:-1] + wrong)) == [], seed


@pytest.mark.parametrize("kind", HONEST)
def test_honest_text_is_left_alone(kind: str) -> None:
    for seed in range(120):
        text = frame(seed, HONEST[kind](Source(seed)))
        assert find_secrets(text) == [], text


SHAPES = {
    "GitHub token": lambda s: "gh" + s.pick(*"posur") + "_" + s.take(36),
    "GitHub fine-grained token": lambda s: "github" + "_pat_" + s.take(22) + "_" + s.take(59),
    "AWS access key id": lambda s: "AK" + "IA" + s.upper(16),
    "Slack": lambda s: "xo" + "x" + s.pick("b", "p") + "-" + s.digits(12) + "-" + s.take(24),
    "Google API": lambda s: "AI" + "za" + s.web(35),
    "Stripe live": lambda s: "sk" + "_live_" + s.take(24),
    "Model vendor": lambda s: "sk" + "-" + s.take(40),
    "PEM": lambda s: s.key_block("PRI" + "VATE KEY", 3),
    "JWT": lambda s: "ey" + "J" + s.take(20) + "." + s.web(40) + "." + s.web(43),
    "URL with password": lambda s: f"postgres://user:{s.password()}@host/db",
    "Assignment": lambda s: f'password = "{s.password()}"',
    "Assignment in the case": lambda s: 'password = "' + "Tr0ub4dor" + '&3xyz"',
    "Chinese": lambda s: "密码是 " + "Tr0ub4dor" + "&3xyz",
    "Card number": lambda s: s.luhn("4" + s.digits(14)),
    "Well-known card number": lambda s: "4111" + "1111" * 3,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "place", ["{}", "title: {}", "tags: [a, {}]", "ran `curl -H '{}'`", "{}: x"]
)
def test_each_shape_is_found_in_every_place(shape: str, place: str) -> None:
    for seed in range(12):
        sample = SHAPES[shape](Source(seed))
        assert refused(place.replace("{}", sample)), (seed, shape)


def wrap(text: str, between: str) -> str:
    return text[: len(text) // 2] + between + text[len(text) // 2 :]


def percent(text: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "_-=/:!" else c for c in text)


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in text)


DISGUISES = {
    "zero-width space": lambda t: wrap(t, "\u200b"),
    "soft hyphen": lambda t: wrap(t, "\u00ad"),
    "tag character": lambda t: wrap(t, "\U000e0041"),
    "full width": wide,
    "line wrap": lambda t: wrap(t, "\n"),
    "line wrap, indented": lambda t: wrap(t, "\n    "),
    "line wrap, CRLF": lambda t: wrap(t, "\r\n"),
    "line wrap, quoted": lambda t: "> " + wrap(t, "\n> "),
    "trailing backslash": lambda t: wrap(t, "\\\n"),
    "quotes": lambda t: f'"{t}"',
    "backticks": lambda t: f"`{t}`",
    "JSON": lambda t: f'{{"note": "{t}"}}',
    "URL parameter": lambda t: f"https://x.example/?q={t}&page=1",
    "Chinese brackets": lambda t: f"「{t}」。",
    "percent": percent,
    "base64": lambda t: base64.b64encode(f"token: {t}".encode()).decode(),
    "hexadecimal": lambda t: t.encode().hex(),
    "Markdown escapes": lambda t: t.replace("_", "\\_").replace("-", "\\-"),
    "entities": lambda t: t.replace("_", "&#95;").replace("-", "&#x2d;"),
    "Unicode escapes": lambda t: t.replace("_", "\\u005f").replace("-", "\\u002d"),
}


@pytest.mark.parametrize("name", DISGUISES)
@pytest.mark.parametrize(
    "shape", ["GitHub token", "AWS access key id", "Stripe live", "Model vendor"]
)
def test_disguised_secret_is_found_and_redacted(name: str, shape: str) -> None:
    for seed in range(8):
        secret = SHAPES[shape](Source(seed))
        text = "Before it. " + DISGUISES[name](secret) + " after it."
        assert refused(text), (name, seed)
        plain = mask_secrets(text)
        assert not refused(plain), (name, seed)
        assert secret[-10:] not in plain, (name, seed)
        assert plain.startswith("Before it. "), (name, seed)
        assert plain.endswith(" after it."), (name, seed)


def test_offsets_are_those_of_the_text() -> None:
    token = Source(3).checked("gh" + "p_")
    text = f"经验:令牌 {token} 已失效"
    (hit,) = find_secrets(text)
    assert text[hit.start : hit.end] == token
    assert hit.kind == "github-personal-token"
    assert describe(hit) == "GitHub personal access token"
    assert mask_secrets(text) == "经验:令牌 [GitHub personal access token] 已失效"


def test_values_behind_a_name_leave_the_name() -> None:
    source = Source(5)
    value, password = source.take(32), source.password()
    assert mask_secrets(f"API_KEY={value} # x") == ("API_KEY=[value of a key, token or secret] # x")
    assert mask_secrets(f"数据库密码是{password},勿传") == "数据库密码是[password],勿传"


def test_a_right_check_digit_beats_the_look_of_a_stand_in() -> None:
    for seed in range(4000):
        source = Source(seed)
        token = source.checked("gh" + "p_")
        if "xx" in token.lower():
            assert refused(token)
    assert refused("gh" + "p_" + "x" * 36) == []


@pytest.mark.parametrize(
    "text",
    [
        "use 4242 4242 4242 4242 in Stripe test mode",
        "测试卡号 4242424242424242",
        "example IBAN DE89 3704 0044 0532 0130 00",
    ],
)
def test_published_test_numbers_pass_where_the_line_says_so(text: str) -> None:
    assert find_secrets(text) == []
    assert refused(re.sub(r"[a-zA-Z ]*test|example|Stripe|mode|测试", "", text))


def test_mobile_numbers_warn_and_mail_addresses_do_not() -> None:
    number = "1" + "39" + "1762" + "9054"
    for text in (
        f"联系 {number}",
        f"call +86 {number}",
        f"手机:{number[:3]}-{number[3:7]}-{number[7:]}",
    ):
        (hit,) = find_secrets(text)
        assert (hit.kind, hit.personal, hit.severity) == ("mobile-number", True, "warn")
        (found,) = find_secret_findings(text)
        assert (found.holds, number in found.message) == (False, False)
    assert find_secrets("write to wang.wei@acme.dev") == []
    assert find_secrets("示例手机号 13800138000") == []


def test_findings_name_line_and_kind() -> None:
    source = Source(9)
    text = f"a\npassword: {source.password()}\n\nid {CHECKED['china id'](source)}\n"
    found = [(hit.line, hit.message) for hit in find_secret_findings(text) if hit.holds]
    assert found == [
        (2, "password (the value is not shown)"),
        (4, "identity number (China) (the value is not shown)"),
    ]
    assert find_secret_findings("nothing\nhere") == []


@given(
    before=st.text(max_size=60),
    after=st.text(max_size=60),
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(sorted(SECRETS)),
)
def test_redaction_is_final_and_shows_no_value(
    before: str, after: str, seed: int, kind: str
) -> None:
    text = f"{before}\n{SECRETS[kind](Source(seed))}\n{after}"
    hits = find_secrets(text)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert all(one.end <= other.start for one, other in pairwise(hits))
    plain = mask_secrets(text)
    assert mask_secrets(plain) == plain
    assert not refused(plain)
    for hit in hits:
        value = text[hit.start : hit.end]
        assert value not in plain
        assert value not in describe(hit)


@given(st.text(max_size=400))
def test_any_text_is_scanned_and_redacted(text: str) -> None:
    plain = mask_secrets(text)
    assert all(hit.personal for hit in find_secrets(plain))


ATTACKS = {
    "names": "password=",
    "words": "password is a ",
    "chinese": "密码是",
    "prefixes": " ".join(anchor for rule in all_rules() for anchor in rule.anchors),
    "one prefix": "sk-",
    "jwt": "ey" + "J",
    "blocks": "-----BEGIN PRI" + "VATE KEY-----",
    "addresses": "a://b:c@",
    "digits": "1",
    "digits apart": "1 ",
    "brackets": "password (a) (b) (c) ",
    "escapes": "%41",
    "invisible": "a\u200b",
    "wide": "Ａ",
    "short lines": "aB1\n",
    "flags": "mysql -p -u a:b ",
    "seed": "mnemonic abcd ",
    "putty": "PuTTY-User-Key-File-2:",
    "calls": "token=aB1_(",
    "assignments": "API_KEY=" + "aB3dE5fG7hJ" + "9kL1mN3pQ ",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_text_takes_linear_time(name: str) -> None:
    unit = ATTACKS[name]
    times = []
    for size in (16_384, 65_536):
        text = (unit * (size // len(unit) + 1))[:size]
        times.append(least_cpu(lambda text=text: find_secrets(text)))  # type: ignore[misc]
    # Four times the text may take four times as long; a quadratic scan would take sixteen.
    assert times[1] < 0.1 or times[1] < times[0] * 10
    assert times[1] < 2.0


def test_plain_text_is_passed_by_the_first_filter() -> None:
    text = (
        "Postgres cannot build an index concurrently inside a transaction.\nSplit the migration.\n"
    )
    assert find_runs(text * 8) == ([], [])


def test_the_table_names_every_kind_once() -> None:
    words: dict[str, str] = {}
    for rule in all_rules():
        assert words.setdefault(rule.kind, rule.words) == rule.words
        assert rule.anchors
        assert re.fullmatch("[a-z0-9-]+", rule.kind)
        assert not set(rule.words) & set("[]<>\n")
        re.compile(rule.tail)
        # Unbounded repetition would make a hostile text expensive; it may stand in a class.
        outside = re.sub(r"\[[^\]]*\]|\\.", "", rule.tail)
        assert not set(outside) & set("*+"), rule
    assert len(words) >= 120


def test_kinds_and_words_never_read_as_secrets() -> None:
    for rule in all_rules():
        assert find_secrets(f"[{rule.kind}] {rule.words}") == []


def test_letters_of_a_key_may_be_anything() -> None:
    secret = "gh" + "p_" + "".join(Source(2).take(36, string.ascii_letters))
    assert refused(secret)


def test_a_vendor_s_shape_counts_whatever_fingers_typed_into_it() -> None:
    """Who makes a key up for a note types the keyboard's rows; nobody can tell it from a real one."""
    rows = ("QWERTYUIOPASDFGH", "ABCDEFGHIJKLMNOP", "1234567890ABCDEF")
    for row in rows:
        assert [hit.kind for hit in find_secrets("AK" + "IA" + row)] == ["aws-access-key-id"]
    assert find_secrets("gh" + "p_" + "abcdefghijklmnopqrstuvwxyz0123456789")
    assert not find_secrets("AK" + "IA" + "IOSFODNN7EXAMPLE")
    assert not find_secrets("gh" + "p_" + "x" * 36)
    assert not find_secrets("API_KEY=abcdef1234567890abcdef1234567890abcd")
