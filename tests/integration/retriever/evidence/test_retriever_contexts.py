"""Context for tasks from a real index of the shop, over the contract."""

from __future__ import annotations

import json
import uuid
from typing import Any

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import question_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from common.core.words.tokens import BpeTokenCounter
from tests.integration.retriever.conftest import Retriever

_TASK = "Release the reservation in `Checkout.run` when the payment times out"


def _request(**changes: Any) -> pb.BuildContextRequest:
    fields: dict[str, Any] = {
        "repository": "shop",
        "task": _TASK,
        "task_id": uuid.uuid4().hex,
        "stages": ["scope", "precision"],
        "context_window_tokens": 8000,
        "reserved_tokens": 1000,
    }
    return pb.BuildContextRequest(**(fields | changes))


def _of(package: pb.ContextPackage, name: str) -> pb.ContextEntry:
    return next(each for each in package.entries if each.evidence.symbol.qualified_name == name)


async def test_a_named_symbol_is_primary_and_what_it_calls_supports_it(retriever: Retriever) -> None:
    """The whole body of what is changed, signatures of what it calls, the shape of its class, and the test of it."""
    package = await retriever.stub.BuildContext(_request())

    first = package.entries[0]
    assert (first.evidence.symbol.qualified_name, first.role, first.tier) == (
        "Checkout.run",
        pb.CONTEXT_ROLE_PRIMARY,
        "seed",
    )
    assert "self.warehouse.release(reservation)" in first.evidence.text
    assert _of(package, "Checkout").role == pb.CONTEXT_ROLE_TYPE
    supporting = _of(package, "Order.of")
    assert (supporting.role, supporting.relation) == (pb.CONTEXT_ROLE_SUPPORTING, "called by Checkout.run")
    assert supporting.tier == "dependency"
    test = next(each for each in package.entries if each.tier == "test")
    assert test.relation == "asserts on Checkout.run"
    assert "warehouse.available" in test.evidence.text
    assert ("shop/checkout.py", "shop/orders.py") in {(each.path, each.depends_on) for each in package.dependencies}
    assert [each.stage for each in package.timings] == ["seeds", "scope", "precision"]
    ids = [each.evidence.evidence_id for each in package.entries]
    assert len(ids) == len(set(ids))
    assert (package.revision, package.limit_tokens) == (1, 7000)


async def test_files_stand_for_themselves_when_no_stage_sorts_symbols(retriever: Retriever) -> None:
    """With scope alone each file says by which tier and relation it came in."""
    package = await retriever.stub.BuildContext(_request(stages=["scope"]))

    relations = {each.evidence.span.path: (each.tier, each.relation) for each in package.entries}
    assert relations["shop/checkout.py"][0] == "seed"
    assert relations["shop/orders.py"] == ("dependency", "called by shop/checkout.py")


@pytest.mark.parametrize("form", ["MARKDOWN", "PROMPT", "JSON"])
@pytest.mark.parametrize("window", [1, 60, 300, 900, 4000])
async def test_no_rendering_is_over_the_budget(retriever: Retriever, form: str, window: int) -> None:
    """What the reader gets fits, whatever the form; the JSON form is JSON."""
    request = _request(context_window_tokens=window, reserved_tokens=0, format=f"CONTEXT_FORMAT_{form}")

    package = await retriever.stub.BuildContext(request)

    assert package.used_tokens == BpeTokenCounter().count(package.rendered) <= package.limit_tokens == window
    if form == "JSON" and package.rendered:
        assert len(json.loads(package.rendered)["entries"]) == len(package.entries)


async def test_over_budget_a_body_shrinks_before_anything_goes(retriever: Retriever) -> None:
    """A package that is a little too large has all its entries, one of them as a signature."""
    whole = await retriever.stub.BuildContext(_request())

    package = await retriever.stub.BuildContext(
        _request(context_window_tokens=whole.used_tokens - 1, reserved_tokens=0)
    )

    assert len(package.entries) == len(whole.entries)
    assert [each.demoted for each in whole.entries].count(True) == 0
    assert [each.demoted for each in package.entries].count(True) >= 1


async def test_an_equal_request_gets_the_package_that_is_kept(retriever: Retriever) -> None:
    """Also its time of making is the same; another request under the same id is refused."""
    request = _request()
    first = await retriever.stub.BuildContext(request)

    second = await retriever.stub.BuildContext(request)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.BuildContext(_request(task_id=request.task_id, min_co_changes=9))

    assert second == first
    assert caught.value.code() == grpc.StatusCode.ALREADY_EXISTS
    assert _reason(caught.value) == "ERROR_REASON_REQUEST_ID_REUSED"


