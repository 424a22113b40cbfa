"""Scores the classifier on labelled questions: accuracy by mode, confusion, calibration, latency of the call."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.type.v1 import question_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import parse_classifier, read_cases
from cgrag_client.evaluation.output import (
    Progress,
    mean,
    percentile,
    print_json,
    print_table,
    require_folder,
    write_gauge,
)
from cgrag_client.evaluation.services import evaluation_client
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgrag_client.connecting.connection import Connection
    from cgrag_client.evaluation.cases import ClassifierCase

MODES = ("CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL")
ECE_BINS = 10
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
    metrics = score(exits.run(_classify_all(labelled, _engine(engine))))
    if as_json:
        print_json(metrics)
    else:
        _print_tables(metrics)
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
        "ece": _calibration_error(outcomes),
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    }


def _mode_figures(mode: str, outcomes: Sequence[ClassifiedCase]) -> dict[str, float | None]:
    labelled = [outcome.given == mode for outcome in outcomes if outcome.wanted == mode]
    given = [outcome.wanted == mode for outcome in outcomes if outcome.given == mode]
    return {"n": len(labelled), "precision": mean(given), "recall": mean(labelled)}


def _calibration_error(outcomes: Sequence[ClassifiedCase]) -> float:
    gaps = [0.0] * ECE_BINS
    for outcome in outcomes:
        gaps[min(int(outcome.confidence * ECE_BINS), ECE_BINS - 1)] += outcome.confidence - (
            outcome.given == outcome.wanted
        )
    return sum(abs(gap) for gap in gaps) / len(outcomes)


def _engine(name: str) -> question_pb2.ClassifierEngine.ValueType:
    engines = {
        "configured": question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED,
        "rules": question_pb2.CLASSIFIER_ENGINE_RULES,
        "model": question_pb2.CLASSIFIER_ENGINE_MODEL,
    }
    if name not in engines:
        raise typer.BadParameter(f"must be one of {', '.join(engines)}")
    return engines[name]


async def _classify_all(
    cases: Sequence[ClassifierCase], engine: question_pb2.ClassifierEngine.ValueType
) -> list[ClassifiedCase]:
    outcomes: list[ClassifiedCase] = []
    progress = Progress(len(cases), "classifier")
    async with evaluation_client(("classifier",)) as client:
        for case in cases:
            outcomes.append(await classify_one(client.connection("classifier"), case, engine))
            progress.step()
    return outcomes


async def classify_one(
    connection: Connection, case: ClassifierCase, engine: question_pb2.ClassifierEngine.ValueType
) -> ClassifiedCase:
    """Classify one question over RPC."""
    stub = classifier_pb2_grpc.ClassifierServiceStub(connection.channel)
    request = classifier_pb2.ClassifyQuestionRequest(question=case.question, engine=engine)
    started = time.perf_counter()
    answer = await connection.call(stub.ClassifyQuestion, request)
    milliseconds = (time.perf_counter() - started) * 1000
    return ClassifiedCase(case.mode, words.mode(answer.mode), answer.confidence, milliseconds)


def _print_tables(metrics: Mapping[str, object]) -> None:
    per_mode, confusion, latency = metrics["per_mode"], metrics["confusion"], metrics["latency_ms"]
    assert isinstance(per_mode, dict)
    assert isinstance(confusion, dict)
    assert isinstance(latency, dict)
    title = f"n={metrics['n']}  accuracy={metrics['accuracy']:.3f}  ece={metrics['ece']:.3f}"
    rows = [
        (mode, per_mode[mode]["n"], per_mode[mode]["precision"], per_mode[mode]["recall"], *confusion[mode].values())
        for mode in MODES
    ]
    print_table(title, ("mode", "n", "precision", "recall", *(f"as {mode.lower()}" for mode in MODES)), rows)
    print_table("milliseconds a call", tuple(latency), [tuple(latency.values())])
