"""Features that do not depend on the question: size, kind, language, place in the tree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from common.core.contract.snapshot import FileRole
from retriever.domain.ranking.corpus import BODY, DOC
from retriever.domain.ranking.material import Columns
from retriever.domain.values import SymbolKind, SymbolMark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.ranking.corpus import Corpus, Floats
    from retriever.domain.ranking.material import SignalInputs

_BESIDE = frozenset(FileRole) - {FileRole.CODE, FileRole.STUB, FileRole.CHANGES, FileRole.PROSE}
"""Roles of files outside of the product: documentation, examples, development tools, vendored code."""
_KNOWN: WeakKeyDictionary[Corpus, Columns] = WeakKeyDictionary()
"""Columns of each corpus in use; an entry is dropped with the corpus of a closed snapshot."""


def shape_signal(inputs: SignalInputs) -> Columns:
    """Return columns that describe files and candidates; the weights of the columns are learned."""
    corpus = inputs.material.corpus
    if (known := _KNOWN.get(corpus)) is None:
        known = _KNOWN[corpus] = _shape(corpus)
    return Columns(known.files, {name: values[inputs.candidates] for name, values in known.symbols.items()})


def _shape(corpus: Corpus) -> Columns:
    files, symbols = corpus.files, corpus.symbols
    paths = [row.path for row in files.rows]
    special = _flags(name.startswith("__") for name in symbols.names)
    return Columns(
        files={
            "depth": np.array([path.count("/") for path in paths], dtype=np.float64),
            "package": _packages(corpus),
            "terms": np.log1p(files.lengths[:, BODY]),
            "beside": _flags(row.role in _BESIDE for row in files.rows),
            "language": _shares_of_language(corpus),
            "root": _flags("/" not in path for path in paths),
            "symbols": np.log1p(np.bincount(symbols.file, minlength=len(paths))),
        },
        symbols={
            "method": (symbols.kind == SymbolKind.METHOD).astype(np.float64),
            "lines": np.log1p(symbols.end_line - symbols.start_line),
            "documented": np.log1p(symbols.lengths[:, DOC]),
            "private": _flags(name.startswith("_") for name in symbols.names) - special,
            "special": special,
            "constructor": ((symbols.marks & SymbolMark.CONSTRUCTOR) > 0).astype(np.float64),
        },
    )


def _packages(corpus: Corpus) -> Floats:
    """Return 1 for files whose module stands for its folder, as `__init__.py` does; else 0."""
    found = np.zeros(len(corpus.files))
    found[corpus.symbols.file[(corpus.symbols.marks & SymbolMark.PACKAGE) > 0]] = 1.0
    return found


def _shares_of_language(corpus: Corpus) -> Floats:
    """Return for each file of code the share of files of code in its language."""
    files = corpus.files
    codes = [row.language if is_code else "" for row, is_code in zip(files.rows, files.is_code.tolist(), strict=True)]
    counts = Counter(filter(None, codes))
    total = max(counts.total(), 1)
    return np.array([counts[code] / total for code in codes])


def _flags(values: Iterable[bool]) -> Floats:
    return np.fromiter(values, dtype=np.float64)
