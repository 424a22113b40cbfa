"""Members of types that a question says in words: they are looked for, shown and told as in one word."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import (
    ContextSource,
    Evidence,
    EvidenceKind,
    Gap,
    GapOutcome,
    GapResult,
    SymbolKind,
    SymbolRef,
)
from orchestrator.domain.member_names import with_members_dotted
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.references import missing_definitions
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer


def shown(
    name: str, text: str, kind: SymbolKind = SymbolKind.METHOD, source: ContextSource = ContextSource.CODE
) -> Evidence:
    """Return the source of a definition."""
    symbol = SymbolRef("shop/pool.py", name, kind, 10, 9 + text.count("\n"))
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, source, span=symbol.span, symbol=symbol, text=text, title=name)


POOL = shown("Pool", 'class Pool(BasePool):\n    """A pool, to close at the end."""\n', SymbolKind.CLASS)
OTHER = shown("Door.close", 'def close(self):\n    """Close the door."""\n')
BASE = shown("BasePool.close", 'def close(self):\n    """Give back what is left."""\n', source=ContextSource.GAPS)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("the close method of Pool", "Pool.close"),
        ("Who calls the close method of the class Pool?", "Who calls Pool.close?"),
        ("Who calls the `close()` method of `Pool` and when?", "Who calls Pool.close and when?"),
        ("How does Pool's close method work?", "How does Pool.close work?"),
        ("What does the method closeAll of Pool do?", "What does Pool.closeAll do?"),
        ("skipValue of JsonReader", "JsonReader.skipValue"),
        ("the read method of Pool and fromJson of Gson", "Pool.read and Gson.fromJson"),
        ("Who calls (*Pool).Close or (Pool).Open?", "Who calls Pool.Close or Pool.Open?"),
        ("What does peek of JsonReader return?", "What does JsonReader.peek return?"),
        ("When is close of Pool called?", "When is Pool.close called?"),
    ],
)
def test_a_member_is_said_in_one_word(question: str, said: str) -> None:
    """By its kind, by being marked as a name, or by where it stands."""
    assert with_members_dotted(question) == said


@pytest.mark.parametrize(
    "question",
    [
        "Which method of Pool closes it?",
        "What does the private method of Pool do?",
        "the default of Pool",
        "What does run(Pool).close do?",
        "Subclasses of Pool",
        "Overview of Django",
        "Is creation of Pool slow?",
        "Where is the get method of the HTTP client?",
        "the close method of the connection pool",
        "What does the method used in Pool do?",
        "RuntimeError: the close method of Pool was called twice",
        'Why "the close method of Pool was called twice"?',
        "the close method of Pool " + "and what became of all that was in it before " * 5,
    ],
)
def test_what_names_no_member_stays_as_it_is(question: str) -> None:
    """Nor is anything changed in messages, and in stories."""
    assert with_members_dotted(question) == question


@pytest.mark.parametrize(("other", "asked"), [(OTHER, ["Pool.close"]), (BASE, ["Pool.close"]), (POOL, ["Pool.close"])])
def test_a_member_of_another_type_is_not_what_is_named(other: Evidence, asked: list[str]) -> None:
    """Where only that is shown, what is named is still asked for."""
    classification = Classification(Mode.CONCEPTUAL, anchors=Anchors(symbols=("Pool.close",)))

    gaps = missing_definitions([other], (), "What does Pool.close do?", classification, pass_number=1)

    assert [each.symbol for each in gaps] == asked


@pytest.mark.parametrize("name", ["pool.close", "Pool.close", "shop.Pool.close"])
def test_a_member_that_is_shown_is_not_asked_for(name: str) -> None:
    """A module or a variable may stand before the dot."""
    own = shown("Pool.close", "def close(self):\n    pass\n")
    classification = Classification(Mode.CONCEPTUAL, anchors=Anchors(symbols=(name,)))

    assert not missing_definitions([own], (), f"What does {name} do?", classification, pass_number=1)


def test_what_a_type_inherits_is_told_as_that() -> None:
    """It goes before the type, of which the question only says whose it is, and before what others have of its name."""
    result = GapResult(Gap("", symbol="Pool.close"), GapOutcome.RESOLVED, evidence_ids=(BASE.evidence_id,))
    classification = Classification(Mode.CONCEPTUAL, anchors=Anchors(symbols=("Pool.close",)))
    pieces = label_evidence((POOL, OTHER, BASE))

    text = "".join(write_answer(Material("What does Pool.close do?", classification, pieces, (result,))))

    assert text.startswith(
        "`Pool.close` is `BasePool.close`, which is inherited. [E3]\n\n`BasePool.close` — Give back what is left. [E3]"
    )
