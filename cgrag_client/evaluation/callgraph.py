"""Scores the call graph on cases with known edges: folders with a callgraph.json, or recorded calls of repositories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from cgrag_client.cli.options import folder_option
from cgrag_client.errors import UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.mirrors import Mirrors
from cgrag_client.evaluation.output import Progress, report, require_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from cgrag_client.evaluation.output import TitledTable

# Edges to overrides in subclasses have a lower confidence; walks of the call graph follow them only on request.
DEFAULT_MIN_CONFIDENCE = 0.55
TRUTH_FILE = "callgraph.json"
_JVM_METHOD = re.compile(r"(?P<owner>[\w.$]+):(?P<method>[\w$<>]+)\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Case:
    """
    Known edges of a call graph, and the place of the source code.

    Args:
        name: Unique among the cases.
        truth: (caller, callee) pairs.
        root: Folder that module names start from; for a recorded case, relative to the repository.
        below: Folder of the root that is read; "" for all of it.
        repo: `owner/name` of a recorded case, "" for a folder with sources.
        commit: Commit of the repository.
        of_bytecode: The truth names methods of compiled classes, in which lambdas belong to the method around them.
        suspending: Generators and coroutines; calls of them are not recorded, so edges to them are never wrong.
    """

    name: str
    truth: frozenset[tuple[str, str]]
    root: Path
    below: str = ""
    repo: str = ""
    commit: str = ""
    of_bytecode: bool = False
    suspending: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LinkedCase:
    """The result of linking a case: edges of sufficient confidence, defined names, lines of code and CPU time."""

    edges: frozenset[tuple[str, str]]
    defined: frozenset[str]
    lines: int = 0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """Edges of one case that are right, wrong, and missed."""

    right: frozenset[tuple[str, str]]
    wrong: frozenset[tuple[str, str]]
    missed: frozenset[tuple[str, str]]


def command(
    cases: Annotated[Path, folder_option("Folder of cases, at any depth, or of recorded calls.")],
    mirrors: Annotated[str, typer.Option(help="Folder of repositories of recorded calls.")] = "",
    mirror_map: Annotated[str, typer.Option(help="JSON file {repository: folder}.")] = "",
    min_confidence: Annotated[float, typer.Option(help="Leave out edges below it.")] = DEFAULT_MIN_CONFIDENCE,
    edges_out: Annotated[str, typer.Option(help="Write {case: {caller: [callees]}} to this file.")] = "",
    recall_only: Annotated[bool, typer.Option(help="The truth lists only some edges: none is wrong.")] = False,
    covered: Annotated[
        bool, typer.Option(help="An edge is wrong only if both ends ran; always so for recorded calls.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Score the call graph on cases with known edges."""
    known = read_cases(cases.expanduser())
    if edges_out:
        require_folder("--edges-out", Path(edges_out))
    found = dict(_link_all(known, mirrors, mirror_map, min_confidence))
    if edges_out:
        Path(edges_out).write_text(json.dumps({name: _by_caller(each.edges) for name, each in found.items()}), "utf-8")
    scores = {
        case.name: score_case(case, found[case.name], recall_only=recall_only, covered=covered or bool(case.repo))
        for case in known
    }
    metrics = {**summarize(scores), "cpu_seconds_per_1000_lines": _cost(found.values())}
    report(metrics, _tables(metrics, scores), as_json=as_json)


