"""The caller's token: where it is read from, where it may go, and how a new one is made."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cgrag_client import Client, ClientError, ClientSettings
from cgrag_client.cli import main
from cgrag_client.connecting.settings import load_settings, load_with_origins
from cgrag_client.connecting.tokens import hash_of, is_local, token_of
from cgrag_client.errors import UsageError
from common.core.secrets.redaction import redact_known
from common.rpc.access.file import read_callers
from common.rpc.access.proofs import read_keys
from tests.fakes.suite_server import Script, SuiteServer


def test_the_token_comes_from_either_variable_or_a_file(tmp_path: Path) -> None:
    """The short name serves unless the long one is set; a file is read without its line end."""
    file = tmp_path / "token"
    file.write_text("from-file\n")
    both = {"CGRAG_TOKEN": "short", "CGRAG_CLIENT_TOKEN": "long"}
    _, origins = load_with_origins({"CGRAG_TOKEN": "short"})
    [origin] = [each for each in origins if each.name == "client.token"]

    assert load_settings({"CGRAG_TOKEN": "short"}).token == "short"
    assert load_settings(both).token == "long"
    assert (origin.value, origin.source) == ("(secret)", "CGRAG_TOKEN")
    assert token_of(load_settings({"CGRAG_CLIENT_TOKEN_FILE": str(file)})) == "from-file"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"token_file": "/no/such"}, "cannot be read"),
        ({"token": "a", "token_file": "/no/such"}, "both set"),
        ({"token": "two words"}, "without blanks"),
        ({"token": "line\n"}, "visible"),
    ],
)
def test_a_token_that_cannot_be_sent_is_refused(settings: dict[str, str], text: str) -> None:
    """Before anything is called, with the setting that is wrong."""
    with pytest.raises(UsageError, match=text):
        Client(ClientSettings(**settings))  # type: ignore[arg-type]


def test_settings_know_yes_and_no() -> None:
    """A switch is true or false in the usual words; anything else is told."""
    assert load_settings({"CGRAG_CLIENT_TOKEN_IN_CLEAR": "yes"}).token_in_clear
    assert not load_settings({"CGRAG_CLIENT_TOKEN_IN_CLEAR": "0"}).token_in_clear
    with pytest.raises(UsageError, match="expected true or false"):
        load_settings({"CGRAG_CLIENT_TOKEN_IN_CLEAR": "maybe"})


@pytest.mark.parametrize(
    ("target", "local"),
    [
        ("127.0.0.1:50054", True),
        ("127.9.9.9:1", True),
        ("localhost:50054", True),
        ("[::1]:50054", True),
        ("dns:///localhost:1", True),
        ("unix:/run/cgrag.sock", True),
        ("0.0.0.0:50054", False),
        ("10.0.0.1:50054", False),
        ("localhost.example.com:1", False),
        ("127.0.0.1.example.com:1", False),
        ("cgrag.internal:50054", False),
        ("dns:///cgrag.internal:50054", False),
        ("dns://127.0.0.1/cgrag.internal:50054", False),
    ],
)
def test_knows_what_stays_on_this_machine(target: str, local: bool) -> None:
    """Loopback addresses and sockets do; names that only look like them do not."""
    assert is_local(target) is local


async def test_a_token_does_not_leave_the_machine_in_the_clear() -> None:
    """Nothing is sent: neither a call nor a stream; without a token, or told so, it goes."""
    settings = ClientSettings(indexer="192.0.2.1:50051", orchestrator="192.0.2.1:50054", call_timeout_seconds=0.2)
    async with Client(replace(settings, token="x")) as client:
        with pytest.raises(UsageError, match="in the clear"):
            await client.indexes.repositories()
        with pytest.raises(UsageError, match="in the clear"):
            await client.answers.answer("Why?", repository="shop")
    changed: tuple[dict[str, Any], ...] = ({}, {"token": "x", "token_in_clear": True})
    for changes in changed:
        async with Client(replace(settings, **changes)) as client:
            with pytest.raises(ClientError):  # nobody is there, and it was tried
                await client.indexes.repositories()


async def test_the_token_of_a_file_is_sent(tmp_path: Path) -> None:
    """As with one that is set, with every call."""
    file = tmp_path / "token"
    file.write_text("from-file\n")
    with SuiteServer(Script()) as server:
        async with Client(ClientSettings(indexer=server.address, token_file=str(file))) as client:
            await client.indexes.repositories()

    assert server.metadata["authorization"] == "Bearer from-file"


def test_makes_a_token_whose_lines_let_it_in(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed for the access file is one, and knows the token that is printed above."""
    assert main(["token", "anna"]) == 0
    token, _, lines = capsys.readouterr().out.partition("\n")
    entry = read_callers(lines.encode()).with_token(token)
    assert main(["token", "anna", "--json"]) == 0
    other = json.loads(capsys.readouterr().out)

    assert entry is not None
    assert entry.name == "anna"
    assert tomllib.loads(lines)["callers"]["anna"]["repositories"] == []
    assert other["token"] != token
    assert hash_of(other["token"]) == other["token_sha256"]
    assert token not in lines
    assert redact_known(f"it is {token}, do not tell").text == "it is [redacted], do not tell"


def test_makes_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """A key is a line that services take, and another one each time."""
    made = []
    for _ in range(2):
        assert main(["token", "--key"]) == 0
        made.append(capsys.readouterr().out)

    assert len(read_keys(made[0].encode())) == 1
    assert made[0] != made[1]
