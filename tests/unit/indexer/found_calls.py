"""What the functions of small Python programs call, as the linker finds it."""

from __future__ import annotations

import textwrap

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.naming import defined_names, named_calls
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.linking.solver.engine import Engine
from tests.unit.indexer.read_units import units_of

DEFAULT_MIN_CONFIDENCE = 0.55


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