def read_cases(folder: Path) -> tuple[Case, ...]:
    """
    Find all cases below a folder, in order of name.

    A folder with a callgraph.json is a case, its sources in `src/` or beside the file; a JSON file with `repo`,
    `commit`, `source_root` and `edges` is a recorded one. Raises UsageError if there are none.
    """
    found = [_folder_case(folder, path) for path in sorted(folder.rglob(TRUTH_FILE))]
    if not found:
        found = [_recorded_case(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise UsageError(f"{folder}: no {TRUTH_FILE} below it, and no recorded calls in it")
    return tuple(found)


def score_case(case: Case, found: LinkedCase, *, recall_only: bool = False, covered: bool = False) -> Score:
    """
    Compare edges whose callee is defined in the case.

    Args:
        recall_only: Count no edge as wrong.
        covered: Count an edge as wrong only if caller and callee both appear in the truth, that is, ran.
    """
    truth = frozenset(edge for edge in case.truth if case.repo or edge[1] in found.defined)
    edges = frozenset(edge for edge in found.edges if edge[1] in found.defined)
    wrong = edges - truth
    if covered:
        ran = {name for edge in truth for name in edge}
        wrong = frozenset(edge for edge in wrong if edge[0] in ran and edge[1] in ran - case.suspending)
    return Score(edges & truth, frozenset() if recall_only else wrong, truth - edges)


def summarize(scores: Mapping[str, Score]) -> dict[str, object]:
    """
    Sum up over all edges of all cases.

    `sound` counts cases without a missed edge, `complete` those without a wrong one, `exact` those with neither.
    """
    right = sum(len(score.right) for score in scores.values())
    wrong = sum(len(score.wrong) for score in scores.values())
    missed = sum(len(score.missed) for score in scores.values())
    return {
        "cases": len(scores),
        "edges": right + missed,
        **_ratios(right, wrong, missed),
        "exact": sum(not score.wrong and not score.missed for score in scores.values()),
        "sound": sum(not score.missed for score in scores.values()),
        "complete": sum(not score.wrong for score in scores.values()),
        "per_case": {
            name: {
                "edges": len(score.right) + len(score.missed),
                **_ratios(len(score.right), len(score.wrong), len(score.missed)),
                "wrong": sorted(map(list, score.wrong)),
                "missed": sorted(map(list, score.missed)),
            }
            for name, score in scores.items()
        },
    }


def _ratios(right: int, wrong: int, missed: int) -> dict[str, float]:
    """Precision and recall are 1 where there is nothing to find or nothing found."""
    precision = right / (right + wrong) if right + wrong else 1.0
    recall = right / (right + missed) if right + missed else 1.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}


def _folder_case(folder: Path, path: Path) -> Case:
    root = path.parent / "src" if (path.parent / "src").is_dir() else path.parent
    content = _read(path)
    of_bytecode = any(_JVM_METHOD.fullmatch(caller) for caller in content)
    return Case(path.parent.relative_to(folder).as_posix(), _truth(path, content), root, of_bytecode=of_bytecode)


def _recorded_case(path: Path) -> Case:
    content = _read(path)
    try:
        repo, commit, source_root = str(content["repo"]), str(content["commit"]), Path(str(content["source_root"]))
        edges = content["edges"]
    except KeyError as error:
        raise UsageError(f"{path}: recorded calls need {error}") from error
    suspending = content.get("suspending", ())
    if not isinstance(suspending, list | tuple):
        raise UsageError(f"{path}: expected a list of suspending functions")
    place = (source_root.parent, source_root.name, repo, commit)
    return Case(path.stem, _truth(path, edges), *place, suspending=frozenset(map(str, suspending)))


def _read(path: Path) -> dict[str, object]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path}: expected an object")
    return content


def _truth(path: Path, edges: object) -> frozenset[tuple[str, str]]:
    if not isinstance(edges, dict) or not all(isinstance(callees, list) for callees in edges.values()):
        raise UsageError(f"{path}: expected {{caller: [callees]}}")
    return frozenset(
        (_dotted(str(caller)), _dotted(str(callee))) for caller, callees in edges.items() for callee in callees
    )


def _dotted(name: str) -> str:
    """Write a method as the Java machine's tools do, `a.Outer$Inner:<init>(int)`, the way all others are written."""
    found = _JVM_METHOD.fullmatch(name)
    if found is None:
        return name
    method = found["method"].replace("<init>", "__init__")
    return f"{found['owner'].replace('$', '.')}.{method}"


