"""Decodes requests into domain values; one error names all fields that are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cgrag.type.v1 import evidence_pb2

from common.core.contract.evidence import Claim, ClaimKind, Gap, Span
from common.core.contract.question import Anchors
from common.core.contract.understanding import Relation, Understanding
from common.rpc.serving.mirroring import from_message
from common.rpc.validation import Violations
from retriever.domain.questions.question import Mode, SearchQuery
from retriever.domain.tasks.context import Part
from retriever.domain.values import EdgeKind, FactKind, SymbolKind
from retriever.usecases.expand_graph import Direction, Seed, Walk
from retriever.usecases.look_up_symbols import WantedSymbols
from retriever.usecases.resolve_citation import Citation
from retriever.usecases.resolve_gaps import GapsRequest
from retriever.usecases.retrieve import Question
from retriever.usecases.stages.relations.users import Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgrag.retriever.v1 import retriever_pb2 as pb
    from cgrag.type.v1 import code_pb2, question_pb2

    from retriever.domain.evidence.budget import Budget

MAX_TEXT = 100_000
_MAX_TOKENS = 1_000_000
_MAX_PASSES = 100
_LAST_LINE = (1 << 31) - 1
_MAX_KINDS = 100
_MAX_ANCHORS = 10_000
_MAX_KNOWN = 100_000
"""Most known pieces of evidence or shown spans in a request: far above what a session with all passes collects."""
_DIRECTIONS = {0: Direction.BOTH, 1: Direction.FORWARD, 2: Direction.BACKWARD, 3: Direction.BOTH}
_RELATIONS = {
    evidence_pb2.Relation.Value(f"RELATION_{each.name}"): each
    for each in (
        *(Relation.CALLS, Relation.CALLEES, Relation.INHERITS, Relation.IMPLEMENTS, Relation.OVERRIDES, Relation.USES),
        *(Relation.TESTS, Relation.SETS, Relation.RAISES, Relation.CATCHES, Relation.IMPORTS),
    )
}
"""Relations whose users ListUsers can list. FAILS and the relations of whole projects occur only in evidence."""
_SWITCHES = {
    "without_code_index": Part.CODE_INDEX,
    "without_call_graph": Part.CALL_GRAPH,
    "without_source": Part.SOURCE,
    "without_mode_routing": Part.MODE_ROUTING,
    "without_gap_resolution": Part.GAP_RESOLUTION,
    "without_vectors": Part.VECTORS,
}


def question(request: pb.RetrieveRequest, retrieval_id: str, defaults: Budget) -> Question:
    """Decode Retrieve."""
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.question, "question", min_length=1, max_length=MAX_TEXT)
    wrong.text(request.retrieval_id, "retrieval_id", max_length=64)
    mode = _mode(wrong, request.classification.mode, "classification.mode")
    wrong.number(request.classification.confidence, "classification.confidence", minimum=0, maximum=1)
    anchors(wrong, request.classification.anchors, "classification.anchors")
    wrong.items(request.known_evidence_ids, "known_evidence_ids", maximum=_MAX_KNOWN)
    _spans(wrong, request.shown, "shown")
    budget = _budget(wrong, request.budget, defaults)
    wrong.raise_if_any()
    return Question(
        repository=request.repository,
        snapshot_id=request.snapshot_id,
        retrieval_id=retrieval_id,
        text=request.question,
        mode=mode,
        anchors=from_message(request.classification.anchors, Anchors),
        scope=request.classification.scope,
        understanding=from_message(request.classification.understanding, Understanding),
        budget=budget,
        off=_off(request.switches),
        known=frozenset(request.known_evidence_ids),
        shown=_read(request.shown),
        ranking_only=request.ranking_only,
        with_outline=request.with_outline,
    )


def gaps(request: pb.ResolveGapsRequest, retrieval_id: str, defaults: Budget) -> GapsRequest:
    """Decode ResolveGaps."""
    wrong = Violations()
    repository(wrong, request.repository)
    for field, each in wrong.items(request.gaps, "gaps", minimum=1, maximum=20):
        stated = f"{each.description}{each.symbol}{each.path}{each.text}"
        wrong.require(bool(stated.strip()), field, "must have a description, a symbol, a path or a text")
        wrong.text(each.text, f"{field}.text", max_length=500)
        wrong.require(each.start_line >= 0, f"{field}.start_line", "must not be negative")
        wrong.require(
            not each.end_line or each.end_line >= each.start_line, f"{field}.end_line", "is before start_line"
        )
        wrong.text(stated, field, max_length=10_000)
    wrong.text(request.question, "question", max_length=MAX_TEXT)
    wrong.text(request.retrieval_id, "retrieval_id", max_length=64)
    wrong.number(request.pass_number, "pass_number", minimum=0, maximum=_MAX_PASSES)
    wrong.number(request.used_gap_tokens, "used_gap_tokens", minimum=0, maximum=_MAX_TOKENS)
    mode = _mode(wrong, request.mode, "mode")
    wrong.items(request.known_evidence_ids, "known_evidence_ids", maximum=_MAX_KNOWN)
    _spans(wrong, request.shown, "shown")
    budget = _budget(wrong, request.budget, defaults)
    wrong.raise_if_any()
    return GapsRequest(
        repository=request.repository,
        snapshot_id=request.snapshot_id,
        retrieval_id=retrieval_id,
        gaps=tuple(from_message(each, Gap) for each in request.gaps),
        question=request.question,
        mode=mode,
        budget=budget,
        pass_number=max(1, request.pass_number),
        used_tokens=request.used_gap_tokens,
        known=frozenset(request.known_evidence_ids),
        shown=_read(request.shown),
        off=_off(request.switches),
    )


def search(request: pb.SearchRequest) -> SearchQuery:
    """Decode Search."""
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.query, "query", min_length=1, max_length=MAX_TEXT)
    wrong.text(request.path_prefix, "path_prefix", max_length=1000)
    wrong.number(request.max_files, "max_files", minimum=0, maximum=500)
    wrong.number(request.max_symbols, "max_symbols", minimum=0, maximum=1000)
    wrong.number(request.max_docs, "max_docs", minimum=0, maximum=100)
    wrong.number(request.max_lines, "max_lines", minimum=0, maximum=500)
    wrong.raise_if_any()
    return SearchQuery(
        text=request.query,
        path_prefix=request.path_prefix,
        max_files=request.max_files or 20,
        max_symbols=request.max_symbols or 50,
        max_docs=request.max_docs,
        max_lines=request.max_lines,
        include_tests=request.include_tests,
        use_vectors=not request.without_vectors,
    )


def lookup(request: pb.LookupSymbolsRequest) -> tuple[WantedSymbols, int]:
    """Decode LookupSymbols: what to find, and the page size."""
    wrong = Violations()
    repository(wrong, request.repository)
    written = ((FactKind.RAISES, request.raises, "raises"), (FactKind.MUTATES, request.mutates, "mutates"))
    facts = tuple((kind, value) for kind, value, _ in written if value)
    wrong.text(request.name, "name", min_length=0 if facts or request.path else 1, max_length=1000)
    for _, value, field in written:
        wrong.text(value, field, min_length=0, max_length=1000)
    wrong.number(request.page_size, "page_size", minimum=0, maximum=200)
    wrong.require(request.kind in (0, *SymbolKind), "kind", "is not a kind of symbol")
    wrong.raise_if_any()
    kind = SymbolKind(request.kind) if request.kind else None
    return WantedSymbols(request.name, request.path, kind, facts), request.page_size or 50


def users(request: pb.ListUsersRequest) -> tuple[Asked, int]:
    """Decode ListUsers: whose users to list, and the page size."""
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.name, "name", min_length=1, max_length=1000)
    wrong.number(request.page_size, "page_size", minimum=0, maximum=200)
    wrong.require(request.relation in _RELATIONS, "relation", "is not a relation that users have")
    wrong.raise_if_any()
    return Asked((request.name,), _RELATIONS[request.relation]), request.page_size or 50


def walk(request: pb.ExpandGraphRequest) -> tuple[tuple[Seed, ...], Walk]:
    """Decode ExpandGraph."""
    wrong = Violations()
    repository(wrong, request.repository)
    for field, each in wrong.items(request.seeds, "seeds", minimum=1, maximum=50):
        wrong.text(each.path, f"{field}.path", min_length=1, max_length=1000)
        wrong.number(each.start_line, f"{field}.start_line", minimum=0, maximum=_LAST_LINE)
    wrong.number(request.hops, "hops", minimum=0, maximum=10)
    wrong.number(request.max_edges, "max_edges", minimum=0, maximum=5000)
    wrong.number(request.min_confidence, "min_confidence", minimum=0, maximum=1)
    wrong.require(request.direction in _DIRECTIONS, "direction", "is not a direction")
    for field, kind in wrong.items(request.kinds, "kinds", maximum=_MAX_KINDS):
        wrong.require(int(kind) in tuple(EdgeKind), field, "is not a kind of edge")
    wrong.raise_if_any()
    seeds = tuple(Seed(each.path, each.qualified_name, each.start_line) for each in request.seeds)
    kinds = tuple(EdgeKind(kind) for kind in request.kinds) or (EdgeKind.CALL,)
    direction = _DIRECTIONS[request.direction]
    return seeds, Walk(direction, request.hops or 1, kinds, request.min_confidence, request.max_edges or 500)


def spans(request: pb.ReadSpansRequest) -> tuple[Span, ...]:
    """Decode ReadSpans."""
    wrong = Violations()
    repository(wrong, request.repository)
    for field, each in wrong.items(request.spans, "spans", minimum=1, maximum=100):
        _span(wrong, each, field)
    wrong.raise_if_any()
    return _read(request.spans)


def claims(request: pb.CheckClaimsRequest) -> tuple[Claim, ...]:
    """Decode CheckClaims."""
    wrong = Violations()
    repository(wrong, request.repository)
    for field, each in wrong.items(request.claims, "claims", minimum=1, maximum=200):
        kind = from_message(each, Claim).kind
        if wrong.require(kind is not ClaimKind.UNSPECIFIED, f"{field}.kind", "must be a kind of claim"):
            is_code = kind in {ClaimKind.QUOTES, ClaimKind.SHOWS}
            needed, name = (each.object, "object") if is_code else (each.subject, "subject")
            wrong.text(needed, f"{field}.{name}", min_length=1, max_length=10_000)
    wrong.raise_if_any()
    return tuple(from_message(each, Claim) for each in request.claims)


def citation(request: pb.ResolveCitationRequest) -> Citation:
    """Decode ResolveCitation."""
    wrong = Violations()
    repository(wrong, request.repository)
    if wrong.require(request.citation.HasField("span"), "citation.span", "must be set"):
        _span(wrong, request.citation.span, "citation.span")
        wrong.require(request.citation.span.start_line > 0, "citation.span.start_line", "must be at least 1")
    wrong.raise_if_any()
    cited = request.citation
    return Citation(
        span=from_message(cited.span, Span),
        content_hash=cited.content_hash,
        qualified_name=cited.symbol.qualified_name,
    )


def decisions(request: pb.ListDecisionsRequest) -> int:
    """Decode the page size of ListDecisions."""
    wrong = Violations()
    repository(wrong, request.repository)
    wrong.text(request.retrieval_id, "retrieval_id", min_length=1, max_length=64)
    wrong.number(request.page_size, "page_size", minimum=0, maximum=1000)
    wrong.raise_if_any()
    return request.page_size or 200


def page_of_all(request: pb.ListRemovalsRequest | pb.ListLayerProblemsRequest) -> int:
    """Decode the page size of a list of all repositories."""
    wrong = Violations()
    wrong.number(request.page_size, "page_size", minimum=0, maximum=1000)
    wrong.raise_if_any()
    return request.page_size or 1000


def repository(wrong: Violations, name: str) -> None:
    """Check the name of a repository."""
    wrong.text(name, "repository", min_length=1, max_length=200)


def _mode(wrong: Violations, number: int, field: str) -> Mode:
    return Mode(number) if wrong.require(number in tuple(Mode), field, "is not a mode") else Mode.HYBRID


def _span(wrong: Violations, span: code_pb2.Span, field: str) -> None:
    wrong.text(span.path, f"{field}.path", min_length=1, max_length=4096)
    if span.start_line or span.end_line:
        wrong.require(span.start_line >= 1, f"{field}.start_line", "must be at least 1, or 0 for the whole file")
        wrong.require(span.end_line >= span.start_line, f"{field}.end_line", "must not be before start_line")


def anchors(wrong: Violations, given: question_pb2.Anchors, field: str) -> None:
    """Record a violation for each list of anchors that is too long: reading it would block other calls."""
    for each, values in given.ListFields():
        wrong.items(values, f"{field}.{each.name}", maximum=_MAX_ANCHORS)


def _spans(wrong: Violations, spans: Sequence[code_pb2.Span], name: str) -> None:
    for field, each in wrong.items(spans, name, maximum=_MAX_KNOWN):
        _span(wrong, each, field)


def _read(spans: Iterable[code_pb2.Span]) -> tuple[Span, ...]:
    return tuple(from_message(each, Span) for each in spans)


def _off(switches: question_pb2.Switches) -> frozenset[Part]:
    return frozenset(part for name, part in _SWITCHES.items() if getattr(switches, name))


def _budget(wrong: Violations, given: question_pb2.Budget, defaults: Budget) -> Budget:
    def cap(field: str, default: int) -> int:
        value = getattr(given, field)
        wrong.number(value, f"budget.{field}", minimum=0, maximum=_MAX_TOKENS)
        return value or default

    for name, value in wrong.items(given.after_pass_tokens, "budget.after_pass_tokens", maximum=_MAX_PASSES):
        wrong.number(value, name, minimum=0, maximum=_MAX_TOKENS)
    total, system = cap("total_tokens", defaults.total), cap("system_tokens", defaults.system)
    scaled = replace(defaults, system=min(system, defaults.system)).scaled(total)
    if not wrong:
        # Other caps may exceed the total, which then applies; system tokens reduce what is left for evidence.
        wrong.require(
            system < total,
            f"budget.{'system_tokens' if given.system_tokens else 'total_tokens'}",
            f"leaves nothing for evidence: {system} of {total} tokens in all are for system text and question",
        )
    return replace(
        defaults,
        total=total,
        system=system,
        initial=cap("initial_tokens", scaled.initial),
        gap_total=cap("gap_total_tokens", scaled.gap_total),
        gap=cap("gap_tokens", scaled.gap),
        per_pass=cap("pass_tokens", scaled.per_pass),
        after_pass=tuple(given.after_pass_tokens) or scaled.after_pass,
    )
