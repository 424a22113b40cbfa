"""Findings: their grades, their places, and which of them hold."""

from __future__ import annotations

import dataclasses

import pytest

from common.core.contract.snapshot import Severity
from indexer.domain.findings.finding import (
    Category,
    CodeFile,
    CodeSymbol,
    Finding,
    FindingsQuery,
    ImportedFinding,
    clamped,
    innermost,
    settle,
    unchanged,
)
from indexer.domain.findings.grades import RUFF_GRADES, Thresholds, function_findings, ruff_grade
from indexer.domain.model import SymbolKind

FILES = {path: CodeFile(path, f"hash of {path}", 20, is_test=False, parsed=True) for path in ("a.py", "b.py")}
CART = CodeSymbol(SymbolKind.CLASS, "Cart", 3, 18)
ADD = CodeSymbol(SymbolKind.METHOD, "Cart.add", 5, 9)
SYMBOLS = {"a.py": [CodeSymbol(SymbolKind.MODULE, "", 1, 20), CART, ADD]}


def finding(path: str = "a.py", line: int = 1, severity: Severity = Severity.LOW, message: str = "m") -> Finding:
    """Return a finding of one line."""
    return Finding("t", "r", severity, Category.CORRECTNESS, message, path, line, line)


@pytest.mark.parametrize(
    ("code", "category", "severity"),
    [
        ("S608", Category.SECURITY, Severity.MEDIUM),
        ("S602", Category.SECURITY, Severity.HIGH),
        ("S404", Category.SECURITY, Severity.INFO),
        ("PERF401", Category.PERFORMANCE, Severity.LOW),
        ("C416", Category.PERFORMANCE, Severity.INFO),
        ("B006", Category.CORRECTNESS, Severity.MEDIUM),
        ("F632", Category.CORRECTNESS, Severity.MEDIUM),
        ("F821", Category.CORRECTNESS, Severity.HIGH),
        ("F706", Category.CORRECTNESS, Severity.HIGH),
        ("F401", Category.MAINTAINABILITY, Severity.LOW),
        ("E902", Category.CORRECTNESS, Severity.HIGH),
        ("E501", Category.MAINTAINABILITY, Severity.INFO),
        ("C901", Category.MAINTAINABILITY, Severity.LOW),
        ("SIM102", Category.MAINTAINABILITY, Severity.INFO),
        ("SLF001", Category.MAINTAINABILITY, Severity.LOW),
        ("PLE0101", Category.CORRECTNESS, Severity.HIGH),
        ("PLR2004", Category.MAINTAINABILITY, Severity.LOW),
        ("UP007", Category.MAINTAINABILITY, Severity.INFO),
        ("invalid-syntax", Category.CORRECTNESS, Severity.HIGH),
        ("", Category.MAINTAINABILITY, Severity.LOW),
    ],
)
def test_rules_of_ruff_are_graded_by_the_longest_beginning(code: str, category: Category, severity: Severity) -> None:
    """Letters fit whole, so that one family is not taken for another; unknown families are matters of upkeep."""
    assert ruff_grade(code) == (category, severity)


def test_every_grade_is_reached_by_its_own_code() -> None:
    """No entry of the table is hidden by another."""
    assert {code: ruff_grade(code) for code in RUFF_GRADES} == dict(RUFF_GRADES)


@pytest.mark.parametrize(
    ("complexity", "severity"),
    [
        (10, None),
        (11, Severity.LOW),
        (20, Severity.LOW),
        (21, Severity.MEDIUM),
        (40, Severity.MEDIUM),
        (41, Severity.HIGH),
    ],
)
def test_functions_are_flagged_over_the_threshold(complexity: int, severity: Severity | None) -> None:
    """The more over it, the worse."""
    symbol = dataclasses.replace(ADD, complexity=complexity)
    found = list(function_findings("t", "a.py", symbol, Thresholds(10, 5)))

    assert [each.severity for each in found] == ([severity] if severity else [])


def test_long_functions_are_flagged() -> None:
    """Lines count with the declaration; the message says what is the matter."""
    (found,) = function_findings("t", "a.py", ADD, Thresholds(10, 4))

    assert (found.rule, found.message) == ("length", "Cart.add has 5 lines, more than 4")
    assert (found.start_line, found.end_line, found.category) == (5, 9, Category.MAINTAINABILITY)


@pytest.mark.parametrize(
    ("start", "end", "lines", "expected"),
    [
        (3, 5, 9, (3, 5)),
        (0, -1, 9, (1, 1)),
        (7, 99, 9, (7, 9)),
        (99, 100, 9, (9, 9)),
        (5, 2, 9, (5, 5)),
        (4, 4, 0, (1, 1)),
    ],
)
def test_lines_are_kept_within_the_file(start: int, end: int, lines: int, expected: tuple[int, int]) -> None:
    """Whatever a tool says, a place that can be shown comes out."""
    assert clamped(start, end, lines) == expected


@pytest.mark.parametrize(("line", "symbol"), [(1, None), (3, CART), (5, ADD), (9, ADD), (10, CART), (20, None)])
def test_the_innermost_symbol_holds_a_finding(line: int, symbol: CodeSymbol | None) -> None:
    """Methods before their class; a module is no symbol to point at."""
    assert innermost(SYMBOLS["a.py"], line) == symbol


def test_findings_are_settled() -> None:
    """Worst first, then by path and line; none twice, none of unknown files, messages on one line."""
    bad = finding("b.py", 7, Severity.CRITICAL)
    given = [
        finding(line=9),
        finding(line=2),
        finding(line=2),
        bad,
        finding("gone.py"),
        finding(line=99, message="a\n b"),
    ]
    settled = settle(given, FILES, SYMBOLS)

    assert [(each.path, each.start_line, each.message) for each in settled] == [
        ("b.py", 7, "m"),
        ("a.py", 2, "m"),
        ("a.py", 9, "m"),
        ("a.py", 20, "a b"),
    ]
    assert [each.symbol for each in settled] == [None, None, ADD, None]


def test_imported_findings_hold_while_their_file_is_the_same() -> None:
    """A changed file loses them, and so does one that is gone; they come back with the file."""
    kept = [ImportedFinding(finding(path), f"hash of {path}") for path in ("a.py", "b.py", "gone.py")]
    changed = FILES | {"b.py": dataclasses.replace(FILES["b.py"], sha256="other")}

    assert [each.path for each in unchanged(kept, changed)] == ["a.py"]
    assert [each.path for each in unchanged(kept, FILES)] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        (FindingsQuery(), True),
        (FindingsQuery(min_severity=Severity.LOW), True),
        (FindingsQuery(min_severity=Severity.MEDIUM), False),
        (FindingsQuery(category=Category.CORRECTNESS), True),
        (FindingsQuery(category=Category.SECURITY), False),
        (FindingsQuery(path_prefix="a"), True),
        (FindingsQuery(path_prefix="b"), False),
    ],
)
def test_queries_choose_by_severity_category_and_path(query: FindingsQuery, fits: bool) -> None:
    """All conditions must hold."""
    assert query.fits(finding()) is fits
