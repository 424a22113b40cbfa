"""Where imports and calls lead in trees of several packages, platforms and configurations."""

from __future__ import annotations

import pytest

from indexer.domain.model import EdgeKind, Tier
from tests.unit.indexer.read_units import led

TYPESCRIPT = {
    "packages/ui/src/util/label.ts": "export function labelOf() {}\n",
    "packages/api/src/util/label.ts": "export function labelOf() {}\n",
    "packages/core/lib/entry.ts": "export function stampOf() {}\n",
    "packages/core/package.json": '{"name": "@acme/core", "exports": {"./*": "./lib/*.ts"}}',
}


@pytest.mark.parametrize(
    ("more", "written", "target"),
    [
        (
            {
                "packages/ui/tsconfig.json": '{ "extends": "../../config/shared.json" }',
                "config/shared.json": '{ "compilerOptions": { "paths": { "~/*": ["${configDir}/src/*"] } } }',
            },
            "~/util/label",
            "packages/ui/src/util/label.ts",
        ),
        (
            {
                "packages/ui/tsconfig.json": '{ "extends": ["../../config/first", "../../config/last"] }',
                "config/first.json": '{ "compilerOptions": { "paths": { "#l": ["../packages/api/src/*"] } } }',
                "config/last.json": '{ "compilerOptions": { "paths": { "#l": ["../packages/ui/src/util/label"] } } }',
            },
            "#l",
            "packages/ui/src/util/label.ts",
        ),
        (
            {
                "packages/ui/tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
                "packages/ui/tsconfig.app.json": '{ "compilerOptions": { "paths": { "our/*": ["./src/util/*"] } } }',
            },
            "our/label",
            "packages/ui/src/util/label.ts",
        ),
        (
            {
                "config/shared.json": '{ "compilerOptions": { "paths": { "x/*": ["../packages/api/src/*"] } } }',
                "packages/ui/tsconfig.json": (
                    '{ "extends": "../../config/shared", "compilerOptions": { "paths": { "x/*": ["./src/*"] } } }'
                ),
            },
            "x/util/label",
            "packages/ui/src/util/label.ts",
        ),
        (
            {"packages/ui/package.json": '{ "imports": { "#util/*": { "default": "./src/util/*.ts" } } }'},
            "#util/label",
            "packages/ui/src/util/label.ts",
        ),
        ({}, "@acme/core/entry", "packages/core/lib/entry.ts"),
        ({"config/shared.json": '{ "compilerOptions": { "paths": { "x/*": ["./*"] } } }'}, "x/y", "x/y.labelOf"),
    ],
    ids=[
        "extends",
        "extends several",
        "references",
        "overrides",
        "package imports",
        "package exports",
        "not inherited",
    ],
)
def test_an_import_of_typescript_leads_where_its_configuration_says(
    more: dict[str, str], written: str, target: str
) -> None:
    """What a configuration inherits, refers to, or says itself instead; names with `#`; patterns of exports."""
    page = {"packages/ui/src/page.ts": f"import {{ labelOf }} from '{written}';\n"}

    found = led("javascript", TYPESCRIPT | more | page, EdgeKind.IMPORT)["packages/ui/src/page.ts"]

    assert [path for path, _ in found] == [target]


def test_an_import_leads_to_the_file_that_defines_the_name_whatever_its_value_is() -> None:
    """A constant that another file's function makes or is; names that are passed on lead to their definition."""
    files = {
        "make.ts": "export function made() {}\nexport function make() { return made; }\n",
        "held.ts": "import { make, made } from './make';\nexport const one = make();\nexport const two = made;\n",
        "index.ts": "export { one as first, two } from './held';\nexport * from './make';\n",
        "user.ts": "import { first, two, made } from './index';\n",
    }
    python = {
        "make.py": "def made(): ...\ndef make(): return made\n",
        "held.py": "from make import make, made\none = make()\ntwo = made\n",
        "either.py": "try:\n    from make import made\nexcept ImportError:\n    from held import two as made\n",
        "user.py": "from held import one, two, make\nfrom either import made\n",
    }

    assert [path for path, _ in led("javascript", files, EdgeKind.IMPORT)["user.ts"]] == ["index.ts", "make.ts"]
    assert [path for path, _ in led("python", python, EdgeKind.IMPORT)["user.py"]] == ["held.py", *["make.py"] * 3]


