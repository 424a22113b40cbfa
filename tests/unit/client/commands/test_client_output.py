"""What the command line does where its output cannot go: a reader who left, a full disk, no stdout at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2

from tests.fakes.suite_server import Script, SuiteServer

ROOT = Path(__file__).parents[4]
FULL = Path("/dev/full")


INDEXED = Script(repositories=[indexer_pb2.Repository(repository="shop")])


def run(*arguments: str, redirect: str, script: Script = INDEXED) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that redirects its output; the shell ends with the command's code."""
    command = ["bash", "-c", f'"$@" {redirect}', "-", sys.executable, "-m", "cgrag_client", *arguments]
    with SuiteServer(script) as server:
        environ = {**os.environ, **{f"CGRAG_CLIENT_{name}": server.address for name in ("INDEXER", "ORCHESTRATOR")}}
        return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments", [("repos",), ("sessions", "--json"), ("--help",), ("up", "-h"), ("eval", "gaps", "-h")]
)
def test_a_reader_who_left_ends_it_quietly(arguments: tuple[str, ...]) -> None:
    """As with other tools, the code is that of SIGPIPE, and nothing is said."""
    done = run(*arguments, redirect="| true; exit ${PIPESTATUS[0]}")

    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [("repos",), ("repos", "--json")])
def test_a_full_disk_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    """Output that is lost is an error, without a traceback."""
    done = run(*arguments, redirect=f"> {FULL}")

    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")


@pytest.mark.parametrize("redirect", ["2> >(exec true)", "2>/dev/full", "2>&-", "<&-"])
def test_what_is_noted_beside_may_go_unheard(redirect: str) -> None:
    """Results are there although nobody reads, or nothing can hold, what is written on stderr."""
    done = run("findings", "--repo", "shop", redirect=redirect)
    listed = run("repos", redirect=redirect)

    assert (done.returncode, done.stdout) == (0, "")
    assert (listed.returncode, "shop" in listed.stdout) == (0, True)


def test_json_loses_no_letter_where_the_terminal_lacks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers get the same from a Latin-1 terminal and one of Unicode; there is nothing but ASCII on the former."""
    script = Script(repositories=[indexer_pb2.Repository(repository="shop → Ünï 😀")])
    told = []
    for encoding in ("utf-8", "iso-8859-1", "ascii"):
        monkeypatch.setenv("PYTHONIOENCODING", encoding)
        for arguments in (("repos", "--json"), ("status", "--json")):
            found = json.loads(run(*arguments, redirect="", script=script).stdout)
            told.append(found["repositories"][0]["repository"])

    assert told == ["shop → Ünï 😀"] * 6


def test_a_closed_stdout_is_none_to_write_to() -> None:
    """A daemon may start commands without any stdout; they do what they are to do."""
    done = run("repos", "--json", redirect=">&-")

    assert (done.returncode, done.stderr) == (0, "")
