"""
Compares the calls that the linker finds in Java with those that the compiler wrote into the classes.

    javac -g -d CLASSES …
    python -m tests.bench.compiled_calls --sources src/main/java --classes CLASSES

`javap` gives the method that each call site means by its types, and the lines of all methods, by which methods and call
sites are told apart from each other, overloads too. Prints one JSON object:

- calls: pairs of a symbol and a method of these sources that it calls by the compiler's word.
- recall: the share of them that is found at the confidence of the default walk.
- precision: the share of the found pairs that is right; what overrides a called method may run as well, and what a
  method reference names is called by others, so neither is counted.
- precision_strict: the same, where what overrides a called method is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cgrag_client.evaluation.callgraph import DEFAULT_MIN_CONFIDENCE
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.domain.linking.java.semantics import JavaSemantics
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.model import EdgeKind, LinkUnit, Resolution, SymbolKind

Place = tuple[int, int]
"""A file and a symbol in it, by number."""
_CLASS = re.compile(r"^(?:[\w ]*\b)?(?:class|interface|enum|record|@interface) (?P<name>[\w.$]+)")
_MEANT = r"(?:(?P<owner>[\w/$]+)\.)?\"?(?P<name>[\w$<>]+)\"?:(?P<types>\S+)"
_REFERENCE = re.compile(rf"(?:Method|InterfaceMethod) {_MEANT}")
_CODE = re.compile(r"^\s+(?P<offset>\d+): (?P<operation>\w+)\s+#\d+(?:,\s+\d+)?\s+// (?P<what>.*)$")
_LINE = re.compile(r"^\s+line (?P<line>\d+): (?P<offset>\d+)$")
_HANDLE = re.compile(rf"REF_(?:invoke\w+|newInvokeSpecial) {_MEANT}$")


@dataclass
class Method:
    """A method of a class file: its name and types, lines, and what it calls with the offset of the call."""

    owner: str
    name: str
    types: str
    is_made: bool = False
    lines: list[tuple[int, int]] = field(default_factory=list)
    calls: list[tuple[int, str, str, str]] = field(default_factory=list)


@dataclass
class Compiled:
    """A class file."""

    name: str
    source: str
    parents: list[str]
    methods: list[Method] = field(default_factory=list)
    referred: set[tuple[str, str, str]] = field(default_factory=set)


def main(arguments: Sequence[str]) -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--classes", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="list what is wrong and what is missed")
    options = parser.parse_args(arguments)
    compiled = {each.name: each for each in read_classes(options.classes)}
    units = read_units(options.sources)
    print(json.dumps(compare(units, compiled, show=options.show), indent=1))
    return 0


def read_units(sources: Path) -> list[LinkUnit]:
    """Parse all Java files below a folder."""
    language = JavaLanguage()
    texts = {path.relative_to(sources).as_posix(): path.read_text("utf-8") for path in sorted(sources.rglob("*.java"))}
    modules = language.module_names(texts, {}, None)
    return [LinkUnit(path, modules[path], language.parse(path, modules[path], text)) for path, text in texts.items()]


def read_classes(folder: Path) -> Iterator[Compiled]:
    """Read all class files below a folder by `javap`."""
    paths = [path.as_posix() for path in sorted(folder.rglob("*.class"))]
    text = subprocess.run(["javap", "-v", "-p", *paths], check=True, capture_output=True, text=True).stdout
    for part in text.split("\nClassfile "):
        if (found := _read_class(part)) is not None:
            yield found


def _read_class(text: str) -> Compiled | None:
    lines = text.splitlines()
    this = next((line.split("// ")[1].strip() for line in lines if line.strip().startswith("this_class:")), "")
    source = next((line.split('"')[1] for line in lines if line.strip().startswith("Compiled from")), "")
    if not this:
        return None
    head = next(line for line in lines if _CLASS.match(line.strip()))
    parents = re.findall(r"[\w.$]+", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", head))))
    upper = next((line.split("// ")[1].strip() for line in lines if line.strip().startswith("super_class:")), "")
    found = Compiled(this, source, [upper, *(name.replace(".", "/") for name in parents)])
    _read_methods(found, lines)
    return found


def _read_methods(found: Compiled, lines: Sequence[str]) -> None:
    method: Method | None = None
    written = ""
    for line in lines[lines.index("{") + 1 :] if "{" in lines else lines:
        stripped = line.strip()
        if line.startswith("  ") and not line.startswith("   ") and stripped.endswith(";"):
            written = stripped
        elif (stripped.startswith("descriptor: (") and "(" in written) or (
            stripped.startswith("descriptor: ()V") and "static {}" in written
        ):
            name = "<clinit>" if "static {}" in written else written.partition("(")[0].rpartition(" ")[2]
            name = "<init>" if name.replace(".", "/") == found.name else name
            method = Method(found.name, name, stripped.removeprefix("descriptor: "))
            found.methods.append(method)
        elif method is not None and stripped.startswith("flags:"):
            method.is_made = method.is_made or "ACC_BRIDGE" in stripped
        elif method is not None and (code := _CODE.match(line)) and code["operation"].startswith("invoke"):
            if code["operation"] != "invokedynamic" and (what := _REFERENCE.match(code["what"])):
                owner = what["owner"] or found.name
                method.calls.append((int(code["offset"]), owner, what["name"], what["types"]))
        elif method is not None and (at := _LINE.match(line)):
            method.lines.append((int(at["offset"]), int(at["line"])))
        elif (handle := _HANDLE.search(stripped)) and handle["owner"]:
            found.referred.add((handle["owner"], handle["name"], handle["types"]))


class Names:
    """Finds the symbols of methods and call sites by their lines."""

    def __init__(self, units: Sequence[LinkUnit], compiled: dict[str, Compiled]) -> None:
        self._units = units
        self._compiled = compiled
        self._files = {unit.path: number for number, unit in enumerate(units)}
        self._by_name: dict[str, list[Place]] = defaultdict(list)
        for number, unit in enumerate(units):
            for position, symbol in enumerate(unit.parsed.symbols):
                self._by_name[symbol.qualified_name].append((number, position))

    def file_of(self, name: str) -> int | None:
        """Return the file that a class was compiled from."""
        cls = self._compiled.get(name)
        return None if cls is None else self._files.get("/".join([*name.split("/")[:-1], cls.source]))

    def at(self, file: int, line: int) -> Place:
        """Return the innermost symbol around a line."""
        symbols = self._units[file].parsed.symbols
        around = [number for number, each in enumerate(symbols) if each.start_line <= line <= each.end_line]
        return self.folded(
            (file, max(around, key=lambda number: (symbols[number].start_line, -symbols[number].end_line, number)))
        )

    def folded(self, place: Place) -> Place:
        """Return the class of a field, as initialisers make its value, and what is around a class without a name."""
        file, number = place
        symbols = self._units[file].parsed.symbols
        while symbols[number].kind is SymbolKind.VARIABLE or symbols[number].name.startswith("$"):
            number = symbols[number].parent
        return file, number

    def declared(self, owner: str, name: str, types: str) -> Method | None:
        """Return the method that a reference means, declared in a class or above it."""
        cls = self._compiled.get(owner)
        if cls is None:
            return None
        for method in cls.methods:
            if (method.name, method.types) == (name, types):
                return method
        for parent in cls.parents if name != "<init>" else ():
            if parent != owner and (found := self.declared(parent, name, types)) is not None:
                return found
        return None

    def places(self, method: Method) -> frozenset[Place]:
        """Return the symbol of a method: by its lines, or those of its name where it has no code."""
        file = self.file_of(method.owner)
        if file is None or method.name == "<clinit>":
            return frozenset()
        if method.lines and method.name != "<init>":
            found = self.at(file, method.lines[0][1])
            return frozenset((found,)) if self._is(found, method) else frozenset()
        last = method.owner.rpartition("/")[2].rpartition("$")[2] if method.name == "<init>" else method.name
        named = [
            (file, number)
            for number, symbol in enumerate(self._units[file].parsed.symbols)
            if symbol.kind in (SymbolKind.METHOD, SymbolKind.FUNCTION)
            and symbol.name in (last, method.name, "__init__", "<init>")
            and self._belongs(symbol.qualified_name, method.owner)
        ]
        if method.lines and len(named) > 1:
            held = {line for _, line in method.lines}
            symbols = self._units[file].parsed.symbols
            spans = {(f, n): range(symbols[n].start_line, symbols[n].end_line + 1) for f, n in named}
            named = [place for place in named if not held.isdisjoint(spans[place])] or named
        return frozenset(named)

    def _is(self, place: Place, method: Method) -> bool:
        return self._units[place[0]].parsed.symbols[place[1]].name == method.name

    @staticmethod
    def _belongs(qualified: str, owner: str) -> bool:
        return qualified.rpartition(".")[0].endswith(owner.rpartition("/")[2].replace("$", "."))


def compare(units: Sequence[LinkUnit], compiled: dict[str, Compiled], *, show: bool) -> dict[str, object]:
    """Compare what is found with what was compiled."""
    names = Names(units, compiled)
    needed = _needed(names, compiled)
    referred = {
        place
        for cls in compiled.values()
        for reference in cls.referred
        if (called := names.declared(*reference)) is not None
        for place in names.places(called)
    }
    right = {(source, place) for source, places in needed for place in places}
    found = _found(names, units)
    above = _overridden(names, compiled)
    overriding = {
        (source, target) for source, target in found if any((source, upper) in right for upper in above.get(target, ()))
    }
    hit = {each for each in needed if any((each[0], place) in found for place in each[1])}
    others = {(source, target) for source, target in found - right if target not in referred}
    wrong = others - overriding
    result: dict[str, object] = {
        "calls": len(needed),
        "recall": round(100 * len(hit) / len(needed), 1),
        "precision": round(100 * len(found & right) / len((found & right) | wrong), 1),
        "precision_strict": round(100 * len(found & right) / len((found & right) | others), 1),
    }
    if show:
        result["wrong"] = sorted(f"{_shown(units, source)} -> {_shown(units, target)}" for source, target in wrong)
        result["missed"] = sorted(
            f"{_shown(units, source)} -> {sorted(_shown(units, place) for place in places)}"
            for source, places in needed - hit
        )
    return result


def _needed(names: Names, compiled: dict[str, Compiled]) -> set[tuple[Place, frozenset[Place]]]:
    """Return what symbols call by the compiler's word: each with the symbols that the called method may be."""
    needed: set[tuple[Place, frozenset[Place]]] = set()
    for cls in compiled.values():
        file = names.file_of(cls.name)
        for method in cls.methods if file is not None else ():
            for offset, owner, name, types in () if method.is_made else method.calls:
                called = names.declared(owner, name, types)
                line = max((at for at in method.lines if at[0] <= offset), default=(0, 0))[1]
                if file is not None and called is not None and line and (places := names.places(called)):
                    needed.add((names.at(file, line), places))
    return needed


