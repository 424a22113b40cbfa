"""The service by its contract: look-ups, claims, citations, and what a caller is told when something is wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from tests.integration.retriever.conftest import Retriever


async def test_symbols_are_found_by_name_with_what_they_do(retriever: Retriever) -> None:
    """Exact matches first; fans, raises, changes and messages come with each."""
    response = await retriever.stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", name="_move"))

    found = response.symbols[0]
    assert found.ref.qualified_name == "Order._move"
    assert (list(found.raises), list(found.mutates)) == (["IllegalState"], ["self.state"])
    assert found.module == "shop.orders"
    assert found.error_strings
    assert (found.fan_in, found.docstring) == (3, "")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (pb.LookupSymbolsRequest(raises="IllegalState", mutates="state"), {"Order._move"}),
        (pb.LookupSymbolsRequest(name="_move", raises="IllegalState"), {"Order._move"}),
        (pb.LookupSymbolsRequest(name="_move", raises="KeyError"), set()),
        (pb.LookupSymbolsRequest(mutates="self.state", path="cart.py"), set()),
    ],
)
async def test_symbols_are_found_by_what_they_do(
    retriever: Retriever, wanted: pb.LookupSymbolsRequest, found: set[str]
) -> None:
    """By what they raise or change, with or without a name, in files that are named."""
    wanted.repository = "shop"
    response = await retriever.stub.LookupSymbols(wanted)

    assert {symbol.ref.qualified_name for symbol in response.symbols} == found


async def test_a_lookup_without_anything_to_look_for_is_refused(retriever: Retriever) -> None:
    """Neither a name nor what symbols do."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop"))

    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_symbols_come_in_pages(retriever: Retriever) -> None:
    """Overloads of one name are all there, in order of line, on pages of any size."""
    request = pb.LookupSymbolsRequest(repository="overloads", name="Box.put", page_size=50)
    lines: list[int] = []
    sizes: list[int] = []
    while not sizes or request.page_token:
        page = await retriever.stub.LookupSymbols(request)
        lines += [symbol.ref.start_line for symbol in page.symbols]
        sizes.append(len(page.symbols))
        request.page_token = page.next_page_token

    assert sizes == [50, 50, 20]
    assert lines == sorted(set(lines))


async def test_a_walk_returns_edges_nearest_first(retriever: Retriever) -> None:
    """Backward from a symbol, hop by hop, and it says when there was more."""
    seed = code_pb2.SymbolRef(path="shop/storage.py", qualified_name="_save")
    request = pb.ExpandGraphRequest(repository="shop", seeds=[seed], direction=pb.DIRECTION_BACKWARD, hops=2)

    whole = await retriever.stub.ExpandGraph(request)
    request.max_edges = 1
    cut = await retriever.stub.ExpandGraph(request)

    assert {edge.source.qualified_name for edge in whole.edges[:2]} == {"write", "append"}
    assert all(edge.target.qualified_name == "_save" for edge in whole.edges[:2])
    assert not whole.truncated
    assert (len(cut.edges), cut.truncated) == (1, True)


async def test_spans_are_read_with_their_hash(retriever: Retriever) -> None:
    """Lines as they stand, and a whole file when no lines are named."""
    request = pb.ReadSpansRequest(
        repository="shop",
        spans=[
            code_pb2.Span(path="shop/janitor.py", start_line=1, end_line=1),
            code_pb2.Span(path="shop/janitor.py"),
        ],
    )

    response = await retriever.stub.ReadSpans(request)

    assert response.texts[0].text == '"""Cleans up once a minute."""\n'
    assert response.texts[1].span.start_line == 1
    assert response.texts[1].text.startswith(response.texts[0].text)


_Claim = evidence_pb2.Claim
_K = evidence_pb2


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "verdict"),
    [
        (_K.CLAIM_KIND_EXISTS, "Warehouse.reserve", "", "VERIFIED"),
        (_K.CLAIM_KIND_EXISTS, "Warehouse.reserve_all", "", "CONTRADICTED"),
        (_K.CLAIM_KIND_EXISTS, "json.dump", "", "UNCHECKABLE"),
        (_K.CLAIM_KIND_CALLS, "Checkout.run", "Order.of", "VERIFIED"),
        (_K.CLAIM_KIND_CALLS, "sweep", "release_overdue", "VERIFIED"),
        (_K.CLAIM_KIND_CALLS, "match_parts", "release_overdue", "CONTRADICTED"),
        (_K.CLAIM_KIND_CALLS, "Order.send", "release_overdue", "CONTRADICTED"),
        (_K.CLAIM_KIND_RAISES, "Warehouse.reserve", "OutOfStock", "VERIFIED"),
        (_K.CLAIM_KIND_RAISES, "Order.pay", "IllegalState", "UNCHECKABLE"),
        (_K.CLAIM_KIND_MUTATES, "Order._move", "self.state", "VERIFIED"),
        (_K.CLAIM_KIND_MUTATES, "Order._move", "receipt", "CONTRADICTED"),
    ],
)
async def test_claims_are_checked_against_the_index(
    retriever: Retriever, kind: evidence_pb2.ClaimKind.ValueType, subject: str, object_: str, verdict: str
) -> None:
    """Verified by what is there, contradicted by what is not, uncheckable where neither shows."""
    request = pb.CheckClaimsRequest(repository="shop", claims=[_Claim(kind=kind, subject=subject, object=object_)])

    checked = (await retriever.stub.CheckClaims(request)).claims[0]

    assert evidence_pb2.ClaimVerdict.Name(checked.verdict).removeprefix("CLAIM_VERDICT_") == verdict, checked.detail
    assert checked.detail


