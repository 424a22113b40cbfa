"""The Java adapter: a pure function from the text of one file to its symbols, facts and flow program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.symbol_table import module_symbol, read_in_steps
from indexer.adapters.languages.syntax import end_line_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.domain.model import ParsedFile


_ROOTS = ("java", "kotlin", "groovy")
DEFAULT_PACKAGE = "default"


class JavaLanguage:
    """Java, as far as version 21."""

    name = "java"
    extensions = (".java",)
    manifests: tuple[str, ...] = ()

    def label(self, _path: str) -> str:
        """Name the language; it is the same for all its files."""
        return self.name

    def module_names(self, paths: Collection[str], *_: object) -> Mapping[str, str]:
        """
        Name each file by the package that its folder below a source root stands for.

        A source root is `java` below `src` (`src/main/java`), or the innermost `src`, else the top. All files of a
        package have one name: they are one module. When files are linked, the package declaration takes precedence.
        """
        return {path: package_of_path(path) for path in paths}

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


def package_of_path(path: str) -> str:
    """Return the package of a path."""
    folders = path.split("/")[:-1]
    first = 0
    for position, folder in enumerate(folders):
        if folder == "src" or (folder in _ROOTS and "src" in folders[:position]):
            first = position + 1
    return ".".join(folders[first:]) or DEFAULT_PACKAGE
