"""How answers quote and sum up code of many languages."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.markdown import quote
from orchestrator.domain.writing.source_text import Excerpt, best_excerpt


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.rb", "ruby"),
        ("b.cs", "csharp"),
        ("b.hpp", "cpp"),
        ("b.rs", "rust"),
        ("b.php", "php"),
        ("b.mjs", "javascript"),
        ("b.py", "python"),
        ("README", ""),
    ],
)
def test_quoted_lines_say_their_language(path: str, language: str) -> None:
    """A renderer colours what it knows the language of."""
    assert quote(Excerpt(path, 3, ("x",))) == f"`{path}:3`\n```{language}\nx\n```"


def test_a_sentence_goes_on_behind_an_example_that_is_given() -> None:
    """`E.g.` ends no sentence, whatever follows it."""
    text = "// Command is a command of an application.\n// E.g.  'go run' - 'run' is the command. More.\nfunc x()"

    assert prose.summary(text) == "Command is a command of an application. E.g. 'go run' - 'run' is the command."
    assert prose.summary('// Takes a name (i.e. `a`) and, e.g. "b". Then ends.\nfunc x()', max_sentences=1).endswith(
        '"b".'
    )


def test_a_quotation_begins_behind_what_was_cut() -> None:
    """A line that is not shown leads in to nothing: it was quoted as an empty one."""
    text = 'def before(f):\n    """Register.\n\n    More.\n    """\n... (2 lines cut)\n    before_request(f)\n'
    cut = Evidence("e", EvidenceKind.SOURCE, span=Span("a.py", 10, 17), text=text, truncated_lines=2)

    assert best_excerpt(cut, frozenset({"request"})) == Excerpt("a.py", 17, ("    before_request(f)",))
