"""What projects do that nobody had in mind when the linker was made: calls that are there, and no others."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.engine import Engine
from indexer.domain.linking.naming import defined_names, named_calls
from indexer.domain.linking.python.semantics import PythonSemantics
from tests.unit.indexer.read_units import units_of

DEFAULT_MIN_CONFIDENCE = 0.55

# Files by path, and what some of their functions call; the others are not looked at.
PROGRAMS = {
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
    "a mapping that takes over another one: what it has under one name is not under the others": (
        {
            "m.py": """
            def first(): return 1 + 1
            def second(): return 2 + 2
            def third(): return 3 + 3
            def use():
                kept = {"first": first, "second": second}
                copied = {}
                copied.update(kept, third=third)
                copied["first"]()
            def use_what_comes_later():
                kept, copied = {}, {}
                copied.update(kept)
                kept.update(copied)
                kept["second"] = second
                copied["second"]()
            def use_any(key):
                copied = {}
                copied.update({"first": first}, third=third)
                copied[key]()
            """
        },
        {"m.use": {"m.first"}, "m.use_what_comes_later": {"m.second"}, "m.use_any": {"m.first", "m.third"}},
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
    "a mapping made of an object: it is asked for its keys if it has some": (
        {
            "m.py": """
            class Headers:
                def keys(self): return [1 + 1]
                def __iter__(self): return iter([1 + 1])
                def __getitem__(self, key): return Text()
            class Pairs:
                def __iter__(self): return iter([(1, 2)])
            class Text:
                def bold(self): return 1 + 1
            def of_keys(): return dict(Headers())
            def of_pairs(): return dict(Pairs())
            def use(): dict(Headers())["x"].bold()
            """
        },
        {
            "m.of_keys": {"m.Headers.keys", "m.Headers.__getitem__"},
            "m.of_pairs": {"m.Pairs.__iter__"},
            "m.use": {"m.Headers.keys", "m.Headers.__getitem__", "m.Text.bold"},
        },
    ),
    "lists and mappings that are made empty, by a call, and filled later": (
        {
            "m.py": """
            from collections import OrderedDict, defaultdict, deque
            def task(): return 1 + 1
            def of_list(key):
                tasks = list()
                tasks.append(task)
                tasks[key]()
            def of_deque():
                tasks = deque()
                tasks.append(task)
                tasks.pop()()
            def of_set():
                tasks = set()
                tasks.add(task)
                for each in tasks: each()
            def of_factory():
                tasks = defaultdict(list)
                tasks["x"].append(task)
                for many in tasks.values():
                    for each in many: each()
            def of_ordered(key):
                tasks = OrderedDict()
                tasks[key] = task
                for each in tasks.values(): each()
            def of_names(key): return dict(x=task)[key]()
            def of_pairs(key): return dict([("x", task)])[key]()
            def of_keys():
                tasks = dict()
                tasks[task] = 1
                for each in tasks.values(): each()
            """
        },
        {
            **{f"m.of_{kind}": {"m.task"} for kind in ("list", "deque", "set", "factory", "ordered", "names", "pairs")},
            "m.of_keys": set(),
        },
    ),
    "a tuple with named fields, taken apart by position": (
        {
            "m.py": """
            from typing import NamedTuple
            class Style:
                def render(self): return 1 + 1
            class Page:
                def render(self): return 1 + 1
            class Segment(NamedTuple):
                text: str
                style: Style
            class Other(NamedTuple):
                style: Style
            def each(segments: list[Segment]):
                for text, style in segments: style.render()
            def last(segment: Segment): return segment[-1].render()
            def text(segment: Segment): return segment[0].render()
            def beyond(other: Other): return other[1].render()
            """
        },
        {"m.each": {"m.Style.render"}, "m.last": {"m.Style.render"}, "m.text": set()},
    ),
    "fields are those of the class that is written as a tuple, unless it gives its items itself": (
        {
            "m.py": """
            from typing import NamedTuple
            class Style:
                def render(self): return 1 + 1
            class Page:
                def render(self): return 1 + 1
            class Segment(NamedTuple):
                style: Style
                page: Page
                last: Style
            class Numbered(Segment):
                number: Page
            class Own(NamedTuple):
                style: Style
                def __getitem__(self, key): return 1 + 1
                def __iter__(self): return iter(())
            def below(segment: Numbered): segment[0].render()
            def behind_others(segment: Segment):
                *others, page, last = segment
                page.render()
            def by_itself(own: Own): return own[0].render()
            def taken_apart(own: Own):
                style, = own
                style.render()
            """
        },
        {
            "m.below": {"m.Style.render"},
            "m.behind_others": {"m.Page.render"},
            "m.by_itself": {"m.Own.__getitem__"},
            "m.taken_apart": {"m.Own.__iter__"},
        },
    ),
    "what is made of a list or mapping is another one, which is filled for itself": (
        {
            "m.py": """
            import elsewhere
            from collections import defaultdict
            from enum import Enum
            class Mode(Enum):
                FAST = 1
                def start(self): return 1 + 1
            def one(): return 1 + 1
            def other(): return 1 + 1
            def of_list():
                kept = [one]
                more = list(kept)
                more.append(other)
                for each in kept: each()
            def of_more():
                more = list([one])
                more.append(other)
                for each in more: each()
            def of_set():
                kept = {one}
                set(kept).add(other)
                for each in kept: each()
            def of_copy():
                kept = {"one": one}
                more = kept.copy()
                more["other"] = other
                for each in kept.values(): each()
            def of_union():
                kept = {one}
                kept.union({other})
                for each in kept: each()
            def of_both():
                for each in {one}.union({other}): each()
            def of_keys():
                kept = {"one": one}
                list(kept).append(other)
                for each in kept.values(): each()
            def of_unknown():
                tasks = list(elsewhere.tasks())
                tasks.append(one)
                for each in tasks: each()
            def of_position(): return list((one, other))[1]()
            def of_members():
                for mode in list(Mode): mode.start()
            def of_factory(key): return defaultdict(None, {"one": one})[key]()
            """
        },
        {
            **{f"m.of_{kind}": {"m.one"} for kind in ("list", "set", "copy", "union", "keys", "unknown", "factory")},
            **{f"m.of_{kind}": {"m.one", "m.other"} for kind in ("more", "both")},
            "m.of_position": {"m.other"},
            "m.of_members": {"m.Mode.start"},
        },
    ),
}


def found_calls(files: dict[str, str]) -> dict[str, set[str]]:
    """Link files by path and give what each function calls of theirs, at the confidence that a walk uses by default."""
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    world = Engine(PythonSemantics()).solve(units_of(PythonLanguage(), texts))
    defined = set(defined_names(world))
    found: dict[str, set[str]] = {}
    for (caller, callee), confidence in named_calls(world).items():
        if callee in defined and confidence >= DEFAULT_MIN_CONFIDENCE:
            found.setdefault(caller, set()).add(callee)
    return found


@pytest.mark.parametrize(("files", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_functions_call_what_they_are_said_to(files: dict[str, str], expected: dict[str, set[str]]) -> None:
    """Each function named calls exactly what stands beside it."""
    found = found_calls(files)

    assert {caller: found.get(caller, set()) for caller in expected} == expected
