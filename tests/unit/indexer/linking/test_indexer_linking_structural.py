"""Interfaces that a class implements without saying so, and who calls what over them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, Tier
from tests.unit.indexer.read_units import units_of

PYTHON = """
    from typing import Protocol

    class Sink(Protocol):
        size: int
        def write(self, data): ...
        def close(self) -> None: ...

    class FileSink:
        def write(self, data):
            print(data)
        def close(self):
            print("closed")

    class Pair:
        def write(self, left, right):
            print(left, right)
        def close(self):
            print("closed")

    class Half:
        def write(self, data):
            print(data)

    def send(sink: Sink):
        sink.write(1)
"""

TYPESCRIPT = """
    interface Greeter { greet(name: string): string; size: number }
    class French { greet(name: string) { return name; } }
    class Loud { greet(name: string, times: number) { return name; } }
    class Silent { hush() { return ""; } }
    function use(greeter: Greeter) { greeter.greet("x"); }
"""


def linked(language: str, files: Mapping[str, str], kind: EdgeKind) -> set[tuple[str, str, Tier]]:
    """Return (source, target, tier) of the edges of one kind inside the files."""
    units = units_of(languages()[language], {path: textwrap.dedent(text) for path, text in files.items()})
    return {
        (units[edge.source[0]].parsed.symbols[edge.source[1]].qualified_name, edge.target_name, edge.tier)
        for edge in linkers()[language].link(units).edges
        if edge.kind == kind and edge.target is not None
    }


def test_a_class_with_all_methods_of_a_protocol_implements_it() -> None:
    """One with other parameters does not, nor one that lacks a method; attributes may be set anywhere."""
    heirs = linked("python", {"m.py": PYTHON}, EdgeKind.INHERITS)
    calls = linked("python", {"m.py": PYTHON}, EdgeKind.CALL)

    assert heirs == {("FileSink", "m.Sink", Tier.PROTOCOL)}
    assert {call for call in calls if call[0] == "send"} == {
        ("send", "m.Sink.write", Tier.STATIC),
        ("send", "m.FileSink.write", Tier.PROTOCOL),
    }


def test_positional_only_parameters_of_a_protocol_may_have_other_names() -> None:
    """Their number counts; the others are compared by name. Properties have to be there."""
    steps = """
        from typing import Protocol

        class Step(Protocol):
            @property
            def needs(self) -> str: ...
            def run(self, source, target, /, limit): ...

        class Copy:
            needs = "source"
            def run(self, what, _where, limit): ...

        class Unnamed:
            def run(self, *arguments): ...

        class Fewer:
            def run(self, what): ...

        class Renamed:
            def run(self, source, target, most): ...
    """

    assert linked("python", {"m.py": steps}, EdgeKind.INHERITS) == {("Copy", "m.Step", Tier.PROTOCOL)}


def test_what_is_handed_over_for_a_protocol_is_called_by_who_takes_it() -> None:
    """A declared parameter takes instances of classes that implement its protocol."""
    used = PYTHON + "\n    def go():\n        send(FileSink())\n        send(Half())\n"

    calls = linked("python", {"m.py": used}, EdgeKind.CALL)

    assert ("send", "m.FileSink.write", Tier.ARGUMENT) in calls
    assert not any(target == "m.Half.write" for _, target, _ in calls)


def test_callers_over_an_interface_of_many_are_possible_callers_of_each() -> None:
    """Where more than a few classes implement it, each edge is a guess, which its tier says."""
    many = "".join(
        f"\n    class Sink{n}:\n        def write(self, data): print({n})\n        def close(self): print()\n"
        for n in range(9)
    )

    calls = linked("python", {"m.py": PYTHON + many}, EdgeKind.CALL)

    assert {tier for caller, target, tier in calls if caller == "send" and target != "m.Sink.write"} == {Tier.ARGUMENT}
    assert ("send", "m.Sink8.write", Tier.ARGUMENT) in calls


def test_a_typescript_class_implements_an_interface_by_its_methods() -> None:
    """A method may take fewer parameters than the interface gives, and no more."""
    heirs = linked("javascript", {"m.ts": TYPESCRIPT}, EdgeKind.INHERITS)
    calls = linked("javascript", {"m.ts": TYPESCRIPT}, EdgeKind.CALL)

    assert heirs == {("French", "m.Greeter", Tier.PROTOCOL)}
    assert ("use", "m.French.greet", Tier.PROTOCOL) in calls
