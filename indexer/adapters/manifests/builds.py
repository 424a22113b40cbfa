"""Manifests of build tools: Maven, Gradle, MSBuild and CMake, and the targets of make and just."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

from indexer.adapters.manifests.statements import command, numbered, properties, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.manifests.statements import Statement

_OF_GRADLE = re.compile(
    r"^[ \t]*(?:(\w*(?:[Ii]mplementation|api|[Cc]ompileOnly|[Rr]untimeOnly))\b[\s(]+[\"']"
    r"([\w.-]+:[\w.-]+)(?::([\w.+-]+))?"
    r"|(group|version|(?<![ \t])description)[ \t]*=?[ \t]*[\"']([^\"'\n]+)"
    r"|(?:mainClass(?:Name)?(?:\.set\(|[ \t]*=)[ \t]*[\"']([\w.$]+))"
    r"|(?:id[\s(]+|apply plugin:[ \t]*)[\"']([\w.-]+)"
    r"|(?:(?:sourceCompatibility|targetCompatibility|jvmToolchain|languageVersion)\b[^\n\d]*+(\d[\d_.]*)))",
    re.MULTILINE,
)
_OF_CMAKE = re.compile(
    r"^[ \t]*(?:find_package\([ \t]*(\w+)(?:[ \t]+([\d.]+))?|project\([ \t]*(\w+)(?:[^)\n]*?VERSION[ \t]+([\d.]+))?)",
    re.MULTILINE | re.IGNORECASE,
)
_JAVA = ("maven.compiler.release", "maven.compiler.source", "java.version")
_RELEASES = ("release", "source")
"""Language settings of Maven's compiler plugin."""
_RUNNERS = {"spring-boot-maven-plugin": "spring-boot:run", "quarkus-maven-plugin": "quarkus:dev"}
_PLUGINS = {"application": "run", "org.springframework.boot": "bootRun", "io.quarkus": "quarkusDev"}
"""Tasks and goals that start a program, by the plugin that brings them."""
_DEEPEST = 100


class _Leaves:
    """The text elements of an XML document with path and line, and its attributes, up to the first syntax error."""

    def __init__(self, text: str) -> None:
        self.found: list[tuple[tuple[str, ...], str, int]] = []
        self.attributes: list[tuple[str, dict[str, str], int]] = []
        self.closed: list[tuple[tuple[str, ...], int]] = []
        self._path: list[str] = []
        self._text: list[str] = []
        self._line = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = self._refuse
        try:
            self._parser.Parse(text.encode(), True)
        except (expat.ExpatError, ValueError):
            return

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition(":")[2])
        if len(self._path) > _DEEPEST:
            raise ValueError("elements are nested too deeply")
        self._line = self._parser.CurrentLineNumber
        self._text.clear()
        if attributes:
            self.attributes.append((self._path[-1], attributes, self._line))

    def _end(self, _name: str) -> None:
        told = "".join(self._text).strip()
        if told:
            self.found.append((tuple(self._path), told, self._line))
        self.closed.append((tuple(self._path), len(self.found)))
        self._path.pop()
        self._text.clear()

    def _refuse(self, *_: object) -> None:
        raise ValueError("entities are not expanded")


def of_maven(text: str) -> Iterator[Statement]:
    """Yield the facts of pom.xml; values inherited from a parent POM are not known."""
    read = _Leaves(text)
    own = {path[1]: (told, line) for path, told, line in read.found if len(path) == 2}
    for name, key in (("artifactId", "name"), ("version", "version"), ("description", "description")):
        if name in own:
            yield from properties("", {key: own[name][0]}, own[name][1])
    for path, told, line in read.found:
        yield from _of_element(path, told, line)
    first = 0
    for path, last in read.closed:
        if path[-2:] == ("dependencies", "dependency") and "exclusions" not in path and "plugins" not in path:
            said = {each[-1]: (told, line) for each, told, line in read.found[first:last] if each[:-1] == path}
            if "artifactId" in said:
                name, line = said["artifactId"]
                version, scope = said.get("version", ("", 0))[0], said.get("scope", ("", 0))[0]
                yield requirement(name, version, line=line, is_development=scope == "test")
            first = last


