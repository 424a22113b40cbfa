"""Scores the classifier on labelled questions: accuracy by mode, confusion, calibration, latency of the call."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.type.v1 import question_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import parse_classifier, read_cases
from cgrag_client.evaluation.output import calibration_error, mean, percentile, report, require_folder, write_gauge
from cgrag_client.evaluation.running import classify, classify_each
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgrag_client.connecting.connection import Connection
    from cgrag_client.evaluation.cases import ClassifierCase
    from cgrag_client.evaluation.output import TitledTable

MODES = ("CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL")
ACCURACY = "cgrag_classification_accuracy_ratio"


@dataclass(frozen=True, slots=True)
class ClassifiedCase:
    """One question: its label, the predicted mode with its confidence, and the time of the call."""

    wanted: str
    given: str
    confidence: float
    milliseconds: float


def command(
    cases: Annotated[Path, file_option("JSON lines of {question, mode}.")],
    engine: Annotated[str, typer.Option(help="rules, model, or configured.")] = "configured",
    as_json: options.Json = False,
    prometheus: Annotated[Path | None, file_option(f"File to write {ACCURACY} into, for the alert on it.")] = None,
) -> None:
    """Score the classifier on labelled questions."""
    labelled = read_cases(cases, parse_classifier)
    if prometheus is not None:
        require_folder("--prometheus", prometheus)
    classified = partial(classify_one, engine=_engine(engine))
    metrics = score(exits.run(classify_each("classifier", labelled, classified)))
    report(metrics, _tables(metrics), as_json=as_json)
    if prometheus is not None:
        write_accuracy(prometheus, metrics)


def write_accuracy(path: Path, metrics: Mapping[str, object]) -> None:
    """Write what an alert watches."""
    accuracy = metrics["accuracy"]
    assert isinstance(accuracy, float)
    write_gauge(path, ACCURACY, "Share of labelled questions whose mode the classifier found.", accuracy)


def score(outcomes: Sequence[ClassifiedCase]) -> dict[str, object]:
    """
    Sum up outcomes, of which there must be one at least.

    `ece` is the expected calibration error over ten equal bins of confidence (Guo et al., ICML 2017). `per_mode` has
    precision, recall and the number of labels; `confusion` counts {label: {given: n}}.
    """
    right = [outcome for outcome in outcomes if outcome.given == outcome.wanted]
    times = [outcome.milliseconds for outcome in outcomes]
    return {
        "n": len(outcomes),
        "accuracy": len(right) / len(outcomes),
        "per_mode": {mode: _mode_figures(mode, outcomes) for mode in MODES},
        "confusion": {
            mode: {other: sum(o.wanted == mode and o.given == other for o in outcomes) for other in MODES}
            for mode in MODES
        },
        "ece": calibration_error([(each.confidence, each.given == each.wanted) for each in outcomes]),
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    }


def _mode_figures(mode: str, outcomes: Sequence[ClassifiedCase]) -> dict[str, float | None]:
    labelled = [outcome.given == mode for outcome in outcomes if outcome.wanted == mode]
    given = [outcome.wanted == mode for outcome in outcomes if outcome.given == mode]
    return {"n": len(labelled), "precision": mean(given), "recall": mean(labelled)}


def _engine(name: str) -> question_pb2.ClassifierEngine.ValueType:
    engines = {
        "configured": question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED,
        "rules": question_pb2.CLASSIFIER_ENGINE_RULES,
        "model": question_pb2.CLASSIFIER_ENGINE_MODEL,
    }
    if name not in engines:
        raise typer.BadParameter(f"must be one of {', '.join(engines)}")
    return engines[name]


async def classify_one(
    connection: Connection, case: ClassifierCase, engine: question_pb2.ClassifierEngine.ValueType
) -> ClassifiedCase:
    """Classify one question over RPC."""
    started = time.perf_counter()
    answer = await classify(connection, case.question, engine)
    milliseconds = (time.perf_counter() - started) * 1000
    return ClassifiedCase(case.mode, words.mode(answer.mode), answer.confidence, milliseconds)


def _tables(metrics: Mapping[str, object]) -> Iterator[TitledTable]:
    per_mode, confusion, latency = metrics["per_mode"], metrics["confusion"], metrics["latency_ms"]
    assert isinstance(per_mode, dict)
    assert isinstance(confusion, dict)
    assert isinstance(latency, dict)
    title = f"n={metrics['n']}  accuracy={metrics['accuracy']:.3f}  ece={metrics['ece']:.3f}"
    rows = [
        (mode, per_mode[mode]["n"], per_mode[mode]["precision"], per_mode[mode]["recall"], *confusion[mode].values())
        for mode in MODES
    ]
    yield title, ("mode", "n", "precision", "recall", *(f"as {mode.lower()}" for mode in MODES)), rows
    yield "milliseconds a call", tuple(latency), [tuple(latency.values())]
