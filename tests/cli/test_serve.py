"""`mcp` as a command; what the server does stands in `tests/mcp/`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers import make_vault, run


@pytest.mark.parametrize("option", ["--json", "--dry-run"])
def test_a_server_prints_no_answer_and_previews_nothing(tmp_path: Path, option: str) -> None:
    root = make_vault(tmp_path, {})

    result = run("--vault", root, "mcp", option)

    assert result.code == 2
    assert "is a server" in result.text


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault(tmp_path, {})
    for name in [name for name in sys.modules if name == "vault_cli.mcp.server"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server", None)

    result = run("--vault", root, "mcp")

    assert result.code == 2
    assert "mvault[mcp]" in result.text
