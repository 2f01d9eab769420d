"""Words in order: whether a shell command runs them, or a text says them. No imports.

A command is cut into simple commands at `;` `&` `|` round brackets, back quotes and line ends, also
within quotes, since a quoted script may be run. The words of a rule match when they stand in this
order in one simple command, whatever stands between them; a separator among them (`curl | sh`)
leads into the next one. Where words are only spoken of nothing matches: behind `echo`, `grep` or
`git commit`, in a comment, in a here-document that no shell reads.
"""

from __future__ import annotations

SEPARATORS = frozenset(("|", "||", "&", "&&", ";"))
BREAKS = frozenset(";|&\n()`")

Groups = tuple[tuple[str, tuple[str, ...]], ...]
"""Words of a rule: of each simple command the separator before it ("" for the first), its words."""

_SPEAKERS = frozenset(
    {
        *("echo", "printf", "write-output", "write-host"),
        *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "select-string"),
        *("man", "which", "type", "whereis", "apropos"),
    }
)
_SPEAKERS_OF = {
    "git": frozenset({"commit", "log", "grep", "tag", "notes", "blame", "shortlog"}),
    "gh": frozenset({"issue", "pr", "release", "gist"}),
}
_SHELLS = frozenset(
    {*("sh", "bash", "zsh", "dash", "ksh", "fish"), *("ssh", "sudo", "xargs", "eval", "source")}
)
_WRAPPERS = frozenset({"sudo", "doas", "env", "nice", "timeout", "stdbuf", "ionice", "setsid"})
"""Programs that run what follows their own options and numbers."""

_BEFORE = _WRAPPERS | frozenset(
    {
        *("time", "nohup", "command", "exec", "builtin"),
        *("then", "do", "else", "!", "{", "}"),
    }
)
_WIDE = "\u2e80"
"""From here on there are no spaces between words."""


class Part:
    """One simple command.

    Args:
        mark: the separator before it.
        words: what it says, without quotes.
    """

    __slots__ = ("mark", "speaks", "words")

    def __init__(self, mark: str, words: list[str]) -> None:
        self.mark = mark
        self.words = words
        self.speaks = False
        """Whether it only speaks of what stands behind its name."""

    @property
    def head(self) -> int:
        """The place of the program's name: behind assignments, `sudo` and the like."""
        wrapped = False
        for place, word in enumerate(self.words):
            name, sign, _ = word.partition("=")
            own = wrapped and (word[0] == "-" or word[0].isdigit())
            if word not in _BEFORE and not (sign and name.isidentifier()) and not own:
                return place
            wrapped = wrapped or word in _WRAPPERS
        return 0

    @property
    def name(self) -> str:
        """The program, without its folder."""
        return self.words[self.head].rpartition("/")[2].lower()

    def is_speech(self) -> bool:
        """Tell whether such a command only speaks of its arguments."""
        among = _SPEAKERS_OF.get(self.name)
        if among is None:
            return self.name in _SPEAKERS
        plain = [word for word in self.words[self.head + 1 :] if word[:1] != "-"]
        return not among.isdisjoint(plain[:2])

    def says(self, words: tuple[str, ...]) -> bool:
        """Tell whether it has some words in this order, and means the first of them."""
        place = 0
        for number, word in enumerate(words):
            while place < len(self.words) and not says(self.words[place], word):
                place += 1
            if place == len(self.words):
                return False
            if self.speaks and not number and place > self.head and word[0] != "-":
                return False
            place += 1
        return True


def in_command(groups: Groups, text: str) -> bool:
    """Tell whether a shell command runs the words of a rule."""
    return in_parts(groups, split_command(text))


def in_parts(groups: Groups, parts: list[Part]) -> bool:
    """Tell whether simple commands run the words of a rule."""
    return any(
        all(
            parts[start + number].says(words) and (not number or parts[start + number].mark == mark)
            for number, (mark, words) in enumerate(groups)
        )
        for start in range(len(parts) - len(groups) + 1)
    )


def in_text(groups: Groups, text: str) -> bool:
    """Tell whether a text that is no command holds the words of a rule, in order."""
    place = 0
    for word in (word for _, words in groups for word in words):
        place = find_word(text, word, place)
        if place < 0:
            return False
        place += len(word)
    return True


def group_words(text: str) -> Groups:
    """Return the words of a rule, by simple command.

    Raises:
        ValueError: there are none, or a separator has none on one side.
    """
    groups: list[tuple[str, list[str]]] = [("", [])]
    for word in text.split():
        if word in SEPARATORS:
            groups.append((word, []))
        else:
            groups[-1][1].extend(word.translate(_NO_BREAKS).split())
    if not all(words for _, words in groups):
        raise ValueError("no words" if len(groups) == 1 else "nothing beside a separator")
    return tuple((mark, tuple(words)) for mark, words in groups)


_NO_BREAKS = {ord(char): " " for char in BREAKS}


