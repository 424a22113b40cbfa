"""What a language adds to the linker: its rules, and models of external code."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol

from indexer.domain.linking.language_rules import LanguageRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import ContainerMethod, Function, Variable
    from indexer.domain.linking.solver.world import Site, World


class Overloads(Protocol):
    """Chooses among methods of one name by the types of parameters and arguments."""

    def meant(self, site: Site, function: Function) -> Sequence[Function]:
        """Return the overloads that a call may run, given that it was found to call `function`; usually only that."""

    def note_results(self) -> None:
        """Record which call returns each value, once all calls are known."""

    def settle(self, site: Site) -> None:
        """Remove the overloads that a call cannot run by the final types; if several remain, lower their tier."""


class Semantics(LanguageRules):
    """Behaviour of one language, for the engine. Defaults are those of a language without the feature."""

    @abstractmethod
    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Model a call of an external function; return False if there is no model of it."""

    def overloads(self, world: World) -> Overloads | None:  # noqa: ARG002 - for others
        """Return the selection of overloads, None for a language without overloads."""
        return None

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:  # noqa: ARG002 - for others
        """Model a call of a container's method; return False to use the model for all languages."""
        return False

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """Model a call of a method whose receiver is unknown, by its name."""

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Connect functions as frameworks do; `named` are (function, name, parameter's variable) that it may fill."""
