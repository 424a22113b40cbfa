"""Which modules may have regular expressions."""

from __future__ import annotations

import pytest

from scripts.check_patterns import findings, has_patterns


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("import re\n", True),
        ("def f():\n    import os, re\n", True),
        ("from re import compile\n", True),
        ("import regex\nfrom a import re\n# import re\n", False),
    ],
)
def test_what_imports_them_has_them(text: str, *, has: bool) -> None:
    """However it is imported; a name that only looks so is none."""
    assert has_patterns(text) is has


def test_a_new_module_and_one_that_lost_them_are_named() -> None:
    """The list says what is there, no less and no more."""
    new, gone = findings({"a.py", "b.py"}, {"b.py", "c.py"})

    assert new.startswith("a.py: has regular expressions; say in ")
    assert gone.startswith("c.py: has no regular expressions; take it out of ")
    assert findings({"a.py"}, {"a.py"}) == []
