"""Tokens of both languages; stems by the published examples."""

import time

import pytest

from vault_cli.text.stem import stem_word
from vault_cli.text.tokens import tokenize

PORTER = """
caresses caress|ponies poni|ties ti|caress caress|cats cat|feed feed|agreed agre|plastered plaster|bled bled
motoring motor|sing sing|conflated conflat|troubled troubl|sized size|hopping hop|tanned tan|falling fall
hissing hiss|fizzed fizz|failing fail|filing file|happy happi|sky sky|relational relat|conditional condit
rational ration|valenci valenc|hesitanci hesit|digitizer digit|conformabli conform|radicalli radic
differentli differ|vileli vile|analogousli analog|vietnamization vietnam|predication predic|operator oper
feudalism feudal|decisiveness decis|hopefulness hope|callousness callous|formaliti formal|sensitiviti sensit
sensibiliti sensibl|triplicate triplic|formative form|formalize formal|electriciti electr|electrical electr
hopeful hope|goodness good|revival reviv|allowance allow|inference infer|airliner airlin|gyroscopic gyroscop
adjustable adjust|defensible defens|irritant irrit|replacement replac|adjustment adjust|dependent depend
adoption adopt|homologou homolog|communism commun|activate activ|angulariti angular|homologous homolog
effective effect|bowdlerize bowdler|probate probat|rate rate|cease ceas|controll control|roll roll
generalizations gener|oscillators oscil|is is|by by|syzygy syzygi|deployment deploy|deploying deploy
"""


@pytest.mark.parametrize("pair", PORTER.replace("\n", "|").strip("|").split("|"))
def test_published_stems(pair: str) -> None:
    word, stem = pair.split()
    assert stem_word(word) == stem


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("How do I deploy the API?", ["deploy", "api"]),
        ("Deployments are failing, not working", ["deploy", "fail", "not", "work"]),
        ("node_modules", ["node_modules", "node", "modul"]),
        (
            "getUserName HTTPServer",
            ["getusername", "get", "user", "name", "httpserver", "http", "server"],
        ),
        ("__init__.py v2.10 0123", ["init", "py", "v2", "10", "0123"]),
        ("安装插件", ["安装", "装插", "插件"]),
        ("安装 插件", ["安装", "插件"]),
        ("如何安装插件？", ["何安", "安装", "装插", "插件"]),
        ("库 的", ["库"]),
        ("用Docker发布v2", ["用", "docker", "发布", "v2"]),
        ("插\u200b件 front\u2060matter", ["插件", "frontmatt"]),
        ("ＡＰＩ　网关", ["api", "网关"]),
        ("café naïve Правила", ["café", "naïve", "правила"]),
        ("", []),
        ("the of 的 ，。！", []),
    ],
)
def test_tokenize(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_same_word_in_any_form_is_one_token() -> None:
    assert set(tokenize("deploy deploys deployed deploying DEPLOYMENT")) == {"deploy"}


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "aA" * 100_000, "_" * 200_000, "字" * 100_000, "y" * 200_000]
)
def test_hostile_text_is_linear(text: str) -> None:
    started = time.process_time()
    assert all(len(token) <= 64 for token in tokenize(text))
    assert time.process_time() - started < 2.0
