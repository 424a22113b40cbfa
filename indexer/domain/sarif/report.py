"""Reads the results of a SARIF file, with severity and category, and with locations as the file gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.findings.finding import MESSAGE_CHARS
from indexer.domain.sarif.document import Node, read_document
from indexer.domain.sarif.grading import category_of, severity_of
from indexer.domain.sarif.places import location_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.contract.snapshot import Severity
    from indexer.domain.findings.finding import Category

MAX_RESULTS = 100_000
# Greatest number of runs. A scanner writes one; importing takes a transaction for each tool.
MAX_RUNS = 1000
_NAME_CHARS = 200
_LEFT_OUT_KINDS = ("pass", "notApplicable")
_ARGUMENT = re.compile(r"\{(\d{1,4})\}")


@dataclass(frozen=True, slots=True)
class Result:
    """
    One result.

    Args:
        location: Relative path, or absolute path with a leading "/"; "" if the result has no location.
        start_line: As in the report; 1 if the location has no line.
    """

    rule: str
    severity: Severity
    category: Category
    message: str
    location: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one run of a tool, in the order of the file."""

    tool: str
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of a run: of the tool itself, of each of its extensions, and of both by id."""

    own: list[Node]
    extensions: list[list[Node]]
    by_id: Mapping[str, Node]


def read_report(data: bytes) -> tuple[Run, ...]:
    """
    Return the runs of a file; suppressed, passed and absent results are left out.

    Raises InvalidArgument with the path of the first malformed value.
    """
    document = read_document(data)
    if not document.text("version").startswith("2.1"):
        raise document.wrong("version must be 2.1.0")
    if "runs" not in document:
        raise document.wrong("runs is missing")
    runs = document.children("runs")
    if len(runs) > MAX_RUNS:
        raise document.wrong(f"has more than {MAX_RUNS} runs; split it")
    if sum(len(run.children("results")) for run in runs) > MAX_RESULTS:
        raise document.wrong(f"has more than {MAX_RESULTS} results; split it")
    return tuple(_run(run) for run in runs)


def _run(run: Node) -> Run:
    driver = run.child("tool").child("driver")
    tool = driver.text("name").strip()[:_NAME_CHARS]
    if not tool:
        raise run.wrong("tool.driver.name is missing")
    own = driver.children("rules")
    extensions = [each.children("rules") for each in run.child("tool").children("extensions")]
    by_id = {rule.text("id"): rule for rules in (*reversed(extensions), own) for rule in rules}
    rules = _Rules(own, extensions, by_id)
    bases = dict(run.child("originalUriBaseIds").members())
    artifacts = run.children("artifacts")
    results = (_result(each, tool, rules, bases, artifacts) for each in run.children("results") if _counts(each))
    return Run(tool, tuple(results))


def _counts(result: Node) -> bool:
    suppressed = any(each.text("status") in ("", "accepted") for each in result.children("suppressions"))
    absent = result.text("baselineState") == "absent"
    return not suppressed and not absent and result.text("kind") not in _LEFT_OUT_KINDS


def _result(result: Node, tool: str, rules: _Rules, bases: Mapping[str, Node], artifacts: list[Node]) -> Result:
    rule = _rule_of(result, rules)
    properties = (result.child("properties"), rule.child("properties"))
    score = next((text for each in properties if (text := each.scalar("security-severity"))), "")
    level = result.text("level") or rule.child("defaultConfiguration").text("level") or "warning"
    severity = severity_of("none" if result.text("kind") == "informational" else level, score)
    tags = [tag for each in properties for tag in (*each.texts("tags"), each.scalar("category"), each.scalar("kind"))]
    weaknesses = [
        text for each in properties for key in ("cwe", "CWE") for text in (*each.texts(key), each.scalar(key))
    ]
    weaknesses = [f"CWE-{text}" if text.isdigit() else text for text in weaknesses] + _taxa(result, rule)
    rule_id = result.text("ruleId") or result.child("rule").text("id") or rule.text("id")
    place = next(iter(result.children("locations")), Node({})).child("physicalLocation")
    region = place.child("region")
    start = region.number("startLine", 1)
    return Result(
        rule=rule_id[:_NAME_CHARS],
        severity=severity,
        category=category_of(tool, tags, weaknesses, score, severity),
        message=_message(result, rule)[:MESSAGE_CHARS],
        location=location_text(place.child("artifactLocation"), bases, artifacts),
        start_line=start,
        end_line=region.number("endLine", start),
    )


def _rule_of(result: Node, rules: _Rules) -> Node:
    """Return a result's rule: by index in the tool or extension, else by id, else by id without its last part."""
    reference = result.child("rule")
    extension = reference.child("toolComponent").number("index", -1)
    listed = rules.extensions[extension] if 0 <= extension < len(rules.extensions) else rules.own
    position = reference.number("index", result.number("ruleIndex", -1))
    if 0 <= position < len(listed):
        return listed[position]
    name = result.text("ruleId") or reference.text("id")
    return rules.by_id.get(name) or rules.by_id.get(name.rpartition("/")[0]) or Node({})


def _taxa(result: Node, rule: Node) -> list[str]:
    """Return the taxonomy entries that a result or its rule refers to, such as `CWE-79`."""
    targets = [*result.children("taxa"), *(each.child("target") for each in rule.children("relationships"))]
    named = [(each.child("toolComponent").text("name"), each.text("id")) for each in targets]
    return [f"{component}-{entry}" if entry.isdigit() else entry for component, entry in named]


def _message(result: Node, rule: Node) -> str:
    """Return the message of a result, from the rule if it refers to one."""
    message = result.child("message")
    found = message.text("text") or message.text("markdown")
    if not found and (name := message.text("id")):
        arguments = message.texts("arguments")
        template = rule.child("messageStrings").child(name).text("text")
        found = _ARGUMENT.sub(lambda match: dict(enumerate(arguments)).get(int(match[1]), match[0]), template)
    return found or rule.child("shortDescription").text("text") or rule.text("name")
