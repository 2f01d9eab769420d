"""How much a text reads like an attempt to steer the agent: a small model, asked at review.

The rules of `injection` know how attacks are built; this model knows how they sound, and so sees
paraphrases that no rule foresaw. It only ever points: nothing is held because of it. May import
`text.admission`, `text.fold`.

The model is logistic regression over the character n-grams of the folded text, hashed into 2^18
buckets with one signed byte each (Weinberger et al. 2009, feature hashing). A text scores
`bias + scale * sum(weights) / sqrt(number of buckets)`. `tests/bench/train_suspicion.py` makes
the file of weights.
"""

from __future__ import annotations

import re
import struct
import zlib
from array import array
from collections.abc import Iterator
from functools import cache
from math import exp, isfinite, sqrt
from typing import Final, NamedTuple

from vault_cli.text.admission import Finding
from vault_cli.text.fold import fold_text
from vault_cli.text.hidden import show_printable
from vault_cli.text.late import late
from vault_cli.text.packaged import SUSPICION_WEIGHTS, read_packaged

SUSPICIOUS: Final = "suspicious"
"""Code of the finding."""

SIZES: Final = (2, 3, 5)
"""Lengths of the n-grams. 4 adds a third to the time and nothing to what is found."""

BUCKETS: Final = 1 << 18
_LAST: Final = BUCKETS - 1
MAGIC: Final = b"mvault-suspicion-2\n"
HEADER: Final = struct.Struct("<ffffL")
"""Scale, bias, the two thresholds (Latin, Chinese), CRC-32 of the packed weights that follow."""

WINDOW: Final = 160
WINDOW_HAN: Final = 60
"""Characters judged at once: one sentence must not drown in a page of honest text.

Measured on attacks put into pages of seven honest lines: with 400 characters 6 % are found, with
160 37 %, with 120 52 % but five times as many honest pages are flagged (1.5 %). Chinese says as
much in 60 characters.
"""

LONGEST: Final = 64 * 1024
"""Characters that are looked at."""

_SHORTEST: Final = 24
_SHORTEST_HAN: Final = 8
_SHOWN: Final = 80
_LIMIT: Final = 0.5
_HAN: Final = late("[\u3400-\u9fff]")
_SPACE: Final = late(r"\s+")
_DIGITS: Final = late(r"\d+")


def _cut_at(size: int) -> re.Pattern[str]:
    """Return the pattern of a sentence or of a line, or of so much of one that is longer."""
    return late(
        rf"[^\n.!?。！？；]{{0,{size}}}(?:[\n.!?。！？；]+|$)|[^\n]{{{size}}}"  # bounded: linear
    )


_PIECE: Final = _cut_at(WINDOW)
_PIECE_HAN: Final = _cut_at(WINDOW_HAN)


class Model(NamedTuple):
    """What was learned.

    Args:
        weights: one signed byte for each bucket.
        scale: what a weight of 1 adds to the log-odds.
        bias: log-odds of a text of which nothing is known.
        threshold: log-odds above which a text is suspicious.
        threshold_han: the same for text in Chinese.
    """

    weights: array[int]
    scale: float
    bias: float
    threshold: float
    threshold_han: float


class Window(NamedTuple):
    """A piece of a text.

    Args:
        start: its offset.
        text: the piece.
        chinese: whether it is measured against the Chinese threshold.
    """

    start: int
    text: str
    chinese: bool


def suspicion(text: str) -> float:
    """Return how much a text reads like an attack: above 0.5 it is suspicious.

    The score of its worst window, between 0 and 1, set so that the threshold of the language is
    0.5. A text that is too short to say anything, and any text when the weights cannot be read,
    gives 0. Linear in the length of the text, of which the first 64 KiB are read.
    """
    worst = _find_worst(text)
    return worst[0] if worst else 0.0


