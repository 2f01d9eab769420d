"""Views to human text or JSON: the only module that prints. May import `text.neutral`, `errors`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from vault_cli.cli import progress
from vault_cli.cli.option_values import Options
from vault_cli.errors import Diagnostic, StoreError, VaultError
from vault_cli.text.late import late

Span = str | tuple[str, str]
"""A piece of a line: text, or (style, text). Every piece is made safe when it is printed."""

Line = str | Sequence[Span]
"""A line of human text without its line end."""

_STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
_SEVERITY_STYLE = {"error": "red", "warning": "yellow", "note": "dim"}
_ODD = late(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""What Python calls printable although nothing is seen of it."""

_BREAKS = str.maketrans({"\n": " ", "\r": " ", "\t": " "})
_ASTRAL = 0x10000
_UNSAFE_JSON = (
    "[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


@dataclass(eq=False, repr=False)
class View:
    """The answer of one command.

    Args:
        data: what `--json` shows below `data`, or a function that gives it when it is shown.
        lines: gives the human text, line by line; only called when it is shown.
        raw: exact text to print instead of `lines` (a rendered block), never changed.
        diagnostics: findings, shown on stderr and in `--json`.
        notes: status lines for stderr.
        hints: advice for stderr.
        exit_code: what the process ends with.
        listed: the lines show the diagnostics themselves; stderr does not repeat them.
    """

    data: Any
    lines: Callable[[], Iterable[Line]] = tuple
    raw: str | None = None
    diagnostics: Sequence[Diagnostic] = ()
    notes: Sequence[str] = ()
    hints: Sequence[str] = ()
    exit_code: int = 0
    listed: bool = False


def safe(text: str) -> str:
    """Return text that a terminal shows as it is: no control characters, nothing hidden.

    Most text is plain; asking Python first whether it prints saves loading the whole table of
    what does not.
    """
    if is_plain(text):
        return text
    from vault_cli.text.neutral import terminal_safe

    return terminal_safe(text)


def is_plain(text: str) -> bool:
    """Tell whether every character (line feeds and tabs apart) is seen as what it is."""
    bare = text.replace("\n", "").replace("\t", "")
    return bare.isprintable() and (text.isascii() or not _ODD.search(text))


def cells(texts: list[str]) -> list[str]:
    """Return texts made for cells of lines, safe and each on one line; all at once when plain."""
    joined = "".join(texts)
    if joined.isprintable() and is_plain(joined):
        return texts
    return [safe(inline(text)) for text in texts]


def inline(text: str) -> str:
    """Return text made for one cell of a line: line breaks and tabs become spaces."""
    return text.translate(_BREAKS)


def told(text: str) -> str:
    """Return `inline` text that somebody wrote about a change, with all that hides in it shown."""
    line = inline(text)
    if is_plain(line):
        return line
    from vault_cli.text.hidden import show_every

    return show_every(line)


def to_json(data: Any) -> str:
    """Return JSON for machines and terminals: readable, and without a raw control character."""
    import json

    text = json.dumps(data, ensure_ascii=False, indent=2)
    return re.sub(_UNSAFE_JSON, _escape_json, text)


def _escape_json(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    code -= _ASTRAL
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def wants_color(stream: IO[str], choice: bool | None, environ: Mapping[str, str]) -> bool:
    """Decide about colour: the flag, else NO_COLOR, else whether the stream is a terminal."""
    if choice is not None:
        return choice
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: IO[str] | None) -> bool:
    """Tell whether a stream is a terminal; a closed or missing one is not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


@dataclass(eq=False, repr=False)  # loaded by every command: cheap to build
class Output:
    """Where one command run prints.

    Args:
        options: global options; read at each call because they may follow the command's name.
        environ: environment (NO_COLOR, TERM).
        partial: data of a preview, kept for the JSON object of an error that follows it.
        closed: descriptors whose reader has gone or whose disk is full; nothing more goes there.
        ended: the input came to its end; the last answer is none.
    """

    options: Options
    environ: Mapping[str, str]
    partial: Any = None
    closed: set[str] = field(default_factory=set)
    ended: bool = False
    _told: set[Diagnostic] = field(default_factory=set)

    def show(self, view: View) -> int:
        """Print an answer and return its exit code."""
        for note in view.notes:
            self.say(note)
        if self.options.json:
            data = view.data() if callable(view.data) else view.data
            self._object(ok=view.exit_code == 0, data=data, diagnostics=view.diagnostics)
        elif view.raw is not None:
            self._write(sys.stdout, view.raw)
        else:
            self.lines(view.lines())
        if not view.listed:
            self.findings(view.diagnostics)
        for hint in view.hints:
            self.hint(hint)
        return view.exit_code

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines of an answer on stdout (nothing in JSON mode)."""
        if self.options.json:
            return
        paint = wants_color(sys.stdout, self.options.color, self.environ)
        whole = list(lines)
        text = "" if paint else "".join([_bare(line) + "\n" for line in whole])
        if not is_plain(text) or paint:
            text = "".join([self._line(line, paint=paint) + "\n" for line in whole])
        self._write(sys.stdout, text)

    def preview(self, lines: Iterable[Line]) -> None:
        """Show a change to the person who is asked about it (on stderr in JSON mode)."""
        if self.options.json:
            for line in lines:
                self._notice(line)
        else:
            self.lines(lines)

    def say(self, text: Line) -> None:
        """Print a status line on stderr, unless `--quiet`."""
        if not self.options.quiet:
            self._notice(told(text) if isinstance(text, str) else text)

    def report(self, line: Line) -> None:
        """Print a line on stderr that was asked for, whatever `--quiet` says."""
        self._notice(line)

    def hint(self, text: str) -> None:
        """Print advice on stderr, unless `--quiet`."""
        if text and not self.options.quiet:
            self._notice([("cyan", "hint: "), told(text)])

    def warn(self, text: str) -> None:
        """Print a warning on stderr."""
        self._notice([("yellow", "warning: "), told(text)])

    def findings(self, diagnostics: Iterable[Diagnostic], *, again: bool = False) -> None:
        """Print findings on stderr, each with its advice; once, unless they explain an error."""
        for found in diagnostics:
            is_told = found in self._told and not again
            self._told.add(found)
            if not is_told and (found.severity != "note" or not self.options.quiet):
                for line in finding_lines(found):
                    self._notice(line)

    def error(self, error: VaultError) -> int:
        """Report an expected error and return its exit code."""
        code = error.exit_code
        veil(error)
        self.error_text(error)
        if self.options.json:
            self._undone(self.partial, error)
        return code

    def left(self, data: Any, error: VaultError) -> int:
        """Answer that somebody decided against it, which is no mistake; return the exit code."""
        self.say(error.message)
        if self.options.json:
            self._undone(data, error)
        return error.exit_code

    def _undone(self, data: Any, error: VaultError) -> None:
        """Print the object that says why nothing was done."""
        info = {"kind": error.kind, "message": error.message, "hint": error.hint}
        extra = {"error": {**info, "exit": error.exit_code}}
        self._object(ok=False, data=data, diagnostics=error.diagnostics, extra=extra)

    def error_text(self, error: VaultError) -> None:
        """Print an error, the findings that explain it, and its advice, on stderr."""
        veil(error)
        self.findings(error.diagnostics, again=True)
        self._notice([("red", "error: "), error.message])
        self.hint(error.hint)

    def ask(self, question: str) -> str:
        """Ask on the terminal and read one line; the end of input answers "" and sets `ended`."""
        try:
            answer = self._ask_line(safe(question))
        except UnicodeDecodeError:
            answer = "\n"
        except KeyboardInterrupt:
            self._write(sys.stderr, "\n")
            raise
        self.ended = not answer
        if self.ended:
            self._write(sys.stderr, "\n")
        return "".join(char for char in answer if char >= " " and char != "\x7f").strip()

    def _ask_line(self, question: str) -> str:
        """Read a line with its line end, with line editing where both ends are a terminal."""
        if self.options.json or not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
            self._write(sys.stderr, question)
            return sys.stdin.readline()
        _load_line_editing()
        encoding = sys.stdout.encoding or "utf-8"
        try:
            return input(question.encode(encoding, "backslashreplace").decode(encoding)) + "\n"
        except EOFError:
            return ""

    def trace(self, text: str) -> None:
        """Print a report about our own failure on stderr."""
        self._write(sys.stderr, safe(text))

    def _object(
        self,
        *,
        ok: bool,
        data: Any,
        diagnostics: Iterable[Diagnostic],
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        found = [diagnostic.as_data() for diagnostic in diagnostics]
        whole = {"schema": 1, "ok": ok, "data": data, "diagnostics": found, **(extra or {})}
        self._write(sys.stdout, to_json(whole) + "\n")

    def _notice(self, line: Line) -> None:
        paint = wants_color(sys.stderr, self.options.color, self.environ)
        self._write(sys.stderr, self._line(line, paint=paint) + "\n")

    @staticmethod
    def _line(line: Line, *, paint: bool) -> str:
        spans: Sequence[Span] = [line] if isinstance(line, str) else line
        parts = []
        for span in spans:
            style, text = ("", span) if isinstance(span, str) else span
            code = _STYLES.get(style) if paint else None
            parts.append(f"\x1b[{code}m{safe(text)}\x1b[0m" if code else safe(text))
        return "".join(parts)

    def _write(self, stream: IO[str] | None, text: str) -> None:
        """Write; a reader that has gone is no error, an answer that cannot be written is one."""
        name = "stdout" if stream is sys.stdout else "stderr"
        if stream is None or name in self.closed or not text:
            return
        progress.clear()
        try:
            write_text(stream, text)
        except BrokenPipeError:
            self.closed |= {"stdout", "stderr"}
        except OSError as error:
            self.closed.add(name)
            if name == "stdout":
                raise unwritable_answer(error) from error


def veil(error: VaultError) -> None:
    """Take every secret out of an error's words: they may quote what was typed or read."""
    from vault_cli.text.scan import mask_secrets

    error.message = mask_secrets(error.message)
    error.hint = mask_secrets(error.hint)
    error.diagnostics = tuple(
        found._replace(
            path=mask_secrets(found.path),
            message=mask_secrets(found.message),
            hint=mask_secrets(found.hint),
        )
        for found in error.diagnostics
    )


def unwritable_answer(error: OSError) -> StoreError:
    """Return the error of a standard output that takes no more."""
    return StoreError(
        f"the answer cannot be written: {error.strerror}",
        hint="What the command changed stays changed; `mvault log` shows it.",
    )


def _load_line_editing() -> None:
    """Let `input` edit its line; without the library it reads a plain one."""
    try:
        import readline
    except ImportError:
        return
    readline.parse_and_bind("set enable-bracketed-paste off")


def _bare(line: Line) -> str:
    if isinstance(line, str):
        return line
    return "".join([span if isinstance(span, str) else span[1] for span in line])


def write_text(stream: IO[str], text: str) -> None:
    """Write text: UTF-8 and line feeds to a pipe or file, else in the encoding of the terminal.

    What the terminal's encoding cannot show, and undecodable bytes of file names, appear
    escaped instead of as an error.
    """
    buffer = getattr(stream, "buffer", None)
    encoding = getattr(stream, "encoding", None) if is_terminal(stream) else None
    if buffer is None:
        stream.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    else:
        stream.flush()
        buffer.write(text.encode(encoding or "utf-8", "backslashreplace"))
    stream.flush()


def finding_lines(found: Diagnostic) -> list[Line]:
    """Return a finding as lines: `path:line: severity code: message`, then the advice."""
    from vault_cli.text.names import show_path

    where = show_path(found.path) if found.path else ""
    if found.line and where:
        where = f"{where}:{found.line}"
    style = _SEVERITY_STYLE[found.severity]
    head: list[Span] = [f"{where}: "] if where else []
    head += [(style, found.severity), f" {found.code}: {found.message}"]
    lines: list[Line] = [head]
    if found.hint:
        lines.append([("cyan", "    hint: "), found.hint])
    return lines
