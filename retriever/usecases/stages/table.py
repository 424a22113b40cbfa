"""Which stages answer which kind of question: a row for each mode, and stages for each intent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Part
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.stages.behaviour.compared import Compared
from retriever.usecases.stages.behaviour.constants import Constants
from retriever.usecases.stages.behaviour.entry_points import EntryPoints
from retriever.usecases.stages.behaviour.error_sites import ErrorSites
from retriever.usecases.stages.behaviour.flow import Flow
from retriever.usecases.stages.configuration.defaults import Defaults
from retriever.usecases.stages.configuration.endpoints import Endpoints, Programs
from retriever.usecases.stages.configuration.environment import Environment
from retriever.usecases.stages.configuration.options import Options
from retriever.usecases.stages.configuration.routes import Routes
from retriever.usecases.stages.configuration.settings import Settings
from retriever.usecases.stages.project.beginnings import Beginnings
from retriever.usecases.stages.project.commands import Commands
from retriever.usecases.stages.project.named import Named
from retriever.usecases.stages.project.overview import Overview
from retriever.usecases.stages.project.places import Parts, Place
from retriever.usecases.stages.relations.between import Between
from retriever.usecases.stages.relations.extending import Extending
from retriever.usecases.stages.relations.foreign import Foreign
from retriever.usecases.stages.relations.texts import Texts
from retriever.usecases.stages.relations.unheld import Unheld
from retriever.usecases.stages.relations.unused import Unused
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.stages.relations.writes import Writes
from retriever.usecases.stages.searching import Searching
from retriever.usecases.stages.structure.co_change import CoChange
from retriever.usecases.stages.structure.diagram import Diagram
from retriever.usecases.stages.structure.documents import Documents
from retriever.usecases.stages.structure.findings import FindingsOfScope
from retriever.usecases.stages.structure.metrics import Metrics
from retriever.usecases.stages.structure.passages import Passages
from retriever.usecases.stages.structure.requirements import Requirements
from retriever.usecases.stages.structure.scope import Scope
from retriever.usecases.stages.structure.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.tasks.context import Task
    from retriever.usecases.searching.describing import FindDescribed
    from retriever.usecases.searching.hybrid import Ranker
    from retriever.usecases.stages.protocol import Stage
    from retriever.usecases.stages.structure.modules import Dependencies


@dataclass(frozen=True, slots=True)
class Strategies:
    """
    Stages by what a question is.

    Args:
        modes: The row of each mode; its first stage searches.
        intents: Stages that answer an intent, whatever the mode; they run behind the search.
        quoting: Stages that look up a message which the question quotes, whatever the intent.
    """

    modes: Mapping[Mode, tuple[Stage, ...]]
    intents: Mapping[Intent, tuple[Stage, ...]]
    quoting: tuple[Stage, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Names of all stages."""
        return frozenset(stage.name for row in (*self.modes.values(), *self.intents.values()) for stage in row)

    def of(self, task: Task) -> tuple[Stage, ...]:
        """Return the stages of a task; without mode routing its intents are ignored too."""
        search, *rest = self.modes[task.mode]
        asked = () if Part.MODE_ROUTING in task.off else task.understanding.intents
        if task.mode is Mode.EXPLORATORY and (Intent.CONSEQUENCE in asked or not task.understanding.parts):
            asked = (*asked, Intent.PATH)  # to trace what happens is to ask for the way; so is the mode by itself
        answering = dict.fromkeys(stage for intent in asked for stage in self.intents.get(intent, ()))
        answering |= dict.fromkeys(self.quoting if asked and task.messages else ())
        return tuple({stage.name: stage for stage in (search, *answering, *rest)}.values())


def strategies(ranker: Ranker, described: FindDescribed) -> Strategies:
    """Return the stages to run for each mode and for each intent."""
    return Strategies(_by_mode(Searching(ranker)), _by_intent(Beginnings(described)), (ErrorSites(),))


def _by_intent(beginnings: Stage) -> Mapping[Intent, tuple[Stage, ...]]:
    modules: ScopeCache[Dependencies] = ScopeCache()
    users, extending, named = Users(), Extending(), Named()  # Extending drafts nothing after a list of Users
    passages, foreign, unheld, scope = Passages(), Foreign(), Unheld(), Scope()
    flow, failing = (EntryPoints(), Flow()), (ErrorSites(),)
    structure, findings = (Metrics(modules), Diagram(modules)), FindingsOfScope()
    return {
        Intent.OVERVIEW: (Overview(),),
        Intent.MODULES: (Overview(), Parts(), *structure),
        Intent.START: (beginnings,),
        Intent.RUN: (Commands(),),
        Intent.PLACE: (Place(), *failing),  # a line of a file is looked up as one of a stack trace is
        Intent.ENTRY_POINTS: (Endpoints(), extending, Programs()),
        Intent.KINDS: (Texts(), extending),
        Intent.SETTINGS: (extending, Options(), Defaults(), Environment(), unheld),
        Intent.DEPENDENCIES: (Requirements(),),
        Intent.MEANING: (Overview(), named),
        Intent.LOCATION: (named, Place(), foreign, unheld),
        Intent.FIND: (unheld,),
        Intent.CONSEQUENCE: flow,
        Intent.PATH: flow,
        Intent.USAGE: (passages, unheld),
        Intent.EXTENSION: (extending, passages),
        Intent.SUPPORT: (passages, unheld),
        Intent.RELATION: (users, Place(), extending),
        Intent.IMPACT: (users,),
        Intent.COMPARISON: (Compared(),),
        Intent.CONNECTION: (Between(), passages),
        Intent.RATIONALE: (passages,),
        Intent.DIAGNOSIS: failing,
        Intent.MESSAGE: failing,
        Intent.CO_CHANGE: (CoChange(),),
        Intent.SIZES: (scope, Sizes()),
        Intent.UNUSED: (scope, Unused()),
        Intent.STRUCTURE: (scope, *structure),
        Intent.FINDINGS: (scope, findings),
        Intent.ASSESSMENT: (scope, *structure, findings),
        Intent.CONCURRENCY: (Writes(),),
    }


def _by_mode(search: Stage) -> Mapping[Mode, tuple[Stage, ...]]:
    routes, told = (Routes(), Settings()), (Constants(), Documents())
    return {
        Mode.HYBRID: (search, *routes, *told),
        Mode.CONCEPTUAL: (search, *routes, *told),
        Mode.DIAGNOSTIC: (search, ErrorSites(), *told),
        Mode.EXPLORATORY: (search, *routes, *told),
        Mode.ANALYTICAL: (search, Documents()),
    }
