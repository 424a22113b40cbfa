"""Reports in SARIF as several scanners write them, and as none should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.snapshot import Severity
from common.core.errors import InvalidArgument
from indexer.domain.findings.finding import Category
from indexer.domain.sarif.grading import category_of, severity_of
from indexer.domain.sarif.places import resolve
from indexer.domain.sarif.report import Result, read_report

REPORTS = Path(__file__).parents[3] / "fixtures/sarif"
SNAPSHOT = {"shop/cart.py", "shop/till.py", "README.md", "web/app main.js", "web/cart.js"}

Row = tuple[str, str, str, int, int, str]


def rows(name: str) -> list[Row]:
    """Return what a report says: rule, severity, category, lines, and the path in the snapshot."""
    (run,) = read_report((REPORTS / name).read_bytes())
    paths = resolve((each.location for each in run.results), SNAPSHOT)
    return [_row(each, paths.get(each.location, "")) for each in run.results]


def _row(result: Result, path: str) -> Row:
    severity, category = result.severity.name, result.category.name
    return (result.rule, severity, category, result.start_line, result.end_line, path)


def report(*results: Any, **run: Any) -> bytes:
    """Return a report of one run."""
    tool = {"driver": {"name": "t"}}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}).encode()


def test_bandit() -> None:
    """Relative paths, levels, and rules by their number; what is not in the snapshot has no path."""
    assert rows("bandit.sarif") == [
        ("B602", "HIGH", "SECURITY", 7, 8, "shop/till.py"),
        ("B110", "LOW", "SECURITY", 11, 11, "shop/cart.py"),
        ("B602", "HIGH", "SECURITY", 1, 1, ""),
    ]


def test_semgrep() -> None:
    """The level is the rule's, an undefined base is the root, and a suppressed result does not count."""
    assert rows("semgrep.sarif") == [
        ("python.lang.security.audit.eval-detected", "MEDIUM", "SECURITY", 12, 13, "shop/cart.py"),
        ("python.lang.maintainability.useless-if", "LOW", "MAINTAINABILITY", 9000, 9001, "shop/cart.py"),
    ]


def test_codeql() -> None:
    """Rules come from an extension, files by number, severity by score; a result that is gone does not count."""
    assert rows("codeql.sarif") == [
        ("py/sql-injection", "CRITICAL", "SECURITY", 6, 6, "shop/till.py"),
        ("py/unused-import", "LOW", "MAINTAINABILITY", 3, 3, "shop/till.py"),
        ("py/weak-hash", "MEDIUM", "SECURITY", 7, 7, "shop/cart.py"),
        ("py/slow-join", "MEDIUM", "PERFORMANCE", 8, 8, "shop/cart.py"),
    ]


def test_eslint() -> None:
    """Absolute URIs are taken apart at the root that fits most; messages may be templates of the rule."""
    (run,) = read_report((REPORTS / "eslint.sarif").read_bytes())

    assert rows("eslint.sarif") == [
        ("no-unused-vars", "MEDIUM", "MAINTAINABILITY", 2, 2, "web/app main.js"),
        ("no-cond-assign", "HIGH", "CORRECTNESS", 1, 1, "web/cart.js"),
        ("no-eval", "HIGH", "SECURITY", 1, 1, "web/cart.js"),
        ("no-eval", "HIGH", "SECURITY", 1, 1, ""),
    ]
    assert run.results[1].message == "Expected a conditional and not an assignment, {7}."


@pytest.mark.parametrize(
    ("level", "score", "severity"),
    [
        ("error", "", Severity.HIGH),
        ("warning", "", Severity.MEDIUM),
        ("note", "", Severity.LOW),
        ("none", "", Severity.INFO),
        ("odd", "", Severity.MEDIUM),
        ("note", "9.0", Severity.CRITICAL),
        ("note", "8.9", Severity.HIGH),
        ("error", "4.0", Severity.MEDIUM),
        ("error", "0.1", Severity.LOW),
        ("error", "0.0", Severity.HIGH),
        ("error", "nan", Severity.HIGH),
        ("error", "much", Severity.HIGH),
    ],
)
def test_severity_is_that_of_the_score_else_of_the_level(level: str, score: str, severity: Severity) -> None:
    """Bounds of scores are those of code scanning; a score of nothing says nothing."""
    assert severity_of(level, score) is severity


@pytest.mark.parametrize(
    ("tool", "tags", "weaknesses", "score", "severity", "category"),
    [
        ("x", ["security", "correctness"], [], "", Severity.LOW, Category.SECURITY),
        ("x", ["Possible Errors"], [], "", Severity.LOW, Category.CORRECTNESS),
        ("x", ["efficiency"], ["CWE-400"], "", Severity.LOW, Category.PERFORMANCE),
        ("x", ["external/cwe/cwe-079"], [], "", Severity.LOW, Category.SECURITY),
        ("x", [], ["CWE-563"], "", Severity.HIGH, Category.MAINTAINABILITY),
        ("x", [], ["CWE-563", "CWE-79"], "", Severity.LOW, Category.SECURITY),
        ("x", [], [], "5.0", Severity.MEDIUM, Category.SECURITY),
        ("gosec", [], [], "", Severity.LOW, Category.SECURITY),
        ("x", [], [], "", Severity.HIGH, Category.CORRECTNESS),
        ("x", [], [], "", Severity.MEDIUM, Category.MAINTAINABILITY),
    ],
)
def test_category_is_told_by_words_then_weaknesses_then_the_tool(
    tool: str, tags: list[str], weaknesses: list[str], score: str, severity: Severity, category: Category
) -> None:
    """What nothing is said about is a defect if it is bad, and else a matter of upkeep."""
    assert category_of(tool, tags, weaknesses, score, severity) is category


