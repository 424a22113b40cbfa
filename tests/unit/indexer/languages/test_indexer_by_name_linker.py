"""In which order the linker by name looks for what a call means, and when it keeps silent."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, Resolution, Tier
from tests.unit.indexer.read_units import units_of


def calls(language: str, **texts: str) -> dict[str, tuple[str, str]]:
    """Link files, by stem, and give each call's target as "file:line" with how it was found, by "file:line name"."""
    reader = languages()[language]
    ending = reader.extensions[0]
    units = units_of(reader, {f"{stem}{ending}": text for stem, text in texts.items()})
    found = {}
    for edge in linkers()[language].link(units).edges:
        if edge.kind == EdgeKind.CALL:
            place = ""
            if edge.target is not None:
                unit = units[edge.target[0]]
                place = f"{unit.module}:{unit.parsed.symbols[edge.target[1]].start_line}"
            how = edge.tier.name if edge.resolution == Resolution.RESOLVED else edge.resolution.name
            name = edge.target_name.rpartition(".")[2]
            found[f"{units[edge.source[0]].module}:{edge.line} {name}"] = (place, how)
    return found


STATIC, UNIQUE = Tier.STATIC.name, Tier.UNIQUE_NAME.name
UNRESOLVED, EXTERNAL = Resolution.UNRESOLVED.name, Resolution.EXTERNAL.name


def test_the_own_type_comes_before_the_file() -> None:
    """A bare name in a method means the method of its type, though the file has a function of that name."""
    text = (
        "int price() { return 1; }\nstruct Cart {\n  int price() { return 2; }\n  int all() { return price(); }\n};\n"
    )

    assert calls("cpp", a=text)["a:4 price"] == ("a:3", STATIC)


def test_without_implicit_receiver_a_bare_name_is_a_function() -> None:
    """In Rust a bare name never means a method."""
    text = "struct A;\nimpl A {\n  fn go(&self) { run() }\n  fn run(&self) {}\n}\nfn run() {}\n"

    assert calls("rust", a=text)["a:3 run"] == ("a:6", STATIC)


def test_the_file_comes_before_other_files() -> None:
    """A function of the same file is meant, whatever other files define."""
    found = calls("php", a="<?php\nfunction f() { g(); }\nfunction g() {}\n", b="<?php\nfunction g() {}\n")

    assert found["a:2 g"] == ("a:3", STATIC)


def test_the_only_function_of_a_name_is_meant() -> None:
    """What no scope and no file has is found in the repository, with the confidence of a unique name."""
    found = calls("rust", a="fn f() { g() }\n", b="\nfn g() {}\n")

    assert found["a:1 g"] == ("b:2", UNIQUE)


def test_of_several_none_is_guessed() -> None:
    """Two functions of a name in other files leave the call unresolved, with its name."""
    found = calls("rust", a="fn f() { g() }\n", b="fn g() {}\n", c="fn g() {}\n")

    assert found["a:1 g"] == ("", UNRESOLVED)


def test_a_definition_comes_before_its_declaration() -> None:
    """A prototype is meant only where there is no body."""
    found = calls(
        "c", a="int g(void);\nint h(void);\nint f(void) { return g() + h(); }\n", b="\nint g(void) { return 1; }\n"
    )

    assert found["a:3 g"] == ("b:2", STATIC)
    assert found["a:3 h"] == ("a:2", STATIC)


def test_functions_that_a_file_keeps_to_itself_are_not_meant_elsewhere() -> None:
    """A static function of another file of C is not seen."""
    found = calls("c", a="int f(void) { return g(); }\n", b="static int g(void) { return 1; }\n")

    assert found["a:1 g"] == ("", UNRESOLVED)


def test_overloads_are_told_apart_by_the_number_of_arguments() -> None:
    """Of two methods of a type the one that takes so many arguments is meant; of two that do, none."""
    bodies = "  void F(int a) {}\n  void F(int a, int b = 1) {}\n"
    text = "class A {\n" + bodies + "  void G() { F(1, 2); }\n  void H() { F(1); }\n}\n"
    found = calls("csharp", a=text)

    assert found["a:4 F"] == ("a:3", STATIC)
    assert found["a:5 F"] == ("", UNRESOLVED)


def test_inherited_methods_are_found_along_the_bases() -> None:
    """A method that a type does not have is looked for in what it inherits, across files."""
    found = calls(
        "ruby",
        a="class A < B\n  def f\n    g(1)\n  end\nend\n",
        b="class B\n  include C\nend\nmodule C\n  def g(x); end\nend\n",
    )

    assert found["a:3 g"] == ("b:5", STATIC)


def test_a_member_of_an_unknown_value_needs_a_name_of_its_own() -> None:
    """The only method of a name is meant, unless libraries have methods of that name, or two types have it."""
    text = (
        "<?php\nclass A { function settle() {} function save() {} function both() {} }\n"
        "class B { function both() {} }\nfunction f($x) { $x->settle(); $x->save(); $x->both(); }\n"
    )
    found = calls("php", a=text)

    assert found["a:4 settle"] == ("a:2", UNIQUE)
    assert found["a:4 save"] == ("", UNRESOLVED)
    assert found["a:4 both"] == ("", UNRESOLVED)


def test_a_path_into_what_is_not_here_is_external() -> None:
    """A type that no file defines is outside; a missing member of one that is here stays open."""
    found = calls("rust", a="struct A;\nfn f() { A::gone(); Vec::with(1); }\n")

    assert found["a:2 gone"] == ("", UNRESOLVED)
    assert found["a:2 with"] == ("", EXTERNAL)


@pytest.mark.parametrize(
    ("language", "text", "target"),
    [
        ("csharp", "class A {\n  A(int x) {}\n  void F() { new A(1); }\n}\n", "A"),
        ("php", "<?php class A {\n  function __construct() {}\n  function f() { new A(); }\n}\n", "__construct"),
        ("ruby", "class A\n  def initialize; end\n  def f; A.new; end\nend\n", "initialize"),
    ],
)
def test_making_an_object_calls_its_constructor(language: str, text: str, target: str) -> None:
    """`new` leads to the constructor where the type has one."""
    assert calls(language, a=text)[f"a:3 {target}"] == ("a:2", STATIC)


def test_arguments_that_a_splat_gives_are_not_counted() -> None:
    """A call with one may fit each definition of the name, so it leads to none; one without is told by its number."""
    text = (
        "class Till\n  def pay(sum, tip)\n  end\nend\nclass Bank\n  def pay(sum, tip, note)\n  end\nend\n"
        "def sell(thing, rest)\n  thing.pay(1, *rest)\n  thing.pay(1, 2)\nend\n"
    )
    found = calls("ruby", a=text)

    assert found["a:10 pay"][1] == UNRESOLVED
    assert found["a:11 pay"] == ("a:2", UNIQUE)
