"""Makes descriptions of known symbols from the documentation of a repository, for scripts/train_describing.py."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag_client.evaluation.gaps.cases import paraphrase
from cgrag_client.evaluation.gaps.truth import VENDORED, read_truth
from cgrag_client.evaluation.mirrors import GIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cgrag_client.evaluation.gaps.truth import Definition
    from cgrag_client.evaluation.mirrors import Mirrors

ASKED, SHORTENED, DOCUMENTED = 120, 40, 50
"""
Descriptions for each repository: `ASKED` chosen and reworded as in the evaluation of gaps, `SHORTENED` of any symbols,
reworded or shortened, and `DOCUMENTED` of symbols whose documentation is not hidden from the search.
"""
HIDDEN_TOGETHER = 60
"""Number of symbols whose documentation is hidden at once; the default of `cgrag eval gaps --together`."""
LEAST_WORDS, LEAST_ASKED_WORDS = 6, 7
DROPPED_WORDS = 0.12


@dataclass(frozen=True)
class Case:
    """
    A description of a symbol.

    Args:
        right: Right answers as (path, qualified name); empty if the symbol is in another repository.
        definitions: The symbol's definitions if their documentation is to be hidden from the search; else empty.
    """

    text: str
    right: frozenset[tuple[str, str]]
    definitions: tuple[Definition, ...] = ()

    @property
    def is_documented(self) -> bool:
        """Whether the symbol keeps its documentation."""
        return bool(self.right) and not self.definitions


def prepare(mirrors: Mirrors, name: str, commit: str, work: Path) -> Path:
    """Copy the Python files of a repository without vendored code, index the copy, and return its folder."""
    source, done = work / "sources" / file_name(name), work / "done" / f"{file_name(name)}-{commit}"
    if not done.exists():
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        archive = [GIT, "-C", str(mirrors.find(name)), "archive", commit, "--", "*.py"]
        files = subprocess.run(archive, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x", "-C", str(source)], input=files, check=True)
        for folder in sorted(source.rglob("*"), reverse=True):
            if folder.is_dir() and folder.name in VENDORED:
                shutil.rmtree(folder)
        environ = {
            **os.environ, "CGRAG_DATA_DIR": str(work / "data"), "CGRAG_INDEXER_ALLOWED_ROOTS": str(source.resolve())
        }  # fmt: skip
        command = [sys.executable, "-m", "indexer.worker", "index", str(source), "--repository", file_name(name)]
        subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)
        done.parent.mkdir(parents=True, exist_ok=True)
        done.touch()
    return source


def make_cases(source: Path, seed: str) -> list[Case]:
    """Choose documented definitions; each description is its documentation in other words, or shortened."""
    definitions = read_truth(source).definitions
    chance = random.Random(seed)
    same: dict[str, list[tuple[str, str]]] = defaultdict(list)
    at: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    for each in definitions:
        same[each.docstring].append((each.path, each.qualified_name))
        at[each.path, each.qualified_name].append(each)
    told = [each for each in definitions if not each.is_test and not each.name.startswith("__")]
    told = [each for each in told if len(each.docstring.split()) >= LEAST_WORDS]
    asked = [each for each in told if not each.is_class and each.name not in each.docstring]
    asked = [each for each in asked if len(each.docstring.split()) >= LEAST_ASKED_WORDS]

    def case(definition: Definition, text: str, *, is_hidden: bool) -> Case:
        hidden = at[definition.path, definition.qualified_name] if is_hidden else ()
        return Case(text, frozenset(same[definition.docstring]), tuple(hidden))

    def reworded(documentation: str) -> str:
        return paraphrase(documentation) if chance.random() < 0.5 else shortened(documentation, chance)

    cases = [
        case(each, paraphrase(each.docstring), is_hidden=True) for each in chance.sample(asked, min(ASKED, len(asked)))
    ]
    for most, is_hidden in ((SHORTENED, True), (DOCUMENTED, False)):
        chosen = chance.sample(told, min(most, len(told)))
        cases += [case(each, reworded(each.docstring), is_hidden=is_hidden) for each in chosen]
    return cases


def hidden_together(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Yield cases whose documentation is hidden in groups of HIDDEN_TOGETHER, then all others in one group."""
    hidden = [each for each in cases if each.definitions]
    for first in range(0, len(hidden), HIDDEN_TOGETHER):
        yield hidden[first : first + HIDDEN_TOGETHER]
    yield [each for each in cases if not each.definitions]


def shortened(documentation: str, chance: random.Random) -> str:
    """Return the first one to three sentences, with some words dropped at random."""
    plain = re.sub(r":\w+:`~?([^`]*)`|[`*]+", lambda match: match.group(1) or "", documentation)
    sentences = re.split(r"(?<=[.!?])\s+", plain)[: chance.choice((1, 1, 2, 3))]
    words = [word for word in " ".join(sentences).rstrip(". ").split() if chance.random() > DROPPED_WORDS]
    return " ".join(words)


def file_name(name: str) -> str:
    """Return a repository's name in a form that is one component of a path."""
    return name.replace("/", "+")
