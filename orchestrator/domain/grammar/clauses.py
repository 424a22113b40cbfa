"""Extracts relations from verbs, active and passive; conditional clauses are skipped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orchestrator.domain.grammar.arguments import BEFORE_VERB, SUPPOSED, Arguments
from orchestrator.domain.grammar.lexicon import BODY_NOUNS, INSIDE, MEMBER_NOUNS, Form, Relation, Tag
from orchestrator.domain.grammar.names import is_type, may_own
from orchestrator.domain.grammar.nouns import Said
from orchestrator.domain.grammar.phrases import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.grammar.lexicon import Verb
    from orchestrator.domain.grammar.phrases import Phrase

_GERUND_OF_SUBJECT = frozenset({"by", "while", "when", "after", "before"})
_NOT_DONE = frozenset({"without", "of", "than"})
_VAGUE = frozenset({Relation.REFERS, Relation.SEEKS})


@dataclass
class Clauses(Arguments):
    """
    Extractor of the relations that the verbs of one sentence state, from left to right.

    Args:
        sentence: Its phrases.
        topic: Antecedent of "it" and subject of a verb without one, from earlier sentences; "" for none.
        subjects: Subjects of the last verb that was read.
        is_borrowed: The subjects are uncertain, such as those taken from the topic.
        main: The first subject of the sentence; "" until one is read.
        denied: Objects of negated verbs.
        supposed: For each phrase, whether it stands in a conditional clause.
    """

    topic: str = ""
    subjects: tuple[str, ...] = ()
    is_borrowed: bool = False
    main: str = ""
    denied: frozenset[str] = frozenset()
    supposed: tuple[bool, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find the conditional clauses."""
        self.supposed = tuple(_supposed(self.sentence))

    def said(self) -> Iterator[Said]:
        """Yield the relations of verbs; `main` is valid after the iteration."""
        for position, phrase in enumerate(self.sentence):
            if phrase.kind is Kind.VERB and not self.supposed[position]:
                yield from self._said_by(position)

    def _said_by(self, position: int) -> Iterator[Said]:
        for verb in self.sentence[position].verbs:
            is_passive = verb.form is Form.PAST and self._is_passive(position)
            if verb.form is Form.PAST and not is_passive:
                continue
            if not is_passive and not self._is_active(position, verb):
                continue
            found = list(self._passive(position, verb) if is_passive else self._active(position, verb))
            if self._is_denied(position, is_passive=is_passive):
                self.denied |= {each.object for each in found}
            else:
                weak = self.is_borrowed or verb.relation in _VAGUE
                yield from (Said(each.relation, each.subject, each.object, weak=weak) for each in found)
            if found:
                return

    def _is_active(self, position: int, verb: Verb) -> bool:
        """Return whether an active form states an action, unlike the infinitive "to call" and the order "call it"."""
        before = self._before(position)
        if verb.form is Form.PRESENT:
            return True
        if verb.form is Form.ING:
            is_led = before is not None and (before.text in _GERUND_OF_SUBJECT | _NOT_DONE or before.kind is Kind.NAMES)
            return is_led or (position > 0 and self.sentence[position - 1].kind is Kind.COMMA)
        if before is None or before.has(Tag.TO, Tag.READER):
            return False
        has_modal = any(each.has(Tag.MODAL) for each in self.sentence[max(0, position - 3) : position])
        is_plural = before.kind is Kind.NAMES and (before.joined_by != "" or self._is_made_to(position))
        return has_modal or is_plural or before.has(Tag.PRONOUN, Tag.AND) or before.kind is Kind.COMMA

    def _is_made_to(self, position: int) -> bool:
        """Return whether a preceding "makes" governs an infinitive, as in "invalid input makes `a` raise `b`"."""
        return any(verb.relation is Relation.MAKES for each in self.sentence[:position] for verb in each.verbs)

    def _is_passive(self, position: int) -> bool:
        cursor = position - 1
        while cursor >= 0 and self.sentence[cursor].has(Tag.ADVERB, Tag.NOT):
            cursor -= 1
        if cursor >= 0 and self.sentence[cursor].has(Tag.BE):
            return True
        if cursor >= 0 and (self.sentence[cursor].has(Tag.AND) or self.sentence[cursor].kind is Kind.COMMA):
            cursor -= 1
        noun = self._at(cursor)
        is_behind_noun = noun is not None and (
            noun.kind in {Kind.NAMES, Kind.VERB} or noun.text.removesuffix("s") in MEMBER_NOUNS
        )
        following = self._at(position + 1)
        return is_behind_noun and following is not None and following.text in INSIDE | {"by"}

    def _active(self, position: int, verb: Verb) -> Iterator[Said]:
        subjects = self._subjects(position)
        if not subjects:
            return
        self.subjects, self.main = subjects, self.main or subjects[0]
        objects = self._objects(position, verb, subjects)
        for each in objects:
            if verb.only_failures and not is_type(each):
                continue
            for subject in subjects:
                yield from _related(verb.relation, subject, each)

    def _passive(self, position: int, verb: Verb) -> Iterator[Said]:
        objects, agents = self._patients(position), self._agents(position)
        self.is_borrowed = not agents
        for agent in agents or self._supposed_agents(position, objects):
            for each in objects:
                if agent != each:
                    yield from _related(verb.relation, agent, each)

    def _supposed_agents(self, position: int, objects: tuple[str, ...]) -> tuple[str, ...]:
        """Return the presumed agents of a passive without an agent: the first names of the sentence, else the topic."""
        before = [each.names for each in self.sentence[:position] if each.kind is Kind.NAMES and each.names != objects]
        return before[0] if before else (self.topic,) if self.topic else ()

    def _subjects(self, position: int) -> tuple[str, ...]:
        was_borrowed, self.is_borrowed = self.is_borrowed, False
        if self._is_left_undone(position):  # "`a` calls `b` without asking for `c`"
            self.is_borrowed = was_borrowed and bool(self.subjects)
            return self.subjects or self._first_subject() or self._borrowed()
        cursor = position - 1
        while cursor >= 0 and self.sentence[cursor].has(*BEFORE_VERB):
            cursor -= 1
        if cursor < 0:
            return self._borrowed()
        before = self.sentence[cursor]
        if before.kind is Kind.NAMES:
            return self._of_names(cursor, position)
        if before.has(Tag.RELATIVE):
            self.is_borrowed = self._may_mean_others(cursor)
            return self._nearest_names(cursor)
        if before.has(Tag.PRONOUN) or (before.text in BODY_NOUNS and before.kind is Kind.WORD):
            place = self._inside_of(cursor)
            object_of = self._at(cursor - 1)
            is_object = object_of is not None and object_of.kind is Kind.VERB  # "makes it raise"
            if place or before.text != "it" or is_object or not self.subjects:
                return place or self._borrowed() or self._first_names(cursor)
            self.is_borrowed = was_borrowed
            return self.subjects
        if before.kind is Kind.BREAK and not self.subjects and self.sentence[0].kind is Kind.NAMES:
            return self.sentence[0].names
        if before.has(Tag.AND) or before.kind in {Kind.COMMA, Kind.BREAK} or before.text in _GERUND_OF_SUBJECT:
            self.is_borrowed = was_borrowed and bool(self.subjects)
            return self.subjects or self._first_subject() or self._borrowed()
        return ()

    def _of_names(self, cursor: int, position: int) -> tuple[str, ...]:
        names = self.sentence[cursor].names
        before = self._before_article(cursor)
        if before is not None and before.has(Tag.BE, Tag.NOT):
            return ()
        if before is not None and before.has(Tag.PREPOSITION):
            head = self._at(cursor - 2)
            is_inside = before.text in INSIDE and self._is_noun(cursor - 2)  # "the check in `a`"
            is_body = head is not None and (head.text in BODY_NOUNS or is_inside)
            if before.text == "with" and self.sentence[position].verbs[0].form is Form.ING:
                return names  # "ends with `a` raising `b`"
            if not is_body or before.text not in INSIDE | {"of"}:
                return ()
        is_singular = any(verb.form is Form.PRESENT for verb in self.sentence[position].verbs)
        behind_verb = any(each.kind is Kind.VERB for each in self.sentence[:cursor])
        if is_singular and behind_verb and self.sentence[cursor].joined_by == "and":
            return names[-1:]
        return names

    def _is_noun(self, position: int) -> bool:
        """Return whether an article precedes a word."""
        article = self._at(position - 1)
        return article is not None and article.has(Tag.ARTICLE)

    def _inside_of(self, cursor: int) -> tuple[str, ...]:
        """Return the function that "it" or "the code" refers to after a place at the start: "Inside `a`, …"."""
        place = self._place_at_start()
        return place if place and self.sentence[cursor].text in BODY_NOUNS | {"it"} else ()

    def _first_names(self, cursor: int) -> tuple[str, ...]:
        """Return the first names of a sentence, as uncertain antecedents of a pronoun."""
        found = next((each.names for each in self.sentence[:cursor] if each.kind is Kind.NAMES), ())
        self.is_borrowed = bool(found)
        return found

    def _borrowed(self) -> tuple[str, ...]:
        self.is_borrowed = bool(self.topic)
        return (self.topic,) if self.topic else ()

    def _is_denied(self, position: int, *, is_passive: bool) -> bool:
        """Return whether a verb is negated, or its subject is the reader: "you call"."""
        start = position
        while (
            start > 0
            and self.sentence[start - 1].kind is not Kind.COMMA
            and self.sentence[start - 1].kind is not Kind.VERB
        ):
            start -= 1
        clause = self.sentence[start:position]
        return self._is_left_undone(position) or any(
            each.has(Tag.NOT, Tag.UNREAL, Tag.NO) or (each.has(Tag.READER) and not is_passive) for each in clause
        )

    def _is_left_undone(self, position: int) -> bool:
        before = self._before(position)
        return before is not None and before.text in _NOT_DONE and self.sentence[position].verbs[0].form is Form.ING


def _related(relation: Relation, subject: str, each: str) -> Iterator[Said]:
    if subject == each:
        return
    if relation is Relation.HAS and not may_own(subject):
        yield Said(Relation.REFERS, subject, each)
    elif relation is Relation.HAS and is_type(each):
        yield Said(Relation.INHERITS if is_type(subject) else Relation.REFERS, subject, each, weak=True)
    elif relation not in {Relation.MAKES, Relation.EXISTS, Relation.EQUALS}:
        yield Said(relation, subject, each)


def _supposed(sentence: Sequence[Phrase]) -> Iterator[bool]:
    """
    Yield for each phrase whether it stands in a conditional clause, which ends at the next comma or the sentence's end.

    A conditional clause at the start of a sentence may end without a comma: "while `a` is false it calls `b`".
    """
    is_inside = has_verb = False
    for phrase in sentence:
        if phrase.has(*SUPPOSED):
            is_inside, has_verb = True, False
        elif is_inside and (
            phrase.kind in (Kind.COMMA, Kind.BREAK)
            or (has_verb and phrase.has(Tag.PRONOUN) and sentence[0].has(*SUPPOSED))
        ):
            is_inside = False
        has_verb = has_verb or phrase.is_verbal
        yield is_inside
