"""Objects that keep what they are given: each registry has its own items, and overrides, visitors and callbacks."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import EdgeKind, LinkUnit, Resolution
from tests.unit.indexer.found_calls import found_calls

REGISTRY = """
class Registry:
    def __init__(self):
        self._items = {}
        self._order = []
    def register(self, item, name, priority):
        self._items[name] = item
        self._order.append((name, priority))
    def __getitem__(self, name): return self._items[name]
    def __iter__(self): return iter([self._items[name] for name, _ in self._order])
class Reader:
    def run(self): return 1 + 1
class Writer:
    def run(self): return 2 + 2
"""
PROGRAMS = {
    "two registries of one class hold each their own items": (
        {
            "m.py": REGISTRY
            + """
readers = Registry()
writers = Registry()
readers.register(Reader(), "reader", 1)
writers.register(Writer(), "writer", 1)
def read_all():
    for each in readers: each.run()
def write_one(): writers["writer"].run()
"""
        },
        {
            "m.read_all": {"m.Registry.__iter__", "m.Reader.run"},
            "m.write_one": {"m.Registry.__getitem__", "m.Writer.run"},
        },
    ),
    "registries that are fields, declared with the class's own name, and filled by others": (
        {
            "m.py": REGISTRY
            + """
def build() -> Registry:
    built = Registry()
    built.register(Reader(), "reader", 1)
    return built
class Machine:
    def __init__(self):
        self.readers: Registry = build()
        self.writers: Registry = Registry()
    def read(self):
        for each in self.readers: each.run()
    def write(self):
        for each in self.writers: each.run()
def extend(machine: Machine): machine.writers.register(Writer(), "writer", 2)
"""
        },
        {
            "m.Machine.read": {"m.Registry.__iter__", "m.Reader.run"},
            "m.Machine.write": {"m.Registry.__iter__", "m.Writer.run"},
        },
    ),
    "records that a registry makes belong to it": (
        {
            "m.py": """
            class Rule:
                def __init__(self, name, action):
                    self.name = name
                    self.action = action
            class Rules:
                def __init__(self): self._rules = []
                def push(self, name, action): self._rules.append(Rule(name, action))
                def all(self): return [rule.action for rule in self._rules]
            def heading(): return 1 + 1
            def emphasis(): return 1 + 1
            blocks = Rules()
            spans = Rules()
            blocks.push("heading", heading)
            spans.push("emphasis", emphasis)
            def parse_blocks():
                for action in blocks.all(): action()
            def parse_spans():
                for action in spans.all(): action()
            """
        },
        {"m.parse_blocks": {"m.Rules.all", "m.heading"}, "m.parse_spans": {"m.Rules.all", "m.emphasis"}},
    ),
    "what a registry makes of its own class, and what a base keeps": (
        {
            "m.py": REGISTRY
            + """
class Named(Registry):
    def __init__(self, name):
        super().__init__()
        self.name = name
    def part(self):
        found = Named(self.name)
        for each in self: found.register(each, "each", 1)
        return found
readers = Named("readers")
writers = Named("writers")
readers.register(Reader(), "reader", 1)
writers.register(Writer(), "writer", 1)
def read_part():
    for each in readers.part(): each.run()
"""
        },
        {"m.read_part": {"m.Named.part", "m.Registry.__iter__", "m.Reader.run"}},
    ),
    "methods of one's own that subclasses alone are ever made to run": (
        {
            "m.py": """
            class Walker:
                def walk(self, node): return self.visit(node)
                def visit(self, node): return self.enter(node)
                def enter(self, node): return 1 + 1
            class Counter(Walker):
                def visit(self, node): return 2 + 2
            class Shown(Walker):
                def enter(self, node): return 3 + 3
            class Base:
                def go(self): return self.step()
                def step(self): return 1 + 1
            class Below(Base):
                def step(self): return 2 + 2
            def use():
                Counter().walk(1)
                Shown().walk(1)
                Base().go()
                Below().go()
            """
        },
        {
            "m.Walker.walk": {"m.Walker.visit", "m.Counter.visit"},
            "m.Walker.visit": {"m.Walker.enter", "m.Shown.enter"},
            "m.Base.go": {"m.Base.step"},
        },
    ),
    "a visitor's method with the name of a class takes instances of that class": (
        {
            "m.py": """
            class Node:
                def accept(self, visitor):
                    method = getattr(visitor, "visit" + self.__class__.__name__)
                    return method(self)
            class Text(Node):
                def render(self): return "text"
            class Code(Node):
                def render(self): return "code"
            class Writer:
                def visitText(self, node): return node.render()
                def visitCode(self, node): return node.render()
            def use():
                for node in (Text(), Code()): node.accept(Writer())
            """
        },
        {
            "m.Node.accept": {"m.Writer.visitText", "m.Writer.visitCode"},
            "m.Writer.visitText": {"m.Text.render"},
            "m.Writer.visitCode": {"m.Code.render"},
        },
    ),
    "a callback that is one of very many plain functions, and a method of very many classes": (
        {
            "m.py": "\n".join(
                [
                    "def run(action): return action()",
                    "def ask(thing): return thing.answer()",
                    *(f"def action{number}(): return {number} + 1" for number in range(14)),
                    *(f"class T{number}:\n    def answer(self): return {number} + 1" for number in range(14)),
                    "def use():",
                    *(f"    run(action{number})" for number in range(14)),
                    *(f"    ask(T{number}())" for number in range(14)),
                ]
            )
        },
        {"m.run": {f"m.action{number}" for number in range(14)}, "m.ask": set()},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_are_found_and_no_others(name: str) -> None:
    """Each function calls what runs when it does."""
    files, expected = PROGRAMS[name]

    found = found_calls(files)

    assert {caller: found.get(caller, set()) for caller in expected} == expected


def test_code_that_is_copied_has_each_edge_once() -> None:
    """Code that is copied gives each edge once, the surest, and nothing unresolved that a copy resolves."""
    text = (
        REGISTRY
        + """
class Runner:
    def __init__(self): self._steps = []
    def add(self, step): self._steps.append(step)
    def last(self): return self._steps[-1]
    def run(self): return self.last().run()
one = Runner()
one.add(Reader())
two = Runner()
two.add(Writer())
"""
    )
    unit = LinkUnit("m.py", "m", PythonLanguage().parse("m.py", "m", text))

    edges = [edge for edge in FlowLinker(PythonSemantics()).link([unit]).edges if edge.kind is EdgeKind.CALL]

    line = text.splitlines().index("    def run(self): return self.last().run()") + 1
    assert sorted((edge.target_name, edge.resolution) for edge in edges if edge.line == line) == [
        ("m.Reader.run", Resolution.RESOLVED),
        ("m.Runner.last", Resolution.RESOLVED),
        ("m.Writer.run", Resolution.RESOLVED),
    ]
