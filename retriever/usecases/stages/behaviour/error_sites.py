"""Diagnostic: finds where the error comes from, by stack frames, messages and exception types."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind, Span
from retriever.domain.declared.message_template import begins_as, differs, explained
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceRole
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Candidate, Context, Part, Task, first_of_each
from retriever.domain.values import FactKind, Origin, SymbolKind
from retriever.usecases.evidence.drafting import lines_draft
from retriever.usecases.locating.frames import find_frame
from retriever.usecases.locating.message_texts import constant_at, fixed_part, holders, sentences, users_of_constant
from retriever.usecases.locating.messages import LOOKED_UP, matching_literals, matching_messages
from retriever.usecases.locating.naming import closest, enclosing, find_symbols, symbols_by_id
from retriever.usecases.stages.relations.users import users_draft
from retriever.usecases.using.failing import raisers_of_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.contract.question import StackFrame
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_TELLING = 12
"""If an exception type is raised in more places than this, only ranked places count."""
_SITES = 5
_LISTED = 20
_NEAR = 10
"""A place among this many first ranks is supported by the words of the question."""
_SURE = 0.75
"""Least similarity at which code probably made the message; also the least share of the best similarity."""
_WHOLE = 1.0
"""A similarity above this means that the message has all fixed parts of the text; the excess is their share."""
_MARGIN = 0.1
"""How much more of a message a text must explain to come before an error string that explains it too."""
_ALIKE = 0.55
"""Least similarity of an error string; below it the two only share some words."""
_READ = 40
"""Best ranked files whose text is searched for a message."""
_AROUND = 3
"""Lines shown before and after a text in a file without symbols."""
_GUARDED = (FactKind.RAISES, FactKind.ERROR_STRING, FactKind.TEXT)
_HOLDS = {
    BasisKind.MESSAGE: "holds the message {text}",
    BasisKind.NEAR_MESSAGE: "holds a message that is nearly the same, {text}",
    BasisKind.TEXT: "holds the text {text}",
    BasisKind.CONSTANT: "uses {constant}, which holds {text}",
}


class ErrorSites:
    """Adds the symbols that stand in a frame, hold the message or raise the exception."""

    name = "error_sites"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up each kind of anchor, the surest first; a message raised in several places also gives a list."""
        found = await asyncio.to_thread(self._find, context, snapshot, task)
        if not any(each.basis and each.basis.kind in _HOLDS for each in found):
            sites, drafts = await asyncio.to_thread(_anywhere, snapshot, task)
            found, context = [*sites, *found], context.with_drafts(drafts)
        messages = task.messages
        if len(messages) == 1 and not task.anchors.frames and not context.tells_users:
            message = messages[0][: task.limits.error_chars]
            raisers = await asyncio.to_thread(raisers_of_message, snapshot, message)
            context = context.with_drafts([users_draft(raisers, most=_LISTED)] if raisers else [])
        return context.with_candidates(self.name, found).with_step("error_search")

    def _find(self, context: Context, snapshot: Snapshot, task: Task) -> list[Candidate]:
        rank = context.ranking.places()
        telling, others = _by_exception(snapshot, task.anchors.exceptions, rank)
        files = [each.file.path for each in context.ranking.files[:_READ]]
        sites = chain(_by_frame(snapshot, task.anchors.frames), _by_message(snapshot, task, files), telling)
        kept = first_of_each(sites, _SITES)
        return [*kept, *others[: _SITES - len(kept)]]


def _by_frame(snapshot: Snapshot, frames: Sequence[StackFrame]) -> Iterator[Candidate]:
    for frame in reversed(frames):
        symbol = find_frame(snapshot, frame)
        if symbol:
            is_there = symbol.start_line <= frame.line <= symbol.end_line
            reason = "stands in the stack trace" + (f", line {frame.line}" if is_there else " by its name")
            focus = (frame.line,) if is_there else ()
            line = frame.line if is_there else 0
            basis = Basis(BasisKind.FRAME, line=line, condition=condition_at(snapshot, symbol, line))
            yield Candidate(symbol, EvidenceRole.ERROR_SITE, "frame", reason, 1.0, focus, basis)


def _by_message(snapshot: Snapshot, task: Task, files: Sequence[str]) -> Iterator[Candidate]:
    """Yield the code that produces a message; if that is uncertain, also code that contains its text."""
    for written in task.messages[:LOOKED_UP] or _pasted(snapshot, task):
        message = written[: task.limits.error_chars]
        matched = matching_messages(snapshot, message)
        symbols = symbols_by_id(snapshot, (fact.symbol_id for fact, _ in matched))
        hits = [(fact, share) for fact, share in matched if not symbols[fact.symbol_id].is_test]
        best = max((share for _, share in hits), default=0.0)
        if best < _SURE:
            # The message may be composed of several texts.
            for part in dict.fromkeys((message, *sentences(message))):
                yield from _by_text(snapshot, part, files)
        told = explained(hits[0][0].value, message) if hits else 0.0
        if told < _WHOLE - _MARGIN:
            yield from _by_literal(snapshot, message, _WHOLE + told + _MARGIN if best >= _SURE else 0.0)
        for fact, share in hits:
            if share >= max(_SURE * best, _ALIKE):
                kind = BasisKind.NEAR_MESSAGE if differs(fact.value, message) else BasisKind.MESSAGE
                holder = symbols[fact.symbol_id]
                constant = constant_at(snapshot, holder.path, fact.line) if holder.kind is SymbolKind.MODULE else None
                yield _holder(snapshot, constant or holder, "message", kind, fact.value, fact.line, share)
                for user, line, name in users_of_constant(snapshot, constant) if constant else ():
                    yield _holder(snapshot, user, "text", BasisKind.CONSTANT, fact.value, line, share, name)


