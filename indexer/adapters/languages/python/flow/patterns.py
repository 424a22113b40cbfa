"""Patterns of `match`: the names that they bind, and the classes to which class patterns narrow them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.domain.linking.program import ITERATE, NARROW, NOTHING, Slot

if TYPE_CHECKING:
    from indexer.adapters.languages.python.flow.context import Context
    from indexer.adapters.languages.python.flow.expressions import Expressions


def bind_pattern(  # noqa: C901 - one case a node
    context: Context, expressions: Expressions, pattern: ast.pattern, subject: Slot
) -> None:
    """Bind the names of a pattern that is matched against what a slot holds."""
    emitter = context.emitter
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                subject = _narrowed(context, expressions, inner, subject)
                bind_pattern(context, expressions, inner, subject)
            if name is not None:
                context.assign(name, subject)
        case ast.MatchOr(patterns=patterns):
            for inner in patterns:
                bind_pattern(context, expressions, inner, subject)
        case ast.MatchSequence(patterns=patterns) | ast.MatchMapping(patterns=patterns):
            element = NOTHING
            if subject != NOTHING:
                element = emitter.filled(ITERATE, subject, *context.at(pattern))
            for inner in patterns:
                bind_pattern(context, expressions, inner, element)
        case ast.MatchStar(name=str(name)):
            context.assign(name, NOTHING)
        case ast.MatchClass(patterns=patterns, kwd_attrs=names, kwd_patterns=keywords):
            narrowed = _narrowed(context, expressions, pattern, subject)
            for inner in patterns:
                bind_pattern(context, expressions, inner, NOTHING)
            for attribute, inner in zip(names, keywords, strict=True):
                loaded = expressions.load(narrowed, attribute, pattern.cls)
                bind_pattern(context, expressions, inner, loaded)


def _narrowed(context: Context, expressions: Expressions, pattern: ast.pattern, subject: Slot) -> Slot:
    if not isinstance(pattern, ast.MatchClass):
        return subject
    named = expressions.value(pattern.cls)
    if named == NOTHING:
        return subject
    return context.emitter.filled(NARROW, subject, named, *context.at(pattern))
