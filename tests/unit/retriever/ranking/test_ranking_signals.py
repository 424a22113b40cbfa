"""Signals on a small corpus made by hand, and the order that comes of them."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.snapshot import FileRole
from common.core.words.terms import count_terms
from retriever.domain.ranking.bm25f import Scorer
from retriever.domain.ranking.corpus import (
    BODY,
    FIELDS,
    NAME,
    CommitColumns,
    Corpus,
    FileColumns,
    Postings,
    SymbolColumns,
    TermPostings,
)
from retriever.domain.ranking.features import Features, Mentioned, extract
from retriever.domain.ranking.links import Links
from retriever.domain.ranking.material import Material
from retriever.domain.ranking.model import Fusion, Weights
from retriever.domain.ranking.query import Query, analyse
from retriever.domain.ranking.rank import Placed, first_scores, rank_files, rank_symbols, second_scores
from retriever.domain.ranking.second_stage import SIGNAL
from retriever.domain.values import File

FILES = ("shop/cart.py", "shop/payment.py", "shop/stock.py", "tests/test_cart.py")
SYMBOLS = (
    # id, file, kind, parent, lines, qualified name, body
    (11, 0, 1, -1, (1, 3), "", "cart module"),
    (12, 0, 2, 0, (4, 20), "Cart", "cart items"),
    (13, 0, 4, 1, (6, 9), "Cart.add", "item quantity"),
    (14, 0, 4, 1, (11, 14), "Cart.clear", "item quantity"),
    (21, 1, 3, -1, (1, 9), "charge", "card declined by provider"),
    (31, 2, 3, -1, (1, 9), "reserve", "warehouse shelf"),
    (41, 3, 3, -1, (1, 9), "test_add", "item quantity cart"),
)
MESSAGES = ("Refill shelf", "Round totals")
"""Of two commits: the first touched the stock, the second cart and payment."""


def make_corpus() -> Corpus:
    """Lay the tables out as columns."""
    rows = tuple(
        File(n, path, "python", path.removesuffix(".py").replace("/", "."), 20, path.startswith("tests"))
        for n, path in enumerate(FILES, 1)
    )
    lengths = np.array([_lengths(symbol) for symbol in SYMBOLS])
    names = tuple(qualified.rpartition(".")[2] for *_, qualified, _ in SYMBOLS)
    spans = np.array([symbol[4] for symbol in SYMBOLS])
    of_files = np.array([lengths[[s[1] == n for s in SYMBOLS]].sum(axis=0) for n in range(len(FILES))])
    columns = (np.array([symbol[n] for symbol in SYMBOLS]) for n in range(4))
    ids, file, kind, parent = columns
    symbols = SymbolColumns(
        ids, file, kind, parent, spans[:, 0], spans[:, 1], 0 * ids, names, tuple(s[5] for s in SYMBOLS), lengths
    )
    files = FileColumns(rows, of_files, np.zeros(4), np.array([9.0, 1.0, 1.0, 1.0]))
    return Corpus(files, symbols, CommitColumns(np.array([[2.0], [2.0]]), np.array([0, 1, 1]), np.array([2, 0, 1])))


def _counts(symbol: tuple[object, ...]) -> dict[int, dict[str, int]]:
    return {NAME: count_terms(str(symbol[5]).rpartition(".")[2]), BODY: count_terms(str(symbol[6]))}


def _lengths(symbol: tuple[object, ...]) -> list[float]:
    counts = _counts(symbol)
    return [float(sum(counts.get(field, {}).values())) for field in range(FIELDS)]


def postings_of(query: Query) -> TermPostings:
    """Look the query's terms up, as an index would."""
    symbols: dict[tuple[int, int], list[int]] = {}
    files: dict[tuple[int, int], list[int]] = {}
    for place, symbol in enumerate(SYMBOLS):
        for field, counts in _counts(symbol).items():
            for number, term in enumerate(query.terms):
                if term in counts:
                    symbols.setdefault((number, place), [0] * FIELDS)[field] += counts[term]
                    files.setdefault((number, symbol[1]), [0] * FIELDS)[field] += counts[term]
    commits = [
        (number, place)
        for place, text in enumerate(MESSAGES)
        for number, term in enumerate(query.terms)
        if term in count_terms(text)
    ]
    keys = np.array(commits, dtype=np.int64).reshape(-1, 2)
    told = Postings(keys[:, 1], keys[:, 0], np.ones((len(keys), 1), dtype=np.uint8))
    return TermPostings(_columns(files), _columns(symbols), told)


def _columns(found: dict[tuple[int, int], list[int]]) -> Postings:
    keys = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    return Postings(keys[:, 1], keys[:, 0], np.array(list(found.values()), dtype=np.uint8).reshape(-1, FIELDS))


