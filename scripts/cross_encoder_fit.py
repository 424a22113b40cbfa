"""
Fits the network that reads a question beside source, and writes it as an ONNX file; needs torch.

A cross-encoder: question and source stand in one sequence, so that each word of one can attend to the words of the
other (Nogueira and Cho, arXiv 1901.04085). It starts from the weights of all-MiniLM-L6-v2, with the vocabulary cut to
the tokens of the training text; the embeddings and the lower layers stay as they are. First it learns to find the body
that a documentation string describes among others of its repository, then to find the source that answers a question
among what the boosted trees rate best. It takes some 40 minutes on two cores that multiply bfloat16.

It depends on nothing else of the project but the network, so that it can run where only torch is installed:

    python -m scripts.cross_encoder_fit PAIRS.jsonl.gz --start model.onnx --tokenizer tokenizer.json --out FOLDER

PAIRS is written by `scripts/cross_encoder_gather.py`. In FOLDER, `cross_encoder.onnx` and
`cross_encoder_tokenizer.json` are the network, and `held_out.json` has its scores of the best units for each question
about one repository in five, of which it has seen nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from scripts.cross_encoder_network import LENGTH, begun, read_start, write_network

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from scripts.cross_encoder_network import Pairs

    Group = tuple[list[int], list[list[int]], list[float]]
    """Tokens of a question, of the sources to tell apart, and the share of each in what is right."""

QUESTION, SOURCE = 48, 126
"""Most tokens of a question, and of a source."""
HELD_OUT = 5
"""One repository in five is held out."""
READ = 12
"""Units of a question that are scored."""
VOCABULARY = 12_000
CLS, SEP, UNK, PAD = "[CLS]", "[SEP]", "[UNK]", "[PAD]"
_DOCUMENTED, _SOURCES = 32, 80
_AMONG, _AMONG_DOCUMENTED = 8, 5
"""Sources that each question, and each documentation string, is told apart from, the right ones counted."""
_RIGHT = 3
_HARD, _EASIER = 20, 3.0
"""The first twenty units are three times as likely to be chosen as wrong ones as others are."""


@dataclass
class Cases:
    """
    What PAIRS holds, as tokens.

    Args:
        questions: For each its id, repository, tokens, units (positions in `units`, best first) and their shares of
            the lines that a good answer cites.
        documented: For each its repository, tokens of the documentation string and tokens of the body.
    """

    questions: list[tuple[str, str, list[int], list[int], list[float]]] = field(default_factory=list)
    units: list[list[int]] = field(default_factory=list)
    documented: list[tuple[str, list[int], list[int]]] = field(default_factory=list)


class Training:
    """Trains and applies one network on one device."""

    def __init__(self, network: Pairs, cases: Cases, marks: Sequence[int], known: Collection[str], frozen: int) -> None:
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self.network: Pairs = network.to(self._device)
        self._cases, self._marks, self._known = cases, marks, known
        self._random = random.Random(1)
        for part in (network.words, network.places, network.sides, network.norm, *network.layers[:frozen]):
            part.requires_grad_(requires_grad=False)

    def learn_documented(self, most: int) -> None:
        """Learn from documentation strings of the known repositories, `most` of them, drawn at random."""
        self._fit(lambda: self._random.sample(every := self._documented(), min(most, len(every))), 1, 1e-4, 24)

    def learn_questions(self, epochs: int) -> None:
        """Learn from the questions about the known repositories."""
        self._fit(self._questions, epochs, 8e-5, 12)

    def scores(self) -> dict[str, list[float]]:
        """Return the scores of the best units of questions about other repositories, by the question's id."""
        found: dict[str, list[float]] = {}
        self.network.eval()
        with torch.no_grad(), torch.autocast(self._device, torch.bfloat16):
            for name, repository, asked, units, _ in self._cases.questions:
                if repository not in self._known:
                    own = [self._cases.units[each] for each in units[:READ]]
                    found[name] = [
                        round(each, 4) for each in self.network(*self._rows([asked] * len(own), own)).tolist()
                    ]
        return found

    def save(self, path: Path) -> None:
        """Write the weights as torch reads them."""
        torch.save(self.network.state_dict(), path)

    def _fit(self, groups: Callable[[], list[Group]], epochs: int, rate: float, size: int) -> None:
        steps = torch.optim.AdamW((each for each in self.network.parameters() if each.requires_grad), lr=rate)
        done, total = 0, 0
        self.network.train()
        for epoch in range(epochs):
            every = sorted(groups(), key=lambda each: sum(map(len, each[1])) + self._random.random() * 300)
            batches = [every[at : at + size] for at in range(0, len(every), size)]
            self._random.shuffle(batches)
            total = total or len(batches) * epochs
            lost = torch.zeros((), device=self._device)
            for batch in batches:
                done += 1
                for each in steps.param_groups:
                    each["lr"] = rate * min(done / (0.1 * total + 1), max(0.02, (total - done) / (0.9 * total)))
                rows = self._rows(
                    [asked for asked, sources, _ in batch for _ in sources],
                    [source for _, sources, _ in batch for source in sources],
                )
                with torch.autocast(self._device, torch.bfloat16):
                    scores = self.network(*rows)
                told = functional.log_softmax(scores.view(len(batch), -1), 1)
                loss = -(torch.tensor([each[2] for each in batch], device=self._device) * told).sum(1).mean()
                steps.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
                steps.step()
                lost += loss.detach()
                if done % 50 == 0:
                    _say(f"step {done} of {total}, loss {float(lost) / 50:.3f}")
                    lost.zero_()
            _say(f"epoch {epoch}: {len(every)} groups")

    def _documented(self) -> list[Group]:
        """Tell the body that a documentation string is about from neighbours and other bodies of its repository."""
        by_repository: dict[str, list[int]] = defaultdict(list)
        for at, (repository, _, _) in enumerate(self._cases.documented):
            if repository in self._known:
                by_repository[repository].append(at)
        groups: list[Group] = []
        for own in by_repository.values():
            if len(own) < 2 * _AMONG_DOCUMENTED:
                continue
            for place, at in enumerate(own):
                near = [each for each in own[max(0, place - 8) : place + 9] if each != at]
                others = self._random.sample(near, 2)
                while len(others) < _AMONG_DOCUMENTED - 1:
                    if (other := self._random.choice(own)) != at and other not in others:
                        others.append(other)
                bodies = [self._cases.documented[each][2] for each in (at, *others)]
                groups.append((self._cases.documented[at][1], bodies, [1.0] + [0.0] * len(others)))
        return groups

    def _questions(self) -> list[Group]:
        """Tell the source that answers a question from what stands high without answering it."""
        draw = self._random.random
        groups: list[Group] = []
        for _, repository, asked, units, shares in self._cases.questions:
            wrong = [at for at, share in enumerate(shares) if share <= 0]
            right = [at for at, share in enumerate(shares) if share > 0]
            right = sorted(right, key=lambda at: -shares[at] * (draw() + 0.5))[:_RIGHT]
            if repository not in self._known or not right or len(wrong) < _AMONG - len(right):
                continue
            wrong.sort(key=lambda at: -math.log(draw() + 1e-9) * (1 if at < _HARD else _EASIER))
            wrong = wrong[: _AMONG - len(right)]
            weight = [shares[at] + 0.1 for at in right]
            target = [each / sum(weight) for each in weight] + [0.0] * len(wrong)
            groups.append((asked, [self._cases.units[units[at]] for at in (*right, *wrong)], target))
        return groups

    def _rows(self, asked: Sequence[list[int]], sources: Sequence[list[int]]) -> tuple[Any, Any, Any]:
        begin, end, pad = self._marks
        length = max(len(a) + len(b) for a, b in zip(asked, sources, strict=True)) + 3
        length = min(LENGTH, (length + 7) // 8 * 8)
        tokens = np.full((len(asked), length), pad, dtype=np.int64)
        sides, mask = np.zeros_like(tokens), np.zeros_like(tokens)
        for row, (question, source) in enumerate(zip(asked, sources, strict=True)):
            first = [begin, *question, end]
            every = [*first, *source[: length - len(first) - 1], end]
            tokens[row, : len(every)] = every
            sides[row, len(first) : len(every)] = 1
            mask[row, : len(every)] = 1
        return tuple(torch.from_numpy(each).to(self._device) for each in (tokens, sides, mask))


def read_cases(path: Path, tokenizer: Path, size: int) -> tuple[Cases, Any, list[int]]:
    """Return the cases as tokens, the tokenizer with its vocabulary cut to `size`, and the old ids of its tokens."""
    from tokenizers import Tokenizer

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = [row for row in rows if "question" in row]
    units = [row["unit"] for row in rows if "unit" in row]
    documented = [row["documented"] for row in rows if "documented" in row]
    old = Tokenizer.from_file(str(tokenizer))
    old.no_padding()
    old.no_truncation()
    counts: Counter[int] = Counter()
    for own in _tokens(
        old, [*(row["question"] for row in questions), *units, *(body for _, _, body in documented)], SOURCE
    ):
        counts.update(own)
    content = json.loads(old.to_str())
    vocabulary = content["model"]["vocab"]
    must = {at for word, at in vocabulary.items() if len(word.removeprefix("##")) == 1 or word in (CLS, SEP, UNK, PAD)}
    kept = sorted(must | {at for at, _ in counts.most_common(max(0, size - len(must)))})
    new = {at: place for place, at in enumerate(kept)}
    content["model"]["vocab"] = {word: new[at] for word, at in vocabulary.items() if at in new}
    content["added_tokens"] = [{**each, "id": new[each["id"]]} for each in content["added_tokens"] if each["id"] in new]
    content["post_processor"] = content["padding"] = content["truncation"] = None
    cut = Tokenizer.from_str(json.dumps(content))
    asked = _tokens(cut, [row["question"] for row in questions], QUESTION)
    cases = Cases(
        [(row["id"], row["repo"], own, row["units"], row["shares"]) for row, own in zip(questions, asked, strict=True)],
        _tokens(cut, units, SOURCE),
        [
            (each[0], said, body)
            for each, said, body in zip(
                documented,
                _tokens(cut, [each[1] for each in documented], _DOCUMENTED),
                _tokens(cut, [each[2] for each in documented], _SOURCES),
                strict=True,
            )
        ],
    )
    return cases, cut, kept


def _tokens(tokenizer: Any, texts: Sequence[str], most: int) -> list[list[int]]:
    return [each.ids[:most] for each in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def figures(cases: Cases, scores: dict[str, list[float]]) -> str:
    """Return for how many questions a right unit is first, and among the first three, by these scores."""
    first: list[tuple[bool, bool]] = []
    for name, _, _, _, shares in cases.questions:
        if own := scores.get(name):
            hits = [shares[at] > 0 for at in sorted(range(len(own)), key=lambda at: -own[at])]
            first.append((hits[0], any(hits[:3])))
    return f"{len(first)} questions: " + ", ".join(f"{100 * each:.1f}" for each in np.mean(first, axis=0))


def _say(text: str) -> None:
    print(f"{time.monotonic() - _BEGAN:.0f} s: {text}", flush=True)


_BEGAN = time.monotonic()


def main() -> None:
    """Read the cases, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, nargs="+", default=list(range(6)), help="layers of the start to keep")
    parser.add_argument("--frozen", type=int, default=3, help="lower layers that stay as they are")
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    parser.add_argument("--documented", type=int, default=6_000, help="documentation strings to learn from")
    parser.add_argument("--epochs", type=int, default=2, help="epochs over questions")
    options = parser.parse_args()
    torch.manual_seed(1)
    cases, tokenizer, kept = read_cases(options.pairs, options.tokenizer, options.vocabulary)
    start = read_start(options.start)
    start["words"] = start["embeddings.word_embeddings.weight"][kept]
    _say(f"{len(cases.questions)} questions, {len(cases.units)} units, {len(cases.documented)} documented")
    repositories = sorted({repository for _, repository, _, _, _ in cases.questions})
    known = frozenset(each for at, each in enumerate(repositories) if at % HELD_OUT)
    marks = [tokenizer.token_to_id(each) for each in (CLS, SEP, PAD)]
    training = Training(begun(start, options.layers), cases, marks, known, options.frozen)
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(options.out / "cross_encoder_tokenizer.json"))
    training.learn_documented(options.documented)
    training.save(options.out / "documented.pt")
    training.learn_questions(options.epochs)
    training.save(options.out / "cross_encoder.pt")
    scores = training.scores()
    (options.out / "held_out.json").write_text(json.dumps(scores), encoding="utf-8")
    as_given = {name: [-float(at) for at in range(len(own))] for name, own in scores.items()}
    _say(f"as given {figures(cases, as_given)}; by the network {figures(cases, scores)}")
    write_network(training.network, options.out / "cross_encoder.onnx")


if __name__ == "__main__":
    main()
