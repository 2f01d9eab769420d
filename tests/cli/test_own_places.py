"""`render --to` puts no block into what says who is trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers import make_vault, run

RULE = "---\nid: r-1\nkind: rule\nstatus: active\ntitle: 先问再部署\n---\nAsk first.\n"


@pytest.mark.parametrize("named", ["MVAULT_STATE_DIR", "MVAULT_CONFIG", "GIT_CONFIG_GLOBAL"])
def test_no_block_goes_into_settings_or_state(named: str, tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"playbook/r-1.md": RULE})
    place = Path(os.environ[named])
    if named == "MVAULT_STATE_DIR":
        place = place / "incoming" / "a.json"
        place.parent.mkdir(parents=True, exist_ok=True)
    before = place.read_bytes() if place.exists() else None
    link = tmp_path / "AGENTS.md"
    link.symlink_to(place)
    for target in (place, link):
        done = run("--vault", root, "render", "--to", target)
        assert (done.code, "no place for a block" in done.err) == (4, True), done.text
    assert (place.read_bytes() if place.exists() else None) == before


@pytest.mark.parametrize("name", [".ssh/authorized_keys", ".gitconfig", ".gnupg/gpg.conf"])
def test_nor_into_what_git_and_ssh_know_a_person_by(name: str, tmp_path: Path) -> None:
    root = make_vault(tmp_path, {"playbook/r-1.md": RULE})
    place = Path.home() / name
    place.parent.mkdir(parents=True, exist_ok=True)
    assert run("--vault", root, "render", "--to", place).code == 4
    assert "r-1" not in (place.read_text("utf-8") if place.exists() else "")
