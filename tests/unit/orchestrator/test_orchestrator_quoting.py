"""Which lines of source are quoted, and what is read out of statements that fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span
from orchestrator.domain.writing import source_text
from orchestrator.domain.writing.raise_sites import raise_sites

DOCUMENTED = '''class Bag:
    """A bag."""

    def lid(self):
        """
        Return the lid of the bag.

        The lid of a bag is the bag's own lid.
        """
        return self._lid or find_lid(self)
'''


def source(text: str, path: str = "a.py", start: int = 1, truncated: int = 0) -> Evidence:
    lines = text.count("\n") + (truncated - 1 if truncated else 0)
    return Evidence(
        "e", EvidenceKind.SOURCE, span=Span(path, start, start + lines - 1), text=text, truncated_lines=truncated
    )


def test_documentation_inside_of_a_class_is_not_quoted() -> None:
    """It has all words of a question and shows nothing of what is done."""
    excerpt = source_text.best_excerpt(source(DOCUMENTED), frozenset({"find", "bag"}))

    assert excerpt
    assert (excerpt.start_line, excerpt.lines) == (10, ("        return self._lid or find_lid(self)",))


def test_a_string_that_is_given_a_name_may_be_quoted() -> None:
    """It is data, not documentation."""
    text = 'def ask(self):\n    query = """\n      SELECT lid FROM bag\n    """\n    return run(query)\n'

    excerpt = source_text.best_excerpt(source(text), frozenset({"lid", "bag"}))

    assert excerpt
    assert "      SELECT lid FROM bag" in excerpt.lines


def test_documentation_that_was_cut_ends_at_marks_that_stand_alone() -> None:
    """Else they would begin documentation, and the code behind them would be none."""
    text = (
        'def ask(self):\n    pass\n\n\ndef lid(self):\n    """\n    Lids.\n... (5 lines cut)\n    Lid.\n    """\n'
        "    return self.lid_of_bag\n"
    )

    excerpt = source_text.best_excerpt(source(text, truncated=5), frozenset({"lid", "bag"}))

    assert excerpt
    assert excerpt.lines[-1] == "    return self.lid_of_bag"


def test_a_quotation_does_not_begin_with_what_was_cut() -> None:
    """The line before the first that says something would be one that is not shown."""
    text = "def ask(self):\n    total = 1\n... (3 lines cut)\n    return self.lid_of_bag\n"

    excerpt = source_text.best_excerpt(source(text, start=10, truncated=3), frozenset({"lid", "bag"}))

    assert excerpt
    assert (excerpt.start_line, excerpt.lines) == (15, ("    return self.lid_of_bag",))


def test_what_is_quoted_begins_behind_the_declaration() -> None:
    """Parameters on lines of their own are no body, even where they share the question's words."""
    text = "fn open(\n    lid: Lid,\n    box: Box,\n) -> Box {\n    let opened = lid.lift();\n    opened\n}\n"
    evidence = Evidence("e", EvidenceKind.SOURCE, span=Span("a.rs", 1, 7), text=text)
    excerpt = source_text.best_excerpt(evidence, frozenset({"lid", "box"}))

    assert excerpt
    assert excerpt.start_line == 5


def test_an_outline_is_not_quoted() -> None:
    """Text that is not the span's own lines has no line numbers to quote."""
    outline = Evidence("e", EvidenceKind.SOURCE, span=Span("a.py", 1, 90), text="class A:\n    def raise_it(self)\n")

    assert source_text.best_excerpt(outline, frozenset({"rais"})) is None


def test_a_quotation_is_of_one_function_and_ends_with_a_statement() -> None:
    """It neither runs on into what stands below, nor breaks off within brackets."""
    rows = "".join(f"            {n},\n" for n in range(6))
    text = (
        f"class Bag:\n    def lid(self):\n        lid = find(\n{rows}        )\n\n    def other(self):\n        pass\n"
    )

    excerpt = source_text.best_excerpt(source(text), frozenset({"find", "other"}))

    assert excerpt
    assert (excerpt.lines[0], excerpt.lines[-1]) == ("    def lid(self):", "        )")


def test_lines_keep_their_numbers_behind_a_cut() -> None:
    """Cut text is quoted with the numbers that its lines have in the file, and never across the cut."""
    cut = "def ask(total):\n... (3 lines cut)\n    if total:\n        raise PaymentError(total)\n"
    evidence = Evidence("e", EvidenceKind.SOURCE, span=Span("a.py", 10, 15), text=cut, truncated_lines=3)

    (site,) = raise_sites(evidence)

    assert (site.excerpt.start_line, site.excerpt.end_line, site.guard) == (14, 15, "if total")


def test_an_alternative_is_no_condition() -> None:
    """What stands under `else` is told without a condition, and a brace before one is no part of it."""
    text = "if (a) {\n  b();\n} else {\n  throw new Bad(1);\n}\n} else if (c) {\n  throw new Worse(2);\n}\n"
    evidence = Evidence("e", EvidenceKind.SOURCE, span=Span("A.java", 1, 8), text=text)

    assert [site.guard for site in raise_sites(evidence)] == ["", "else if (c)"]


def test_a_condition_goes_to_its_end() -> None:
    """Over several lines it is told on one; of one whose end was cut nothing is."""
    lines = ("if (type != null", "    && !type.startsWith(text)) {", "        throw new Unsupported();")
    whole = Evidence("e", EvidenceKind.SOURCE, span=Span("A.java", 1, 3), text="\n".join(lines))
    cut = replace(whole, text="\n".join((lines[0], "    && (a", lines[2])))

    guards = [[site.guard for site in raise_sites(each)] for each in (whole, cut)]
    assert guards == [["if (type != null && !type.startsWith(text))"], [""]]


@pytest.mark.parametrize(
    ("line", "deed"),
    [
        ('panic("no bank " + name)', "panics"),
        ('return nil, fmt.Errorf("no bank %s", name)', "returns an error"),
        ("throw new \\Shop\\Gone($name);", "raises `Gone`"),
        ("throw (new Gone($name))->loud();", "raises `Gone`"),
    ],
)
def test_languages_fail_in_ways_of_their_own(line: str, deed: str) -> None:
    """Go panics or returns an error, PHP writes namespaces and parentheses."""
    evidence = Evidence("e", EvidenceKind.SOURCE, span=Span("a.x", 1, 1), text=line + "\n")

    assert [site.deed for site in raise_sites(evidence)] == [deed]
