"""The sufficiency strategy's graph of entities and triples, and its judge for answers without a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.domain.answers.answer import Judgement
from orchestrator.domain.evidence.names import last_part
from orchestrator.domain.evidence.piece import Triple
from orchestrator.domain.loop.references import missing_definitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.loop.references import Reference
    from orchestrator.domain.questions.question import Classification

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


def grounded(triples: Sequence[Triple], evidence: Sequence[Evidence]) -> tuple[Triple, ...]:
    """Return, without duplicates, the triples whose evidence has the last part of the name of both ends."""
    texts = {each.evidence_id: f"{each.title}\n{each.text}" for each in evidence}

    def is_named(triple: Triple) -> bool:
        return all(last_part(end) in texts.get(triple.evidence_id, "") for end in (triple.subject, triple.object))

    return tuple(dict.fromkeys(filter(is_named, triples)))


def with_relations(evidence: Sequence[Evidence], judgements: Sequence[Judgement]) -> tuple[Evidence, ...]:
    """Return each piece with the triples that a model read in it, so that a session stores both together."""
    read: dict[str, list[Triple]] = {}
    for each in (triple for judgement in judgements for triple in judgement.triples):
        read.setdefault(each.evidence_id, []).append(each)
    joined = ((piece, (*piece.relations, *read.get(piece.evidence_id, ()))) for piece in evidence)
    return tuple(replace(piece, relations=tuple(dict.fromkeys(told))) for piece, told in joined)


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
    for piece in evidence:
        yield from piece.relations


def judge_by_references(
    evidence: Sequence[Evidence],
    references: Sequence[Reference],
    question: str,
    classification: Classification,
    history: Sequence[Judgement],
) -> Judgement:
    """
    Judge evidence sufficient if it shows every definition that it refers to and that the question is about.

    Otherwise the next sub-question asks for the most relevant missing definition that no earlier judgement asked for,
    else again for one that a retrieval did not find.
    """
    iteration = len(history) + 1
    asked = {each.sub_question for each in history}

    def missing(pass_number: int) -> list[tuple[str, str]]:
        gaps = missing_definitions(evidence, references, question, classification, pass_number=pass_number, limit=8)
        places = [f" in {gap.path}" if gap.path else "" for gap in gaps]
        return [(f"How is `{gap.symbol}` defined{at}?", gap.description) for gap, at in zip(gaps, places, strict=True)]

    fresh = [each for each in missing(iteration) if each[0] not in asked]
    wanted = fresh or [each for each in missing(1) if each[0] in asked]
    if wanted:
        sub_question, why = wanted[0]
        return Judgement(iteration, reasoning=why, sub_question=sub_question)
    if not evidence:
        return Judgement(iteration, reasoning="no evidence was found, and nothing names what to look for")
    shown = f"{len(evidence)} pieces of evidence show every definition that matters to the question"
    return Judgement(iteration, sufficient=True, reasoning=shown)
