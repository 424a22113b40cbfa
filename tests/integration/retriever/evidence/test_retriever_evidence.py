"""What each mode finds in a real index of the shop, over the contract."""

from __future__ import annotations

import hashlib

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.reading import read_message
from tests.integration.retriever.conftest import SHOP, Retriever

_Mode = question_pb2.Mode


def _request(
    question: str, mode: str, *, anchors: question_pb2.Anchors | None = None, scope: str = "", **more: object
) -> pb.RetrieveRequest:
    classification = question_pb2.Classification(
        mode=_Mode.Value(f"MODE_{mode}"), anchors=anchors, scope=scope, understanding=read_message(question)
    )
    request = pb.RetrieveRequest(repository="shop", question=question, classification=classification)
    for name, value in more.items():
        getattr(request, name).CopyFrom(value)
    return request


def _cited(response: pb.RetrieveResponse) -> set[str]:
    shown = [piece.symbol for piece in response.evidence if piece.HasField("symbol")]
    shown += [symbol for piece in response.evidence for symbol in piece.mentions]
    return {f"{symbol.path}::{symbol.qualified_name}" for symbol in shown}


def _numbers(response: pb.RetrieveResponse) -> str:
    return next(piece.text for piece in response.evidence if piece.kind == evidence_pb2.EVIDENCE_KIND_METRICS)


async def test_a_diagnostic_question_leads_to_the_message(retriever: Retriever) -> None:
    """The error site is shown first, then what calls it; source may have what documents leave."""
    anchors = question_pb2.Anchors(
        exceptions=["StorageReadOnly"], error_messages=["storage folder is read-only: /data/orders.json"]
    )
    response = await retriever.stub.Retrieve(
        _request("Why does saving fail with 'storage folder is read-only'?", "DIAGNOSTIC", anchors=anchors)
    )

    assert response.evidence[0].symbol.qualified_name == "_save"
    assert "raise StorageReadOnly" in response.evidence[0].text
    assert "shop/storage.py::write" in _cited(response)
    use = {evidence_pb2.ContextSource.Name(each.source): each for each in response.budget_use}
    assert use["CONTEXT_SOURCE_DOCS"].limit_tokens == 200
    assert use["CONTEXT_SOURCE_CODE"].limit_tokens == 4000 - use["CONTEXT_SOURCE_DOCS"].used_tokens
    assert all(each.used_tokens <= each.limit_tokens for each in response.budget_use)
    assert "error_search" in response.quality.ran


async def test_a_stack_frame_leads_to_its_function(retriever: Retriever) -> None:
    """A path of another machine and a line are enough."""
    frames = [
        question_pb2.StackFrame(path="/srv/venv/shop/app.py", line=44, function="handle"),
        question_pb2.StackFrame(path="/srv/venv/shop/orders.py", line=48, function="_move"),
    ]
    response = await retriever.stub.Retrieve(
        _request("It crashes.", "DIAGNOSTIC", anchors=question_pb2.Anchors(frames=frames))
    )

    assert response.evidence[0].symbol.qualified_name == "Order._move"
    assert "shop/app.py::App.handle" in _cited(response)


async def test_a_frame_of_another_version_leads_to_the_nearest_function_of_its_name(retriever: Retriever) -> None:
    """The line is that of another function here; the reason then claims no line."""
    frames = [question_pb2.StackFrame(path="C:\\shop\\payments.py", line=24, function="_send", language="python")]
    response = await retriever.stub.Retrieve(
        _request("It crashes.", "DIAGNOSTIC", anchors=question_pb2.Anchors(frames=frames))
    )

    assert response.evidence[0].symbol.qualified_name == "Gateway._send"
    assert response.evidence[0].reason == "stands in the stack trace by its name"


async def test_an_exploratory_question_gets_a_flow_tree(retriever: Retriever) -> None:
    """The source of pivotal steps, and behind it the calls from the named entry forward, with places."""
    anchors = question_pb2.Anchors(symbols=["Checkout.run"])
    response = await retriever.stub.Retrieve(
        _request("Trace what happens when a cart is bought", "EXPLORATORY", anchors=anchors)
    )

    flow = next(piece for piece in response.evidence if piece.kind == evidence_pb2.EVIDENCE_KIND_FLOW)
    assert flow.text.startswith("Checkout.run (shop/checkout.py:")
    assert "  → Order.of (shop/orders.py:" in flow.text
    assert {"Order.of", "total_of"} <= {symbol.qualified_name for symbol in flow.mentions}
    assert "shop/checkout.py::Checkout.run" in _cited(response)


