"""What is put into lists, mappings and tuples, and called from there: calls that are there, and no others."""

from __future__ import annotations

import pytest

from tests.unit.indexer.found_calls import found_calls

# Files by path, and what some of their functions call; the others are not looked at.
PROGRAMS = {
    "arguments behind the named parameters have their places in the rest": (
        {
            "m.py": """
            def one(): return 1 + 1
            def other(): return 2 + 2
            def nearest(first, *rest): rest[0]()
            def furthest(first, *rest): rest[1]()
            def give():
                nearest(1, one, other)
                furthest(1, one, other)
            """
        },
        {"m.nearest": {"m.one"}, "m.furthest": {"m.other"}},
    ),
    "what annotations say of the elements of tuples: of all of them alike, or of each place": (
        {
            "m.py": """
            class Till:
                def pay(self): return 1 + 1
            class Bank:
                def pay(self): return 2 + 2
            def all_alike(tills: tuple[Till, ...]):
                for till in tills:
                    till.pay()
            def any_of_them(tills: tuple[Till, ...]):
                tills[2].pay()
            def by_place(pair: tuple[Till, Bank]):
                pair[1].pay()
            def taken_apart(pair: tuple[Till, Bank]):
                till, _ = pair
                till.pay()
            def listed(tills: list[Till], banks: dict[str, Bank]):
                tills[0].pay()
                banks["b"].pay()
            """
        },
        {
            "m.all_alike": {"m.Till.pay"},
            "m.any_of_them": {"m.Till.pay"},
            "m.by_place": {"m.Bank.pay"},
            "m.taken_apart": {"m.Till.pay"},
            "m.listed": {"m.Till.pay", "m.Bank.pay"},
        },
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


@pytest.mark.parametrize(("files", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_functions_call_what_they_are_said_to(files: dict[str, str], expected: dict[str, set[str]]) -> None:
    """Each function named calls exactly what stands beside it."""
    found = found_calls(files)

    assert {caller: found.get(caller, set()) for caller in expected} == expected