def mentioned(text: str, *, with_tests: bool = False, corpus: Corpus | None = None) -> Mentioned:
    """Run the first half for a text."""
    corpus, query = corpus or make_corpus(), analyse(text)
    ranked = corpus.files.is_code if with_tests else corpus.files.is_code & ~corpus.files.is_test
    return Mentioned.of(Material.of(query, corpus, postings_of(query), ranked))


def features_of(text: str, edges: tuple[tuple[int, int, float], ...] = ()) -> Features:
    """Run all signals for a text."""
    return extract(mentioned(text), edges)


def column(features: Features, signal: str, name: str) -> dict[str, float]:
    """Read one column over symbols by qualified name."""
    values = features.symbols[:, features.symbol_columns.index((signal, name))]
    return {SYMBOLS[place][5]: value for place, value in zip(features.places.tolist(), values.tolist(), strict=True)}


WORDS = Weights({("words", "main"): 1.0})
AS_BEFORE = Weights({(SIGNAL, "score"): 1.0})
WORDS_ONLY = Fusion(WORDS, WORDS, AS_BEFORE, AS_BEFORE)


def best_files(text: str, fusion: Fusion = WORDS_ONLY) -> tuple[Placed, ...]:
    """Rank all files."""
    features, ranked = features_of(text), mentioned(text).spoken_for
    scores = second_scores(features, fusion, first_scores(features, fusion, ranked))
    return rank_files(features, fusion, scores, 9)


def best_symbols(
    text: str, edges: tuple[tuple[int, int, float], ...] = (), fusion: Fusion = WORDS_ONLY
) -> list[Placed]:
    """Rank all symbols."""
    features, ranked = features_of(text, edges), mentioned(text).spoken_for
    scores = second_scores(features, fusion, first_scores(features, fusion, ranked))
    return list(rank_symbols(features, fusion, scores, 9, make_corpus().symbols))


def test_words_decide_without_anything_else() -> None:
    """The symbol and file that share the rarest words come first."""
    text = "Why is a card declined?"

    assert best_symbols(text)[0].place == 4
    assert best_files(text)[0].place == 1


def test_ties_break_by_path_then_line() -> None:
    """Equal scores keep the order of the corpus."""
    ranked = best_symbols("item quantity")

    assert [each.place for each in ranked[:2]] == [2, 3]
    assert ranked[0].score == ranked[1].score == 1.0


def test_tests_are_left_out_unless_wanted() -> None:
    """Test files are neither ranked nor counted."""
    assert not mentioned("item quantity").material.ranked_files[3]
    assert mentioned("item quantity", with_tests=True).material.ranked_files[3]


@pytest.mark.parametrize(("borne", "seen"), [("Cart", [1]), ("Till", [4, 1])])
def test_what_a_stub_declares_again_is_left_out(borne: str, seen: list[int]) -> None:
    """A stub file is about its words, but the definition that it repeats is what is meant by them."""
    corpus = make_corpus()
    stub = replace(corpus.files.rows[1], path="shop/cart.pyi", role=FileRole.STUB)
    names = tuple(borne if name == "charge" else name for name in corpus.symbols.qualified_names)
    files = replace(corpus.files, rows=(corpus.files.rows[0], stub, *corpus.files.rows[2:]))
    changed = replace(corpus, files=files, symbols=replace(corpus.symbols, qualified_names=names))

    found = mentioned("card declined, cart", corpus=changed)

    assert found.candidates() == seen


@pytest.mark.parametrize("text", ["", "   \n", "zzz qqq", "的是 好", "!!! ???"])
def test_nothing_in_common_gives_nothing(text: str) -> None:
    """A query without a known word ranks nothing."""
    assert best_symbols(text) == []
    assert best_files(text) == ()


@pytest.mark.parametrize(
    ("text", "signal", "name", "symbol"),
    [
        ("Broken\nsee shop/cart.py:12", "mentioned place", "line", "Cart.clear"),
        ('Broken\n  File "/x/shop/stock.py", line 3, in reserve\n', "mentioned place", "frame", "reserve"),
        ("What does Cart.clear do", "mentioned place", "dotted", "Cart.clear"),
        ("What does shop.payment.charge do", "mentioned place", "dotted", "charge"),
        ("What does `reserve` do", "mentioned name", "span", "reserve"),
    ],
)
def test_names_lead_to_symbols(text: str, signal: str, name: str, symbol: str) -> None:
    """A line, a frame, a dotted name and a code span each find the symbol that they name."""
    found = column(features_of(text), signal, name)

    assert found[symbol] == 1.0
    assert sum(found.values()) == 1.0


