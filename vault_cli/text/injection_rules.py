"""The rules: which concepts, near each other in one sentence, make an injection.

A rule is a row: name, kind, steps, and why. A step is a concept or several (`A|B`); the steps
follow each other in the order written, or in any order if the row starts with `*`. The words of
the concepts are in `injection_words`. Standard library only.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Rule(NamedTuple):
    """One rule.

    Args:
        name: for tests and bug reports.
        kind: what the finding says it is, for a person.
        steps: concepts as above.
        why: what such a sentence does to an agent.
        gap: most characters between two steps; half of it after a Chinese word.
        guard: whether a negation or a word of defence before it makes it harmless.
        unless: concepts that make it harmless when they stand in the same sentence.
    """

    name: str
    kind: str
    steps: str
    why: str
    gap: int = 36
    guard: bool = True
    unless: str = ""


OVERRIDE: Final = "override of instructions"
EXTRACT: Final = "extraction of the system prompt"
EXFILTRATE: Final = "sending secrets or data away"
EXECUTE: Final = "running what it brings along"
CONSENT: Final = "acting without consent"
SAFETY: Final = "switching safety off"
CONCEAL: Final = "hiding from the user"
PERSONA: Final = "another persona without limits"
AUTHORITY: Final = "borrowed authority"
SPREAD: Final = "spreading itself"
TRIGGER: Final = "a hidden trigger"
DAMAGE: Final = "damage on command"

RULES: Final = (
    Rule("forget-prior", OVERRIDE, "IGNORE PRIOR|MINE INSTR|STUFF",
         "the oldest form: what stood before shall not count", gap=32, unless="SAFEWORD"),
    Rule("forget-all", OVERRIDE, "IGNORE ALL INSTR",
         "the same without `previous`", gap=16, unless="SAFEWORD"),
    Rule("forget-instructions", OVERRIDE, "IGN STRICT",
         "the same without saying which", gap=30, unless="SAFEWORD LOCAL"),
    Rule("forget-prompt", OVERRIDE, "IGNORE SYSPROMPT|YOURPROMPT|ABOVETEXT",
         "names the system prompt", gap=32),
    Rule("forget-later", OVERRIDE, "IGNORE INSTR PRIOR",
         "the same in another order of words", gap=12, unless="SAFEWORD"),
    Rule("prior-void", OVERRIDE, "PRIOR INSTR IGNORE",
         "the same, told as a fact", gap=6, unless="SAFEWORD"),
    Rule("prompt-void", OVERRIDE, "SYSPROMPT|YOURPROMPT|ABOVETEXT IGNORE",
         "the same of the system prompt", gap=30),
    Rule("forget-everything", OVERRIDE, "FORGETALL",
         "the same in two words", unless="SAFEWORD"),
    Rule("new-task", OVERRIDE, "STRONGTASK",
         "puts a task of its own in place of the user's"),
    Rule("end-then-task", OVERRIDE, "ENDMARK NEWTASK|IGNORE|EVIL|COMMAND",
         "pretends that the text is over and a new one begins", gap=30),
    Rule("told-then-task", OVERRIDE, "NEWTASK EVIL|REVEAL|SEND|LEAK|DELETE",
         "new instructions, and what they are", gap=24),
    Rule("show-prompt", EXTRACT, "SHOW SYSPROMPT|YOURPROMPT|ABOVETEXT",
         "the system prompt is what other attacks are cut to", gap=40),
    Rule("prompt-shown", EXTRACT, "SYSPROMPT|YOURPROMPT|ABOVETEXT SHOW",
         "the same, object first", gap=16),
    Rule("send-secret", EXFILTRATE, "SEND SECRET|KEYFILE DEST",
         "a secret and an address in one order", gap=70),
    Rule("secret-sent", EXFILTRATE, "SECRET|KEYFILE SEND DEST",
         "the same, object first", gap=70),
    Rule("send-data", EXFILTRATE, "SEND SENSITIVE DEST",
         "private data and an address in one order", gap=60),
    Rule("data-sent", EXFILTRATE, "SENSITIVE SEND DEST",
         "the same, object first", gap=40),
    Rule("data-away", EXFILTRATE, "*ANYDATA SENDV DEST",
         "anything at all to an address", gap=40, unless="FORBID SAFEWORD"),
    Rule("key-away", EXFILTRATE, "*SECRET SENDV DEST",
         "a secret and an address in any order", gap=60, unless="FORBID"),
    Rule("read-key", EXFILTRATE, "READ|SEND|SHOW|PUT HARDKEY",
         "no honest task reads a private key aloud", gap=30),
    Rule("leak", EXFILTRATE, "LEAK SECRET|SENSITIVE|KEYFILE",
         "says itself what it is", gap=24),
    Rule("show-secrets", EXFILTRATE, "SHOW|REVEAL|SEND ALL SECRET",
         "asks for every secret at once", gap=14),
    Rule("secrets-shown", EXFILTRATE, "ALL SECRET REVEAL|SEND",
         "the same, object first", gap=16),
    Rule("reveal-secret", EXFILTRATE, "REVEAL THESECRET",
         "asks for a secret", gap=12),
    Rule("secret-outside", EXFILTRATE, "SEND|SHOW|REVEAL|PUT SECRET|KEYFILE OUTPLACE",
         "a secret in a place that others read", gap=30),
    Rule("secret-to-outside", EXFILTRATE, "SECRET|KEYFILE|SENSITIVE SEND|PUT OUTPLACE",
         "the same, object first", gap=24),
    Rule("contents-of-key", EXFILTRATE, "SHOW|SEND|PUT CONTENTS KEYFILE",
         "a key file copied into what others read", gap=40),
    Rule("key-contents-out", EXFILTRATE, "KEYFILE CONTENTS PUT|SEND|REVEAL",
         "the same, object first", gap=20),
    Rule("key-contents", EXFILTRATE, "READ KEYFILE SHOW|SEND",
         "the same in two steps", gap=40),
    Rule("sneak", CONCEAL, "*SNEAK ACT",
         "nobody shall notice what is done", gap=14),
    Rule("never-ask", CONSENT, "NOTASK CONSENT",
         "takes the question out of the loop", gap=30, guard=False),
    Rule("without-consent", CONSENT, "WITHOUT CONSENT|ASKING USER|ACTION",
         "the same with a noun", gap=24, unless="FORBID"),
    Rule("without-user", CONSENT, "WITHOUT USER CONSENT",
         "the same, the person first", gap=10, unless="FORBID"),
    Rule("act-unasked", CONSENT, "AUTO|ACTION|RUNNOW WITHOUT CONSENT|ASKING",
         "the same, act first", gap=24, unless="FORBID"),
    Rule("unasked-act", CONSENT, "WITHOUT CONSENT RUNNOW|AUTO",
         "the same, act last", gap=12, unless="FORBID"),
    Rule("approve-all", CONSENT, "*APPROVE ALL|AUTO ACTION",
         "approval in advance", gap=24),
    Rule("already-approved", CONSENT, "ALREADYOK ALL|ACTION|FULLACCESS",
         "an approval that nobody gave", gap=24),
    Rule("approved-already", CONSENT, "ALL|ACTION|FULLACCESS ALREADYOK",
         "the same, object first", gap=24),
    Rule("run-unasked", CONSENT, "RUNNOW NOTASK",
         "no time to think", gap=12, guard=False),
    Rule("full-access", CONSENT, "GRANT FULLACCESS",
         "a permission that nobody gave", gap=30),
    Rule("access-given", CONSENT, "FULLACCESS APPROVE|GRANT",
         "the same, object first", gap=16),
    Rule("authority", AUTHORITY, "AUTHORITY PERMIT AI|BYPASS|FULLACCESS|HARDSAFETY",
         "a permission from somebody who is not here", gap=40),
    Rule("authority-orders", AUTHORITY, "AUTHORITY SAID AGENTMUST",
         "an order told on behalf of somebody", gap=60),
    Rule("command", AUTHORITY, "COMMAND",
         "claims to be the one who decides"),
    Rule("override-code", AUTHORITY, "OVERRIDEWORD",
         "a magic word that opens nothing"),
    Rule("reader", AUTHORITY, "READER DO",
         "speaks past the person to any machine that reads", gap=30),
    Rule("safety-off", SAFETY, "BYPASS HARDSAFETY",
         "the agent's own brakes", gap=30),
    Rule("safety-is-off", SAFETY, "HARDSAFETY BYPASS",
         "the same, told as a fact", gap=24),
    Rule("no-ethics", SAFETY, "GETROUND ETHICS",
         "the same in the words of jailbreaks", gap=24),
    Rule("round-security", SAFETY, "GETROUND SECURITYN",
         "security as an obstacle", gap=16, unless="SAFEWORD LOCAL FORBID"),
    Rule("weaken", SAFETY, "EVER WEAKEN PROTECTION",
         "weakens security as a standing rule", gap=24),
    Rule("weaken-always", SAFETY, "WEAKEN PROTECTION EVER",
         "the same, the scope last", gap=24),
    Rule("no-verify", SAFETY, "*EVER NOVERIFY",
         "the same by an option of a tool", gap=40),
    Rule("answer-all", SAFETY, "ANSWERALL FREELY|UNBOUND",
         "no question is too harmful", gap=20),
    Rule("no-refusal", SAFETY, "NOREFUSE",
         "obedience whatever is asked"),
    Rule("not-tell-user", CONCEAL, "NEG TELL USER",
         "an order to keep the person in the dark", gap=16, guard=False),
    Rule("not-tell-this", CONCEAL, "NEG TELL THISNOTE",
         "a note that is not to be spoken of", gap=16, guard=False),
    Rule("this-not-told", CONCEAL, "THISNOTE NEG TELL",
         "the same, object first", gap=16, guard=False),
    Rule("hush", CONCEAL, "HUSH",
         "the same in one phrase", guard=False),
    Rule("hide-from-user", CONCEAL, "HIDE NOTICE",
         "the same in one word", gap=24, guard=False),
    Rule("unbound-persona", PERSONA, "YOUARE|YOUNOW UNBOUND",
         "a role that has no rules", gap=60),
    Rule("unbound-ai", PERSONA, "AI UNBOUND",
         "the same without `you are`", gap=30),
    Rule("ai-unbound", PERSONA, "UNBOUND AI",
         "the same, adjective first", gap=20),
    Rule("no-limits", PERSONA, "ALONE",
         "formulas that only jailbreaks use"),
    Rule("roleplay", PERSONA, "ROLEPLAY",
         "tells the agent that it is another"),
    Rule("persona-mode", PERSONA, "YOUNOW MODE",
         "a mode in which nothing is forbidden", gap=30),
    Rule("ai-mode", PERSONA, "AI MODE",
         "the same of a named model", gap=16),
    Rule("decode-run", EXECUTE, "DECODE RUN",
         "carries the order in a form that no reader sees", gap=50),
    Rule("run-encoded", EXECUTE, "EVAL ENCODED",
         "the same, run first", gap=24),
    Rule("spread", SPREAD, "PROPAGATE EVERYWHERE",
         "a memory that copies itself", gap=40),
    Rule("spread-this", SPREAD, "PUT|PROPAGATE|SEND THISTEXT EVERYWHERE",
         "the same, with its object", gap=30),
    Rule("this-spread", SPREAD, "THISTEXT PUT|PROPAGATE|SEND EVERYWHERE",
         "the same, object first", gap=24),
    Rule("despite-user", OVERRIDE, "DESPITE",
         "the person's word shall not count"),
    Rule("evil", DAMAGE, "EVIL",
         "says itself what it is"),
    Rule("own-key", DAMAGE, "*MYKEY AUTHKEYS",
         "a key of a stranger opens the door", gap=40),
    Rule("delete-when", TRIGGER, "WHEN DELETE VALUABLE",
         "waits for its moment", gap=40, unless="LOCAL"),
    Rule("delete-each", TRIGGER, "DELETE VALUABLE WHEN",
         "the same, act first", gap=24, unless="LOCAL"),
    Rule("when-idle", TRIGGER, "*IDLE ACT|RUN|EVAL",
         "acts when nobody looks", gap=70),
    Rule("harm-when", TRIGGER, "WHEN HARM",
         "waits for its moment", gap=60),
    Rule("harm-each", TRIGGER, "HARM WHEN",
         "the same, act first", gap=30),
)  # fmt: skip
"""All rules, in the order in which a report names them."""
