"""What functions of small Python programs call: collections, members, and what projects do that nobody foresaw."""

from __future__ import annotations

import pytest

from tests.unit.indexer.found_calls import found_calls
from tests.unit.indexer.golden_programs import programs


@pytest.mark.parametrize(("files", "expected"), programs("collections", "copies", "members", "projects"))
def test_functions_call_what_they_are_said_to(files: dict[str, str], expected: dict[str, list[str]]) -> None:
    """Each function named calls exactly what stands beside it; the others are not looked at."""
    found = found_calls(files)

    assert {caller: sorted(found.get(caller, ())) for caller in expected} == expected
