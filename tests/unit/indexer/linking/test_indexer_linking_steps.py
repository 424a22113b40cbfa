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
from tests.unit.indexer.golden_programs import programs

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


@pytest.mark.parametrize(("files", "expected"), programs("steps"))
def test_a_step_finds_its_calls(files: dict[str, str], expected: dict[str, str]) -> None:
    """The program's calls are found, no others, each at the tier of the step that it needs."""
    found = link(m=files["m.py"])

    assert {f"{caller} > {callee}": tier.name for (caller, callee), tier in found.items()} == expected


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
