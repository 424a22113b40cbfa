"""What people are told that the language of a file is."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("src/a.ts", "typescript"),
        ("src/a.tsx", "typescript"),
        ("src/a.d.mts", "typescript"),
        ("tsconfig.json", "typescript"),
        ("src/a.js", "javascript"),
        ("src/a.jsx", "javascript"),
        ("package.json", "javascript"),
    ],
)
def test_typescript_is_not_called_javascript(path: str, label: str) -> None:
    """One adapter reads both, but a file is labelled by what it is written in."""
    assert languages()["javascript"].label(path) == label


def test_other_adapters_read_one_language() -> None:
    """All others label files by their own name."""
    labels = {name: language.label("any") for name, language in languages().items()}

    assert labels == {name: name for name in labels}
