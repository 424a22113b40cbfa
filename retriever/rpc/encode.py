"""Encodes domain values as responses."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from common.rpc.serving.mirroring import to_message
from retriever.domain.values import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from common.core.contract.evidence import CheckedClaim, Span
    from common.core.removals import Removal
    from retriever.domain.evidence.budget import Ledger
    from retriever.domain.evidence.piece import Decision, Evidence
    from retriever.domain.questions.question import RankedFile, RankedSymbol, Ranking
    from retriever.domain.values import Edge, LayerProblem, Symbol
    from retriever.usecases.expand_graph import Neighbourhood
    from retriever.usecases.gaps.filling import GapResult
    from retriever.usecases.list_users import UsersPage
    from retriever.usecases.look_up_symbols import SymbolDetail, SymbolsPage
    from retriever.usecases.resolve_citation import Whereabouts
    from retriever.usecases.resolve_gaps import GapsResponse
    from retriever.usecases.retrieve import Question, Retrieval

_MAX_CANDIDATES = 10
_MAX_SYMBOLS = 200


def retrieval(question: Question, found: Retrieval) -> pb.RetrieveResponse:
    """Encode the evidence of a question."""
    response = pb.RetrieveResponse(
        retrieval_id=question.retrieval_id,
        snapshot_id=found.snapshot.snapshot_id,
        evidence=(evidence(each, 1) for each in found.evidence),
        quality=pb.SearchQuality(ran=found.ran, skipped=found.skipped, found=found.found, used=len(found.evidence)),
        budget_use=_budget_use(found.ledger),
        timings=(pb.StageTiming(stage=each.stage, milliseconds=each.milliseconds) for each in found.times),
        scope=found.scope,
        snapshot=to_message(found.snapshot, pb.SnapshotInfo),
    )
    if question.ranking_only:
        response.files.extend(_file(each) for each in found.files)
        response.symbols.extend(_symbol(each) for each in found.symbols[:_MAX_SYMBOLS])
    return response


def resolution(found: GapsResponse, pass_number: int) -> pb.ResolveGapsResponse:
    """Encode the outcome of each gap, with its evidence for the next pass."""
    return pb.ResolveGapsResponse(
        snapshot_id=found.snapshot_id,
        results=(_gap_result(each) for each in found.results),
        evidence=(evidence(piece, pass_number + 1) for result in found.results for piece in result.evidence),
        budget_use=_budget_use(found.ledger),
    )


def ranking(snapshot_id: str, found: Ranking) -> pb.SearchResponse:
    """Encode a ranking."""
    total = len(found.files) + len(found.symbols) + len(found.documents)
    return pb.SearchResponse(
        snapshot_id=snapshot_id,
        files=(_file(each) for each in found.files),
        symbols=(_symbol(each) for each in found.symbols),
        docs=(
            pb.RankedDoc(
                title=each.document.title,
                span=code_pb2.Span(
                    path=each.document.path, start_line=each.document.start_line, end_line=each.document.end_line
                ),
                score=each.score,
            )
            for each in found.documents
        ),
        quality=pb.SearchQuality(ran=found.ran, skipped=found.skipped, found=total, used=total),
        lines=(pb.SpanText(span=to_message(span, code_pb2.Span), text=text) for span, text in found.lines),
    )


def symbols(found: SymbolsPage, next_page_token: str) -> pb.LookupSymbolsResponse:
    """Encode a page of symbols."""
    return pb.LookupSymbolsResponse(
        snapshot_id=found.snapshot_id,
        symbols=(_detail(each) for each in found.symbols),
        next_page_token=next_page_token,
        similar_names=found.similar,
    )


def users(found: UsersPage, next_page_token: str) -> pb.ListUsersResponse:
    """Encode a page of users."""
    return pb.ListUsersResponse(
        snapshot_id=found.snapshot_id,
        lists=(to_message(each, evidence_pb2.UserList) for each in found.lists),
        next_page_token=next_page_token,
        similar_names=found.similar,
    )


def neighbourhood(found: Neighbourhood) -> pb.ExpandGraphResponse:
    """Encode the edges of a walk."""
    return pb.ExpandGraphResponse(
        snapshot_id=found.snapshot_id,
        edges=(_edge(each, found.symbols) for each in found.edges),
        truncated=found.truncated,
    )


def texts(snapshot_id: str, found: Iterable[tuple[Span, str, str]]) -> pb.ReadSpansResponse:
    """Encode texts of spans."""
    return pb.ReadSpansResponse(
        snapshot_id=snapshot_id,
        texts=(
            pb.SpanText(span=to_message(span, code_pb2.Span), text=text, content_hash=content_hash)
            for span, text, content_hash in found
        ),
    )


def claims(snapshot_id: str, found: Iterable[CheckedClaim]) -> pb.CheckClaimsResponse:
    """Encode verdicts."""
    return pb.CheckClaimsResponse(
        snapshot_id=snapshot_id, claims=(to_message(each, evidence_pb2.CheckedClaim) for each in found)
    )


def whereabouts(found: Whereabouts) -> pb.ResolveCitationResponse:
    """Encode what became of a citation."""
    return to_message(found, pb.ResolveCitationResponse)


def decisions(found: Sequence[tuple[int, Decision]], next_page_token: str) -> pb.ListDecisionsResponse:
    """Encode a page of decisions."""
    response = pb.ListDecisionsResponse(next_page_token=next_page_token)
    for sequence, decision in found:
        message = to_message(decision, evidence_pb2.Decision)
        message.sequence = sequence
        response.decisions.append(message)
    return response


def removals(found: Sequence[Removal], next_page_token: str) -> pb.ListRemovalsResponse:
    """Encode a page of removals."""
    return pb.ListRemovalsResponse(
        removals=(to_message(each, pb.Removal) for each in found), next_page_token=next_page_token
    )


def layer_problems(found: Sequence[LayerProblem], next_page_token: str) -> pb.ListLayerProblemsResponse:
    """Encode a page of layers that cannot be used."""
    return pb.ListLayerProblemsResponse(
        problems=(to_message(each, pb.LayerProblem) for each in found), next_page_token=next_page_token
    )


def evidence(piece: Evidence, pass_number: int) -> evidence_pb2.Evidence:
    """Encode a piece of evidence; its mentions and users are only those that its text, maybe truncated, still shows."""
    draft = piece.draft
    shown = tuple(each for each in draft.mentions if _names_place(piece.text, f"{each.path}:{each.start_line}"))
    users = draft.users.within(piece.text) if draft.users and piece.truncated_lines else draft.users
    message = to_message(replace(draft, text=piece.text, mentions=shown, users=users), evidence_pb2.Evidence)
    message.evidence_id = piece.evidence_id
    message.tokens = piece.tokens
    message.truncated_lines = piece.truncated_lines
    message.lines.extend(to_message(each, evidence_pb2.LineRange) for each in piece.lines)
    message.pass_number = pass_number
    return message


def _names_place(text: str, place: str) -> bool:
    """Return whether a text contains this `path:line`, and not merely as part of a longer path or line number."""
    return re.search(rf"(?<![\w/.-]){re.escape(place)}(?!\d)", text) is not None


def _gap_result(result: GapResult) -> evidence_pb2.GapResult:
    message = to_message(result.match, evidence_pb2.GapResult)
    message.gap.CopyFrom(to_message(result.gap, evidence_pb2.Gap))
    message.candidates.extend(_ref(each) for each in result.match.symbols[:_MAX_CANDIDATES])
    message.evidence_ids.extend((*(each.evidence_id for each in result.evidence), *result.supplied_before))
    return message


def _budget_use(ledger: Ledger) -> list[pb.BudgetUse]:
    return [
        pb.BudgetUse(source=evidence_pb2.ContextSource.ValueType(source), limit_tokens=limit, used_tokens=used)
        for source, limit, used in ledger.report()
    ]


def _file(ranked: RankedFile) -> pb.RankedFile:
    return pb.RankedFile(path=ranked.file.path, score=ranked.score, signals=ranked.signals)


def _symbol(ranked: RankedSymbol) -> pb.RankedSymbol:
    return pb.RankedSymbol(
        symbol=_ref(ranked.symbol),
        score=ranked.score,
        signals=ranked.signals,
        signature=ranked.symbol.signature,
    )


def _detail(detail: SymbolDetail) -> code_pb2.Symbol:
    symbol = detail.symbol
    return code_pb2.Symbol(
        ref=_ref(symbol),
        module=symbol.module,
        signature=symbol.signature,
        docstring=symbol.docstring,
        language=symbol.language,
        fan_out=detail.fan_out,
        fan_in=detail.fan_in,
        raises=detail.values(FactKind.RAISES),
        mutates=detail.values(FactKind.MUTATES),
        error_strings=detail.values(FactKind.ERROR_STRING),
    )


def _edge(edge: Edge, symbols: Mapping[int, Symbol]) -> code_pb2.Edge:
    message = to_message(edge, code_pb2.Edge)
    message.source.CopyFrom(_ref(symbols[edge.source_id]))
    if edge.target_id is not None and edge.target_id in symbols:
        message.target.CopyFrom(_ref(symbols[edge.target_id]))
    return message


def _ref(symbol: Symbol) -> code_pb2.SymbolRef:
    return to_message(symbol, code_pb2.SymbolRef)
