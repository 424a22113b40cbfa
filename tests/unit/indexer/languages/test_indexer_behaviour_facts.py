"""Errors that are caught, handed over or raised with a message, and what is changed, in all languages."""

from __future__ import annotations

import pytest

from indexer.domain.model import FactKind, Origin
from tests.unit.indexer.read_units import facts_of


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "try:\n  f()\nexcept (A, b.C) as e:\n  pass\nexcept D:\n  pass\n", ["A", "b.C", "D"]),
        ("a.py", "with suppress(LookupError):\n  f()\nisinstance(e, TornNote)\n", ["LookupError", "TornNote"]),
        ("a.js", "function f(e) { return e instanceof TornNote }\n", ["TornNote"]),
        ("A.java", "class A { void f() { try { g(); } catch (Foo | Bar e) {} } }\n", ["Foo", "Bar"]),
        ("a.go", "package a\nfunc f(err error) bool { return errors.Is(err, store.ErrGone) }\n", ["store.ErrGone"]),
        ("a.rs", "fn f() { match r { Err(Refusal::Torn) => 1, Err(e) => 2 } }\n", ["Refusal.Torn"]),
        ("a.cs", "class A { void F() { try { G(); } catch (Foo e) {} } }\n", ["Foo"]),
        ("a.rb", "def f\n  g\nrescue Foo, Bar => e\n  h\nend\n", ["Foo", "Bar"]),
        ("a.php", "<?php function f() { try { g(); } catch (Foo|Bar $e) {} }\n", ["Foo", "Bar"]),
        ("a.kt", "fun f() { try { g() } catch (e: Foo) {} }\n", ["Foo"]),
        ("a.cpp", "void f() { try { g(); } catch (const Foo& e) {} }\n", ["Foo"]),
    ],
)
def test_what_is_caught_is_a_fact(path: str, text: str, names: list[str]) -> None:
    """By clauses, comparisons and patterns; a variable that takes any error is none."""
    assert [each.value for each in facts_of(path, text, FactKind.CATCHES) if each.value != "*"] == names


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", "def f():\n    try:\n        g()\n    except Exception as error:\n        pass\n", [4]),
        ("a.py", "try:\n    g()\nexcept:\n    pass\n", [3]),
        ("a.py", "try:\n    g()\nexcept (BaseException, OSError):\n    pass\n", [3]),
        ("a.py", "try:\n    g()\nexcept KeyError:\n    pass\n", []),
        ("a.py", "def f(self, exc_type, exc, tb):\n    if exc_type is not None:\n        self.undo()\n", [2]),
        ("a.py", "def catch_all(self): pass\n", []),
        ("a.js", "try { g(); } catch (error) { h(); }\n", [1]),
        ("a.ts", "return g()\n  .catch(report)\n", [2]),
        ("A.java", "class A { void f() { try { g(); }\n catch (final Exception e) {} } }\n", [2]),
        ("A.java", "class A { void f() { try { g(); } catch (IOException e) {} } }\n", []),
        ("a.go", "package a\nfunc f() {\n\tdefer func() {\n\tif r := recover(); r != nil {} }()\n}\n", [4]),
        ("a.rs", "fn f() { let r = std::panic::catch_unwind(|| g()); }\n", [1]),
        ("a.cs", "class A { void F() { try {} catch {} try {}\n catch (Exception e) {} } }\n", [1, 2]),
        ("a.rb", "def f\n  g\nrescue => e\n  h\nend\n", [3]),
        ("a.php", "<?php function f() { try { g(); } catch (\\Throwable $e) {} }\n", [1]),
        ("a.kt", "fun f() { try { g() } catch (e: Exception) {} }\n", [1]),
        ("a.cpp", "void f() { try { g(); } catch (...) {} }\n", [1]),
    ],
)
def test_what_takes_up_any_failure_is_told_apart(path: str, text: str, lines: list[int]) -> None:
    """One kind of failure is taken up for a reason of its own."""
    assert [each.line for each in facts_of(path, text, FactKind.CATCHES) if each.value == "*"] == lines