@pytest.mark.parametrize(
    ("quoted", "line", "verdict"),
    [
        ("raise   StorageReadOnly(f'storage folder is read-only: {path}') from error", 46, "VERIFIED"),
        ("except PermissionError as error:\n    ... (1 line cut)\n", 45, "VERIFIED"),
        ("raise StorageReadOnly(path)", 46, "CONTRADICTED"),
        ("_cache = {}", 40, "CONTRADICTED"),
    ],
)
async def test_quotations_are_compared_with_the_source(
    retriever: Retriever, quoted: str, line: int, verdict: str
) -> None:
    """White space and quotation marks do not matter; the place does."""
    span = code_pb2.Span(path="shop/storage.py", start_line=line, end_line=line)
    claim = _Claim(kind=_K.CLAIM_KIND_QUOTES, object=quoted, span=span)

    response = await retriever.stub.CheckClaims(pb.CheckClaimsRequest(repository="shop", claims=[claim]))

    assert evidence_pb2.ClaimVerdict.Name(response.claims[0].verdict) == f"CLAIM_VERDICT_{verdict}"


async def test_a_citation_is_followed(retriever: Retriever) -> None:
    """Same lines at the place, the same lines elsewhere, other lines under the name, and nothing at all."""
    whole = pb.ReadSpansRequest(
        repository="shop", spans=[code_pb2.Span(path="shop/janitor.py", start_line=8, end_line=10)]
    )
    text = (await retriever.stub.ReadSpans(whole)).texts[0]
    sweep = code_pb2.SymbolRef(path="shop/janitor.py", qualified_name="sweep")

    async def state(start: int, content_hash: str, name: str) -> str:
        span = code_pb2.Span(path="shop/janitor.py", start_line=start, end_line=start + 2)
        symbol = code_pb2.SymbolRef(path="shop/janitor.py", qualified_name=name)
        citation = evidence_pb2.Citation(span=span, content_hash=content_hash, symbol=symbol)
        response = await retriever.stub.ResolveCitation(pb.ResolveCitationRequest(repository="shop", citation=citation))
        return pb.CitationState.Name(response.state).removeprefix("CITATION_STATE_")

    assert await state(8, text.content_hash, sweep.qualified_name) == "SAME"
    assert await state(2, text.content_hash, sweep.qualified_name) == "MOVED"
    assert await state(8, "0" * 64, sweep.qualified_name) == "CHANGED"
    assert await state(8, "0" * 64, "gone") == "GONE"


