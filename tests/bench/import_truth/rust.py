"""Rust: a path leads through the modules that `mod` declares, from the crate's root, or from that of another crate."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import tree_sitter
import tree_sitter_rust

from tests.bench.import_truth.truth import Truth

_MOD = re.compile(
    r"(?:#\[path\s*=\s*\"([^\"]+)\"\]\s*(?:#\[[^\]]*\]\s*)*)?^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;",
    re.MULTILINE,
)

_MACRO = re.compile(rb"^([ \t]*cfg_\w+!\s*)\{", re.MULTILINE)
"""Macros that compile items for some platforms: an unbalanced brace is left behind, which the grammar skips."""


class RustTruth(Truth):
    """The `use` declarations of Rust files."""

    language, endings = "rust", (".rs",)

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
        self._crates: dict[str, set[Path]] = {}
        self._renamed: dict[Path, dict[str, str]] = {}
        self._children: dict[Path, dict[str, set[Path]]] = {}
        self._places: dict[Path, tuple[Path, Path, tuple[str, ...]]] = {}
        """By file its manifest's folder, its crate's root file and its path of modules."""
        for path in sorted(self.all):
            if path.name == "Cargo.toml":
                self._read_manifest(path)
        for path in sorted(self._places):
            self._read(path)

    def _read_manifest(self, path: Path) -> None:
        content = tomllib.loads(self.text(path))
        folder = path.parent
        package = content.get("package", {}).get("name")
        if not package:
            return
        tables = [content, *content.get("target", {}).values()]
        self._renamed[folder] = {
            name.replace("-", "_"): value["package"].replace("-", "_")
            for table in tables
            for kind in ("dependencies", "dev-dependencies", "build-dependencies")
            for name, value in table.get(kind, {}).items()
            if isinstance(value, dict) and "package" in value
        }
        library = content.get("lib", {})
        main = folder / library.get("path", "src/lib.rs")
        if main in self.files:
            self._crates.setdefault(library.get("name", package).replace("-", "_"), set()).add(main)
        written = [
            folder / each["path"]
            for kind in ("bin", "test", "bench", "example")
            for each in content.get(kind, ())
            if "path" in each
        ]
        found = [
            each
            for each in self.files
            if each.parent in (folder / "src/bin", folder / "tests", folder / "benches", folder / "examples")
        ]
        mains = [
            each
            for each in self.files
            if each.name == "main.rs"
            and each.parent.parent in (folder / "src/bin", folder / "tests", folder / "benches", folder / "examples")
        ]
        for start in (main, folder / "src/main.rs", folder / "build.rs", *written, *found, *mains):
            if start in self.files:
                self._enter(start, folder, start, ())

    def _enter(self, path: Path, folder: Path, top: Path, modules: tuple[str, ...]) -> None:
        if path in self._places:
            return
        self._places[path] = (folder, top, modules)
        is_folder = path == top or path.name == "mod.rs"
        beside = path.parent if is_folder else path.with_suffix("")
        for written, name in _MOD.findall(self.text(path)):
            options = [path.parent / written] if written else [beside / f"{name}.rs", beside / name / "mod.rs"]
            for each in options:
                if each in self.files:
                    self._children.setdefault(path, {}).setdefault(name, set()).add(each)
                    self._enter(each, folder, top, (*modules, name))

    def _read(self, path: Path) -> None:
        tree = self._parser.parse(_MACRO.sub(rb"\1{}", (self.root / path).read_bytes()))
        waiting = [(tree.root_node, 0)]
        while waiting:
            node, depth = waiting.pop()
            if node.type == "use_declaration":
                argument = node.child_by_field_name("argument")
                for leaf, line in _leaves(argument, ()) if argument else ():
                    files = self._meant(leaf, path, depth)
                    self.passed_on.setdefault(path, set()).update(files)  # modules below see private ones, too
                    self.add(path, (line, line), "::".join(leaf), files)
                continue
            if node.type == "mod_item" and node.child_by_field_name("body") is None:
                child = (node.named_children[-1].text or b"").decode()
                below = self._children.get(path, {}).get(child, set())
                line = node.start_point.row + 1
                self.add(path, (line, node.end_point.row + 1), f"mod {child}", below)
            if node.type == "extern_crate_declaration":
                crate = node.child_by_field_name("name")
                files = self._meant(((crate.text or b"").decode(),), path, depth) if crate else set()
                self.passed_on.setdefault(path, set()).update(files)
                self.add(path, (node.start_point.row + 1, node.end_point.row + 1), "extern crate", files)
            inner = depth + (node.type == "mod_item" and node.child_by_field_name("body") is not None)
            waiting += [(child, inner) for child in node.children]

    def _meant(self, leaf: tuple[str, ...], path: Path, depth: int) -> set[Path]:
        folder, top, modules = self._places[path]
        first, rest = leaf[0], list(leaf[1:])
        if first == "crate":
            return self._down({top}, rest)
        if first in ("self", "super"):
            up = int(first == "super")
            while rest and rest[0] == "super":
                up, rest = up + 1, rest[1:]
            up = max(0, up - depth)
            return self._down({top}, [*modules[: len(modules) - up], *rest]) if up <= len(modules) else set()
        if first in self._children.get(path, {}):
            return self._down({path}, list(leaf))
        name = self._renamed.get(folder, {}).get(first, first)
        return self._down(self._crates.get(name, set()), rest) if first not in ("std", "core", "alloc") else set()

    def _down(self, paths: set[Path], rest: list[str]) -> set[Path]:
        """Go down from modules, of which there may be one for each platform, as far as there are files."""
        for name in rest:
            below = {each for path in paths for each in self._children.get(path, {}).get(name, ())}
            if not below:
                break
            paths = below
        return paths


def _leaves(node: tree_sitter.Node, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    text = (node.text or b"").decode()
    line = node.start_point.row + 1
    match node.type:
        case "use_list":
            for child in node.named_children:
                yield from _leaves(child, before)
        case "scoped_use_list":
            path, items = node.child_by_field_name("path"), node.child_by_field_name("list")
            prefix = (*before, *(path.text or b"").decode().split("::")) if path else before
            yield from _leaves(items, prefix) if items else ()
        case "use_as_clause":
            path = node.child_by_field_name("path")
            yield from _leaves(path, before) if path else ()
        case "use_wildcard":
            yield (*before, *text.removesuffix("*").removesuffix("::").split("::")), line
        case "self" if before:
            yield before, line
        case "line_comment" | "block_comment":
            pass
        case _:
            yield (*before, *"".join(text.split()).removeprefix("::").split("::")), line
