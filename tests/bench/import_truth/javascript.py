"""JavaScript and TypeScript: a specifier is a path, a pattern of a configuration, or a package of the workspace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath

import tree_sitter
import tree_sitter_javascript
import tree_sitter_typescript

from tests.bench.import_truth.truth import Truth

_COMPONENTS = (".vue", ".svelte", ".astro")
_SCRIPT = re.compile(r"(<script\b[^>]*>)(.*?)(</script>)", re.DOTALL)
_CODE = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro")
_JUNK = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_WORDS = re.compile(r"^(?:import|export|require)$")


class JavaScriptTruth(Truth):
    """The imports, exports from elsewhere and calls of `require` of scripts."""

    language, endings = "javascript", _CODE

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._packages: dict[str, set[Path]] = {}
        self._contents = {path: self._content(path) for path in self.all if self._is_configuration(path)}
        for path, content in self._contents.items():
            name = content.get("name") if path.name == "package.json" else None
            if isinstance(name, str) and path.parent in self.folders:
                self._packages.setdefault(name, set()).add(path.parent)
        grammars = {".tsx": tree_sitter_typescript.language_tsx(), ".ts": tree_sitter_typescript.language_typescript()}
        for path in sorted(self.files):
            ending = ".ts" if path.suffix in (".ts", ".mts", ".cts", *_COMPONENTS) else path.suffix
            grammar = grammars.get(ending) or tree_sitter_javascript.language()
            parser = tree_sitter.Parser(tree_sitter.Language(grammar))
            text = self.text(path) if path.suffix not in _COMPONENTS else _scripts(self.text(path))
            self._read(path, parser.parse(text.encode()).root_node)

    @staticmethod
    def _is_configuration(path: Path) -> bool:
        return path.suffix == ".json" and path.name.startswith(("package.", "tsconfig", "jsconfig"))

    def _content(self, path: Path) -> dict[str, object]:
        try:
            content = json.loads(_JUNK.sub(lambda found: found.group(1) or "", self.text(path)))
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    def _read(self, path: Path, root: tree_sitter.Node) -> None:
        passes_on = b"export" in (root.text or b"")
        for node, source in _sources(root):
            written = (source.text or b"").decode()[1:-1]
            files = self._meant(written, path)
            if passes_on and node.type != "call_expression":
                self.passed_on.setdefault(path, set()).update(files)
            self.add(path, (node.start_point.row + 1, node.end_point.row + 1), written, files)

    def _meant(self, written: str, importer: Path) -> set[Path]:
        written = written.partition("?")[0]
        if written.startswith("."):
            return self._at(normpath(importer.parent / written))
        found: set[Path] = set()
        for folder in importer.parents:
            for path, content in self._contents.items():
                if path.parent == folder and path.name != "package.json":
                    found |= self._by_paths(path, content, written, folder)
            if found:
                return found
            imports = self._contents.get(folder / "package.json", {}).get("imports")
            if written.startswith("#") and isinstance(imports, dict):
                return {path for path in self.files if folder in path.parents}
        parts = written.split("/")
        name = "/".join(parts[: 2 if written.startswith("@") else 1])
        for folder in self._packages.get(name, ()):
            found |= {path for path in self.files if folder in path.parents}
        return found if Path(written).suffix not in (".css", ".json", ".svg", ".scss") else set()

    def _by_paths(
        self, path: Path, content: dict[str, object], written: str, folder: Path, depth: int = 0
    ) -> set[Path]:
        options = content.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        base = path.parent / str(options.get("baseUrl", "."))
        found: set[Path] = set()
        paths = options.get("paths")
        if isinstance(paths, dict):
            for pattern, targets in paths.items():
                before, star, after = pattern.partition("*")
                if written == pattern or (star and written.startswith(before) and written.endswith(after)):
                    inner = written[len(before) : len(written) - len(after)] if star else ""
                    for target in targets:
                        target = str(target).replace("*", inner).replace("${configDir}", str(folder.absolute()))
                        found |= self._at(normpath(base / target))
        elif "baseUrl" in options:
            found |= self._at(normpath(base / written))
        above = content.get("extends")
        for each in above if isinstance(above, list) else [above]:
            if not paths and isinstance(each, str) and each.startswith(".") and depth < 5:
                other = Path(normpath(path.parent / (each if each.endswith(".json") else f"{each}.json")))
                found |= self._by_paths(other, self._contents.get(other, {}), written, folder, depth + 1)
        return found

    def _at(self, place: str) -> set[Path]:
        path = Path(place)
        stems = [path, *([path.with_suffix("")] if path.suffix in (".js", ".mjs", ".cjs", ".jsx") else [])]
        found = {Path(f"{stem}{ending}") for stem in stems for ending in ("", *_CODE, ".d.ts", ".d.mts", ".d.cts")}
        found |= {path / f"index{ending}" for ending in (*_CODE, ".d.ts")}
        folder = self._contents.get(path / "package.json")
        if folder is not None:
            found |= {file for file in self.files if path in file.parents}
        return found & self.files


def _scripts(text: str) -> str:
    """Return the scripts of a component, each on its own lines."""
    kept, end = "", 0
    for found in _SCRIPT.finditer(text):
        kept += "\n" * text.count("\n", end, found.start(2)) + found.group(2)
        end = found.end(2)
    return kept


def _sources(root: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """Give each statement or call that imports, with its specifier."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        source = node.child_by_field_name("source")
        if node.type in ("import_statement", "export_statement", "import_require_clause") and source is not None:
            yield node, source
        elif node.type == "call_expression":
            called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if called is not None and _WORDS.match((called.text or b"").decode()) and arguments is not None:
                first = arguments.named_children[0] if len(arguments.named_children) else None
                if first is not None and first.type == "string":
                    yield node, first
        waiting += node.children
