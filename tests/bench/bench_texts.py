"""
Asks for names that stand in files of every kind, and checks that none of them is called absent.

`make bench-texts REPO=<folder or git repository> [ARGS="--count 200 --seed 1 --json"]` takes names from the files of a
tree, as many from each kind of file, those that the index leaves out too, and asks for each as a gap. Truth comes from
the files, not from the index: a name was read in one of them. Invented names show that not everything is found. Give a
git repository: what its files are, git says; of a folder without git, .gitignore does. It ends with exit code 1 if a
name that stands in the tree is absent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cgrag_client.evaluation.mirrors import sources_of
from common.core.contract.evidence import Gap, GapOutcome
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.gaps import Match, read_gap
from retriever.ports import Snapshot
from retriever.usecases.gaps.by_name import NamedFile, NamedSymbol, SymbolInFile
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.gaps.reasons import Reasons
from tests.integration.indexer.indexing import Indexing
from tests.integration.retriever.opened_tree import opened_current

_NAME = re.compile(r"(?<!\w)[A-Za-z_][0-9A-Za-z_]{3,40}(?!\w)")
_INVENTED = ("zorblat", "quuxify", "snargle", "plonkist", "blarghify", "wibbler")
_STEPS = (SymbolInFile(), NamedFile(), NamedSymbol(), Reasons())
_MOST_READ = 20_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A name, the file that it was read in ("" if it is invented), how its gap ended, and how long that took."""

    name: str
    path: str
    match: Match
    seconds: float

    @property
    def kind(self) -> str:
        """Return the ending of the file, its name where it has none."""
        return kind_of(self.path) if self.path else "(invented)"

    @property
    def is_wrong(self) -> bool:
        """Return whether a name that stands in the tree is absent, or one that does not is found."""
        wrong = GapOutcome.ABSENT if self.path else GapOutcome.RESOLVED
        return self.match.outcome == wrong


def kind_of(path: str) -> str:
    """Return what kind of file a path is, by its ending or name."""
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name[1:] else name


def names_of(folder: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """Return (name, path) of so many names, in turns from each kind of file, each name once."""
    chosen = random.Random(seed)
    kinds: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(_files(folder)):
        kinds[kind_of(path.relative_to(folder).as_posix())].append(path)
    for paths in kinds.values():
        chosen.shuffle(paths)
    found: dict[str, str] = {}
    turns = [iter(_names_in(folder, kinds[kind], chosen)) for kind in sorted(kinds)]
    while turns and len(found) < count:
        for turn in list(turns):
            taken = next(((name, path) for name, path in turn if name not in found), None)
            if taken is None:
                turns.remove(turn)
            elif len(found) < count:
                found[taken[0]] = taken[1]
    return list(found.items())


def _files(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each != ".git"]
        yield from (path for name in names if (path := Path(above, name)).is_file() and not path.is_symlink())


def _names_in(folder: Path, paths: Sequence[Path], chosen: random.Random) -> Iterator[tuple[str, str]]:
    """Yield a name of each file in turn, then a second one, and so on for a while."""
    for _ in range(5):
        for path in paths[:200]:
            data = path.read_bytes()
            is_text = b"\0" not in data[:8192] and len(data) <= _MOST_READ
            if is_text and (names := sorted(set(_NAME.findall(data.decode("utf-8", "replace"))))):
                yield chosen.choice(names), path.relative_to(folder).as_posix()


async def ask(snapshot: Snapshot, name: str, path: str) -> Asked:
    """Ask for one name as a gap."""
    begun = time.perf_counter()
    wanted = read_gap(Gap("", "", symbol=name))
    for step in _STEPS:
        match = await step.find(snapshot, wanted, GapTask("", Mode.HYBRID))
        if match is not None:
            return Asked(name, path, match, time.perf_counter() - begun)
    raise AssertionError(f"nothing decides about {name}")


def measure(folder: Path, count: int, seed: int) -> list[Asked]:
    """Index a folder and ask for names that stand in it, and for some that do not."""
    names = names_of(folder, count, seed)
    names += [(f"{word}_{number}_nowhere", "") for word in _INVENTED for number in range(3)]
    with tempfile.TemporaryDirectory(prefix="cgrag-texts-") as data:
        indexing = Indexing(Path(data), children=True)
        indexing.run(folder)
        with closing(opened_current(indexing.data)) as opened:
            opened.snapshot.texts.find("warmed up", limit=1)
            return [asyncio.run(ask(opened.snapshot, name, path)) for name, path in names]


def score(asked: Sequence[Asked]) -> dict[str, object]:
    """Sum up by kind of file."""
    seconds = [each.seconds for each in asked]
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for each in asked:
        kinds[each.kind][each.match.outcome.name] += 1
    return {
        "n": sum(bool(each.path) for each in asked),
        "absent": sum(each.is_wrong for each in asked if each.path),
        "invented_found": sum(each.is_wrong for each in asked if not each.path),
        "latency_ms": {
            "p50": round(statistics.median(seconds) * 1000, 1),
            "p95": round(sorted(seconds)[int(len(seconds) * 0.95)] * 1000, 1),
        },
        "per_kind": {kind: dict(sorted(kinds[kind].items())) for kind in sorted(kinds)},
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Ask for names in files of every kind.")
    parser.add_argument("--repo", required=True, type=Path, help="folder, or git repository, bare or not")
    parser.add_argument("--count", type=int, default=200, help="names that stand in the tree")
    parser.add_argument("--seed", type=int, default=1, help="choice of names")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with sources_of(arguments.repo) as folder:
        asked = measure(folder, arguments.count, arguments.seed)
    for each in asked:
        if each.is_wrong:
            sys.stderr.write(f"{each.name} of {each.path or 'nowhere'}: {each.match.detail}\n")
    result = score(asked)
    sys.stdout.write(f"{json.dumps(result) if arguments.json else _table(result)}\n")
    return int(any(each.is_wrong for each in asked))


def _table(result: Mapping[str, object]) -> str:
    kinds = result["per_kind"]
    assert isinstance(kinds, dict)
    rows = [
        f"{kind:20} " + "  ".join(f"{name}={number}" for name, number in each.items()) for kind, each in kinds.items()
    ]
    told = "  ".join(f"{key}={value}" for key, value in result.items() if key != "per_kind")
    return "\n".join([told, *rows])


def _told(values: Mapping[str, object]) -> str:
    return "  ".join(f"{key}={value}" for key, value in values.items())


if __name__ == "__main__":
    sys.exit(main())
