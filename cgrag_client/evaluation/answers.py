"""Scores whole answers: are they routed as labelled, and do they cite the places that a good answer rests on."""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import question_pb2

from cgrag_client.cli import exits
from cgrag_client.cli.options import file_option, folder_option
from cgrag_client.connecting.settings import SERVICES
from cgrag_client.errors import UsageError
from cgrag_client.evaluation import options  # noqa: TC001 - typer reads the annotations
from cgrag_client.evaluation.cases import QuestionCase, parse_question, read_cases
from cgrag_client.evaluation.mirrors import Mirrors
from cgrag_client.evaluation.output import mean, percentile, report
from cgrag_client.evaluation.ranks import names_of
from cgrag_client.evaluation.running import Run, texts_of
from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cgrag.type.v1 import evidence_pb2

    from cgrag_client.client import Client
    from cgrag_client.evaluation.running import Measured


def command(
    cases: Annotated[Path, file_option("JSON lines of questions with gold places.")],
    mirrors: options.Mirrors = "",
    mirror_map: options.MirrorMap = "",
    folder: Annotated[Path | None, folder_option("Ask about this folder, whatever the cases name.")] = None,
    limit: options.Limit = 0,
    jobs: options.Jobs = 2,
    data: options.Data = None,
    capture: Annotated[Path | None, folder_option("Write each answer as markdown into this folder.")] = None,
    as_json: options.Json = False,
) -> None:
    """Score whole answers on questions; no model is asked unless the orchestrator is set to."""
    chosen = read_cases(cases, parse_question)[: limit or None]
    if folder and not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give one with source code in it")
    checkouts = OneFolder(folder.resolve()) if folder else Mirrors.of(mirrors, mirror_map)
    run = Run("answers", checkouts, Asking(capture).measure, jobs, data, SERVICES)
    metrics = sum_up(chosen, exits.run(run.over(chosen)))
    rows = [(name, value) for name, value in metrics.items() if value != {}]
    report(metrics, [("answers", ("measure", "value"), rows)], as_json=as_json)


@dataclass(frozen=True, slots=True)
class OneFolder:
    """Checkouts that are always the same folder, whatever repository and commit are named."""

    folder: Path

    @contextmanager
    def checkout(self, _repository: str, _commit: str) -> Iterator[Path]:
        """Yield the folder as it is."""
        yield self.folder

    def readable(self, _repositories: Iterable[str]) -> Sequence[Path]:
        """Return the folder."""
        return (self.folder,)

    def index_of(self, _repository: str, _commit: str) -> tuple[str, bool]:
        """Return an index name made from the folder's path, and False: its files may have changed."""
        return f"folder-{hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]}", False


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks one question, and keeps the answer as markdown where `capture` is a folder."""

    capture: Path | None

    async def measure(self, client: Client, repository: str, case: QuestionCase) -> Measured:
        """Ask; then, if something first supplied in a later pass was cited, ask once more without later passes."""
        started = time.perf_counter()
        answer = await client.answers.answer(case.question, repository=repository)
        seconds = time.perf_counter() - started
        late = [name_of(each) for each in answer.citations if each.pass_number > 1 and each.symbol.path]
        only_late: list[str] = []
        if late:
            without = question_pb2.Switches(without_gap_resolution=True)
            asked = orchestrator_pb2.AskOptions(switches=without)
            single = await client.answers.answer(case.question, repository=repository, options=asked)
            only_late = sorted(set(late) - {name_of(each) for each in single.citations})
        if self.capture:
            self._write(case, answer, only_late)
        return {
            "mode": words.mode(answer.classification.mode),
            "files": sorted({each.span.path for each in answer.citations}),
            "functions": sorted({name_of(each) for each in answer.citations if each.symbol.path}),
            "passes": answer.metadata.passes,
            "only_late": only_late,
            "milliseconds": seconds * 1000,
        }

    def _write(self, case: QuestionCase, answer: orchestrator_pb2.Answer, only_late: Sequence[str]) -> None:
        assert self.capture
        cited = {name_of(each) for each in answer.citations} & set(case.gold_functions)
        lines = [f"# {case.question}", "", f"{case.repo} at {case.commit}."]
        lines += [f"Of the places chosen beforehand it cites: {', '.join(f'`{name}`' for name in sorted(cited))}."]
        if only_late:
            names = ", ".join(f"`{name}`" for name in only_late)
            lines += [f"With gap resolution switched off it does not cite: {names}."]
        self.capture.mkdir(parents=True, exist_ok=True)
        text = "\n".join([*lines, "", plain_answer(answer)])
        (self.capture / f"{quote(case.id, safe='')}.md").write_text(text, encoding="utf-8")


def name_of(citation: evidence_pb2.Citation) -> str:
    """Name a cited symbol as cases do: `path::Class.method`."""
    return f"{citation.symbol.path}::{citation.symbol.qualified_name}"


def sum_up(cases: Sequence[QuestionCase], found: Sequence[Measured]) -> dict[str, object]:
    """
    Compute the metrics of answers.

    `cited_file` and `cited_function` are the shares of questions, among those with such gold, whose answer cites one
    of the gold places at least; a question without an answer is a miss. `later_pass` is the share whose answer cites
    a symbol that it does not cite with gap resolution switched off.
    """
    pairs = list(zip(cases, found, strict=True))
    files = [
        bool(set(case.gold_files).intersection(texts_of(each, "files"))) for case, each in pairs if case.gold_files
    ]
    functions = [
        bool(set(names_of(case.gold_functions)) & set(names_of(texts_of(each, "functions"))))
        for case, each in pairs
        if case.gold_functions
    ]
    routed = [case.mode == each.get("mode") for case, each in pairs if case.mode]
    times = [float(str(each["milliseconds"])) for each in found if each]
    return {
        "n": len(cases),
        "failed": sum(not each for each in found),
        "cited_file": mean(files),
        "cited_function": mean(functions),
        "routed": mean(routed),
        "later_pass": mean([bool(each.get("only_late")) for each in found]),
        "passes": mean([int(str(each.get("passes", 0))) for each in found]),
        "latency_ms": {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)},
    }
