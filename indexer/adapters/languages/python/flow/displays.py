"""Displays and comprehensions: expressions that make a container."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.flow.context import Walker
from indexer.adapters.languages.python.flow.narrowing import narrow
from indexer.domain.linking.program import CONTAINER, MAPPING, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence


class Displays(Walker):
    """Walks what makes containers."""

    def elements(self, elements: Sequence[ast.expr], kind: int) -> Slot:
        """Walk the elements of a list, tuple or set."""
        items: list[tuple[object, Slot]] = []
        spread: list[Slot] = []
        for position, element in enumerate(elements):
            slot = self._expressions.value(element)
            if isinstance(element, ast.Starred):
                spread.append(slot)
            elif slot != NOTHING:
                items.append((None if spread else position, slot))
        return self._container(kind, items, spread)

    def mapping(self, node: ast.Dict) -> Slot:
        """Walk a dictionary."""
        items: list[tuple[object, Slot]] = []
        spread: list[Slot] = []
        for key, value in zip(node.keys, node.values, strict=True):
            constant, _key_slot = (None, NOTHING) if key is None else self._expressions.key(key)
            slot = self._expressions.value(value)
            if key is None:
                spread.append(slot)
            else:
                items.append((constant, slot))
        return self._container(MAPPING, items, spread)

    def _container(self, kind: int, items: list[tuple[object, Slot]], spread: list[Slot]) -> Slot:
        result = self._emitter.slot()
        held = tuple(item for item in items if item[1] != NOTHING)
        self._emitter.emit(CONTAINER, result, kind, held, tuple(slot for slot in spread if slot != NOTHING))
        return result

    def comprehension(
        self, generators: list[ast.comprehension], element: ast.expr, kind: int, key: ast.expr | None = None
    ) -> Slot:
        """Walk a comprehension; its variables are dropped at its end."""
        environment = self._context.environment
        names = dict(environment.names)
        log_length = len(environment.log)
        self._generators(generators)
        self._expressions.value(key)
        slot = self._expressions.value(element)
        if environment.lambdas == 0:  # a lambda in the comprehension may use the names later, so the log keeps them
            del environment.log[log_length:]
        environment.names = names
        return self._container(kind, [(None, slot)], [])

    def _generators(self, generators: list[ast.comprehension]) -> None:
        for generator in generators:
            self._expressions.targets.bind(generator.target, self._expressions.iterate(generator.iter))
            for condition in generator.ifs:
                self._expressions.truth(condition)
                narrow(self._context, self._expressions, condition, holds=True)
