"""One small program for each construct of JavaScript and TypeScript: what is found to call what."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.domain.linking.javascript.semantics import JavaScriptSemantics
from indexer.domain.linking.naming import arrow_names, named_calls
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.world import World
from tests.unit.indexer.read_units import units_of


def solved(sources: dict[str, str]) -> World:
    """Link files given by path."""
    texts = {path: textwrap.dedent(text) for path, text in sources.items()}
    return Engine(JavaScriptSemantics()).solve(units_of(JavaScriptLanguage(), texts))


def calls(sources: dict[str, str]) -> set[str]:
    """Give `caller > callee` of all calls inside the files that a walk follows."""
    return {
        f"{caller} > {callee}"
        for (caller, callee), confidence in named_calls(solved(sources)).items()
        if 0.55 <= confidence < 1.0
    }


CONSTRUCTS = {
    "hoisting": ("f(); function f() {}", {"m > m.f"}),
    "the last assignment before the call": ("let x = f; x = g; x(); function f() {} function g() {}", {"m > m.g"}),
    "both branches": (
        "let x; if (y) x = f; else { x = g } x(); function f() {} function g() {}",
        {"m > m.f", "m > m.g"},
    ),
    "a name of a block hides that of the block around it": (
        "function f() {} function g() {} const x = f; { const x = g } x()",
        {"m > m.f"},
    ),
    "closures see what is assigned by other functions": (
        "let x; function set() { x = f } function f() {} set(); x()",
        {"m > m.set", "m > m.f"},
    ),
    "a function that is exported on its way to its name makes objects": (
        "var A = module.exports = function () {}; A.prototype.f = function () {}; new A().f()",
        {"m > m.A", "m > m.A.f"},
    ),
    "a loop that calls what it assigns further down": (
        "function f() {} function g() {} let x = f; while (a) { x(); x = g }",
        {"m > m.f", "m > m.g"},
    ),
    "switch and try": (
        "function f() {} function g() {} switch (a) { case 1: f(); break; default: try { g() } catch (e) { f(e) } }",
        {"m > m.f", "m > m.g"},
    ),
    "destructuring with defaults and rest": (
        (
            "function f() {} function g() {} function h() {}\n"
            "const { a, b: { c = h } = {}, ...rest } = { a: f, d: g }; a(); c(); rest.d();"
        ),
        {"m > m.f", "m > m.g", "m > m.h"},
    ),
    "parameters by destructuring": (
        "function f() {} function run({ cb }, [other]) { cb(); other() } run({ cb: f }, [f])",
        {"m > m.run", "m.run > m.f"},
    ),
    "spread arguments": (
        "function f() {} function g() {} function run(a, b) { b() } run(...[f, g])",
        {"m > m.run", "m.run > m.g"},
    ),
    "spread of objects, item by item": (
        "function f() {} function g() {} const a = { f }; const b = { ...a, g }; b.f()",
        {"m > m.f"},
    ),
    "methods of an object and its this": (
        "const api = { load() { return this.send() }, send: function () {} }; api.load()",
        {"m > m.api.load", "m.api.load > m.api.send"},
    ),
    "a class with fields, getters, setters, statics and private names": (
        (
            "class A { #x = f(); static make() { return new A() } get y() { return this.#z() }\n"
            "  set y(v) { g() } #z() {} run = () => this.y }\n"
            "const a = A.make(); a.run(); a.y = 1;\nfunction f() {} function g() {}"
        ),
        {
            "m > m.f",
            "m > m.A.make",
            "m > m.A.run",
            "m > m.A.y",
            "m.A.run > m.A.y",
            "m.A.y > m.A.#z",
            "m.A.y > m.g",
        },
    ),
    "super and inherited constructors": (
        "class A { constructor() { this.hi() } hi() {} } class B extends A { hi() { super.hi() } } new B()",
        {"m > m.A.constructor", "m.A.constructor > m.A.hi", "m.A.constructor > m.B.hi", "m.B.hi > m.A.hi"},
    ),
    "constructor functions and their prototypes": (
        (
            "function A() { this.x() } A.prototype.x = function () {}; function B() { A.call(this) }\n"
            "B.prototype = Object.create(A.prototype); new B().x()"
        ),
        {"m > m.B", "m > m.A.x", "m.B > m.A", "m.A > m.A.x"},
    ),
    "mixins": (
        "const Loud = { shout() {} }; class A {} Object.assign(A.prototype, Loud); new A().shout()",
        {"m > m.Loud.shout"},
    ),
    "call, apply and bind": (
        "function f(cb) { cb() } function g() {} f.call(null, g); f.apply(null, [g]); const h = f.bind(null); h(g)",
        {"m > m.f", "m.f > m.g"},
    ),
    "callbacks of arrays belong to where they stand": (
        "function f(x) { return x } function g() {} [g].map((x) => f(x)).forEach((y) => y())",
        {"m > m.f", "m > m.g"},
    ),
    "elements of maps and sets": (
        "function f() {} const known = new Map(); known.set('f', f); known.get('f')()",
        {"m > m.f"},
    ),
    "timers, promises and events": (
        (
            "function f() {} function g() {} function h() {} function k() { return h }\n"
            "setTimeout(f, 1); fetch('x').then(g); async function run() { (await load())() } async function load() {\n"
            "  return k() } emitter.on('x', h); run()"
        ),
        {"m > m.f", "m > m.g", "m > m.h", "m > m.run", "m.run > m.load", "m.run > m.h", "m.load > m.k"},
    ),
    "generators and iterables": (
        (
            "function* f() { yield g } function g() {} for (const x of f()) x();\n"
            "class A { *[Symbol.iterator]() {} } for (const x of new A()) ;"
        ),
        {"m > m.f", "m > m.g", "m > m.A.[Symbol.iterator]"},
    ),
    "what a wrapper is bound to": (
        "function wrap(f) { return f } const load = wrap(function () { inner() }); load(); function inner() {}",
        {"m > m.wrap", "m > m.load", "m.load > m.inner"},
    ),
    "conditional calls and logical assignment": (
        "function f() {} let x; x ??= f; x?.(); (y && f)()",
        {"m > m.f"},
    ),
    "eval of a constant": ("function f() {} eval('f()')", {"m > m.f"}),
    "sequences, templates, optional chains": (
        "function f() {} function tag() {} tag`${f()}`; (0, f)(); const o = { f }; o?.f?.()",
        {"m > m.f", "m > m.tag"},
    ),
}
TYPED = {
    "parameters, results and fields": (
        (
            "class A { go() {} } class Holder { a: A; get(): A { return this.a } }\n"
            "function f(h: Holder, as: A[], m: Map<string, A>, p: Promise<A>) {\n"
            "  h.get().go(); as[0].go(); m.get('x').go(); p.then((a) => a.go()) }"
        ),
        {"m.f > m.Holder.get", "m.f > m.A.go"},
    ),
    "an interface leads to what implements it": (
        "interface I { go(): void } class A implements I { go() {} } function f(i: I) { i.go() }",
        {"m.f > m.I.go", "m.f > m.A.go"},
    ),
    "parameter properties": (
        "class A { go() {} } class B { constructor(private readonly a: A) {} run() { this.a.go() } }",
        {"m.B.run > m.A.go"},
    ),
    "unions, aliases and generics": (
        "class A { go() {} } type Maybe = A | null; function f(a: Maybe, b?: Readonly<A>) { a!.go(); b?.go() }",
        {"m.f > m.A.go"},
    ),
    "instanceof and casts": (
        "class A { go() {} } function f(x: unknown, y: any) { if (x instanceof A) x.go(); (y as A).go() }",
        {"m.f > m.A.go"},
    ),
    "namespaces and enumerations": (
        "namespace N { export function f() {} } enum E { A } N.f(); E.A.toString()",
        {"m > m.f"},
    ),
    "decorators": (
        (
            "function sealed(c: any) {} function log(n: string) { return inner } function inner(t: any) {}\n"
            "@sealed class A { @log('x') go() {} }"
        ),
        {"m > m.sealed", "m > m.log", "m > m.inner"},
    ),
    "this may be anything": ("class A { static run() {} } function f(this: any) { this.run() } const all = [A]", set()),
    "overloads lead to the implementation": (
        "function f(a: string): void; function f(a: number): void; function f(a: any) {} f(1)",
        {"m > m.f"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), CONSTRUCTS.values(), ids=CONSTRUCTS.keys())
def test_a_construct_calls_what_it_runs(text: str, expected: set[str]) -> None:
    """Each construct gives these edges and no others."""
    assert calls({"m.js": text}) == expected


@pytest.mark.parametrize(("text", "expected"), TYPED.values(), ids=TYPED.keys())
def test_a_declared_type_leads_to_its_methods(text: str, expected: set[str]) -> None:
    """Each annotation gives these edges and no others."""
    assert {edge for edge in calls({"m.ts": text}) if "<" not in edge} == expected


MODULES = {
    "names, default and namespace": (
        {
            "a.js": "export function f() {} export default class A { go() {} }",
            "m.js": "import A, { f as g } from './a'; import * as all from './a.js'; g(); new A().go(); all.f()",
        },
        {"m > a.f", "m > a.A.go"},
    ),
    "re-exports, stars and folders": (
        {
            "lib/index.ts": "export * from './deep'; export { f as g } from './deep'; export * as ns from './deep'",
            "lib/deep.ts": "export function f() {}",
            "m.ts": "import { f, g, ns } from './lib'; f(); g(); ns.f()",
        },
        {"m > lib.deep.f"},
    ),
    "a .js import that means the .ts file": (
        {"a.ts": "export const f = () => 1", "m.ts": "import { f } from './a.js'; f()"},
        {"m > a.f"},
    ),
    "require of names, of a whole and of a folder": (
        {
            "a.js": "exports.f = function () {}; module.exports.g = () => 1",
            "b.js": "module.exports = class B { go() {} }",
            "c/index.js": "function h() {} module.exports = { h }",
            "m.js": "const { f, g } = require('./a'), B = require('./b'); f(); g(); new B().go(); require('./c').h()",
        },
        {"m > a.f", "m > a.g", "m > b.B.go", "m > c.h"},
    ),
    "the default import of a CommonJS module": (
        {"a.js": "module.exports = function f() {}", "m.mjs": "import f from './a.js'; f()"},
        {"m > a.f"},
    ),
    "dynamic imports": (
        {
            "a.js": "export function f() {} export default f",
            "m.js": "import('./a').then((a) => a.default()); async function g() { (await import('./a')).f() }",
        },
        {"m.g > a.f"},
    ),
    "aliases of folders, baseUrl and workspaces": (
        {
            "src/a.ts": "export function f() {}",
            "src/deep/m.ts": "import { f } from '@/a'; import { f as g } from 'src/a';\n"
            "import { k } from '@org/kit'; f(); g(); k()",
            "packages/kit/package.json": '{ "name": "@org/kit" }',
            "packages/kit/src/index.ts": "export function k() {}",
            "packages/kit/config.ts": "export function j() {}",
        },
        {"src.deep.m > src.a.f", "src.deep.m > packages.kit.src.k"},
    ),
    "paths and baseUrl of tsconfig.json": (
        {
            "app/tsconfig.json": (
                '{ // here\n "compilerOptions": { "baseUrl": "./code", "paths": { "#db/*": ["data/*"] }, } }'
            ),
            "app/code/data/books.ts": "export function f() {}",
            "app/code/tools.ts": "export function g() {}",
            "app/code/web/m.ts": "import { f } from '#db/books'; import { g } from 'tools'; f(); g()",
        },
        {"app.code.web.m > app.code.data.books.f", "app.code.web.m > app.code.tools.g"},
    ),
    "names, main and exports of package.json": (
        {
            "one/package.json": '{ "name": "@org/one", "main": "dist/index.js" }',
            "one/src/index.ts": "export function f() {}",
            "two/package.json": '{ "name": "two", "exports": { ".": "./a.js", "./b": { "import": "./deep/b.js" } } }',
            "two/a.ts": "export function g() {}",
            "two/deep/b.ts": "export function h() {}",
            "m.ts": "import { f } from '@org/one'; import { g } from 'two'; import { h } from 'two/b'; f(); g(); h()",
        },
        {"m > one.src.f", "m > two.a.g", "m > two.deep.b.h"},
    ),
    "TypeScript's own import and export of a whole": (
        {"a.ts": "function f() {} export = f", "m.ts": "import f = require('./a'); f()"},
        {"m > a.f"},
    ),
    "components": (
        {
            "b.tsx": "export const Button = ({ onClick }) => <b onClick={onClick} />;",
            "m.tsx": "import { Button } from './b'; import * as ui from './b';\n"
            "function App() { const go = () => 1; return <><Button onClick={go} /><ui.Button /></> }",
        },
        {"m.App > b.Button"},
    ),
    "imports in a circle": (
        {
            "a.js": "import { g } from './b'; export function f() { g() }",
            "b.js": "import { f } from './a'; export function g() { f() }",
        },
        {"a.f > b.g", "b.g > a.f"},
    ),
    "packages stay outside": ({"a.js": "export function map() {}", "m.js": "import { map } from 'a'; map()"}, set()),
}


@pytest.mark.parametrize(("sources", "expected"), MODULES.values(), ids=MODULES.keys())
def test_imports_lead_to_what_they_import(sources: dict[str, str], expected: set[str]) -> None:
    """Each way to import gives these edges and no others."""
    assert {edge for edge in calls(sources) if "<" not in edge} == expected


def test_bound_arrows_have_a_number_too() -> None:
    """Benchmarks that count arrow functions find them under their numbers."""
    world = solved({"m.js": "const f = () => 1; g(() => 2); const h = (x) => x"})

    assert arrow_names(world) == {"m.f": "m.<arrow1>", "m.h": "m.<arrow3>"}
