"""Manifests of package.json, Cargo.toml, composer.json, go.mod and Gemfile."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from indexer.adapters.manifests.statements import (
    Statement,
    command,
    is_development,
    numbered,
    optional,
    properties,
    requirement,
    tabled,
    tables,
)
from indexer.domain.model import FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OF_GO = re.compile(
    r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[a-z]+/\S+|[\w-]+\.\w+/\S+)[ \t]+(v\S+)([ \t]*//[ \t]*indirect)?"
    r"|^(module|go)[ \t]+(\S+)",
    re.MULTILINE,
)
_NOT_REQUIRED = re.compile(r"^[ \t]*(?:exclude|replace|retract|tool|ignore)[ \t]*\([^)]*+\)?", re.MULTILINE)
"""Blocks of go.mod that are not requirements."""
_OF_RUBY = re.compile(
    r"^(?P<margin>[ \t]*)(?:group\b(?P<group>[^\n]*)\bdo[ \t]*$|(?P<end>end)\b|ruby[ \t]+[\"'](?P<ruby>[^\"'\n]+)"
    r"|gem[ \t]+[\"'](?P<name>[\w-]+)[\"'](?:\s*,\s*[\"'](?P<version>[^\"']+)[\"'])?)",
    re.MULTILINE,
)
_SHORT = frozenset({"test", "start"})
"""Scripts that a package manager runs without the word `run`: `npm test`."""
_PEERS = "peer"
"""Group of peer dependencies, which the user of the project has to install."""
_TEXTS = ("name", "version", "description", "license")


def of_npm(text: str) -> Iterator[Statement]:
    """Yield the facts of package.json."""
    read = json.loads(text)
    yield from properties("", {each: read.get(each) for each in _TEXTS})
    yield from properties("engines", {f"runtime.{name}": value for name, value in read.get("engines", {}).items()})
    yield from properties("", {f"entry.{each}": read.get(each) for each in ("main", "module", "browser", "types")})
    own, bins = str(read.get("name", "")).rpartition("/")[2], read.get("bin", {})
    bins = {own: bins} if isinstance(bins, str) else bins
    yield from properties("bin", {f"entry.bin.{name}": target for name, target in bins.items()})
    yield from _exports(read.get("exports"))
    for kind in ("dependencies", "devDependencies"):
        yield from tabled(kind, read.get(kind, {}), is_development=kind == "devDependencies")
    yield from optional("", tabled("optionalDependencies", read.get("optionalDependencies", {})))
    yield from optional(_PEERS, tabled("peerDependencies", read.get("peerDependencies", {})))
    tool = str(read.get("packageManager", "npm")).partition("@")[0]
    for name in read.get("scripts", {}):
        yield command(name, f"{tool} {name}" if name in _SHORT else f"{tool} run {name}", "scripts")
    usual = {
        "install": f"{tool} install",
        **({"test-one": f"{tool} test -- FILE"} if "test" in read.get("scripts", {}) else {}),
    }
    for name, line in usual.items():
        yield Statement(FactKind.COMMAND, name, line, line=1, origin=Origin.CONVENTION)


def _exports(exports: object) -> Iterator[Statement]:
    by_path = exports if isinstance(exports, dict) and any(each.startswith(".") for each in exports) else {".": exports}
    for path, target in by_path.items():
        while isinstance(target, dict):  # the first condition is the preferred one
            target = next(iter(target.values()), None)
        yield from properties("exports", {f"entry.exports.{path}": target})


def of_cargo(text: str) -> Iterator[Statement]:
    """Yield the facts of Cargo.toml."""
    read = tables(text)
    package = read.get("package", {})
    yield from properties("package", {each: package.get(each) for each in _TEXTS})
    yield from properties("rust-version", {"runtime.rust": package.get("rust-version")})
    yield from properties("lib", {"entry.main": read.get("lib", {}).get("path")})
    for each in read.get("bin", []):
        yield from properties("bin", {f"entry.bin.{each.get('name')}": each.get("path", "src/main.rs")})
        yield command(f"run-{each.get('name')}", f"cargo run --bin {each.get('name')}", "bin")
    features = read.get("features", {})
    yield from properties("features", {f"feature.{name}": ", ".join(parts) or "-" for name, parts in features.items()})
    yield from _of_crates("dependencies", read.get("dependencies", {}), features)
    yield from tabled("workspace.dependencies", read.get("workspace", {}).get("dependencies", {}))
    for target in read.get("target", {}).values():
        yield from _of_crates("target", target.get("dependencies", {}), features)
    for kind in ("dev-dependencies", "build-dependencies"):
        yield from tabled(kind, read.get(kind, {}), is_development=True)


def _of_crates(section: str, crates: Mapping[str, Any], features: Mapping[str, Any]) -> Iterator[Statement]:
    """Yield the crates of a table; the group of an optional one is the first feature that enables it, else its name."""
    for name, crate in crates.items():
        told = tabled(section, {name: crate})
        if isinstance(crate, dict) and crate.get("optional"):
            turning_on = {name, f"dep:{name}"}
            told = optional(next((each for each in features if turning_on.intersection(features[each])), name), told)
        yield from told


def of_composer(text: str) -> Iterator[Statement]:
    """Yield the facts of composer.json; a requirement without a vendor (`php`, `ext-json`) is one on the platform."""
    read = json.loads(text)
    yield from properties("", {each: read.get(each) for each in _TEXTS})
    needed = read.get("require", {})
    yield from properties("require", {"runtime.php": needed.get("php")})
    yield from tabled("require", _of_vendors(needed))
    yield from tabled("require-dev", _of_vendors(read.get("require-dev", {})), is_development=True)
    for name in read.get("scripts", {}):
        yield command(name, f"composer {name}", "scripts")


def _of_vendors(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: version for name, version in table.items() if "/" in name}


def of_go(text: str) -> Iterator[Statement]:
    """Yield the facts of go.mod, without indirect modules."""
    text = _NOT_REQUIRED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for line, found in numbered(_OF_GO, text):
        if found[4]:
            yield from properties("", {"runtime.go" if found[4] == "go" else "name": found[5]}, line)
        elif not found[3]:
            yield requirement(found[1], found[2], line=line)


def of_gemfile(text: str) -> Iterator[Statement]:
    """Yield the facts of a Gemfile."""
    in_development, margin = False, ""
    for line, found in numbered(_OF_RUBY, text):
        if found["name"]:
            yield requirement(found["name"], found["version"], line=line, is_development=in_development)
        elif found["ruby"]:
            yield from properties("", {"runtime.ruby": found["ruby"]}, line)
        elif found["end"]:
            in_development = in_development and found["margin"] != margin
        elif not in_development:
            in_development, margin = is_development(found["group"]), found["margin"]