def _found(names: Names, units: Sequence[LinkUnit]) -> set[tuple[Place, Place]]:
    return {
        (names.folded(edge.source), edge.target)
        for edge in FlowLinker(JavaSemantics()).link(units).edges
        if edge.kind is EdgeKind.CALL and edge.resolution is Resolution.RESOLVED and edge.target is not None
        if edge.confidence >= DEFAULT_MIN_CONFIDENCE
        if units[edge.target[0]].parsed.symbols[edge.target[1]].kind is not SymbolKind.CLASS
    }


def _shown(units: Sequence[LinkUnit], place: Place) -> str:
    symbol = units[place[0]].parsed.symbols[place[1]]
    return f"{units[place[0]].path}:{symbol.start_line} {symbol.name}"


def _overridden(names: Names, compiled: dict[str, Compiled]) -> dict[Place, set[Place]]:
    """Return what each method overrides, by name and number of parameters, in classes and interfaces above its own."""
    found: dict[Place, set[Place]] = defaultdict(set)
    for cls in compiled.values():
        for method in cls.methods:
            waiting = list(cls.parents)
            seen: set[str] = set()
            while waiting:
                parent = compiled.get(waiting.pop())
                if parent is None or parent.name in seen:
                    continue
                seen.add(parent.name)
                waiting += parent.parents
                for other in parent.methods:
                    if other.name == method.name != "<init>" and _count(other.types) == _count(method.types):
                        for place in names.places(method):
                            found[place] |= names.places(other)
    return found


def _count(types: str) -> int:
    return len(re.findall(r"\[*(?:L[^;]+;|[BCDFIJSZ])", types.partition(")")[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
