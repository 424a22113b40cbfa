"""Rankings as files in git: what questions find, with recall@5 and MRR; a change of ranking is a diff to review."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cgrag.retriever.v1 import retriever_pb2

GOLDEN = Path(__file__).parents[1] / "golden/ranking"
SHOWN = 5


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question, with the symbols that answer it as `path::qualified name`."""

    question: str
    gold: tuple[str, ...]


def read_questions(name: str, **only: str) -> list[GoldenQuestion]:
    """Read the questions of a file whose other fields are these."""
    rows = [json.loads(line) for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if all(row[key] == value for key, value in only.items())]
    return [GoldenQuestion(row["question"], tuple(row["gold"])) for row in kept]


async def golden_text(stub: Any, repository: str, questions: Sequence[GoldenQuestion], **head: object) -> str:
    """Ask every question through Search and put down what was found, under `head` and the means."""
    found = [await _ranked(stub, repository, question) for question in questions]
    means = {name: _mean(each[name] for each in found) for name in ("recall@5", "mrr")}
    return json.dumps({**head, **means, "questions": found}, indent=1, ensure_ascii=False) + "\n"


def golden_file(name: str, text: str) -> str:
    """Return what the golden file says; with UPDATE_GOLDEN in the environment (`make golden`) write it first."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8") if path.exists() else "run `make golden`"


async def _ranked(stub: Any, repository: str, asked: GoldenQuestion) -> dict[str, Any]:
    answer = await stub.Search(retriever_pb2.SearchRequest(repository=repository, query=asked.question))
    symbols = [f"{each.symbol.path}::{each.symbol.qualified_name}" for each in answer.symbols]
    first = next((rank for rank, name in enumerate(symbols, 1) if name in asked.gold), 0)
    return {
        "question": asked.question,
        "recall@5": round(len(set(asked.gold) & set(symbols[:SHOWN])) / len(asked.gold), 3),
        "mrr": round(1 / first, 3) if first else 0.0,
        "files": [each.path for each in answer.files[:SHOWN]],
        "symbols": symbols[:SHOWN],
    }


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return round(sum(kept) / len(kept), 3)
