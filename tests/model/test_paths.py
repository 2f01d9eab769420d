"""What a path says by itself."""

from __future__ import annotations

import pytest

from vault_cli.model.paths import fold_path, is_skill_file, skill_folder


@pytest.mark.parametrize(
    ("path", "has_format", "folder"),
    [
        ("skills/deploy/SKILL.md", True, "deploy"),
        ("skills/部署/SKILL.md", True, "部署"),
        ("skills/a/b/SKILL.md", True, ""),
        ("drafts/x/SKILL.md", True, ""),
        ("skills/SKILL.md", True, ""),
        ("SKILL.md", False, ""),
        ("skills/deploy/skill.md", False, ""),
        ("skills/deploy/references/dossier.md", False, ""),
    ],
)
def test_skill_paths(path: str, has_format: bool, folder: str) -> None:
    assert is_skill_file(path) is has_format
    assert skill_folder(path) == folder


@pytest.mark.parametrize(
    ("one", "other"),
    [("A.md", "a.md"), ("caf\u00e9.md", "CAFE\u0301.md"), ("Stra\u00dfe", "STRASSE")],
)
def test_names_that_a_file_system_may_mix_up(one: str, other: str) -> None:
    assert fold_path(one) == fold_path(other)
    assert fold_path(one) != fold_path(f"x{other}")