async def test_an_analytical_question_gets_numbers_and_a_diagram(retriever: Retriever) -> None:
    """Source before structure before diagram; a findings layer that was not wanted is no loss."""
    response = await retriever.stub.Retrieve(_request("Which modules are coupled most?", "ANALYTICAL", scope="shop"))

    kinds = [evidence_pb2.EvidenceKind.Name(piece.kind) for piece in response.evidence]
    own = [kind for kind in kinds if kind in {"EVIDENCE_KIND_METRICS", "EVIDENCE_KIND_DIAGRAM"}]
    assert own == ["EVIDENCE_KIND_METRICS", "EVIDENCE_KIND_DIAGRAM"]
    assert kinds[0] == "EVIDENCE_KIND_SOURCE"
    assert response.scope == "shop/"
    assert "flowchart LR" in next(piece.text for piece in response.evidence if "flowchart" in piece.text)
    assert not any(note.startswith("findings") for note in [*response.quality.skipped, *response.quality.ran])


async def test_an_analytical_question_that_names_no_part_is_about_the_whole(retriever: Retriever) -> None:
    """However its words happen to match, no folder is taken for what it asks; every module has its uses counted."""
    response = await retriever.stub.Retrieve(_request("Which modules are coupled most?", "ANALYTICAL"))

    assert response.scope == ""
    assert _numbers(response).startswith("Structure of the whole repository\n\nCoupling (module: uses others,")


