"""The command line with the real services behind it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cgrag.orchestrator.v1 import orchestrator_pb2
from google.protobuf.json_format import ParseDict

from tests.e2e.four_services import ROOT, SHOP, FourServices
from tests.e2e.ports import free_port
from tests.fakes.git_repositories import commit_all, git

SECONDS = 120
NOWHERE = "http://127.0.0.1:9"


def cgrag(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("CGRAG_", "ANTHROPIC_"))}
    path = os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))
    return subprocess.run(
        [sys.executable, "-m", "cgrag_client", *arguments],
        env=plain | {"PYTHONPATH": path} | settings,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_prints_an_answer_as_events(suite: FourServices) -> None:
    """`ask --json` prints one event a line; the last is `completed` with all that scripts need."""
    run = cgrag("ask", "What does the discount function do?", "--repo", "shop", "--json", **suite.addresses())

    assert run.returncode == 0, run.stderr
    events = [ParseDict(json.loads(line), orchestrator_pb2.AnswerEvent()) for line in run.stdout.splitlines()]
    answer = json.loads(run.stdout.splitlines()[-1])["completed"]["answer"]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert {"text", "citations", "metadata", "confidence"} <= answer.keys()
    assert {"passes", "stopReason", "usage"} <= answer["metadata"].keys()


def test_tells_what_is_not_there(suite: FourServices) -> None:
    """An unknown repository ends with 4 and the next step."""
    run = cgrag("ask", "What is it?", "--repo", "nowhere", **suite.addresses())

    assert run.returncode == 4
    assert "nowhere" in run.stderr
    assert "cgrag index" in run.stderr
    assert run.stdout == ""


def test_looks_into_the_index(suite: FourServices) -> None:
    """`search`, `symbol`, `read` and `explain` show what the index holds."""
    addresses = suite.addresses()
    search = cgrag("search", "reserve stock", "--repo", "shop", **addresses)
    symbol = cgrag("symbol", "Warehouse.reserve", "--repo", "shop", **addresses)
    place = symbol.stdout.split()[0]
    read = cgrag("read", place, "--repo", "shop", **addresses)
    explain = cgrag("explain", "Why do I get OutOfStock?", "--repo", "shop", **addresses)

    assert "shop/warehouse.py" in search.stdout
    assert place.startswith("shop/warehouse.py:")
    assert read.stdout.lstrip().startswith("def reserve")
    assert "DIAGNOSTIC" in explain.stdout


def test_runs_the_suite_in_the_background(tmp_path: Path) -> None:
    """`up --detach`, again, `status`, `index`, `ask`, `down`: the whole day of one person, behind a proxy."""
    ports = {name: free_port() for name in ("INDEXER", "CLASSIFIER", "RETRIEVER", "ORCHESTRATOR")}
    settings = {f"CGRAG_{name}_PORT": str(port) for name, port in ports.items()}
    settings |= {f"CGRAG_{name}_METRICS_PORT": "0" for name in ports}
    settings |= {"CGRAG_DATA_DIR": str(tmp_path / "data"), "http_proxy": NOWHERE, "grpc_proxy": NOWHERE}
    shop = tmp_path / "shop"
    shutil.copytree(SHOP, shop)
    commit_all(shop)
    git(shop, "tag", "v1")
    (shop / "new.py").write_text("def added_later():\n    return 1\n")
    commit_all(shop)
    up = cgrag("up", "--detach", **settings)
    try:
        again = [cgrag("up", **settings), cgrag("up", "--detach", **settings)]
        status = cgrag("status", **settings)
        check = cgrag("config", "check", "--changed", "--json", **{**settings, "CGRAG_INDEXER_PORT": "1"})
        index = cgrag("index", str(shop), "--no-vectors", "--check", **settings)
        tagged = cgrag("index", str(shop), "--revision", "v1", "--name", "shop-v1", "--no-vectors", **settings)
        ask = cgrag("ask", "What does the discount function do?", "--repo", "shop", **settings)
        (shop / "shop" / "pricing.py").write_text((SHOP / "shop" / "pricing.py").read_text() + "\n# later\n")
        # An answer does not wait for what an indexer on a busy machine says late.
        asked = (cgrag("ask", "What does the discount function do?", "--repo", "shop", **settings) for _ in range(3))
        stale = next((each.stdout for each in asked if "Changed since indexed" in each.stdout), "")
        later = [cgrag("symbol", "added_later", "--repo", name, **settings) for name in ("shop", "shop-v1")]
    finally:
        down = cgrag("down", **settings)
    after = cgrag("status", **settings)

    assert (up.returncode, status.returncode, index.returncode, ask.returncode) == (0, 0, 0, 0), up.stderr
    assert [each.returncode for each in again] == [0, 0]
    assert all("Already running as process" in each.stderr for each in again)
    assert {"indexer.port", "orchestrator.retriever"} <= {
        row["name"] for row in json.loads(check.stdout)["settings"] if row["source"] == "cgrag up"
    }
    assert f'"value": "{ports["INDEXER"]}"' in check.stdout, "what runs is told, not what the next start would take"
    assert "✓ shop indexed" in index.stdout
    assert "✓ shop-v1 indexed" in tagged.stdout, tagged.stderr
    assert [each.returncode for each in later] == [0, 4]
    assert "0 violations in" in index.stdout
    assert "shop/pricing.py" in ask.stdout
    assert "Changed since indexed" not in ask.stdout
    assert "Changed since indexed: shop/pricing.py. `cgrag index` brings" in stale
    assert down.returncode == 0
    assert after.returncode == 3


def test_does_everything_at_once(tmp_path: Path) -> None:
    """`demo` starts the services, indexes, answers on stdout and leaves nothing running."""
    run = cgrag(
        *("demo", "--repo", str(SHOP), "--question", "Trace what happens when a cart is checked out"),
        CGRAG_DATA_DIR=str(tmp_path / "data"),
    )

    assert run.returncode == 0, run.stderr
    assert "## Citations" in run.stdout
    assert "shop/checkout.py" in run.stdout
    assert "EXPLORATORY" in run.stderr


def test_asks_what_fits_the_repository(tmp_path: Path) -> None:
    """`make run REPO=x` without a question: one about a type of x, which x answers."""
    run = cgrag("demo", "--repo", str(SHOP), CGRAG_DATA_DIR=str(tmp_path / "data"))

    assert run.returncode == 0, run.stderr
    [question] = [line for line in run.stderr.splitlines() if line.startswith("● What does")]
    assert f"`{question.split()[3]}`" in run.stdout
