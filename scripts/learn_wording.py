"""
Learns which words of descriptions correspond to which words of code, from documented definitions.

For each definition, the words of the first paragraph of its documentation are counted together with the terms of its
name, its signature with decorators, and its body. Every second description is paraphrased first, to resemble people's
questions: so words that rarely occur in code ("supplied", "routine") are counted, too.
"""

from __future__ import annotations

import ast
import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag_client.evaluation.gaps.cases import paraphrase
from cgrag_client.evaluation.gaps.truth import parsed, python_files
from common.core.words.terms import count_terms
from retriever.domain.describing.wording import FIRST, Wording, name_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

SHORTEST, LONGEST = 3, 80
"""Least and most words of a counted description."""
MOST_STEMS = 40
LEAST_ECHOES, LEAST_KINDS, LEAST_HINTS = 15, 20, 12
"""Least number of descriptions with a word for its statistics to be kept: echoes, kinds, hints."""
LEAST_TOGETHER, LEAST_REPOSITORIES = 6, 3
"""Least number of definitions, and of repositories, in which a word and its hint occur together."""
LEAST_STRENGTH, MOST_HINTS = 0.7, 12
PRIOR, HINT_PRIOR = 5.0, 10.0
"""Pseudo-counts: number of average definitions added to the counts, to smooth them."""
LEFT_OUT = frozenset({"test", "tests", "idlelib", "lib2to3", "site-packages"})

Node = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Described:
    """A documented definition: the stems and terms of its description, and those of its code."""

    repository: str
    stems: tuple[str, ...]
    terms: tuple[str, ...]
    name: frozenset[str]
    signature: frozenset[str]
    body: frozenset[str]
    is_class: bool


def read_described(folder: Path, repository: str) -> Iterator[Described]:
    """Read the documented definitions of all Python files below a folder except tests."""
    number = 0
    for path in python_files(folder):
        if LEFT_OUT.isdisjoint(path.relative_to(folder).parts):
            text = path.read_text(encoding="utf-8", errors="replace")
            tree = parsed(text)
            for node in ast.walk(tree) if tree else ():
                description = _description(node)
                if description:
                    assert isinstance(node, Node)
                    said = description if number % 2 else paraphrase(description)
                    yield _described(node, said, text.split("\n"), repository)
                    number += 1


def _description(node: ast.AST) -> str:
    """Return the first paragraph of a documentation string; "" if it is too short or too long to be counted."""
    if not isinstance(node, Node) or node.name.startswith("__"):
        return ""
    description = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    return description if name_stems(description) and SHORTEST <= len(description.split()) <= LONGEST else ""


def _described(node: Node, description: str, lines: Sequence[str], repository: str) -> Described:
    if isinstance(node, ast.ClassDef):
        signature = [ast.unparse(base) for base in node.bases]
        body = " ".join(each.name for each in node.body if isinstance(each, Node))
    else:
        signature = [ast.unparse(node.args), ast.unparse(node.returns) if node.returns else ""]
        signature += [ast.unparse(each) for each in node.decorator_list]
        body = "\n".join(lines[node.body[0].end_lineno : node.end_lineno])
    return Described(
        repository,
        tuple(name_stems(description)),
        tuple(count_terms(description)),
        frozenset(name_stems(node.name)),
        frozenset(count_terms(" ".join(signature))),
        frozenset(count_terms(body)),
        isinstance(node, ast.ClassDef),
    )


def learn_wording(definitions: Sequence[Described]) -> Wording:
    """Count the words of definitions and of their documentation."""
    return Wording(_echoes(definitions), _kinds(definitions), _hints(definitions))


def _echoes(definitions: Sequence[Described]) -> dict[str, float]:
    said: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    for each in definitions:
        said.update(each.terms)
        repeated.update(term for term in each.terms if term in each.name | each.signature | each.body)
    average = repeated.total() / said.total()
    known = [term for term, count in said.items() if count >= LEAST_ECHOES]
    return {term: round((repeated[term] + PRIOR * average) / (said[term] + PRIOR), 2) for term in known}


def _kinds(definitions: Sequence[Described]) -> dict[str, float]:
    said: Counter[str] = Counter()
    of_classes: Counter[str] = Counter()
    for each in definitions:
        found = {*each.stems[:MOST_STEMS], FIRST + each.stems[0]}
        said.update(found)
        of_classes.update(found if each.is_class else ())
    share = sum(each.is_class for each in definitions) / len(definitions)
    known = [word for word, count in said.items() if count >= LEAST_KINDS]
    return {word: round(_log_odds(of_classes[word], said[word], share), 2) for word in known}


def _log_odds(of_classes: int, said: int, share: float) -> float:
    """Return the log odds that a definition is a class, minus those of the average `share` of classes; smoothed."""
    others = said - of_classes
    return math.log((of_classes + PRIOR * share) / share) - math.log((others + PRIOR * (1 - share)) / (1 - share))


def _hints(definitions: Sequence[Described]) -> dict[str, dict[str, float]]:
    said = Counter(stem for each in definitions for stem in set(each.stems[:MOST_STEMS]))
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for side in ("name", "signature"):
        for stem, terms in _ties(definitions, side, said).items():
            for term, strength in sorted(terms.items(), key=lambda item: (-item[1], item[0]))[:MOST_HINTS]:
                found[stem][term] = max(strength, found[stem].get(term, 0.0))
    return found


def _ties(definitions: Sequence[Described], side: str, said: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """Return, by word, the terms of a definition's `side` that occur with it, each with the log of its lift."""
    there: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    repositories: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in definitions:
        terms = getattr(each, side)
        there.update(terms)
        for pair in ((stem, term) for stem in set(each.stems[:MOST_STEMS]) for term in terms if term != stem):
            together[pair] += 1
            repositories[pair].add(each.repository)
    ties: dict[str, dict[str, float]] = defaultdict(dict)
    for (stem, term), count in together.items():
        share = there[term] / len(definitions)
        strength = math.log((count + HINT_PRIOR * share) / (said[stem] + HINT_PRIOR) / share)
        often = count >= LEAST_TOGETHER and len(repositories[stem, term]) >= LEAST_REPOSITORIES
        if often and said[stem] >= LEAST_HINTS and strength > LEAST_STRENGTH:
            ties[stem][term] = round(strength, 2)
    return ties


def wording_as_text(wording: Wording) -> str:
    """Return what `retriever/data/wording.json` holds, words in order."""
    hints = {stem: dict(sorted(terms.items())) for stem, terms in sorted(wording.hints.items())}
    known = {
        "echoes": dict(sorted(wording.echoes.items())),
        "kinds": dict(sorted(wording.kinds.items())),
        "hints": hints,
    }
    return json.dumps(known, ensure_ascii=False, separators=(",", ":")).replace('},"', '},\n"') + "\n"
