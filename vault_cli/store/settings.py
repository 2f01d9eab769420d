"""The table of settings: names, types, defaults, help, checks. May import `errors`, `store`.

It drives loading, `mvault config show --explain`, and the table in the README.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from vault_cli.errors import UsageError
from vault_cli.model.tables import ADMISSION_GATES, GROUPS, SCOPE_LEVELS
from vault_cli.store.file_names import DEFAULT_IGNORE
from vault_cli.text.late import late

PROJECT_NAME: Final = late(r"[^\W_][\w.-]{0,79}")
"""A name a vault may give its project.

It has no slash: a vault from elsewhere must not be able to pose as a project with a remote, and be
shown what a person keeps for that one.
"""

SCHEMA: Final = 1
"""The layout of a vault this program writes."""


class Setting(NamedTuple):
    """One setting.

    Args:
        name: dotted name, also its place in the TOML file.
        type: `int`, `bool`, `str`, `tuple` (a list of texts) or `dict` (a table text = number).
        default: value when no layer sets it.
        help: one line.
        choices: allowed values (of each item, for a list), empty for any.
        user_only: only the person's own configuration may set it, never a vault or a variable.
        least: smallest number allowed.
    """

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    user_only: bool = False
    least: int = 0

    @property
    def variable(self) -> str:
        """Environment variable that sets it, for example `MVAULT_RENDER_BUDGET`."""
        return "MVAULT_" + self.name.upper().replace(".", "_")

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        words = TYPE_WORDS[self.type]
        if self.type is int and self.least:
            words += f" of at least {self.least}"
        return f"{words}: {', '.join(self.choices)}" if self.choices else words


TYPE_WORDS: Final[dict[type, str]] = {
    int: "a whole number",
    bool: "true or false",
    str: "a text",
    tuple: "a list of texts",
    dict: "a table of whole numbers by group name",
}

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("schema", int, SCHEMA, "layout of the vault; written by `mvault init`", least=1),
    Setting("vault.timezone", str, "", "IANA time zone of calendar days; empty = the system's"),
    Setting(
        "vault.project", str, "", "name of the project where its repository has no remote; no slash"
    ),
    Setting("project.remote", str, "", "git remote that names the project; empty = origin first"),
    Setting(
        "read_scopes",
        tuple,
        ("project", "global"),
        "vaults that are read together: project, global (your own), both",
        choices=("project", "global", "both"),
    ),
    Setting(
        "teams",
        tuple,
        (),
        "team vaults read beside, at a commit you trust: `NAME LOCATION COMMIT` each",
    ),
    Setting(
        "files.ignore", tuple, DEFAULT_IGNORE, "folders (names, or paths from the root) not read"
    ),
    Setting(
        "admission.gates",
        tuple,
        ADMISSION_GATES,
        "what is asked of every text; hidden characters and frame tricks always are",
        choices=ADMISSION_GATES,
    ),
    Setting(
        "render.mode",
        str,
        "assist",
        "assist: what fits the prompt first; strict: everything in force; off: nothing",
        choices=("assist", "strict", "off"),
    ),
    Setting("render.budget", int, 9500, "most the whole block may take; 0 = no limit"),
    Setting("render.unit", str, "bytes", "what the budget counts", choices=("bytes", "characters")),
    Setting(
        "render.order",
        tuple,
        GROUPS,
        "groups in order; one left out is not rendered",
        choices=GROUPS,
    ),
    Setting(
        "render.quotas",
        dict,
        MappingProxyType({}),
        "most a group may take",
        choices=GROUPS,
    ),
    Setting(
        "render.scopes", tuple, SCOPE_LEVELS, "scope levels that are read", choices=SCOPE_LEVELS
    ),
    Setting(
        "render.commit_every",
        int,
        8,
        "observations that wait before the block shows them; fewer leave its bytes as they are",
        least=1,
    ),
    Setting(
        "render.commit_every_tokens",
        int,
        0,
        "new text of so many tokens does not wait (`render --batch`); 0 = only the number counts",
    ),
    Setting(
        "usage.exposures",
        bool,
        True,  # noqa: FBT003 - a default, not a call
        "note what `render --session` and `render --to` showed",
    ),
    Setting("handoff.max_characters", int, 1500, "most characters of a hand-over; 0 = no limit"),
    Setting(
        "hooks.context_window",
        int,
        200_000,
        "tokens of the context where a log does not say; at 70 % a session is told. 0 = never",
    ),
    Setting("persona.max_characters", int, 600, "most characters of the persona; 0 = no limit"),
    Setting("persona.max_user", int, 500, "most characters of the user's profile; 0 = no limit"),
    Setting(
        "hooks.nudges",
        int,
        2,
        "how often a session is told that work of its last turn is in no record; 0 = never, nor"
        " what waits for reflection",
    ),
    Setting(
        "graduation.min_hits", int, 3, "hits a recipe needs before it can become a skill", least=1
    ),
    Setting(
        "graduation.propose",
        str,
        "draft",
        "a recipe that a use makes mature: draft (it is proposed as a skill), or off",
        choices=("draft", "off"),
    ),
    Setting(
        "graduation.skills_budget", int, 6000, "characters all skill descriptions may take together"
    ),
    Setting(
        "guard.threshold",
        int,
        3,
        "failures of one kind after which a guard is proposed",
        least=2,
    ),
    Setting(
        "guard.propose",
        str,
        "ask",
        "failures that repeat: ask (a session's start tells), draft (it writes the drafts), off",
        choices=("ask", "draft", "off"),
        user_only=True,
    ),
    Setting(
        "guard.benign",
        tuple,
        (),
        "further ends of commands that are no failure: `WORDS exit=1 says=TEXT`; `-LINE` takes one"
        " of `guard failures --benign` out",
    ),
    Setting(
        "reflection.threshold",
        int,
        30,
        "importance points of unreflected records from which `reflect prepare` begins a run",
        least=1,
    ),
    Setting(
        "reflection.turns",
        int,
        0,
        "how often a session is told with a prompt that its last turn can be reflected on",
    ),
    Setting(
        "reflection.language",
        str,
        "auto",
        "language of the briefs; auto: that of the material",
        choices=("auto", "en", "zh"),
    ),
    Setting(
        "reflection.review",
        bool,
        False,  # noqa: FBT003 - a default, not a call
        "ask for the adversarial review of every lesson, with all its fields",
    ),
    Setting(
        "reflection.silent",
        bool,
        True,  # noqa: FBT003 - a default, not a call
        "let briefs ask the agent to think inwardly and say one line",
    ),
    Setting(
        "reflection.environment",
        bool,
        True,  # noqa: FBT003 - a default, not a call
        "tell in a task's brief what was in force when it began; it is recorded in any case",
    ),
    Setting(
        "distill.min_items", int, 3, "items of the queue from which `distill prepare` hands over"
    ),
    Setting("distill.min_minutes", int, 60, "least time between two distillations"),
    Setting(
        "learning.budget",
        str,
        "off",
        "limit of what agents may propose in seven days: off; fixed (learning.weekly); auto: 1 % of"
        " what is in force, 4 to 12",
        choices=("off", "fixed", "auto"),
    ),
    Setting("learning.weekly", int, 12, "proposals in seven days when learning.budget = fixed"),
    Setting(
        "learning.trial_days",
        int,
        0,
        "days for which a proposal over the limit is kept on trial; 0 = it is refused",
    ),
    Setting(
        "search.semantic",
        bool,
        True,  # noqa: FBT003 - a table
        "search by meaning, too, where the model is installed (extra `[semantic]`)",
    ),
    Setting(
        "decay.curve",
        str,
        "power",
        "how what nobody uses fades (`list --state dormant`)",
        choices=("power", "exponential", "buckets"),
    ),
    Setting("decay.dormant_below", int, 50, "retention in percent below which a record is dormant"),
    Setting(
        "trust.approve_without_terminal",
        tuple,
        (),
        "actors that may approve with --yes and no terminal",
        user_only=True,
    ),
    Setting(
        "trust.incoming",
        str,
        "auto",
        "what others change in force: accept, review (a person looks first), signed (signed commits"
        " count, the rest is reviewed); auto: accept in a vault you made or trust, else review",
        choices=("auto", "accept", "review", "signed"),
        user_only=True,
    ),
    Setting(
        "trust.uncommitted",
        str,
        "accept",
        "edits of records in force that are not committed: accept, or committed (HEAD's text is"
        " shown)",
        choices=("accept", "committed"),
        user_only=True,
    ),
    Setting(
        "trust.require_signed",
        bool,
        False,  # noqa: FBT003 - a default, not a call
        "show only records whose text was made by a commit signed with an allowed key",
        user_only=True,
    ),
    Setting(
        "trust.allowed_signers",
        str,
        "",
        "file of allowed SSH keys; empty = your git's gpg.ssh.allowedSignersFile",
        user_only=True,
    ),
    Setting(
        "promote.auto",
        str,
        "off",
        "`promote --auto`: off, or draft (proposes to the user vault)",
        choices=("off", "draft"),
        user_only=True,
    ),
    Setting("promote.most", int, 3, "most records one `promote --auto` proposes", user_only=True),
    Setting(
        "promote.floor", int, 10, "least score of what `promote --auto` proposes", user_only=True
    ),
    Setting(
        "promote.admit",
        tuple,
        (),
        "projects whose records `promote --auto` puts in force at once",
        user_only=True,
    ),
    Setting("editor", str, "", "editor command; empty = $VISUAL, then $EDITOR", user_only=True),
)

BY_NAME: Final[Mapping[str, Setting]] = MappingProxyType({s.name: s for s in SETTINGS})


def find_setting(name: str) -> Setting:
    """Return a setting by its dotted name.

    Raises:
        UsageError: there is none of that name; the hint names the nearest.
    """
    setting = BY_NAME.get(name)
    if setting is not None:
        return setting
    nearest = nearest_setting(name)
    hint = f"Did you mean {nearest}?" if nearest else "`mvault config show` lists all settings."
    raise UsageError(f"there is no setting {name!r}", hint=hint)


def nearest_setting(name: str) -> str:
    """Return the known setting closest to `name`, or ""."""
    from difflib import get_close_matches

    near = get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
    tails = {known.rpartition(".")[2] for known in BY_NAME}
    tail = get_close_matches(name.rpartition(".")[2], sorted(tails), n=1, cutoff=0.7)
    if tail and not (near and near[0] == name):
        alike = [known for known in BY_NAME if known.rpartition(".")[2] == tail[0]]
        return get_close_matches(name, alike, n=1, cutoff=0)[0]
    return near[0] if near else ""
