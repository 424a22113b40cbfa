"""Modules of packages, read as attributes of what was imported."""

from __future__ import annotations

import pytest

from tests.unit.indexer.found_calls import found_calls

PACKAGE = {
    "shop/__init__.py": "",
    "shop/till.py": "def pay(): pass\n",
    "shop/bank.py": "def pay(): pass\n",
}


@pytest.mark.parametrize(
    "main",
    [
        "import shop.till\nimport shop.bank\ndef main(): shop.till.pay()\n",
        "import shop\nimport shop.till\ndef main(): shop.till.pay()\n",
        "import shop\ndef main():\n    import shop.bank, shop.till\n    shop.till.pay()\n",
        "import shop as s\nimport shop.till\ndef main():\n    place = s\n    place.till.pay()\n",
    ],
)
def test_a_submodule_is_an_attribute_of_its_package(main: str) -> None:
    """What it calls is told apart from a function of that name in the module beside it."""
    assert found_calls({**PACKAGE, "main.py": main}) == {"main.main": {"shop.till.pay"}}


def test_what_a_package_defines_hides_its_submodule() -> None:
    """A name that the package binds itself wins over the module of that name."""
    files = {**PACKAGE, "shop/__init__.py": "from shop import bank as till\n"}

    assert found_calls({**files, "main.py": "import shop\ndef main(): shop.till.pay()\n"}) == {
        "main.main": {"shop.bank.pay"}
    }