def test_weakness_by_taxonomy_and_by_number() -> None:
    """A CWE may stand in a relationship of the rule or as a bare number of a property bag."""
    related = {"id": "a", "relationships": [{"target": {"id": "89", "toolComponent": {"name": "CWE"}}}]}
    bare = {"id": "b", "properties": {"cwe": 79}}
    driver = {"driver": {"name": "t", "rules": [related, bare]}}
    (run,) = read_report(report({"ruleId": "a"}, {"ruleId": "b/1"}, {"ruleId": "c"}, tool=driver))

    assert [each.category.name for each in run.results] == ["SECURITY", "SECURITY", "MAINTAINABILITY"]


@pytest.mark.parametrize(
    ("uri", "base", "path"),
    [
        ("shop/cart.py", "", "shop/cart.py"),
        ("./shop//./cart.py", "", "shop/cart.py"),
        ("shop/../README.md", "", "README.md"),
        ("../shop/cart.py", "", ""),
        ("cart.py", "SRC", "shop/cart.py"),
        ("/srv/ci/shop/cart.py", "", "shop/cart.py"),
        ("file:///srv/ci/shop/cart.py", "", "shop/cart.py"),
        ("file:///C:/ci/shop/cart.py", "", "shop/cart.py"),
        ("C:\\ci\\shop\\cart.py", "", "shop/cart.py"),
        ("shop\\cart.py", "", "shop/cart.py"),
        ("web/app%20main.js", "", "web/app main.js"),
        ("https://example.org/shop/cart.py", "", ""),
        ("http://[", "", ""),
        ("", "", ""),
    ],
)
def test_places_become_paths_of_the_snapshot(uri: str, base: str, path: str) -> None:
    """Relative to the root or a base, absolute, of Windows, escaped; what leaves the root is outside."""
    place = {"artifactLocation": {"uri": uri, "uriBaseId": base}}
    bases = {"SRC": {"uri": "shop/", "uriBaseId": "ROOT"}, "ROOT": {"description": {"text": "of the sources"}}}
    result = {"locations": [{"physicalLocation": place}]}
    (run,) = read_report(report(result, originalUriBaseIds=bases))

    assert resolve([run.results[0].location], SNAPSHOT).get(run.results[0].location, "") == path


def test_most_files_decide_about_the_root() -> None:
    """A file of the same name elsewhere on the scanner's machine is not taken for one of the snapshot."""
    places = ["/ci/a/shop/cart.py", "/ci/a/shop/till.py", "/ci/other/README.md"]

    assert resolve(places, SNAPSHOT) == {places[0]: "shop/cart.py", places[1]: "shop/till.py"}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "line 1 column 1"),
        (b'{"version": "2.1.0",\n "runs": [}', "line 2 column 11"),
        (b"\xff\xfe\xff", "file"),
        (b"[" * 100_000, "file"),
        (b"[]", "file"),
        (b'{"version": "2.0.0", "runs": []}', "file"),
        (b'{"version": "2.1.0"}', "file"),
        (b'{"version": "2.1.0", "runs": {}}', "runs"),
        (b'{"version": "2.1.0", "runs": [{}]}', "runs[0]"),
        (report(7), "runs[0].results[0]"),
        (report({}, {"level": 1}), "runs[0].results[1].level"),
        (report({"locations": [{"physicalLocation": []}]}), "runs[0].results[0].locations[0].physicalLocation"),
        (
            report({"locations": [{"physicalLocation": {"region": {"startLine": "7"}}}]}),
            "runs[0].results[0].locations[0].physicalLocation.region.startLine",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_place(data: bytes, place: str) -> None:
    """Line and column of what is no JSON, the path of what has another form than SARIF."""
    with pytest.raises(InvalidArgument) as caught:
        read_report(data)

    assert [each.field for each in caught.value.violations] == [place]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"version": "2.1.0", "runs": [' + b"{}," * 2_600_000 + b"{}]}", "5000000 values"),
        (report(*({},) * 100_001), "100000 results"),
        (b'{"version": "2.1.0", "runs": [' + b"{}," * 1000 + b"{}]}", "1000 runs"),
    ],
)
def test_a_report_that_holds_too_much_is_refused(data: bytes, told: str) -> None:
    """Small values take fifty times their size of memory, each tool of a run a transaction: no real report is so."""
    with pytest.raises(InvalidArgument, match=f"more than {told}; split it"):
        read_report(data)


def test_half_a_character_does_not_travel() -> None:
    """A lone surrogate, which JSON can escape, becomes a question mark: nothing else could send it on."""
    (run,) = read_report(report({"message": {"text": "bad \ud800"}, "ruleId": "r\udfff"}))

    assert (run.results[0].message, run.results[0].rule) == ("bad ?", "r?")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_KEYS = ("ruleId", "ruleIndex", "rule", "level", "kind", "message", "locations", "properties", "suppressions", "taxa")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(_KEYS, _JSON)), _JSON, _JSON)
def test_any_json_is_read_or_refused(result: Any, bases: Any, artifacts: Any) -> None:
    """Whatever stands where a result, bases or artifacts should: results that can be sent, or a named place."""
    try:
        (run,) = read_report(report(result, originalUriBaseIds=bases, artifacts=artifacts))
        said = [text for each in run.results for text in (each.rule, each.message, each.location)]
    except InvalidArgument as error:
        said = [error.violations[0].field]

    assert [text.encode().decode() for text in said] == said


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_by_name(data: bytes) -> None:
    """What is no report raises nothing else."""
    with pytest.raises(InvalidArgument):
        read_report(data)
