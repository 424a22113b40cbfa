"""A request that is wrong is told what is wrong with it: each field, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from common.core.errors import InvalidArgument
from indexer.adapters.sources.opener import checked_folder
from indexer.domain.errors import SourceUnavailable
from indexer.rpc import convert, findings


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (pb.StartIndexingRequest(), ["source"]),
        (pb.StartIndexingRequest(source=pb.Source(local_path="")), ["source.local_path"]),
        (pb.StartIndexingRequest(source=pb.Source(local_path="here")), ["source.local_path"]),
        (pb.StartIndexingRequest(source=pb.Source(git=pb.GitSource())), ["source.git.url"]),
        (pb.StartIndexingRequest(source=pb.Source(local_path="/Ω")), ["repository"]),
        (pb.StartIndexingRequest(repository="No Name"), ["source", "repository"]),
    ],
)
def test_a_job_is_told_what_is_wrong_with_it(request_: pb.StartIndexingRequest, fields: list[str]) -> None:
    """A name that is made of the source is at fault only where the source is not."""
    with pytest.raises(InvalidArgument) as caught:
        convert.job_spec(request_)

    assert [each.field for each in caught.value.violations] == fields


def test_all_that_is_wrong_with_a_list_is_told() -> None:
    """The size of a page is named beside the filters."""
    wrong = pb.ListFindingsRequest(repository="shop", min_severity=99, page_size=1001)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument) as caught:
        findings.query(wrong)

    assert [each.field for each in caught.value.violations] == ["min_severity", "page_size"]


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_a_folder_that_cannot_be_read_is_named_by_its_field(tmp_path: Path, name: str) -> None:
    """Programs learn which field of the request it was."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceUnavailable) as caught:
        checked_folder(str(tmp_path / name), [tmp_path], Path("/data"))

    assert caught.value.metadata == {"field": "source.local_path"}
