"""The question is read by the classifier and source by the indexer: nothing here looks at their words by patterns."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3] / "orchestrator"
READS_OTHER_TEXT = {
    "domain/answer_format.py": "the form of a model's answer",
    "domain/citing.py": "citations of a model's text",
    "domain/cleaning.py": "what cannot be seen of any text",
    "domain/comparison.py": "names of classes",
    "domain/gap_fields.py": "gaps of a model's text",
    "domain/gap_section.py": "gaps of a model's text",
    "domain/labels.py": "labels of a model's text",
    "domain/links.py": "links of a model's text",
    "domain/markdown_code.py": "code in a model's text",
    "domain/mentions.py": "names that can be in a label",
    "domain/names.py": "names of symbols, paths of tests",
    "domain/numbering.py": "labels of a model's text",
    "domain/writing/markdown.py": "runs of backticks",
    "domain/writing/prose.py": "markup of documentation",
}
"""Modules that use regular expressions, each with what text they read; those of the grammar read a model's claims."""


def uses_patterns(path: Path) -> bool:
    """Return whether a module imports regular expressions."""
    tree = ast.parse(path.read_text())
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return "re" in names or any(isinstance(node, ast.ImportFrom) and node.module == "re" for node in ast.walk(tree))


def test_no_other_module_reads_text_by_patterns() -> None:
    """One more is a question or a source that is read a second time, by somebody who reads it otherwise."""
    domain = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("domain/**/*.py") if uses_patterns(path)}

    assert {each for each in domain if not each.startswith("domain/grammar/")} == set(READS_OTHER_TEXT)