def _link_all(
    cases: Sequence[Case], mirrors: str, mirror_map: str, min_confidence: float
) -> Iterator[tuple[str, LinkedCase]]:
    progress = Progress(len(cases), "linked")
    repositories = Mirrors.of(mirrors, mirror_map) if any(case.repo for case in cases) else None
    with _edge_printer() as (requests, answers):
        for case in cases:
            try:
                with _sources(case, repositories) as root:
                    requests.write(json.dumps({"root": str(root.resolve()), "below": case.below}) + "\n")
                    requests.flush()
                    line = answers.readline()
            except UsageError as error:
                progress.tell(f"all edges of {case.name} are missed: {error}")
                yield case.name, LinkedCase(frozenset(), frozenset())
            else:
                if not line:
                    raise UsageError(f"{case.name}: the linker stopped")
                yield case.name, _found(json.loads(line), case, min_confidence)
            progress.step(case.name)


@contextmanager
def _sources(case: Case, repositories: Mirrors | None) -> Iterator[Path]:
    with ExitStack() as stack:
        root = case.root
        if repositories is not None and case.repo:
            root = stack.enter_context(repositories.checkout(case.repo, case.commit)) / root
        if not (root / case.below).is_dir():
            raise UsageError(f"{case.repo} has no folder {case.root / case.below} at {case.commit}")
        yield root


@contextmanager
def _edge_printer() -> Iterator[tuple[IO[str], IO[str]]]:
    """Run the indexer's edge printer and yield its stdin and stdout; it exits when its stdin is closed."""
    command = [sys.executable, "-m", "indexer.edges"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout


def _found(answer: Mapping[str, Any], case: Case, min_confidence: float) -> LinkedCase:
    spelled = _Spelling(case, answer["aliases"])
    edges = frozenset(
        (spelled(caller), spelled(callee))
        for caller, callee, confidence in answer["edges"]
        if float(confidence) >= min_confidence
    )
    defined = frozenset(map(spelled, answer["defined"]))
    return LinkedCase(edges, defined, int(answer["lines"]), float(answer["cpu_seconds"]))


class _Spelling:
    """
    Converts names to the spelling of a case's truth.

    Truths for JavaScript name the same arrow function by its variable or by its number (`main.add`, `main.<arrow1>`),
    and put a computed method behind its class with or without a dot (`main.Items[Symbol.iterator]`). Truths made
    from bytecode attribute calls in a lambda to the method around it.
    """

    def __init__(self, case: Case, aliases: Mapping[str, str]) -> None:
        self._known = {name for edge in case.truth for name in edge}
        self._aliases = aliases
        self._folds_lambdas = case.of_bytecode

    def __call__(self, name: str) -> str:
        other = self._aliases.get(name, name)
        spellings = (name, other, name.replace(".[", "["))
        if self._folds_lambdas:
            return name.partition(".<lambda")[0]
        return next((spelling for spelling in spellings if spelling in self._known), spellings[-1])


def _by_caller(edges: frozenset[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for caller, callee in sorted(edges):
        grouped.setdefault(caller, []).append(callee)
    return grouped


def _cost(found: Collection[LinkedCase]) -> float | None:
    lines = sum(each.lines for each in found)
    return sum(each.cpu_seconds for each in found) / lines * 1000 if lines else None


def _tables(metrics: Mapping[str, object], scores: Mapping[str, Score]) -> Iterator[TitledTable]:
    columns = ("cases", "edges", "precision", "recall", "f1", "exact", "sound", "complete")
    yield "Call graph", columns, [[metrics[column] for column in columns]]
    rows = [
        [name, len(score.right) + len(score.missed), len(score.right), len(score.wrong), len(score.missed)]
        for name, score in scores.items()
        if score.wrong or score.missed
    ]
    if rows:
        yield "Cases that are not exact", ("case", "edges", "right", "wrong", "missed"), rows
