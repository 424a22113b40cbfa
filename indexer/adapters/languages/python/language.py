"""The Python adapter: one pure function from text to everything that a file shows by itself."""

from __future__ import annotations

import ast
import re
import warnings
from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.modules import MANIFESTS, module_names
from indexer.adapters.languages.symbol_table import module_alone
from indexer.domain.linking.solver.packed import pack
from indexer.domain.model import ParsedFile
from indexer.domain.source.notebooks import ENDING, code_of, is_notebook

if TYPE_CHECKING:
    from collections.abc import Mapping

_SURROGATE = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")
"""An escaped surrogate: a text of Python may have it, and nothing that is stored or sent can."""


class PythonLanguage:
    """Python 3, notebooks too, by the running interpreter's own parser; other versions' syntax put into its words."""

    name = "python"
    extensions = (".py", ".pyi", ".pyw", ENDING)
    manifests: tuple[str, ...] = MANIFESTS

    def label(self, _path: str) -> str:
        """Name the language; it is the same for all its files."""
        return self.name

    def module_names(
        self,
        texts: Mapping[str, str],
        manifests: Mapping[str, str] = MappingProxyType({}),
        known: Mapping[str, str] | None = None,
    ) -> Mapping[str, str]:
        """Name each file as the imports of the tree do."""
        return module_names(texts, manifests, known)

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """
        Read one file, also in the syntax of Python 2 and of newer versions than the one that runs.

        Errors of syntax cost the statements around them. A file of which nothing is left then, or that is nested deeper
        than the interpreter's stack, comes back with its module symbol alone and the reason in `error`.
        """
        # Imported when files are parsed, not when languages are detected: an edit waits for that import.
        from indexer.adapters.languages.python.behaviour import collect_facts
        from indexer.adapters.languages.python.flow.builder import build_program
        from indexer.adapters.languages.python.symbols import PythonSymbols

        if is_notebook(path):
            text = code_of(text)
        try:
            tree, text = _syntax_tree(text, path)
            if _SURROGATE.search(text):
                _leave_escaped(tree)
            table = PythonSymbols(tree, text, module)
            facts = collect_facts(table)
            program = build_program(tree, table, module)
            table.release()
        except SyntaxError as error:
            return _unreadable(text, module, f"syntax error at line {error.lineno or 0}: {error.msg}")
        except ValueError as error:
            return _unreadable(text, module, f"not Python source: {error}")
        except (RecursionError, MemoryError):
            return _unreadable(text, module, "nested too deeply")
        return ParsedFile(self.name, tuple(table.symbols), facts, pack(program))


def _syntax_tree(text: str, path: str) -> tuple[ast.Module, str]:
    """Return the tree with the text that it is of: the given one, or it in the words of this version of Python."""
    from indexer.adapters.languages.python.broken import without_errors
    from indexer.adapters.languages.python.dialects import as_common_python

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text, path), text
        except SyntaxError as refused:
            common = as_common_python(text)
            try:
                return ast.parse(common, path), common
            except (SyntaxError, ValueError):
                for each in (common, text):
                    if (kept := without_errors(each)) is not None:
                        return ast.parse(kept, path), kept
                raise refused from None


def _leave_escaped(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.encode(errors="backslashreplace").decode()


def _unreadable(text: str, module: str, error: str) -> ParsedFile:
    return ParsedFile(PythonLanguage.name, (module_alone(module, text),), (), b"", error)
