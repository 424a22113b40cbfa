"""What the adapters of Java and Go make of single constructs."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.domain.linking.solver.packed import unpack
from indexer.domain.model import FactKind, ParsedFile


def java(text: str) -> ParsedFile:
    """Parse a Java file."""
    return JavaLanguage().parse("src/a/B.java", "a", text)


def go(text: str) -> ParsedFile:
    """Parse a Go file."""
    return GoLanguage().parse("a/b.go", "a", text)


def facts(parsed: ParsedFile, kind: FactKind) -> list[str]:
    """Give the values of the facts of a kind."""
    return [fact.value for fact in parsed.facts if fact.kind == kind]


def test_java_overloads_are_symbols_of_their_own() -> None:
    """Two methods of one name are two symbols with their own signatures."""
    parsed = java("package a;\nclass B {\n  int f(int x) { return x; }\n  int f(int x, int y) { return y; }\n}\n")

    assert [symbol.signature for symbol in parsed.symbols if symbol.name == "f"] == [
        "int f(int x)",
        "int f(int x, int y)",
    ]


def test_java_signatures_are_written_as_people_write_them() -> None:
    """Parameters of types stand apart from modifiers and close to the name of a class; lines are joined."""
    text = "package a;\nclass B<T> {\n  static <K, V> Map<K, V> of(\n      K key,\n      V value) { return null; }\n}\n"

    assert [symbol.signature for symbol in java(text).symbols[1:]] == [
        "class B<T>",
        "static <K, V> Map<K, V> of(K key, V value)",
    ]


def test_java_visibility_needs_every_class_around() -> None:
    """A public method of a class that only its package sees is not public."""
    parsed = java("package a;\nclass B { public void f() {} }\n")

    assert [symbol.is_public for symbol in parsed.symbols if symbol.name == "f"] == [False]


def test_java_javadoc_comes_without_its_marks() -> None:
    """The text of a comment before the annotations is the documentation."""
    parsed = java("package a;\n/**\n * First.\n *\n * Second.\n */\n@Deprecated\npublic class B {}\n")

    assert (parsed.symbols[1].docstring, parsed.symbols[1].decorators) == ("First.\n\nSecond.", ("Deprecated",))


def test_java_rethrown_exceptions_have_the_types_that_are_caught() -> None:
    """`throw e` raises what its catch clause names."""
    parsed = java("class B { void f() { try { g(); } catch (IOException | SQLException e) { throw e; } } }")

    assert facts(parsed, FactKind.RAISES) == ["IOException", "SQLException"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('throw new X1Exception("no " + n + " left");', "no {} left"),
        ('throw new X1Exception(String.format("%s of %d%%", a, b));', "{} of {}%"),
        ('log.warn("slow {}", n);', "slow {}"),
        ('assert n > 0 : "too few";', "too few"),
        ('Objects.requireNonNull(n, "n is null");', "n is null"),
        ('assertEquals(1, n, "wrong count");', "wrong count"),
        ('assertTrue(open, "closed");', "closed"),
        ('assertFalse(open, "open");', "open"),
        ('assertNull(n, "some");', "some"),
        ('assertNotNull(n, "none");', "none"),
        ('fail("never here");', "never here"),
    ],
)
def test_java_messages_keep_their_fixed_parts(statement: str, message: str) -> None:
    """Exceptions, logs, checks and assertions give their messages with placeholders."""
    assert facts(java(f"class B {{ void f() {{ {statement} }} }}"), FactKind.ERROR_STRING) == [message]


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("this.n = 1;", ["this.n"]),
        ("n += 1;", ["n"]),
        ("n++;", ["n"]),
        ("grid[0][1] = 2;", ["grid"]),
        ("items.add(1);", ["items"]),
        ("B.shared.put(1, 2);", ["B.shared"]),
        ("int n = 0; n = 1;", []),
        ("Change c = (Item x) -> { x = null; };", []),
    ],
)
def test_java_changes_of_state_are_told_from_local_variables(statement: str, changed: list[str]) -> None:
    """Fields change, local variables do not count."""
    assert facts(java(f"class B {{ void f() {{ {statement} }} }}"), FactKind.MUTATES) == changed


def test_java_jax_rs_routes_join_the_paths_of_class_and_method() -> None:
    """`@Path` of the class comes before that of the method."""
    parsed = java('@Path("/a") class B { @GET @Path("{id}") public String f() { return ""; } }')

    assert facts(parsed, FactKind.ENTRY_POINT) == ["route GET /a/{id}"]


@pytest.mark.parametrize(
    ("statement", "raised", "message"),
    [
        ('return errors.New("no key")', [], ["no key"]),
        ('return fmt.Errorf("read %s: %w", name, ErrClosed)', ["ErrClosed"], ["read {}: {}"]),
        ("return io.EOF", ["io.EOF"], []),
        ("return &ParseError{Line: 1}", ["ParseError"], []),
        ('panic("unreachable")', ["panic"], ["unreachable"]),
        ('log.Printf("retry %d", n)', [], ["retry {}"]),
    ],
)
def test_go_failures_are_raises_and_messages(statement: str, raised: list[str], message: list[str]) -> None:
    """Returned errors and panics are what a Go function raises."""
    parsed = go(f"package a\n\nfunc f() error {{\n\t{statement}\n}}\n")

    assert (facts(parsed, FactKind.RAISES), facts(parsed, FactKind.ERROR_STRING)) == (raised, message)


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("s.n = 1", ["s.n"]),
        ("s.n++", ["s.n"]),
        ("total += 1", ["total"]),
        ("s.items[0].x = 2", ["s.items"]),
        ('delete(s.items, "a")', ["s.items"]),
        ("*p = 3", ["p"]),
        ("n := 1; n = 2", []),
    ],
)
def test_go_changes_of_state_are_told_from_local_variables(statement: str, changed: list[str]) -> None:
    """Fields, variables of the package and what pointers lead to change; local variables do not count."""
    parsed = go(f"package a\n\nvar total int\n\nfunc (s *S) f(p *int) {{\n\t{statement}\n}}\n")

    assert facts(parsed, FactKind.MUTATES) == changed


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ('r.GET("/a/:id", show)', "route GET /a/:id show"),
        ('r.Post("/a", h.create)', "route POST /a h.create"),
        ('mux.HandleFunc("/b", func(w W, r *R) {})', "route /b"),
        ('_ = &cobra.Command{Use: "serve [port]"}', "command serve [port]"),
    ],
)
def test_go_routes_and_commands_are_entry_points(statement: str, entry: str) -> None:
    """The usual routers and command lines are known by how they are used."""
    assert facts(go(f"package a\n\nfunc f() {{\n\t{statement}\n}}\n"), FactKind.ENTRY_POINT) == [entry]


def test_go_names_of_modules_are_folders() -> None:
    """All files of a folder are one module; the top goes by what its files declare."""
    language = GoLanguage()
    library = "/* package of\npackage wrong */\n\npackage gin // HTTP\n"

    names = language.module_names(
        {"a/b/c.go": "", "a/b/d.go": "", "a.go": "package main\n", "e.go": library, "f.go": library, "e_test.go": ""}
    )

    assert names == {
        "a/b/c.go": "a.b",
        "a/b/d.go": "a.b",
        "a.go": "gin",
        "e.go": "gin",
        "f.go": "gin",
        "e_test.go": "gin",
    }
    assert language.module_names({"x.go": "func (", "y.go": ""}) == {"x.go": "main", "y.go": "main"}
    assert language.parse("e.go", "main", "package gin\n").symbols[0].name == "gin"


@pytest.mark.parametrize("language", [JavaLanguage(), GoLanguage()], ids=["java", "go"])
@pytest.mark.parametrize(
    "text", ["", "\0", "class {{{", "func (", "package a\nfunc f( {\n}\nfunc g() { f() }\n", "}" * 50]
)
def test_broken_text_never_raises(language: JavaLanguage | GoLanguage, text: str) -> None:
    """What cannot be read costs itself; a module is always there, and the program can be read."""
    parsed = language.parse("a/b", "a", text)

    assert parsed.symbols[0].name
    assert parsed.program == b"" or unpack(parsed.program)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (JavaLanguage(), "class A { Object x = " + "(" * 5000 + "1" + ")" * 5000 + "; }"),
        (GoLanguage(), "package a\n\nvar x = " + "(" * 5000 + "1" + ")" * 5000 + "\n"),
    ],
    ids=["java", "go"],
)
def test_deep_nesting_costs_the_calls_and_not_the_file(language: JavaLanguage | GoLanguage, text: str) -> None:
    """A file that is nested deeper than the interpreter's stack keeps its symbols."""
    assert len(language.parse("a/b", "a", text).symbols) > 1
