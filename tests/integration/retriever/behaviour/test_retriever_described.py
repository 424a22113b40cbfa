"""Questions of how something is done get who does it as evidence, with the words that describe it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import question_pb2

from tests.fakes.reading import read_message
from tests.fakes.retrieving import retriever_over
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from pathlib import Path

_MODELS = '''\
def charset_of(response):
    """Return the encoding of a response."""
    return response.headers.get("charset")


def encode_all(responses):
    """Encode the bodies of all responses."""
    return [each.encode() for each in responses]


def close(response):
    """Close the connection."""
    charset_of(response)
'''


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which functions call charset_of when a connection closes?", []),
        ("How are responses encoded?", ["encode_all"]),
        ("How are responses painted?", []),
    ],
)
async def test_a_definition_is_found_by_what_it_does(tmp_path: Path, question: str, found: list[str]) -> None:
    """Who is called like what is done; nothing where nobody is, or users are told."""
    indexing = Indexing(tmp_path / "data")
    write_tree(tmp_path / "web", {"web/models.py": _MODELS})
    indexing.run(tmp_path / "web", name="web")
    classification = question_pb2.Classification(
        mode=question_pb2.MODE_CONCEPTUAL, understanding=read_message(question)
    )
    request = pb.RetrieveRequest(repository="web", question=question, classification=classification)

    async with retriever_over(tmp_path / "data") as stub:
        response = await stub.Retrieve(request)

    described = [each for each in response.evidence if each.described]
    assert [each.symbol.qualified_name for each in described][: len(found) or 1] == found
    assert all(each.described in question for each in described)
