"""What speaks for a symbol that a description means, and how sure the best of them is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from retriever.adapters.learned import read_describing_model
from retriever.domain.describing.columns import columns_of
from retriever.domain.describing.found import may_be_meant
from retriever.domain.describing.model import BY_WORDS, Network, Scale, Weighting, signs_of
from retriever.domain.describing.nearness import nearness_of
from retriever.domain.describing.searched import CANDIDATES, Searched, all_of, read_description
from retriever.domain.describing.surroundings import Around
from retriever.domain.describing.wording import MAX_STEMS, MAX_TERMS, Told, Wording
from retriever.domain.ranking.corpus import BODY, DOC, FIELDS, NAME, Corpus, Postings, TermPostings
from retriever.domain.values import SymbolKind
from tests.unit.retriever.ranking.test_ranking_signals import make_corpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from retriever.domain.ranking.corpus import Floats, Ints

WORDING = Wording(
    echoes={"return": 0.1, "item": 0.5},
    kinds={"return": -2.5, "^return": -4.2, "bas": 1.5},
    hints={"delet": {"clear": 3.0, "del": 4.0}, "remov": {"clear": 2.0}, "the": {"clear": 1.0}, "whil": {"clear": 1.0}},
)
CART, ADD, CLEAR, CHARGE = 1, 2, 3, 4
"""Places of symbols of the corpus: a class, its two methods, and the first function of the next file."""


def _searched(text: str, hits: list[tuple[int, str, int]], corpus: Corpus | None = None) -> Searched:
    """Search a corpus, without one the small one; hits are (place, term, field)."""
    asked = read_description(text, WORDING)
    return Searched.of(asked, corpus or make_corpus(), _postings(asked.all, hits))


def _columns(searched: Searched, places: Ints, calls: ArrayLike) -> Mapping[str, Floats]:
    return columns_of(searched, Around.of(searched.found, places, calls))


def _postings(asked: Sequence[str], hits: list[tuple[int, str, int]]) -> TermPostings:
    known = [hit for hit in hits if hit[1] in asked]
    counts = np.zeros((len(known), FIELDS), dtype=np.uint8)
    for row, (_, _, field) in enumerate(known):
        counts[row, field] = 1
    units = np.array([place for place, _, _ in known], dtype=np.int64)
    terms = np.array([asked.index(term) for _, term, _ in known], dtype=np.int64)
    nothing = Postings(np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.zeros((0, FIELDS), np.uint8))
    return TermPostings(nothing, Postings(units, terms, counts), nothing)


def test_several_descriptions_are_searched_as_each_by_itself() -> None:
    """Postings that several share are read once; what each asks for, in which order, stays its own."""
    hits = [(ADD, "add", NAME), (CART, "cart", NAME), (CHARGE, "item", BODY), (CLEAR, "clear", NAME)]
    texts = ("remove every item of the cart", "the cart item", "the cart: add what it lacks")
    corpus, asked = make_corpus(), [read_description(text, WORDING) for text in texts]
    places = np.array([CART, ADD, CLEAR, CHARGE])

    together = Searched.of_several(asked, corpus, _postings(all_of(asked), hits))

    for text, found in zip(texts, together, strict=True):
        alone = _searched(text, hits, corpus)
        assert found.signs() == alone.signs()
        np.testing.assert_allclose(found.totals, alone.totals)
        for name, values in _columns(alone, places, []).items():
            np.testing.assert_allclose(_columns(found, places, [])[name], values, err_msg=name)
    assert any(found.totals.any() for found in together)


def test_a_description_gives_terms_pairs_and_parts_of_names() -> None:
    """Pairs are what identifiers of two words are as one term; function words may be parts of names."""
    asked = read_description("Whether the exit stack is closed", WORDING)

    assert asked.terms == ("exit", "stack", "clos")
    assert asked.pairs == ("exitstack",)
    assert {"is", "exit"} <= asked.told.parts


def test_a_long_text_is_cut() -> None:
    """What describes more than one symbol is neither looked up in full nor compared in full with every name."""
    asked = read_description(_many_words(2000), WORDING)

    assert len(asked.terms) == len(asked.pairs) == MAX_TERMS
    assert len(asked.told.spelled) == len(asked.told.parts) == MAX_STEMS


def test_the_words_of_a_paragraph_all_count() -> None:
    """The longest descriptions that anything was learned from are read to their end."""
    told = Told.of(f"{_many_words(79)} parent", WORDING)

    assert told.spelling("getparent") == pytest.approx(6 / 9)


def _many_words(count: int) -> str:
    letters = "bcdfghjklmpqrtvwxz"
    return " ".join(f"w{letters[n % 18]}o{letters[n // 18 % 18]}i{letters[n // 324]}" for n in range(count))


def test_neither_tests_nor_modules_are_meant() -> None:
    """The module of the cart and the test of it are out."""
    corpus = make_corpus()

    assert [corpus.symbols.names[place] for place in np.flatnonzero(may_be_meant(corpus))] == [
        "Cart", "add", "clear", "charge", "reserve",
    ]  # fmt: skip


def test_shares_are_of_the_weight_of_the_description() -> None:
    """A symbol with all terms has the whole of it; the name of one counts what the description has of it."""
    hits = [(CLEAR, "clear", NAME), (CLEAR, "item", BODY), (CHARGE, "item", BODY)]
    searched = _searched("clear the item", hits)

    places = searched.candidates()
    columns = _columns(searched, places, [(14, 21, 0.9)])
    row = places.tolist().index(CLEAR)

    assert columns["said"][row] == pytest.approx(1.0)
    assert columns["name told"][row] == 1.0
    assert 0 < columns["said in name"][row] < 1
    assert columns["callees"][row] == pytest.approx(np.log1p(1))
    assert all(len(values) == len(places) for values in columns.values())


def test_what_stands_beside_and_inside_counts() -> None:
    """The documentation of a method speaks for its class and for the next method, but not for the next file."""
    searched = _searched("the quantity", [(ADD, "quantity", DOC), (CLEAR, "quantity", DOC)])

    columns = _columns(searched, np.array([CART, ADD, CLEAR, CHARGE]), [])

    assert columns["said in docs of members"].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert columns["said in docs of class members"].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert columns["said in docs beside"].tolist() == [1.0, 1.0, 1.0, 0.0]


def test_words_that_nothing_holds_are_signs_of_the_description() -> None:
    """What only tests hold counts as little as what nobody does, and rare words weigh more than their number."""
    in_tests = int(np.flatnonzero(~may_be_meant(make_corpus()))[-1])
    hits = [(CLEAR, "clear", NAME), (CLEAR, "item", BODY), (in_tests, "frozen", BODY)]
    searched = _searched("clear the frozen item", hits)

    signs = searched.signs()

    assert signs["terms"] == pytest.approx(np.log1p(3))
    assert signs["unheld terms"] == pytest.approx(1 / 3)
    assert 1 / 3 < signs["unheld"] < 1
    assert signs["nowhere"] == 1.0


def test_no_symbol_stands_beside_itself() -> None:
    """Not even the first and the last of all, which have one neighbour only."""
    corpus = make_corpus()
    kinds = np.full(len(corpus.symbols), SymbolKind.FUNCTION)
    product = tuple(replace(each, is_test=False) for each in corpus.files.rows)
    corpus = replace(corpus, symbols=replace(corpus.symbols, kind=kinds), files=replace(corpus.files, rows=product))
    ends = [0, len(kinds) - 1]
    searched = _searched("the quantity", [(place, "quantity", DOC) for place in ends], corpus)

    columns = _columns(searched, np.array(ends), [])

    assert columns["said"].tolist() == [1.0, 1.0]
    assert columns["said in docs beside"].tolist() == [0.0, 0.0]


def test_a_field_that_says_little_else_is_dense() -> None:
    """A name that the description has is of it altogether, a body of two words for half."""
    searched = _searched("clear the item", [(CLEAR, "clear", NAME), (CLEAR, "item", BODY)])

    columns = _columns(searched, np.array([CLEAR]), [])

    assert columns["density of name"].tolist() == [1.0]
    assert columns["density of body"].tolist() == [0.5]


def test_rare_words_decide() -> None:
    """Of two words, the one that a single symbol has weighs more by squares."""
    searched = _searched("clear the item", [(CLEAR, "clear", NAME), (CLEAR, "item", BODY), (ADD, "item", BODY)])

    columns = _columns(searched, np.array([ADD, CLEAR]), [])

    assert columns["rare said"][0] < columns["said"][0] < 0.5
    assert columns["rare said"][1] == pytest.approx(1.0)


def test_what_has_no_documentation_is_not_crowded_out() -> None:
    """However many documented symbols say more of a description, the best of the others are candidates too."""
    searched = _searched("clear the item", [])
    lengths = np.zeros((2 * CANDIDATES, FIELDS))
    lengths[10:, DOC] = 4.0
    symbols = replace(searched.corpus.symbols, lengths=lengths)
    totals = np.arange(1.0, len(lengths) + 1)

    found = replace(searched.found, corpus=replace(searched.corpus, symbols=symbols))
    places = replace(searched, found=found, totals=totals).candidates().tolist()

    assert set(range(10)) <= set(places)
    assert places[0] == len(lengths) - 1
    assert len(places) == len(set(places)) == CANDIDATES + 10


def test_a_description_without_words_has_no_candidates() -> None:
    """Nothing is looked up, nothing is found, and nothing fails."""
    searched = _searched("", [])

    assert len(searched.candidates()) == 0
    assert all(len(values) == 0 for values in _columns(searched, searched.candidates(), []).values())


def test_what_is_near_becomes_a_candidate() -> None:
    """Symbols that no word leads to are measured too; tests never are, and the farthest stands for all others."""
    corpus = make_corpus()
    near = nearness_of(corpus, [(21, 0.9), (41, 0.8), (31, 0.4), (999, 0.3)])

    columns = near.columns(np.array([CHARGE, CLEAR]))

    assert near.places == (4, 5)
    assert columns["cosine"].tolist() == [0.9, 0.4]
    assert columns["nearness by rank"].tolist() == [1.0, 0.0]


def _network(direct: tuple[float, ...], hidden: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0), bias: float = 0.0) -> Network:
    """Return a network of one unit over two columns, each by itself and among the others."""
    scale = Scale(("said", "lines"), np.array([0.0, 0.0]), np.array([1.0, 1.0]))
    return Network(scale, np.array([hidden]).T, np.array([bias]), np.array([1.0]), np.array(direct))


def test_a_column_counts_by_itself_and_among_the_candidates() -> None:
    """What all candidates have more of changes their scores, but not where each stands among them."""
    columns = {"said": np.array([0.0, 0.5, 1.0]), "lines": np.zeros(3)}
    more = {**columns, "said": columns["said"] + 2.0}
    alone, among = _network((1.0, 0.0, 0.0, 0.0)), _network((0.0, 0.0, 1.0, 0.0))

    assert alone.scores(more) == pytest.approx(alone.scores(columns) + 2.0)
    assert among.scores(more) == pytest.approx(among.scores(columns))
    assert among.scores(columns)[2] == -among.scores(columns)[0] > 1.0


def test_two_reasons_together_may_count_more_than_their_sum() -> None:
    """A unit that only both lift over its threshold adds nothing for one of them."""
    columns = {"said": np.array([1.0, 0.0, 1.0]), "lines": np.array([0.0, 1.0, 1.0])}

    scores = _network((0.0, 0.0, 0.0, 0.0), hidden=(1.0, 1.0, 0.0, 0.0), bias=-1.0).scores(columns)

    assert scores.tolist() == [0.0, 0.0, 1.0]


def test_what_was_never_seen_of_a_column_counts_as_the_most_that_was() -> None:
    """A number far off, such as the lines of a generated file, decides no more than others may."""
    network = _network((0.0, 1.0, 0.0, 0.0))

    scores = network.scores({"said": np.zeros(3), "lines": np.array([0.0, 5.0, 1e6])})

    assert scores[0] < scores[1] == scores[2]


def test_a_lead_makes_sure() -> None:
    """With equal weights, one candidate that stands out is more certain than three alike."""
    searched = _searched("clear the item", [(CLEAR, "clear", NAME), (CLEAR, "item", BODY), (CHARGE, "item", BODY)])
    places = searched.candidates()
    columns = _columns(searched, places, [])
    best = np.arange(len(places))
    weighting = Weighting({"said": 4.0}, {"lead": 1.0}, -1.0)

    clear = weighting.certainty(signs_of(columns, weighting.scores(columns), best, searched.signs()))
    alike = weighting.certainty(signs_of(columns, np.zeros(len(places)), best, searched.signs()))

    assert 0 < alike < clear < 1


@pytest.mark.parametrize(
    ("name", "share"),
    [("get_parent", 1.0), ("getparent", 1.0), ("parentage", 6 / 9), ("ctx", 0.5), ("conf", 1.0), ("zorblat", 0.0)],
)
def test_names_may_run_words_together_or_cut_them_short(name: str, share: float) -> None:
    """Letters count that come from a word of the description; those of an abbreviation for half."""
    assert Told.of("get the parent of a context by its configuration", WORDING).spelling(name) == pytest.approx(share)


def test_classes_of_status_codes_are_spelled_out() -> None:
    """Code has words for them, and no digits."""
    asked = read_description("whether the response has a 4xx status", WORDING)

    assert {"client", "error"} <= set(asked.terms)
    assert "redirect" not in asked.terms


def test_words_tell_what_kind_is_described() -> None:
    """The first word counts by itself, and no more than the rest of the world would believe."""
    told = Told.of("Returns the base item", WORDING)

    assert told.kind_by_first == -3.0
    assert told.kind_by_words == pytest.approx((-2.5 + 1.5) / 2)


def test_words_that_code_seldom_repeats_weigh_less() -> None:
    """Nobody expects "return" to stand in a name, but a word that was never counted."""
    asked = read_description("return the zorblat item", WORDING)

    assert dict(zip(asked.terms, asked.echoes.tolist(), strict=True))["item"] == 0.5
    assert WORDING.echo("return") < WORDING.echo("item") < WORDING.echo("zorblat")


def test_hints_lead_to_what_is_called_otherwise() -> None:
    """The strongest tie of a term counts; a symbol without a word of the description becomes a candidate by it."""
    asked = read_description("delete, remove all", WORDING)
    searched = _searched("delete, remove all", [(CLEAR, "clear", NAME)])

    assert asked.hints == ("del", "clear")
    assert asked.told.hints["clear"] == 3.0
    assert searched.candidates().tolist() == [CLEAR]
    assert searched.scores[CLEAR] == 0.0


def test_function_words_alone_lead_nowhere() -> None:
    """They go with some names, but whoever says no more describes nothing."""
    searched = _searched("what is the", [(CLEAR, "clear", NAME)])

    assert searched.asked.all == ()
    assert len(searched.candidates()) == 0


def test_function_words_give_no_hints_beside_others() -> None:
    """Only words that mean something lead to what is called otherwise, however the function word is stemmed."""
    assert read_description("while the zorblat", WORDING).hints == ()
    assert read_description("remove the zorblat", WORDING).hints == ("clear",)


def test_the_shipped_weights_fit_the_columns() -> None:
    """Every weight belongs to a column or a sign that is measured, and every column has its place in the network."""
    model = read_describing_model()
    searched = _searched("clear item", [(CLEAR, "clear", NAME)])
    places = searched.candidates()
    near = nearness_of(searched.corpus, [])
    columns = {**_columns(searched, places, []), **near.columns(places)}
    signs = signs_of(columns, np.zeros(len(places)), np.arange(len(places)), searched.signs())

    for weighting in (model.words, model.vectors):
        assert set(weighting.columns) <= {BY_WORDS, *columns}
        assert set(weighting.signs) == set(signs)
    assert set(model.network.scale.names) == set(_columns(searched, places, []))
    assert np.isfinite(model.network.scores(columns)).all()
    assert 0 < model.floor < 1
