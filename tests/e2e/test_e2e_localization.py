"""The evaluation of localization, as it runs on a machine of its own: services started for it, mirrors anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.git_repositories import git

CHECKOUT = Path(__file__).parents[2]
TAX = 'def add_tax(total):\n    """Add the tax to a total of the basket."""\n    return total * 1.19\n'


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Make a repository at mirrors/owner+name/repo and a file with one case of it."""
    repository = tmp_path / "mirrors" / "owner+name" / "repo"
    repository.mkdir(parents=True)
    git(repository, "init", "-q")
    (repository / "tax.py").write_text(TAX)
    (repository / "cart.py").write_text("def clear(cart):\n    cart.clear()\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Sell things")
    case = {
        "instance_id": "one",
        "repo": "owner/name",
        "base_commit": git(repository, "rev-parse", "HEAD"),
        "problem_statement": "Wrong tax\nThe tax of a basket is added twice to its total.",
        "gold_files": ["tax.py"],
        "gold_functions": ["tax.py::add_tax"],
    }
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n")
    return file


@pytest.mark.parametrize("only_checkouts", [False, True])
def test_reads_the_history_of_mirrors_outside_of_the_default_roots(
    cases: Path, tmp_path: Path, *, only_checkouts: bool
) -> None:
    """Ranking uses history: an indexer that may not read that of the mirror is told of, and by default it may."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    paths = os.pathsep.join((str(CHECKOUT), str(CHECKOUT / "protos" / "gen")))
    environ = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(scratch), "HOME": str(scratch)}
    if only_checkouts:
        environ["CGRAG_INDEXER_ALLOWED_ROOTS"] = str(scratch)

    run = subprocess.run(
        [sys.executable, "-m", "cgrag_client", "eval", "localization", "--cases", str(cases), "--json",
         "--mirrors", str(tmp_path / "mirrors"), "--data", str(tmp_path / "data")],
        cwd=CHECKOUT, env=environ, check=True, capture_output=True, text=True,
    )  # fmt: skip

    metrics = json.loads(run.stdout)
    assert metrics["failed"] == 0
    assert metrics["file_acc"]["1"] == metrics["function_acc"]["1"] == 1.0
    assert ("may not read its history" in run.stderr) == only_checkouts
