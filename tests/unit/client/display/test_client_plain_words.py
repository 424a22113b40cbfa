"""What people typed, and what services said, is shown as it is: neither as markup nor as a name of a picture."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client.cli import main
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, Serve


def script_of(**changes: object) -> Script:
    shop = indexer_pb2.Repository(repository="shop", current=indexer_pb2.Snapshot(repository="shop"))
    return Script(repositories=[shop], **changes)  # type: ignore[arg-type]  # fields of the script


@pytest.mark.parametrize("name", ["[/x]", "[red]Attr", "std:x:y", r"a\[b"])
def test_a_name_that_is_not_there_is_said_as_typed(serve: Serve, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Such names are no markup: not an error of ours, nor a colour, nor a picture."""
    serve(script_of())

    code = main(["symbol", name])

    assert capsys.readouterr().err == f"no symbol is named {name}\n"
    assert code == 4


def test_an_error_is_said_as_it_came(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """Paths in brackets, colons and backslashes stay in messages; what drives a terminal goes."""
    said = r"app/[slug]/a\[b:x:1 is not in the snapshot"
    serve(script_of(failure=Failure(grpc.StatusCode.NOT_FOUND, f"\x1b{said}", "ERROR_REASON_SPAN_NOT_FOUND")))

    code = main(["ask", "Why?", "--json"])

    assert capsys.readouterr().err.splitlines()[0] == f"Error: {said}"
    assert code == 4


def test_a_wrong_place_is_said_as_typed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that is no number is in the message."""
    serve(script_of())

    code = main(["read", "shop/cart.py:x"])

    assert capsys.readouterr().err == "Error: shop/cart.py:x: expected PATH, PATH:LINE or PATH:START-END\n"
    assert code == 2


def test_what_was_missed_is_said_as_asked_for(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    """A path of a context that was not found keeps its brackets."""
    serve(script_of())

    main(["context", "refine", "t[1]", "--test", "app/[slug]/page.tsx", "--test", "a:x:b"])

    err = capsys.readouterr().err
    assert err.startswith("not found, or not clear enough: app/[slug]/page.tsx, a:x:b\n")
    assert "cgrag context refine t[1] --symbol NAME" in err


def test_a_folder_is_said_as_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A data folder with brackets in its name is a folder like others."""
    folder = tmp_path / "[/b]:x:"

    code = main(["down", "--data", str(folder)])

    assert capsys.readouterr().err == f"nothing runs with its data in {folder}\n"
    assert code == 0
