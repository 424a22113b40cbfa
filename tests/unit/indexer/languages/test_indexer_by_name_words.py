"""Macros of C and C++ that hide what is around them; visibility and classes of Ruby; PHP's names for the own class."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.by_name.macros import without_macros
from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import LinkUnit, ParsedFile, Resolution, SymbolKind

_QT = """
QT_BEGIN_NAMESPACE
class Q_CORE_EXPORT Thing final : public Base
{
    Q_OBJECT
public:
    explicit Thing(int x) : x_(x) { run(); }
signals:
    void done(int);
private slots:
    void step();
    Q_DISABLE_COPY(Thing)
};
struct API Plain { void go(); };
template <class T>
FOO_INLINE T twice(T a) { return a; }
QT_END_NAMESPACE
"""


def parsed(language: str, text: str) -> ParsedFile:
    reader = languages()[language]
    path = f"a{reader.extensions[0]}"
    return reader.parse(path, "a", text)


def described(language: str, text: str) -> list[tuple[SymbolKind, str, bool]]:
    return [(each.kind, each.qualified_name, each.is_public) for each in parsed(language, text).symbols[1:]]


def test_macros_between_declarations_cost_nothing() -> None:
    """A class with a macro in its head or body has its name, its methods and their visibility."""
    assert described("cpp", _QT) == [
        (SymbolKind.CLASS, "Thing", True),
        (SymbolKind.METHOD, "Thing.Thing", True),
        (SymbolKind.METHOD, "Thing.done", True),
        (SymbolKind.METHOD, "Thing.step", False),
        (SymbolKind.CLASS, "Plain", True),
        (SymbolKind.METHOD, "Plain.go", True),
        (SymbolKind.FUNCTION, "twice", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "enum E {\n  ONLY_ONE\n};\n",
        "int x = a |\n  FLAG_B\n  | c;\n",
        "f(A,\n  B_C\n);\n",
        "#define X \\\n  A_B\n",
        "BOOL_T\nname(int a)\n{\n}\n",
        "TEST_CASE(a)\n{\n}\n",
        "class API_NAME {\n};\n",
        "  A_TYPE x = f();\n  B_TYPE y(1);\n",
    ],
)
def test_words_that_mean_something_stay(text: str) -> None:
    """Enumerators, operands, types of results and macros with a body are no decoration."""
    assert without_macros(text.encode(), alone=True) == text.encode()


def test_places_stay() -> None:
    """What is taken out leaves spaces."""
    cleaned = without_macros(_QT.encode(), alone=True)

    assert len(cleaned) == len(_QT)
    assert cleaned.count(b"\n") == _QT.count("\n")
    assert b"EXPORT" not in cleaned


def test_words_in_c_that_may_be_types_stay() -> None:
    """In C a macro on a line of its own may be the type of the function behind it."""
    text = b"FOO_API int f(void);\nA_TYPE\nint_name(void);\nstruct FOO_API s { int a; };\n"

    assert without_macros(text, alone=False) == (
        b"        int f(void);\nA_TYPE\nint_name(void);\nstruct         s { int a; };\n"
    )


def test_ruby_opens_its_class_anew_and_names_what_is_private() -> None:
    """`class << self` begins with public methods; `private :name` is about what stands above."""
    text = """
class Base
  def open; end
  def named; end
  private :named
  def self.make; end
  private_class_method :make
  private
  def hidden; end
  class << self
    def get; end
    private
    def route; end
  end
  def later; end
end
Point = Struct.new(:x) do
  def far; end
end
"""

    assert described("ruby", text) == [
        (SymbolKind.CLASS, "Base", True),
        (SymbolKind.METHOD, "Base.open", True),
        (SymbolKind.METHOD, "Base.named", False),
        (SymbolKind.METHOD, "Base.make", False),
        (SymbolKind.METHOD, "Base.hidden", False),
        (SymbolKind.METHOD, "Base.get", True),
        (SymbolKind.METHOD, "Base.route", False),
        (SymbolKind.METHOD, "Base.later", False),
        (SymbolKind.CLASS, "Point", True),
        (SymbolKind.METHOD, "Point.far", True),
    ]
    assert parsed("ruby", text).symbols[-2].signature == "Point = Struct.new(:x)"


def test_php_makes_its_own_class_by_self_and_static_and_imports_no_alias() -> None:
    """`new static` and `new self` call the constructor; `use A as B` brings in A alone."""
    text = """<?php
namespace App;
use App\\Lib\\Thing as T;
use App\\{X, Y as Z};
class A {
    public function __construct() {}
    public static function make() { return new static; }
    public static function other() { return new self(); }
}
"""
    reader, linker = languages()["php"], linkers()["php"]
    unit = LinkUnit("a.php", "a", reader.parse("a.php", "a", text))
    edges = linker.link([unit]).edges

    assert [(each.line, each.target_name, each.resolution) for each in edges] == [
        (3, "App.Lib.Thing", Resolution.EXTERNAL),
        (4, "App.X", Resolution.EXTERNAL),
        (4, "App.Y", Resolution.EXTERNAL),
        (7, "App.A.__construct", Resolution.RESOLVED),
        (8, "App.A.__construct", Resolution.RESOLVED),
    ]
