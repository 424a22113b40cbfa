"""Resolves the labels behind the numbers of a text to citations with hash, commit and link."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from common.core.contract.evidence import Span
from orchestrator.domain.evidence.mentions import find_mention
from orchestrator.domain.evidence.piece import Citation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orchestrator.domain.answers.events import CitedLabel
    from orchestrator.domain.evidence.piece import Evidence, SnapshotInfo


def resolve_citations(
    cited: Sequence[CitedLabel],
    evidence: Sequence[Evidence],
    snapshot: SnapshotInfo,
    *,
    url_template: str = "",
) -> tuple[Citation, ...]:
    """
    Return the citations of a text, in order of their numbers.

    Args:
        cited: The label behind each number, in order from 1.
        evidence: Everything supplied; a label of other evidence is a defect and raises KeyError.
        snapshot: The snapshot of the cited source.
        url_template: With {path}, {start_line}, {end_line}, {commit}; "" makes no links. If the working tree
            differed from the commit, there are no links to the commit either: its lines may differ.
    """
    by_id = {each.evidence_id: each for each in evidence}
    return tuple(
        _citation(number, label, by_id[label.evidence_id], snapshot, url_template)
        for number, label in enumerate(cited, 1)
    )


def with_hashes(citations: Sequence[Citation], hashes: Mapping[Span, str]) -> tuple[Citation, ...]:
    """Fill in missing content hashes of citations; one whose span is not in `hashes` keeps ""."""
    return tuple(replace(each, content_hash=each.content_hash or hashes.get(each.span, "")) for each in citations)


def _citation(
    number: int, label: CitedLabel, evidence: Evidence, snapshot: SnapshotInfo, url_template: str
) -> Citation:
    mention = find_mention(evidence, label.mention)
    span = mention.span if mention else evidence.span
    if label.path:
        span = Span(label.path, label.start_line, label.end_line)
    elif span and label.start_line:
        span = replace(span, start_line=label.start_line, end_line=label.end_line)
    assert span is not None, "labels without a place are dropped before"
    return Citation(
        number=number,
        span=span,
        title=mention.qualified_name if mention else evidence.title,
        symbol=mention or evidence.symbol,
        source_identity=snapshot.source_identity,
        commit=snapshot.commit,
        content_hash=evidence.content_hash if span == evidence.span else "",
        url=_url(url_template, span, snapshot),
        evidence_id=evidence.evidence_id,
        pass_number=evidence.pass_number,
        dirty=snapshot.dirty,
    )


def lacks_links(url_template: str, snapshot: SnapshotInfo) -> bool:
    """Return whether links are omitted because the working tree that was read differed from the commit."""
    return "{commit}" in url_template and snapshot.dirty


def _url(template: str, span: Span, snapshot: SnapshotInfo) -> str:
    if not template or lacks_links(template, snapshot) or (not snapshot.commit and "{commit}" in template):
        return ""
    return template.format(
        path=quote(span.path), start_line=span.start_line, end_line=span.end_line, commit=snapshot.commit
    )
