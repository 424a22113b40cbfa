"""What the JavaScript adapter says of behaviour and of declarations."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.domain.model import FactKind, SymbolDef, SymbolKind


def facts(text: str, kind: FactKind, path: str = "m.ts") -> list[tuple[str, str]]:
    """Give (qualified name, value) of each fact of a kind."""
    found = JavaScriptLanguage().parse(path, "m", textwrap.dedent(text).lstrip("\n"))
    return [(found.symbols[fact.symbol].qualified_name, fact.value) for fact in found.facts if fact.kind == kind]


def values(text: str, kind: FactKind, path: str = "m.ts") -> list[str]:
    """Give the values alone."""
    return [value for _, value in facts(text, kind, path)]


def symbols(text: str) -> dict[str, SymbolDef]:
    """Give the symbols of a file by qualified name; of overloads the last one."""
    found = JavaScriptLanguage().parse("m.tsx", "m", textwrap.dedent(text).lstrip("\n"))
    return {symbol.qualified_name: symbol for symbol in found.symbols}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("throw new TypeError('x')", ["TypeError"]),
        ("throw new errors.NotFound()", ["errors.NotFound"]),
        ("throw createError(404)", ["createError"]),
        ("const e = new RangeError('x'); throw e", ["RangeError"]),
        ("try {} catch (e) { throw e }", ["e"]),
        ("throw 'gone'", ["string"]),
        ("throw bad ? new A() : new B()", ["A", "B"]),
        ("return Promise.reject(new Gone('x'))", ["Gone"]),
        ("return new Gone('x')", []),
    ],
)
def test_thrown_types_are_named_as_written(body: str, expected: list[str]) -> None:
    """A throw names what it makes, or what the thrown name was made by."""
    assert values(f"function f() {{ {body} }}", FactKind.RAISES) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("this.x = 1", ["this.x"]),
        ("this.x[k] += 1", ["this.x"]),
        ("this.#n++", ["this.#n"]),
        ("[this.a.b, c] = [1, 2]", ["this.a.b", "c"]),
        ("delete this.x[0]", ["this.x"]),
        ("this.items.push(1)", ["this.items"]),
        ("STATE['k'] = 1", ["STATE"]),
        ("STATE.k.deep = 1", ["STATE.k.deep"]),
        ("count ||= 1", ["count"]),
        ("Object.assign(STATE, given)", ["STATE"]),
        ("given.list.splice(0)", ["given.list"]),
        ("const local = []; local.push(1); local[0] = 2", []),
        ("let n = 0; n += 1; for (let i = 0; i < n; i++) {}", []),
        ("given = 1", []),
        ("return this.x", []),
    ],
)
def test_changed_state_is_named(body: str, expected: list[str]) -> None:
    """Properties, outer names and what parameters refer to are facts when changed; locals are not."""
    assert values(f"let count = 0; const STATE = {{}}; function f(given) {{ {body} }}", FactKind.MUTATES) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("throw new Error(`no ${what} in ${place}`)", ["no {} in {}"]),
        ("throw new Error('no ' + what + ' here')", ["no {} here"]),
        ("throw new HttpError(404, { message: 'not found' })", ["not found"]),
        (
            "throw new Error(a ? 'too long' : b ? 'too short' : c ? 'no end' : 'none')",
            ["too long", "too short", "no end", "none"],
        ),
        ("throw new Error(MESSAGES.gone)", ["it is gone"]),
        ("const text = 'local text'; throw new Error(text)", ["local text"]),
        ("next(new ValidationError('name required'))", ["name required"]),
        ("throw new Error(['a', what].join(' '))", ["a {}"]),
        ("throw new Error(util.format('%s failed', what))", ["{} failed"]),
        ("console.error('cannot', what)", ["cannot"]),
        ("console.warn(`slow: ${n} ms`)", ["slow: {} ms"]),
        ("this.logger.info('started')", ["started"]),
        ("log.debug({ id }, 'seen')", ["seen"]),
        ("assert(x, 'x is needed')", ["x is needed"]),
        ("assert.equal(a, b, 'a is not b')", ["a is not b"]),
        ("invariant(x, 'always')", ["always"]),
        ("throw new Error(`the \\`${what}\\` is gone`)", ["the `{}` is gone"]),
        ("console.log('hello')", []),
        ("send('hello')", []),
        ("throw new Error(what)", []),
    ],
)
def test_error_strings_keep_their_fixed_parts(body: str, expected: list[str]) -> None:
    """Messages of errors, of logging and of assertions are found, with `{}` for what varies."""
    text = f"const MESSAGES = {{ gone: 'it is gone' }}; function f(what) {{ {body} }}"

    assert values(text, FactKind.ERROR_STRING) == expected


def test_messages_that_an_error_passes_to_its_base_are_error_strings() -> None:
    """`super(...)` in the constructor of an error says what the error says."""
    text = """
    class Gone extends HttpError { constructor(w) { super(`${w} is gone`) } }
    class A extends B { constructor() { super('x y') } }
    """

    assert facts(text, FactKind.ERROR_STRING) == [("Gone.constructor", "{} is gone")]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("app.get('/users/:id', show)", "m.js", ["route GET /users/:id show"]),
        ("router.route('/users').post(create)", "m.js", ["route POST /users create"]),
        ("fastify.route({ method: 'PUT', url: '/x', handler: put })", "m.js", ["route PUT /x put"]),
        ("cache.get('key', 1); map.delete('x')", "m.js", []),
        (
            "server.on('close', stop); window.addEventListener('load', () => 1)",
            "m.js",
            ["event close stop", "event load"],
        ),
        ("#!/usr/bin/env node\nrun()", "m.js", ["script"]),
        ("if (require.main === module) run()", "m.js", ["script"]),
        (
            "@Controller('users') class A { @Get(':id') show() {} }",
            "m.ts",
            ["controller users", "route GET /users/:id"],
        ),
        ("class A { @OnEvent('paid') f() {} @Cron('* *') g() {} }", "m.ts", ["event paid", "job * *"]),
        ("export async function GET() {}", "src/app/users/route.ts", ["route GET /users"]),
        ("export default function Page() {}", "app/shop/page.tsx", ["route GET /shop"]),
        ("export default function handler() {}", "pages/api/pay.ts", ["route ALL /api/pay"]),
    ],
)
def test_entry_points_are_named(text: str, path: str, expected: list[str]) -> None:
    """Routes, events, jobs and scripts are where control comes in."""
    assert values(text, FactKind.ENTRY_POINT, path) == expected


def test_assertions_and_reasons_are_kept() -> None:
    """What is asserted is kept as written; comments that say why belong to the definition below or around them."""
    text = """
    // Old browsers need this because of a bug.
    // It can go in a year.
    function f() {
      expect(f()).not.toBe(1);
      /* otherwise it hangs */ assert.ok(x);
      // eslint-disable-next-line no-reason
    }
    """

    assert values(text, FactKind.ASSERTION) == ["expect(f()).not.toBe(1)", "assert.ok(x)"]
    assert facts(text, FactKind.RATIONALE) == [
        ("f", "Old browsers need this because of a bug. It can go in a year."),
        ("f", "otherwise it hangs"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "/** Asks. */\nexport function ask(a: A): void\n/*@__PURE__*/\nexport function ask(a: any) {}\n",
        "/** Asks. */\nfunction ask(a: A): void;\nfunction ask(b: B): void;\nfunction ask(a: any) {}\n",
    ],
)
def test_the_comment_above_overloads_is_that_of_the_function(text: str) -> None:
    """Only the first overload has the comment; the one with the body is what is asked about."""
    assert symbols(text)["ask"].docstring == "Asks."


def test_a_function_does_not_take_the_comment_of_another() -> None:
    """What stands above must be a signature of the same name."""
    text = "/** Asks. */\nfunction ask(a: A): void;\nfunction tell(a: any) {}\n"

    assert not symbols(text)["tell"].docstring


@pytest.mark.parametrize(
    ("text", "name", "kind", "signature"),
    [
        (
            "export async function f(a: A,\n  b = 1): Promise<B> {}",
            "f",
            SymbolKind.FUNCTION,
            "export async function f(a: A, b = 1): Promise<B>",
        ),
        ("const f = (x) => x", "f", SymbolKind.FUNCTION, "const f = (x)"),
        ("const f = memo(function () {})", "f", SymbolKind.FUNCTION, "const f = memo(function ()"),
        ("export default function () {}", "default", SymbolKind.FUNCTION, "export default function ()"),
        (
            "class A<T> extends B<T> implements I { m(): void {} }",
            "A",
            SymbolKind.CLASS,
            "class A<T> extends B<T> implements I",
        ),
        ("class A { private m = () => 1 }", "A.m", SymbolKind.METHOD, "private m = ()"),
        ("class A { m() { function inner() {} } }", "A.m.inner", SymbolKind.FUNCTION, "function inner()"),
        ("const api = { users: { list() {} } }", "api.users.list", SymbolKind.METHOD, "list()"),
        ("app.handle = function (req) {}", "app.handle", SymbolKind.METHOD, "app.handle = function (req)"),
        ("exports.run = () => 1", "run", SymbolKind.FUNCTION, "exports.run = ()"),
        ("interface I { m(a: string): void }", "I.m", SymbolKind.METHOD, "m(a: string): void"),
        ("type T = { a: string }", "T", SymbolKind.CLASS, "type T = { a: string }"),
        ("enum E { A }", "E", SymbolKind.CLASS, "enum E"),
        ("namespace N { export function f() {} }", "N.f", SymbolKind.FUNCTION, "export function f()"),
        ("const { a, b: [c] } = x", "c", SymbolKind.VARIABLE, "const { a, b: [c] } = x"),
    ],
)
def test_definitions_have_names_kinds_and_signatures(text: str, name: str, kind: SymbolKind, signature: str) -> None:
    """A definition is found under the name that it is called by, with its declaration on one line."""
    found = symbols(text)[name]

    assert (found.kind, found.signature) == (kind, signature)


def test_overloads_are_symbols_of_their_own() -> None:
    """Each overload and the implementation are there, also two methods of one name."""
    text = "function f(a: string): void;\nfunction f(a: any) {}\nclass A { m() {}\n m() {} }"
    found = JavaScriptLanguage().parse("m.ts", "m", text)

    assert [symbol.qualified_name for symbol in found.symbols] == ["", "f", "f", "A", "A.m", "A.m"]


def test_comments_decorators_visibility_and_decisions() -> None:
    """JSDoc is the docstring, decorators start the lines, what is exported is public, decisions are counted."""
    found = symbols(
        """
        /**
         * Sells.
         *
         * @param a what
         */
        @Injectable()
        @Other
        export class Shop {
          /**Buys. */
          @Get("x") buy(a) { if (a && b) { for (;;) {} } return a ? 1 : c ?? 2 }
          private hide() {}
          #own() {}
        }
        function inner() {}
        """
    )

    assert found["Shop"].docstring == "Sells.\n\n@param a what"
    assert found["Shop"].decorators == ("Injectable()", "Other")
    assert (found["Shop"].start_line, found["Shop.buy"].docstring, found["Shop.buy"].complexity) == (6, "Buys.", 6)
    public = [name for name, symbol in found.items() if symbol.is_public]
    assert public == ["", "Shop", "Shop.buy"]