def find_suspicious(text: str) -> list[Finding]:
    """Return at most one finding, at the window that reads most like an attack. It never holds."""
    worst = _find_worst(text)
    if worst is None or worst[0] <= _LIMIT:
        return []
    window = worst[1]
    start = window.start + len(window.text) - len(window.text.lstrip())
    line = text.count("\n", 0, start) + 1
    shown = show_printable(window.text.strip())
    snippet = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    message = f'sounds like an attempt to steer the agent: "{snippet}"'
    return [Finding(SUSPICIOUS, line, start - text.rfind("\n", 0, start), message, holds=False)]


def is_chinese(text: str) -> bool:
    """Whether more than a quarter of a text is Han characters."""
    return not text.isascii() and len(_HAN.findall(text)) * 4 > len(text)


def find_buckets(text: str) -> set[int]:
    """Return the buckets of the n-grams of a text, the features of the model."""
    plain = _DIGITS.sub("0", _SPACE.sub(" ", fold_text(text)).strip())
    data = f" {plain} ".encode("utf-16-le", "replace")
    hashed = zlib.crc32
    found: set[int] = set()
    for size in SIZES:
        wide = 2 * size
        starts = range(0, len(data) - wide + 1, 2)
        found.update([hashed(data[at : at + wide]) & _LAST for at in starts])
    return found


def pack_weights(model: Model) -> bytes:
    """Return the file that `_load` reads. A weight stands for `scale` times its value."""
    packed = zlib.compress(model.weights.tobytes(), 9)
    return MAGIC + HEADER.pack(*model[1:], zlib.crc32(packed)) + packed


def unpack_weights(data: bytes) -> Model | None:
    """Return the model in a file, or None if the file is not whole."""
    body = data[len(MAGIC) + HEADER.size :]
    if not data.startswith(MAGIC) or not body:
        return None
    *numbers, check = HEADER.unpack_from(data, len(MAGIC))
    if zlib.crc32(body) != check or not all(map(isfinite, numbers)):
        return None
    try:
        raw = zlib.decompressobj().decompress(body, BUCKETS + 1)
    except zlib.error:
        return None
    return Model(array("b", raw), *numbers) if len(raw) == BUCKETS else None


@cache
def _load() -> Model | None:
    """Return the model that ships with the package; without it there is no signal."""
    try:
        return unpack_weights(read_packaged(SUSPICION_WEIGHTS))
    except OSError:
        return None


def _find_worst(text: str) -> tuple[float, Window] | None:
    windows = list(find_windows(text[:LONGEST]))
    model = _load() if windows else None
    if model is None:
        return None
    return max(((_score(model, window), window) for window in windows), key=lambda it: it[0])


def find_windows(text: str) -> Iterator[Window]:
    """Yield pieces of at most `WINDOW` characters, cut where a sentence or a line ends."""
    chinese = is_chinese(text)
    size, pattern = (WINDOW_HAN, _PIECE_HAN) if chinese else (WINDOW, _PIECE)
    start = end = 0
    while start < len(text):
        piece = pattern.match(text, end)
        stop = piece.end() if piece and piece.end() > end else min(len(text), end + size)
        if end > start and (stop - start > size or end == len(text)):
            part = text[start:end]
            if _says_something(part):
                yield Window(start, part, not part.isascii() and (chinese or is_chinese(part)))
            start = end
        else:
            end = stop


def _says_something(text: str) -> bool:
    bare = text.strip()
    if bare.isascii():
        return len(bare) >= _SHORTEST
    return len(bare) >= _SHORTEST or len(_HAN.findall(bare)) >= _SHORTEST_HAN


def _score(model: Model, window: Window) -> float:
    buckets = find_buckets(window.text)
    weights = model.weights
    total = sum([weights[bucket] for bucket in buckets])
    limit = model.threshold_han if window.chinese else model.threshold
    return _squash(model.bias + model.scale * total / sqrt(len(buckets)) - limit)


def _squash(odds: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, odds))))
