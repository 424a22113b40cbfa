"""Files that only a word of their name makes tests, told by what they define."""

from __future__ import annotations

import pytest

from common.core.contract.snapshot import FileRole
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.roles import is_test, role_of

TESTS_OF_A_TEMPLATE = 'def test_odd(value: int) -> bool:\n    """Whether it is odd."""\n    return value % 2 == 1\n'


def judged(path: str, text: str) -> bool:
    return is_test(path, PythonLanguage().parse(path, "pkg.module", text))


@pytest.mark.parametrize(
    "text",
    [
        "def test_sum():\n    assert 1 + 1 == 2\n",
        "@pytest.mark.parametrize('x', [1])\ndef test_sum(x):\n    check(x)\n",
        "class SumTest(Base):\n    def test_sum(self):\n        self.check(1)\n",
        "class SeleniumTestCase(StaticLiveServerTestCase):\n    def wait(self):\n        pass\n",
        "from pkg.more_tests import *\n",
        "def test_sum(:\n",
    ],
    ids=["assertion", "mark", "method", "base class", "nothing defined", "syntax error"],
)
@pytest.mark.parametrize("path", ["pkg/tests.py", "pkg/sum_test.py"])
def test_files_of_tests_stay_tests(path: str, text: str) -> None:
    """One test is enough, by the conventions of unittest and pytest; where nothing is defined the name decides."""

    assert judged(path, text)


@pytest.mark.parametrize("path", ["jinja2/tests.py", "pkg/find_tests.py", "pkg/lint_test.py"])
@pytest.mark.parametrize("text", [TESTS_OF_A_TEMPLATE, "def find(folder):\n    assert folder\n    return []\n"])
def test_code_that_is_named_like_tests_is_no_test(path: str, text: str) -> None:
    """Functions that test a value, or that find tests, are code."""

    assert not judged(path, text)


@pytest.mark.parametrize("path", ["tests/values.py", "tests/tests.py", "test_values.py", "src/test/tests.py"])
def test_folders_and_leading_words_of_tests_need_no_test_inside(path: str) -> None:
    """What helps tests is part of them."""

    assert judged(path, TESTS_OF_A_TEMPLATE)


def test_a_folder_t_holds_tests_at_the_root_only() -> None:
    """What is below `t` helps tests, as Perl's custom is and that of some packages of Python."""

    assert judged("t/unit/helpers.py", "class Mocked:\n    pass\n")
    assert not judged("pkg/t/helpers.py", "class Mocked:\n    pass\n")


@pytest.mark.parametrize(
    ("path", "is_code", "role"),
    [
        # A file of code has the role of its folder. Whatever shows the code goes before what serves it; a
        # file that bears such a word in its name is code.
        ("shop/cart.py", True, FileRole.CODE),
        ("shop/documents.py", True, FileRole.CODE),
        ("shop/sdk.py", True, FileRole.CODE),
        ("src/history/store.py", True, FileRole.CODE),
        ("src/main/java/org/acme/samples/Cart.java", True, FileRole.CODE),
        ("examples/shop/src/main/java/Cart.java", True, FileRole.EXAMPLE),
        ("examples/cart.py", True, FileRole.EXAMPLE),
        ("shop_examples/cart.py", True, FileRole.EXAMPLE),
        ("vendor/ink/examples/a.py", True, FileRole.EXAMPLE),
        ("docs/conf.py", True, FileRole.DOCUMENTATION),
        ("Docs/conf.py", True, FileRole.DOCUMENTATION),
        ("pkg/benchmarks/run.go", True, FileRole.BENCHMARK),
        ("axle/benches/run.rs", True, FileRole.BENCHMARK),
        ("profiling/dict_big.py", True, FileRole.BENCHMARK),
        ("docs_src/cart.py", True, FileRole.DOCUMENTATION),
        ("build/tasks.js", True, FileRole.SUPPORT),
        ("fuzz/parse.rs", True, FileRole.SUPPORT),
        ("src/build/plan.js", True, FileRole.CODE),
        ("tools/release.py", True, FileRole.TOOL),
        ("src/bin/shop/main.rs", True, FileRole.CODE),
        ("bin/release.js", True, FileRole.SUPPORT),
        ("rollup.config.mjs", True, FileRole.SUPPORT),
        ("gulpfile.js", True, FileRole.SUPPORT),
        ("src/app.config.ts", True, FileRole.CODE),
        (".github/release.py", True, FileRole.SUPPORT),
        ("setup.py", True, FileRole.SUPPORT),
        ("shop/_vendor/yaml.py", True, FileRole.VENDORED),
        ("api/generated/client.ts", True, FileRole.GENERATED),
        ("shop/cart.pyi", True, FileRole.STUB),
        ("types/index.d.ts", True, FileRole.STUB),
        # A list of changes is known by its whole name. But for a version and an extension; other prose is
        # documentation, or prose where it stands alone.
        ("History.md", False, FileRole.CHANGES),
        ("CHANGES", False, FileRole.CHANGES),
        ("docs/changelog.rst", False, FileRole.CHANGES),
        ("docs/history/5.0.rst", False, FileRole.CHANGES),
        ("doc/whatsnew-4.0.rst", False, FileRole.CHANGES),
        ("NEWS.txt", False, FileRole.CHANGES),
        ("docs/exchanges.md", False, FileRole.DOCUMENTATION),
        ("docs/newsletter.md", False, FileRole.DOCUMENTATION),
        ("docs/history-api.md", False, FileRole.DOCUMENTATION),
        ("releaser.md", False, FileRole.PROSE),
        ("README.md", False, FileRole.PROSE),
        ("shop.toml", False, FileRole.CODE),
    ],
)
def test_a_file_has_the_role_of_its_place(path: str, is_code: bool, role: FileRole) -> None:
    """Code by its folder, prose by its name."""
    assert role_of(path, is_code=is_code) == role
