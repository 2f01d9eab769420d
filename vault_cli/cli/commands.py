"""The table of commands: name, panel, module, function, one line of help. Imports nothing."""

from __future__ import annotations


class Entry:
    """One command: where its function is, and its line in `mvault --help`."""

    __slots__ = ("function", "help", "module", "panel")

    def __init__(self, panel: str, module: str, function: str, text: str) -> None:
        self.panel = panel
        self.module = module
        self.function = function
        self.help = text


PANELS = {
    "recall": "Read what the vault knows",
    "curate": "Propose, review, admit",
    "work": "Work and learn",
    "upkeep": "Look after the vault",
}

COMMANDS: dict[str, Entry] = {
    "render": Entry(
        "recall", "render", "render", "Print what is in force as a block for a prompt."
    ),
    "brief": Entry("recall", "render", "brief", "Say in a few lines what is in force."),
    "search": Entry("recall", "search", "search", "Find records by their words."),
    "list": Entry("recall", "recall", "list_records", "List records: id, status, kind, title."),
    "show": Entry("recall", "recall", "show", "Show one record."),
    "why": Entry("recall", "why", "why", "Say where a line of a block comes from."),
    "log": Entry("recall", "history", "log", "Show what changed in the vault, newest first."),
    "diff": Entry("recall", "diff", "diff", "Compare two renders."),
    "bisect": Entry("recall", "bisect", "bisect", "Find the commit that made the block worse."),
    "stats": Entry("recall", "usage", "stats", "Say what was observed of records in use."),
    "add": Entry("curate", "curate", "add", "Write a new draft."),
    "edit": Entry("curate", "curate", "edit", "Change one record in the editor or by key."),
    "adopt": Entry("curate", "curate", "adopt", "Take hand-written notes in as drafts."),
    "review": Entry("curate", "review", "review", "Go through the drafts one by one."),
    "approve": Entry("curate", "admit", "approve", "Put drafts in force."),
    "verify": Entry("curate", "verify", "verify", "Make a record verified by evidence."),
    "reject": Entry("curate", "admit", "reject", "Turn a draft down, with the reason."),
    "revise": Entry("curate", "curate", "revise", "Propose a successor of a record in force."),
    "supersede": Entry("curate", "fate", "supersede", "Let another record take its place."),
    "dispute": Entry("curate", "fate", "dispute", "Object to a record: out of the render."),
    "resolve": Entry("curate", "fate", "resolve", "Answer a dispute."),
    "deprecate": Entry("curate", "ending", "deprecate", "Take records out of force."),
    "revive": Entry("curate", "fate", "revive", "Bring back what was taken out of force."),
    "forget": Entry("curate", "ending", "forget", "Delete records; a tombstone remains."),
    "merge": Entry("curate", "pairs", "merge", "Put two records that say the same into one."),
    "conflict": Entry("curate", "pairs", "conflict", "Name two records as being in conflict."),
    "anchor": Entry("curate", "anchor", "anchor", "Name the code a record speaks about."),
    "promote": Entry("curate", "promote", "promote", "Give a record another scope, or vault."),
    "graduate": Entry(
        "curate", "graduating", "graduate", "Turn a proven recipe into an Agent Skill."
    ),
    "demote": Entry("curate", "graduating", "demote", "Take a graduated skill back to its recipe."),
    "quarantine": Entry(
        "curate", "quarantine", "quarantine", "Look at what was held back, release or purge it."
    ),
    "mark": Entry("curate", "usage", "mark", "Note that records were used, helped or misled."),
    "used": Entry("curate", "used", "used", "Note that a recipe was used, and how it went."),
    "persona": Entry("curate", "persona", "persona", "Who the agent is, and whom it works for."),
    "topic": Entry("curate", "topics", "topic", "Declare topics, put records under them."),
    "guard": Entry("curate", "guards", "guard", "Stop tool calls that failed before."),
    "task": Entry("work", "tasks", "task", "Begin and end tasks; note what was used."),
    "ticket": Entry("work", "tickets", "ticket", "Say what is to be done, and where it stands."),
    "handoff": Entry("work", "handoff", "handoff", "Leave word for the next session."),
    "sessions": Entry("work", "sessions", "sessions", "Find what was said in earlier sessions."),
    "capture": Entry(
        "work", "capture", "capture", "Collect what sessions may teach, for proposals."
    ),
    "reflect": Entry("work", "reflect", "reflect", "Look back on work; answers become candidates."),
    "distill": Entry("work", "distill", "distill", "Let an agent write candidates of the queue."),
    "init": Entry("upkeep", "setup", "init", "Make a folder a vault."),
    "status": Entry("upkeep", "upkeep", "status", "Say what is in the vault and what waits."),
    "check": Entry("upkeep", "checking", "check", "Check every file of the vault."),
    "audit": Entry("upkeep", "audit", "audit", "Say how the vault does, each part by itself."),
    "eval": Entry("upkeep", "evals", "evals", "Ask frozen questions; fail when it got worse."),
    "undo": Entry("upkeep", "history", "undo", "Take one change back with a new commit."),
    "sync": Entry("upkeep", "sync", "sync", "Bring this vault and its remote together."),
    "team": Entry("upkeep", "teams", "team", "Read vaults of others beside your own."),
    "purge": Entry("upkeep", "purge", "purge", "Plan a history without a leaked secret."),
    "config": Entry("upkeep", "settings", "config", "Show or set the configuration."),
    "import": Entry(
        "upkeep", "importing", "import_store", "Take another program's memories in as drafts."
    ),
    "audit-store": Entry(
        "upkeep", "importing", "audit_store", "Check another program's memories; write nothing."
    ),
    "export": Entry("upkeep", "exporting", "export", "Write records for another program."),
    "install": Entry("upkeep", "install", "install", "Set mvault up in an agent program."),
    "uninstall": Entry("upkeep", "install", "uninstall", "Take it out of one again."),
    "mcp": Entry("upkeep", "serve", "mcp", "Serve the vault to an agent over MCP (stdio)."),
    "hook": Entry("upkeep", "hook", "hook", "Answer an event of an agent program."),
    "trust": Entry("upkeep", "trusting", "trust", "Trust this repository's hooks and settings."),
}
