"""Makes descriptions whose symbols are known, of the documentation of a repository, for scripts/train_describing.py."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag_client.evaluation.gap_cases import paraphrase
from cgrag_client.evaluation.gap_truth import VENDORED, read_truth
from cgrag_client.evaluation.gaps import without_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOST_CASES = 700
LEAST_WORDS = 6
DROPPED_WORDS = 0.12


@dataclass(frozen=True)
class Case:
    """A description with the places (path, qualified name) that are right; none if it is of another repository."""

    text: str
    right: frozenset[tuple[str, str]]
    is_documented: bool = False


def prepare(mirror: Path, name: str, work: Path) -> list[Case]:
    """Copy a repository, take half of the chosen documentation out, index the copy, and return its cases."""
    kept = work / "cases" / f"{name}.json"
    if not kept.exists():
        source = work / "sources" / name
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        archive = subprocess.run(
            ["git", "--git-dir", str(mirror), "archive", "HEAD", "--", "*.py"], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "x", "-C", str(source)], input=archive, check=True)
        for folder in sorted(source.rglob("*"), reverse=True):
            if folder.is_dir() and folder.name in VENDORED:
                shutil.rmtree(folder)
        cases = take_out(source, name)
        environ = {**os.environ, "CGRAG_DATA_DIR": str(work / "data")}
        command = [sys.executable, "-m", "indexer.worker", "index", str(source), "--repository", name]
        subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(cases), encoding="utf-8")
    return [read_case(each) for each in json.loads(kept.read_text(encoding="utf-8"))]


def read_case(row: Mapping[str, object]) -> Case:
    """Read a case as `prepare` keeps it."""
    places = row["right"]
    assert isinstance(places, list)
    return Case(str(row["text"]), frozenset((path, name) for path, name in places), bool(row["is_documented"]))


def take_out(source: Path, seed: str) -> list[dict[str, object]]:
    """Choose definitions and take the documentation of every other one out of the copy."""
    definitions = read_truth(source).definitions
    chance = random.Random(seed)
    told = [each for each in definitions if not each.is_test and len(each.docstring.split()) >= LEAST_WORDS]
    told = [each for each in told if not each.name.startswith("__")]
    same: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in definitions:
        same[each.docstring].append((each.path, each.qualified_name))
    doomed: dict[str, list[tuple[int, int]]] = defaultdict(list)
    cases: list[dict[str, object]] = []
    for number, each in enumerate(chance.sample(told, max(min(len(told), 60), min(MOST_CASES, len(told) * 2 // 3)))):
        if number % 2 == 0:
            doomed[each.path].append(each.doc_lines)
        text = paraphrase(each.docstring) if chance.random() < 0.5 else shortened(each.docstring, chance)
        cases.append({"text": text, "right": same[each.docstring], "is_documented": number % 2 == 1})
    for path, spans in doomed.items():
        without_lines(source / path, spans)
    return cases


def shortened(documentation: str, chance: random.Random) -> str:
    """Say less: the first sentence or three, without some of the words."""
    plain = re.sub(r":\w+:`~?([^`]*)`|[`*]+", lambda match: match.group(1) or "", documentation)
    sentences = re.split(r"(?<=[.!?])\s+", plain)[: chance.choice((1, 1, 2, 3))]
    words = [word for word in " ".join(sentences).rstrip(". ").split() if chance.random() > DROPPED_WORDS]
    return " ".join(words)


def file_name(name: str) -> str:
    """Return a repository's name as one part of a path."""
    return name.replace("/", "+")
