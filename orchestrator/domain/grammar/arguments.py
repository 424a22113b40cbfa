"""Finds the arguments of a verb: its object, and the agent of a passive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.lexicon import INSIDE, MEMBER_NOUNS, Form, Relation, Tag
from orchestrator.domain.grammar.names import looks_like_symbol
from orchestrator.domain.grammar.phrases import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.grammar.lexicon import Verb
    from orchestrator.domain.grammar.phrases import Phrase

BEFORE_VERB = (Tag.ADVERB, Tag.MODAL, Tag.BE, Tag.NOT, Tag.UNREAL)
SUPPOSED = (Tag.IF, Tag.UNLESS, Tag.WHEN)
_NOUNS_BEFORE_OBJECT = 4
_LOOSE = frozenset({Relation.REFERS, Relation.USES, Relation.SEEKS})
"""Relations whose object may follow any preposition."""


@dataclass
class Arguments:
    """The phrases of one sentence, by their positions."""

    sentence: Sequence[Phrase]

    def _before_article(self, cursor: int) -> Phrase | None:
        cursor -= 1
        while (phrase := self._at(cursor)) is not None and phrase.has(Tag.ARTICLE, Tag.MEMBER_NOUN, Tag.BODY_NOUN):
            cursor -= 1
        return self._at(cursor)

    def _nearest_names(self, cursor: int) -> tuple[str, ...]:
        """Return the antecedents of a relative pronoun: the last names before it."""
        for phrase in reversed(self.sentence[:cursor]):
            if phrase.kind is Kind.NAMES:
                return phrase.names
        return ()

    def _may_mean_others(self, cursor: int) -> bool:
        """Return whether the nearest name before a relative pronoun looks less like a definition than one before."""
        named = [phrase for phrase in self.sentence[:cursor] if phrase.kind is Kind.NAMES]
        likely = [any(looks_like_symbol(code.name, is_call=code.is_call) for code in each.codes) for each in named]
        return any(likely) and not likely[-1]

    def _place_at_start(self) -> tuple[str, ...]:
        cursor = 0
        if self.sentence and self.sentence[0].text in INSIDE:
            cursor = 1
            while (phrase := self._at(cursor)) is not None and (phrase.has(Tag.ARTICLE) or phrase.text in MEMBER_NOUNS):
                cursor += 1
            if phrase is not None and phrase.kind is Kind.NAMES:
                return phrase.names
        return ()

    def _first_subject(self) -> tuple[str, ...]:
        for position, phrase in enumerate(self.sentence[:-1]):
            following = self.sentence[position + 1]
            if phrase.kind is Kind.NAMES and (following.kind is Kind.VERB or following.has(Tag.ADVERB, Tag.MODAL)):
                return phrase.names
        return ()

    def _objects(self, position: int, verb: Verb, subjects: tuple[str, ...]) -> tuple[str, ...]:
        cursor = position + 1
        if verb.prepositions:
            reach = range(cursor, cursor + verb.gap + 2)
            behind = (each for each in reach if (phrase := self._at(each)) and phrase.text in verb.prepositions)
            first = next(behind, None)
            if first is None:
                return ()
            cursor = first + 1
        nouns = 0
        while (phrase := self._at(cursor)) is not None and nouns <= _NOUNS_BEFORE_OBJECT:
            if phrase.kind is Kind.COMMA and self.sentence[cursor - 1].has(Tag.FAILURE_NOUN, Tag.MEMBER_NOUN):
                cursor += 1  # "with an exception, `b`"
                continue
            if phrase.kind is not Kind.WORD:
                break
            if phrase.has(Tag.NO, Tag.NOT, Tag.RELATIVE, *SUPPOSED):
                return ()
            if phrase.has(Tag.PRONOUN) and phrase.text == "it":
                return self._last_names_but(position, subjects)
            if phrase.has(Tag.PREPOSITION) and phrase.text != "of" and verb.relation not in _LOOSE:
                break
            nouns += not phrase.has(Tag.ADVERB, Tag.ARTICLE)
            cursor += 1
        if phrase is not None and phrase.kind is Kind.NAMES and not phrase.is_denied:
            return self._without_next_subject(cursor)
        return self._relative_object(position)

    def _without_next_subject(self, cursor: int) -> tuple[str, ...]:
        names, following = self.sentence[cursor].names, self._at(cursor + 1)
        is_subject = following is not None and any(verb.form is Form.PRESENT for verb in following.verbs)
        return names[:-1] if is_subject and self.sentence[cursor].joined_by == "and" and len(names) > 1 else names

    def _relative_object(self, position: int) -> tuple[str, ...]:
        """Return the object of a relative clause, which stands before the subject: "`b`, which `a` calls"."""
        cursor = position - 1
        while cursor >= 0 and (self.sentence[cursor].has(*BEFORE_VERB) or self.sentence[cursor].kind is Kind.NAMES):
            cursor -= 1
        if cursor >= 0 and self.sentence[cursor].has(Tag.RELATIVE):
            return self._nearest_names(cursor)
        return ()

    def _last_names_but(self, position: int, subjects: tuple[str, ...]) -> tuple[str, ...]:
        """Return the antecedent of an object "it": the last names before the verb that are not its subjects."""
        names = (each.names for each in reversed(self.sentence[:position]) if each.kind is Kind.NAMES)
        return next((each for each in names if each != subjects), ())

    def _patients(self, position: int) -> tuple[str, ...]:
        cursor = position - 1
        while cursor >= 0 and (
            self.sentence[cursor].has(*BEFORE_VERB, Tag.AND) or self.sentence[cursor].kind is Kind.COMMA
        ):
            cursor -= 1
        if cursor < 0:
            return ()
        phrase = self.sentence[cursor]
        if phrase.kind is Kind.NAMES:
            if cursor < position - 1 and self.sentence[position - 1].kind is Kind.COMMA:
                return phrase.names  # "from `b`, called by `a`"
            before = self._before_article(cursor)
            is_place = before is not None and before.has(Tag.PREPOSITION) and before.text != "of"
            return () if phrase.is_denied or (is_place and cursor > 1 and not self._place_at_start()) else phrase.names
        if phrase.has(Tag.RELATIVE):
            return self._nearest_names(cursor)
        return self._predicated(cursor)

    def _predicated(self, cursor: int) -> tuple[str, ...]:
        """Return the names that a predicate noun describes: `b` in "`b` is one of the functions called by `a`"."""
        if self.sentence[cursor].text.removesuffix("s") not in MEMBER_NOUNS:
            return ()
        while cursor > 0 and not self.sentence[cursor].has(Tag.BE):
            cursor -= 1
            if self.sentence[cursor].kind is not Kind.WORD:
                return ()
        return self.sentence[cursor - 1].names if cursor > 0 and self.sentence[cursor - 1].kind is Kind.NAMES else ()

    def _agents(self, position: int) -> tuple[str, ...]:
        cursor = position + 1
        while (phrase := self._at(cursor)) is not None and phrase.has(
            Tag.ADVERB, Tag.WORD, Tag.ARTICLE, Tag.MEMBER_NOUN
        ):
            cursor += 1
        if phrase is not None and phrase.text in INSIDE | {"by", "when"}:
            cursor += 1
            while (phrase := self._at(cursor)) is not None and (phrase.has(Tag.ARTICLE) or phrase.text in MEMBER_NOUNS):
                cursor += 1
            if phrase is not None and phrase.kind is Kind.NAMES:
                return phrase.names
        if place := self._place_at_start():
            return place
        where = next((at for at, each in enumerate(self.sentence[:position]) if each.text == "where"), 0)
        if where:  # "`a` is where `b` is set"
            return self._nearest_names(where)
        for start, each in enumerate(self.sentence[:position]):  # "it is in `a` that `b` is raised"
            behind = self._at(start + 1)
            if each.text in INSIDE and behind is not None and behind.kind is Kind.NAMES and start < position - 3:
                return behind.names
        return ()

    def _before(self, position: int) -> Phrase | None:
        cursor = position - 1
        while cursor >= 0 and self.sentence[cursor].has(Tag.ADVERB):
            cursor -= 1
        return self._at(cursor)

    def _at(self, position: int) -> Phrase | None:
        return self.sentence[position] if 0 <= position < len(self.sentence) else None