def _of_element(path: tuple[str, ...], told: str, line: int) -> Iterator[Statement]:
    """Yield what one element of pom.xml says: a runtime, a module, or a plugin that starts the program."""
    is_compiler = path[-3:-1] == ("plugin", "configuration") and path[-1] in _RELEASES
    if (path[1:2] == ("properties",) and path[-1] in _JAVA) or (is_compiler and told[:1].isdigit()):
        yield from properties("", {"runtime.java": told}, line)
    elif path[1:2] == ("modules",):
        yield from properties("", {f"member.{told}": told}, line)
    elif path[-2:] == ("plugin", "artifactId") and told in _RUNNERS:
        yield command("run", f"mvn {_RUNNERS[told]}", line=line)


def of_msbuild(text: str) -> Iterator[Statement]:
    """Yield the facts of a .NET project file."""
    read = _Leaves(text)
    for path, told, line in read.found:
        key = {"TargetFramework": "runtime.dotnet", "Version": "version", "Description": "description"}.get(path[-1])
        if key:
            yield from properties("", {key: told}, line)
    for name, given, line in read.attributes:
        if name == "PackageReference" and "Include" in given:
            yield requirement(given["Include"], given.get("Version"), line=line)


def of_gradle(text: str) -> Iterator[Statement]:
    """Yield the facts of a Gradle build file, in Groovy or Kotlin."""
    for line, found in numbered(_OF_GRADLE, text):
        configuration, package, version, key, value, main, plugin, java = found.groups()
        if main or plugin in _PLUGINS:
            yield command("run", f"gradle {_PLUGINS.get(plugin, 'run')}", line=line)
        if package:
            yield requirement(package, version, line=line, is_development="test" in configuration.lower())
        elif key:
            yield from properties("", {key: value}, line)
        elif not plugin:
            yield from properties("", {"entry.main": main, "runtime.java": (java or "").replace("_", ".")}, line)


def of_cmake(text: str) -> Iterator[Statement]:
    """Yield the facts of CMakeLists.txt."""
    for line, found in numbered(_OF_CMAKE, text):
        if found[1]:
            yield requirement(found[1], found[2], line=line)
        else:
            yield from properties("", {"name": found[3], "version": found[4]}, line)


def of_taskfile(text: str) -> Iterator[Statement]:
    """Yield the tasks of a Taskfile: the keys that are indented by two blanks below `tasks`."""
    is_within = False
    for number, line in enumerate(text.split("\n"), 1):
        key = line.strip().removesuffix(":")
        if line and not line[0].isspace():
            is_within = key == "tasks"
        elif is_within and line.startswith("  ") and not line[2:3].isspace() and line.rstrip().endswith(":"):
            yield command(key, f"task {key}", line=number)


def of_workflow(text: str) -> Iterator[Statement]:
    """Yield the command lines of the steps of a GitHub workflow: a value of `run`, or the lines of its block."""
    block = -1
    for number, line in enumerate(text.split("\n"), 1):
        told, margin = line.strip(), len(line) - len(line.lstrip())
        if told and margin <= block:
            block = -1
        if block >= 0:
            yield from [command("step", told, line=number)] if told and not told.startswith("#") else []
            continue
        key, colon, value = told.removeprefix("- ").partition(":")
        if colon and key == "run":
            is_block = value.strip()[:1] in ("|", ">")
            block = margin if is_block else -1
            yield from [command("step", value.strip(" \"'"), line=number)] if value.strip() and not is_block else []


def of_targets(text: str, tool: str = "make") -> Iterator[Statement]:
    """Yield the targets of a makefile, or of a file in its form that another tool reads."""
    for number, line in enumerate(text.split("\n"), 1):
        target, colon, rest = line.partition(":")
        if colon and not rest.startswith("=") and target and not target[0].isspace() and target.isprintable():
            for name in target.split():
                if not name.startswith((".", "$", "#")):
                    yield command(name, f"{tool} {name}", line=number)
