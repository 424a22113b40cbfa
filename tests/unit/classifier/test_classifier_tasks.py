"""What a text wants done, and its scope."""

from __future__ import annotations

import pytest

from classifier.domain.anchors import find_anchors
from classifier.domain.scope import find_scope
from classifier.domain.tasks import task_type
from classifier.domain.values import TaskType


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("How does the cache work?", TaskType.QUESTION),
        ("Fix the crash when the list is empty", TaskType.BUG_FIX),
        ("Uploads fail with a timeout", TaskType.BUG_FIX),
        ("ValueError: bad value", TaskType.BUG_FIX),
        ("Add a --json option to check", TaskType.FEATURE),
        ("We need to support Python 3.13", TaskType.FEATURE),
        ("A quiet mode would be useful in hooks", TaskType.FEATURE),
        ("Refactor the settings module", TaskType.REFACTORING),
        ("Please rename foo to bar", TaskType.REFACTORING),
        ("Write unit tests for the parser", TaskType.TEST),
        ("Update the README", TaskType.DOCUMENTATION),
        ("Document the storage API", TaskType.DOCUMENTATION),
        ("Make the import faster", TaskType.PERFORMANCE),
        ("Reduce memory used by the index", TaskType.PERFORMANCE),
        ("the garden is green", None),
    ],
)
def test_task_type(text: str, wanted: TaskType | None) -> None:
    """The opening decides, then signs of failure or of a wish; a text that tells nothing has no type."""
    assert task_type(text, find_anchors(text)) is wanted


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Which classes in the `auth` module are too large?", "auth"),
        ("Find cycles within django.contrib.admin", "django.contrib.admin"),
        ("Are there god functions under src/core/?", "src/core/"),
        ("Evaluate the separation of concerns in package billing.tax", "billing.tax"),
        ("Point out the worst of what is under src/core.", "src/core"),
        ("How is the code organised in the same module?", ""),
        ("How are maps made in the Java library?", ""),
        ("What would it take to split the sessions of the httpkit library?", ""),
        ("Why does it fail? " + "x " * 1000 + "It is in the `auth` module.", ""),
        ("What does it do in this package?", ""),
        ("How does login work?", ""),
    ],
)
def test_scope(question: str, scope: str) -> None:
    """A place counts when the question says that it is one; words such as "this" are no place."""
    assert find_scope(question) == scope
