"""From which folder on a Python file is named."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.python.modules import module_names

PATHS = (
    "src/shop/cart.py",
    "src/shop/bank/__init__.py",
    "src/shop/bank/ask.py",
    "src/flask/__init__.py",
    "src/flask/app.py",
    "src/one/setup.py",
    "src/one/pay/__init__.py",
    "src/space/cloud/__init__.py",
    "tools/run.py",
    "tools/kit/__init__.py",
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/shop/cart.py", "shop.cart"),
        ("src/shop/bank/__init__.py", "shop.bank"),
        ("src/shop/bank/ask.py", "shop.bank.ask"),
        ("src/flask/app.py", "flask.app"),
        ("src/one/pay/__init__.py", "pay"),
        ("src/space/cloud/__init__.py", "cloud"),
        ("tools/run.py", "tools.run"),
        ("tools/kit/__init__.py", "kit"),
    ],
)
def test_a_package_without_its_file_is_one_where_modules_stand_beside_its_packages(path: str, name: str) -> None:
    """Below `src` imports begin there, so that what they name is found; a project in it has a root of its own."""
    assert module_names(PATHS)[path] == name
