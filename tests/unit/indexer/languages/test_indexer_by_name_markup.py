"""Documentation of C#, which is written in XML."""

from __future__ import annotations

from indexer.adapters.languages.by_name.markup import without_markup
from indexer.adapters.languages.registry import languages
from tests.fakes.latency import within

_CLASS = """
/// <summary>
/// Keeps every <see cref="Item"/> of a <see cref="IList{T}"/>, <c>null</c>s
/// and <paramref name="old"/> ones.
/// </summary>
/// <typeparam name="T">The type that it
/// represents.</typeparam>
/// <exception cref="T:System.Failure">If full &amp; closed.</exception>
/// <returns>Nothing.</returns>
public class Kept<T> { }
"""


def test_summaries_end_where_their_element_ends() -> None:
    """The sentences about parameters are no part of the summary, and references are read by name."""
    found = languages()["csharp"].parse("a.cs", "a", _CLASS).symbols[1]

    assert found.docstring.split("\n\n") == [
        "Keeps every `Item` of a `IList<T>`, `null`s\nand `old` ones.",
        ":param T: The type that it\nrepresents.",
        ":raises System.Failure: If full & closed.",
        ":returns: Nothing.",
    ]


def test_markup_costs_time_by_its_length_only() -> None:
    """Runs of anything, closed or not, are read once."""
    with within(5):
        for part in ("<see ", "<see cref=", "\n \t", "<param name='a", "<c>", " ", "&lt", "</", "{"):
            without_markup(part * 40_000)
