"""The Java adapter: a pure function from the text of one file to its symbols, facts and flow program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.modules import module_names
from indexer.adapters.languages.symbol_table import module_symbol, read_in_steps
from indexer.adapters.languages.syntax import end_line_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.domain.model import ParsedFile


class JavaLanguage:
    """Java, as far as version 21."""

    name = "java"
    extensions = (".java",)
    manifests: tuple[str, ...] = ()

    def label(self, _path: str) -> str:
        """Name the language; it is the same for all its files."""
        return self.name

    def module_names(self, paths: Collection[str], *_: object) -> Mapping[str, str]:
        """Name each file by the package of its folder."""
        return module_names(paths)

    def parse(self, path: str, module: str, text: str) -> ParsedFile:  # noqa: ARG002 - the port's
        """Read one file. A syntax error costs only the code within it."""
        # Imported here, not at the top, to save time where languages are only detected: an edit waits for it.
        from indexer.adapters.languages.java.behaviour import collect_facts
        from indexer.adapters.languages.java.flow.builder import build_program
        from indexer.adapters.languages.java.symbols import collect_symbols
        from indexer.adapters.languages.java.syntax import package_of, parse

        root = parse(text)
        package = package_of(root) or module
        return read_in_steps(
            self.name,
            module_symbol(package, end_line_of(root)),
            lambda: collect_symbols(root, package),
            lambda table: collect_facts(root, table),
            lambda table: build_program(root, table, package),
        )