def test_each_variant_of_a_function_for_a_platform_is_called() -> None:
    """Files of one Go package that define the same function and methods stand for each other."""
    files = {
        "go.mod": "module example.org/disk\n",
        "main.go": """
            package main
            import "example.org/disk/disk"
            func main() { disk.Free(); disk.Open().Close() }
        """,
        **{
            f"disk/free_{system}.go": f"""
                package disk
                func Free() {{ {system}() }}
                func {system}() {{}}
                type File struct {{}}
                func (f *File) Close() {{}}
            """
            for system in ("linux", "windows")
        },
        "disk/open.go": "package disk\nfunc Open() *File { return &File{} }\n",
    }

    found = led("go", files, EdgeKind.CALL)

    assert sorted(path for path, _ in found["main.go"]) == [
        "disk/free_linux.go",
        "disk/free_linux.go",
        "disk/free_windows.go",
        "disk/free_windows.go",
        "disk/open.go",
    ]
    assert [path for path, _ in found["disk/free_windows.go"]] == ["disk/free_windows.go"]


def test_a_call_over_a_trait_may_be_of_each_implementation() -> None:
    """Where other types have the name, too, the declared type says whose it is; without one nothing does."""
    teller = "pub trait Teller { fn pay(&self, cents: u32) -> u32; }\n"
    desk = "struct Desk;\nimpl Teller for Desk { fn pay(&self, cents: u32) -> u32 { cents } }\n"
    other = "struct Other;\nimpl Other { fn pay(&self, cents: u32) -> u32 { cents } }\n"
    settle = "fn settle(teller: &dyn Teller) -> u32 { teller.pay(1) }\n"

    files = {"src/a.rs": teller, "src/b.rs": desk, "src/c.rs": desk.replace("Desk", "Machine"), "src/d.rs": settle}

    family = led("rust", files, EdgeKind.CALL)
    mixed = led("rust", files | {"src/e.rs": other}, EdgeKind.CALL)
    untyped = settle.replace("teller: &dyn Teller", "teller")
    unknown = led("rust", files | {"src/d.rs": untyped, "src/e.rs": other}, EdgeKind.CALL)

    assert sorted(family["src/d.rs"]) == [(f"src/{file}.rs", Tier.ARGUMENT) for file in "abc"]
    assert sorted(mixed["src/d.rs"]) == [
        ("src/a.rs", Tier.STATIC),
        *((f"src/{each}.rs", Tier.ARGUMENT) for each in "bc"),
    ]
    assert unknown["src/d.rs"] == [("teller.pay", Tier.STATIC)]


def test_imports_of_go_lead_into_the_modules_of_a_workspace() -> None:
    """By `go.mod`, `replace` and `go.work`; a package is no test, and two modules of one path are told apart."""
    files = {
        "go.mod": "module example.org/shop\nreplace example.org/money v1.2.0 => ./third/money\n",
        "go.work": "go 1.22\nuse (\n  .\n  ./tools\n)\nreplace (\n  example.org/log => ./tools/log\n)\n",
        "a_test.go": "package shop\n",
        "shop.go": 'package shop\nimport "example.org/money/coins"\nimport "example.org/log"\nimport "fmt"\n',
        "third/money/coins/a_test.go": "package coins\n",
        "third/money/coins/coin.go": "package coins\n",
        "tools/go.mod": "module example.org/tools\n",
        "tools/log/log.go": "package log\n",
        "tools/main.go": 'package main\nimport "example.org/shop"\nimport "example.org/tools/log"\n',
        **{f"examples/{name}/go.mod": "module example.org/app\n" for name in ("one", "two")},
        **{f"examples/{name}/pages/page.go": "package pages\n" for name in ("one", "two")},
        "examples/two/main.go": 'package main\nimport "example.org/app/pages"\n',
    }

    found = led("go", files, EdgeKind.IMPORT)

    assert {path: [target for target, _ in targets] for path, targets in found.items()} == {
        "shop.go": ["third/money/coins/coin.go", "tools/log/log.go", "fmt"],
        "tools/main.go": ["shop.go", "tools/log/log.go"],
        "examples/two/main.go": ["examples/two/pages/page.go"],
    }


