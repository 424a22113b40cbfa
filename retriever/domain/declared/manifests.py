"""Reads what a project says that it depends on, in the files of the package managers of several languages."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

_MOST = 2000
"""Packages that are read of a manifest: more than anybody requires by hand."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:(?!\s--)[^;#])*)")
_FOR_MAKERS = re.compile(
    r"(?<![a-z])(?:dev(?:el\w*|tools?)?|(?:doc|unit)?test(?:s|ing)?|docs?|documentation|lint\w*"
    r"|typ(?:es?|ing|e-?check\w*)|build|ci)(?![a-z])",
    re.IGNORECASE,
)
_OF_PIP = re.compile(r"(?:^|/)(?:requirements/[\w.-]+|(?:[\w.-]*[-_.])?requirements[\w.-]*)\.(?:txt|in)$")
_OF_GO = re.compile(
    r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[a-z]+/\S+|[\w-]+\.\w+/\S+)[ \t]+(v\S+)([ \t]*//[ \t]*indirect)?", re.MULTILINE
)
_NOT_REQUIRED = re.compile(r"^[ \t]*(?:exclude|replace|retract|tool|ignore)[ \t]*\([^)]*+\)?", re.MULTILINE)
"""Blocks of go.mod that name modules for another reason."""
_OF_MAVEN = re.compile(r"<dependency>((?:(?!</?dependency>).)*+)</dependency>", re.DOTALL)
_EXCLUDED = re.compile(r"<exclusions>(?:(?!</exclusions>).)*+(?:</exclusions>)?", re.DOTALL)
_XML_COMMENT = re.compile(r"<!--(?:(?!-->).)*+(?:-->)?", re.DOTALL)
_OF_GRADLE = re.compile(
    r"^[ \t]*(\w*(?:[Ii]mplementation|api|[Cc]ompileOnly|[Rr]untimeOnly))\b[\s(]+[\"']"
    r"([\w.-]+:[\w.-]+)(?::([\w.+-]+))?",
    re.MULTILINE,
)
_OF_RUBY = re.compile(
    r"^(?P<margin>[ \t]*)(?:group\b(?P<group>[^\n]*)\bdo[ \t]*$|(?P<end>end)\b"
    r"|gem[ \t]+[\"'](?P<name>[\w-]+)[\"'](?:\s*,\s*[\"'](?P<version>[^\"']+)[\"'])?)",
    re.MULTILINE,
)
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
"""A key of TOML that says so many tables takes time by its square, and stands in no manifest."""
_FORMS = tuple(
    (ending, re.compile(form, re.MULTILINE))
    for ending, form in (
        ("pom.xml", r"<dependency>(?:(?!</?dependency>|<exclusions>)[\s\S])*?<artifactId>\s*([^<\s]++)\s*<"),
        (".json", r"\"([^\"\\\n]*+)\"\s*:"),
        ("Cargo.toml", r"^[ \t]*\[[^\]\n]*?dependencies\.\"?([^\]\n.\"]++)\"?\]"),
        (".toml", r"^[ \t]*\"?([^\s\"=]++)\"?\s*="),
        (".toml", r"[\"']([A-Za-z0-9][\w.-]*+)(?=\s*[\"'\[<>=!~;@(])"),
        ("go.mod", r"^[ \t]*(?:require[ \t]+)?(\S++)[ \t]+v"),
        ("Gemfile", r"^[ \t]*gem[ \t]+[\"']([\w-]++)[\"']"),
        (".gradle", r"[\"']([\w.-]++:[\w.-]++)[:\"']"),
        (".kts", r"[\"']([\w.-]++:[\w.-]++)[:\"']"),
        ("", r"^[ \t]*([A-Za-z0-9][\w.-]*+)"),
        ("", r"(?<![\w.-])([\w-]++)"),
    )
)
"""How files of each ending require a package; the last is any word."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """
    A package of others.

    Args:
        version: What is asked of it, without blanks; "" for any.
        line: Where the file says so, 1-based.
        is_for_makers: Only who works on the project needs it.
    """

    name: str
    version: str
    line: int
    is_for_makers: bool


def reads_manifest(path: str) -> bool:
    """Tell whether a file says what the project depends on, in a form that is known."""
    return _reader(path) is not None


def requirements(path: str, text: str) -> tuple[Requirement, ...]:
    """Return what a file requires, in order of line; () for a file of another form, or one that is broken."""
    reader = _reader(path)
    try:
        found = list(islice(reader(text), _MOST)) if reader else []
    except (ValueError, AttributeError, TypeError, RecursionError):  # what people wrote may have any shape
        return ()
    is_for_makers = _OF_PIP.search(path) is not None and bool(_FOR_MAKERS.search(path.rpartition("/")[2]))
    lines = _lines_of(path, text, {name for name, _, _ in found})
    told = {
        name: Requirement(name, "".join(version.split()), lines.get(name, 1), for_makers or is_for_makers)
        for name, version, for_makers in reversed(found)
    }
    return tuple(sorted(told.values(), key=lambda each: (each.line, each.name)))


def _reader(path: str) -> Callable[[str], Iterator[tuple[str, str, bool]]] | None:
    name = path.rpartition("/")[2]
    if _OF_PIP.search(path):
        return _of_lines
    return {
        "pyproject.toml": _of_pyproject,
        "Cargo.toml": _of_cargo,
        "package.json": _of_package,
        "composer.json": _of_composer,
        "go.mod": _of_go_mod,
        "pom.xml": _of_pom,
        "build.gradle": _of_gradle,
        "build.gradle.kts": _of_gradle,
        "Gemfile": _of_gemfile,
    }.get(name)


def _lines_of(path: str, text: str, names: Collection[str]) -> Mapping[str, int]:
    """Return the lines that require packages; the first ones that name them where none has the form of the file."""
    found: dict[str, int] = {}
    for ending, form in _FORMS:
        if not path.endswith(ending) or len(found) == len(names):
            continue
        line, counted = 1, 0
        of_form: dict[str, int] = {}
        for match in form.finditer(text):
            if match[1] in names and match[1] not in of_form:
                line, counted = line + text.count("\n", counted, match.start(1)), match.start(1)
                of_form[match[1]] = line
        found = of_form | found
    return found


def _of_lines(text: str) -> Iterator[tuple[str, str, bool]]:
    for line in text.split("\n"):
        found = _REQUIREMENT.match(line.strip().removesuffix("\\"))
        if found and "://" not in line.partition(" @ ")[0]:  # addresses have no name, but for `name @ address`
            yield found[1], found[2], False


def _of_pyproject(text: str) -> Iterator[tuple[str, str, bool]]:
    read = _tables(text)
    project = read.get("project", {})
    yield from _listed(project.get("dependencies", []), for_makers=False)
    for extra, listed in project.get("optional-dependencies", {}).items():
        yield from _listed(listed, for_makers=bool(_FOR_MAKERS.search(extra)))
    for listed in read.get("dependency-groups", {}).values():
        yield from _listed([each for each in listed if isinstance(each, str)], for_makers=True)
    poetry = read.get("tool", {}).get("poetry", {})
    yield from _table({key: each for key, each in poetry.get("dependencies", {}).items() if key != "python"})
    yield from _table(poetry.get("dev-dependencies", {}), for_makers=True)
    yield from _listed(read.get("tool", {}).get("uv", {}).get("dev-dependencies", []), for_makers=True)
    for group in poetry.get("group", {}).values():
        yield from _table(group.get("dependencies", {}), for_makers=True)


def _tables(text: str) -> dict[str, Any]:
    if _DEEP_KEY.search(text):
        raise ValueError("a key of more parts than any table has")
    return tomllib.loads(text)


def _listed(listed: list[str], *, for_makers: bool) -> Iterator[tuple[str, str, bool]]:
    for name, version, _ in _of_lines("\n".join(listed)):
        yield name, version, for_makers


def _table(table: Mapping[str, object], *, for_makers: bool = False) -> Iterator[tuple[str, str, bool]]:
    for name, told in table.items():
        version = told.get("version", "") if isinstance(told, dict) else told
        yield name, version if isinstance(version, str) else "", for_makers


def _of_cargo(text: str) -> Iterator[tuple[str, str, bool]]:
    read = _tables(text)
    yield from _table(read.get("dependencies", {}))
    yield from _table(read.get("workspace", {}).get("dependencies", {}))
    for target in read.get("target", {}).values():
        yield from _table(target.get("dependencies", {}))
    for kind in ("dev-dependencies", "build-dependencies"):
        yield from _table(read.get(kind, {}), for_makers=True)


def _of_package(text: str) -> Iterator[tuple[str, str, bool]]:
    read = json.loads(text)
    for kind in ("dependencies", "peerDependencies", "optionalDependencies"):
        yield from _table(read.get(kind, {}))
    yield from _table(read.get("devDependencies", {}), for_makers=True)


def _of_composer(text: str) -> Iterator[tuple[str, str, bool]]:
    read = json.loads(text)
    yield from _table({key: each for key, each in read.get("require", {}).items() if "/" in key})
    yield from _table(read.get("require-dev", {}), for_makers=True)


def _of_go_mod(text: str) -> Iterator[tuple[str, str, bool]]:
    for found in _OF_GO.finditer(_NOT_REQUIRED.sub("", text)):
        if not found[3]:
            yield found[1], found[2], False


def _of_pom(text: str) -> Iterator[tuple[str, str, bool]]:
    for found in _OF_MAVEN.finditer(_XML_COMMENT.sub("", text)):
        own = _EXCLUDED.sub("", found[1])
        told = {name: value.strip() for name, value in re.findall(r"<(artifactId|version|scope)>([^<]*+)</", own)}
        if told.get("artifactId"):
            yield told["artifactId"], told.get("version", ""), told.get("scope") == "test"


def _of_gradle(text: str) -> Iterator[tuple[str, str, bool]]:
    for found in _OF_GRADLE.finditer(text):
        yield found[2], found[3] or "", "test" in found[1].lower()


def _of_gemfile(text: str) -> Iterator[tuple[str, str, bool]]:
    for_makers, margin = False, ""
    for found in _OF_RUBY.finditer(text):
        if found["name"]:
            yield found["name"], found["version"] or "", for_makers
        elif found["end"]:
            for_makers = for_makers and found["margin"] != margin
        elif not for_makers:
            for_makers, margin = bool(_FOR_MAKERS.search(found["group"])), found["margin"]
