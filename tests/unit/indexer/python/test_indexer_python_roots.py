"""How Python files are named, and where imports lead, in trees of every shape."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.adapters.languages.python.modules import module_names
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import EdgeKind
from tests.unit.indexer.read_units import units_of

TREE = {
    "setup.py": "",
    "src/shop/cart.py": "",
    "src/shop/bank/__init__.py": "",
    "src/shop/bank/ask.py": "from shop.cart import Cart\n",
    "src/flask/__init__.py": "",
    "src/flask/app.py": "",
    "src/one/setup.py": "",
    "src/one/pay/__init__.py": "",
    "src/space/cloud/__init__.py": "",
    "tools/run.py": "import helper\n",
    "tools/helper.py": "",
    "tools/kit/__init__.py": "",
    "lib/words.py": "",
    "main.py": "from lib.words import spell\n",
}


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
        ("tools/helper.py", "tools.helper"),
        ("tools/kit/__init__.py", "kit"),
        ("lib/words.py", "lib.words"),
    ],
)
def test_a_file_is_named_as_the_imports_of_the_tree_name_it(path: str, name: str) -> None:
    """No folder's name makes it a root: imports do, and the regular packages in it."""
    assert module_names(TREE, {})[path] == name


def test_folders_of_a_namespace_package_are_part_of_the_name_in_each_project() -> None:
    """One project's imports say what the folders of the others are, also where only the innermost is a package."""
    tree = {
        "libs/a/acme/store/pg/__init__.py": "",
        "libs/a/acme/store/pg/base.py": "class S: ...\n",
        "libs/b/acme/check/pg/__init__.py": "from acme.store.pg.base import S\n",
        "libs/c/acme/mail/smtp/__init__.py": "",
        "libs/c/acme/mail/smtp/send.py": "",
    }
    manifests = {f"libs/{each}/pyproject.toml": "" for each in "abc"}

    names = module_names(tree, manifests)

    assert names["libs/a/acme/store/pg/base.py"] == "acme.store.pg.base"
    assert names["libs/c/acme/mail/smtp/send.py"] == "acme.mail.smtp.send"


def test_an_edit_keeps_the_names_that_the_whole_tree_gave() -> None:
    """A new file is named from the root of its neighbours; nothing else is read."""
    known = module_names(TREE, {})
    texts = dict.fromkeys([*TREE, "src/shop/tax.py", "src/flask/json/__init__.py", "new.py"], "def broken(")

    names = module_names(texts, {}, known)

    assert {path: names[path] for path in TREE} == known
    assert names["src/shop/tax.py"] == "shop.tax"
    assert names["src/flask/json/__init__.py"] == "flask.json"
    assert names["new.py"] == "new"


def imported(tree: dict[str, str]) -> dict[str, list[str]]:
    """Link a tree and return the paths that each file's imports lead to, or the names of what is outside."""
    units = units_of(PythonLanguage(), tree)
    found: dict[str, list[str]] = {}
    for edge in FlowLinker(PythonSemantics()).link(units).edges:
        if edge.kind == EdgeKind.IMPORT:
            target = units[edge.target[0]].path if edge.target else edge.target_name
            found.setdefault(units[edge.source[0]].path, []).append(target)
    return found


def test_a_relative_import_never_leaves_its_own_package() -> None:
    """Two services have a package of the same name: each imports its own, and what it lacks is outside."""
    tree = {
        "services/api/app/__init__.py": "",
        "services/api/app/h.py": "def h(): ...\ndef only(): ...\n",
        "services/api/app/extra.py": "x = 1\n",
        "services/web/app/__init__.py": "",
        "services/web/app/h.py": "def h(): ...\n",
        "services/web/app/main.py": "from .h import h\nfrom .extra import x\nfrom . import h as module\n",
    }

    assert imported(tree)["services/web/app/main.py"] == [
        "services/web/app/h.py",
        "app.extra.x",
        "services/web/app/h.py",
    ]


def test_an_absolute_import_means_the_nearest_of_several_packages_of_one_name() -> None:
    """Each project of a monorepo has its `tests`; the importing file's own is meant."""
    tree = {
        "libs/a/tests/__init__.py": "",
        "libs/a/tests/helper.py": "def help(): ...\n",
        "libs/b/tests/__init__.py": "",
        "libs/b/tests/helper.py": "def help(): ...\n",
        "libs/b/tests/test_b.py": "from tests.helper import help\nimport tests.helper\n",
    }

    assert set(imported(tree)["libs/b/tests/test_b.py"]) == {"libs/b/tests/helper.py", "libs/b/tests/__init__.py"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import src.models.net\nsrc.models.net.Net()\n", ["src", "src/models/net.py"]),
        ("from src.models.net import Net\n", ["src/models/net.py"]),
        ("from src.models import net\n", ["src/models/net.py"]),
        ("from models.net import Net\n", ["src/models/net.py"]),
        ("import requests\n", ["requests"]),
        ("import email.utils\n", ["email", "email.utils"]),
        ("import words\n", ["words"]),
    ],
    ids=["import", "from module", "from folder", "from another root", "outside", "standard library", "no root"],
)
def test_an_import_leads_to_the_file_that_its_name_ends(text: str, expected: list[str]) -> None:
    """A file can be imported from several roots; a single name below any folder proves nothing."""
    tree = {
        "src/models/net.py": "class Net: ...\n",
        "cache/requests.py": "",
        "app/email/utils.py": "",
        "tools/words.py": "",
        "app/use.py": text,
    }

    assert imported(tree)["app/use.py"] == expected


def test_what_a_test_puts_in_the_place_of_an_import_is_not_what_it_imports() -> None:
    """The import of something outside stays outside."""
    tree = {
        "pkg/__init__.py": "",
        "pkg/cache.py": "from outside import swr as _swr\n",
        "tests/test_it.py": "import pkg.cache\ndef fake(): ...\npkg.cache._swr = fake\n",
    }

    assert imported(tree)["pkg/cache.py"] == ["outside.swr"]
