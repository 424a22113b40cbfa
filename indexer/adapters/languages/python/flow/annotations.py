"""Type annotations of parameters, variables and results."""

from __future__ import annotations

import ast

from indexer.adapters.languages.python.flow.context import Walker
from indexer.adapters.languages.python.messages import last_name
from indexer.domain.linking.program import CONTAINER, INSTANCE, LIST, MAPPING, NOTHING, TUPLE, Slot

_WORDS_OF_SEQUENCES = """
list List set Set frozenset FrozenSet Sequence MutableSequence Collection deque Deque
"""
_SEQUENCES = frozenset(_WORDS_OF_SEQUENCES.split())
_ITERABLES = frozenset(("Iterable", "Iterator", "Generator", "AsyncIterable", "AsyncIterator", "AsyncGenerator"))
_MAPPINGS = frozenset(
    ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "WeakValueDictionary")
)
_WORDS_OF_WRAPPERS = """
Optional Union Annotated Final ClassVar Awaitable Coroutine Required NotRequired InitVar ContextManager
AsyncContextManager Mapped Depends Unpack
"""
_WRAPPERS = frozenset(_WORDS_OF_WRAPPERS.split())
_INJECTING = frozenset(("Depends", "Security"))
_CLASSES = frozenset(("type", "Type"))
_WORDS_OF_EMPTY = """
Any None int str float bool bytes object Callable Literal NoReturn Never complex bytearray LiteralString AnyStr
Hashable Sized
"""
_EMPTY = frozenset(_WORDS_OF_EMPTY.split())


class Annotations(Walker):
    """Turns annotations into instances of the classes they name."""

    def value(self, node: ast.expr | None) -> Slot:
        """Give a slot that holds an instance of each class that an annotation names; NOTHING if it names none."""
        match node:
            case None | ast.Constant(value=None):
                return NOTHING
            case ast.Constant(value=str(text)):
                try:
                    parsed = ast.parse(text.strip(), mode="eval").body
                except (SyntaxError, ValueError):
                    return NOTHING
                for inner in ast.walk(parsed):
                    ast.copy_location(inner, node)
                return self.value(parsed)
            case ast.Name() | ast.Attribute():
                if last_name(node) in _EMPTY:
                    return NOTHING
                return self._instance(node)
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._emitter.union([self.value(left), self.value(right)])
            case ast.Subscript(value=value, slice=inside):
                parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                return self._generic(value, parts)
        return NOTHING

    def _generic(self, value: ast.expr, parts: list[ast.expr]) -> Slot:
        name, emitter = last_name(value), self._emitter
        if name in _EMPTY:
            return NOTHING
        if name in _CLASSES:
            named = parts[0]
            return self._expressions.value(named) if isinstance(named, ast.Name | ast.Attribute) else NOTHING
        if name in _WRAPPERS:
            if name == "Annotated":
                return emitter.union([self.value(parts[0]), *self.injected(parts[1:])])
            if name in ("ContextManager", "AsyncContextManager"):
                parts = parts[:1]
            elif name == "Coroutine":
                parts = parts[2:]
            return emitter.union([self.value(part) for part in parts])
        if name in _SEQUENCES or name in _ITERABLES:
            return self._container(LIST, parts[:1])
        if name in _MAPPINGS:
            return self._container(MAPPING, parts[1:2])
        if name in ("tuple", "Tuple"):
            return self._tuple(parts)
        return emitter.union([self._instance(value), self._container(LIST, parts) if len(parts) == 1 else NOTHING])

    def injected(self, said: list[ast.expr]) -> list[Slot]:
        """Return the callables of `Depends(f)` and similar metadata in `Annotated`."""
        return [
            self._expressions.value(part)
            for part in said
            if isinstance(part, ast.Call) and last_name(part.func) in _INJECTING
        ]

    def _container(self, kind: int, parts: list[ast.expr]) -> Slot:
        emitter = self._emitter
        element = self.value(parts[0]) if parts else NOTHING
        if element == NOTHING:
            return NOTHING
        return emitter.filled(CONTAINER, kind, ((None, element),), ())

    def _tuple(self, parts: list[ast.expr]) -> Slot:
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
            return self._container(TUPLE, parts[:1])
        said = [(position, self.value(part)) for position, part in enumerate(parts)]
        items = tuple((position, slot) for position, slot in said if slot != NOTHING)
        if not items:
            return NOTHING
        emitter = self._emitter
        return emitter.filled(CONTAINER, TUPLE, items, ())

    def _instance(self, node: ast.expr) -> Slot:
        emitter = self._emitter
        named = self._expressions.value(node)
        if named == NOTHING:
            return NOTHING
        return emitter.filled(INSTANCE, named, *self._context.at(node))
