"""Laws of reading and writing files."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault_cli.text.document import REMOVE, compose_document, parse_document, patch_document

PATH = "a.md"
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text(
        st.sampled_from(list("ab:#-[]{},&*!|>'\"%@`\\ \n\t~=?.0123456789xe年，：")), max_size=12
    ),
    st.sampled_from(["yes", "null", "~", "2026-02-30", "12:30", "0x1F", "---", "...", "<<", "="]),
)
keys = st.text(st.sampled_from("abcxyz_-"), min_size=1, max_size=6).map(lambda key: "k" + key)
scalars = st.one_of(st.none(), texts)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
fronts = st.dictionaries(keys, values, max_size=5)
bodies = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=60
).filter(lambda body: not any(sign * 7 in body for sign in "<>|"))


def dressed(data: bytes, crlf: bool, bom: bool) -> bytes:
    """Give a file Windows line ends or a BOM."""
    if crlf:
        data = data.replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + data if bom else data


def differing_lines(old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return what is left of both files without the equal lines at their ends."""
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return a, b


@given(front=fronts, body=bodies)
@QUICK
def test_what_is_composed_is_read_back(front: dict[str, Any], body: str) -> None:
    data = compose_document(front, body)
    document = parse_document(data, PATH)
    assert dict(document.front) == front
    assert list(document.front) == list(front)
    assert document.body == body
    # splitlines() would also split at signs that YAML keeps inside quotes.
    block = data.decode().split("\n---\n")[0].removeprefix("---").removesuffix("\n---")
    assert (yaml.safe_load(block) or {}) == front


@given(front=fronts, body=bodies, key=keys, value=values, crlf=st.booleans(), bom=st.booleans())
@QUICK
def test_a_patch_touches_its_key_only(
    front: dict[str, Any], body: str, key: str, value: Any, crlf: bool, bom: bool
) -> None:
    front = {"first": "1", **front, "last": "x"}
    data = dressed(compose_document(front, body), crlf, bom)
    new = patch_document(data, {key: value}, PATH)
    read = parse_document(new, PATH)
    assert dict(read.front) == {**front, key: value}
    assert read.body == parse_document(data, PATH).body
    assert new.startswith(b"\xef\xbb\xbf") == bom
    assert new.endswith(body.encode().replace(b"\n", b"\r\n") if crlf else body.encode())
    if key in front:
        one_line = [v is None or isinstance(v, str) for v in (front[key], value)]
        went, came = differing_lines(data, new)
        if all(one_line):
            assert len(went) == len(came) <= 1
        for name in front:
            if name != key:
                assert not any(line.startswith(f"{name}:".encode()) for line in went)
    assert patch_document(new, {key: value}, PATH) == new


@given(front=fronts, body=bodies, key=keys, value=scalars, crlf=st.booleans())
@QUICK
def test_adding_and_removing_a_key_gives_the_file_back(
    front: dict[str, Any], body: str, key: str, value: Any, crlf: bool
) -> None:
    front = {name: item for name, item in front.items() if name != key}
    data = dressed(compose_document(front, body), crlf, bom=False)
    added = patch_document(data, {key: value}, PATH)
    assert patch_document(added, {key: REMOVE}, PATH) == data


@given(
    old=st.lists(texts, max_size=4),
    new=st.lists(texts, max_size=4),
    block=st.booleans(),
    crlf=st.booleans(),
)
@QUICK
def test_lists_become_what_was_asked_for(
    old: list[str], new: list[str], block: bool, crlf: bool
) -> None:
    data = compose_document({"id": "a", "list": old, "z": "z"}, "Body.\n")
    if block:
        lines = data.decode().split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("list:"))
        composed = compose_document({"w": [{"i": item} for item in old]}, "").decode().split("\n")
        lines[at : at + 1] = [line.replace("w:", "list:") for line in composed[1:-2]]
        data = "\n".join(lines).encode()
        new_value: list[Any] = [{"i": item} for item in new]
    else:
        new_value = list(new)
    data = dressed(data, crlf, bom=False)
    out = patch_document(data, {"list": new_value}, PATH)
    assert parse_document(out, PATH).front["list"] == new_value


@given(
    data=st.binary(max_size=80)
    | bodies.map(str.encode)
    | texts.map(lambda t: f"---\n{t}\n---\n".encode())
)
@QUICK
def test_anything_is_read_without_a_crash(data: bytes) -> None:
    document = parse_document(data, PATH)
    for found in document.diagnostics:
        assert found.message
        assert found.hint
        assert "\n" not in found.message
        assert found.message.isprintable()
