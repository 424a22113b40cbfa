"""What members of Python classes call: properties and descriptors, and methods that only subclasses have."""

from __future__ import annotations

import pytest

from tests.unit.indexer.found_calls import found_calls

# Files by path, and what some of their functions call; the others are not looked at.
PROGRAMS = {
    "properties that a call of `property` makes, in the class, by a function of its own, or by a decorator": (
        {
            "m.py": """
            class Lid:
                def lift(self): return 1 + 1
                def screw(self): return 1 + 1
            def header(name):
                def read(self): return Lid()
                def write(self, value): value.screw()
                return property(read, write)
            def lazy(f):
                def get(self): return f(self)
                return property(get)
            class Jar:
                def _get(self): return Lid()
                def _set(self, value): value.lift()
                lid = property(_get, _set, doc="of the jar")
                rim = property(lambda self: Lid())
                brim = header("brim")
                @lazy
                def knob(self): return Lid()
            class Can(Jar): pass
            def reads(): Jar().lid.lift()
            def reads_below(): Can().rim.lift()
            def sets():
                can = Can()
                can.lid = Lid()
            def through(): Jar().brim.lift()
            def sets_through():
                jar = Jar()
                jar.brim = Lid()
            def decorated(): return Jar().knob
            def called_itself(): Jar()._get()
            """
        },
        {
            "m.reads": {"m.Jar._get", "m.Lid.lift"},
            "m.reads_below": {"m.Jar.<lambda1>", "m.Lid.lift"},
            "m.sets": {"m.Jar._set"},
            "m.Jar._set": {"m.Lid.lift"},
            "m.through": {"m.header.read", "m.Lid.lift"},
            "m.sets_through": {"m.header.write"},
            "m.decorated": {"m.lazy.get"},
            "m.called_itself": {"m.Jar._get"},
        },
    ),
    "methods that a base calls of itself and that only its subclasses have, although it is made itself, too": (
        {
            "m.py": """
            class Base:
                def run(self): return self.step()
                def wait(self):
                    while self: pass
                def walk(self): return [each for each in self]
                def kept(self): return self.hook()
                def __init__(self): self.hook = None
                def __len__(self): return 1 + 1
            class Fast(Base):
                def step(self): return 1 + 1
                def hook(self): return 1 + 1
                def __bool__(self): return 1 + 1 > 1
            class Slow(Base):
                def step(self): return 1 + 1
                def hook(self): return 1 + 1
                def __iter__(self): return iter([1 + 1])
            def make(): return Base().run()
            """
        },
        {
            "m.Base.run": {"m.Fast.step", "m.Slow.step"},
            "m.Base.wait": {"m.Base.__len__", "m.Fast.__bool__"},
            "m.Base.walk": {"m.Slow.__iter__"},
            "m.Base.kept": set(),
        },
    ),
    "a setter of which the class's own `__setattr__` comes first": (
        {
            "m.py": """
            class Jar:
                def __setattr__(self, name, value): object.__setattr__(self, name, value)
                @property
                def lid(self): return 1 + 1
                @lid.setter
                def lid(self, value): pass
            def closes():
                jar = Jar()
                jar.lid = 1
            """
        },
        {"m.closes": {"m.Jar.__setattr__", "m.Jar.lid"}},
    ),
    "a method that a base reads before it calls it, of very many subclasses": (
        {
            "m.py": "\n".join(
                [
                    "class Base:",
                    "    convert = None",
                    "    def run(self, value):",
                    "        convert = self.convert",
                    "        return convert(value) if convert else value",
                    *(f"class T{each}(Base):\n    def convert(self, value): return {each} + 1" for each in range(14)),
                ]
            )
        },
        {"m.Base.run": {f"m.T{each}.convert" for each in range(14)}},
    ),
    "methods that only type checkers see": (
        {
            "m.py": """
            from typing import TYPE_CHECKING
            class Base:
                def load(self): return 1 + 1
                def save(self): return 1 + 1
            class Own(Base):
                def save(self): return 1 + 1
                if TYPE_CHECKING:
                    def load(self) -> int: ...
                    def save(self) -> int: ...
            def use():
                Own().load()
                Own().save()
            """
        },
        {"m.use": {"m.Base.load", "m.Own.save"}},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_functions_call_what_they_are_said_to(files: dict[str, str], expected: dict[str, set[str]]) -> None:
    """Each function named calls exactly what stands beside it."""
    found = found_calls(files)

    assert {caller: found.get(caller, set()) for caller in expected} == expected
