"""Layers that cannot be used, or are still being made, as people are told of them."""

from __future__ import annotations

import json

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.retriever.v1 import retriever_pb2
from google.protobuf.json_format import MessageToDict

from cgrag_client.cli import main
from tests.fakes.suite_server import Serve
from tests.unit.client.commands.test_client_cli import script_of


def test_status_tells_what_cannot_be_used(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A layer that does not open degrades answers: the operator of the machine reads why."""
    problem = retriever_pb2.LayerProblem(repository="shop", layer="vectors", problem="it cannot be opened; index again")
    serve(script_of(layer_problems=[problem]))
    main(["status"])
    shown = capsys.readouterr().out
    main(["status", "--json"])

    assert "shop is searched without vectors: it cannot be opened; index again" in shown
    assert json.loads(capsys.readouterr().out)["layerProblems"] == [MessageToDict(problem)]


def test_vectors_in_the_making_are_told_with_an_answer(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """How far they are stands below the answer; where none are made, nothing does."""
    progress = indexer_pb2.IndexProgress(phase=indexer_pb2.INDEX_PHASE_EMBEDDING, done=41, total=100)
    making = indexer_pb2.IndexJob(
        repository="shop", state=indexer_pb2.INDEX_JOB_STATE_ENRICHING, progress=progress, job_id="j1"
    )
    told = []
    for jobs in ([making], []):
        serve(script_of(jobs=jobs))
        main(["ask", "Why does checkout raise OutOfStock?"])
        told.append(capsys.readouterr().err)

    assert told[0].endswith("search by meaning follows, 41 %\n")
    assert "meaning" not in told[1]
