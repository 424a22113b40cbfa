"""Files of JavaScript: how their modules are named, and that broken or deeply nested ones raise nothing."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.javascript.configuration import inherited
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.naming import named_calls
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.model import LinkUnit


def test_modules_are_named_by_path() -> None:
    """Endings and `index` go; files that would share a name keep what tells them apart."""
    names = JavaScriptLanguage().module_names(
        dict.fromkeys(["src/a.ts", "src/a.js", "src/a/index.js", "src/index.tsx", "index.js"], "")
    )

    assert names == {
        "src/a.ts": "src.a",
        "src/a.js": "src.a.js",
        "src/a/index.js": "src.a.index",
        "src/index.tsx": "src",
        "index.js": "index",
    }


@pytest.mark.parametrize("text", ["function f() { g( } function g() {}", "class A { go( {", "\x00", "<<<", "`${", ""])
def test_errors_of_syntax_cost_only_what_they_surround(text: str) -> None:
    """A file that is no program still gives a module, and nothing is raised."""
    found = JavaScriptLanguage().parse("m.js", "m", text)

    assert found.symbols[0].name == "m"
    assert found.error == ""


def test_what_parsed_around_an_error_is_kept() -> None:
    """Definitions before and after a broken one are there."""
    text = "function f() {}\nconst = 3;\nclass A { go() { f() } }\n"
    found = JavaScriptLanguage().parse("m.js", "m", text)
    world = Engine(JavaScriptSemantics()).solve([LinkUnit("m.js", "m", found)])

    assert {"f", "A", "A.go"} <= {symbol.qualified_name for symbol in found.symbols}
    assert ("m.A.go", "m.f") in named_calls(world)


@pytest.mark.parametrize("text", ["[" * 3000 + "]" * 3000, "(" * 5000 + ")" * 5000, "f(" * 4000 + ")" * 4000])
def test_deep_nesting_is_survived(text: str) -> None:
    """What is nested deeper than the stack has no calls, or no symbols, and raises nothing."""
    found = JavaScriptLanguage().parse("m.js", "m", text)

    assert found.symbols
    assert found.error in ("", "nested too deeply")


def test_only_what_configurations_lead_to_is_inherited() -> None:
    """Whatever it is called, and through several files; what other JSON says of itself leads nowhere."""
    texts = {
        "app/tsconfig.json": '{"extends": "../config/base.json", "references": [{"path": "../lib/tsconfig.json"}]}',
        "config/base.json": '{"extends": "./root.json"} // and what it inherits itself',
        "config/root.json": "{}",
        "lib/tsconfig.json": "{}",
        "notes.json": '{"extends": "./theirs.json"}',
        "theirs.json": "{}",
    }

    assert inherited(texts) == {"config/base.json", "config/root.json"}
