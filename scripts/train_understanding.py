"""
Fits the models of intent, slots and language (classifier/data/reading.json), and of the mode (modes.json).

The phrasings are classifier/data/phrasings.jsonl: {text, label, language}, the slots marked in the text as
`[s:Session]` (s subject, o object, v verb, w owner, k kind, c condition, q quantity; r a route and m a message, which
are names and no slots). A label is an intent, or an intent and its choice: `RUN.test`, `RELATION.CALLS`. In a phrasing
of several sentences the one with the slots is the question; the others are training examples of context.

classifier/data/people.jsonl has questions and reports in the words in which people ask a colleague, {text, label,
mode}. Most are based on public issues, but worded anew. They train intents and the mode; vocabulary and slots are
trained on the phrasings alone.

The mode is trained on people.jsonl, classifier/data/examples.jsonl and the files of `--modes`: JSON lines of {question,
mode, repo}. Each case of `--modes` is also scored by models trained without its repository, in three splits. Without
`--modes` the weights of the mode are not changed.

    python -m scripts.train_understanding [--folds 5] [--modes CASES.jsonl ...] [--modes-only] [--dry-run]
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from classifier.adapters.reading import read_concepts, read_models
from classifier.domain.reading.features import intent_features, language_features, mode_features
from classifier.domain.reading.linear import LinearModel
from classifier.domain.reading.tokens import Shape, Token, tokens_of
from classifier.domain.reading.understand import CONTEXT, Reader
from classifier.domain.values import Mode
from classifier.usecases.analyze import analyze
from scripts.fitting import LEAST_SEEN, Tagger, fit_linear
from scripts.phrasings import Sample, read_sample, swapped, told_apart, variants

DATA = Path(__file__).parent.parent / "classifier" / "data"
CONCEPTS = read_concepts()
_COPIES = 2
_SHORT, _OFTEN = 24, 12
"""
Greatest number of tokens of a phrasing that counts as short, a question alone; and least number of occurrences in
longer phrasings for a word to be in the vocabulary.
"""
_TOLD = frozenset({"DIAGNOSIS", "CHANGE", "OTHER"})
"""Labels of phrasings that are not split into question and context: each sentence may be the whole request."""
_TAG_SEEDS = (3, 5)
_TEMPERATURE = 0.73
"""Softmax temperature of the intent model with the least held-out log loss (`--folds`)."""
_SMALLEST = 0.285
_MODE_RIDGE, _MODE_FOLDS, _MODE_SEEDS = 4e-3, 10, (7, 8, 9)
_MODE_WEIGHTS = {Mode.EXPLORATORY.name: 1.5, Mode.CONCEPTUAL.name: 1.4}
"""Weights of the mode with the fewest cases, and of the one most often confused with others; they raise its recall."""


def vocabulary_of(samples: list[Sample]) -> set[str]:
    """
    Return the words outside of slots that occur in several short phrasings, or in many long ones.

    Words of long phrasings are rarely typical of questions, and a known word is no longer treated as a possible name.
    """
    outside: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for sample in samples:
        words = outside[len(sample.tokens) <= _SHORT]
        for token, tag in zip(sample.tokens, sample.tags, strict=True):
            if token.shape is Shape.WORD and tag in {"O", "B-VERB"}:
                words[token.key] += 1
    known = {word for word, count in outside[True].items() if count >= LEAST_SEEN}
    return known | {word for word, count in outside[False].items() if count >= _OFTEN}


def allowed_tags(samples: list[Sample]) -> dict[str, list[str]]:
    """Return the tags that the phrasings of each intent have."""
    found: dict[str, set[str]] = defaultdict(lambda: {"O"})
    for sample in samples:
        found[sample.label.partition(".")[0]].update(sample.tags)
        found[sample.label.partition(".")[0]].update(f"I-{tag[2:]}" for tag in sample.tags if tag.startswith("B-"))
    return {intent: sorted(tags, reverse=True) for intent, tags in found.items()}


def apart(samples: list[Sample]) -> tuple[list[Sample], list[tuple[Token, ...]]]:
    """Return the asking sentence of each phrasing, and all sentences of context."""
    asking: list[Sample] = []
    context: list[tuple[Token, ...]] = []
    for sample in samples:
        is_told = sample.label in _TOLD or sample.language != "ENGLISH"
        own, others = (sample, ()) if is_told else told_apart(sample)
        asking.append(own)
        context += others
    return asking, context


def fit(samples: list[Sample], people: list[Sample]) -> dict[str, Any]:
    """Fit the three models of the phrasings and return what the data file holds."""
    asking, context = apart([*samples, *people])
    vocabulary = vocabulary_of(samples)
    rows, labels, weights = [], [], []
    for sample in [*samples, *people, *(each for each in asking if each not in samples and each not in people)]:
        made = variants(sample)
        for tokens in made:
            rows.append(intent_features(tokens, CONCEPTS, vocabulary))
            labels.append(sample.label)
            weights.append(1.0 / len(made))
    for tokens in context:
        rows.append(intent_features(tokens, CONCEPTS, vocabulary))
        labels.append(CONTEXT)
        weights.append(1.0)
    classes, table = fit_linear(rows, labels, weights)
    allowed = allowed_tags(samples)
    tags = sorted({tag for each in allowed.values() for tag in each})
    short = [each for each in samples if len(each.tokens) <= _SHORT]  # slots of long ones have other contents
    tag_table = fit_tags(short, vocabulary, allowed, tags)
    # Long English phrasings have names, codes and typos, which are not typical of a language.
    spoken = [
        each for each in samples if each.language != "ENGLISH" or (len(each.tokens) <= _SHORT and each.label != "OTHER")
    ]
    share = Counter(sample.language for sample in spoken)
    languages, language_table = fit_linear(
        [language_features(sample.text) for sample in spoken],
        [sample.language for sample in spoken],
        [(60.0 / share[sample.language]) ** 0.5 for sample in spoken],
    )
    openers = Counter(next((t.key for t in s.tokens if t.shape is Shape.WORD), "") for s in asking[: len(samples)])
    return {
        "vocabulary": sorted(vocabulary),
        "openers": sorted(word for word, count in openers.items() if count >= 4 and word in vocabulary),
        "allowed": allowed,
        "intent": {"labels": classes, "temperature": _TEMPERATURE, "weights": _sparse(table)},
        "slot": {"labels": tags, "weights": _sparse(tag_table, smallest=0.08)},
        "language": {"labels": languages, "weights": _sparse(language_table)},
    }


def fit_modes(judged: list[dict[str, str]], samples: list[Sample]) -> dict[str, Any]:
    """Fit the model of the mode on the judged cases and the examples; print held-out figures of the judged cases."""
    people = (DATA / "people.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [*judged, *_read_cases(DATA / "examples.jsonl")]
    cases += [{"question": read_sample(line).text, "mode": json.loads(line)["mode"]} for line in people]
    reader, rows = Reader(read_models(fit(samples, []))), []  # not fitted on the cases: intents would be too sure
    for case in cases:
        text, found = case["question"], analyze(case["question"])
        rows.append(mode_features(tokens_of(text), CONCEPTS, found.anchors, reader.read(text), found.task_type))
    labels = [case["mode"] for case in cases]
    temperature = 1.0
    if judged:
        scores = [_held_out(rows, labels, [case["repo"] for case in judged], seed) for seed in _MODE_SEEDS]
        truth = labels[: len(judged)] * len(scores)
        chances = [_softmax(row, 1.0) for split in scores for row in split]
        losses = {each / 20: _log_loss(chances, truth, each / 20) for each in range(8, 31)}
        temperature = min(losses, key=lambda each: losses[each])
        for split in scores:
            _report_modes([_softmax(row, temperature) for row in split], labels[: len(judged)])
    classes, table = _fit_mode(rows, labels)
    return {"labels": classes, "temperature": temperature, "weights": _sparse(table, smallest=0.02)}


def _fit_mode(rows: list[list[str]], labels: list[str]) -> tuple[list[str], dict[str, list[float]]]:
    return fit_linear(rows, labels, [_MODE_WEIGHTS.get(each, 1.0) for each in labels], ridge=_MODE_RIDGE)


def _held_out(rows: list[list[str]], labels: list[str], repos: list[str], seed: int) -> list[dict[str, float]]:
    """Return the scores of each judged case by a model that was fitted without its repository."""
    names = sorted(set(repos))
    random.Random(seed).shuffle(names)
    fold_of = {name: position % _MODE_FOLDS for position, name in enumerate(names)}
    folds = [fold_of[repo] for repo in repos]
    found: list[dict[str, float]] = [{} for _ in repos]
    for fold in range(_MODE_FOLDS):
        kept = [at for at in range(len(rows)) if at >= len(repos) or folds[at] != fold]
        classes, table = _fit_mode([rows[at] for at in kept], [labels[at] for at in kept])
        model = LinearModel(tuple(classes), {name: tuple(enumerate(row)) for name, row in table.items()})
        for at in (each for each, other in enumerate(folds) if other == fold):
            found[at] = dict(zip(classes, model.scores(rows[at]), strict=True))
    return found


def _softmax(scores: dict[str, float], temperature: float) -> dict[str, float]:
    powers = {name: float(np.exp(score / temperature)) for name, score in scores.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


def _report_modes(chances: list[dict[str, float]], labels: list[str]) -> None:
    """Print accuracy, calibration error over ten bins (Guo et al., ICML 2017), and recall of each mode."""
    guesses = [max(row, key=lambda each: row[each]) for row in chances]
    right = [guess == label for guess, label in zip(guesses, labels, strict=True)]
    gaps = [0.0] * 10
    for row, guess, is_right in zip(chances, guesses, right, strict=True):
        gaps[min(int(row[guess] * 10), 9)] += row[guess] - is_right
    recalls = {
        mode.name: [each for each, label in zip(right, labels, strict=True) if label == mode.name] for mode in Mode
    }
    told = " ".join(f"{name}={sum(found) / max(len(found), 1):.2f}" for name, found in recalls.items())
    print(f"n={len(labels)} accuracy={sum(right) / len(right):.3f} ece={sum(map(abs, gaps)) / len(right):.3f} {told}")


def fit_tags(
    samples: list[Sample], vocabulary: set[str], allowed: dict[str, list[str]], tags: list[str]
) -> dict[str, list[float]]:
    """Return the mean weights of taggers trained in different orders of the phrasings, on which each one depends."""
    tagged = [each for each in samples if each.label != "OTHER"]
    work = [*tagged, *swapped(tagged, _COPIES)]
    table: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(tags))
    for seed in _TAG_SEEDS:
        tagger = Tagger(CONCEPTS, seed)
        tagger.fit(work, vocabulary, allowed)
        for feature, row in tagger.averaged().items():
            table[feature] = [
                known + row.get(tag, 0.0) / len(_TAG_SEEDS) for known, tag in zip(table[feature], tags, strict=True)
            ]
    return table


def _sparse(table: dict[str, list[float]], smallest: float = _SMALLEST) -> dict[str, list[int]]:
    """Return each row as a flat list of pairs: position, weight in hundredths; small weights are left out."""
    found = {}
    for name, row in sorted(table.items()):
        kept = [(at, round(weight * 100)) for at, weight in enumerate(row) if abs(weight) >= smallest]
        if kept:
            found[name] = [each for pair in kept for each in pair]
    return found


def cross_validate(samples: list[Sample], people: list[Sample], folds: int) -> None:
    """Print, for held-out phrasings, the shares of right labels, of right intents, and of right labels with slots."""
    order = list(range(len(samples)))
    random.Random(5).shuffle(order)
    found: list[tuple[bool, bool, bool]] = []
    chances: list[dict[str, float]] = []
    held_out: list[str] = []
    for fold in range(folds):
        kept = [samples[at] for position, at in enumerate(order) if position % folds != fold]
        reader = Reader(read_models(fit(kept, people)))
        for sample in (samples[at] for at in order[fold::folds]):
            label, _, tags = reader.raw(sample.tokens)
            is_right, is_intent = label == sample.label, label.split(".")[0] == sample.label.split(".")[0]
            found.append((is_right, is_intent, is_right and tuple(tags) == sample.tags))
            chances.append(reader.chances(sample.tokens))
            held_out.append(sample.label)
    right, intents, slots = (sum(column) / len(found) for column in zip(*found, strict=True))
    print(f"n={len(found)} label={right:.3f} intent={intents:.3f} label and slots={slots:.3f}")
    for temperature in (0.6, 0.8, 1.0, 1.2):
        print(f"temperature={_TEMPERATURE * temperature:.2f} log loss={_log_loss(chances, held_out, temperature):.3f}")


def _log_loss(chances: list[dict[str, float]], truth: list[str], temperature: float) -> float:
    losses = []
    for row, label in zip(chances, truth, strict=True):
        powers = {name: chance ** (1 / temperature) for name, chance in row.items()}
        losses.append(-np.log(powers.get(label, 0.0) / sum(powers.values()) + 1e-9))
    return float(np.mean(losses))


def main() -> None:
    """Read the phrasings and cases, cross-validate if asked, fit on all, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--modes", nargs="*", type=Path)
    parser.add_argument("--modes-only", action="store_true", help="Keep the other models as they are.")
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args()
    samples, people = _read_samples(DATA / "phrasings.jsonl"), _read_samples(DATA / "people.jsonl")
    if not arguments.modes_only:
        if arguments.folds:
            cross_validate(samples, people, arguments.folds)
        if not arguments.dry_run:
            write(fit(samples, people), DATA / "reading.json")
    if arguments.modes is not None:
        found = fit_modes([case for path in arguments.modes for case in _read_cases(path)], samples)
        if not arguments.dry_run:
            write(found, DATA / "modes.json")


def _read_cases(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _read_samples(path: Path) -> list[Sample]:
    return [read_sample(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(data: dict[str, Any], path: Path) -> None:
    """Write a data file, one feature a line."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
