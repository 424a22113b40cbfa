"""How rankings are scored: by all right places within the first k, constructors as their class."""

from __future__ import annotations

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from cgrag_client.evaluation.cases import LocalizationCase, QuestionCase, parse_localization
from cgrag_client.evaluation.localization import outcome_of
from cgrag_client.evaluation.questions import cited_paths, sum_up
from cgrag_client.evaluation.ranks import RankedCase, as_rows, function_names, score


def outcome(
    files: tuple[str, ...] = (), functions: tuple[str, ...] = (), *, gold: tuple[str, ...], places: tuple[str, ...] = ()
) -> RankedCase:
    """Make an outcome that took 10 ms."""
    return RankedCase(files, functions, gold, places, 10.0)


def figure(outcomes: list[RankedCase], measure: str, at: str) -> object:
    """Read one figure."""
    part = score(outcomes)[measure]
    assert isinstance(part, dict)
    return part[at]


def test_accuracy_wants_all_right_places() -> None:
    """One of two right files within the first k is recall, not accuracy."""
    outcomes = [outcome(("a", "x", "y", "b"), gold=("a", "b")), outcome(("a",), gold=("a",))]

    assert figure(outcomes, "file_acc", "3") == 0.5
    assert figure(outcomes, "file_acc", "5") == 1.0
    assert figure([outcomes[0]], "file_recall", "5") == 1.0


def test_constructors_count_as_their_class() -> None:
    """`X.__init__` and `X` are one place, in the ranking and among the right ones."""
    ranked = ("m::X.__init__", "m::X", "m::f", "m::g", "m::h", "m::i")
    outcomes = [outcome(functions=ranked, gold=("m",), places=("m::X", "m::X.__init__", "m::h"))]

    assert figure(outcomes, "function_acc", "5") == 1.0
    assert figure(outcomes, "function_acc", "1") == 0.0


def test_what_is_missing_is_a_miss() -> None:
    """A case without a prediction counts, and its time does not."""
    case = LocalizationCase("i", "o/r", "c", "text", ("a",), ("a::f",))
    figures = score([outcome_of(case, {}), outcome(("a",), ("a::f",), gold=("a",), places=("a::f",))])

    assert (figures["n"], figures["failed"]) == (2, 1)
    assert figures["file_acc"] == {"1": 0.5, "3": 0.5, "5": 0.5, "10": 0.5}
    assert figures["latency_ms"] == {"p50": 10.0, "p95": 10.0}


def test_cases_without_right_functions_count_for_files_only() -> None:
    """A case that names no function says nothing about functions."""
    outcomes = [outcome(("a",), gold=("a",)), outcome(("a",), ("a::f",), gold=("a",), places=("a::f",))]

    assert figure(outcomes, "function_acc", "1") == 1.0


def test_nothing_is_no_figure() -> None:
    """Where no case names a function, nothing was found wrong either."""
    outcomes = [outcome(("a",), gold=("a",))]

    assert figure(outcomes, "file_acc", "1") == 1.0
    assert figure(outcomes, "function_acc", "1") is None
    assert figure(outcomes, "function_recall", "10") is None


def test_keys_are_those_of_the_interface() -> None:
    """Every measure has its cut-offs."""
    figures = score([outcome(gold=("a",))])

    assert {name: list(part) for name, part in figures.items() if isinstance(part, dict)} == {
        "file_acc": ["1", "3", "5", "10"],
        "function_acc": ["1", "5", "10"],
        "file_recall": ["5", "10", "20"],
        "function_recall": ["10", "20", "50"],
        "latency_ms": ["p50", "p95"],
    }
    assert len(as_rows(figures)) == 15


def test_only_functions_and_methods_are_ranked_functions() -> None:
    """Classes and modules take no place."""
    kinds = (code_pb2.SYMBOL_KIND_CLASS, code_pb2.SYMBOL_KIND_METHOD, code_pb2.SYMBOL_KIND_FUNCTION)
    ranked = [
        retriever_pb2.RankedSymbol(symbol=code_pb2.SymbolRef(path="m.py", qualified_name=f"n{kind}", kind=kind))
        for kind in kinds
    ]

    assert function_names(ranked) == (f"m.py::n{kinds[1]}", f"m.py::n{kinds[2]}")


def test_evidence_cites_what_it_shows_documents_and_names() -> None:
    """Spans, symbols and mentions are citable places."""
    evidence = evidence_pb2.Evidence(
        span=code_pb2.Span(path="a.py"),
        symbol=code_pb2.SymbolRef(path="b.py"),
        mentions=[code_pb2.SymbolRef(path="c.py")],
    )

    assert cited_paths([evidence, evidence_pb2.Evidence()]) == {"a.py", "b.py", "c.py"}


@pytest.mark.parametrize(("cited", "share"), [(["a.py"], 1.0), (["b.py"], 0.0)])
def test_cited_is_about_the_first_right_file(cited: list[str], share: float) -> None:
    """The first gold file must be cited; a question without gold files is left out."""
    cases = [QuestionCase("1", "o/r", "c", "q", ("a.py", "b.py"), ()), QuestionCase("2", "o/r", "c", "q", (), ())]
    found = {"files": [], "functions": [], "milliseconds": 1.0, "cited": cited}

    assert sum_up(cases, [found, found])["cited"] == share


def test_a_split_is_optional() -> None:
    """Cases name their split or none."""
    row = {"instance_id": "i", "repo": "o/r", "base_commit": "c", "problem_statement": "text"}

    assert parse_localization(row).split == ""
    assert parse_localization({**row, "split": "dev"}).split == "dev"
