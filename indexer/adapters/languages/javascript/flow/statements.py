"""Statements: control flow, declarations, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.flow.scan import assigned_names, block_names, function_variables
from indexer.adapters.languages.javascript.syntax import CLASSES, SHAPES, bare
from indexer.adapters.languages.syntax import children, field, first_child, text_of
from indexer.domain.linking.program import ITERATE, NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from indexer.adapters.languages.javascript.flow.builder import Walkers

_FUNCTION_DECLARATIONS = frozenset(("function_declaration", "generator_function_declaration"))
_WRAPPING = frozenset(("export_statement", "ambient_declaration"))


class Statements(Walker):
    """Walks statements in order."""

    def __init__(self, walkers: Walkers) -> None:
        super().__init__(walkers)
        self._by_type: dict[str, Callable[[Node], bool | None]] = {
            "expression_statement": self._expression,
            **dict.fromkeys(("lexical_declaration", "variable_declaration"), self._declaration),
            "return_statement": self._return,
            "throw_statement": self._throw,
            "if_statement": self._if,
            "for_statement": self._for,
            "for_in_statement": self._for_in,
            **dict.fromkeys(("while_statement", "do_statement"), self._while),
            "try_statement": self._try,
            "switch_statement": self._switch,
            "statement_block": self.block,
            **dict.fromkeys(("labeled_statement", "with_statement", "else_clause", "ambient_declaration"), self._inner),
            "import_statement": lambda node: walkers.modules.import_(node),
            "export_statement": lambda node: walkers.modules.export(node),
            "import_alias": lambda node: walkers.modules.alias(node),
            **dict.fromkeys(SHAPES, lambda node: walkers.classes.shape(node)),
            "internal_module": lambda node: walkers.objects.namespace(node),
            **dict.fromkeys(("break_statement", "continue_statement"), lambda _: True),
        }

    def module(self, root: Node) -> None:
        """Walk a module's statements."""
        for name in function_variables(root):
            self._context.declare(name)
        self.statements(children(root))

    def block(self, node: Node) -> bool:
        """Walk a block with its own scope; return whether control never leaves it normally."""
        with self._context.inner_block():
            return self.statements(children(node))

    def statements(self, nodes: Sequence[Node]) -> bool:
        """Walk statements; functions and types are declared first, as they are hoisted."""
        self._announce(nodes)
        ended = False
        for node in nodes:
            if self.statement(node):
                ended = True
        return ended

    def statement(self, node: Node) -> bool:
        """Walk one statement; return whether control never leaves it normally."""
        if node.type in CLASSES:
            self._walkers.classes.declared(node)
            return False
        walk = self._by_type.get(node.type)
        if walk is not None:
            return bool(walk(node))
        if node.type == "ERROR":
            return self.statements(children(node))
        return False

    def _announce(self, nodes: Sequence[Node]) -> None:
        for name in block_names(nodes):
            self._context.declare(name)
        for node in nodes:
            self._hoist(node)

    def _hoist(self, node: Node) -> None:
        inner: Node | None = node
        if node.type in _WRAPPING:
            inner = field(node, "declaration") or first_child(node)
        if inner is None:
            return
        if inner.type in _FUNCTION_DECLARATIONS:
            self._walkers.functions.declared(inner)
        elif inner.type in SHAPES:
            self._walkers.classes.hoist_shape(inner)

    def _inner(self, node: Node) -> bool:
        return self.statements(children(node))

    def _expression(self, node: Node) -> None:
        for inner in children(node):
            if inner.type == "internal_module":
                self._walkers.objects.namespace(inner)
            else:
                self._walkers.expressions.value(inner)

    def _declaration(self, node: Node) -> None:
        for declarator in children(node):
            if declarator.type == "variable_declarator":
                self.declarator(declarator)

    def declarator(self, node: Node) -> None:
        """Walk `name: type = value`."""
        name, value = field(node, "name"), field(node, "value")
        if name is None:
            return
        said = self._walkers.types.annotation(field(node, "type"))
        if value is None:
            if said != NOTHING:
                self._walkers.patterns.bind(name, said)
            return
        self._walkers.patterns.assign(name, value, said)

    def _return(self, node: Node) -> bool:
        for inner in children(node):
            self.give_back(self._walkers.expressions.value(inner))
        return True

    def give_back(self, slot: int) -> None:
        """Add a returned value to the current function; a parameter that is returned unchanged is recorded as such."""
        environment = self._context.environment
        if slot == NOTHING or environment.result == NOTHING:
            return
        if slot in environment.parameters:
            environment.passed[environment.parameters[slot]] = None
        else:
            self._context.emitter.copy(slot, environment.result)

    def _throw(self, node: Node) -> bool:
        for inner in children(node):
            self._walkers.expressions.value(inner)
        return True

    def _if(self, node: Node) -> bool:
        self._walkers.expressions.value(field(node, "condition"))

        def branch(part: Node | None, *, holds: bool) -> Callable[[], bool]:
            def walk() -> bool:
                self._walkers.types.narrow(field(node, "condition"), holds=holds)
                return part is not None and self.statement(part)

            return walk

        return self._context.environment.branch(
            [branch(field(node, "consequence"), holds=True), branch(field(node, "alternative"), holds=False)]
        )

    def _region(self, node: Node) -> None:
        names = [self._context.block.find(name) for name in assigned_names(node)]
        known = [binding for binding in names if binding is not None]
        self._context.environment.enter_region(known)

    def _for(self, node: Node) -> None:
        initial = field(node, "initializer")
        with self._context.inner_block():
            if initial is not None:
                if initial.type == "lexical_declaration":
                    for name in block_names([initial]):
                        self._context.declare(name)
                if not self.statement(initial) and initial.type not in self._by_type:
                    self._walkers.expressions.value(initial)
            self._region(node)
            self._walkers.expressions.value(field(node, "condition"))
            self._body(node)
            self._walkers.expressions.value(field(node, "increment"))
            self._context.environment.leave_region()

    def _body(self, node: Node) -> bool:
        body = field(node, "body")
        return body is not None and self.statement(body)

    def _for_in(self, node: Node) -> None:
        context, left = self._context, field(node, "left")
        source = self._walkers.expressions.value(field(node, "right"))
        element = NOTHING
        if source != NOTHING and text_of(field(node, "operator")) == "of":
            element = context.emitter.filled(ITERATE, source, *context.at(node))
        with context.inner_block():
            if left is not None and text_of(field(node, "kind")) not in ("", "var"):
                self._walkers.patterns.declare(left)
            self._region(node)
            if left is not None:
                self._walkers.patterns.bind(left, element)
            self._body(node)
            context.environment.leave_region()

    def _while(self, node: Node) -> None:
        self._region(node)
        self._walkers.expressions.value(field(node, "condition"))
        self._body(node)
        self._context.environment.leave_region()

    def _try(self, node: Node) -> bool:
        environment = self._context.environment
        self._region(node)
        handler, last = field(node, "handler"), field(node, "finalizer")
        ended = self._body(node)
        environment.leave_region()
        if handler is not None:
            ended = self._context.environment.branch([lambda: ended, lambda: self._catch(handler)])
        if last is not None:
            ended = self._body(last) or ended
        return ended

    def _catch(self, node: Node) -> bool:
        parameter = field(node, "parameter")
        with self._context.inner_block():
            if parameter is not None:
                self._walkers.patterns.declare(parameter)
            return self._body(node)

    def _switch(self, node: Node) -> bool:
        self._walkers.expressions.value(field(node, "value"))
        cases = children(field(node, "body"))
        every = [statement for case in cases for statement in _statements_of(case)]

        def branch(case: Node) -> Callable[[], bool]:
            def walk() -> bool:
                self._walkers.expressions.value(field(case, "value"))
                ended = False
                for statement in _statements_of(case):
                    leaves = self.statement(statement)
                    ended = ended or (leaves and bare(statement) is not None and not _breaks(statement))
                return ended

            return walk

        with self._context.inner_block():
            self._announce(every)
            return self._context.environment.branch([*map(branch, cases), lambda: False])


def _breaks(statement: Node) -> bool:
    return statement.type in ("break_statement", "statement_block", "if_statement")


def _statements_of(case: Node) -> list[Node]:
    value = field(case, "value")
    return [child for child in children(case) if value is None or child.id != value.id]
