"""
Train the model that finds symbols from descriptions, and print its figures on held-out repositories.

Every documented definition is an example: the beginning of its docstring, paraphrased, is the description, and the
definition is the right answer. Each repository is copied and indexed; for most of the chosen definitions the docstring
is hidden from the search, sixty at a time. Descriptions of absent symbols are taken from other repositories.

The statistics of words (`scripts/learn_wording.py`) are learned from the same copies. Each training repository is
measured with statistics of other repositories, so that the weights do not rely on them too much.

Candidates are scored by a small network, fitted listwise (ListNet's top-one loss, Cao et al., ICML 2007). The certainty
that a right one is among the first three is a logistic model over features of the answer. The floor is the certainty
that a fixed share of the training descriptions of absent symbols reaches.

Usage: python -m scripts.train_describing --work FOLDER (--mirrors FOLDER | --mirror-map FILE) [--out FOLDER]
writes describing.json and wording.json. scripts/describing_repositories.json lists the repositories to train on and
those held out, each with its commit; a missing commit is an error. The work folder keeps copies and indexes between
runs, and measurements until the code that makes them changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cgrag_client.evaluation.mirrors import Mirrors
from common.model.embedders import open_embedder
from common.model.embeddings import EmbeddingConfig, Purpose
from indexer.adapters.vectors.core_rows import read_symbols
from indexer.domain.text.embedding import plan_embedding
from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, open_snapshot
from retriever.ports import VectorHit
from retriever.usecases.searching.describing import measure
from scripts.describing_cases import Case, file_name, hidden_together, make_cases, prepare
from scripts.describing_fit import Example, judged, scored, train
from scripts.hidden_documentation import hide, without_documentation
from scripts.learn_wording import learn_wording, read_described, wording_as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.domain.text.embedding import SymbolRow
    from retriever.domain.describing.model import DescribingModel, Network, Weighting
    from retriever.domain.describing.wording import Wording

T = TypeVar("T")

REPOSITORIES = Path(__file__).with_name("describing_repositories.json")
MEASURING = (
    *("scripts/describing_cases.py", "scripts/hidden_documentation.py", "scripts/learn_wording.py"),
    *(
        "scripts/describing_repositories.json",
        "retriever/usecases/searching/describing.py",
        "retriever/domain/describing/*.py",
    ),
    *("retriever/domain/ranking/bm25f.py", "retriever/domain/ranking/corpus.py", "common/core/words/terms.py"),
)
"""Files that measurements depend on."""
FOLDS = 4
"""Number of parts of the training repositories; each part is measured with the wording learned from the others."""
ABSENT = 50
NEAREST = 50


def main() -> int:
    """Train, write the weights, and print their figures on held-out repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", default="")
    parser.add_argument("--mirror-map", default="")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("retriever/data"))
    arguments = parser.parse_args()
    chosen = json.loads(REPOSITORIES.read_text(encoding="utf-8"))
    trained_on, held_out, embedded = chosen["trained on"], chosen["held out"], chosen["embedded"]
    mirrors = Mirrors.of(arguments.mirrors, arguments.mirror_map)
    commits = sorted((trained_on | held_out).items())
    sources = {name: prepare(mirrors, name, commit, arguments.work) for name, commit in commits}
    cases = {name: make_cases(source, name) for name, source in sources.items()}
    kept = Kept.of(arguments.work / "measured")
    wordings = kept.get("wordings", lambda: learn_wordings(sorted(trained_on), arguments.work / "sources"))
    measuring = Measuring(cases, frozenset(held_out), wordings, arguments.work, kept)
    examples = [each for name in sorted(trained_on) for each in measuring.of_repository(name)]
    nearer = [each for name in embedded if name in trained_on for each in measuring.of_repository(name, Embedding())]
    model = train(examples, nearer, wordings[""])
    (arguments.out / "describing.json").write_text(model_as_text(model), encoding="utf-8")
    (arguments.out / "wording.json").write_text(wording_as_text(model.wording), encoding="utf-8")
    for name in sorted(held_out):
        print_figures(f"{name}, words", measuring.of_repository(name), model.network, model.words, model.floor)
    for name in sorted(held_out.keys() & embedded):
        found = measuring.of_repository(name, Embedding())
        print_figures(f"{name}, vectors", found, model.network, model.vectors, model.floor)
    return 0


@dataclass(frozen=True)
class Kept:
    """Caches slow results in a folder whose name depends on the code that makes them."""

    folder: Path

    @classmethod
    def of(cls, parent: Path) -> Kept:
        """Return the cache for the current code."""
        root, digest = Path(__file__).parents[1], hashlib.sha256()
        for path in (path for pattern in MEASURING for path in sorted(root.glob(pattern))):
            digest.update(path.read_bytes())
        folder = parent / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder)

    def get(self, name: str, make: Callable[[], T]) -> T:
        """Return the cached value of a name; compute it if it is missing."""
        path = self.folder / f"{name}.pickle"
        if not path.exists():
            path.write_bytes(pickle.dumps(make()))
        kept: T = pickle.loads(path.read_bytes())
        return kept


def learn_wordings(names: Sequence[str], sources: Path) -> dict[str, Wording]:
    """Return for each repository the wording learned from the other folds; for "" from all."""
    definitions = {name: list(read_described(sources / file_name(name), name)) for name in names}
    shipped = list(read_described(Path(os.__file__).parent, "the standard library"))

    def of_others(part: Collection[str]) -> Wording:
        others = (each for name in names if name not in part for each in definitions[name])
        return learn_wording([*others, *shipped])

    parts = [names[number::FOLDS] for number in range(FOLDS)]
    return {"": of_others(()), **{name: wording for part in parts for wording in [of_others(part)] for name in part}}


