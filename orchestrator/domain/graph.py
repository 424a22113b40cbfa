"""The graph that the sufficiency strategy gathers: entities and triples out of evidence and code graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answer import Triple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.references import Reference


_MAX_TRIPLES = 60


def gather(evidence: Sequence[Evidence], references: Sequence[Reference]) -> tuple[tuple[str, ...], tuple[Triple, ...]]:
    """
    Return the entities and the first 60 triples that new evidence brings, in order of first mention.

    A triple is kept only if its subject is shown: it is then backed by evidence that can be cited.
    """
    triples = tuple(dict.fromkeys(_triples(evidence, references)))[:_MAX_TRIPLES]
    shown = (each.symbol.qualified_name for each in evidence if each.symbol and each.symbol.qualified_name)
    ends = (name for each in triples for name in (each.subject, each.object))
    return tuple(dict.fromkeys((*shown, *ends))), triples


def linearise(triples: Sequence[Triple]) -> str:
    """Write triples for a prompt, one line for each subject and predicate, in order of first mention."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for each in triples:
        grouped.setdefault((each.subject, each.predicate), []).append(each.object)
    return "\n".join(f"{subject} {predicate} {', '.join(names)}" for (subject, predicate), names in grouped.items())


def _triples(evidence: Sequence[Evidence], references: Sequence[Reference]) -> Iterator[Triple]:
    shown = {(each.symbol.path, each.symbol.qualified_name): each for each in evidence if each.symbol}
    for each in evidence:
        if each.symbol and each.symbol.qualified_name:
            yield Triple(each.symbol.qualified_name, "is defined in", each.symbol.path, each.evidence_id)
    for reference in references:
        source = shown.get((reference.source.path, reference.source.qualified_name))
        if source and reference.target.qualified_name:
            target = reference.target.qualified_name
            yield Triple(reference.source.qualified_name, reference.relation, target, source.evidence_id)
