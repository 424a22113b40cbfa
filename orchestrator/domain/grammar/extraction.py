"""Finds the claims that an answer makes about code, sentence by sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import Claim, ClaimKind
from orchestrator.domain.answers.claims import ClaimSite
from orchestrator.domain.grammar.clauses import Clauses
from orchestrator.domain.grammar.lexicon import NOT_SHOWN, Relation, Tag
from orchestrator.domain.grammar.names import (
    CodeKind,
    is_type,
    looks_like_symbol,
    may_own,
    parts_of,
    read_code,
)
from orchestrator.domain.grammar.nouns import said_by_nouns
from orchestrator.domain.grammar.owners import said_of_owners
from orchestrator.domain.grammar.phrases import Kind, asides, phrases
from orchestrator.domain.grammar.quotations import quoted_blocks, quoted_inline
from orchestrator.domain.grammar.text import BlockKind, blocks, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from common.core.contract.evidence import Span
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.grammar.nouns import Said
    from orchestrator.domain.grammar.text import Token

_MOST_CLAIMS = 120
_LONGEST = 100_000
"""Most characters of a text that are read; a model writes a third of that at most."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_MOST_MENTIONS = 4
"""Most other names of one sentence that become a claim that the code of its subject refers to them."""
_KINDS: Mapping[Relation, ClaimKind] = MappingProxyType(
    {
        Relation.CALLS: ClaimKind.CALLS,
        Relation.RAISES: ClaimKind.RAISES,
        Relation.CATCHES: ClaimKind.CATCHES,
        Relation.SETS: ClaimKind.MUTATES,
        Relation.INHERITS: ClaimKind.INHERITS,
        Relation.EQUALS: ClaimKind.VALUE,
        Relation.REFERS: ClaimKind.REFERS,
        Relation.USES: ClaimKind.REFERS,
        Relation.SEEKS: ClaimKind.REFERS,
    }
)
_LAST = (ClaimKind.REFERS, ClaimKind.EXISTS)
"""The least specific kinds, which are dropped first."""
_MARK_WORDS = 4
"""Most words from "general" on in which "knowledge" must follow, as in "general Python knowledge"."""
_CODE = frozenset({"code", "place"})
"""Kinds of tokens that may be names of code or places; strings and numbers are not."""
_NO_PLACES: Mapping[int, Span] = MappingProxyType({})


def extract_claims(
    text: str,
    *,
    shown: frozenset[str] = frozenset(),
    places: Mapping[int, Span] = _NO_PLACES,
    question: str = "",
) -> tuple[ClaimSite, ...]:
    """
    Find what an answer claims about code, without duplicates, the most specific claims first; 120 at most.

    Only identifiers in backticks count. Hypothetical sentences, negated actions and statements about the past are not
    claims.

    Args:
        text: The answer in Markdown, its citations as numbers.
        shown: Identifiers of the evidence; that one of them exists is not extracted as a claim.
        places: What the numbers cite.
        question: The question. Its names that no evidence shows may be of the asker's own code: claims about code with
            such names, or that such a name exists, are not sure, and so never refuted.
    """
    asked = frozenset(_IDENTIFIER.findall(question))
    found: dict[Claim, ClaimSite] = {}
    read = text[:_LONGEST]
    for site in (*_sites(read, places), *quoted_blocks(read)):
        claim = site.claim
        is_known = claim.kind is ClaimKind.EXISTS and parts_of(claim.subject)[-1] in shown
        if is_known and not _has_owner(claim.subject):
            continue
        if site.is_sure and _may_be_the_askers(claim, asked, shown):
            site = replace(site, is_sure=False)
        if claim not in found or (site.is_sure and not found[claim].is_sure):
            found[claim] = site
    ordered = sorted(
        found.values(), key=lambda site: _LAST.index(site.claim.kind) + 1 if site.claim.kind in _LAST else 0
    )
    return tuple(ordered[:_MOST_CLAIMS])


