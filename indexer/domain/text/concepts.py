"""
Concepts of files: the terms that distinguish a file from the others of its repository, in readable form.

Terms and their counts are those of the lexical index. A whole identifier of two or three words (`QueryCompiler`) is a
term of its own and gives a phrase ("query compiler").
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import STOP_WORDS, split_identifier, stem, words
from indexer.domain.snapshots.lexical import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.domain.snapshots.core import IndexedFile

MAX_CONCEPTS = 8
"""Greatest number of concepts of one file."""

_CANDIDATES = 40
"""Number of best terms of a file from which concepts are chosen; some have no readable form or repeat a better one."""
_LONGEST_PHRASE = 3
"""Greatest number of words of an identifier that becomes a phrase."""
_FEW = 3
"""If names and path of a code file give fewer readable terms, docstrings are used as well."""
_MAX_PROSE_CHARACTERS = 1 << 13
"""Readable forms are searched in this many first characters of a prose file."""
_UNTELLING = STOP_WORDS | {"init", "test", "tests"}
_CODE_WEIGHTS = np.array([{Field.NAME: 2, Field.SCOPE: 1, Field.DOC: 1}.get(field, 0) for field in Field])
_PROSE_WEIGHTS = np.array([{Field.SCOPE: 1, Field.BODY: 1}.get(field, 0) for field in Field])
"""Weight of an occurrence of a term, by field."""


def find_concepts(files: Sequence[IndexedFile]) -> list[tuple[str, ...]]:
    """
    Return the concepts of each file, best first, at most `MAX_CONCEPTS`.

    The weight of a term is (1 + ln tf) ln(1 + N / df), after Salton and Buckley (Information Processing & Management
    1988). tf is its count in the file. In code, an occurrence in the name of a symbol counts twice, one in enclosing
    names, path and docstrings once; in prose, text and path count. df is the number of the N files with the term in
    these fields. Terms with a tf of 1 are used only if all terms of the file have it. Of equal weights, longer terms
    come first, then alphabetical order.

    A term is left out if all its words are in a concept of greater weight, or if it has no readable form. Readable
    forms are words of path and text in prose; in code, of path and public names, and of docstrings where path and names
    give fewer than three forms.
    """
    return [tuple(_readable(file, terms)) for file, terms in zip(files, _best_terms(files), strict=True)]


def _best_terms(files: Sequence[IndexedFile]) -> Iterator[list[str]]:
    """Yield for each file its at most 40 terms of the greatest weight, best first."""
    vocabulary: dict[str, int] = {}
    numbers, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for file in files:
        kept, tf = _frequencies(file)
        terms = file.lexical.vocabulary
        numbered = (vocabulary.setdefault(terms[place], len(vocabulary)) for place in kept.tolist())
        numbers.append(np.fromiter(numbered, np.int64, len(kept)))
        counts.append(tf)
    names = sorted(vocabulary, key=lambda name: (-len(name), name))
    order = np.empty(len(names), np.int64)
    order[[vocabulary[name] for name in names]] = np.arange(len(names))
    term = order[np.concatenate(numbers)]
    idf = np.log1p(len(files) / np.maximum(np.bincount(term, minlength=len(names)), 1))
    # Rounded, since the last digits of logarithms differ between machines, so that equal weights would differ.
    weight = np.round((1 + np.log(np.concatenate(counts))) * idf[term], 9)
    owner = np.repeat(np.arange(len(files)), [len(each) for each in numbers[1:]])
    ordered = term[np.lexsort((term, -weight, owner))]
    ends = np.searchsorted(owner, np.arange(len(files) + 1))
    for start, end in pairwise(ends.tolist()):
        yield [names[each] for each in ordered[start : min(end, start + _CANDIDATES)].tolist()]


def _frequencies(file: IndexedFile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions, in the file's vocabulary, of the terms to consider, and their frequencies (tf)."""
    table = np.frombuffer(file.lexical.file_counts, np.uint8).reshape(-1, len(Field))
    tf = table @ (_CODE_WEIGHTS if file.parsed else _PROSE_WEIGHTS)
    kept = np.flatnonzero(tf >= max(1, min(2, tf.max(initial=0))))
    return kept, tf[kept]


def _readable(file: IndexedFile, terms: Sequence[str]) -> Iterator[str]:
    """Yield the readable forms of the best terms, without redundant ones."""
    forms = _forms_of(file, frozenset(terms))
    said: list[frozenset[str]] = []
    for term in terms:
        parts = frozenset(stem(word) for word in forms.get(term, "").split())
        if parts and not any(parts <= each for each in said):
            said.append(parts)
            yield forms[term]
            if len(said) == MAX_CONCEPTS:
                return


def _forms_of(file: IndexedFile, terms: frozenset[str]) -> Mapping[str, str]:
    """Return the most frequent form of each term, ties by length, then alphabet."""
    path = file.source.path.rpartition(".")[0] or file.source.path
    if file.parsed is None:
        return _most_frequent([path, file.source.text[:_MAX_PROSE_CHARACTERS]], terms)
    symbols = [each for each in file.parsed.symbols if each.is_public]
    forms = _most_frequent([path, *(each.name for each in symbols[1:])], terms)
    return forms if len(forms) >= _FEW else _most_frequent([each.docstring for each in symbols], terms) | forms


def _most_frequent(texts: Iterable[str], terms: frozenset[str]) -> dict[str, str]:
    seen: dict[tuple[str, str], int] = {}
    for word, count in Counter(words("\n".join(texts))).items():
        for each in _forms(word):
            if each[0] in terms:
                seen[each] = seen.get(each, 0) + count
    best: dict[str, str] = {}
    for (term, form), _ in sorted(seen.items(), key=lambda each: (-each[1], len(each[0][1]), each[0])):
        best.setdefault(term, form)
    return best


@lru_cache(maxsize=1 << 16)
def _forms(word: str) -> tuple[tuple[str, str], ...]:
    """Return pairs (term as by `common.core.words.terms.terms_of`, readable form) of a word."""
    parts = [part.lower() for part in split_identifier(word)]
    single = [(stem(part), part) for part in parts if len(part) > 1 and part.isalpha() and part not in _UNTELLING]
    if 1 < len(single) == len(parts) <= _LONGEST_PHRASE:
        single.append(("".join(parts), " ".join(parts)))
    return tuple(single)
