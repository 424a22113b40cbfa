"""
The ranking of real questions over packages that the lock pins by hash, as files in git.

They are there wherever the tests run, without a network. `make golden` writes the files anew.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import question_pb2

from tests.fakes.golden_ranking import GOLDEN, golden_file, golden_text, read_questions
from tests.fakes.reading import read_message
from tests.fakes.retrieving import retriever_over
from tests.integration.indexer.indexing import Indexing

PACKAGES = {"click": "click", "structlog": "structlog", "prometheus_client": "prometheus-client"}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with an index of each package."""
    data, sources = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("sources")
    for name in PACKAGES:
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        shutil.copytree(
            Path(found.origin).parent, sources / name / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    for name in PACKAGES:
        Indexing(data).run(sources / name, name=name)
    return data


@pytest_asyncio.fixture
async def stub(packages: Path) -> AsyncIterator[Any]:
    """Serve the packages."""
    async with retriever_over(packages) as served:
        yield served


@pytest.mark.parametrize("package", PACKAGES)
async def test_ranking_of_a_pinned_package_is_the_golden_one(stub: Any, package: str) -> None:
    """
    Files and symbols stand in the order of the golden file, and its recall@5 and MRR are what they give.

    The file names the version: another one in the lock is another corpus, and needs `make golden` too.
    """
    version = importlib.metadata.version(PACKAGES[package])
    questions = read_questions("packages_questions.jsonl", package=package)
    text = await golden_text(stub, package, questions, package=package, version=version)

    assert text == golden_file(f"{package}.json", text)


@pytest.mark.parametrize("package", PACKAGES)
def test_right_places_are_places(packages: Path, package: str) -> None:
    """Each question names symbols that the pinned version has, and the golden file is of that version."""
    kept = json.loads((GOLDEN / f"{package}.json").read_text(encoding="utf-8"))
    named = {each for question in read_questions("packages_questions.jsonl", package=package) for each in question.gold}
    known = _symbols(packages, package)

    assert named <= known
    assert kept["version"] == importlib.metadata.version(PACKAGES[package])


@pytest.mark.parametrize(
    ("package", "question", "doer", "within"),
    [
        ("click", "How is a progress bar rendered?", "ProgressBar.render_progress", 1),
        ("click", "How is a command resolved?", "Group.resolve_command", 1),
        ("click", "How is the usage formatted?", "Command.format_usage", 5),
        ("click", "How is a callback invoked?", "Context.invoke", 1),
        ("structlog", "How are exceptions formatted?", "_format_exception", 5),
        ("prometheus_client", "How is a collector registered?", "CollectorRegistry.register", 1),
        ("prometheus_client", "How are metrics written to a textfile?", "write_to_textfile", 1),
        ("prometheus_client", "Where are metrics pushed to the gateway?", "push_to_gateway", 1),
        ("prometheus_client", "How does the registry collect metrics?", "CollectorRegistry.collect", 2),
        ("prometheus_client", "How is a summary observed?", "Summary.observe", 1),
    ],
)
async def test_who_does_something_is_among_the_first_that_are_shown(
    stub: Any, package: str, question: str, doer: str, within: int
) -> None:
    """In the order of reading, which puts first what is worth most for an answer."""
    understanding = read_message(question)
    classification = question_pb2.Classification(mode=question_pb2.MODE_CONCEPTUAL, understanding=understanding)
    request = pb.RetrieveRequest(repository=package, question=question, classification=classification)

    response = await stub.Retrieve(request)

    first = [each.symbol.qualified_name for each in response.evidence if each.HasField("symbol")][:within]
    assert doer in first, first


def _symbols(data: Path, package: str) -> set[str]:
    [core] = (data / "repositories" / package / "layers").glob("core-*/code.db")
    with closing(sqlite3.connect(core)) as database:
        rows = database.execute("SELECT f.path, s.qualified_name FROM symbols s JOIN files f ON f.id = s.file_id")
        return {f"{path}::{name}" for path, name in rows}
