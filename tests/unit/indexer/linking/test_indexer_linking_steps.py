"""One small program for each step of the linker: what it finds, and at which tier."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import qualified_name
from indexer.domain.linking.tiers import kept_targets
from indexer.domain.model import LinkUnit, Tier

STATIC, PROTOCOL, CONTAINER = Tier.STATIC, Tier.PROTOCOL, Tier.CONTAINER
ARGUMENT, UNIQUE_NAME, OVERRIDE = Tier.ARGUMENT, Tier.UNIQUE_NAME, Tier.OVERRIDE


def link(**sources: str) -> dict[tuple[str, str], Tier]:
    """Link modules given by name (`__` stands for a dot); a package's own text is under its name and a final `__`."""
    language = PythonLanguage()
    units = []
    for name, text in sorted(sources.items()):
        module = name.replace("__", ".").rstrip(".")
        path = module.replace(".", "/") + ("/__init__.py" if name.endswith("__") else ".py")
        units.append(LinkUnit(path, module, language.parse(path, module, textwrap.dedent(text))))
    found: dict[tuple[str, str], Tier] = {}
    for site in Engine(PythonSemantics()).solve(units).sites:
        for function, tier in kept_targets(site).items():
            key = (qualified_name(site.scope), qualified_name(function))
            found[key] = min(tier, found.get(key, tier))
    return found