_Q = pb.RetrieveRequest
_BAD: list[tuple[str, Any, str, str]] = [
    ("Retrieve", _Q(repository="nobody", question="x"), "NOT_FOUND", "REPOSITORY_NOT_FOUND"),
    ("Retrieve", _Q(repository="../shop", question="x"), "NOT_FOUND", "REPOSITORY_NOT_FOUND"),
    ("Retrieve", _Q(repository="waiting", question="x"), "FAILED_PRECONDITION", "INDEX_NOT_READY"),
    ("Retrieve", _Q(repository="shop", snapshot_id="0" * 64, question="x"), "NOT_FOUND", "SNAPSHOT_NOT_FOUND"),
    ("Retrieve", _Q(repository="shop", question=" \n"), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("Retrieve", _Q(repository="shop", question="x" * 100_001), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("Retrieve", _Q(question="x"), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    (
        "Retrieve",
        _Q(repository="shop", question="x", budget=question_pb2.Budget(total_tokens=-1)),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    (
        "Retrieve",
        _Q(repository="shop", question="x", budget=question_pb2.Budget(total_tokens=500)),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    (
        "Retrieve",
        _Q(repository="shop", question="x", budget=question_pb2.Budget(total_tokens=400, system_tokens=400)),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    (
        "Retrieve",
        _Q(repository="shop", question="x", classification=question_pb2.Classification(confidence=7)),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    (
        "Retrieve",
        _Q(repository="shop", question="x", known_evidence_ids=[""] * 100_001),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    (
        "ResolveGaps",
        pb.ResolveGapsRequest(
            repository="shop", gaps=[evidence_pb2.Gap(symbol="x")], known_evidence_ids=[""] * 100_001
        ),
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ),
    ("Search", pb.SearchRequest(repository="shop", query=""), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("Search", pb.SearchRequest(repository="shop", query="x", max_files=-1), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("ResolveGaps", pb.ResolveGapsRequest(repository="shop"), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("Search", pb.SearchRequest(repository="shop", query="x", path_prefix="x" * 1001), "INVALID_ARGUMENT", ""),
    ("ExpandGraph", pb.ExpandGraphRequest(repository="shop"), "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ("ExpandGraph", pb.ExpandGraphRequest(repository="shop", seeds=[code_pb2.SymbolRef()]), "INVALID_ARGUMENT", ""),
    (
        "ExpandGraph",
        pb.ExpandGraphRequest(repository="shop", seeds=[code_pb2.SymbolRef(path="shop/cart.py", qualified_name="No")]),
        "NOT_FOUND",
        "SPAN_NOT_FOUND",
    ),
    (
        "ReadSpans",
        pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path="shop/cart.py", start_line=1, end_line=9999)]),
        "NOT_FOUND",
        "SPAN_NOT_FOUND",
    ),
    (
        "ReadSpans",
        pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path="shop/cart.py", start_line=1, end_line=999)]),
        "NOT_FOUND",
        "SPAN_NOT_FOUND",
    ),
    (
        "ReadSpans",
        pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path="../../etc/passwd")]),
        "NOT_FOUND",
        "SPAN_NOT_FOUND",
    ),
    (
        "ListDecisions",
        pb.ListDecisionsRequest(repository="shop", retrieval_id="ret_none"),
        "NOT_FOUND",
        "TASK_NOT_FOUND",
    ),
    (
        "LookupSymbols",
        pb.LookupSymbolsRequest(repository="shop", name="x", page_token="AAAA"),
        "INVALID_ARGUMENT",
        "PAGE_TOKEN_INVALID",
    ),
    ("LookupSymbols", pb.LookupSymbolsRequest(repository="shop", name="x", page_size=-1), "INVALID_ARGUMENT", ""),
    ("CheckClaims", pb.CheckClaimsRequest(repository="shop", claims=[_Claim()]), "INVALID_ARGUMENT", ""),
    ("BuildContext", pb.BuildContextRequest(repository="shop", task="x"), "INVALID_ARGUMENT", ""),
    (
        "RefineContext",
        pb.RefineContextRequest(repository="shop", task_id="x", missing_files=["a.py"]),
        "NOT_FOUND",
        "TASK_NOT_FOUND",
    ),
]


@pytest.mark.parametrize(("method", "request_", "code", "reason"), _BAD)
async def test_bad_requests_get_a_clear_error(
    retriever: Retriever, method: str, request_: Any, code: str, reason: str
) -> None:
    """The right status, exactly one reason, and a text that says what to do."""
    call: Callable[[Any], Awaitable[Any]] = getattr(retriever.stub, method)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(request_)

    status = rpc_status.from_call(caught.value)
    details = [each for each in status.details if each.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    info = error_details_pb2.ErrorInfo()
    details[0].Unpack(info)
    assert caught.value.code().name == code
    assert len(details) == 1
    assert info.domain == "cgrag"
    assert info.reason.endswith(reason)
    assert len(caught.value.details() or "") > 10


async def test_every_wrong_field_is_named(retriever: Retriever) -> None:
    """A caller learns all at once."""
    budget = question_pb2.Budget(initial_tokens=-5, after_pass_tokens=[-1])
    request = pb.RetrieveRequest(repository="", question="", budget=budget)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.Retrieve(request)

    text = caught.value.details() or ""
    for field in ("repository", "question", "budget.initial_tokens", "budget.after_pass_tokens[0]"):
        assert field in text


async def test_a_page_token_of_another_request_is_refused(retriever: Retriever) -> None:
    """A token belongs to the request that it continues."""
    request = pb.LookupSymbolsRequest(repository="overloads", name="Box.put", page_size=50)
    token = (await retriever.stub.LookupSymbols(request)).next_page_token
    other = pb.LookupSymbolsRequest(repository="overloads", name="Box", page_token=token)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.LookupSymbols(other)

    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (9999, "shop/cart.py:3-9999 is not in the snapshot: the file has 41 lines"),
        (2, "spans[0].end_line: must not be before start_line"),
    ],
)
async def test_lines_that_are_not_there_are_told_once(retriever: Retriever, end: int, told: str) -> None:
    """Lines beyond a file are that, however many; lines that end before they begin are nothing else, too."""
    span = code_pb2.Span(path="shop/cart.py", start_line=3, end_line=end)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.ReadSpans(pb.ReadSpansRequest(repository="shop", spans=[span]))

    assert caught.value.details() == told


async def test_a_file_that_is_not_there_is_told_without_lines(retriever: Retriever) -> None:
    """Who asks for all of a file has named no lines, so the error names none."""
    request = pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path="no.py")])

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await retriever.stub.ReadSpans(request)

    assert caught.value.details() == "no.py is not in the snapshot: there is no such file; Search finds files by words"
