"""Hidden documentation is as good as none: what is measured of a description is what the index without it gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cgrag_client.evaluation.gaps.measure import without_lines
from cgrag_client.evaluation.gaps.truth import read_truth
from indexer.adapters.vectors.core_rows import read_symbols
from indexer.domain.text.embedding import plan_embedding
from retriever.adapters.learned import read_describing_model
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.usecases.searching.describing import measure
from scripts.hidden_documentation import hide, without_documentation
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.opened_tree import opened_current

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.domain.text.embedding import SymbolRow

_FILES = {
    "shop/cart.py": '''
class Cart:
    """What a customer "wants" to buy, line by line."""

    @property
    def total(self):
        """Sum of the prices of all lines,

        with the reduction of 'members' taken off.
        """
        return sum(line.price for line in self.lines)  # prices are whole cents

    @total.setter
    def total(self, price):
        self.fixed = price

    def clear(self):
        """Forget all lines and reductions of the customer."""
        self.lines = []
''',
    "shop/till.py": '''
def charge(cart, card):
    """Take the price of all lines in a cart off the card of the customer."""
    card.take(cart.total)
''',
}
_HIDDEN = {"Cart.total", "Cart", "charge"}
_ASKED = "gives back the sum of prices of all lines for members, taken off the card of the customer"


def test_what_is_hidden_is_measured_as_if_it_were_not_there(tmp_path: Path) -> None:
    """Every column of every candidate, for documentation in functions, classes and properties, over several lines."""
    whole = write_tree(tmp_path / "whole", _FILES)
    bare = write_tree(tmp_path / "bare", _FILES)
    definitions = [each for each in read_truth(whole).definitions if each.qualified_name in _HIDDEN]
    for each in definitions:
        if each.docstring:
            without_lines(bare / each.path, [each.doc_lines])
    wording = read_describing_model().wording

    full, expected = _indexed(tmp_path, whole), _indexed(tmp_path, bare)
    lexical = hide(full.snapshot.lexical, definitions, whole)
    told = measure(full.snapshot, _ASKED, wording)
    hidden = measure(replace(full.snapshot, lexical=lexical), _ASKED, wording)
    right = measure(expected.snapshot, _ASKED, wording)

    assert hidden.places.tolist() == right.places.tolist()
    for name, values in right.columns.items():
        np.testing.assert_allclose(hidden.columns[name], values, err_msg=name)
    assert any(not np.array_equal(told.columns[name], right.columns[name]) for name in ("said in doc", "score"))
    full.close()
    expected.close()


def test_what_is_hidden_is_embedded_as_if_it_were_not_there(tmp_path: Path) -> None:
    """Symbols get the same texts for their vectors as in the index without their documentation, or none likewise."""
    whole = write_tree(tmp_path / "whole", _FILES)
    bare = write_tree(tmp_path / "bare", _FILES)
    definitions = [each for each in read_truth(whole).definitions if each.qualified_name in _HIDDEN]
    for each in definitions:
        if each.docstring:
            without_lines(bare / each.path, [each.doc_lines])

    hidden = without_documentation(_embedded(tmp_path, whole), definitions, whole)
    right = _embedded(tmp_path, bare)

    assert [unit.text for unit in plan_embedding(hidden, (), most=99).units] == [
        unit.text for unit in plan_embedding(right, (), most=99).units
    ]


def _embedded(tmp_path: Path, source: Path) -> list[SymbolRow]:
    indexing = Indexing(tmp_path / "data")
    indexing.run(source, name=source.name)
    folder = SnapshotFolder(indexing.data / "repositories", source.name)
    core = folder.read_set(folder.current()).layer("core")
    assert core
    return list(read_symbols(core.folder))


def _indexed(tmp_path: Path, source: Path) -> OpenSnapshot:
    indexing = Indexing(tmp_path / "data")
    indexing.run(source, name=source.name)
    return opened_current(indexing.data, source.name)
