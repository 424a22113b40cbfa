"""What the declared types of variables, parameters and fields decide in the linker by name."""

from __future__ import annotations

import pytest

from tests.unit.indexer.languages.test_indexer_by_name_linker import STATIC, calls

_VECTOR = """struct Vec {
  Vec operator+(const Vec& o) const;
  Vec operator-() const;
  Vec& operator+=(const Vec& o);
  int operator[](int i) const;
  int operator()(int i) const;
};
bool operator==(const Vec& a, const Vec& b);
std::ostream& operator<<(std::ostream& to, const Vec& v) { return to << v.at; }
"""


@pytest.mark.parametrize(
    ("code", "name", "place"),
    [
        ("Vec f(const Vec& a, Vec b) { return a + b; }", "operator+", "a:2"),
        ("Vec f(const Vec& a, int b) { return (a + a) + b; }", "operator+", "a:2"),
        ("Vec f(Vec made) { return -made; }", "operator-", "a:3"),
        ("void f(Vec& a) { auto made = Vec{2}; made += a; }", "operator+=", "a:4"),
        ("int f(const Vec& a) { return a[3]; }", "operator[]", "a:5"),
        ("int f(Vec a) { return a(3); }", "operator()", "a:6"),
        ("bool f(int a, const Vec& b) { return a == b; }", "operator==", "a:8"),
        ("void f(Vec a) { std::cout << 1 << a; }", "operator<<", "a:9"),
        ("struct Box { Vec sum() { return held + this->held; } Vec held; };", "operator+", "a:2"),
        ("struct Long : Vec { Vec twice() { return *this + *this; } };", "operator+", "a:2"),
    ],
)
def test_an_operator_between_operands_calls_what_their_types_define(code: str, name: str, place: str) -> None:
    """The declared type of the left operand has the operator, or a function takes the type of either."""
    found = calls("cpp", a=_VECTOR, b=code)

    assert found == {f"b:1 {name}": (place, STATIC)}


@pytest.mark.parametrize(
    "code",
    [
        "int f(int a, int b) { return a + b; }",
        "auto f(Vec* a) { return a + 1; }",
        "auto f(Vec* a) { return a[1]; }",
        "bool f(Vec a, Vec* b) { return &a == b; }",
        "auto f(std::map<int, int> a) { return a[1]; }",
        "int f(Vec a) { return a.at + 1; }",
        "int f(Vec a) { return g(a) + 1; }",
    ],
)
def test_an_operator_between_other_operands_calls_nothing(code: str) -> None:
    """Numbers, pointers, addresses and members have operators of the language."""
    found = calls("cpp", a=_VECTOR, b=code)

    assert not [each for each in found if "operator" in each]


_TWO = {
    "cpp": "struct A { int run(); };\nstruct B { int run(); };\n",
    "kotlin": "class A { fun run() {} }\nclass B { fun run() {} }\n",
    "rust": "struct A; struct B; impl A { fn run(&self) {} }\nimpl B { fn run(&self) {} }\n",
    "csharp": "class A { void run() {} }\nclass B { void run() {} }\n",
}
"""Two types with a method of one name, in the first and the second line."""


@pytest.mark.parametrize(
    ("language", "code", "line"),
    [
        ("cpp", "int f(B* b) { return b->run(); }", 2),
        ("cpp", "struct C { A a; int f() { return this->a.run(); } };", 1),
        ("cpp", "int f() { auto a = A{}; return a.run(); }", 1),
        ("kotlin", "class C(val a: A?) { fun f() { a.run() } }", 1),
        ("kotlin", "class C { var b: B = make(); fun f() { this.b.run() } }", 2),
        ("kotlin", "fun f() { B().run() }", 2),
        ("kotlin", "fun f() { val b = B(); b.run() }", 2),
        ("rust", "struct C { a: Arc<A> } impl C { fn f(&self) { self.a.run() } }", 1),
        ("rust", "fn f(b: &mut B) { b.run() }", 2),
        ("rust", "fn f() { let b = B::new(); b.run() }", 2),
        ("csharp", "class C { void F(A a) { a.run(); } }", 1),
        ("csharp", "class C { B b; void F() { b.run(); } }", 2),
        ("csharp", "class C { void F() { var b = new B(); b.run(); } }", 2),
    ],
)
def test_a_declared_type_decides_between_methods_of_one_name(language: str, code: str, line: int) -> None:
    """A call on a variable, parameter or field leads to the method of the type that its declaration names."""
    found = calls(language, a=_TWO[language] + code)

    assert found["a:3 run"] == (f"a:{line}", STATIC)


def test_a_field_that_a_header_declares_has_its_type_in_the_file_of_the_methods() -> None:
    """A local variable of another type that has the name of the field comes before it."""
    header = "struct A { int run(); };\nstruct B { int run(); };\nstruct C { A* held; int f(); int g(); };\n"
    code = "int C::f() { return held->run(); }\nint C::g() { B held; return held.run(); }\n"

    found = calls("cpp", a=header, b=code)

    assert (found["b:1 run"], found["b:2 run"]) == (("a:1", STATIC), ("a:2", STATIC))


def test_a_property_with_an_accessor_on_its_line_keeps_its_class() -> None:
    """The semicolon between them is none of the grammar's."""
    text = "class A {\n  var open = false; private set\n  fun run() { stop() }\n  fun stop() {}\n}\n"

    assert calls("kotlin", a=text)["a:3 stop"] == ("a:4", STATIC)
