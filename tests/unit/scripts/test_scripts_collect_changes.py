"""Commits become cases: which files count as code, and which functions they changed."""

from __future__ import annotations

from pathlib import Path

from scripts.collect_changes import PYTHON, History, all_code, case_of
from tests.fakes.git_repositories import commit_all

BEFORE = {
    "cart.go": "package shop\n\nfunc (c *Cart) Add() int {\n\treturn 1\n}\n\nfunc Total() int {\n\treturn 0\n}\n",
    "cart_test.go": "package shop\n\nfunc TestAdd() {\n\tfail(1)\n}\n",
    "cart.py": "class Cart:\n    def add(self):\n        def one():\n            return 1\n        return one()\n",
    "package.json": '{"version": "1"}\n',
}


def test_a_change_of_python_names_the_outermost_function(tmp_path: Path) -> None:
    """A function in another one is part of it; files in other languages are no code then."""
    history, base, change = _changed(tmp_path)

    found = case_of("shop/shop", history, base, change, PYTHON)

    assert found is not None
    assert (found["gold_files"], found["gold_functions"]) == (["cart.py"], ["cart.py::Cart.add"])


def test_a_change_of_all_languages_leaves_out_tests_and_configuration(tmp_path: Path) -> None:
    """Code is what is indexed as such, by its language's own rule for tests."""
    history, base, change = _changed(tmp_path)

    found = case_of("shop/shop", history, base, change, all_code())

    assert found is not None
    assert found["gold_files"] == ["cart.go", "cart.py"]
    assert found["gold_functions"] == ["cart.go::Cart.Add", "cart.py::Cart.add"]


def _changed(folder: Path) -> tuple[History, str, str]:
    """Make a history in which every 1 becomes a 2, and return it with both commits."""
    for digit in "12":
        for name, text in BEFORE.items():
            (folder / name).write_text(text.replace("1", digit), encoding="utf-8")
        commit_all(folder, f"Count every item {digit} times")
    history = History(folder)
    base, change = history.git("rev-list", "--reverse", "HEAD").split()
    return history, base, change