def _pasted(snapshot: Snapshot, task: Task) -> tuple[str, ...]:
    """Return a one-line question as a message if it begins like an error string of the code."""
    question = task.question.strip()
    if task.anchors.exceptions or task.anchors.frames or "?" in question or "\n" in question:
        return ()
    is_message = any(begins_as(fact.value, question) for fact, _ in matching_messages(snapshot, question))
    return (question,) if is_message else ()


def _anywhere(snapshot: Snapshot, task: Task) -> tuple[list[Candidate], list[Draft]]:
    """Find the message as text in any file: symbols that contain it, else the lines around it."""
    sites: list[Candidate] = []
    drafts: list[Draft] = []
    for message in task.messages[:LOOKED_UP]:
        said = fixed_part(message) or message.strip()
        for hit in snapshot.texts.find(said[: task.limits.error_chars], limit=_SITES):
            file, symbol = snapshot.files.at(hit.path), enclosing(snapshot, hit.path, hit.line)
            if file is None or file.is_test:
                continue
            if symbol:
                sites.append(_holder(snapshot, symbol, "text", BasisKind.TEXT, said, hit.line, 0.9))
            else:
                span = Span(hit.path, max(1, hit.line - _AROUND), min(file.lines, hit.line + _AROUND))
                reason = _HOLDS[BasisKind.TEXT].format(text=repr(said), constant="")
                drafts.append(lines_draft(snapshot, span, EvidenceRole.ERROR_SITE, reason, source=ContextSource.CODE))
    return sites, drafts


def _by_text(snapshot: Snapshot, message: str, files: Sequence[str]) -> Iterator[Candidate]:
    said = fixed_part(message)
    for symbol, line, constant in holders(snapshot, message, files):
        kind = BasisKind.CONSTANT if constant else BasisKind.TEXT
        yield _holder(snapshot, symbol, "text", kind, said, line, 0.9, constant)


def _by_literal(snapshot: Snapshot, message: str, least: float) -> Iterator[Candidate]:
    for symbol, line, text, alike in matching_literals(snapshot, message) if not snapshot.lexical.problem else ():
        if alike > least:
            yield _holder(snapshot, symbol, "literal", BasisKind.TEXT, text, line, 0.8)


def _holder(
    snapshot: Snapshot,
    symbol: Symbol,
    step: str,
    kind: BasisKind,
    text: str,
    line: int,
    score: float,
    constant: str = "",
) -> Candidate:
    basis = Basis(kind, constant, text, line, condition=condition_at(snapshot, symbol, line))
    reason = _HOLDS[kind].format(constant=constant, text=repr(text))
    return Candidate(symbol, EvidenceRole.ERROR_SITE, step, reason, score, (line,), basis)


def condition_at(snapshot: Snapshot, symbol: Symbol, line: int) -> str:
    """Return the condition under which a line of a symbol raises or reports its error; "" if unknown."""
    facts = snapshot.facts.of([symbol.id], _GUARDED) if line else ()
    found = (each.detail for each in facts if each.line == line and each.origin != Origin.ASSERTED)
    return next(filter(None, found), "")


def _by_exception(
    snapshot: Snapshot, exceptions: Sequence[str], rank: dict[int, int]
) -> tuple[list[Candidate], list[Candidate]]:
    """
    Return the places that raise an exception, with its definition; then places that may raise it for other reasons.

    A type of the project is raised for one reason, so all its places count. A built-in type is raised for many, so
    only places ranked high for the question count.
    """
    telling: list[Candidate] = []
    others: list[Candidate] = []
    for written in exceptions:
        name = parse(written)
        if name is None:
            continue
        lines: dict[int, list[int]] = {}
        for fact in snapshot.facts.with_value(FactKind.RAISES, name.last):
            lines.setdefault(fact.symbol_id, []).append(fact.line)
        places = [each for each in snapshot.symbols.get(list(lines)) if not each.is_test]
        if len(places) > _TELLING:
            places = [each for each in places if each.id in rank]
        places.sort(key=lambda each: (rank.get(each.id, len(rank)), each.path, each.start_line))
        definitions = closest(find_symbols(snapshot, name), name)
        for symbol in places:
            focus = tuple(lines[symbol.id])
            line = focus[0] if len(focus) == 1 else 0
            basis = Basis(BasisKind.RAISES, written, "", line, condition=condition_at(snapshot, symbol, line))
            site = Candidate(symbol, EvidenceRole.ERROR_SITE, "exception", f"raises {written}", 0.5, focus, basis)
            (telling if definitions or rank.get(symbol.id, len(rank)) < _NEAR else others).append(site)
        telling += [
            Candidate(symbol, EvidenceRole.MATCH, "exception", f"defines {written}", 0.4) for symbol in definitions[:1]
        ]
    return telling, others
