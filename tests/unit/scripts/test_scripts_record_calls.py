"""Recording calls: what a small package does while its tests run, by the names that the scorer knows."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.fakes.git_repositories import commit_all

SCRIPT = Path(__file__).parents[3] / "scripts" / "record_calls.py"
SHOP = """
import functools
import threading


class Base:
    kinds = [kind for kind in map(lambda kind: kind, ("a", "b"))]

    def __init__(self):
        self.rows = [self.row(number) for number in (1, 2)]

    def row(self, number):
        return number


class Cart(Base):
    def lines(self):
        yield self.row(3)

    def __getattr__(self, name):
        return functools.partial(price, key=lambda cart: name)


def price(cart, key):
    def inner():
        return key(cart)

    return inner()


def work():
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()


def use():
    cart = Cart()
    sorted(list(cart.lines()), key=lambda row: cart.row(row))
    cart.total(cart)


def unused():
    use()
"""
RUN = "import sys, shop.cart as cart\ncart.work()\nsys.exit(sys.argv[1])\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Lay out a repository with one package, and a program that uses it and fails."""
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from shop import cart\n", encoding="utf-8")
    (package / "cart.py").write_text(textwrap.dedent(SHOP), encoding="utf-8")
    (tmp_path / "src" / "run.py").write_text(RUN, encoding="utf-8")
    commit_all(tmp_path)
    return tmp_path


def test_direct_calls_are_written_as_a_case_however_the_command_ends(repository: Path) -> None:
    """Calls through C code and in threads count; generators do not, nor what lies outside of the package."""
    options = ["--package", "shop", "--repository", "a/shop", "--out", "case.json"]

    command = [sys.executable, str(SCRIPT), *options, "--", "-m", "run", "3"]
    ended = subprocess.run(command, cwd=repository / "src", check=False, capture_output=True, text=True)

    case = json.loads((repository / "src" / "case.json").read_text(encoding="utf-8"))
    assert (ended.returncode, ended.stderr.strip()) == (1, "3")
    assert (case["repo"], case["source_root"], len(case["commit"])) == ("a/shop", "src/shop", 40)
    assert case["edges"] == {
        "shop.cart": ["shop.cart.Base.<lambda1>"],
        "shop.cart.Base.__init__": ["shop.cart.Base.row"],
        "shop.cart.Cart.lines": ["shop.cart.Base.row"],
        "shop.cart.price": ["shop.cart.price.inner"],
        "shop.cart.price.inner": ["shop.cart.Cart.__getattr__.<lambda1>"],
        "shop.cart.use": [
            "shop.cart.Base.__init__",
            "shop.cart.Cart.__getattr__",
            "shop.cart.price",
            "shop.cart.use.<lambda1>",
        ],
        "shop.cart.use.<lambda1>": ["shop.cart.Base.row"],
    }
    assert case["suspending"] == ["shop.cart.Cart.lines"]
