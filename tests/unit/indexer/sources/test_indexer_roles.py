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
    ("path", "role"),
    [
        ("shop/cart.py", FileRole.CODE),
        ("shop/documents.py", FileRole.CODE),
        ("shop/sdk.py", FileRole.CODE),
        ("src/history/store.py", FileRole.CODE),
        ("src/main/java/org/acme/samples/Cart.java", FileRole.CODE),
        ("examples/shop/src/main/java/Cart.java", FileRole.EXAMPLE),
        ("examples/cart.py", FileRole.EXAMPLE),
        ("shop_examples/cart.py", FileRole.EXAMPLE),
        ("vendor/ink/examples/a.py", FileRole.EXAMPLE),
        ("docs/conf.py", FileRole.DOCUMENTATION),
        ("Docs/conf.py", FileRole.DOCUMENTATION),
        ("pkg/benchmarks/run.go", FileRole.BENCHMARK),
        ("axle/benches/run.rs", FileRole.BENCHMARK),
        ("profiling/dict_big.py", FileRole.BENCHMARK),
        ("docs_src/cart.py", FileRole.DOCUMENTATION),
        ("build/tasks.js", FileRole.SUPPORT),
        ("src/build/plan.js", FileRole.CODE),
        ("tools/release.py", FileRole.TOOL),
        ("src/bin/shop/main.rs", FileRole.CODE),
        ("bin/release.js", FileRole.SUPPORT),
        ("rollup.config.mjs", FileRole.SUPPORT),
        ("gulpfile.js", FileRole.SUPPORT),
        ("src/app.config.ts", FileRole.CODE),
        (".github/release.py", FileRole.SUPPORT),
        ("setup.py", FileRole.SUPPORT),
        ("shop/_vendor/yaml.py", FileRole.VENDORED),
        ("api/generated/client.ts", FileRole.GENERATED),
        ("shop/cart.pyi", FileRole.STUB),
        ("types/index.d.ts", FileRole.STUB),
    ],
)
def test_a_file_of_code_has_the_role_of_its_folder(path: str, role: FileRole) -> None:
    """Whatever shows the code goes before what serves it; a file that bears such a word in its name is code."""
    assert role_of(path, is_code=True) == role


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("History.md", FileRole.CHANGES),
        ("CHANGES", FileRole.CHANGES),
        ("docs/changelog.rst", FileRole.CHANGES),
        ("docs/history/5.0.rst", FileRole.CHANGES),
        ("doc/whatsnew-4.0.rst", FileRole.CHANGES),
        ("NEWS.txt", FileRole.CHANGES),
        ("docs/exchanges.md", FileRole.DOCUMENTATION),
        ("docs/newsletter.md", FileRole.DOCUMENTATION),
        ("docs/history-api.md", FileRole.DOCUMENTATION),
        ("releaser.md", FileRole.PROSE),
        ("README.md", FileRole.PROSE),
        ("shop.toml", FileRole.CODE),
    ],
)
def test_a_list_of_changes_is_known_by_its_whole_name(path: str, role: FileRole) -> None:
    """But for a version and an extension; other prose is documentation, or prose where it stands alone."""
    assert role_of(path, is_code=False) == role