@pytest.mark.parametrize(
    ("path", "text", "holder"),
    [
        ("a.py", "class Pool:\n    def f(self):\n        self.size = 1\n", "Pool"),
        ("a.py", "def f(pool: 'shop.Pool | None', a=1):\n    pool.size = 1\n", "Pool"),
        ("a.py", "def f(a, pool):\n    pool.size = 1\n", ""),
        ("a.ts", "function f(pool?: Pool) {\n  pool.size = 1\n}\n", "Pool"),
        ("a.go", "package a\nfunc (c *Pool) f(a int) {\n\tc.size = 1\n}\n", "Pool"),
        ("A.java", "class A { void f(int a, Pool<T> pool) { pool.size = 1; } }\n", "Pool"),
        ("a.rs", "fn f(a: u32, pool: &mut shop::Pool) {\n  pool.size = 1;\n}\n", "Pool"),
        ("a.c", "void f(int a, struct pool *p) {\n  p->size = 1;\n}\n", "pool"),
    ],
)
def test_a_change_is_told_with_the_type_of_its_holder(path: str, text: str, holder: str) -> None:
    """The class around, or the type that the signature gives a parameter."""
    (changed,) = facts_of(path, text, FactKind.MUTATES)

    assert (changed.value.rpartition(".")[2], changed.detail) == ("size", holder)


@pytest.mark.parametrize(
    ("path", "text", "guard", "line"),
    [
        ("a.py", "def f(x):\n    if x < 0:\n        raise ValueError(x)\n", "x < 0", 2),
        ("a.py", "def f(x):\n    if x:\n        pass\n    else:\n        raise ValueError(x)\n", "not (x)", 2),
        ("a.py", "def f(x):\n    if x:\n        pass\n    elif g(x):\n        raise ValueError(x)\n", "g(x)", 4),
        ("a.py", "if DEBUG:\n    def f(x):\n        raise ValueError(x)\n", "", 3),
        ("a.ts", "function f(a) {\n  if (a > 1 && b) {\n    throw new Bent()\n  }\n}\n", "a > 1 && b", 2),
        ("A.java", "class A { void f() {\n if (a == null)\n throw new Bent(); } }", "a == null", 2),
        ("a.go", "package a\nfunc f() {\n\tif a < 1 {\n\t\tpanic(a)\n\t}\n}\n", "a < 1", 3),
        ("a.rs", 'fn f() {\n  if a {\n    panic!("x");\n  }\n}\n', "a", 2),
        ("a.cs", "class A { void F() {\n if (a)\n throw new Bent(); } }\n", "a", 2),
        ("a.rb", "def f\n  raise Bent unless a\nend\n", "not (a)", 2),
        ("a.php", "<?php function f() {\n if ($a) {\n throw new Bent(); } }\n", "$a", 2),
        ("a.kt", "fun f() {\n  if (a) throw Bent()\n}\n", "a", 2),
        ("a.cpp", "void f() {\n  if (a)\n    throw Bent();\n}\n", "a", 2),
    ],
)
def test_what_is_raised_is_told_with_its_guard(path: str, text: str, guard: str, line: int) -> None:
    """The condition of the innermost branch in the function, and the line of that."""
    (raised,) = facts_of(path, text, FactKind.RAISES)

    assert (raised.detail, raised.line - raised.above) == (guard, line)


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.rs", "impl fmt::Shape for &mut Square<T> {\n}\n", [("fmt.Shape", "Square", 1)]),
        ("a.py", "@zope.implementer(IBank, IVault)\nclass Bank:\n    pass\n", [("IBank", "", 1), ("IVault", "", 1)]),
        ("a.py", "@implements(1)\ndef f(): pass\n", []),
    ],
)
def test_an_interface_that_is_implemented_by_other_means_than_a_base(
    path: str, text: str, found: list[tuple[str, str, int]]
) -> None:
    """Blocks apart from the type, and decorators."""
    assert [(each.value, each.detail, each.line) for each in facts_of(path, text, FactKind.IMPLEMENTS)] == found


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "a.py",
            'def f(x):\n    """Say it twice."""\n    say(f"no such {x} here: %s")\n    say("one")\n',
            [("no such {} here: {}", 3)],
        ),
        ("a.js", "say(`no such ${x} here`)\n", [("no such {} here", 1)]),
        ("A.java", 'class A { void f() { say("no such thing"); } }\n', [("no such thing", 1)]),
        ("a.go", 'package a\nfunc f() { say("no such %d thing") }\n', [("no such {} thing", 2)]),
        ("a.rs", 'fn f() { say("no such {} thing"); }\n', [("no such {} thing", 1)]),
        ("a.cs", 'class A { void F() { Say($"no such {x} thing"); } }\n', [("no such {} thing", 1)]),
        ("a.rb", 'def f\n  say("no such #{x} thing")\nend\n', [("no such {} thing", 2)]),
        ("a.php", '<?php function f() { say("no such {$x} thing"); }\n', [("no such {} thing", 1)]),
        ("a.kt", 'fun f() { say("no such ${x} thing") }\n', [("no such {} thing", 1)]),
        ("a.cpp", 'void f() { say("no such thing"); }\n', [("no such thing", 1)]),
    ],
)
def test_a_text_of_several_words_is_a_fact(path: str, text: str, found: list[tuple[str, int]]) -> None:
    """Whatever it is handed to, with its values left out; documentation is none."""
    assert [(each.value, each.line) for each in facts_of(path, text, FactKind.TEXT)] == found


