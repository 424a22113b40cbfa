"""What a language adds to a link: its rules, and what it knows of code that is not there."""

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
        """Return the methods that a call means which was found to call one of its name, itself for the most part."""

    def note_results(self) -> None:
        """Note which call gives each value, once all calls are known."""

    def settle(self, site: Site) -> None:
        """Leave out the methods that a call does not mean by all that is known in the end, and mark what is left."""


class Semantics(LanguageRules):
    """One language, asked by the engine. What is not abstract is as in a language without the thing in question."""

    @abstractmethod
    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Model a call of something outside the project; return False if nothing is known of it."""

    def overloads(self, world: World) -> Overloads | None:  # noqa: ARG002 - for others
        """Return what chooses among overloads, None in a language that has none."""
        return None

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:  # noqa: ARG002 - for others
        """Model a call of a container's method; return False to leave it to what all languages have."""
        return False

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """Model a call of a method of which nothing but its name is known."""

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Connect what a framework connects by name; `named` holds parameters that nothing is known of."""
