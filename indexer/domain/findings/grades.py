"""Severity and category of the findings of the indexer's own analyzers."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.snapshot import Severity
from indexer.domain.findings.finding import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.domain.findings.finding import CodeSymbol

_SECURITY, _PERFORMANCE = Category.SECURITY, Category.PERFORMANCE
_MAINTAINABILITY, _CORRECTNESS = Category.MAINTAINABILITY, Category.CORRECTNESS
_Grade = tuple[Category, Severity]

_CODES = (
    (_SECURITY, Severity.HIGH, "S102 S202 S301 S302 S307 S501 S506 S602 S605"),
    (_SECURITY, Severity.MEDIUM, "S"),
    (_SECURITY, Severity.LOW, "S311 S603 S606 S607"),
    (_SECURITY, Severity.INFO, "S101 S4"),
    (_CORRECTNESS, Severity.HIGH, "invalid-syntax E9 F7 F821 PLE"),
    (_CORRECTNESS, Severity.MEDIUM, "B F"),
    (_CORRECTNESS, Severity.LOW, "B905 BLE DTZ S110 S112"),
    (_PERFORMANCE, Severity.MEDIUM, "ASYNC"),
    (_PERFORMANCE, Severity.LOW, "PERF"),
    (_PERFORMANCE, Severity.INFO, "C4"),
    (_MAINTAINABILITY, Severity.LOW, "B007 B018 B904 C90 F401 F403 F405 F841"),
    (_MAINTAINABILITY, Severity.INFO, "B009 B010 B028 E F541 I SIM UP"),
)
RUFF_GRADES: Mapping[str, _Grade] = MappingProxyType(
    {
        "": (_MAINTAINABILITY, Severity.LOW),
        **{code: (category, severity) for category, severity, codes in _CODES for code in codes.split()},
    }
)
"""By prefix of a rule's code; the longest matching prefix applies, see `ruff_grade`."""


def ruff_grade(code: str) -> _Grade:
    """Return category and severity of a rule of ruff."""
    if code in RUFF_GRADES:
        return RUFF_GRADES[code]
    letters = len(code) - len(code.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    # A prefix has all letters of the code and any number of its digits: "S" is none of "SIM102", "E9" is one of "E902".
    fitting = (code[:length] for length in range(len(code), letters - 1, -1))
    return next((RUFF_GRADES[each] for each in fitting if each in RUFF_GRADES), RUFF_GRADES[""])


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Greatest cyclomatic complexity and greatest number of lines of a function without a finding."""

    complexity: int
    lines: int

    def __str__(self) -> str:
        """Return both numbers as a text, which is part of an analyzer's version."""
        return f"{self.complexity} {self.lines}"


def function_findings(tool: str, path: str, symbol: CodeSymbol, most: Thresholds) -> Iterator[Finding]:
    """
    Yield a finding for each threshold that a function exceeds.

    Severity is low up to twice the threshold, medium up to four times, and high above: a function of cyclomatic
    complexity 50 is practically untestable (McCabe, 1976, bounds it by 10).
    """
    lines = symbol.end_line - symbol.start_line + 1
    measures = (
        ("complexity", f"has a cyclomatic complexity of {symbol.complexity}", symbol.complexity, most.complexity),
        ("length", f"has {lines} lines", lines, most.lines),
    )
    for rule, text, value, bound in measures:
        if value > bound:
            yield Finding(
                tool=tool,
                rule=rule,
                severity=_excess(value, bound),
                category=_MAINTAINABILITY,
                message=f"{symbol.qualified_name} {text}, more than {bound}",
                path=path,
                start_line=symbol.start_line,
                end_line=symbol.end_line,
            )


def _excess(value: int, most: int) -> Severity:
    if value <= 2 * most:
        return Severity.LOW
    return Severity.MEDIUM if value <= 4 * most else Severity.HIGH
