"""Where imports and calls lead in trees of several packages, platforms and configurations."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, LinkUnit, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping


def led(language: str, files: Mapping[str, str], kind: EdgeKind) -> dict[str, list[tuple[str, Tier]]]:
    """Return the (path, tier) of what the edges of each file lead to, the name of what is outside."""
    reader = languages()[language]
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    own = {path: text for path, text in texts.items() if path.endswith(reader.extensions)}
    manifests = {path: text for path, text in texts.items() if path.endswith(reader.manifests)}
    names = reader.module_names(own, manifests, None)
    units = [LinkUnit(path, names[path], reader.parse(path, names[path], texts[path])) for path in sorted(names)]
    found: dict[str, list[tuple[str, Tier]]] = {}
    for edge in linkers()[language].link(units).edges:
        if edge.kind == kind:
            target = units[edge.target[0]].path if edge.target else edge.target_name
            found.setdefault(units[edge.source[0]].path, []).append((target, edge.tier))
    return found


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
    """A name that other types have, too, says nothing."""
    teller = "pub trait Teller { fn pay(&self, cents: u32) -> u32; }\n"
    desk = "struct Desk;\nimpl Teller for Desk { fn pay(&self, cents: u32) -> u32 { cents } }\n"
    other = "struct Other;\nimpl Other { fn pay(&self, cents: u32) -> u32 { cents } }\n"
    settle = "fn settle(teller: &dyn Teller) -> u32 { teller.pay(1) }\n"

    files = {"src/a.rs": teller, "src/b.rs": desk, "src/c.rs": desk.replace("Desk", "Machine"), "src/d.rs": settle}

    family = led("rust", files, EdgeKind.CALL)
    mixed = led("rust", files | {"src/e.rs": other}, EdgeKind.CALL)

    assert sorted(family["src/d.rs"]) == [(f"src/{file}.rs", Tier.ARGUMENT) for file in "abc"]
    assert mixed["src/d.rs"] == [("teller.pay", Tier.STATIC)]


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


CRATES = {
    "Cargo.toml": """
        [workspace]
        members = ["crates/*"]
        [workspace.dependencies]
        scan = { package = "acme-scan", path = "crates/scan" }
    """,
    "crates/scan/Cargo.toml": """
        [package]
        name = "acme-scan"
    """,
    "crates/scan/src/lib.rs": """
        mod walk;
        pub use walk::{Walker, entry as first};
        pub struct Error;
        impl Error { pub fn at(line: u32) -> Error { Error } }
    """,
    "crates/scan/src/walk.rs": """
        use super::Error;
        pub struct Walker;
        impl Walker { pub fn start() -> Walker { Walker } }
        pub fn entry() { Error::at(1); }
    """,
    "crates/tool/Cargo.toml": """
        [package]
        name = "acme-tool"
        [dependencies]
        scan.workspace = true
        serde = "1"
    """,
    "crates/tool/src/main.rs": """
        mod args;
        #[path = "other_place.rs"]
        mod elsewhere;
        cfg_windows! {
            mod console;
        }
        use scan::{first, Walker};
        use std::fs::read;
        pub struct Error;
        impl Error { pub fn at(line: u32) -> Error { Error } }
        fn main() {
            first();
            Walker::start();
            Error::at(2);
            elsewhere::read();
            read("x");
        }
    """,
    "crates/tool/src/args.rs": "use crate::Error;\nmod tests { use super::*; }\npub fn parse() { Error::at(3); }\n",
    "crates/tool/src/console.rs": "use super::args::parse;\n",
    "crates/tool/src/other_place.rs": "pub fn read() {}\n",
}


def test_paths_of_rust_lead_through_modules_and_crates() -> None:
    """By manifests with other names for crates, names that modules pass on, `#[path]`, and macros around `mod`."""
    imports = {path: [target for target, _ in found] for path, found in led("rust", CRATES, EdgeKind.IMPORT).items()}

    assert imports == {
        "Cargo.toml": ["crates/scan/src/lib.rs"],
        "crates/scan/Cargo.toml": ["crates/scan/src/lib.rs"],
        "crates/scan/src/lib.rs": ["crates/scan/src/walk.rs"] * 3,
        "crates/scan/src/walk.rs": ["crates/scan/src/lib.rs"],
        "crates/tool/Cargo.toml": ["crates/tool/src/main.rs", "crates/scan/src/lib.rs", "serde"],
        "crates/tool/src/args.rs": ["crates/tool/src/main.rs"],
        "crates/tool/src/console.rs": ["crates/tool/src/args.rs"],
        "crates/tool/src/main.rs": [
            "crates/tool/src/args.rs",
            *["crates/tool/src/other_place.rs"] * 2,
            "crates/tool/src/console.rs",
            *["crates/scan/src/walk.rs"] * 2,
            "std.fs.read",
        ],
    }


def test_calls_of_rust_mean_what_the_imports_of_their_file_name() -> None:
    """A type or function of the same name in another crate, or of the standard library, is not meant."""
    calls = led("rust", CRATES, EdgeKind.CALL)

    assert calls["crates/tool/src/args.rs"] == [("crates/tool/src/main.rs", Tier.STATIC)]
    assert calls["crates/scan/src/walk.rs"] == [("crates/scan/src/lib.rs", Tier.STATIC)]
    assert [path for path, _ in calls["crates/tool/src/main.rs"] if path != "cfg_windows"] == [
        "crates/scan/src/walk.rs",
        "crates/scan/src/walk.rs",
        "crates/tool/src/main.rs",
        "crates/tool/src/other_place.rs",
        "read",
    ]


def test_items_given_to_a_macro_of_rust_are_items() -> None:
    """They have names, lines and callers; what a block of methods holds besides belongs to what is around it."""
    text = """
        pub struct Pool;

        cfg_pool! {
            impl Pool {
                cfg_net! {
                    /// Opens it.
                    pub fn open() { check(); }
                }
                cfg_size!(32);
            }
        }

        cfg_pool! { fn check() {} }
    """
    reader = languages()["rust"]
    unit = LinkUnit("src/lib.rs", "lib", reader.parse("src/lib.rs", "lib", textwrap.dedent(text)))
    symbols = unit.parsed.symbols
    edges = linkers()["rust"].link([unit]).edges

    assert [(each.qualified_name, each.start_line, each.end_line) for each in symbols[1:]] == [
        ("Pool", 2, 2),
        ("Pool.open", 8, 8),
        ("check", 14, 14),
    ]
    assert [(symbols[edge.source[1]].qualified_name, edge.target_name, edge.line) for edge in edges] == [
        ("", "cfg_pool", 4),
        ("", "cfg_net", 6),
        ("Pool.open", "lib.check", 8),
        ("", "cfg_size", 10),
        ("", "cfg_pool", 14),
    ]