def test_frames_near_the_error_weigh_more() -> None:
    """The innermost frame of this repository has 1, the next 1/2; foreign frames do not count."""
    trace = "".join(
        f'  File "/x/{path}", line 1, in {name}\n'
        for path, name in (("shop/stock.py", "reserve"), ("shop/payment.py", "charge"), ("lib/json.py", "loads"))
    )
    found = column(features_of(f"Broken\n{trace}"), "mentioned place", "frame")

    assert found == {"charge": 1.0, "reserve": 0.5}


def test_neighbours_of_the_best_are_lifted() -> None:
    """What the best symbol calls is scored by it, times the confidence of the edge."""
    found = column(features_of("card declined at the shelf", ((21, 31, 0.5),)), "neighbours", "called by")

    assert found["reserve"] == pytest.approx(0.5)


def test_links_keep_pairs_of_ranked_symbols() -> None:
    """Edges to tests, to oneself and to what is not ranked by itself are dropped."""
    ranked = np.array([True] * 6 + [False])
    links = Links.of([(21, 31, 0.9), (21, 21, 1.0), (21, 41, 1.0), (99, 21, 1.0)], make_corpus(), ranked)

    assert (links.sources.tolist(), links.targets.tolist(), links.weights.tolist()) == ([4], [5], [0.9])


def test_commits_like_the_query_lift_the_files_they_touched() -> None:
    """A commit's score goes to its files, less to each if there are several."""
    features = features_of("round totals, refill")
    files = features.files[:, features.file_columns.index(("history", "best message"))].tolist()

    assert files == pytest.approx([1.0, 1.0, 2**-0.5, 0.0])


@given(
    st.lists(
        st.sampled_from(["cart", "item", "card", "declined", "provider", "shelf", "charge", "Cart.add", "add"]),
        max_size=12,
    )
)
def test_equal_input_gives_equal_output(chosen: list[str]) -> None:
    """Ranking twice gives the same, scores are finite, at most 1 and fall."""
    text = " ".join(chosen)
    first, second = (best_symbols(text) for _ in range(2))
    scores = [each.score for each in first]

    assert first == second
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(st.integers(1, 255), st.integers(1, 254))
def test_more_occurrences_never_score_less(count: int, more: int) -> None:
    """BM25F grows with the count of a term and stays below its bound."""
    counts = np.zeros((2, FIELDS), dtype=np.uint8)
    counts[:, BODY] = (count, min(255, count + more))
    postings = Postings(np.array([0, 1]), np.array([0, 0]), counts)
    scorer = Scorer.of(postings, np.full((2, FIELDS), 300.0), np.array([True, True]), 1)
    low, high = scorer.score(np.ones(1), np.eye(FIELDS)[BODY]).tolist()

    assert 0 < low <= high <= scorer.best_possible(np.ones(1))


def test_nothing_keeps_a_corpus_that_nobody_reads() -> None:
    """Snapshots that were closed leave nothing behind, however many there were."""
    corpus = make_corpus()
    known = weakref.ref(corpus)
    extract(mentioned("cart", corpus=corpus), ())

    del corpus
    gc.collect()

    assert known() is None


def shape_of_first_file(name: str, *, role: FileRole = FileRole.CODE, language: str = "python") -> float:
    """Describe the first file, changed in some respect."""
    corpus = make_corpus()
    rows = (replace(corpus.files.rows[0], role=role, language=language), *corpus.files.rows[1:])
    features = extract(mentioned("cart", corpus=replace(corpus, files=replace(corpus.files, rows=rows))), ())
    return float(features.files[0, features.file_columns.index(("shape", name))])


@pytest.mark.parametrize(
    ("role", "beside"), [(FileRole.CODE, 0.0), (FileRole.EXAMPLE, 1.0), (FileRole.SUPPORT, 1.0), (FileRole.STUB, 0.0)]
)
def test_what_stands_beside_the_product_is_told_by_its_role(role: FileRole, beside: float) -> None:
    """Examples, documentation, tools and code of others; stubs declare the product itself."""
    assert shape_of_first_file("beside", role=role) == beside


def test_files_in_the_language_of_most_are_told_from_others() -> None:
    """The column is the share of a file's language among the files of code."""
    assert shape_of_first_file("language", language="python") == 1.0
    assert shape_of_first_file("language", language="javascript") == 0.25


def test_the_rarest_word_of_a_report_counts_by_itself() -> None:
    """However many common words another place holds, that with the rarest word has 1. Questions have no such word."""
    rarest = column(features_of("item quantity\nprovider"), "words", "rarest")

    assert rarest["charge"] == 1.0
    assert 0 < rarest["Cart.add"] < 1.0
    assert set(column(features_of("item quantity provider"), "words", "rarest").values()) == {0.0}
