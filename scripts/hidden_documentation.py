"""Removes docstrings from the view of an open index, as if the code had none, for scripts/train_describing.py."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms
from indexer.adapters.vectors.core_rows import OPENING_LINES
from indexer.domain.snapshots.lexical import prose_of_code
from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, TEXT, Postings, TermPostings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cgrag_client.evaluation.gaps.truth import Definition
    from indexer.domain.text.embedding import SymbolRow
    from retriever.domain.ranking.corpus import Corpus
    from retriever.ports import Lexical

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Taken:
    """Term counts of a docstring in the two fields that contain it besides its own: body, and text of the body."""

    body: Mapping[str, int]
    text: Mapping[str, int]


class WithoutDocumentation:
    """
    The lexical index of a snapshot without the terms of some docstrings.

    A docstring is part of three fields of its symbol: its own, the body with all lines of the symbol, and the prose of
    the body. The same counts are subtracted from the fields of the file.

    Args:
        hidden: Counts to subtract, by the position of the symbol in the corpus.
    """

    problem = ""

    def __init__(self, whole: Lexical, hidden: Mapping[int, Taken]) -> None:
        self._whole = whole
        self._hidden = hidden
        corpus = whole.corpus()
        lengths = corpus.symbols.lengths.copy()
        for place, taken in hidden.items():
            lengths[place, DOC] = 0
            lengths[place, BODY] -= sum(taken.body.values())
            lengths[place, TEXT] -= sum(taken.text.values())
        self._corpus = replace(corpus, symbols=replace(corpus.symbols, lengths=np.maximum(lengths, 0.0)))
        self._is_hidden = np.zeros(len(lengths), dtype=np.bool_)
        self._is_hidden[list(hidden)] = True

    def corpus(self) -> Corpus:
        """Return the corpus without the hidden documentation."""
        return self._corpus

    def postings(self, terms: Sequence[str]) -> TermPostings:
        """Return the postings without those of hidden documentation."""
        found = self._whole.postings(terms)
        symbols = found.symbols
        less = np.zeros(symbols.counts.shape, dtype=np.int64)
        by_file: dict[tuple[int, int], Counts] = defaultdict(lambda: np.zeros(FIELDS, dtype=np.int64))
        for row in np.flatnonzero(self._is_hidden[symbols.units]).tolist():
            place, term = int(symbols.units[row]), int(symbols.terms[row])
            taken = self._hidden[place]
            less[row, DOC] = symbols.counts[row, DOC]
            less[row, BODY] = taken.body.get(terms[term], 0)
            less[row, TEXT] = taken.text.get(terms[term], 0)
            by_file[int(self._corpus.symbols.file[place]), term] += less[row]
        files = zip(found.files.units.tolist(), found.files.terms.tolist(), strict=True)
        nothing = np.zeros(FIELDS, dtype=np.int64)
        of_files = np.array([by_file.get(key, nothing) for key in files], dtype=np.int64).reshape(-1, FIELDS)
        return TermPostings(_without(found.files, of_files), _without(symbols, less), found.commits)


def hide(whole: Lexical, definitions: Iterable[Definition], source: Path) -> WithoutDocumentation:
    """Hide the docstrings of definitions; the files below `source` must be the indexed ones."""
    symbols, files = whole.corpus().symbols, whole.corpus().files.rows
    file_of = {file.path: place for place, file in enumerate(files)}
    hidden: dict[int, Taken] = {}
    for each in definitions:
        first, last = each.doc_lines
        for place in symbols.of_file(file_of[each.path]) if last and each.path in file_of else ():
            # Functions with the same name, such as a property's getter and setter, are distinguished by their lines.
            inside = symbols.start_line[place] <= first <= symbols.end_line[place]
            if inside and symbols.qualified_names[place] == each.qualified_name:
                lines = (source / each.path).read_text(encoding="utf-8", errors="replace").split("\n")
                text = "\n".join(lines[first - 1 : last])
                hidden[place] = Taken(count_terms(text), count_terms(prose_of_code(text, "python")))
    return WithoutDocumentation(whole, hidden)


def without_documentation(
    symbols: Iterable[SymbolRow], definitions: Iterable[Definition], source: Path
) -> Iterator[SymbolRow]:
    """Yield symbols for embedding as if the definitions had no docstrings: with the first lines of their bodies."""
    by_path: dict[str, list[Definition]] = defaultdict(list)
    for each in definitions:
        if each.doc_lines[1]:
            by_path[each.path].append(each)
    bare = {path: _without_lines(source / path, [each.doc_lines for each in by_path[path]]) for path in by_path}
    for symbol in symbols:
        hidden = any(
            each.qualified_name == symbol.qualified_name and symbol.start_line <= each.doc_lines[0] <= symbol.end_line
            for each in by_path.get(symbol.path, ())
        )
        if symbol.path not in bare or (symbol.docstring and not hidden):
            yield symbol
        else:
            last = min(symbol.end_line, symbol.start_line + OPENING_LINES)
            yield replace(symbol, docstring="", opening="\n".join(bare[symbol.path][symbol.start_line : last]))


def _without_lines(path: Path, spans: Iterable[tuple[int, int]]) -> list[str]:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for first, last in spans:
        indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
        lines[first - 1 : last] = [f"{indent}..."] + [""] * (last - first)
    return lines


def _without(postings: Postings, taken: Counts) -> Postings:
    counts = np.maximum(postings.counts - taken, 0)
    left = counts.any(axis=1)
    return Postings(postings.units[left], postings.terms[left], counts[left].astype(np.uint8))
