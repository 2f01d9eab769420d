"""What is read of team vaults beside one's own. May import everything below `cli`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vault_cli.errors import Diagnostic, NotFoundError, RefusedError, VaultError
from vault_cli.model.record import Record, Snapshot
from vault_cli.recall.together import join_teams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vault_cli.cli.finding import Run
    from vault_cli.store.config import Config
    from vault_cli.store.team_names import Team
    from vault_cli.store.vault import Vault


def named_teams(inv: Run, vaults: tuple[Vault | None, ...]) -> list[Team]:
    """Return the team vaults that the settings name, the person's first.

    A vault that was named by `--vault` or `$MVAULT` stands alone: only its own settings count.

    Args:
        inv: the run.
        vaults: what is read of one's own, the person's first.
    """
    configs = [vault.config for vault in vaults if vault is not None]
    if all(config.origin("teams") == "default" for config in configs):
        return []
    from vault_cli.store.config import load_config
    from vault_cli.store.team_names import merge_names

    listed = [config["teams"] for config in configs if config.origin("teams") != "user"]
    if not inv.environ.get("MVAULT"):
        own = load_config(None, environ=inv.environ, lenient=True)
        listed.insert(0, own["teams"])
    return merge_names(*listed)


def read_teams(teams: list[Team], config: Config) -> tuple[dict[str, Snapshot], list[Diagnostic]]:
    """Return what the trusted team vaults have in force, and why others are not read.

    Args:
        teams: as the settings name them.
        config: the reader's settings.
    """
    from vault_cli.store.teams import is_trusted, read_team

    found: dict[str, Snapshot] = {}
    problems: list[Diagnostic] = []
    for team in teams:
        if not is_trusted(team):
            text = f"the team vault {team.name} is not read: nobody trusted {team.commit[:10]} here"
            hint = f"A person looks at it: mvault team trust {team.name}"
            problems.append(Diagnostic("", 0, "team-untrusted", "warning", text, hint))
            continue
        try:
            found[team.name] = read_team(team, config)
        except VaultError as error:
            text = f"the team vault {team.name} is not read: {error.message}"
            problems.append(Diagnostic("", 0, "team-unreadable", "error", text, error.hint))
    return found, problems


class TeamRecordError(RefusedError):
    """A record that was named is of a team vault, which is only read.

    Args:
        record: the record.
    """

    def __init__(self, record: Record) -> None:
        super().__init__(
            f"{record.id} is of the team vault {record.team}, which is only read here",
            hint="Propose the change where that vault is kept."
            f" `mvault show {record.id}` prints the record.",
        )
        self.record = record


def explain_missing(teams: Mapping[str, Snapshot], text: str, error: NotFoundError) -> VaultError:
    """Return what to say of an id that one's own vaults have not: a team's is only read."""
    wanted = text.strip()
    hits = [
        record
        for record in join_teams(Snapshot(), teams).records
        if wanted and record.id.startswith(wanted)
    ]
    found = [record for record in hits if record.id == wanted][:1] or hits
    return TeamRecordError(found[0]) if len(found) == 1 else error