CASES = {
    "a name in scope": ("def f(): pass\ndef g(): f()", {("m.g", "m.f"): STATIC}),
    "the last binding before the call": (
        "def f(): pass\ndef g(): pass\nx = f\nx = g\nx()",
        {("m", "m.g"): STATIC},
    ),
    "both branches": (
        "def f(): pass\ndef g(): pass\nif f: x = f\nelse: x = g\nx()",
        {("m", "m.f"): STATIC, ("m", "m.g"): STATIC},
    ),
    "a branch that leaves is not merged": (
        "def f(): pass\ndef g(): pass\ndef h(y):\n    x = f\n    if y:\n        x = g\n        return\n    x()",
        {("m.h", "m.f"): STATIC},
    ),
    "any assignment of a loop": (
        "def f(): pass\ndef g(): pass\nx = f\nfor i in y:\n    x()\n    x = g",
        {("m", "m.f"): STATIC, ("m", "m.g"): STATIC},
    ),
    "a closure sees what is assigned later": (
        "def f(): pass\ndef g():\n    def h(): x()\n    x = f\n    h()",
        {("m.g.h", "m.f"): STATIC, ("m.g", "m.g.h"): STATIC},
    ),
    "nonlocal": (
        "def f(): pass\ndef g():\n    x = None\n    def h():\n        nonlocal x\n        x = f\n    x()",
        {("m.g", "m.f"): STATIC},
    ),
    "nonlocal of another function": (
        """
        def f(): pass
        def g(): pass
        def keep(x): return x
        def other(x):
            def h():
                nonlocal x
                x = 1
        @keep
        def a(): pass
        @keep
        def b(): pass
        def c(): a()
        """,
        {("m", "m.keep"): STATIC, ("m.c", "m.a"): STATIC},
    ),
    "arguments of a method of several classes": (
        """
        def f(): pass
        class A:
            def take(self, x): x(); self.own()
            def own(self): self.n = 1
        class B(A): pass
        class C(A):
            def own(self): self.n = 1
        y = B()
        if z:
            y = C()
        y.take(f)
        """,
        {
            ("m", "m.A.take"): STATIC,
            ("m.A.take", "m.A.own"): STATIC,
            ("m.A.take", "m.C.own"): ARGUMENT,
            ("m.A.take", "m.f"): ARGUMENT,
        },
    ),
    "global": (
        "def f(): pass\nx = None\ndef g():\n    global x\n    x = f\ndef h(): x()",
        {("m.h", "m.f"): STATIC},
    ),
    "self, through the method resolution order": (
        """
        class A:
            def f(self): pass
        class B(A):
            def f(self): pass
        class C(A): pass
        class D(C, B):
            def g(self): self.f()
        """,
        {("m.D.g", "m.B.f"): STATIC},
    ),
    "super in a class method": (
        "class A:\n    @classmethod\n    def f(cls): pass\nclass B(A):\n    @classmethod\n    def f(cls): super().f()",
        {("m.B.f", "m.A.f"): STATIC},
    ),
    "what a constructor gives": (
        "class A:\n    def __init__(self): pass\n    def f(self): pass\nA().f()",
        {("m", "m.A.__init__"): STATIC, ("m", "m.A.f"): STATIC},
    ),
    "a method that returns its receiver": (
        "class A:\n    def f(self): return self\nclass B(A):\n    def g(self): pass\nB().f().g()",
        {("m", "m.A.f"): STATIC, ("m", "m.B.g"): STATIC},
    ),
    "an attribute of self": (
        "class A:\n    def f(self): pass\nclass B:\n    def __init__(self): self.a = A()\n    def g(self): self.a.f()",
        {("m.B.g", "m.A.f"): STATIC},
    ),
    "annotations, also quoted and further down": (
        "def f(x: 'list[A]', y: A | None):\n    y.g()\n    for z in x: z.g()\nclass A:\n    def g(self): pass",
        {("m.f", "m.A.g"): STATIC},
    ),
    "isinstance": (
        "class A:\n    def g(self): pass\nclass B:\n    def g(self): pass\ndef f(x):\n    if isinstance(x, A): x.g()",
        {("m.f", "m.A.g"): STATIC},
    ),
    "an argument": ("def f(): pass\ndef g(x): x()\ng(f)", {("m", "m.g"): STATIC, ("m.g", "m.f"): ARGUMENT}),
    "a keyword handed on by **": (
        "def f(): pass\ndef g(x): x()\ndef h(**k): g(**k)\nh(x=f)",
        {("m", "m.h"): STATIC, ("m.h", "m.g"): STATIC, ("m.g", "m.f"): ARGUMENT},
    ),
    "what a function gives back as it came": (
        "def f(): pass\ndef g(): pass\ndef same(x): return x\nsame(g)\nsame(f)()",
        {("m", "m.same"): STATIC, ("m", "m.f"): STATIC},
    ),
    "an item by its key": (
        "def f(): pass\ndef g(): pass\ndef h(d={'a': f, 'b': g}):\n    d['a']()",
        {("m.h", "m.f"): CONTAINER},
    ),
    "values of a mapping": (
        "def f(): pass\nd = {}\nd['a'] = f\nfor k, x in d.items(): x()",
        {("m", "m.f"): CONTAINER},
    ),
    "a decorator that wraps": (
        """
        def deco(f):
            def wrapper(*args): return f(*args)
            return wrapper
        @deco
        def g(x): x()
        def h(): pass
        g(h)
        """,
        {
            ("m", "m.deco"): STATIC,
            ("m", "m.deco.wrapper"): STATIC,
            ("m.deco.wrapper", "m.g"): STATIC,
            ("m.g", "m.h"): ARGUMENT,
        },
    ),
    "an unknown decorator": ("import x\n@x.y(1)\ndef f(): pass\nf()", {("m", "m.f"): STATIC}),
    "a callback": ("def f(x): pass\nsorted([1], key=f)", {("m", "m.f"): CONTAINER}),
    "a partial": (
        "import functools\ndef f(x): x()\ndef g(): pass\nfunctools.partial(f, g)()",
        {("m", "m.f"): CONTAINER, ("m.f", "m.g"): ARGUMENT},
    ),
    "iteration, with, comparison, truth": (
        """
        class A:
            def __iter__(self): return self
            def __next__(self): return A()
            def __enter__(self): return self
            def __exit__(self, *e): pass
            def __eq__(self, o): pass
            def __bool__(self): pass
        def f():
            with A() as a:
                for b in a:
                    if b: return b == a
        """,
        {
            (scope, f"m.A.{name}"): PROTOCOL
            for scope, names in {"m.f": ("__iter__", "__next__", "__enter__", "__exit__", "__eq__", "__bool__")}.items()
            for name in names
        },
    ),
    "a property and its setter": (
        """
        class A:
            @property
            def p(self): pass
            @p.setter
            def p(self, v): pass
        def f(a: A):
            a.p = a.p
        """,
        {("m.f", "m.A.p"): PROTOCOL},
    ),
    "metaclass and __init_subclass__": (
        """
        class M(type):
            def __new__(mcs, *a): pass
        class A(metaclass=M):
            def __init_subclass__(cls): pass
        class B(A): pass
        """,
        {("m", "m.M.__new__"): PROTOCOL, ("m", "m.A.__init_subclass__"): PROTOCOL},
    ),
    "a method of a metaclass, called on the class": (
        """
        class M(type):
            def build(cls): pass
        class A(metaclass=M): pass
        def f(): A.build()
        """,
        {("m.f", "m.M.build"): STATIC},
    ),
    "__getattr__ of an instance": (
        "class A:\n    def __getattr__(self, n): pass\ndef f(a: A): a.anything",
        {("m.f", "m.A.__getattr__"): PROTOCOL},
    ),
    "a method that only one class has": (
        "class A:\n    def frobnicate(self): pass\ndef f(x): x.frobnicate()",
        {("m.f", "m.A.frobnicate"): UNIQUE_NAME},
    ),
    "a common method name proves nothing": ("class A:\n    def append(self): pass\ndef f(x): x.append()", {}),
    "an override, where the base does the work": (
        (
            "class A:\n    def f(self): self.g()\n    def g(self): h()\n"
            "class B(A):\n    def g(self): pass\ndef h(): pass\nB().f()"
        ),
        {
            ("m", "m.A.f"): STATIC,
            ("m.A.f", "m.A.g"): STATIC,
            ("m.A.f", "m.B.g"): ARGUMENT,
            ("m.A.g", "m.h"): STATIC,
        },
    ),
    "a raised class": ("class E(Exception):\n    def __init__(self): pass\nraise E", {("m", "m.E.__init__"): STATIC}),
    "a match on a class": (
        "class A:\n    def g(self): pass\ndef f(x):\n    match x:\n        case A() as a: a.g()",
        {("m.f", "m.A.g"): STATIC},
    ),
    "a task's delay": (
        "from celery import shared_task\n@shared_task\ndef f(): pass\ndef g(): f.delay()",
        {("m.g", "m.f"): STATIC},
    ),
    "a pytest fixture": (
        "import pytest\nclass A:\n    def g(self): pass\n@pytest.fixture\ndef a(): return A()\ndef test_x(a): a.g()",
        {("m.test_x", "m.a"): PROTOCOL, ("m.test_x", "m.A.g"): PROTOCOL},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_step_finds_its_calls(name: str) -> None:
    """The program's calls are found, no others, each at the tier of the step that it needs."""
    text, expected = CASES[name]

    assert link(m=text) == expected


def test_re_exports_and_star_imports_lead_to_the_definition() -> None:
    """A name that travels through a package and a star import is called where it is defined."""
    found = link(p__="from .a import *", p__a="def f(): pass", m="import p\nfrom p import f as g\np.f()\ng()")

    assert found == {("m", "p.a.f"): STATIC}


def test_a_module_of_the_standard_library_is_not_a_sibling() -> None:
    """`import json` inside a package with a module of that name means the standard library."""
    found = link(p__="", p__json="def loads(): pass", p__a="import json\njson.loads()")

    assert found == {}


def test_a_site_with_too_many_answers_keeps_the_sure_ones() -> None:
    """What can be anything is dropped: methods of more than twelve classes by argument are none, functions stay."""
    classes = "\n".join(f"class C{number}:\n    def run(self): pass" for number in range(15))
    calls = "\n".join(f"g(C{number}())" for number in range(15))

    found = link(m=f"def f(): pass\n{classes}\ndef g(x): x.run()\ndef h(x): x()\n{calls}\nh(f)")

    assert found == {("m", "m.g"): STATIC, ("m", "m.h"): STATIC, ("m.h", "m.f"): ARGUMENT}


def test_an_unreadable_file_does_not_stop_the_others() -> None:
    """A file with a syntax error has no program; what imports it is linked nevertheless."""
    found = link(a="def (", m="import a\na.f()\ndef g(): pass\ng()")

    assert found == {("m", "m.g"): STATIC}


def test_an_element_that_says_nothing_holds_nothing_of_the_file_before() -> None:
    """A tuple's type with a plain number in it leaves that place empty, whatever the file before it defines."""
    before = "def f(): return g\ndef g(): pass\nf()()\nx = f()"
    types = "class Item:\n    def run(self): pass\ndef take(pair: tuple[3, Item]):\n    pair[0]()\n    pair[1].run()"

    assert link(a=before, b=types) == link(a=before) | link(b=types)


def test_what_a_function_of_the_library_gives_back_to_the_library_is_nobodys() -> None:
    """`copy` on another thread gives its copy to no place of the file, whichever was known last."""
    text = (
        "import copy\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n"
        "ThreadPoolExecutor().submit(copy.copy, A())\nbox = []\nbox.append(B())\nfor b in box: b.run()"
    )

    assert link(m=text) == {("m", "m.B.run"): CONTAINER}