def test_a_package_of_typescript_is_the_one_that_its_manifest_names() -> None:
    """No folder of that name is; of two packages of one name the nearest is meant, and a file by its whole path."""
    files = {
        "packages/next/src/index.ts": "export function start() {}\n",
        "packages/next/package.json": '{"name": "@acme/next"}',
        "packages/core/package.json": '{"name": "core", "types": "./types/core.d.ts", "main": "./out/core.js"}',
        "packages/core/src/core.ts": "",
        "packages/core/src/index.ts": "export function stamp() {}\n",
        "apps/one/kit/package.json": '{"name": "kit"}',
        "apps/one/kit/index.ts": "export function pack() {}\n",
        "apps/two/kit/package.json": '{"name": "kit"}',
        "apps/two/kit/index.ts": "export function pack() {}\n",
        "vitest.config.ts": "export default {};\n",
        "apps/two/page.ts": """
            import { start } from 'next';
            import { start as begin } from '@acme/next';
            import { defineConfig } from 'vitest/config';
            import { pack } from 'kit';
            import { stamp } from 'core';
            import text from './kit/index.ts?raw';
        """,
    }

    found = led("javascript", files, EdgeKind.IMPORT)["apps/two/page.ts"]

    assert [target for target, _ in found] == [
        "next.start",
        "packages/next/src/index.ts",
        "vitest/config.defineConfig",
        "apps/two/kit/index.ts",
        "packages/core/src/index.ts",
        "apps/two/kit/index.ts",
    ]


def test_a_class_of_java_is_that_of_the_nearest_project() -> None:
    """Two projects of one tree have a class of one name; tests, other packages and subclasses see their own."""

    def project(name: str, called: str) -> dict[str, str]:
        return {
            f"{name}/src/main/java/acme/Config.java": f"package acme;\nclass Config {{ void {called}() {{}} }}\n",
            f"{name}/src/main/java/acme/web/Page.java": (
                f"package acme.web;\nimport acme.Config;\nclass Page {{ void show(Config c) {{ c.{called}(); }} }}\n"
            ),
            f"{name}/src/test/java/acme/ConfigTest.java": (
                f"package acme;\nclass ConfigTest extends Config {{ void test() {{ {called}(); Shared.help(); }} }}\n"
            ),
        }

    files = {
        **project("orders", "load"),
        **project("stock", "read"),
        "shared/src/main/java/acme/Shared.java": "package acme;\npublic class Shared { static void help() {} }\n",
    }
    imports, bases, calls = (led("java", files, kind) for kind in (EdgeKind.IMPORT, EdgeKind.INHERITS, EdgeKind.CALL))

    for name in ("orders", "stock"):
        own = f"{name}/src/main/java/acme/Config.java"
        test = f"{name}/src/test/java/acme/ConfigTest.java"
        assert [path for path, _ in imports[f"{name}/src/main/java/acme/web/Page.java"]] == [own]
        assert [path for path, _ in calls[f"{name}/src/main/java/acme/web/Page.java"]] == [own]
        assert [path for path, _ in bases[test]] == [own]
        assert {path for path, _ in calls[test]} == {own, "shared/src/main/java/acme/Shared.java"}


def test_each_variant_of_a_class_for_a_build_is_used() -> None:
    """Of two folders that are equally near, none is the one that is meant; tests are no variant."""
    files = {
        f"src/{variant}/java/acme/Log.java": "package acme;\nclass Log { static void write() {} }\n"
        for variant in ("debug", "release", "test")
    }
    files["src/main/java/acme/App.java"] = "package acme;\nclass App { void run() { Log.write(); } }\n"

    found = led("java", files, EdgeKind.CALL)["src/main/java/acme/App.java"]

    assert [path for path, _ in found] == ["src/debug/java/acme/Log.java", "src/release/java/acme/Log.java"]


def test_a_class_of_java_is_named_in_full_beside_an_imported_one() -> None:
    """The package stands before the name of the class, with the method behind it."""
    files = {
        f"src/acme/{name}/Log.java": f"package acme.{name};\npublic class Log {{ public static void write() {{}} }}\n"
        for name in ("one", "two")
    }
    text = "package acme;\nimport acme.one.Log;\nclass App { void run() { Log.write(); acme.two.Log.write(); } }\n"

    found = led("java", files | {"src/acme/App.java": text}, EdgeKind.CALL)["src/acme/App.java"]

    assert [path for path, _ in found] == ["src/acme/one/Log.java", "src/acme/two/Log.java"]
