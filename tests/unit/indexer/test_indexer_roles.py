"""Files that only a word of their name makes tests, told by what they define."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.roles import is_test

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
