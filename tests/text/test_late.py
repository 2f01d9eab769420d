"""Patterns that are compiled late: they behave like compiled ones, and all of them compile."""

from __future__ import annotations

import copy
import importlib
import pkgutil
import re
import subprocess
import sys

import pytest
from helpers import PROJECT

import vault_cli
from vault_cli.text.late import late


def test_every_method_is_that_of_the_pattern() -> None:
    one = late("(?P<word>[a-z]+)(\\d)?", re.IGNORECASE)
    compiled = re.compile(one.pattern, re.IGNORECASE)
    text = "Ab1 cd"
    for method in ("search", "match", "fullmatch"):
        found, wanted = getattr(one, method)(text, 4), getattr(compiled, method)(text, 4)
        assert (found and found.span()) == (wanted and wanted.span())
    assert [m.span() for m in one.finditer(text)] == [m.span() for m in compiled.finditer(text)]
    assert one.findall(text) == compiled.findall(text)
    assert one.sub("x", text) == compiled.sub("x", text)
    assert one.subn("x", text) == compiled.subn("x", text)
    assert one.split(text) == compiled.split(text)
    assert (one.flags, one.groups) == (compiled.flags, compiled.groups)
    assert one.groupindex == compiled.groupindex


def test_bytes_and_mistakes() -> None:
    assert late(b"a+").findall(b"aab") == [b"aa"]
    broken = late("(")
    with pytest.raises(re.error):
        broken.search("x")
    with pytest.raises(AttributeError):
        _ = late("a").nothing
    assert copy.copy(late("a+")).findall("aab") == ["aa"]


def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    kind = type(late(""))
    found = []
    for module in pkgutil.walk_packages(vault_cli.__path__, "vault_cli."):
        if not module.name.endswith("__main__"):
            values = vars(importlib.import_module(module.name))
            found += [(f"{module.name}.{k}", v) for k, v in values.items() if isinstance(v, kind)]
    return found


def test_every_pattern_of_the_package_compiles() -> None:
    named = _patterns()
    assert len(named) > 200
    for name, pattern in named:
        assert pattern.groups >= 0, name


def test_loading_the_scanner_compiles_none_of_ours() -> None:
    program = (
        "import re, re._compiler as c\n"
        "real, seen = c.compile, []\n"
        "c.compile = lambda p, flags=0: (seen.append(p), real(p, flags))[1]\n"
        "import vault_cli.text.scan, vault_cli.features.likeness\n"
        "from vault_cli.text.late import _Late\n"
        "import gc\n"
        "ours = {o.pattern for o in gc.get_objects() if isinstance(o, _Late)}\n"
        "print(len(ours), [p for p in seen if p in ours])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    many, _, rest = done.stdout.partition(" ")
    assert int(many) > 100
    assert rest.strip() == "[]"
