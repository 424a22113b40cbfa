"""
Facts that are read alike in all languages: values of names, reads of the environment, routes.

What differs is in the query files `indexer/queries/facts/<grammar>.scm`. Captures:
  @set, @pair, @argument, @parameter with @name and @value: an assignment, a key of a literal, an argument by keyword
  @call with @function and @arguments: an option that is declared, a value that is looked up by a text or handed over
  @environment with @arguments, @environment.name with @name: a variable of the environment is read
  @environment.bare: a bare `environ` of the file is that of the process
  @placeholder: a text with `${name:default}`; @attribute with @name: what declares an option for a field
  @register, @annotation, @dispatch: see `routes`; @caught, @handed, @changed, @raising, @returning, @asserting: see
  `behaviour_facts`
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser, Query, QueryCursor

from indexer.adapters.languages.behaviour_facts import BEHAVIOUR, behaved
from indexer.adapters.languages.javascript.components import is_component, scripts_of
from indexer.adapters.languages.routes import routed
from indexer.adapters.languages.values import NAMED, ValueReader
from indexer.domain.source.notebooks import code_of, is_notebook

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.domain.model import ParsedFile

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "kotlin": ("tree_sitter_kotlin", "language"),
}
_TYPED_ENDINGS = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".vue": "typescript"}
_INHERITS = "; inherits: "
_MAX_TEXT = 1 << 20
"""A longer file is generated or data."""
_PARTS = frozenset(("name", "value", "function", "arguments", "condition", "body"))
_ROUTING = frozenset(("register", "annotation", "dispatch", "set"))


def with_source_facts(language: str, path: str, text: str, parsed: ParsedFile) -> ParsedFile:
    """Return what was read from a file with these facts, in order of line; as it is if its language has no queries."""
    grammar = language
    if language == "javascript":
        grammar = next((name for ending, name in _TYPED_ENDINGS.items() if path.endswith(ending)), language)
    if grammar not in _GRAMMARS or len(text) > _MAX_TEXT:
        return parsed
    if is_notebook(path):
        text = code_of(text)
    elif is_component(path):
        text = scripts_of(path, text)
    matches = _matches(grammar, text)
    values = ValueReader(parsed.symbols, text.split("\n"))
    has_bare = any(kind == "environment.bare" for kind, _ in matches)
    read = [fact for kind, captures in matches for fact in values.take(kind, captures, has_bare=has_bare)]
    facts = tuple(dict.fromkeys((*parsed.facts, *read)))
    doing = [match for match in matches if match[0] in BEHAVIOUR]
    facts = behaved(doing, facts, parsed.symbols, values.owner) if doing else facts
    routing = [match for match in matches if match[0] in _ROUTING]
    if any(kind != "set" for kind, _ in routing):
        facts = routed(routing, facts, parsed.symbols, values.owner)
    return replace(parsed, facts=tuple(sorted(facts, key=lambda fact: fact.line)))


def _matches(grammar: str, text: str) -> list[tuple[str, dict[str, list[Node]]]]:
    """Return the matches of the queries in order of the text, outer nodes first: kind and captures."""
    parser, query = _reader(grammar)
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    found = []
    for _, captures in QueryCursor(query).matches(root):
        kinds = [name for name in captures if name not in _PARTS and not name.startswith("_")]
        kind = next((name for name in kinds if name in NAMED), kinds[0] if kinds else "")
        at = captures[kind][0] if kind else root
        found.append((at.start_byte, -at.end_byte, kind, captures))
    found.sort(key=lambda match: match[:3])
    return [(kind, captures) for _, _, kind, captures in found]


@cache
def _reader(grammar: str) -> tuple[Parser, Query]:
    package, function = _GRAMMARS[grammar]
    language = Language(getattr(import_module(package), function)())
    return Parser(language), Query(language, _queries("typescript" if grammar == "tsx" else grammar))


def _queries(name: str) -> str:
    """Return the text of a query file, with that of the one that its first line inherits from."""
    text = files("indexer").joinpath("queries", "facts", f"{name}.scm").read_text("utf-8")
    first, _, rest = text.partition("\n")
    return _queries(first.removeprefix(_INHERITS)) + rest if first.startswith(_INHERITS) else text
