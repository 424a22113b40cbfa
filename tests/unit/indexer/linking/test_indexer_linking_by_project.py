"""What projects do that nobody had in mind when the linker was made: calls that are there, and no others."""

from __future__ import annotations

import pytest

from tests.unit.indexer.found_calls import found_calls

# Files by path, and what some of their functions call; the others are not looked at.
PROGRAMS = {
    "`in` of a mapping of a library: it looks the key up, and that of a builtin calls nothing": (
        {
            "m.py": """
            from collections.abc import MutableMapping
            class Data(MutableMapping):
                def __getitem__(self, key): return 1 + 1
                def __iter__(self): return iter([1 + 1])
            class Names(dict):
                def __iter__(self): return iter([1 + 1])
            class Own(Data):
                def __contains__(self, key): return key == 1
            class Lines:
                def __iter__(self): return iter([1 + 1])
            def use(): return 1 in Data()
            def use_builtin(): return 1 in Names()
            def use_own(): return 1 in Own()
            def use_lines(): return 1 in Lines()
            """
        },
        {
            "m.use": {"m.Data.__getitem__"},
            "m.use_builtin": set(),
            "m.use_own": {"m.Own.__contains__"},
            "m.use_lines": {"m.Lines.__iter__"},
        },
    ),
    "what is iterated over, indexed or called and came in as an argument: it may be of the language itself": (
        {
            "m.py": """
            class Row:
                def __iter__(self): return iter([1 + 1])
                def __getitem__(self, key): return 1 + 1
                def __call__(self): return 1 + 1
                def __enter__(self): return 1 + 1
                def __exit__(self, *of): return None
                def width(self): return 1 + 1
            def loop(row):
                for each in row: pass
            def loop_over_either(row):
                for each in row: pass
            def index(row): return row[0]
            def call(row): return row()
            def call_own(): return Row()()
            def enter(row):
                with row: pass
            def ask(row): return row.width()
            def use():
                loop(Row())
                loop_over_either(Row())
                loop_over_either([1, 2])
                index(Row())
                call(Row())
                enter(Row())
                ask(Row())
            """
        },
        {
            "m.loop": {"m.Row.__iter__"},
            "m.loop_over_either": set(),
            "m.index": set(),
            "m.call": set(),
            "m.call_own": {"m.Row.__call__"},
            "m.enter": {"m.Row.__enter__", "m.Row.__exit__"},
            "m.ask": {"m.Row.width"},
        },
    ),
    "a package that imports a module of its own by its full name": (
        {
            "shop/__init__.py": "from shop import prices\ndef total(): return prices.look_up()\n",
            "shop/prices.py": "def look_up(): return 1 + 1\n",
            "shop/cart.py": "from shop import prices\ndef add(): return prices.look_up()\n",
        },
        {"shop.total": {"shop.prices.look_up"}, "shop.cart.add": {"shop.prices.look_up"}},
    ),
    "a package whose function goes by the name of its module": (
        {
            "shop/__init__.py": "from shop.total import total\nfrom . import total as again\ndef use():\n    total()\n",
            "shop/total.py": "def total(): return 1 + 1\n",
        },
        {"shop.use": {"shop.total.total"}},
    ),
    "a class decorator with options, used without them: each class stays itself": (
        {
            "m.py": """
            from functools import partial
            def auto(cls=None, *, deep=False):
                def replace(cls, deep=False): return cls
                if cls is None: return partial(replace, deep=deep)
                return replace(cls, deep=deep)
            def rich(cls=None, *, deep=False):
                if cls is None: return auto(deep=deep)
                return auto(cls)
            @rich
            class Colour:
                def __init__(self): self.name = "red"
            @rich
            class Layout:
                def __init__(self): self.rows = []
            def use(): return Colour()
            """
        },
        {"m.use": {"m.Colour.__init__"}},
    ),
    "a decorator that is made by another and decorated itself": (
        {
            "m.py": """
            from functools import wraps
            def group(fit=True):
                def decorator(method):
                    @wraps(method)
                    def replace(*args): return list(method(*args))
                    return replace
                return decorator
            class View:
                @group()
                def rows(self): return 1 + 1
            def use(): return View().rows()
            """
        },
        {"m.use": {"m.group.decorator.replace"}, "m.group.decorator.replace": {"m.View.rows"}},
    ),
    "a decorator that puts a partial object in place of a function": (
        {
            "m.py": """
            from functools import partial
            def first(function): return partial(run, function)
            def run(function): return 1 + 1
            @first
            def task(): return 1 + 1
            def use(): return task()
            """
        },
        {"m.use": {"m.run"}},
    ),
    "a method whose name is known to begin with underscores, which says nothing": (
        {
            "m.py": """
            class Shapes:
                def __init__(self): self.kinds = []
                def __len__(self): return 1 + 1
                def call(self, name): return getattr(self, "__" + name)()
                def visit(self, name): return getattr(self, "_on_" + name)()
                def _on_line(self): return 1 + 1
            """
        },
        {"m.Shapes.call": set(), "m.Shapes.visit": {"m.Shapes._on_line"}},
    ),
    "operators between two objects: the left one's method comes first": (
        {
            "m.py": """
            class Rule:
                def __add__(self, other): return Both()
                def __radd__(self, other): return Both()
            class Both(Rule):
                def __init__(self): self.parts = []
            class Text:
                def __init__(self): self.text = ""
            def joined(): return Rule() + Both() + Rule()
            def behind_text(): return "," + Rule()
            def behind_another(): return Text() + Rule()
            """
        },
        {
            "m.joined": {"m.Rule.__add__", "m.Both.__init__"},
            "m.behind_text": {"m.Rule.__radd__"},
            "m.behind_another": {"m.Rule.__radd__", "m.Text.__init__"},
        },
    ),
    "a class that cannot be iterated over, by None, though it has items": (
        {
            "m.py": """
            class Rule:
                def __getitem__(self, key): return 1 + 1
            class Closed(Rule):
                __iter__ = None
            def use_rule():
                for item in Rule(): pass
            def use_closed():
                for item in Closed(): pass
                a, b = Closed()
            """
        },
        {"m.use_rule": {"m.Rule.__getitem__"}, "m.use_closed": set()},
    ),
    "conditions of several parts, each of which is asked whether it is true": (
        {
            "m.py": """
            class Jar:
                def __bool__(self): return 1 + 1 > 1
            class Lid:
                def __len__(self): return 1 + 1
            jar, lid = Jar(), Lid()
            def both():
                if jar and not lid: pass
            def first(): return jar or lid
            def last(): return None or jar
            """
        },
        {"m.both": {"m.Jar.__bool__", "m.Lid.__len__"}, "m.first": {"m.Jar.__bool__"}, "m.last": set()},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_functions_call_what_they_are_said_to(files: dict[str, str], expected: dict[str, set[str]]) -> None:
    """Each function named calls exactly what stands beside it."""
    found = found_calls(files)

    assert {caller: found.get(caller, set()) for caller in expected} == expected
