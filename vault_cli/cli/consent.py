"""Who stands behind a change, and a change with its words. May import `store.config`, `model`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from vault_cli.cli.output import Line
from vault_cli.errors import Diagnostic
from vault_cli.text.late import late

if TYPE_CHECKING:
    from vault_cli.model.change import Change
    from vault_cli.model.lifecycle import Actor


@dataclass(eq=False, repr=False)
class Consent:
    """Whether a person stands behind this run.

    Args:
        how: `terminal` (a person can be asked), `configured` (the user's configuration lets this
            actor use `--yes`), or "" (nobody; a change that needs a person is only shown).
        ask: the question is still to be asked.
        by: name of the actor that used a configured `--yes`.
    """

    how: str
    ask: bool = False
    by: str = ""

    @property
    def actor(self) -> Actor:
        """Who the change is planned for and recorded as.

        A configured actor called `person` is the person; any other name is a policy the person
        wrote, and may do what the lifecycle lets a policy do. What nobody agreed to is planned
        for a person, since only a preview comes of it.
        """
        from vault_cli.model.lifecycle import Actor

        is_policy = self.how == "configured" and self.by != "person"
        return Actor.POLICY if is_policy else Actor.PERSON

    def sign(self, change: Change) -> Change:
        """Return the change with who agreed to it, and how."""
        from vault_cli.model.lifecycle import Actor

        extra = tuple(pair for pair in change.extra if pair[0] != "Vault-Approval")
        extra += (("Vault-Approval", self.how),)
        if self.actor is Actor.POLICY:
            extra += (("Vault-Agent", self.by),)
        return replace(change, actor=self.actor, extra=extra)


@dataclass(eq=False, repr=False)
class Plan:
    """A change and how the command speaks about it.

    Args:
        change: what to do.
        done: status line after it was done, for example `approved l-7k3qd2m`.
        question: what a person is asked before a change that needs one.
        person: a person is needed whatever the change touches.
        anyone: nobody has to agree although it touches what is in force: it only takes out of
            force what a person brings back. Where a person is there, the person is asked.
        veiled: texts that are removed are not shown (they hold a secret).
        consent_hint: who can agree, where it is not the usual answer.
        yes: `--yes` was given.
        data: further keys for `--json`.
        card: what the change is about, shown before its diff where somebody has to agree.
        lines: the answer on stdout, by default one id per line.
        hints: advice after it was done.
        findings: what the planner noticed.
        nothing: why there is nothing to do.
        stalled: advice when there was nothing to do.
        exit_code: 4 when a part of the request was refused and the rest is this change.
        once: for what is proposed once: names, right before it is written and while nobody else
            proposes, the record that says it already, "" for none.
    """

    change: Change
    done: str
    question: str = "Apply this?"
    person: bool = False
    anyone: bool = False
    veiled: bool = False
    consent_hint: str = ""
    yes: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    card: Sequence[Line] = ()
    lines: Sequence[Line] | None = None
    hints: Sequence[str] = ()
    findings: Sequence[Diagnostic] = ()
    nothing: str = "it is so already"
    stalled: str = ""
    exit_code: int = 0
    once: Callable[[], str] | None = None

    def drop_own_hints(self) -> None:
        """Take out of the findings the hints that advise just this change."""
        verb = re.escape(self.change.verb)
        step = late(rf"\bmvault (?:quarantine |topic )?{verb}\b")
        self.findings = tuple(
            item._replace(hint="")
            if step.search(item.hint) and any(one in item.hint for one in self.change.ids)
            else item
            for item in self.findings
        )


def trusted_name(environ: Mapping[str, str]) -> str:
    """Return who runs this, when the person's own file lets them use `--yes`; "" when it does not.

    No vault has a say in it, and what is not a person by its name never counts.
    """
    from vault_cli.store.config import load_config

    named = environ.get("MVAULT_ACTOR", "").strip() or "person"
    if named in ("agent", "hook", "import", "policy"):
        return ""
    own = load_config(None, environ=environ, lenient=True)
    return named if named in own["trust.approve_without_terminal"] else ""


def consent_hint(environ: Mapping[str, str], *, yes: bool) -> str:
    """Return who can agree, for a run in which nobody did."""
    if not yes and trusted_name(environ):
        return "Run the same command with --yes, or in a terminal."
    if not yes:
        return "Run the same command in a terminal."
    return (
        "Run the same command in a terminal. (--yes works without one only for an actor that"
        " the user's own configuration names in trust.approve_without_terminal.)"
    )
