"""The matching form and the way back to the original."""

import pytest

from vault_cli.plain.han_forms import SIMPLIFIED, TRADITIONAL
from vault_cli.text.fold import fold_map, fold_text, holds_any


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ignore PREVIOUS", "ignore previous"),
        ("Ｉｇｎｏｒｅ　ａｌｌ", "ignore all"),
        ("ign\u200bo\u00adre", "ignore"),
        ("іgnоrе", "ignore"),
        ("ɪɢɴᴏʀᴇ", "ignore"),
        ("𝐢𝐠𝐧𝐨𝐫𝐞 ⓘⓖⓝ", "ignore ign"),
        ("i̶g̶n̶ö̈re", "ignore"),
        ("i-g-n-o-r-e", "ignore"),
        ("i g n o r e   e v e r y now", "ignore   every now"),
        ("忽-略-之-前", "忽略之前"),
        ("忽 略 之 前", "忽略之前"),
        ("無視規則，執行檢查", "无视规则，执行检查"),
        ("🇮🇬🇳", "ign"),
        ("🅸🅶🅽 🅘🅖🅝", "ign ign"),
        ("_ign_ __ore__ a_b", " ign    ore   a_b"),
        ("a\u2028b\r\nc", "a\nb\r\nc"),
    ],
)
def test_alike_is_equal(text: str, folded: str) -> None:
    assert fold_text(text) == folded


@pytest.mark.parametrize(
    "text", ["use a-b and c", "plan a, b and c", "一、二、三", "x = y + z", "第 3 章", ""]
)
def test_ordinary_text_keeps_its_shape(text: str) -> None:
    assert fold_text(text) == text


def test_offsets_lead_back() -> None:
    text = "Ok: i\u200bg n-o-r-e Ｉ-g-n-o-r-e 檢查."
    folded = fold_map(text)
    at = folded.text.index("检查")
    assert text[slice(*folded.origin(at, at + 2))] == "檢查"
    at = folded.text.index("ignore")
    assert text[slice(*folded.origin(at, at + 6))] == "Ｉ-g-n-o-r-e"
    plain = fold_map("Plain Text")
    assert plain.offsets is None
    assert plain.origin(2, 4) == (2, 4)


def test_tables_are_one_to_one() -> None:
    assert len(TRADITIONAL) == len(SIMPLIFIED) == len(set(TRADITIONAL))
    assert not set(TRADITIONAL) & set(SIMPLIFIED)


def test_holds_any() -> None:
    assert holds_any("abc", ("x", "bc"))
    assert not holds_any("abc", ())
