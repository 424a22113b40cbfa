"""Scores rankings of files and functions against the places that are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag.type.v1 import code_pb2

from cgrag_client.evaluation.output import mean, percentile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgrag.retriever.v1 import retriever_pb2

FUNCTION_KINDS = frozenset({code_pb2.SYMBOL_KIND_FUNCTION, code_pb2.SYMBOL_KIND_METHOD})


@dataclass(frozen=True, slots=True)
class RankedCase:
    """
    One case: the ranked names, best first; the right names; and the time of the call, None if the call failed.

    Functions are named `path::qualified.name`.
    """

    files: tuple[str, ...]
    functions: tuple[str, ...]
    gold_files: tuple[str, ...]
    gold_functions: tuple[str, ...]
    milliseconds: float | None


def file_names(ranked: Iterable[retriever_pb2.RankedFile]) -> tuple[str, ...]:
    """Name ranked files."""
    return tuple(each.path for each in ranked)


def function_names(ranked: Iterable[retriever_pb2.RankedSymbol]) -> tuple[str, ...]:
    """Name ranked functions and methods; classes and modules are left out."""
    refs = (each.symbol for each in ranked)
    return tuple(f"{ref.path}::{ref.qualified_name}" for ref in refs if ref.kind in FUNCTION_KINDS)


def score(outcomes: Sequence[RankedCase]) -> dict[str, object]:
    """
    Sum up outcomes, of which there must be one at least.

    Acc@k is the share of cases with all right places within the first k, recall@k the mean share of a case's right
    places there. `X.__init__` counts as `X`, for one place of the ranking; what is not ranked is a miss. Cases
    without right functions do not count for functions; where none counts, there is no figure.
    """
    files = [(names_of(each.files), names_of(each.gold_files)) for each in outcomes if each.gold_files]
    functions = [(names_of(each.functions), names_of(each.gold_functions)) for each in outcomes if each.gold_functions]
    times = [each.milliseconds for each in outcomes if each.milliseconds is not None]
    return {
        "n": len(outcomes),
        "failed": len(outcomes) - len(times),
        "file_acc": {str(k): _accuracy(files, k) for k in (1, 3, 5, 10)},
        "function_acc": {str(k): _accuracy(functions, k) for k in (1, 5, 10)},
        "file_recall": {str(k): _recall(files, k) for k in (5, 10, 20)},
        "function_recall": {str(k): _recall(functions, k) for k in (10, 20, 50)},
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    }


def names_of(names: Iterable[str]) -> tuple[str, ...]:
    """Count a constructor as its class, and each name once."""
    return tuple(dict.fromkeys(name.removesuffix(".__init__") for name in names))


def as_rows(metrics: Mapping[str, object]) -> list[tuple[str, str, object]]:
    """Return nested metrics as rows (measure, at, value) of a table."""
    return [(name, at, value) for name, part in metrics.items() if isinstance(part, dict) for at, value in part.items()]


def title_of(what: str, metrics: Mapping[str, object]) -> str:
    """Return a table's title with the number of cases, and of those that could not be measured and count as misses."""
    failed = f", {metrics['failed']} of them not measured" if metrics["failed"] else ""
    return f"{what}, n={metrics['n']}{failed}"


def _accuracy(cases: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], k: int) -> float | None:
    return mean([set(gold) <= set(ranked[:k]) for ranked, gold in cases])


def _recall(cases: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], k: int) -> float | None:
    return mean([len(set(gold) & set(ranked[:k])) / len(gold) for ranked, gold in cases])
