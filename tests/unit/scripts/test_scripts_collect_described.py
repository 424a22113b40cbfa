"""Messages that tell a failure become reports: what is told, which are taken, and which commits are indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.collect_changes import History
from scripts.collect_described import FIRST_BASE, Spread, case_of, described
from tests.fakes.git_repositories import commit_all

TOLD = (
    "Keep the cart when the session expires\n\n"
    "A cart was lost with an error as soon as its session had expired, since items\n"
    "were kept by the number of the session. Whoever came back saw an empty cart,\n"
    "and the totals of the day were wrong.\n"
)


def test_a_message_is_told_without_trailers_links_and_numbers() -> None:
    """They say nothing of the failure, and a number of another report would be looked for in code."""
    message = f"{TOLD}\nSee https://example.org/7\nCloses-Bug: #12\nChange-Id: I99\nSigned-off-by: A <a@example.org>\n"

    told = described(message)

    assert told.startswith("Keep the cart")
    assert told.endswith("See")


@pytest.mark.parametrize(
    "message",
    [
        "Fix the error of the cart",
        TOLD.replace("error", "notice").replace("wrong", "low"),
        f"Revert the change of the cart\n{TOLD}",
        "Fix " + "x" * 200,
    ],
    ids=["short", "no failure", "taken back", "one line"],
)
def test_what_is_no_failure_told_at_length_is_left_out(message: str) -> None:
    """Such a message is no report."""
    assert described(message) == ""


def test_a_change_is_a_case_with_the_functions_that_it_changed(tmp_path: Path) -> None:
    """The functions are those of the commit before."""
    history, (base, change, _) = _history(tmp_path)

    found = case_of("shop/shop", history, base, change)

    assert found is not None
    assert (found["base_commit"], found["gold_functions"]) == (base, ["cart.py::Cart.add"])


def test_a_change_outside_functions_is_no_case(tmp_path: Path) -> None:
    """There would be nothing to find."""
    history, (base, _, last) = _history(tmp_path)

    assert case_of("shop/shop", history, base, last) is None


def test_bases_are_spread_over_the_later_half_and_none_is_too_young() -> None:
    """The newest comes first; each is followed by its changes."""
    line = [str(number) for number in range(1000)]

    bases = [base for base, _ in Spread(3, 80).over(line)]

    assert bases == ["919", "777", "635"]
    assert [changes for _, changes in Spread(1, 2).over(line)] == [["998", "999"]]
    assert list(Spread(3, 80).over(line[: FIRST_BASE + 80])) == []


def _history(folder: Path) -> tuple[History, list[str]]:
    for text in (
        "def add(self):\n        return 1\n",
        "def add(self):\n        return 2\n",
        "def add(self):\n        return 2\n\n    size = 2\n",
    ):
        (folder / "cart.py").write_text(f"class Cart:\n    {text}", encoding="utf-8")
        commit_all(folder, TOLD)
    history = History(folder)
    return history, history.git("rev-list", "--reverse", "HEAD").split()