@dataclass(frozen=True)
class Measuring:
    """
    Computes the examples of repositories.

    Args:
        held_out: Held-out repositories: no training repository uses their descriptions as absent ones.
        wordings: Wording for each training repository, learned from others; that of "" is learned from all training
            repositories, for held-out ones.
    """

    cases: Mapping[str, Sequence[Case]]
    held_out: Collection[str]
    wordings: Mapping[str, Wording]
    work: Path
    kept: Kept

    def of_repository(self, name: str, embedding: Embedding | None = None) -> list[Example]:
        """Measure a repository's cases, and some of other repositories as absent ones; with vectors if embedded."""
        others = [
            other for other in self.cases if other != name and (name in self.held_out or other not in self.held_out)
        ]
        foreign = [Case(each.text, frozenset()) for other in others for each in self.cases[other]]
        absent = random.Random(name).sample(foreign, min(ABSENT, len(foreign)))
        wording = self.wordings.get(name, self.wordings[""])
        chosen = [*self.cases[name], *absent]
        return self.kept.get(
            f"{file_name(name)}-{'vectors' if embedding else 'words'}",
            lambda: list(measured(name, chosen, self.work, wording, embedding)),
        )


def measured(
    name: str, cases: Sequence[Case], work: Path, wording: Wording, embedding: Embedding | None
) -> Iterator[Example]:
    """Measure every case of an indexed repository, those without documentation first."""
    folder = SnapshotFolder(work / "data" / "repositories", file_name(name))
    found = folder.read_set(folder.current())
    opened = open_snapshot(found, LayerOpeners(read_statements(), SqliteLexical))
    snapshot, core, source = opened.snapshot, found.layer("core"), work / "sources" / file_name(name)
    assert core
    rows = list(read_symbols(core.folder)) if embedding else []
    corpus = snapshot.lexical.corpus()
    files = corpus.files.rows
    place = [
        (files[file].path, each) for file, each in zip(corpus.symbols.file, corpus.symbols.qualified_names, strict=True)
    ]
    known = frozenset(place)
    for group in hidden_together(cases):
        hidden = [definition for case in group for definition in case.definitions]
        within = replace(snapshot, lexical=hide(snapshot.lexical, hidden, source)) if hidden else snapshot
        nearest = embedding.nearest_of(without_documentation(rows, hidden, source)) if embedding else None
        for case in group:
            if case.right and not case.right & known:  # in a file that is not indexed, or inside of a function
                continue
            result = measure(within, case.text, wording, nearest(case.text) if nearest else None)
            if len(result.places):
                right = np.array([place[row] in case.right for row in result.places])
                yield Example(name, case, result.signs, result.columns, right)
    opened.close()


class Embedding:
    """Embeds the texts that the indexer embeds, each once."""

    def __init__(self) -> None:
        self._embedder = open_embedder(EmbeddingConfig())
        self._known: dict[str, NDArray[np.float32]] = {}

    def nearest_of(self, symbols: Iterable[SymbolRow]) -> Callable[[str], list[VectorHit]]:
        """Return a function that finds the symbols nearest to a text."""
        units = plan_embedding(symbols, (), most=1_000_000).units
        new = list(dict.fromkeys(unit.text for unit in units if unit.text not in self._known))
        if new:
            self._known.update(zip(new, self._embedder.embed(new, Purpose.DOCUMENT), strict=True))
        vectors = np.stack([self._known[unit.text] for unit in units])

        def nearest(text: str) -> list[VectorHit]:
            cosines = vectors @ self._embedder.embed([text], Purpose.QUERY)[0]
            best = np.argsort(-cosines, kind="stable")[:NEAREST]
            return [VectorHit(units[row].row_id, None, float(cosines[row])) for row in best]

        return nearest


def print_figures(
    title: str, examples: Sequence[Example], network: Network, weighting: Weighting, floor: float
) -> None:
    """Print how often a right symbol is in the first three, before and after the floor, and what else passes it."""
    for what, chosen in (
        ("documentation hidden", [each for each in examples if each.case.definitions]),
        ("documentation kept", [each for each in examples if each.case.is_documented]),
        ("absent", [each for each in examples if not each.case.right]),
    ):
        answers = [judged(scored(each, network), weighting) for each in chosen]
        among = np.mean([right for _, right in answers])
        passed = np.mean([certainty >= floor for certainty, _ in answers])
        found = np.mean([right and certainty >= floor for certainty, right in answers])
        print(f"{title:36} {what:20} n={len(answers):4} among 3: {among:.3f} found: {found:.3f} passed: {passed:.3f}")


def model_as_text(model: DescribingModel) -> str:
    """Return what `retriever/data/describing.json` holds: numbers of four digits, inputs of the network one a line."""
    network = model.network
    scale = zip(network.scale.names, network.scale.average.tolist(), network.scale.spread.tolist(), strict=True)
    content = {
        "network": {
            "columns": {name: [round(average, 5), round(spread, 5)] for name, average, spread in scale},
            **{name: np.round(getattr(network, name), 4).tolist() for name in ("hidden", "bias", "units", "direct")},
        },
        "words": weighting_as_json(model.words),
        "vectors": weighting_as_json(model.vectors),
        "floor": round(model.floor, 3),
    }
    return json.dumps(content, separators=(",", ":")).replace("],", "],\n").replace("},", "},\n") + "\n"


def weighting_as_json(weighting: Weighting) -> dict[str, object]:
    """Return a weighting with four digits for each weight."""
    return {
        "columns": {name: round(weight, 4) for name, weight in weighting.columns.items()},
        "signs": {name: round(weight, 4) for name, weight in weighting.signs.items()},
        "bias": round(weighting.bias, 4),
    }


if __name__ == "__main__":
    sys.exit(main())
