"""Names of Ruby that are variables, and methods that every object of its library has."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import LinkUnit, Resolution

_CLASS = """
class Base
  def route; end
  def later; end
  def empty?; end
  def use(options)
    {body}
  end
end
"""


def called(body: str) -> list[str]:
    """Return the methods of the class that the body of one of them calls."""
    text = _CLASS.format(body=body)
    unit = LinkUnit("a.rb", "a", languages()["ruby"].parse("a.rb", "a", text))
    edges = linkers()["ruby"].link([unit]).edges
    return [each.target_name for each in edges if each.resolution is Resolution.RESOLVED]


@pytest.mark.parametrize(
    "body",
    [
        "route = path; show(route)",
        "route += 1; route.go",
        "route, other = pair; return unless route",
        "each { |route| puts route }",
        "each { |(route, _)| puts route }",
        "work rescue nil; begin; rescue => route; show(route); end",
        "->(route) { show(route) }",
        "define(:a) { |*route, key: 1| show(route) }",
    ],
)
def test_a_variable_is_no_call_of_the_method_that_has_its_name(body: str) -> None:
    """What a parameter or an assignment above names is read, not called."""
    assert called(body) == []


def test_a_parameter_hides_the_method_in_its_own_function_only() -> None:
    """A name calls a method where no variable of that name stands above it, and always with arguments."""
    assert called("show(route); route = 1") == ["a.Base.route"]
    assert called("later = 1; later(2)") == ["a.Base.later"]
    assert called("self.route") == ["a.Base.route"]


def test_what_all_collections_answer_to_is_nobodys_own() -> None:
    """`text.empty?` on something unknown does not call the one class here that has such a method."""
    assert called("options.empty?") == []
