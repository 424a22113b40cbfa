"""Assignment: from a value's slot to names, attributes, items, and the parts of tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.flow.context import Walker
from indexer.domain.linking.program import CONTAINER, ITERATE, LIST, NOTHING, SET_ITEM, STORE, UNPACK, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence


class Targets(Walker):
    """Binds the targets of an assignment."""

    def assign(self, target: ast.expr, value: ast.expr, slot: Slot | None = None) -> None:
        """Assign an expression; the elements of a display are assigned directly, without an intermediate tuple."""
        match target, value:
            case ast.Tuple() | ast.List(), ast.Tuple() | ast.List() if self._pairwise(target.elts, value.elts):
                return
        self.bind(target, self._expressions.value(value) if slot is None else slot)

    def _pairwise(self, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
        stars = [position for position, target in enumerate(targets) if isinstance(target, ast.Starred)]
        if any(isinstance(value, ast.Starred) for value in values) or len(values) < len(targets) - len(stars):
            return False
        # All values are read before any target is bound: `a, b = b, a`. Nested displays are unpacked in turn.
        slots = [
            NOTHING if isinstance(value, ast.Tuple | ast.List) else self._expressions.value(value) for value in values
        ]
        places = list(zip(values, slots, strict=True))
        if stars:
            first, after = stars[0], len(targets) - stars[0] - 1
            middle = places[first : len(places) - after]
            starred = targets[first]
            assert isinstance(starred, ast.Starred)
            listed = ast.List(elts=[value for value, _ in middle], ctx=ast.Load())
            self.bind(starred.value, self._expressions.value(ast.copy_location(listed, values[0])))
            pairs = list(zip(targets[:first], places, strict=False))
            pairs += list(zip(targets[first + 1 :], places[len(places) - after :], strict=True))
        elif len(targets) != len(values):
            return False
        else:
            pairs = list(zip(targets, places, strict=True))
        for target, (value, slot) in pairs:
            self.assign(target, value, None if isinstance(value, ast.Tuple | ast.List) else slot)
        return True

    def bind(self, target: ast.expr, slot: Slot) -> None:
        """Bind a target to the value of a slot."""
        context, emitter = self._context, self._emitter
        match target:
            case ast.Name(id=name):
                context.assign(name, slot)
            case ast.Attribute(value=value, attr=name):
                owner = self._expressions.value(value)
                if owner != NOTHING:
                    emitter.emit(STORE, owner, name, slot, *context.at(target))
            case ast.Subscript(value=value):
                owner = self._expressions.value(value)
                key, key_slot = self._expressions.key(target.slice)
                if owner != NOTHING:
                    emitter.emit(SET_ITEM, owner, key, key_slot, slot, *context.at(target))
                    if key is not None:
                        context.environment.items[owner, key] = slot
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, slot)
            case ast.Starred(value=value):
                self.bind(value, slot)

    def _unpack(self, targets: Sequence[ast.expr], slot: Slot) -> None:
        context, emitter = self._context, self._emitter
        starred = next((at for at, target in enumerate(targets) if isinstance(target, ast.Starred)), len(targets))
        for at, target in enumerate(targets):
            position = at if at <= starred else at - len(targets)  # behind a starred target counted from the end
            part = NOTHING
            if slot != NOTHING:
                part = emitter.slot()
                if isinstance(target, ast.Starred):
                    element = emitter.filled(ITERATE, slot, *context.at(target))
                    emitter.emit(CONTAINER, part, LIST, ((None, element),), ())
                else:
                    emitter.emit(UNPACK, part, slot, position, *context.at(target))
            self.bind(target, part)
