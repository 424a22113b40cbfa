"""The Python adapter: a pure function from the text of one file to its symbols, facts and flow program."""

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
"""An escaped surrogate: allowed in a Python string, but it cannot be encoded to be stored or sent."""


class PythonLanguage:
    """Python and notebooks, read by the running interpreter's parser; syntax of other versions is rewritten for it."""

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
        """Return the name under which the imports of the tree refer to each file."""
        return module_names(texts, manifests, known)

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """
        Read one file, also in the syntax of Python 2 and of newer versions than the one that runs.

        A syntax error costs the statement around it. A file of which no statement is left, or that is nested too deeply
        for the interpreter's stack, has only its module symbol and the reason in `error`.
        """
        # Imported here, not at the top, to save time where languages are only detected: an edit waits for it.
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
    """Return the tree and its text: the given text, or a version rewritten so that this Python can parse it."""
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
