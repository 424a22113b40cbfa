"""Which of several methods of one name a call in Java means."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, FactKind, Tier
from tests.unit.indexer.read_units import units_of

METHODS = """package p;
class Box {
  static class Shape {}
  static class Circle extends Shape {}
  static Shape shape() { return null; }
  static String word() { return null; }
  Circle circle;
  long many;
  void put(int value) {}
  void put(long value) {}
  void put(Integer value) {}
  void put(double... values) {}
  void put(String value) {}
  void put(Object value) {}
  void put(Shape value) {}
  void put(Runnable value) {}
  void put(String[] value) {}
  void use(String given, Circle[] all, char letter) {
    %s
  }
}
class Sub extends Box {
  void put(Thread value) {}
}
"""


def called(statement: str) -> dict[str, Tier]:
    """Return the declarations of `put` that a statement calls, with their tiers."""
    units = units_of(languages()["java"], {"Box.java": METHODS % statement})
    symbols = units[0].parsed.symbols
    return {
        symbols[edge.target[1]].signature.partition("(")[2].partition(" ")[0]: edge.tier
        for edge in linkers()["java"].link(units).edges
        if edge.kind == EdgeKind.CALL and edge.target and symbols[edge.target[1]].name == "put"
    }


@pytest.mark.parametrize(
    ("statement", "parameter"),
    [
        ("put(1);", "int"),
        ("put(1L);", "long"),
        ("put(many);", "long"),
        ("put(letter);", "int"),
        ("put(1.5);", "double..."),
        ("put(Integer.valueOf(1));", "Integer"),
        ("put(given);", "String"),
        ('put(1 + " items");', "String"),
        ("put(word());", "String"),
        ("put(circle);", "Shape"),
        ("put(shape());", "Shape"),
        ("put(new Circle());", "Shape"),
        ("put((Object) given);", "Object"),
        ("put(new String[2]);", "String[]"),
        ("put(all);", "Object"),
        ("put(() -> {});", "Runnable"),
        ("var text = given; put(text);", "String"),
        ("new Sub().put(given);", "String"),
    ],
)
def test_the_types_of_arguments_say_which_method_is_meant(statement: str, parameter: str) -> None:
    """Strict fits come before boxing, fixed parameters before variable ones, subtypes before what is above them."""
    assert called(statement) == {parameter: Tier.STATIC}


def test_a_call_whose_types_are_unknown_is_not_sure() -> None:
    """All that may be meant have a tier that says so, but what cannot be meant has no edge."""
    found = called("put(Elsewhere.thing());")

    assert set(found.values()) == {Tier.ARGUMENT}
    assert "Object" in found


def test_a_lambda_belongs_to_its_method_also_after_an_anonymous_class() -> None:
    """The line of an edge lies within its source."""
    text = """package p;
class L {
  void run() {
    Runnable one = new Runnable() {
      public void run() { first(); }
    };
    Runnable other = () -> second();
  }
  void first() {}
  void second() {}
}
"""
    units = units_of(languages()["java"], {"L.java": text})
    symbols = units[0].parsed.symbols

    calls = {
        (symbols[edge.source[1]].qualified_name, edge.target_name)
        for edge in linkers()["java"].link(units).edges
        if edge.kind == EdgeKind.CALL and edge.target
    }

    assert ("L.run", "p.L.second") in calls
    assert ("L.run.$1.run", "p.L.first") in calls


def test_what_a_missing_value_throws_and_what_a_handler_is_for_are_facts() -> None:
    """`orElseThrow` raises what its function makes; a handler of a framework names the exceptions that it is for."""
    text = """class S {
  Order one() { return find().orElseThrow(() -> new OrderMissing("order")); }
  Order other() { return find().orElseThrow(Gone::new); }
  @ExceptionHandler({OrderMissing.class, Gone.class}) String missing(Exception error) { return ""; }
  @ExceptionHandler String bad(IllegalStateException error) { return ""; }
}
"""
    facts = languages()["java"].parse("S.java", "S", text).facts

    assert [fact.value for fact in facts if fact.kind == FactKind.RAISES] == ["OrderMissing", "Gone"]
    assert [fact.value for fact in facts if fact.kind == FactKind.ENTRY_POINT] == [
        "error handler OrderMissing, Gone",
        "error handler IllegalStateException",
    ]


def test_methods_that_lombok_makes_have_callers() -> None:
    """Getters, setters and builders of annotated classes and fields; methods that stand in the source come first."""
    texts = {
        "p/Ticket.java": (
            "package p;\n@Data\n@Builder(toBuilder = true)\npublic class Ticket {\n"
            "  private String seat;\n  private boolean isPaid;\n"
            "  private final int cents;\n  static int count;\n  public int getCents() { return 1; }\n"
            "  String both() { return getSeat(); }\n}\n"
        ),
        "p/Desk.java": (
            "package p;\nclass Desk {\n  @Setter private String name;\n  void sell(Ticket t) {\n    t.getSeat();\n"
            "    t.isPaid();\n    t.setSeat(name);\n    t.getCents();\n    Ticket.builder();\n    t.getCount();\n"
            "    setName(name);\n    getName();\n    Ticket.builder().seat(name).cents(3).build().isPaid();\n"
            "    t.toBuilder().seat(name).build();\n  }\n}\n"
        ),
    }
    units = units_of(languages()["java"], texts)

    called = [
        (edge.line, units[edge.target[0]].parsed.symbols[edge.target[1]].qualified_name)
        for edge in linkers()["java"].link(units).edges
        if edge.kind == EdgeKind.CALL and edge.target
    ]
    made = {symbol.qualified_name for symbol in units[1].parsed.symbols}

    assert sorted(called) == [
        (5, "Ticket.getSeat"),
        (6, "Ticket.isPaid"),
        (7, "Ticket.setSeat"),
        (8, "Ticket.getCents"),
        (9, "Ticket.builder"),
        (10, "Ticket.getSeat"),
        (11, "Desk.setName"),
        *((13, f"Ticket.{name}") for name in ("build", "builder", "cents", "isPaid", "seat")),
        *((14, f"Ticket.{name}") for name in ("build", "seat", "toBuilder")),
    ]
    assert not {"Ticket.setCents", "Ticket.withSeat"} & made
    assert "Ticket.getCount" not in made
