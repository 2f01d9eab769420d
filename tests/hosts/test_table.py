"""The host table is complete and says what the render depends on."""

from pathlib import PurePosixPath

from vault_cli.hook import events
from vault_cli.hosts.table import HOSTS


def test_every_host_has_an_instruction_file_and_a_skills_folder() -> None:
    assert set(HOSTS) == set(events.HOSTS)
    for name, host in HOSTS.items():
        assert host.name == name
        assert host.instruction_files
        assert host.skill_folders
        for path in (*host.instruction_files, *host.skill_folders, host.user_file):
            assert not PurePosixPath(path).is_absolute()


def test_limits_that_cut_without_a_word() -> None:
    """Codex 0.171.0 tells the person at the start how much it left out (measured)."""
    codex = HOSTS["codex"]
    assert (codex.file_limit, codex.cuts_silently, codex.hook_unit) == (32_768, False, "bytes")
    assert HOSTS["claude-code"].cuts_silently
    assert not HOSTS["dsh"].cuts_silently
    assert HOSTS["claude-code"].hook_unit == "characters"
