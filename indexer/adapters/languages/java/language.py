"""The Java adapter: one pure function from text to everything that a file shows by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.behaviour import collect_facts
from indexer.adapters.languages.java.flow import build_program
from indexer.adapters.languages.java.modules import module_names
from indexer.adapters.languages.java.symbols import collect_symbols
from indexer.adapters.languages.java.syntax import package_of, parse
from indexer.domain.model import ParsedFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class JavaLanguage:
    """Java, as far as version 21."""

    name = "java"
    extensions = (".java",)

    def module_names(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Name each file by the package that its folder stands for."""
        return module_names(paths)

    def parse(self, path: str, module: str, text: str) -> ParsedFile:  # noqa: ARG002 - the port's
        """
        Read one file.

        Errors of syntax cost what they surround and no more. A file that is nested deeper than the interpreter's stack
        keeps its symbols and facts and has no calls.
        """
        root = parse(text)
        package = package_of(root) or module
        table = collect_symbols(root, package)
        facts = collect_facts(root, table)
        try:
            program = build_program(root, table, package)
        except RecursionError:
            program = None
        return ParsedFile(self.name, tuple(table.symbols), facts, program)
