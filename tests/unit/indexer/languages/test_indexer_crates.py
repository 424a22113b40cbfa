"""Where paths of Rust lead, and what its macros hold."""

from __future__ import annotations

import textwrap

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, LinkUnit, Tier
from tests.unit.indexer.read_units import led

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
            "crates/tool/src/other_place.rs",
            "crates/tool/src/console.rs",
            *["crates/scan/src/walk.rs"] * 2,
            "std.fs.read",
        ],
    }


def test_a_manifest_stays_plain_text() -> None:
    """It is read with the language, and is no source of it."""
    rust = languages()["rust"]

    assert (rust.label("crates/scan/Cargo.toml"), rust.label("src/lib.rs")) == ("", "rust")


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


INLINE = {
    "Cargo.toml": "[package]\nname = 'shelf'\n",
    "src/lib.rs": """
        #[cfg(unix)]
        #[path = "posix.rs"]
        mod imp;
        #[cfg(windows)]
        #[path = "nt.rs"]
        mod imp;
        mod lock;
        pub mod sync {
            pub use super::lock::Lock;
            pub mod deep { pub use self::super::super::lock::Key; }
        }
        pub mod parts { pub mod drawer; }
        mod user;
    """,
    "src/posix.rs": "pub fn page() {}\n",
    "src/nt.rs": "pub fn page() {}\n",
    "src/lock.rs": "pub struct Lock;\npub struct Key;\n",
    "src/parts/drawer.rs": "pub fn pull() {}\n",
    "src/user.rs": """
        use crate::sync::Lock;
        use crate::sync::deep::Key;
        use crate::parts::drawer::pull;
        pub struct Own;
        mod tests { use super::Own; }
    """,
}


def test_inline_modules_of_rust_declare_files_and_pass_names_on() -> None:
    """Files of their modules lie in a folder of their name; each file that an attribute names for a module is one."""
    imports = {path: [target for target, _ in found] for path, found in led("rust", INLINE, EdgeKind.IMPORT).items()}

    assert imports["src/user.rs"] == ["src/lock.rs", "src/lock.rs", "src/parts/drawer.rs"]
    assert imports["src/lib.rs"] == [
        "src/posix.rs",
        "src/nt.rs",
        *["src/lock.rs"] * 3,
        "src/parts/drawer.rs",
        "src/user.rs",
    ]


def test_an_inline_module_may_have_everything_of_one_within_it() -> None:
    """What it has from there is found once, and a name that neither has ends nowhere."""
    sources = {
        "src/lib.rs": """
            mod a;
            mod tests {
                use self::defs::*;
                use self::more::*;
                mod defs { pub use super::super::a::Lock; }
                mod more { pub use super::defs::*; }
                fn shut() { Lock::new(); Gone::new(); }
            }
        """,
        "src/a.rs": "pub struct Lock;\nimpl Lock { pub fn new() -> Lock { Lock } }\n",
        "Cargo.toml": '[package]\nname = "doors"\n',
    }

    calls = led("rust", sources, EdgeKind.CALL)

    assert sorted(target for target, _ in calls["src/lib.rs"]) == ["Gone.new", "src/a.rs"]
