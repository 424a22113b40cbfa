"""
Gathers what `scripts/cross_encoder_fit.py` learns from: questions with the source that the search finds for them.

For each question the units of source that the boosted trees rate best, as words, with their share of the lines that a
good answer cites; and of the same repositories the documented functions, as documentation and body apart. Cases and
folder are those of `scripts/train_packing.py`.

Usage: python -m scripts.cross_encoder_gather CASES.jsonl ... --data FOLDER --out PAIRS.jsonl.gz
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
from collections import defaultdict
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cgrag_client.evaluation.cases import parse_lines, read_cases
from cgrag_client.evaluation.mirrors import index_name
from retriever.adapters.learned import read_worth_model
from retriever.domain.packing.pairing import words_of_question, words_of_source, words_of_unit
from retriever.domain.packing.passages import documentation_of
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.evidence.rating import READ, read_units
from scripts.train_packing import gather, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.ports import Snapshot
    from scripts.train_packing import Example

_LEAST_WORDS = 4
_LINES = (3, 150)
_BODY = 3_000
"""Characters of a documented body that are read."""


def main() -> None:
    """Read the cases, search, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    asyncio.run(write(options.cases, options.data, options.out))


async def write(paths: list[Path], data: Path, out: Path) -> None:
    """Write one JSON object a line: units first, then the questions that name them by position, then documentation."""
    cases = [each for path in paths for each in read_cases(path, parse_lines)]
    with gzip.open(out, "wt", encoding="utf-8") as file:
        async with AsyncExitStack() as stack:
            store = open_store(data, stack)
            by_place: dict[tuple[str, str], list[Example]] = defaultdict(list)
            for each in await gather(cases, store):
                by_place[each.case.place].append(each)
            written: dict[tuple[str, str, int, int], int] = {}
            for (repository, commit), examples in by_place.items():
                async with store.open(index_name(repository, commit), "") as snapshot:
                    for row in (*_questions(snapshot, examples, written), *_documented(snapshot, repository)):
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _questions(
    snapshot: Snapshot, examples: list[Example], written: dict[tuple[str, str, int, int], int]
) -> Iterator[dict[str, Any]]:
    model = read_worth_model()
    for each in examples:
        if not each.units:
            continue
        first = np.argsort(-model.of_units(each.inputs), kind="stable")[:READ]
        by_text, _ = read_units(snapshot, each.sought, [each.units[at] for at in first.tolist()])
        worths = model.of_read(np.hstack((each.inputs[first], by_text)))
        ordered = first[np.argsort(-worths, kind="stable")].tolist()
        positions: list[int] = []
        for unit in (each.units[at] for at in ordered):
            place = (each.case.repo, unit.span.path, unit.span.start_line, unit.span.end_line)
            if place not in written:
                written[place] = len(written)
                yield {"unit": words_of_unit(unit, read_lines(snapshot, unit.span))}
            positions.append(written[place])
        yield {
            "question": words_of_question(each.case.question),
            "id": each.case.id,
            "repo": each.case.repo,
            "units": positions,
            "places": [[(span := each.units[at].span).path, span.start_line, span.end_line] for at in ordered],
            "shares": [round(float(each.shares[at]), 4) for at in ordered],
        }


def _documented(snapshot: Snapshot, repository: str) -> Iterator[dict[str, Any]]:
    for file in snapshot.files.all():
        if not file.parsed or file.is_test:
            continue
        lines = snapshot.files.text(file.path).split("\n")
        for symbol in snapshot.symbols.in_file(file.path):
            count = symbol.end_line - symbol.start_line + 1
            if symbol.is_aside or not _LINES[0] <= count <= _LINES[1] or len(symbol.docstring.split()) < _LEAST_WORDS:
                continue
            own = lines[symbol.start_line - 1 : symbol.end_line]
            spoken = set(documentation_of(own, symbol.docstring))
            body = "\n".join(line for at, line in enumerate(own) if at not in spoken)
            name = f"{' '.join(file.path.split('/')[-3:])} {symbol.qualified_name}"
            yield {
                "documented": [
                    repository,
                    words_of_question(symbol.docstring[:240]),
                    words_of_source(f"{name} {body[:_BODY]}"),
                ]
            }


if __name__ == "__main__":
    main()
