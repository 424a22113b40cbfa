"""The walkers of one file, which reach each other through `Walkers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.calls import Calls
from indexer.adapters.languages.javascript.flow.classes import Classes
from indexer.adapters.languages.javascript.flow.expressions import Expressions
from indexer.adapters.languages.javascript.flow.functions import Functions
from indexer.adapters.languages.javascript.flow.jsx import Jsx
from indexer.adapters.languages.javascript.flow.module_system import ModuleSystem
from indexer.adapters.languages.javascript.flow.objects import Objects
from indexer.adapters.languages.javascript.flow.patterns import Patterns
from indexer.adapters.languages.javascript.flow.statements import Statements
from indexer.adapters.languages.javascript.flow.types import Types

if TYPE_CHECKING:
    from indexer.adapters.languages.javascript.flow.context import Context


class Walkers:
    """One of each walker."""

    def __init__(self, context: Context, constructors: frozenset[str]) -> None:
        self.context = context
        self.constructors = constructors
        self.expressions = Expressions(self)
        self.calls = Calls(self)
        self.classes = Classes(self)
        self.functions = Functions(self)
        self.jsx = Jsx(self)
        self.modules = ModuleSystem(self)
        self.objects = Objects(self)
        self.patterns = Patterns(self)
        self.statements = Statements(self)
        self.types = Types(self)
