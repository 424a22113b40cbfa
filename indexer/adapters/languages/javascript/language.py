"""The JavaScript and TypeScript adapter: a pure function from the text of one file to symbols, facts and program."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.components import COMPONENTS, is_component, scripts_of
from indexer.adapters.languages.javascript.configuration import (
    CONFIGURATIONS,
    ENDING,
    SCRIPT_CONFIGURATIONS,
    configuration_program,
    inherited,
)
from indexer.adapters.languages.javascript.modules import EXTENSIONS, TYPESCRIPT_FILES, module_names
from indexer.adapters.languages.symbol_table import module_alone, read_in_steps
from indexer.domain.linking.solver.packed import pack
from indexer.domain.model import ParsedFile

if TYPE_CHECKING:
    from collections.abc import Mapping


class JavaScriptLanguage:
    """JavaScript and TypeScript, with JSX: they import each other, so they are one language to the linker."""

    name = "javascript"
    extensions = (*EXTENSIONS, *COMPONENTS, *CONFIGURATIONS)
    manifests: tuple[str, ...] = (ENDING,)

    def label(self, path: str) -> str:
        """Return "typescript" or "javascript" by the extension; a configuration has the label of what it configures."""
        if is_component(path):
            return path.rpartition(".")[2]
        is_typescript = path.endswith(ENDING) and path.rpartition("/")[2] not in SCRIPT_CONFIGURATIONS
        return "typescript" if is_typescript or path.endswith(TYPESCRIPT_FILES) else self.name

    def module_names(
        self, texts: Mapping[str, str], manifests: Mapping[str, str] = MappingProxyType({}), *_: object
    ) -> Mapping[str, str]:
        """Name each file by its path; files that configurations extend or refer to are included."""
        return module_names({*texts, *inherited(manifests)})

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """
        Read one file.

        A syntax error costs only the code within it.
        """
        # Imported here, not at the top, to save time where languages are only detected: an edit waits for it.
        from indexer.adapters.languages.javascript.behaviour import collect_facts
        from indexer.adapters.languages.javascript.flow.builder import build_program
        from indexer.adapters.languages.javascript.symbols import JavaScriptSymbols
        from indexer.adapters.languages.javascript.syntax import parse

        if path.endswith(ENDING):
            return ParsedFile(self.name, (module_alone(module, text),), (), pack(configuration_program(path, text)))
        if is_component(path):
            text = scripts_of(path, text)
        root = parse(path, text)
        return read_in_steps(
            self.name,
            module_alone(module, text),
            lambda: JavaScriptSymbols(root, text, module),
            lambda table: collect_facts(table, path),
            lambda table: build_program(root, table, path, module),
        )