async def test_a_refinement_brings_what_was_missing_first(retriever: Retriever) -> None:
    """Symbols, files, tests and errors that were asked for come before all else, within the same budget."""
    built = await retriever.stub.BuildContext(_request(format="CONTEXT_FORMAT_MARKDOWN"))
    request = pb.RefineContextRequest(
        repository="shop",
        task_id=built.task_id,
        missing_files=["shop/janitor.py", "nothing.py"],
        missing_symbols=["Mailer.confirm"],
        missing_tests=["test_releases_stock_when_payment_is_declined"],
        error_signatures=["storage folder is read-only: /srv"],
        reason="mails were lost",
    )

    package = await retriever.stub.RefineContext(request)

    assert (package.revision, package.limit_tokens) == (2, built.limit_tokens)
    assert package.used_tokens <= package.limit_tokens
    first = {each.evidence.symbol.qualified_name or each.evidence.span.path for each in package.entries[:4]}
    assert {"Mailer.confirm", "shop/janitor.py"} <= first
    assert _of(package, "Mailer.confirm").relation == "asked for: mails were lost"
    assert "Mailer.confirm" in package.rendered
    decisions = await _decisions(retriever, built.task_id)
    assert ("refinement", "nothing.py", False) in decisions
    assert list(package.not_found) == ["nothing.py"]
    assert ("refinement", "_save", True) in decisions


async def test_what_was_corrected_is_no_longer_missed(retriever: Retriever) -> None:
    """A package says what its last refinement asked for in vain, not what an earlier one misspelt."""
    task_id = (await retriever.stub.BuildContext(_request())).task_id

    async def missed(*symbols: str) -> list[str]:
        request = pb.RefineContextRequest(repository="shop", task_id=task_id, missing_symbols=symbols)
        return list((await retriever.stub.RefineContext(request)).not_found)

    assert await missed("Mailr.confirm", "Nobody") == ["Mailr.confirm", "Nobody"]
    assert await missed("Mailer.confirm") == []


async def test_decisions_on_every_file_and_symbol_are_listed(retriever: Retriever) -> None:
    """In and out, each with its stage."""
    package = await retriever.stub.BuildContext(_request())

    decisions = await _decisions(retriever, package.task_id)

    assert ("precision", "Checkout.run", True) in decisions
    assert any(stage == "precision" and not included for stage, _, included in decisions)
    assert {stage for stage, _, _ in decisions} == {"seeds", "scope", "precision", "budget"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"context_window_tokens": 0}, "context_window_tokens"),
        ({"context_window_tokens": -5}, "context_window_tokens"),
        ({"reserved_tokens": 8000}, "reserved_tokens"),
        ({"reserved_tokens": -1}, "reserved_tokens"),
        ({"stages": []}, "stages"),
        ({"stages": ["guess"]}, "stages[0]"),
        ({"stages": ["scope", "scope"]}, "stages[1]"),
        ({"stages": ["precision", "scope"]}, "stages[1]"),
        ({"format": 77}, "format"),
        ({"min_co_changes": -1}, "min_co_changes"),
        ({"task": "  "}, "task"),
        ({"task_id": "x" * 65}, "task_id"),
    ],
)
async def test_nonsense_is_refused(retriever: Retriever, changes: dict[str, Any], field: str) -> None:
    """Each wrong field is named, and nothing is built."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.BuildContext(_request(**changes))

    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert f"{field}: " in (caught.value.details() or "")


async def test_a_refinement_must_name_something(retriever: Retriever) -> None:
    """A reason alone says nothing that could be looked up."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.RefineContext(pb.RefineContextRequest(repository="shop", task_id="x", reason="more"))

    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_anchors_of_the_caller_decide_where_a_task_starts(retriever: Retriever) -> None:
    """Frames and paths that were found elsewhere are seeds, whatever the words of the task."""
    frame = question_pb2.StackFrame(path="/srv/shop/orders.py", line=48, function="_move")
    anchors = question_pb2.Anchors(paths=["shop/ledger.py"], frames=[frame])

    package = await retriever.stub.BuildContext(_request(task="Repair this", anchors=anchors))

    assert package.entries[0].evidence.symbol.qualified_name == "Order._move"


async def _decisions(retriever: Retriever, task_id: str) -> set[tuple[str, str, bool]]:
    request = pb.ListDecisionsRequest(repository="shop", retrieval_id=task_id, page_size=1000)
    found = (await retriever.stub.ListDecisions(request)).decisions
    return {(each.stage, each.qualified_name, each.included) for each in found}


def _reason(error: grpc.aio.AioRpcError) -> str:
    info = error_details_pb2.ErrorInfo()
    next(each for each in rpc_status.from_call(error).details if each.Is(info.DESCRIPTOR)).Unpack(info)
    return str(info.reason)