def identifiers_of(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Return the identifiers that pieces of evidence show."""
    return frozenset(word for each in evidence for word in _IDENTIFIER.findall(f"{each.text}\n{each.documentation}"))


def _may_be_the_askers(claim: Claim, asked: frozenset[str], shown: frozenset[str]) -> bool:
    """Return whether a claim's identifiers that no evidence shows all come from the question."""
    if claim.kind is ClaimKind.SHOWS:
        new = frozenset(_IDENTIFIER.findall(claim.object)) - shown
        return bool(new) and new <= asked
    return claim.kind is ClaimKind.EXISTS and claim.subject in asked - shown


def _has_owner(name: str) -> bool:
    parts = parts_of(name)
    return len(parts) > 1 and may_own(parts[-2])


def _sites(text: str, places: Mapping[int, Span]) -> Iterator[ClaimSite]:
    topic = lead = ""
    for block in blocks(text):
        if block.kind is BlockKind.CODE:
            continue
        if block.kind is BlockKind.RULE:
            topic = lead = ""
        if block.kind is BlockKind.ITEM:
            topic = lead
        period: tuple[Token, ...] = ()
        reader: _Sentence | None = None
        for tokens in sentences(text, block):
            period += tokens
            if any(each.kind in _CODE for each in period):  # a sentence without code makes no claim
                reader = _Sentence(tokens, topic, places)
                yield from reader.sites()
                topic = reader.topic
            if tokens[-1].text != ";":  # a quotation before a semicolon may have its place behind it
                yield from reader.quotations(period) if reader else ()
                period, reader = (), None
        yield from reader.quotations(period) if reader else ()
        lead = lead if block.kind is BlockKind.ITEM else topic


class _Sentence:
    """The claims of one sentence, and the antecedent of "it" in the next one."""

    def __init__(self, tokens: Sequence[Token], topic: str, places: Mapping[int, Span]) -> None:
        self._tokens = tokens
        self._phrases = phrases(tokens)
        self._tags = tuple(each.tag for each in self._phrases if each.kind is Kind.WORD)
        self._clauses = Clauses(self._phrases, topic)
        self._by_nouns = tuple(said_by_nouns(self._phrases, self._clauses.supposed))
        self._topic = topic
        cited = [place for each in tokens if each.kind == "cite" and (place := places.get(int(each.text)))]
        self._place = cited[0] if cited else None
        # With citations of several files, the file of a named definition is unknown.
        self._file = self._place if len({each.path for each in cited}) == 1 else None
        self._start, self._end = tokens[0].start, tokens[-1].end
        self._named: set[str] = set()
        self._is_general = _is_general(tokens)
        self._is_now = self._is_about_now()
        self._absent = frozenset(each.subject for each in self._by_nouns if each.denied and self._is_now)

    @property
    def topic(self) -> str:
        """
        The name that "it" refers to in the next sentence.

        That is the main subject; else the first name, but the earlier topic, if any, where there is no name or a type.
        """
        first = next((each.names[0] for each in self._phrases if each.kind is Kind.NAMES and each.names), "")
        if self._clauses.main or not first:
            return self._clauses.main or self._topic
        return first if not self._topic or not is_type(first) else self._topic

    def sites(self) -> Iterator[ClaimSite]:
        """Yield claims in the order: relations, references to other names, absences, existence of names."""
        # Names that are said not to exist, in hypothetical clauses too.
        denied = self._absent.union(name for each in self._phrases if each.is_denied for name in each.names)
        if self._is_now:
            owners = said_of_owners(self._phrases, self._clauses.supposed)
            owned = {name for each in self._phrases if each.owned for name in each.names}
            for said in (*self._by_nouns, *self._clauses.said(), *owners):
                is_of_other = said.relation is Relation.HAS and said.object in owned and "." not in said.object
                if not said.denied and not is_of_other:
                    yield from self._related(said)
            yield from self._mentions()
        for name in sorted(self._absent):
            yield self._site(ClaimKind.ABSENT, name)
        # What the reader is to create need not exist; what the reader is to look at must.
        is_advice = self._has(Tag.READER) and not any(
            verb.relation is Relation.SEEKS for each in self._phrases for verb in each.verbs
        )
        for name, is_call in self._names():
            is_claim = looks_like_symbol(name, is_call=is_call) and not any(_ends_with(each, name) for each in denied)
            if is_claim and not self._has(Tag.UNREAL):
                is_new = is_advice and len(parts_of(name)) == 1
                yield self._site(ClaimKind.EXISTS, name, is_sure=not is_new)

    def quotations(self, period: Sequence[Token]) -> Iterator[ClaimSite]:
        """Yield the quotations with places of a sentence and of its parts before semicolons."""
        yield from quoted_inline(period, self._place, is_advice=self._is_general or self._has(Tag.READER, Tag.UNREAL))

    def _related(self, said: Said) -> Iterator[ClaimSite]:
        self._named |= {said.subject, said.object}
        member = parts_of(said.object)
        if said.relation is Relation.HAS and len(member) > 1 and member[-2] != parts_of(said.subject)[-1]:
            yield self._site(ClaimKind.REFERS, said.subject, said.object, is_sure=False)  # an instance of it, at most
        elif said.relation is Relation.HAS:
            yield self._site(ClaimKind.EXISTS, f"{said.subject}.{member[-1]}", is_sure=not said.weak)
        elif said.relation is Relation.EQUALS:
            yield self._site(ClaimKind.VALUE, said.subject, said.object)
        elif kind := _KINDS.get(said.relation):
            yield self._site(kind, said.subject, said.object, is_sure=not said.weak)

    def _mentions(self) -> Iterator[ClaimSite]:
        subject = self._clauses.main or self._topic
        if not subject or any(each.denied for each in self._by_nouns):
            return
        has_verb = any(each.is_verbal for each in self._phrases[1:])
        if not self._clauses.main and not has_verb:
            return
        known = {*self._named, *self._clauses.denied, subject}
        others = (name for each in self._phrases for name in each.names if name not in known and not each.is_denied)
        for name in list(dict.fromkeys(others))[:_MOST_MENTIONS]:
            yield self._site(ClaimKind.REFERS, subject, name, is_sure=False)

    def _names(self) -> Iterator[tuple[str, bool]]:
        for phrase in self._phrases:
            if phrase.kind is Kind.NAMES and not phrase.is_denied:
                yield from ((code.name, code.is_call) for code in phrase.codes)
        for token in asides(self._tokens):
            if token.kind == "code" and (code := read_code(token.text)).kind is CodeKind.NAME:
                yield code.name, code.is_call

    def _is_about_now(self) -> bool:
        if [token.text.lower() for token in self._tokens if token.kind == "word"][:2] == NOT_SHOWN.split():
            return False  # "Not shown: `a`, and other callers of `b`": the prompt asks for this form
        is_question = any(token.kind == "punct" and token.text == "?" for token in self._tokens)
        if is_question or self._has(Tag.PAST_TIME, Tag.UNLESS):
            return False
        return not self._has(Tag.WAS) or all(
            is_supposed or not each.has(Tag.WAS)
            for each, is_supposed in zip(self._phrases, self._clauses.supposed, strict=True)
        )

    def _has(self, *tags: Tag) -> bool:
        return any(each in self._tags for each in tags)

    def _site(self, kind: ClaimKind, subject: str, what: str = "", *, is_sure: bool = True) -> ClaimSite:
        is_sure = is_sure and not self._is_general
        return ClaimSite(Claim(kind, subject, what, self._file), self._start, self._end, is_sure)


def _is_general(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence is marked as general knowledge, which the prompt requires where evidence is missing."""
    words = [token.text.lower() for token in tokens if token.kind == "word"]
    return "general" in words and "knowledge" in words[words.index("general") :][:_MARK_WORDS]


def _ends_with(whole: str, name: str) -> bool:
    wanted = parts_of(name)
    return parts_of(whole)[-len(wanted) :] == wanted