def test_an_error_that_is_handed_over_is_told_with_what_takes_it() -> None:
    """Values of other kinds count too, messages of logs do not."""
    code = "function f(done) {\n  done(new TornNote())\n  console.log(new Date())\n}\n"

    assert [(each.value, each.detail, each.line) for each in facts_of("a.js", code, FactKind.HANDED)] == [
        ("TornNote", "done", 2)
    ]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (
            "a.c",
            "static int ink;\nvoid f(struct c *c) {\n  int own = 1;\n  own = 2;\n  --ink;\n  c->n |= 1;\n}\n",
            ["ink", "c.n"],
        ),
        ("a.rs", "fn f(ink: &mut u32) {\n  *ink += 1;\n  self.x = 2;\n}\n", ["ink", "self.x"]),
        ("a.cs", "class A { void F() { this.x = 1; } }\n", ["this.x"]),
        ("a.rb", "def f\n  @x += 1\nend\n", ["x"]),
        ("a.php", "<?php function f() { $this->x += 1; }\n", ["this.x"]),
        ("a.kt", "fun f() { this.x = 1 }\n", ["this.x"]),
    ],
)
def test_what_is_changed_is_a_fact_in_languages_that_are_read_by_name(path: str, text: str, names: list[str]) -> None:
    """Members and variables of the file; local variables are none."""
    assert [each.value for each in facts_of(path, text, FactKind.MUTATES)] == names


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'def f():\n  raise KeyError("no such thing here")\n', (Origin.RAISED, "")),
        ("a.py", 'def f(x):\n  assert x, "no such thing here"\n', (Origin.ASSERTED, "AssertionError")),
        ("a.py", 'def f():\n  log.error("no such thing here")\n', (Origin.NONE, "")),
        ("a.js", 'function f() { throw new Error("no such thing here") }\n', (Origin.RAISED, "")),
        ("a.go", 'package a\nfunc f() error {\n\treturn fmt.Errorf("no such thing here")\n}\n', (Origin.RETURNED, "")),
        ("a.go", 'package a\nfunc f() {\n\tlog.Printf("no such thing here")\n}\n', (Origin.NONE, "")),
        ("a.py", 'def f(x):\n  if x > 9:\n    log.error("no such thing here")\n', (Origin.NONE, "x > 9")),
        ("a.py", 'def f(x):\n  if x:\n    pass\n  else:\n    raise E("no such thing")\n', (Origin.RAISED, "not (x)")),
        (
            "a.rs",
            'fn f(x: u8) {\n    if x > 9 {\n        bail!("no such thing");\n    }\n}\n',
            (Origin.RETURNED, "x > 9"),
        ),
        ("a.js", 'function f(x) { if (x > 9) { throw new Error("no such thing here") } }\n', (Origin.RAISED, "x > 9")),
        ("a.js", 'function f(x) {\n  if (!x)\n    this.error("no such thing here");\n}\n', (Origin.NONE, "!x")),
        ("a.go", 'package a\nfunc f() {\n\tif x {\n\t\tlog.Printf("no such thing")\n\t}\n}\n', (Origin.NONE, "x")),
    ],
)
def test_a_message_says_whether_and_when_it_is_raised(path: str, text: str, expected: tuple[Origin, str]) -> None:
    """Or returned, where errors are values; one that is only reported raises nothing. A branch says when."""
    assert [(each.origin, each.detail) for each in facts_of(path, text, FactKind.ERROR_STRING)] == [expected]


def test_a_message_of_a_variable_is_the_one_that_is_assigned_before_it_is_raised() -> None:
    """A function that assigns several messages to one name raises each of them at its own place."""
    text = """def f(a):
    if a:
        msg = "the lamp is out"
        raise ValueError(msg)
    if not a:
        msg = "the lamp is lit"
        raise ValueError(msg)
"""

    found = [(each.value, each.line) for each in facts_of("a.py", text, FactKind.ERROR_STRING)]

    assert found == [("the lamp is out", 4), ("the lamp is lit", 7)]
