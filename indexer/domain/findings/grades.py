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

RUFF_GRADES: Mapping[str, _Grade] = MappingProxyType(
    {
        "": (_MAINTAINABILITY, Severity.LOW),
        "invalid-syntax": (_CORRECTNESS, Severity.HIGH),
        "ASYNC": (_PERFORMANCE, Severity.MEDIUM),
        "B": (_CORRECTNESS, Severity.MEDIUM),
        "B007": (_MAINTAINABILITY, Severity.LOW),
        "B009": (_MAINTAINABILITY, Severity.INFO),
        "B010": (_MAINTAINABILITY, Severity.INFO),
        "B018": (_MAINTAINABILITY, Severity.LOW),
        "B028": (_MAINTAINABILITY, Severity.INFO),
        "B904": (_MAINTAINABILITY, Severity.LOW),
        "B905": (_CORRECTNESS, Severity.LOW),
        "BLE": (_CORRECTNESS, Severity.LOW),
        "C4": (_PERFORMANCE, Severity.INFO),
        "C90": (_MAINTAINABILITY, Severity.LOW),
        "DTZ": (_CORRECTNESS, Severity.LOW),
        "E": (_MAINTAINABILITY, Severity.INFO),
        "E9": (_CORRECTNESS, Severity.HIGH),
        "F": (_CORRECTNESS, Severity.MEDIUM),
        "F401": (_MAINTAINABILITY, Severity.LOW),
        "F403": (_MAINTAINABILITY, Severity.LOW),
        "F405": (_MAINTAINABILITY, Severity.LOW),
        "F541": (_MAINTAINABILITY, Severity.INFO),
        "F7": (_CORRECTNESS, Severity.HIGH),
        "F821": (_CORRECTNESS, Severity.HIGH),
        "F841": (_MAINTAINABILITY, Severity.LOW),
        "I": (_MAINTAINABILITY, Severity.INFO),
        "PERF": (_PERFORMANCE, Severity.LOW),
        "PLE": (_CORRECTNESS, Severity.HIGH),
        "S": (_SECURITY, Severity.MEDIUM),
        "S101": (_SECURITY, Severity.INFO),
        "S102": (_SECURITY, Severity.HIGH),
        "S110": (_CORRECTNESS, Severity.LOW),
        "S112": (_CORRECTNESS, Severity.LOW),
        "S202": (_SECURITY, Severity.HIGH),
        "S301": (_SECURITY, Severity.HIGH),
        "S302": (_SECURITY, Severity.HIGH),
        "S307": (_SECURITY, Severity.HIGH),
        "S311": (_SECURITY, Severity.LOW),
        "S4": (_SECURITY, Severity.INFO),
        "S501": (_SECURITY, Severity.HIGH),
        "S506": (_SECURITY, Severity.HIGH),
        "S602": (_SECURITY, Severity.HIGH),
        "S603": (_SECURITY, Severity.LOW),
        "S605": (_SECURITY, Severity.HIGH),
        "S606": (_SECURITY, Severity.LOW),
        "S607": (_SECURITY, Severity.LOW),
        "SIM": (_MAINTAINABILITY, Severity.INFO),
        "UP": (_MAINTAINABILITY, Severity.INFO),
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
