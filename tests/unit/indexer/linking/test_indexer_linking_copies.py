"""Objects that keep what they are given: each registry has its own items, and overrides, visitors and callbacks."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.classes.copies import MAX_COPIES
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


def test_what_may_be_very_many_things_is_plain_functions_alone() -> None:
    """A callback that is one of very many plain functions calls them all; a method of very many classes calls none."""
    text = "\n".join(
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
    found = found_calls({"m.py": text})

    assert found["m.run"] == {f"m.action{number}" for number in range(14)}
    assert "m.ask" not in found


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


def test_only_so_many_objects_of_a_class_are_told_apart() -> None:
    """The last two registries beyond the limit share what both of them hold."""
    numbers = range(MAX_COPIES + 2)
    text = REGISTRY + "".join(
        f"class R{n}:\n    def run(self): return {n} + 1\n"
        f"registry{n} = Registry()\nregistry{n}.register(R{n}(), 'r', 1)\n"
        f"def read{n}():\n    for each in registry{n}: each.run()\n"
        for n in numbers
    )

    found = found_calls({"m.py": text})

    alone = [found[f"m.read{n}"] == {"m.Registry.__iter__", f"m.R{n}.run"} for n in numbers]
    assert alone == [True] * MAX_COPIES + [False] * 2


@pytest.mark.parametrize(("made", "run"), [("Record", {"m.Reader.run"}), ("Wrapped", {"m.Reader.run", "m.Writer.run"})])
def test_records_of_an_object_are_told_apart_and_theirs_are_not(made: str, run: set[str]) -> None:
    """What a registry wraps stays its own; what the wrapper wraps in turn is shared with other registries."""
    text = (
        REGISTRY
        + f"""
class Record:
    def __init__(self, item): self.item = item
    def get(self): return self.item
class Wrapped:
    def __init__(self, item): self.record = Record(item)
    def get(self): return self.record.get()
class Shelf(Registry):
    def put(self, item): self.register({made}(item), 'r', 1)
one = Shelf()
one.put(Reader())
two = Shelf()
two.put(Writer())
def use():
    for each in one: each.get().run()
"""
    )

    assert found_calls({"m.py": text})["m.use"] == {"m.Registry.__iter__", f"m.{made}.get", *run}
