"""The Go adapter: a pure function from the text of one file to its symbols, facts and flow program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.go.modules import (
    WORKSPACE_FILE,
    is_module_file,
    module_names,
    module_path,
    replaced_modules,
)
from indexer.adapters.languages.symbol_table import module_alone, read_in_steps
from indexer.domain.linking.go.semantics import module_file_program
from indexer.domain.linking.solver.packed import pack
from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Mapping


class GoLanguage:
    """Go, with the files that name its modules."""

    name = "go"
    extensions = (".go", ".mod", WORKSPACE_FILE)
    manifests: tuple[str, ...] = ()

    def label(self, _path: str) -> str:
        """Name the language; it is the same for all its files."""
        return self.name

    def module_names(self, texts: Mapping[str, str], *_: object) -> Mapping[str, str]:
        """Name each file by its package's folder, those in the root by their declaration."""
        return module_names(texts)

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """Read one file. A syntax error costs only the code within it."""
        # Imported here, not at the top, to save time where languages are only detected: an edit waits for it.
        from indexer.adapters.languages.go.behaviour import collect_facts
        from indexer.adapters.languages.go.flow.builder import build_program
        from indexer.adapters.languages.go.symbols import collect_symbols
        from indexer.adapters.languages.go.syntax import package_of, parse

        if path.endswith((".mod", WORKSPACE_FILE)):
            return self._module_file(path, module, text)
        root = parse(text)
        declared = package_of(root)
        package = module if "/" in path else declared or module
        if declared.endswith("_test") and path.endswith("_test.go") and not package.endswith("_test"):
            package += "_test"  # tests from outside, in the same folder
        return read_in_steps(
            self.name,
            module_alone(package, text),
            lambda: collect_symbols(root, package),
            lambda table: collect_facts(root, table, package=declared),
            lambda table: build_program(root, table, package),
        )

    def _module_file(self, path: str, module: str, text: str) -> ParsedFile:
        prefix = module_path(text)
        name = prefix or module
        symbol = SymbolDef(SymbolKind.MODULE, name, "", -1, 1, max(1, text.count("\n")), f"module {name}", "")
        folder = path.rpartition("/")[0]
        places = [*([(prefix, folder)] if prefix else []), *replaced_modules(text, folder)]
        return ParsedFile(self.name, (symbol,), (), pack(module_file_program(places)) if is_module_file(path) else b"")
