"""Constraints of declared types on the values of slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import simple_name
from indexer.adapters.languages.syntax import child_of, children, field, first_child, line_of, text_of
from indexer.domain.linking.program import LIST, MAPPING, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter
    from indexer.adapters.languages.java.flow.names import Names

_SIMPLE = frozenset(("integral_type", "floating_point_type", "boolean_type", "void_type"))
_MAPPINGS = frozenset(("Map", "HashMap", "LinkedHashMap", "TreeMap", "ConcurrentMap", "ConcurrentHashMap", "SortedMap"))
_WORDS_OF_HOLDERS = """
List ArrayList LinkedList Set HashSet LinkedHashSet TreeSet SortedSet Collection Iterable Iterator Queue Deque
ArrayDeque PriorityQueue BlockingQueue Stream Optional CopyOnWriteArrayList Supplier Callable Future CompletableFuture
AtomicReference ThreadLocal Provider ObjectProvider WeakReference SoftReference Mono Flux
"""
_HOLDERS = _MAPPINGS | frozenset(_WORDS_OF_HOLDERS.split())


class Types:
    """Writes the constraints of declared types."""

    def __init__(self, writer: FlowWriter, names: Names) -> None:
        self._writer = writer
        self._names = names

    def slot(self, node: Node | None) -> Slot:
        """Return the class that a type names; NOTHING for primitive types and `var`."""
        if node is None or node.type in _SIMPLE:
            return NOTHING
        if node.type == "generic_type":
            return self.slot(children(node)[0])
        if node.type == "annotated_type":
            return self.slot(children(node)[-1])
        if node.type == "scoped_type_identifier":
            return self._scoped(node)
        if node.type in ("type_identifier", "identifier"):
            name = text_of(node)
            return NOTHING if name == "var" else self._names.type_slot(name)
        return NOTHING

    def _scoped(self, node: Node) -> Slot:
        path = "".join(text_of(node).split())
        first, _, rest = path.partition(".")
        if "<" in path or "@" in path:
            return NOTHING
        if first[:1].isupper():
            slot = self._names.type_slot(first)
            for part in rest.split("."):
                slot = self._writer.load(slot, part, line_of(node))
            return slot
        return self._names.qualified(path, line_of(node))

    def declare(self, slot: Slot, node: Node | None, *, only_unknown: bool) -> None:
        """Let a slot hold what its type allows, elements of arrays and of the library's collections too."""
        if node is None:
            return
        if node.type == "array_type":
            self.declare_elements(slot, field(node, "element"))
            return
        unless_known = slot if only_unknown else NOTHING
        self._writer.declare(slot, self.slot(node), line_of(node), unless_known=unless_known)
        arguments = children(child_of(node, "type_arguments")) if node.type == "generic_type" else []
        if arguments and simple_name(node) in _HOLDERS:
            kind = MAPPING if simple_name(node) in _MAPPINGS else LIST
            self.declare_elements(slot, _bound(arguments[-1]), kind=kind)

    def declare_elements(self, slot: Slot, element: Node | None, *, kind: int = LIST) -> None:
        """Let a slot hold a container of elements of a type."""
        held = self._writer.slot()
        self.declare(held, element, only_unknown=False)
        self._writer.container(kind, held, slot)


def _bound(node: Node) -> Node | None:
    """Return the bound of a wildcard, or the type itself."""
    return first_child(node) if node.type == "wildcard" else node
