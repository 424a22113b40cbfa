"""The graph that the sufficiency strategy gathers: entities and triples out of evidence and code graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import Triple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.loop.references import Reference


_MAX_TRIPLES = 60


def gather(
    evidence: Sequence[Evidence], references: Sequence[Reference], known: Sequence[Triple] = ()
) -> tuple[tuple[str, ...], tuple[Triple, ...]]:
    """
    Return the entities and the first 60 triples that are not known, those of the newest evidence first.

    A triple is kept only if its subject is shown: it is then backed by evidence that can be cited.
    """
    told = frozenset(known)
    triples = tuple(each for each in dict.fromkeys(_triples(evidence, references)) if each not in told)[:_MAX_TRIPLES]
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
    leaving: dict[tuple[str, str], list[Reference]] = {}
    for each in references:
        leaving.setdefault((each.source.path, each.source.qualified_name), []).append(each)
    shown: dict[tuple[str, str], Evidence] = {}
    for piece in evidence:
        if piece.symbol and piece.symbol.qualified_name:
            shown.setdefault((piece.symbol.path, piece.symbol.qualified_name), piece)
    for (path, name), piece in sorted(shown.items(), key=lambda pair: -pair[1].pass_number):
        yield Triple(name, "is defined in", path, piece.evidence_id)
        for each in leaving.get((path, name), ()):
            if each.target.qualified_name:
                yield Triple(name, each.relation, each.target.qualified_name, piece.evidence_id)