@pytest.mark.parametrize("mode", ["CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "UNSPECIFIED"])
async def test_only_a_question_about_structure_has_a_scope(retriever: Retriever, mode: str) -> None:
    """What other questions name is searched for like the rest of their words, so the response claims no scope."""
    response = await retriever.stub.Retrieve(_request("How is stock reserved?", mode, scope="shop"))

    assert response.scope == ""


async def test_a_scope_shows_its_own_modules_and_those_around_it(retriever: Retriever) -> None:
    """Fan-out and fan-in of each module inside; below the scope, paths are short."""
    response = await retriever.stub.Retrieve(_request("Which modules are coupled most?", "ANALYTICAL", scope="shop"))

    inside = _numbers(response).partition("Inside (module: uses others, is used by others):\n")[2]
    assert {"- checkout.py: 8, 5", "- errors.py: 0, 22"} <= set(inside.partition("\n\n")[0].splitlines())


async def test_a_conceptual_question_gets_the_code_that_does_it(retriever: Retriever) -> None:
    """Whole, with path, lines and the hash of those lines; pages come behind it."""
    response = await retriever.stub.Retrieve(_request("What does release_overdue do with reservations?", "CONCEPTUAL"))

    piece = next(piece for piece in response.evidence if piece.symbol.qualified_name == "release_overdue")
    lines = (SHOP / piece.span.path).read_text().split("\n")[piece.span.start_line - 1 : piece.span.end_line]
    assert piece.kind == evidence_pb2.EVIDENCE_KIND_SOURCE
    assert piece.text == "\n".join(lines) + "\n"
    assert [(run.start_line, run.end_line) for run in piece.lines] == [(piece.span.start_line, piece.span.end_line)]
    assert piece.content_hash == hashlib.sha256(piece.text.encode()).hexdigest()
    sources = [each.source for each in response.evidence]
    assert sources == sorted(sources, key=lambda source: source == evidence_pb2.CONTEXT_SOURCE_DOCS)


@pytest.mark.parametrize("mode", ["CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL", "UNSPECIFIED"])
async def test_each_of_the_best_files_has_its_say(retriever: Retriever, mode: str) -> None:
    """Matches of the first file do not crowd out the next ones, however much of it there is to show."""
    request = _request("How is stock of an order reserved and released?", mode)
    response = await retriever.stub.Retrieve(request)
    request.ranking_only = True
    ranking = await retriever.stub.Retrieve(request)

    best = [each.path for each in ranking.files[:5]]
    cited = {piece.span.path for piece in response.evidence} | {path.split("::")[0] for path in _cited(response)}
    assert len(best) == 5
    assert set(best) <= cited


@pytest.mark.parametrize("mode", ["CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL", "UNSPECIFIED"])
async def test_known_evidence_is_not_supplied_twice(retriever: Retriever, mode: str) -> None:
    """The second answer to the same question holds none of the pieces of the first."""
    request = _request("How is stock reserved and released?", mode)
    first = await retriever.stub.Retrieve(request)
    request.known_evidence_ids.extend(piece.evidence_id for piece in first.evidence)

    second = await retriever.stub.Retrieve(request)

    known = set(request.known_evidence_ids)
    assert first.evidence
    assert known.isdisjoint(piece.evidence_id for piece in second.evidence)


@pytest.mark.parametrize("mode", ["CONCEPTUAL", "DIAGNOSTIC", "EXPLORATORY", "ANALYTICAL", "UNSPECIFIED"])
@pytest.mark.parametrize(("total", "initial"), [(800, 0), (0, 150), (900, 4000), (701, 0), (100000, 50000)])
async def test_no_answer_exceeds_its_budget(retriever: Retriever, mode: str, total: int, initial: int) -> None:
    """Whatever the request allows, the smallest cap holds."""
    budget = question_pb2.Budget(total_tokens=total, initial_tokens=initial)

    response = await retriever.stub.Retrieve(_request("How does the janitor work?", mode, budget=budget))

    used = sum(piece.tokens for piece in response.evidence)
    assert used <= min(initial or 4000, max(0, (total or 8000) - 700))
    assert used == sum(each.used_tokens for each in response.budget_use)


@pytest.mark.parametrize(
    ("switch", "gone"),
    [
        ("without_code_index", {"source", "error_search", "call_graph"}),
        ("without_call_graph", {"call_graph"}),
        ("without_source", {"source"}),
        ("without_mode_routing", {"error_search", "call_graph"}),
    ],
)
async def test_each_part_can_be_turned_off(retriever: Retriever, switch: str, gone: set[str]) -> None:
    """What is left still answers, and says what was left out."""
    switches = question_pb2.Switches(**{switch: True})

    response = await retriever.stub.Retrieve(
        _request("Why does checkout raise OutOfStock?", "DIAGNOSTIC", switches=switches)
    )

    assert response.evidence
    assert gone.isdisjoint(response.quality.ran)
    if switch == "without_source":
        assert all(piece.kind != evidence_pb2.EVIDENCE_KIND_SOURCE for piece in response.evidence)
    if switch != "without_mode_routing":
        assert any("turned off" in note for note in response.quality.skipped)


async def test_ranking_only_ranks_and_fills_no_budget(retriever: Retriever) -> None:
    """For evaluation: files and symbols, no text."""
    request = _request("How is stock reserved?", "EXPLORATORY")
    request.ranking_only = True

    response = await retriever.stub.Retrieve(request)

    assert not response.evidence
    assert "shop/warehouse.py" in [file.path for file in response.files[:3]]
    assert "README.md" in [file.path for file in response.files]
    assert "Warehouse.reserve" in [symbol.symbol.qualified_name for symbol in response.symbols[:5]]


async def test_what_was_considered_can_be_listed(retriever: Retriever) -> None:
    """In order, page by page, with who decided, what, and why."""
    anchors = question_pb2.Anchors(exceptions=["OutOfStock"])
    request = _request("Why does checkout raise OutOfStock?", "DIAGNOSTIC", anchors=anchors)
    request.retrieval_id = "ret_mine"
    response = await retriever.stub.Retrieve(request)
    wanted = pb.ListDecisionsRequest(repository="shop", retrieval_id="ret_mine", page_size=7)

    decisions: list[evidence_pb2.Decision] = []
    while not decisions or wanted.page_token:
        page = await retriever.stub.ListDecisions(wanted)
        decisions += page.decisions
        wanted.page_token = page.next_page_token

    assert response.retrieval_id == "ret_mine"
    assert [decision.sequence for decision in decisions] == list(range(1, len(decisions) + 1))
    assert {"search", "error_sites", "budget"} <= {decision.stage for decision in decisions}
    assert all(decision.reason for decision in decisions)
    assert sum(d.included for d in decisions if d.stage == "budget") == len(response.evidence)


async def test_an_outline_names_what_there_was_no_room_for(retriever: Retriever) -> None:
    """With their lines, by file; nothing that is shown, and only for a reader that asks for it."""
    request = _request("How does the shop take an order?", "CONCEPTUAL", budget=question_pb2.Budget(initial_tokens=700))
    plain = await retriever.stub.Retrieve(request)
    request.with_outline = True
    outlined = await retriever.stub.Retrieve(request)

    (outline,) = [each for each in outlined.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_OUTLINE]
    named = {
        f"{path}::{name.rpartition(' ')[0]}"
        for path, _, names in (line.partition(": ") for line in outline.text.splitlines())
        for name in names.split(", ")
    }
    shown = {f"{each.symbol.path}::{each.symbol.qualified_name}" for each in outlined.evidence if each.lines}
    assert shown
    assert named
    assert not shown & named
    for name in named:
        path, _, symbol = name.partition("::")
        line = next(each for each in outline.text.splitlines() if each.startswith(f"{path}: "))
        first = int(line.partition(f"{symbol} ")[2].partition(",")[0])
        last = symbol.rpartition(".")[2]
        assert last in "".join((SHOP / path).read_text().splitlines()[first - 1 : first + 3])
    assert not any(each.kind == evidence_pb2.EVIDENCE_KIND_OUTLINE for each in plain.evidence)


async def test_who_asks_for_more_is_shown_what_an_answer_rests_on(retriever: Retriever) -> None:
    """Lines of files: no trees of calls, and no pages without a place."""
    request = _request("What happens when a customer checks out?", "EXPLORATORY")
    plain = await retriever.stub.Retrieve(request)
    request.with_outline = True
    asking = await retriever.stub.Retrieve(request)

    assert evidence_pb2.EVIDENCE_KIND_FLOW in {each.kind for each in plain.evidence}
    assert evidence_pb2.EVIDENCE_KIND_FLOW not in {each.kind for each in asking.evidence}
    assert all(each.span.path for each in asking.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_DOC)
