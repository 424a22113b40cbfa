"""Reports of public projects become cases: what is kept of their text, and which of them count."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.collect_changes import History
from scripts.collect_reports import Report, case_of, read_reports, with_markup
from tests.fakes.git_repositories import commit_all


def test_blocks_of_code_and_headings_are_written_as_markdown() -> None:
    """Only what names the markup goes; the one blank that leads each line of a page does too."""
    text = (
        "It fails\n <denchmark-h:h3>How</denchmark-h>\n <denchmark-code>cart.add()\n </denchmark-code>\n then nothing"
    )

    lines = [line for line in with_markup(text).split("\n") if line]

    assert lines == ["It fails", "### How", "```", "cart.add()", "```", "then nothing"]


def test_each_fix_counts_once_and_reports_without_one_do_not(tmp_path: Path) -> None:
    """Two reports of one fix would be one case told twice."""
    for number, fix in (("1", "abc"), ("2", "abc"), ("3", None)):
        found = {
            "BR": {"BR_id": number, "BR_text": {"BRsummary": "It fails", "BRdescription": "often"}},
            "commit": {"commit_id": fix} if fix else {},
        }
        (tmp_path / f"{number}.json").write_text(json.dumps(found), encoding="utf-8")

    assert list(read_reports(tmp_path)) == [Report("1", "It fails\noften", "abc")]


def test_a_case_names_what_its_fix_changed_in_the_commit_before(tmp_path: Path) -> None:
    """Functions are those of the lines that changed, in files that are no tests."""
    history = _history(tmp_path)
    before, after = history.git("rev-list", "--reverse", "HEAD").split()

    found = case_of("shop/shop", history, Report("7", "Adding an item twice counts it once", after))

    assert found is not None
    assert found[1]["base_commit"] == before
    assert found[1]["gold_files"] == ["cart.py"]
    assert found[1]["gold_functions"] == ["cart.py::Cart.add"]


def test_a_fix_that_the_mirror_lacks_makes_no_case(tmp_path: Path) -> None:
    """Mirrors may be younger or older than the data."""
    assert case_of("shop/shop", _history(tmp_path), Report("7", "Adding an item fails at times", "f" * 40)) is None


def _history(folder: Path) -> History:
    for times in ("1", "2"):
        (folder / "cart.py").write_text(
            f"class Cart:\n    def add(self):\n        self.n += {times}\n", encoding="utf-8"
        )
        (folder / "test_cart.py").write_text(f"def test_add():\n    assert {times}\n", encoding="utf-8")
        commit_all(folder, f"Add {times}")
    return History(folder)
