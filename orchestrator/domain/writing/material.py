"""The material of one answer: evidence with its labels, ordered by what it says about the question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.deeds import unsaid_deed
from orchestrator.domain.evidence import ContextSource, EvidenceKind, GapOutcome
from orchestrator.domain.following import meant
from orchestrator.domain.names import is_of_another_type, last_part
from orchestrator.domain.opening import names_things
from orchestrator.domain.question_terms import (
    asks_for_measures,
    describes_at_length,
    is_file_asked,
    question_terms,
    subject_terms,
)
from orchestrator.domain.using import definition_used, lists_as_text, thing_used
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.comparing import pair_of
from orchestrator.domain.writing.doing import doers, says_how, told_by_doer
from orchestrator.domain.writing.pieces import GivenSetting
from orchestrator.domain.writing.raising import Failure, is_framed
from orchestrator.domain.writing.said import Said
from orchestrator.domain.writing.statements import (
    Statement,
    asks_for_place,
    compared,
    is_aside,
    is_beside,
    says_default,
    statements,
    term_weights,
)
from orchestrator.domain.writing.weighing import Weighing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.domain.evidence import GapResult, SymbolRef
    from orchestrator.domain.question import Classification
    from orchestrator.domain.writing.pieces import Piece

_PLACES_LOOKED_AT = 6
_FITS = 0.5
"""How like a description the words are by which its definition says what it does."""
_SENTENCE = 320
"""Characters of what a definition says first."""
_LEAST_SCORE = 0.35
_OF_PAGE = 0.5
"""Below it a statement, and one of a page, is about something else."""


@dataclass(frozen=True)
class Material:
    """
    Everything that an answer is written from.

    Args:
        question: The question.
        classification: Its mode and anchors.
        pieces: All evidence in order of supply.
        results: What became of the gaps.
    """

    question: str
    classification: Classification
    pieces: tuple[Piece, ...]
    results: tuple[GapResult, ...]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Return the terms of the question."""
        return question_terms(self.question)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """Return the same terms, each with what it counts."""
        return term_weights(self.wanted, self.pieces)

    @cached_property
    def weighing(self) -> Weighing:
        """Return what tells how much a piece says about the question."""
        symbols = self.classification.anchors.symbols
        return Weighing(self.question, self.wanted, symbols, self.inherited, self.pieces)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Return what definitions and pages say about the question, the most telling first."""
        definitions = [(each, self.weighing.sureness(each)) for each in self.definitions]
        pages = [each for each in self.of(EvidenceKind.DOC) if not each.is_card and each.is_citable]
        # What the session says that is meant counts as if it were named.
        meant = [each for each in self.classification.anchors.symbols if each not in self.question]
        return statements(" ".join((self.question, *meant)), self.weights, definitions, pages)

    @cached_property
    def is_of_other_words(self) -> bool:
        """Tell whether nothing shown has a word of the question, nor was meant by it in another way."""
        anchors = self.classification.anchors
        meant = anchors.paths or anchors.symbols or anchors.frames or anchors.exceptions or anchors.error_messages
        told = (f"{each.evidence.title} {each.evidence.text}" for each in self.pieces)
        about = subject_terms(self.question)
        is_open = bool(self.pieces and about and not meant) and not (self.users or self._is_measured)
        return is_open and all(about.isdisjoint(count_terms(each)) for each in told)

    @property
    def _is_measured(self) -> bool:
        measures = self.of(EvidenceKind.METRICS)
        return bool(measures) and (asks_for_measures(self.question) or len(measures) > 1)

    @cached_property
    def lead(self) -> Statement | None:
        """Return what answers most directly; None if nothing comes near to that."""
        if self.foremost is None:
            return self._most_telling
        return next((each for each in self.statements if each.piece is self.foremost), None)

    @cached_property
    def foremost(self) -> Piece | None:
        """
        Return the function that a question means by describing it at length; None for other questions.

        It is what the search puts first, which reads more out of a long text than what has many of its words. Where
        the question is of one line and names things, it is the first that belongs to one of them, unless it asks what
        one of them is for. A constructor stands for its class.
        """
        if not describes_at_length(self.question) or self.inherited:
            return None
        if self._most_telling and says_default(self.question, self._most_telling):
            return None
        # A report of several lines names what it was tried with, a question what it asks of.
        is_report = "\n" in self.question.strip()
        is_named = not is_report and names_things(self.question, self.classification.anchors)
        whole = self._said.asked_about(self.question)
        is_meant = whole.has if whole else self._said.covers
        found = (
            each
            for each in self.definitions
            if each.evidence.score
            and (symbol := each.evidence.symbol)
            and symbol.is_function
            and (not is_named or is_meant(symbol.qualified_name))
        )
        best = max(found, key=lambda each: each.evidence.score, default=None)
        made = (best.evidence.symbol.path, best.evidence.symbol.made) if best and best.evidence.symbol else None
        types = (each for each in self.definitions if each.evidence.symbol and each.evidence.symbol.definition == made)
        return next(types, best)

    @cached_property
    def _most_telling(self) -> Statement | None:
        """Return the statement that speaks of most of the question; None if none comes near to that."""
        least = {True: _OF_PAGE, False: _LEAST_SCORE}
        given = (each for each in self.statements if not is_beside(self.question, each.piece))
        likely = [each for each in given if each.score >= least[each.piece not in self.definitions]]
        found = [
            each
            for each in likely
            if (each.piece in self.doing or self._speaks_of_named(each))
            and told_by_doer(self.question, each, self.doing, self.definitions)
        ]
        # What says something of the deed goes before what says more of all else.
        told = (each for each in found if not unsaid_deed(self.question, f"{each.piece.name} {each.text}"))
        return next(chain(told, found), None)

    @cached_property
    def doing(self) -> tuple[Piece, ...]:
        """Return the functions that do what the question wants to know how it is done, by their names."""
        is_named = names_things(self.question, self.classification.anchors)
        return doers(self.question, self.definitions, is_named=is_named)

    @cached_property
    def _said(self) -> Said:
        borne = (each.evidence.symbol.qualified_name for each in self.definitions if each.evidence.symbol)
        return Said.of(self.question, self.classification.anchors.symbols, borne)

    @cached_property
    def inherited(self) -> Mapping[SymbolRef, str]:
        """Return what gaps led to that the question names as a member of a type which only inherits it, with that."""
        anchors = self.classification.anchors.symbols
        asked = [each for each in self.results if each.gap.symbol in anchors and each.outcome is GapOutcome.RESOLVED]
        named = {one: each.gap.symbol for each in asked for one in each.evidence_ids}
        found = [(each.evidence.symbol, named.get(each.evidence.evidence_id, "")) for each in self.pieces]
        return {
            symbol: name
            for symbol, name in found
            if symbol and symbol.name == last_part(name) and is_of_another_type(symbol.qualified_name, name)
        }

    def _speaks_of_named(self, statement: Statement) -> bool:
        """Tell a statement about what the question says in full, or of a member of it; any, where it says nothing."""
        evidence = statement.piece.evidence
        if self.inherited and evidence.symbol:
            return evidence.symbol in self.inherited
        if not self._said:
            return True
        if evidence.symbol is None:
            return self._said.is_written_in(f"{evidence.title} {statement.text}")
        return self._said.covers(evidence.symbol.qualified_name)

    @cached_property
    def subject(self) -> Piece | None:
        """Return the definition that the answer is about; what leads, or what is named."""
        if self.routes:
            return self.routes[0]
        if self.users:
            return self._used
        if self.described:
            return self._fitting
        if self.places and asks_for_place(self.question):
            return self.places[0]
        if self.foremost:
            return self.foremost
        if self.lead and self.lead.piece in self.definitions:
            return self.lead.piece
        if self.doing:
            return self.doing[0]
        named = [each for each in self.definitions if each.evidence.symbol]
        own = [each for each in named if each.evidence.symbol in self.inherited]
        own += [each for each in named if each.evidence.symbol and self._said.has(each.evidence.symbol.qualified_name)]
        return next(iter(own or self.definitions), None)

    @cached_property
    def places(self) -> tuple[Piece, ...]:
        """
        Return the definitions that a question where something is seems to mean, the most telling first.

        Those of a file that is called half of what the question is about go before others.
        """
        likely = (each for each in self.definitions[:_PLACES_LOOKED_AT] if self.weighing.is_about(each))
        path = {each: symbol.path for each in likely if (symbol := each.evidence.symbol) and not is_aside(symbol.path)}
        told = sorted(path, key=lambda each: not is_file_asked(self.question, path[each]))
        return tuple(dict.fromkeys(filter(None, (self.foremost, *told))))

    @property
    def _used(self) -> Piece | None:
        """Return the definition whose users are told, as it is shown; None where it is not."""
        things = [thing for each in self.users if (thing := definition_used(each.evidence))]
        return next((each for thing in things for each in self.definitions if each.evidence.symbol == thing), None)

    @cached_property
    def routes(self) -> tuple[Piece, ...]:
        """Return what handles the route that the question names."""
        return tuple(each for each in self.pieces if each.evidence.route and self._is_asked(each.evidence.route.words))

    @cached_property
    def described(self) -> tuple[Piece, ...]:
        """Return what fits the description that the question gives of it, the likeliest first."""
        told = [each for each in self.pieces if each.evidence.described]
        return tuple(each for each in told if each.evidence.described in self.question)

    @cached_property
    def _fitting(self) -> Piece:
        """Return the definition that says of itself what the question says, or the likeliest where none does."""
        if says_how(self.question, self.described[0].evidence.described):
            return self.described[0]  # it is called like what is done, whatever others say of themselves
        lead = [self.lead.piece] if self.lead and self.lead.piece in self.definitions else []
        said = set(count_terms(self.described[0].evidence.described))
        fits = [
            (_likeness(said, set(count_terms(prose.opening_sentences(each.summary, 1, _SENTENCE)))), each)
            for each in (*self.described, *lead)
        ]
        share, best = max(fits, key=lambda each: each[0])
        return best if share >= _FITS else self.described[0]

    @cached_property
    def settings(self) -> tuple[GivenSetting, ...]:
        """Return what gives the setting that the question asks for its value, the likeliest first."""
        placed = [(each, each.evidence.setting, each.evidence.span) for each in self.pieces]
        found = (GivenSetting(piece, setting, span) for piece, setting, span in placed if setting and span)
        return tuple(each for each in found if self._is_asked(each.setting.words))

    @cached_property
    def meant(self) -> tuple[str, ...]:
        """Return what the question means and does not name: what the answer before it was about."""
        return meant(self.question, self.classification.anchors)

    def _is_asked(self, words: tuple[str, ...]) -> bool:
        """Tell whether the question says or means all of the words: what the session tells again may be of another."""
        return bool(words) and all(word in self.question or word in self.meant for word in words)

    @cached_property
    def failure(self) -> Failure:
        """Return what the question says of a failure, with the code that may be to blame."""
        framed = tuple(each for each in self.pieces if is_framed(each.evidence))
        return Failure(self.question, self.classification.anchors, self.sources, framed)

    @cached_property
    def compared(self) -> tuple[Piece, ...]:
        """Return the definitions of the two things whose difference is asked for; () unless there are both."""
        return pair_of(compared(self.question), self.definitions)

    @cached_property
    def sources(self) -> tuple[Piece, ...]:
        """Return source pieces, the most telling first; equals stay in order of supply."""
        return tuple(sorted(self.of(EvidenceKind.SOURCE), key=lambda piece: -self.weighing.weight(piece)))

    @cached_property
    def definitions(self) -> tuple[Piece, ...]:
        """Return one piece for each symbol shown or documented, its source if there is one; most telling first."""
        cards = tuple(each for each in self.pieces if each.is_card)
        by_symbol: dict[object, Piece] = {}
        # Of overloads the one with a body comes first.
        longest_first = sorted(self.of(EvidenceKind.SOURCE), key=lambda piece: -piece.evidence.text.count("\n"))
        for piece in (*longest_first, *cards):
            symbol = piece.evidence.symbol
            if symbol is None and piece.evidence.source is not ContextSource.GAPS:
                continue  # lines that give a value, or register something
            by_symbol.setdefault(symbol.definition if symbol else piece.label, piece)
        return tuple(sorted(by_symbol.values(), key=lambda piece: -self.weighing.weight(piece)))

    @cached_property
    def fetched(self) -> tuple[Piece, ...]:
        """Return source pieces that were supplied for gaps, in order of supply."""
        return tuple(each for each in self.of(EvidenceKind.SOURCE) if each.evidence.source is ContextSource.GAPS)

    def of(self, *kinds: EvidenceKind) -> tuple[Piece, ...]:
        """Return the pieces of some kinds, in order of supply."""
        return tuple(each for each in self.pieces if each.evidence.kind in kinds)

    @cached_property
    def flows(self) -> tuple[Piece, ...]:
        """Return the trees of calls that the first retrieval drew."""
        drawn = (each for each in self.of(EvidenceKind.FLOW) if each.evidence.source is not ContextSource.GAPS)
        return tuple(each for each in drawn if each not in self.users and not lists_as_text(each.evidence))

    @cached_property
    def users(self) -> tuple[Piece, ...]:
        """Return the lists of those who use what the question asks the users of."""
        return tuple(each for each in self.of(EvidenceKind.FLOW) if thing_used(each.evidence))

    def open_gaps(self) -> tuple[GapResult, ...]:
        """Return what was searched for in vain."""
        return tuple(each for each in self.results if each.outcome not in (GapOutcome.RESOLVED, GapOutcome.UNSPECIFIED))


def _likeness(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))
