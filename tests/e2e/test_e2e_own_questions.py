"""Questions that an engineer asks about this very project, answered from its own index without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.e2e.four_services import ROOT, FourServices

QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (ROOT / "tests/golden/own_questions.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Those with "missed", which says why, begin elsewhere and are not asked; those with "is_sure" have high confidence."""
JOB_SECONDS = 600.0
ANSWER_SECONDS = 120.0

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FourServices]:
    """Four services that have indexed this project."""
    data: Path = tmp_path_factory.mktemp("own") / "data"
    with FourServices(data, {"CGRAG_INDEXER_ALLOWED_ROOTS": str(ROOT)}) as services:
        source = indexer_pb2.Source(local_path=str(ROOT))
        request = indexer_pb2.StartIndexingRequest(repository="cgrag", source=source, without_vectors=True)
        job = services.indexer.StartIndexing(request, timeout=JOB_SECONDS)
        watch = indexer_pb2.WatchIndexJobRequest(job_id=job.job_id)
        *_, ended = services.indexer.WatchIndexJob(watch, timeout=JOB_SECONDS)
        assert ended.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, ended.error
        yield services


@pytest.mark.parametrize(
    "case", [case for case in QUESTIONS if "missed" not in case], ids=lambda case: case["question"]
)
def test_the_answer_begins_at_a_right_place(project: FourServices, case: dict[str, Any]) -> None:
    """The first citation is of a right symbol or page; commands stand in the first sentence."""
    request = pb.AskRequest(repository="cgrag", question=case["question"])
    *_, last = project.orchestrator.Ask(request, timeout=ANSWER_SECONDS)
    answer = last.completed.answer
    first = answer.citations[0] if answer.citations else None
    places = {first.span.path, f"{first.span.path}::{first.symbol.qualified_name}"} if first else set()
    opening = answer.text.partition("\n")[0]

    assert places & set(case["right"]) or any(each in opening for each in case["right"]), (places, opening)
    assert answer.confidence == pb.CONFIDENCE_HIGH or "is_sure" not in case, answer.confidence_reason


def test_right_places_exist() -> None:
    """Every file that counts as right is there, so that a rename does not leave the list behind."""
    files = {each for case in QUESTIONS for right in case["right"] if "/" in (each := right.partition("::")[0])}

    assert [each for each in sorted(files) if not (ROOT / each).is_file()] == []
