"""The modules of a link, by name and by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.domain.linking.values import Module


class Modules(dict[str, "Module"]):
    """
    Modules by name, the first of several that share one.

    Args:
        files: By path, for languages whose imports lead to files.
        layout: What the rules of the language keep about how the files lie in the tree.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, Module] = {}
        self.layout: object = None

    def add(self, module: Module) -> None:
        """Add the module of one file."""
        self.setdefault(module.name, module)
        self.files[module.path] = module
