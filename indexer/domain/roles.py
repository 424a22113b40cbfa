"""What a file is for, told by its path."""

from __future__ import annotations

import re
from itertools import pairwise

_TEST_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "testdata", "test_data"})
_ROOT_TEST_FOLDERS = frozenset({"test", "testing"})
_TEST_NAME = re.compile(
    r"""(test_.*|.*_tests?|tests|conftest)\.pyi?   # Python
    |.*[._-](test|spec)\.[cm]?[jt]sx?              # JavaScript, TypeScript
    |.*_test\.(go|rs|c|cc|cpp|rb)                  # Go and those that follow it
    |.*(Test|Tests|TestCase|IT)\.(java|cs|php)     # Java and those that follow it
    |.*_spec\.rb""",
    re.VERBOSE,
)


def is_test(path: str) -> bool:
    """
    Tell whether a file tests other code.

    A folder named `test` counts at the root or below `src` only: deeper ones are often part of a library
    (`django/test`).
    """
    *folders, name = path.split("/")
    if any(folder in _TEST_FOLDERS for folder in folders) or _TEST_NAME.fullmatch(name):
        return True
    if folders and folders[0] in _ROOT_TEST_FOLDERS:
        return True
    return any(pair == ("src", "test") for pair in pairwise(folders))
