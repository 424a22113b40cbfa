"""Severity and category of a SARIF result, from its rule and the result."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from common.core.contract.snapshot import Severity
from indexer.domain.findings.finding import Category

if TYPE_CHECKING:
    from collections.abc import Sequence

_BY_LEVEL = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW, "none": Severity.INFO}
_BY_SCORE = ((9.0, Severity.CRITICAL), (7.0, Severity.HIGH), (4.0, Severity.MEDIUM), (0.0, Severity.LOW))
"""Least `security-severity` of each severity, as in GitHub's code scanning; 0.0 itself is no score."""
_WORDS = (
    (Category.SECURITY, ("security", "vulnerability", "vulnerabilities", "owasp", "secret", "secrets", "crypto")),
    (Category.PERFORMANCE, ("performance", "efficiency", "perf")),
    (Category.CORRECTNESS, ("correctness", "reliability", "bug", "bugs", "errors", "problems", "error-prone", "logic")),
    (
        Category.MAINTAINABILITY,
        ("maintainability", "readability", "style", "stylistic", "complexity", "convention", "practices", "smell"),
    ),
)
_SECURITY_TOOLS = re.compile(
    r"bandit|gosec|brakeman|trivy|grype|gitleaks|trufflehog|checkov|snyk|detect-secrets", re.IGNORECASE
)
_CWE = re.compile(r"\bcwe[-_/ ]?0*(\d+)\b", re.IGNORECASE)
_QUALITY_CWE = frozenset({398, 546, 561, 563, 570, 571, 1041, 1093, 1120, 1121, 1126, 1164})
"""CWE numbers of mere quality problems: dead code, unused variables, constant conditions, complexity."""


def severity_of(level: str, score: str) -> Severity:
    """
    Return the severity of a result.

    Args:
        level: SARIF level of the result or its rule; an unknown level counts as "warning", the standard's default.
        score: `security-severity`, 0.0 to 10.0, or ""; a score above 0 takes precedence over the level.
    """
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    for bound, severity in _BY_SCORE:
        if number > bound or (number == bound and bound):
            return severity
    return _BY_LEVEL.get(level, Severity.MEDIUM)


def category_of(tool: str, tags: Sequence[str], weaknesses: Sequence[str], score: str, severity: Severity) -> Category:
    """
    Return the category of a result: by words in its tags, else by CWE, else by score or tool, else by severity.

    Args:
        tags: Tags, categories and kinds of the rule and the result.
        weaknesses: Texts that may contain CWE numbers.
    """
    words = {word for tag in tags for word in re.split(r"[^a-z-]+", tag.lower())}
    for category, known in _WORDS:
        if not words.isdisjoint(known):
            return category
    numbers = [int(number) for text in (*tags, *weaknesses) for number in _CWE.findall(text)]
    if numbers:
        is_quality = all(number in _QUALITY_CWE for number in numbers)
        return Category.MAINTAINABILITY if is_quality else Category.SECURITY
    if score or _SECURITY_TOOLS.search(tool):
        return Category.SECURITY
    return Category.CORRECTNESS if severity >= Severity.HIGH else Category.MAINTAINABILITY
