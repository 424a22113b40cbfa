"""How gaps end in a real index of the shop: resolved, or with the reason why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.retrieving import retriever_over
from tests.fakes.snapshot_builder import ERROR_STRING, RAISES, SnapshotBuilder
from tests.integration.retriever.conftest import Retriever

if TYPE_CHECKING:
    from pathlib import Path


_WRONG_FILES = ("app/other.py", "web/other.ts", "lib/other.go", "Makefile")


async def _one(
    retriever: Retriever, *, repository: str = "shop", mode: str = "UNSPECIFIED", **gap: Any
) -> tuple[evidence_pb2.GapResult, pb.ResolveGapsResponse]:
    request = pb.ResolveGapsRequest(
        repository=repository,
        gaps=[evidence_pb2.Gap(gap_id="g1", **gap)],
        mode=question_pb2.Mode.Value(f"MODE_{mode}"),
        pass_number=1,
    )
    response = await retriever.stub.ResolveGaps(request)
    return response.results[0], response


def _outcome(result: evidence_pb2.GapResult) -> str:
    return evidence_pb2.GapOutcome.Name(result.outcome).removeprefix("GAP_OUTCOME_")


@pytest.mark.parametrize(
    ("gap", "step", "place"),
    [
        ({"symbol": "Warehouse.reserve", "path": "shop/warehouse.py"}, "symbol_in_file", "Warehouse.reserve"),
        ({"symbol": "reserve", "path": "warehouse.py"}, "symbol_in_file", "Warehouse.reserve"),
        ({"symbol": "shop/warehouse.py:Warehouse.reserve"}, "symbol_in_file", "Warehouse.reserve"),
        ({"symbol": "shop.orders.Order._move"}, "symbol", "Order._move"),
        ({"symbol": "`release_overdue(warehouse, now)`"}, "symbol", "release_overdue"),
        ({"symbol": "release_overdue", "path": "shop/cart.py"}, "symbol", "release_overdue"),
        ({"description": "the definition of `match_parts`"}, "symbol", "match_parts"),
        ({"path": "shop/janitor.py"}, "file", ""),
        ({"path": "shop/janitor.py:1-9"}, "file", ""),
        ({"description": "shop/janitor.py:3"}, "file", ""),
        ({"symbol": "shop.janitor"}, "file", ""),
    ],
)
async def test_what_exists_is_found(retriever: Retriever, gap: dict[str, str], step: str, place: str) -> None:
    """By symbol in a file, by symbol, by file; a wrong file does not hide the right symbol."""
    result, response = await _one(retriever, **gap)

    assert (_outcome(result), result.step, result.candidates[0].qualified_name) == ("RESOLVED", step, place)
    assert result.evidence_ids == [piece.evidence_id for piece in response.evidence]
    assert all(piece.pass_number == 2 for piece in response.evidence)


@pytest.mark.parametrize(
    ("symbol", "path", "told"),
    [
        ("create_app", "shop/app.py", "is defined in shop/app.py: shop/app.py:"),
        ("shop.create_app", "shop/__init__.py", "is defined where shop/__init__.py has it from: shop/app.py:"),
    ],
)
async def test_a_match_says_which_file_defines_it(retriever: Retriever, symbol: str, path: str, told: str) -> None:
    """That is not always the file in which it was asked for: what one imports or inherits stands in another."""
    result, _ = await _one(retriever, symbol=symbol, path=path)

    assert f"{symbol} {told}" in result.detail


async def test_a_match_comes_whole(retriever: Retriever) -> None:
    """Its source with the numbers of its lines, and nothing that nobody asked for."""
    _, response = await _one(retriever, symbol="Order._move")

    (source,) = response.evidence
    assert source.text.lstrip().startswith("def _move(self, expected, state):")
    assert [(run.start_line, run.end_line) for run in source.lines] == [(source.span.start_line, source.span.end_line)]
    assert source.source == evidence_pb2.CONTEXT_SOURCE_GAPS


@pytest.mark.parametrize(
    ("gap", "outcome"),
    [
        ({"symbol": "Warehouse.reserves"}, "ABSENT"),
        ({"symbol": "warehouse"}, "RESOLVED"),
        ({"symbol": "releaseOverdue"}, "ABSENT"),
        ({"symbol": "Order.release"}, "ABSENT"),
        ({"symbol": "frobnicate_cart", "path": "shop/cart.py"}, "ABSENT"),
        ({"path": "shop/missing.py"}, "ABSENT"),
        ({"symbol": "time.monotonic"}, "EXTERNAL"),
        ({"symbol": "itertools.count"}, "EXTERNAL"),
        ({"symbol": "json.dump"}, "EXTERNAL"),
        ({"symbol": "KeyError"}, "EXTERNAL"),
        ({"description": "how tidal forces bend the crust of a small moon"}, "BELOW_FLOOR"),
    ],
)
async def test_what_is_not_there_says_why(retriever: Retriever, gap: dict[str, str], outcome: str) -> None:
    """A name that is nearly right is not right; what lives outside is said to; and no guess counts as found."""
    result, response = await _one(retriever, **gap)

    assert _outcome(result) == outcome
    assert result.detail
    assert bool(response.evidence) == (outcome == "RESOLVED")


@pytest.mark.parametrize(
    ("description", "place"),
    [
        ("raises an error if the state of the order is not the expected one", "Order._move"),
        ("make an open order out of what is in the cart", "Order.of"),
        ("gives up reservations that are overdue and were never paid", "release_overdue"),
    ],
)
async def test_what_is_only_described_is_among_three(retriever: Retriever, description: str, place: str) -> None:
    """No name is given; documented or not, the symbol is one of those supplied, each with its source."""
    result, response = await _one(retriever, description=description)

    assert (_outcome(result), result.step) == ("RESOLVED", "semantic")
    assert place in [candidate.qualified_name for candidate in result.candidates]
    assert len(result.candidates) <= 3
    assert response.evidence


async def test_what_a_description_mentions_is_not_taken_for_what_it_describes(retriever: Retriever) -> None:
    """A sentence with a name in it is searched for its meaning; what it mentions is supplied too, last."""
    result, _ = await _one(retriever, description="make an open order out of App() carts")
    several, _ = await _one(retriever, description="make an open order out of add() carts")

    best, _, last = [candidate.qualified_name for candidate in result.candidates]
    assert (_outcome(result), result.step, best, last) == ("RESOLVED", "semantic", "Order.of", "App")
    assert best in result.detail
    assert not {"Cart.add", "Router.add"} & {candidate.qualified_name for candidate in several.candidates}


async def test_what_is_mentioned_is_left_where_nothing_is_close_enough(retriever: Retriever) -> None:
    """The name was written for some reason; a name that nothing bears changes nothing."""
    known, _ = await _one(retriever, description="tidal forces bend small moons, says EphemerisTable")
    builder = SnapshotBuilder().python("app.py", "class EphemerisTable: ...\n")
    builder.publish(retriever.data, "mentioned")
    there, _ = await _one(
        retriever, repository="mentioned", description="tidal forces bend small moons, says EphemerisTable"
    )

    assert _outcome(known) == "BELOW_FLOOR"
    assert (_outcome(there), there.step) == ("RESOLVED", "symbol")
    assert [each.qualified_name for each in there.candidates] == ["EphemerisTable"]


async def test_several_definitions_are_listed(retriever: Retriever) -> None:
    """Nothing to choose by: the candidates are named, none is supplied."""
    builder = SnapshotBuilder().python("a.py", "class A:\n    def run(self): ...\n")
    builder.python("b.py", "class B:\n    def run(self): ...\n").publish(retriever.data, "several")

    result, response = await _one(retriever, repository="several", symbol="run")

    assert _outcome(result) == "AMBIGUOUS"
    assert [candidate.qualified_name for candidate in result.candidates] == ["A.run", "B.run"]
    assert not response.evidence


async def test_a_stub_declares_what_code_defines(retriever: Retriever) -> None:
    """Name, wrong file and module lead to the code; a stub is meant only by its path, or where it is alone."""
    builder = SnapshotBuilder().python("lib/checks.py", "def matches(value): ...\n")
    builder.python("lib/checks.pyi", "def matches(value: str) -> bool: ...\n", module="lib.checks")
    builder.python("lib/fast.pyi", "def compiled(value: int) -> int: ...\n", module="lib.fast")
    builder.publish(retriever.data, "stubs")

    for gap, path in (
        ({"symbol": "lib.checks.matches"}, "lib/checks.py"),
        ({"symbol": "matches", "path": "lib/other.py"}, "lib/checks.py"),
        ({"symbol": "lib.checks"}, "lib/checks.py"),
        ({"symbol": "matches", "path": "lib/checks.pyi"}, "lib/checks.pyi"),
        ({"symbol": "compiled"}, "lib/fast.pyi"),
    ):
        result, _ = await _one(retriever, repository="stubs", **gap)

        assert (_outcome(result), [each.path for each in result.candidates]) == ("RESOLVED", [path]), gap


async def test_a_wrong_file_tells_the_language(retriever: Retriever) -> None:
    """Of two definitions the one in a file like the named one is meant; a kind that has none decides nothing."""
    builder = SnapshotBuilder().python("app/wire.py", "class Connection: ...\n")
    builder.python("web/wire.ts", "class Connection: ...\n").publish(retriever.data, "mixed")

    near = {path: await _one(retriever, repository="mixed", symbol="Connection", path=path) for path in _WRONG_FILES}

    outcomes = {path: (_outcome(found), [each.path for each in found.candidates]) for path, (found, _) in near.items()}
    assert outcomes == {
        "app/other.py": ("RESOLVED", ["app/wire.py"]),
        "web/other.ts": ("RESOLVED", ["web/wire.ts"]),
        "lib/other.go": ("AMBIGUOUS", ["app/wire.py", "web/wire.ts"]),
        "Makefile": ("AMBIGUOUS", ["app/wire.py", "web/wire.ts"]),
    }


async def test_a_variable_stands_for_the_class_that_it_is_named_after(retriever: Retriever) -> None:
    """Where one has the member, itself or by a base; of several such classes none is meant."""
    builder = SnapshotBuilder().python("lib/base.py", "class Base:\n    def save(self):\n        pass\n")
    builder.python("lib/a.py", "class MoneyBox:\n    def open(self):\n        pass\n\n\nclass Lid:\n    pass\n")
    builder.python("lib/b.py", "class Lid:\n    def lift(self):\n        pass\n").inherits(
        "lib/a.py::Lid", "lib/base.py::Base"
    )
    builder.python("lib/c.py", "class Cap:\n    def off(self):\n        pass\n")
    builder.python("lib/d.py", "class Cap:\n    def off(self):\n        pass\n").publish(retriever.data, "variables")
    names = ("money_box.open", "lid.save", "lid.lift", "cap.off", "lid.close", "MONEYBOX.open")

    found = [(await _one(retriever, repository="variables", symbol=name))[0] for name in names]

    assert [_outcome(each) for each in found] == ["RESOLVED"] * 3 + ["ABSENT"] * 3


async def test_names_are_followed_through_imports_and_up_the_hierarchy(retriever: Retriever) -> None:
    """`package.Name` is what the package imports; `Child.method` may be defined in a base."""
    builder = SnapshotBuilder().python("lib/base.py", "class Base:\n    def save(self): ...\n")
    builder.python("lib/child.py", "class Child:\n    pass\n").python("lib/__init__.py", "", module="lib")
    builder.inherits("lib/child.py::Child", "lib/base.py::Base").imports("lib/__init__.py::", "lib/base.py::Base")
    builder.publish(retriever.data, "hierarchy")

    inherited, _ = await _one(retriever, repository="hierarchy", symbol="Child.save")
    imported, _ = await _one(retriever, repository="hierarchy", symbol="lib.Base.save")
    missing, _ = await _one(retriever, repository="hierarchy", symbol="Child.load")

    assert [_outcome(each) for each in (inherited, imported, missing)] == ["RESOLVED", "RESOLVED", "ABSENT"]
    assert inherited.candidates[0].qualified_name == imported.candidates[0].qualified_name == "Base.save"


async def test_what_the_index_does_not_cover_is_not_called_absent(retriever: Retriever) -> None:
    """A file left out, by path and by name; of one that did not parse the text is known, so what it has is shown."""
    builder = SnapshotBuilder().python("app.py", "def main(): ...\n")
    text = "import sys\nsys.argv\ndef lost(:\n"
    builder.skipped("vendor/big.py", 4).text("broken.py", text, language="python", error="line 3")
    builder.publish(retriever.data, "covered")

    for gap in (
        {"symbol": "thing", "path": "vendor/big.py"},
        {"symbol": "big.thing"},
        {"path": "vendor/big.py"},
    ):
        result, _ = await _one(retriever, repository="covered", **gap)
        assert _outcome(result) == "OUT_OF_COVERAGE", gap
    lost = [(await _one(retriever, repository="covered", symbol="lost", path=each))[0] for each in ("", "broken.py")]
    assert [(_outcome(each), each.occurrence.place.start_line) for each in lost] == [("RESOLVED", 3)] * 2
    other, _ = await _one(retriever, repository="covered", symbol="other", path="broken.py")
    assert _outcome(other) == "ABSENT"
    absent, _ = await _one(retriever, repository="covered", symbol="nothing_like_it")
    of_another, _ = await _one(retriever, repository="covered", symbol="Harbour.lost")
    no_file, _ = await _one(retriever, repository="covered", path="other.py")
    outside, _ = await _one(retriever, repository="covered", symbol="sys.argv")
    assert [_outcome(each) for each in (absent, of_another, no_file, outside)] == [*["ABSENT"] * 3, "EXTERNAL"]
    assert no_file.detail == "nothing in this repository is called other.py"


async def test_what_is_spelled_nearly_alike_is_told(retriever: Retriever) -> None:
    """In other letters or underscores, or with a slip; it is a hint, for nobody to be taken for what was asked."""
    slips = [(await _one(retriever, symbol=each))[0] for each in ("releaseOverdue", "relaese_overdue", "zzzz_overdue")]

    assert [list(each.alike) for each in slips] == [["release_overdue"], ["release_overdue"], []]
    assert [each.detail.endswith("; there is release_overdue") for each in slips] == [True, True, False]


async def test_a_file_of_text_is_shown_whole(retriever: Retriever) -> None:
    """It has no symbol to be one of the candidates; of several that are meant the paths are told."""
    builder = SnapshotBuilder().text("app/notes.txt", "one\ntwo\nthree\n").text("app/empty.txt", "\n\n")
    builder.text("app/read.md", "one\n").text("web/read.md", "two\n").publish(retriever.data, "texts")

    notes, response = await _one(retriever, repository="texts", path="notes.txt")
    empty, nothing = await _one(retriever, repository="texts", path="app/empty.txt")
    several, _ = await _one(retriever, repository="texts", path="read.md")

    assert [each.text for each in response.evidence] == ["one\ntwo\nthree\n"]
    assert (notes.detail, empty.detail) == ("notes.txt is app/notes.txt", "app/empty.txt is in the repository")
    assert not nothing.evidence
    assert (_outcome(several), several.step) == ("AMBIGUOUS", "file")
    assert several.detail == "2 files end with read.md (app/read.md, web/read.md); say which by its folder"


async def test_of_several_files_of_code_each_is_one_candidate(retriever: Retriever) -> None:
    """However much each of them defines."""
    text = "def open_it(): ...\n\n\ndef close_it(): ...\n"
    SnapshotBuilder().python("app/door.py", text).python("web/door.py", text).publish(retriever.data, "doors")

    result, _ = await _one(retriever, repository="doors", path="door.py")

    found = [(each.path, each.qualified_name) for each in result.candidates]
    assert (_outcome(result), found) == ("AMBIGUOUS", [("app/door.py", ""), ("web/door.py", "")])


@pytest.mark.parametrize(
    "text",
    [
        "where does 'there is no article 17' come from",
        "what made the customer's page say 'there is no article 17' today",
        "it said “there is no article 17” of one that isn't sold",
    ],
)
async def test_a_quoted_message_is_found(retriever: Retriever, text: str) -> None:
    """By what stands between quotation marks, of which an apostrophe is none, and for a diagnostic question only."""
    diagnostic, _ = await _one(retriever, mode="DIAGNOSTIC", description=text)
    conceptual, _ = await _one(retriever, mode="CONCEPTUAL", description=text)

    assert (_outcome(diagnostic), diagnostic.step, conceptual.step) == ("RESOLVED", "error", "semantic")
    assert diagnostic.candidates[0].qualified_name == "Warehouse.available"


async def test_a_common_error_leads_nowhere(retriever: Retriever) -> None:
    """An exception that few raise leads to them, tests aside; the same message, made twice, to one place."""
    text = "".join(f"def raises{number}(): ...\n" for number in range(4))
    builder = SnapshotBuilder().python("app.py", text).python("tests/t.py", "def test_it(): ...\n", is_test=True)
    for number in range(4):
        builder.fact(f"app.py::raises{number}", RAISES, "ValueError")
    for symbol in ("app.py::raises0", "app.py::raises1", "app.py::raises2", "tests/t.py::test_it"):
        builder.fact(symbol, RAISES, "KeyError")
    for line in (1, 2):
        builder.fact("app.py::raises3", ERROR_STRING, "the lever is stuck again", line=line)
    builder.publish(retriever.data, "raising")

    few, many, said = [
        (await _one(retriever, repository="raising", mode="DIAGNOSTIC", description=description))[0]
        for description in ("what raises KeyError", "what raises ValueError", "what says 'the lever is stuck again'")
    ]

    assert (few.step, [each.qualified_name for each in few.candidates]) == ("error", ["raises0", "raises1", "raises2"])
    assert (_outcome(many), [each.qualified_name for each in said.candidates]) == ("BELOW_FLOOR", ["raises3"])


async def test_of_a_message_as_much_is_looked_up_as_the_setting_says(indexed: Path) -> None:
    """For gaps as for questions: what was cut off proves nothing."""
    async with retriever_over(indexed, error_string_chars=8) as stub:
        found, _ = await _one(
            Retriever(stub, indexed), mode="DIAGNOSTIC", description="where does 'there is no article 17' come from"
        )

    assert found.step == "semantic"


async def test_gaps_can_be_turned_off(retriever: Retriever) -> None:
    """Then none is resolved, and the result says that nobody looked."""
    request = pb.ResolveGapsRequest(
        repository="shop",
        gaps=[evidence_pb2.Gap(gap_id="1", symbol="Order")],
        switches=question_pb2.Switches(without_gap_resolution=True),
    )

    response = await retriever.stub.ResolveGaps(request)

    assert _outcome(response.results[0]) == "OUT_OF_COVERAGE"
    assert "turned off" in response.results[0].detail
