"""Gaps that give a text: where it is found, what is shown around it, and when it is said to be absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.conftest import Retriever

if TYPE_CHECKING:
    from pathlib import Path


async def test_the_places_of_a_text_are_data_too(retriever: Retriever, tmp_path: Path) -> None:
    """Each with the definition around it and the line itself; one that nothing is around has its path alone."""
    files = {
        "shop/till.py": "MODE = 'quiet'\n\n\ndef shut():\n    return is_on('quiet')\n",
        "README.md": "Give the option 'quiet'.\n",
        "notes.md": "It is 'quiet' now.\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="quiet")
    gap = evidence_pb2.Gap(text="'quiet'")

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="quiet", gaps=[gap]))

    listed = response.evidence[-1]
    assert [(each.name, each.place.path, each.place.start_line) for each in listed.users.listed] == [
        ("MODE", "shop/till.py", 1),
        ("shut", "shop/till.py", 5),
        ("README.md", "README.md", 1),
        ("notes.md", "notes.md", 1),
    ]
    assert "- shut (shop/till.py:4) at line 5: return is_on('quiet')" in listed.text


async def test_a_text_is_looked_for_in_the_file_that_is_asked_for(retriever: Retriever) -> None:
    """Each definition with it there is shown; what was shown for one gap is not shown for the next one."""
    builder = SnapshotBuilder().python("a.py", "def first():\n    return 'shut'\n")
    builder.python("b.py", "def one():\n    return 'shut'\n\n\ndef other():\n    return 'shut'\n")
    builder.text("c.ini", "open = 1\n").publish(retriever.data, "places")
    gaps = [evidence_pb2.Gap(text="shut", path=path) for path in ("b.py", "c.ini", "c.ini")]

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="places", gaps=gaps))

    there, elsewhere, again = response.results
    shown = [each.symbol.qualified_name for each in response.evidence if each.HasField("symbol")]
    assert shown == ["one", "other", "first"]
    assert there.detail == "“shut” stands at b.py:2 and 1 more"
    assert elsewhere.detail == "“shut” does not stand in c.ini; it stands at a.py:2 and 2 more"
    assert again.supply == evidence_pb2.GAP_SUPPLY_BEFORE
    assert len({each.evidence_id for each in response.evidence}) == len(response.evidence)


async def test_a_text_is_found_in_any_file(retriever: Retriever) -> None:
    """Each of a few places is shown, with the definition around it; a text of no file is absent."""
    builder = SnapshotBuilder().python("a.py", "def fail():\n    raise Shut('the till is shut')\n")
    builder.text("ops/run.sh", "echo the till is shut\n").publish(retriever.data, "texts")
    gaps = [evidence_pb2.Gap(text="the till is shut"), evidence_pb2.Gap(text="the till is open")]

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="texts", gaps=gaps))

    found, absent = response.results
    assert (found.outcome, found.step) == (evidence_pb2.GAP_OUTCOME_RESOLVED, "text")
    assert response.evidence[0].symbol.qualified_name == "fail"
    assert (response.evidence[1].span.path, response.evidence[1].text) == ("ops/run.sh", "echo the till is shut\n")
    assert absent.outcome == evidence_pb2.GAP_OUTCOME_ABSENT


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("till_is", "“till_is” stands at a.py:5 and 1 more"),
        ("till_was", "“till_was” stands within a longer word at a.py:1"),
        ("IS_SHUT", "“IS_SHUT” stands in another case at a.py:6"),
        ('.arg("-pn")', '“.arg("-pn")” stands at a.py:2'),
        ('.arg(\\"-pn\\")', '“.arg("-pn")” stands at a.py:2'),
        ("was_open", "no file of this repository has the text “was_open”"),
    ],
)
async def test_a_text_within_a_longer_word_is_not_absent(retriever: Retriever, text: str, detail: str) -> None:
    """Whole words go first, then parts of words; another case counts where nothing else is there."""
    source = 'def till_was_shut():\n    return run().arg("-pn")\n\n\ntill_is = 1\nx_till_is_shut = 2\n'
    SnapshotBuilder().python("a.py", source).publish(retriever.data, "parts")
    request = pb.ResolveGapsRequest(repository="parts", gaps=[evidence_pb2.Gap(text=text)])

    [result] = (await retriever.stub.ResolveGaps(request)).results

    assert result.detail == detail
    assert (result.outcome == evidence_pb2.GAP_OUTCOME_ABSENT) == detail.startswith("no file")
