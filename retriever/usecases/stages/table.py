"""Which stages answer which kind of question. A new strategy is a new file and a new row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.question import Mode
from retriever.usecases.stages.between import Between
from retriever.usecases.stages.callers import Callers
from retriever.usecases.stages.compared import Compared
from retriever.usecases.stages.defaults import Defaults
from retriever.usecases.stages.described import Described
from retriever.usecases.stages.diagram import Diagram
from retriever.usecases.stages.documents import Documents
from retriever.usecases.stages.endpoints import Endpoints
from retriever.usecases.stages.entry_points import EntryPoints
from retriever.usecases.stages.environment import Environment
from retriever.usecases.stages.error_sites import ErrorSites
from retriever.usecases.stages.extending import Extending
from retriever.usecases.stages.findings import FindingsOfScope
from retriever.usecases.stages.flow import Flow
from retriever.usecases.stages.metrics import Metrics
from retriever.usecases.stages.modules import Dependencies, ScopeCache
from retriever.usecases.stages.requirements import Requirements
from retriever.usecases.stages.routes import Routes
from retriever.usecases.stages.scope import Scope
from retriever.usecases.stages.searching import Searching
from retriever.usecases.stages.settings import Settings
from retriever.usecases.stages.sizes import Sizes
from retriever.usecases.stages.unheld import Unheld
from retriever.usecases.stages.unused import Unused
from retriever.usecases.stages.users import Users

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.usecases.describing import FindDescribed
    from retriever.usecases.hybrid import Ranker
    from retriever.usecases.stages.protocol import Stage


def strategies(ranker: Ranker, described: FindDescribed, floor: float) -> Mapping[Mode, tuple[Stage, ...]]:
    """Return the row of stages of each mode; below the floor nothing is certain enough to be what is described."""
    search = Searching(ranker)
    modules: ScopeCache[Dependencies] = ScopeCache()
    lists = (Users(), Endpoints(), Extending())  # where the first has one, the last asks for none
    return {
        Mode.HYBRID: (search, Unheld(), Routes(), Settings(), Documents()),
        Mode.CONCEPTUAL: (
            search,
            Unheld(),
            *lists,
            Requirements(),
            Compared(),
            Described(described, floor),
            Defaults(),
            Environment(),
            Routes(),
            Settings(),
            Documents(),
        ),
        Mode.DIAGNOSTIC: (search, *lists, ErrorSites(), Callers(), Documents()),
        Mode.EXPLORATORY: (
            search,
            Unheld(),
            *lists,
            Requirements(),
            Environment(),
            Routes(),
            Settings(),
            EntryPoints(),
            Flow(),
            Documents(),
        ),
        Mode.ANALYTICAL: (
            search,
            *lists,
            Requirements(),
            Scope(),
            Sizes(),
            Unused(),
            Between(),
            Metrics(modules),
            FindingsOfScope(),
            Diagram(modules),
            Documents(),
        ),
    }
