"""Classifies files by role, and as tests or not: by path, and by their definitions where the path is ambiguous."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from indexer.domain.model import FactKind, SymbolKind

if TYPE_CHECKING:
    from indexer.domain.model import ParsedFile, SymbolDef


_FOLDERS = {
    FileRole.EXAMPLE: r"_?(?:examples?|samples?|demos?)|tutorials?|gallery|recipes|notebooks?|[^/]*examples?",
    FileRole.DOCUMENTATION: r"_?docs?(?:[-_]src)?|website",
    FileRole.BENCHMARK: r"[^/]*benchmarks?|bench(?:es)?|(?<!/)profiling",
    FileRole.TOOL: r"_?(?:scripts|tools)",
    FileRole.VENDORED: r"_?vendor(?:ed)?|_?extern(?:al)?s?|third[-_]?party",
    FileRole.GENERATED: r"generated",
    FileRole.SUPPORT: r"script|tool|(?<!src/)bin|(?<!/)(?:build|action|fuzz)|ci|packaging|contrib|sdks?"
    r"|fuzz_targets|testing|_?static|\.[^/]+",
}
_IN_FOLDER = re.compile(
    "|".join(f"(?P<{role.name}>(?:^|/)(?:{names})/)" for role, names in _FOLDERS.items()), re.IGNORECASE
)
_BUILD_FILE = re.compile(r"setup\.py|conf\.py|conftest\.py|tasks\.py|noxfile\.py|\.[^/]+")
"""Names of files that serve the build or the tests of a project."""
_TOOL_SETTINGS = re.compile(r"[^/]+\.(?:config|conf)\.[cm]?[jt]s|(?:gulp|grunt)file\.[cm]?[jt]s", re.IGNORECASE)
"""Files at the root that configure tools of JavaScript, such as `vite.config.ts`."""
_STUBS = (".pyi", ".d.ts", ".d.mts", ".d.cts")
"""Endings of stub files: declarations, for type checkers, of code that other files define."""
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")
_CHANGES = re.compile(
    r"(?:^|/)(?:change[-_ ]?(?:log|s)|history|news|releases?|release[-_ ]?notes|what'?s[-_ ]?new)"
    r"(?:[-_ .]?\d[^/]*|\.\w+)?(?:/|$)",
    re.IGNORECASE,
)
"""Matches paths with a file or folder that is named like a list of changes (`CHANGELOG.md`, `releases/1.2.md`)."""
_TEST_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "testdata", "test_data"})
_TEST_FOLDER = re.compile(r".+[._-]tests|.+([a-z]|\.)Tests")
"""Folders of tests, such as `typing_tests`, `integration-tests`, `Shop.Tests`, `UnitTests`."""
_ROOT_TEST_FOLDERS = frozenset({"t", "test", "testing", "e2e"})
_ROOT_TEST_FOLDER = re.compile(r".+[_-]test")
_SOURCE_SET = re.compile(r"test|[a-z]+Test")
"""Folders below `src` that builders of Java and Kotlin keep tests in: `test`, `integrationTest`, `androidTest`."""
_SOURCES = "src/main/"
_OF_CODE = r"\.(?!(?:adoc|html?|json|md|rst|toml|txt|xml|ya?ml)$)[a-z]+"
_TEST_NAME = re.compile(
    rf"""(test_.*|.*_tests?|tests|conftest)\.pyi?   # Python
    |.*[._-](test|spec)(-d)?\.[cm]?[jt]sx?         # JavaScript, TypeScript; tests of types
    |.*_test{_OF_CODE}                             # Go and those that follow it
    |(.*_)?tests\.rs                               # Rust, where `test.rs` may be a command of that name
    |(test_.*|.*_(tests|unittest)|.*[a-z]Tests?)\.(c|cc|cpp|cxx)
    |.*(Test|Tests|TestCase|Spec){_OF_CODE}        # Java and those that follow it
    |.*[a-z]IT{_OF_CODE}|.*\.bats
    |.*_spec\.rb|test_.*\.rb""",
    re.VERBOSE,
)
_ROOT_TEST_NAME = re.compile(r"tests?\.(c|cc|cpp|cxx|[cm]?[jt]sx?)")
"""A test file at the root of the tree; deeper, a file of this name may be a command or a module."""

_AMBIGUOUS_NAME = re.compile(r"(?!test_)(.*_)?tests?\.pyi?")
"""Test file names that code has as well: checks of a value (`jinja2/tests.py`), code that finds or selects tests."""
_TEST_BASE = re.compile(r"\(.*TestCase\b")


def role_of(path: str, *, is_code: bool) -> FileRole:
    """
    Return the role of a file, by its path; if folders match several roles, the first of these in `_FOLDERS` applies.

    Folders below `src/main` are packages of Java and Kotlin, and do not count (`org/acme/samples`).

    Args:
        is_code: The file is in a programming language; such files never have the role CHANGES or PROSE.
    """
    if path.endswith(_STUBS):
        return FileRole.STUB
    if not is_code and _CHANGES.search(path):
        return FileRole.CHANGES
    above, source_set, _ = path.partition(_SOURCES)
    found = {each.lastgroup for each in _IN_FOLDER.finditer(above if source_set else path)}
    for role in _FOLDERS:
        if role.name in found:
            return role
    if _BUILD_FILE.fullmatch(path.rpartition("/")[2]) or _TOOL_SETTINGS.fullmatch(path):
        return FileRole.SUPPORT
    return FileRole.PROSE if not is_code and path.endswith(_PROSE) else FileRole.CODE


def is_test(path: str, parsed: ParsedFile | None = None) -> bool:
    """
    Tell whether a file tests other code.

    A folder whose name ends with `test` counts at the root or directly below `src` only: deeper ones are often part of
    a library (`django/test`). A folder named `t` or `e2e` counts at the root only. A Python file whose name only ends
    with `test` or `tests`, such as `tests.py`, is not a test if it has definitions and none of these is a test. Below
    `src/main` file names do not count: Java and Kotlin builds keep production code there (`MethodSpec.java`).

    Args:
        parsed: The file's definitions; without them the path alone decides.
    """
    *folders, name = path.split("/")
    if any(folder in _TEST_FOLDERS or _TEST_FOLDER.fullmatch(folder) for folder in folders):
        return True
    if folders and (folders[0] in _ROOT_TEST_FOLDERS or _ROOT_TEST_FOLDER.fullmatch(folders[0])):
        return True
    if any(above == "src" and _SOURCE_SET.fullmatch(folder) for above, folder in pairwise(folders)):
        return True
    if not folders and _ROOT_TEST_NAME.fullmatch(name):
        return True
    if not _TEST_NAME.fullmatch(name) or ("src", "main") in pairwise(folders):
        return False
    return not _AMBIGUOUS_NAME.fullmatch(name) or parsed is None or _may_hold_tests(parsed)


def _may_hold_tests(parsed: ParsedFile) -> bool:
    """Return whether a class or function of the file is a test, or the file has neither."""
    asserting = {fact.symbol for fact in parsed.facts if fact.kind == FactKind.ASSERTION}
    tests = [
        _is_test(symbol, asserts=position in asserting)
        for position, symbol in enumerate(parsed.symbols)
        if symbol.kind not in {SymbolKind.MODULE, SymbolKind.VARIABLE}
    ]
    return not tests or any(tests)


def _is_test(symbol: SymbolDef, *, asserts: bool) -> bool:
    """Return whether a definition is a test by the conventions of unittest and pytest."""
    if symbol.kind == SymbolKind.CLASS:
        return symbol.name.startswith("Test") or bool(_TEST_BASE.search(symbol.signature))
    if not symbol.name.startswith("test"):
        return False
    return symbol.kind == SymbolKind.METHOD or asserts or any("pytest" in each for each in symbol.decorators)
