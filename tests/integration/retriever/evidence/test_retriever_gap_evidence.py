"""What is supplied for gaps: the match and what is around it, once, within the caps; and what the log says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.conftest import Retriever

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("pass_number", [1, 2, 3, 7])
async def test_gaps_never_exceed_their_caps(retriever: Retriever, pass_number: int) -> None:
    """1200 for one, 6000, 1500, 1000 after each pass, and nothing twice; outcomes do not depend on the budget."""
    names = ("Checkout", "Warehouse", "Order", "App", "Router", "Checkout")
    gaps = [evidence_pb2.Gap(gap_id=str(index), symbol=name) for index, name in enumerate(names)]
    request = pb.ResolveGapsRequest(repository="shop", gaps=gaps, pass_number=pass_number)

    response = await retriever.stub.ResolveGaps(request)

    tokens = {piece.evidence_id: piece.tokens for piece in response.evidence}
    assert len(tokens) == len(response.evidence)
    assert sum(tokens.values()) <= {1: 6000, 2: 1500}.get(pass_number, 1000)
    assert sum(tokens.values()) == response.budget_use[0].used_tokens
    for result in response.results:
        assert result.outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
        assert sum(tokens[each] for each in result.evidence_ids) <= 1200


async def test_a_match_without_evidence_says_why(retriever: Retriever) -> None:
    """Its lines were supplied before, for a gap or at first, or no tokens are left; resolved it is all the same."""
    gaps = [evidence_pb2.Gap(symbol=name) for name in ("Checkout.run", "run", "Order.pay")]
    request = pb.ResolveGapsRequest(repository="shop", gaps=gaps)
    request.gaps[1].path = "shop/checkout.py"

    twice = await retriever.stub.ResolveGaps(request)
    request.budget.gap_tokens = 1
    short = await retriever.stub.ResolveGaps(request)
    request.known_evidence_ids.append(twice.results[0].evidence_ids[0])
    both = await retriever.stub.ResolveGaps(request)

    assert twice.results[1].detail.endswith("; every line of it is shown already")
    assert not twice.results[1].evidence_ids
    assert list(short.results[0].evidence_ids) == []
    assert list(both.results[0].evidence_ids) == [twice.results[0].evidence_ids[0]]
    run = short.results[0].candidates[0]
    assert short.results[0].detail.endswith(f"; the budget has no room for {run.path}:{run.start_line}-{run.end_line}")
    assert both.results[0].detail.endswith("; every line of it is shown already")
    assert short.results[0].outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
    assert [each.results[0].supply for each in (twice, short, both)] == [
        evidence_pb2.GAP_SUPPLY_WHOLE,
        evidence_pb2.GAP_SUPPLY_NO_ROOM,
        evidence_pb2.GAP_SUPPLY_BEFORE,
    ]


async def test_a_body_without_its_long_documentation_is_whole(retriever: Retriever) -> None:
    """The documentation is cut even of a short function; a gap for its lines brings them."""
    told = "".join(f"    An order of the shop is paid {at}.\n" for at in range(20))
    source = f'def run():\n    """\n{told}    """\n    return pay()\n'
    SnapshotBuilder().python("documented.py", source).publish(retriever.data, "documented")
    gaps = [evidence_pb2.Gap(symbol="run"), evidence_pb2.Gap(path="documented.py", start_line=5, end_line=20)]

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="documented", gaps=gaps))

    assert [each.supply for each in response.results] == [evidence_pb2.GAP_SUPPLY_WHOLE] * 2
    run, lines = response.evidence
    assert "return pay()" in run.text
    assert "paid 9" not in run.text
    assert [(each.start_line, each.end_line) for each in lines.lines] == [(9, 23)]


async def test_a_variable_of_the_same_name_is_part_of_the_definition(retriever: Retriever) -> None:
    """Types and values may share a name, as an interface and the constant that makes it; both are shown."""
    source = "class Client:\n    retries: int\n\n\nClient = make(Client, retries=3)\n\n\nclass Other:\n    pass\n"
    variable = (
        "INSERT INTO symbols (file_id, parent_id, kind, name, qualified_name, start_line, end_line, signature,"
        " docstring, decorators, is_public, complexity, marks)"
        " SELECT file_id, parent_id, 5, name, qualified_name, 5, 5, '', '', '', 1, 1, 0"
        " FROM symbols WHERE name = 'Client'"
    )
    built = SnapshotBuilder().python("client.py", source).prepare(lambda core: [*core.execute(variable)].clear())
    built.publish(retriever.data, "merged")
    gaps = [evidence_pb2.Gap(symbol="Client")]

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="merged", gaps=gaps))

    assert [(each.span.start_line, each.span.end_line) for each in response.evidence] == [(1, 2), (5, 5)]


async def test_what_was_cut_is_supplied_when_it_is_asked_for_again(retriever: Retriever) -> None:
    """The first time the passages that fit; then, by symbol or by number, lines that were not shown."""
    lines = "".join(f"    step_{number} = load(step_{number - 1}, {number})\n" for number in range(1, 120))
    SnapshotBuilder().python("long.py", f"def run(step_0):\n{lines}").publish(retriever.data, "long")
    request = pb.ResolveGapsRequest(repository="long", gaps=[evidence_pb2.Gap(symbol="run")])
    request.budget.gap_tokens = 400

    first = await retriever.stub.ResolveGaps(request)
    shown = _lines(first)
    request.shown.extend(code_pb2.Span(path="long.py", start_line=line, end_line=line) for line in shown)
    again = await retriever.stub.ResolveGaps(request)
    request.gaps[0].CopyFrom(evidence_pb2.Gap(path="long.py", start_line=115, end_line=130))
    asked = await retriever.stub.ResolveGaps(request)

    assert first.results[0].supply == evidence_pb2.GAP_SUPPLY_PART
    assert "shown in part" in first.results[0].detail
    assert shown
    assert _lines(again)
    assert set(shown).isdisjoint(_lines(again))
    assert set(_lines(asked)) == set(range(99, 121)) - set(shown)


async def test_users_are_counted_by_package_and_told_with_their_calls(retriever: Retriever) -> None:
    """Code before tests, which are only counted; the line of each call stands behind its place."""
    gap = evidence_pb2.Gap(symbol="Warehouse.reserve", aspect=evidence_pb2.GAP_ASPECT_USERS)

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="shop", gaps=[gap]))

    (piece,) = response.evidence
    assert response.results[0].outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
    assert response.results[0].step == "users"
    calls = [line for line in piece.text.splitlines() if line.startswith("- ")]
    assert calls
    assert all(".reserve(" in line for line in calls)


async def test_the_tests_that_say_most_are_shown(retriever: Retriever, tmp_path: Path) -> None:
    """Those with the words of the question that fewest others have, whole; the list stands behind the first."""
    others = "".join(f"def test_pay_{number}():\n    assert pay({number}) == {number}\n\n\n" for number in range(20))
    telling = "def test_twice():\n    with raises(Refused):\n        pay(-1)\n"
    files = {
        "till.py": "def pay(sum):\n    return sum\n",
        "tests/test_till.py": f"from till import pay\n\n\n{others}{telling}",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="tills")
    gap = evidence_pb2.Gap(symbol="pay", aspect=evidence_pb2.GAP_ASPECT_TESTS)
    request = pb.ResolveGapsRequest(repository="tills", gaps=[gap], question="When is a payment refused?")

    response = await retriever.stub.ResolveGaps(request)

    first, listed, *others_shown = response.evidence
    assert first.symbol.qualified_name == "test_twice"
    assert "raises(Refused)" in first.text
    assert len(others_shown) == 2
    assert "is tested by 21" in listed.text
    assert len(listed.users.listed) == 6


async def test_a_list_that_was_cut_has_the_places_that_it_still_shows(retriever: Retriever, tmp_path: Path) -> None:
    """Each with its line, so that what is cited of the list is that line."""
    callers = "".join(f"def close_{number}():\n    return pay({number})\n\n\n" for number in range(30))
    files = {"till.py": "def pay(sum):\n    return sum\n", "day.py": f"from till import pay\n\n\n{callers}"}
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="days")
    gap = evidence_pb2.Gap(symbol="pay", aspect=evidence_pb2.GAP_ASPECT_USERS)
    request = pb.ResolveGapsRequest(repository="days", gaps=[gap])
    request.budget.gap_tokens = 160

    response = await retriever.stub.ResolveGaps(request)

    (piece,) = response.evidence
    shown = [line for line in piece.text.splitlines() if line.startswith("- ")]
    assert piece.truncated_lines
    assert 0 < len(shown) < 14
    assert [f"- {each.name} (day.py:" for each in piece.users.listed] == [
        line[: line.index("day.py:") + 7] for line in shown
    ]


async def test_a_test_may_hand_a_command_to_a_runner(retriever: Retriever, tmp_path: Path) -> None:
    """What a test refers to, it tests, and with it what that calls."""
    files = {
        "cli.py": "def _write(quiet):\n    return quiet\n\n\ndef write(quiet=False):\n    return _write(quiet)\n",
        "tests/test_cli.py": "from cli import write\n\n\ndef test_quiet():\n    run(write, ['--quiet'])\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="runner")
    gap = evidence_pb2.Gap(symbol="_write", aspect=evidence_pb2.GAP_ASPECT_TESTS)

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="runner", gaps=[gap]))

    assert response.evidence[0].symbol.qualified_name == "test_quiet"
    assert "is tested by 1" in response.results[0].detail


async def test_tests_that_no_edge_leads_to_are_found_by_words(retriever: Retriever, tmp_path: Path) -> None:
    """As those that use an operator; that none is known to call it is said."""
    files = {
        "series.py": "class Series:\n    def _merge(self, other):\n        return other\n",
        "tests/test_series.py": (
            "def test_shorter_axis():\n    left = make()\n    left += make()\n\n\n"
            "def test_color():\n    assert make().color == 'red'\n"
        ),
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="series")
    gap = evidence_pb2.Gap(symbol="Series._merge", aspect=evidence_pb2.GAP_ASPECT_TESTS)
    request = pb.ResolveGapsRequest(repository="series", gaps=[gap], question="Why does a shorter axis raise?")

    response = await retriever.stub.ResolveGaps(request)

    assert response.evidence[0].symbol.qualified_name == "test_shorter_axis"
    assert "not known to call it, but with the words of the question: test_shorter_axis" in response.results[0].detail
    assert "says nothing of tests by a command line" in response.evidence[-1].text


async def test_a_gap_chooses_among_tests_by_what_it_asks_for(retriever: Retriever, tmp_path: Path) -> None:
    """A test with its words goes before what reaches the symbol by a method of that name, and is shown as a whole."""
    others = "".join(f"def test_send_{number}():\n    Client().send({number})\n\n\n" for number in range(9))
    telling = (
        "def test_missing_certificate():\n    def verify(client):\n        client.send('certificate', missing=True)\n"
    )
    files = {
        "client.py": "class Client:\n    def send(self, it, missing=False):\n        return it\n",
        "tests/test_client.py": f"from client import Client\n\n\n{others}{telling}\n    verify(Client())\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="sending")
    gap = evidence_pb2.Gap(
        symbol="Client.send", aspect=evidence_pb2.GAP_ASPECT_TESTS, description="a certificate is missing"
    )
    request = pb.ResolveGapsRequest(repository="sending", gaps=[gap], question="What does it send?")

    response = await retriever.stub.ResolveGaps(request)

    assert response.evidence[0].symbol.qualified_name == "test_missing_certificate"


async def test_tests_of_overloads_are_those_of_one_definition(retriever: Retriever, tmp_path: Path) -> None:
    """Declarations for type checkers have no list of their own."""
    head = "from typing import overload\n\n\n"
    overloads = "".join(f"@overload\ndef load(it: {kind}) -> {kind}: ...\n\n\n" for kind in ("int", "str"))
    files = {
        "loading.py": f"{head}{overloads}def load(it):\n    return it\n",
        "tests/test_loading.py": "from loading import load\n\n\ndef test_load():\n    assert load(1) == 1\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="declared")
    gap = evidence_pb2.Gap(symbol="load", aspect=evidence_pb2.GAP_ASPECT_TESTS)

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="declared", gaps=[gap]))

    assert response.results[0].detail == "load is tested by 1"


def _lines(response: pb.ResolveGapsResponse) -> list[int]:
    return [
        line for piece in response.evidence for run in piece.lines for line in range(run.start_line, run.end_line + 1)
    ]


async def test_every_gap_is_in_the_log(retriever: Retriever) -> None:
    """With the place that was found; where none was, with the one that was asked for."""
    request = pb.ResolveGapsRequest(
        repository="shop",
        retrieval_id="ret_gaps",
        gaps=[
            evidence_pb2.Gap(symbol="Order.pay"),
            evidence_pb2.Gap(path="README.md"),
            evidence_pb2.Gap(symbol="Order.lose", path="shop/orders.py"),
        ],
    )
    await retriever.stub.ResolveGaps(request)

    listed = await retriever.stub.ListDecisions(pb.ListDecisionsRequest(repository="shop", retrieval_id="ret_gaps"))

    told = [
        (each.step, each.subject.path, bool(each.subject.start_line), each.qualified_name, each.included)
        for each in listed.decisions
    ]
    assert told == [
        ("symbol: resolved", "shop/orders.py", True, "Order.pay", True),
        ("file: resolved", "README.md", True, "", True),
        ("symbol: absent", "shop/orders.py", False, "Order.lose", False),
    ]


async def test_a_function_says_who_calls_it_where_that_is_not_shown(retriever: Retriever, tmp_path: Path) -> None:
    """Where few do: that many call it says nothing of it. Tests and lines that are shown are left out."""
    many = "".join(f"def ask_{number}():\n    return often()\n\n\n" for number in range(4))
    files = {
        "pay.py": "def charge():\n    return often()\n\n\ndef often():\n    return 1\n",
        "till.py": f"from pay import charge, often\n\n\ndef shut():\n    x = 1\n    return charge() + x\n\n\n{many}",
        "tests/test_pay.py": "from pay import charge\n\n\ndef test_charge():\n    assert charge()\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="callers")
    gaps = [evidence_pb2.Gap(symbol=name) for name in ("charge", "often")]
    request = pb.ResolveGapsRequest(repository="callers", gaps=gaps)

    charge, often = (await retriever.stub.ResolveGaps(request)).evidence
    request.gaps.add(symbol="shut")
    (beside, *_) = (await retriever.stub.ResolveGaps(request)).evidence
    del request.gaps[2]
    request.shown.add(path="till.py", start_line=6, end_line=6)
    (before, *_) = (await retriever.stub.ResolveGaps(request)).evidence

    assert [(each.name, each.place.path, each.place.start_line) for each in charge.callers] == [("shut", "till.py", 6)]
    assert not any(each.callers for each in (often, beside, before))


async def test_a_method_says_which_subclasses_have_their_own(retriever: Retriever, tmp_path: Path) -> None:
    """Who reads the base class alone would take its code for what runs; tests' subclasses do not count."""
    files = {
        "shop/base.py": "class Till:\n    def shut(self):\n        return 1\n\n    def open(self):\n        return 2\n",
        "shop/card.py": "from shop.base import Till\n\n\nclass Card(Till):\n    def shut(self):\n        return 3\n",
        "tests/test_till.py": "from shop.base import Till\n\n\nclass Fake(Till):\n    def shut(self): ...\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="tills")
    gaps = [evidence_pb2.Gap(symbol=name) for name in ("Till.shut", "Till.open")]

    asked = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="tills", gaps=gaps))
    found = await retriever.stub.Retrieve(pb.RetrieveRequest(repository="tills", question="What does Till.shut do?"))

    shut, opened = asked.evidence
    assert [(each.path, each.qualified_name, each.start_line) for each in shut.overriders] == [
        ("shop/card.py", "Card.shut", 5)
    ]
    assert not opened.overriders
    (first,) = [each for each in found.evidence if each.symbol.qualified_name == "Till.shut"]
    assert first.overriders == shut.overriders