def split_command(text: str, *, into_quotes: bool = True) -> list[Part]:
    """Return the simple commands of a text.

    Args:
        text: a command line, or several.
        into_quotes: whether what stands in quotes is cut, too.
    """
    parts = _Splitter(text, into_quotes=into_quotes).split()
    for place, part in enumerate(parts):
        feeds = place + 1 < len(parts) and parts[place + 1].mark == "|"
        part.speaks = part.is_speech() and not (feeds and parts[place + 1].name in _SHELLS)
    return parts


class _Splitter:
    """Reads a command once, from left to right."""

    def __init__(self, text: str, *, into_quotes: bool) -> None:
        self.text = text
        self.into_quotes = into_quotes
        self.place = 0
        self.quote = self.word = self.mark = ""
        self.words: list[str] = []
        self.parts: list[Part] = []
        self.documents: list[str] = []
        """Names that end the here-documents of this line."""

    def split(self) -> list[Part]:
        """Return the simple commands."""
        text, size = self.text, len(self.text)
        while self.place < size:
            char = text[self.place]
            self.place += 1
            if char in _SPECIAL:
                self._take_special(char)
            elif char.isspace() and (self.into_quotes or not self.quote):
                self._end_word()
            else:
                self.word += char
        self._end_part()
        return self.parts

    def _take_special(self, char: str) -> None:
        if char == "\\" and self.quote != "'":
            following = self._peek()
            self.word += "" if following == "\n" else following
            self.place += 1
        elif char in BREAKS and (self.into_quotes or not self.quote):
            self._break(char)
        elif char == self.quote:
            self.quote = ""
        elif self.quote:
            self.word += char
        elif char in "'\"":
            self.quote = char
        elif char == "#" and not self.word:
            self.place = self._line_end()
        elif char == "<" and self._peek() == "<" and self._peek(1) != "<":
            self._begin_document()
        else:
            self.word += char

    def _peek(self, further: int = 0) -> str:
        place = self.place + further
        return self.text[place : place + 1]

    def _line_end(self) -> int:
        end = self.text.find("\n", self.place)
        return len(self.text) if end < 0 else end

    def _break(self, char: str) -> None:
        self._end_part()
        sign = char
        if char in "|&" and self._peek() == char:
            sign, self.place = char * 2, self.place + 1
        if sign == "\n":
            sign = ";"
            if self.documents and not self.quote:
                self._skip_documents()
        self.mark = sign

    def _end_word(self) -> None:
        if self.word:
            self.words.append(self.word)
            self.word = ""

    def _end_part(self) -> None:
        self._end_word()
        if self.words:
            self.parts.append(Part(self.mark, self.words))
            self.words = []

    def _begin_document(self) -> None:
        """Read the name of a here-document."""
        self.place += 1
        if self._peek() == "-":
            self.place += 1
        while self._peek() in {" ", "\t"}:
            self.place += 1
        start = self.place
        while self._peek() and not self._peek().isspace() and self._peek() not in ";|&<>()":
            self.place += 1
        name = self.text[start : self.place].strip("'\"\\")
        if name:
            self.documents.append(name)

    def _skip_documents(self) -> None:
        """Go behind the here-documents of the line that ended; not where a shell reads them."""
        names, self.documents = self.documents, []
        if self.parts and self.parts[-1].name in _SHELLS:
            return
        for name in names:
            while self.place < len(self.text):
                end = self._line_end()
                line = self.text[self.place : end].strip("\t ")
                self.place = min(end + 1, len(self.text))
                if line == name:
                    break


_SPECIAL = BREAKS | frozenset("\\'\"#<")


def says(text: str, word: str) -> bool:
    """Tell whether a word of a command is a word of a rule, or holds it as a word of its own.

    `./bin/npx` and `npx@10` say `npx`; `npx-run` and `npx.js` do not. An option is one only at the
    beginning: `--port=80` says `--port`.
    """
    if word[0] == "-":
        return text.startswith(word) and _ends(text, len(word), word[-1])
    return find_word(text, word) >= 0


def find_word(text: str, word: str, start: int = 0) -> int:
    """Return where a text holds a word that stands for itself, -1 for nowhere."""
    place = text.find(word, start)
    while place >= 0:
        begins = not place or not (_joins(text[place - 1]) and _joins(word[0]))
        if begins and _ends(text, place + len(word), word[-1]):
            return place
        place = text.find(word, place + 1)
    return -1


def _ends(text: str, end: int, last: str) -> bool:
    """Tell whether a word may end here: what follows makes it no longer word, nor a file's name."""
    following = text[end : end + 1]
    if not following or not _joins(last):
        return True
    if following == ".":
        return not text[end + 1 : end + 2].isalnum()
    return not _joins(following)


def _joins(char: str) -> bool:
    return char in "_-" or (char < _WIDE and char.isalnum())
