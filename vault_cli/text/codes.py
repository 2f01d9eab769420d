"""Codes of the findings in a file, and how to word one. May import `errors`."""

from __future__ import annotations

from typing import NamedTuple

from vault_cli.errors import Diagnostic, Severity

CODES: dict[str, tuple[Severity, bool, str]] = {
    "empty-file": ("error", False, "the file has no text"),
    "file-too-large": ("error", False, "the file is over 1 MiB"),
    "not-utf8": ("error", False, "the bytes are not UTF-8"),
    "nul-byte": ("error", False, "the file holds a NUL byte"),
    "cr-line-ends": ("error", False, "lines end in CR alone (old Mac style)"),
    "oversize": ("warning", True, "the file is over 256 KiB or has a line over 128 KiB"),
    "conflict-markers": ("error", False, "a merge conflict is left in the file"),
    "front-unclosed": ("error", False, "the metadata block is never closed"),
    "front-not-first": ("error", False, "text stands before the metadata block"),
    "front-not-map": ("error", False, "the metadata block is not a list of keys and values"),
    "front-too-large": ("error", False, "the metadata block is over 16 KiB"),
    "front-too-many-keys": ("error", False, "the metadata block has more than 200 keys"),
    "second-block": ("warning", False, "a second metadata block stands at the top of the text"),
    "yaml-colon": ("error", False, "a colon inside an unquoted value"),
    "yaml-full-width-colon": ("error", False, "a full-width colon where a plain one belongs"),
    "yaml-quote": ("error", False, "a quote is not closed, or text follows a closed one"),
    "yaml-sign": ("error", False, "an unquoted value starts with a sign that YAML reserves"),
    "yaml-star": ("error", False, "an unquoted value starts with * or &"),
    "yaml-tab": ("error", False, "a line is indented with a tab"),
    "yaml-template": ("error", False, "a template placeholder stands in the metadata"),
    "yaml-stray": ("error", False, "a line is neither a key nor part of a value"),
    "yaml-indent": ("error", False, "a line is indented differently from its neighbours"),
    "yaml-control": ("error", False, "a control character stands in the metadata"),
    "yaml-tag": ("error", False, "an explicit type tag (! or !!)"),
    "yaml-merge-key": ("error", False, "a merge key (<<)"),
    "yaml-too-deep": ("error", False, "values are nested more than 20 levels deep"),
    "yaml-number": ("error", False, "a number of more than 1,000 digits"),
    "yaml-syntax": ("error", False, "the metadata cannot be read for another reason"),
    "duplicate-key": ("error", False, "a key stands twice with different values"),
    "repeated-key": ("warning", False, "a key stands twice with the same value"),
    "template-text": ("note", False, "a value looks like an unfilled template placeholder"),
    "comment-in-value": ("note", False, "text after # was read as a comment"),
    "key-spelling": ("warning", False, "an unknown key is probably a misspelt one of ours"),
    "bad-id": ("error", False, "the id is not allowed"),
    "unknown-kind": ("error", False, "there is no such kind"),
    "unknown-status": ("error", False, "there is no such status"),
    "bad-scope": ("error", False, "the scope cannot be read"),
    "bad-date": ("error", False, "a date is impossible or cannot be read"),
    "bad-value": ("error", False, "a field that decides about admission cannot be read"),
    "odd-value": ("warning", False, "a value cannot be used and is ignored"),
    "guard-refused": ("warning", False, "a guard that cannot be used; it stops nothing"),
    "no-time-zone": ("note", False, "a time has no zone and is taken as UTC"),
    "future-date": ("warning", True, "the record claims to be created in the far future"),
    "trust-claim": ("warning", True, "the file claims an approval that nobody checked"),
}
"""Every code of a file that is read: severity, whether it holds the record, and what it means."""

SCAN_CODES: dict[str, str] = {
    "hidden-characters": "characters nobody sees, which may spell a text",
    "zero-width": "zero-width characters inside words",
    "bidi-control": "a sign that shows text in another order than it is read",
    "control-character": "a control character or an escape sequence",
    "line-separator": "a line separator inside the text (U+2028, U+2029)",
    "frame-tag": "a tag or token that imitates the frame of a prompt",
    "block-marker": "a marker of a managed block",
    "image-beacon": "an image that reports to its address when it is shown",
    "role-line": "a line that speaks in the name of the system or another role",
    "hidden-html": "HTML that a page does not show, or a comment that speaks to a machine",
    "shell-pipe": "a command that runs what it fetches or decodes",
    "encoded-payload": "an encoded text that gives orders, or letters encoded for no reason",
    "disguised-text": "an order in look-alike, full-width or spread letters",
}
"""Codes of the structural scan: a trick holds the record, what does no harm is a note."""

GATE_CODES: dict[str, tuple[str, str]] = {
    "secret": ("held, never written", "a key, a token or a password"),
    "secret-left-out": (
        "note",
        "a new version has the kind of a secret where the old text holds it",
    ),
    "secret-in-history": ("check fails", "a commit holds a secret: the key must be changed"),
    "not-private": ("warning", "git has, or would add, a file of quarantine/ or .state/"),
    "personal-data": ("held, or a warning", "an ID or bank card number; a mobile number"),
    "injection": ("held", "a text that gives the reader orders (English and Chinese)"),
    "suspicious": ("note", "a text that sounds like an attack to a small model; no rule says so"),
    "filler": ("held", "a memory that says nothing: ok, thanks, 好的"),
    "cliche": ("note", "a memory that says what holds anywhere"),
    "gates-off": ("note", "gates of admission are switched off in this vault"),
}
"""Codes of the gates that `admission.gates` switches: effect and meaning."""

_SHOWN = 60


class Problem(NamedTuple):
    """A finding without its path.

    Args:
        code: a key of `CODES`.
        line: 1-based line of the file, 0 when there is none.
        message: what is wrong, in plain words.
        hint: what to do.
    """

    code: str
    line: int
    message: str
    hint: str

    def at(self, path: str) -> Diagnostic:
        """Return the diagnostic of this finding in the file `path`."""
        severity, holds, _ = CODES[self.code]
        return Diagnostic(path, self.line, self.code, severity, self.message, self.hint, holds)


def show(text: str) -> str:
    """Return `text` cut to one short line with everything that does not print escaped."""
    cut = text[: _SHOWN + 1]
    shown = "".join(c if c.isprintable() else _escape(c) for c in cut[:_SHOWN])
    return shown + ("…" if len(cut) > _SHOWN else "")


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
