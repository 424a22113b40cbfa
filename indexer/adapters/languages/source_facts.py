"""
Adds facts that are found in the same way in all languages: values of names, reads of the environment, routes.

What differs is in the query files `indexer/languages/<name>/facts.scm`, or those that `facts` in the pack names. A
`[[dialect]]` of a pack has a grammar and queries of its own for some endings. Captures:
  @set, @pair, @argument, @parameter with @name and @value: an assignment, a key of a literal, an argument by keyword
  @call with @function and @arguments: declares an option, looks a value up by a text, or passes a value
  @environment with @arguments, @environment.name with @name: a variable of the environment is read
  @environment.bare: a bare `environ` of the file is that of the process
  @command: a text, or a name that is written with hyphens, that the program is told on its command line; with @name, a
  key of the table of that name, which the file must look up
  @placeholder: a text with `${name:default}`; @attribute with @name: what declares an option for a field
  @register, @annotation, @dispatch: see `routes`; @caught, @handed, @changed, @raising, @returning, @asserting: see
  `behaviour_facts`
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from posixpath import splitext
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser, Query, QueryCursor

from indexer.adapters.languages.behaviour_facts import BEHAVIOUR, behaved
from indexer.adapters.languages.javascript.components import is_component, scripts_of
from indexer.adapters.languages.packs import read_pack
from indexer.adapters.languages.routes import routed
from indexer.adapters.languages.values import NAMED, ValueReader
from indexer.domain.model import FactKind
from indexer.domain.source.notebooks import code_of, is_notebook

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.domain.model import ParsedFile

_MAX_TEXT = 1 << 20
"""A longer file, in characters, is taken for generated code or data and gets no such facts."""
_PARTS = frozenset(("name", "value", "function", "arguments", "condition", "body"))
_ROUTING = frozenset(("register", "annotation", "dispatch", "set"))


def with_source_facts(language: str, path: str, text: str, parsed: ParsedFile) -> ParsedFile:
    """Return a parsed file with these facts added, in order of line; unchanged if its language has no queries."""
    reader = _reader(language, splitext(path)[1])
    if reader is None or len(text) > _MAX_TEXT:
        return parsed
    if is_notebook(path):
        text = code_of(text)
    elif is_component(path):
        text = scripts_of(path, text)
    root, matches = _matches(*reader, text)
    values = ValueReader(parsed.symbols, text.split("\n"))
    has_bare = any(kind == "environment.bare" for kind, _ in matches)
    read = [fact for kind, captures in matches for fact in values.take(kind, captures, has_bare=has_bare)]
    said = {fact.line for fact in parsed.facts if fact.kind == FactKind.ERROR_STRING}
    kept = (fact for fact in read if fact.kind != FactKind.TEXT or fact.line not in said)
    facts = tuple(dict.fromkeys((*parsed.facts, *kept)))
    doing = [match for match in matches if match[0] in BEHAVIOUR]
    facts = behaved(doing, facts, parsed.symbols, values.owner, root)
    routing = [match for match in matches if match[0] in _ROUTING]
    if any(kind != "set" for kind, _ in routing):
        facts = routed(routing, facts, parsed.symbols, values.owner)
    return replace(parsed, facts=tuple(sorted(facts, key=lambda fact: fact.line)))


def _matches(parser: Parser, query: Query, text: str) -> tuple[Node, list[tuple[str, dict[str, list[Node]]]]]:
    """Return the tree, and the matches of the queries in order of the text, outer nodes first: kind and captures."""
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    found = []
    for _, captures in QueryCursor(query).matches(root):
        kinds = [name for name in captures if name not in _PARTS and not name.startswith("_")]
        kind = next((name for name in kinds if name in NAMED), kinds[0] if kinds else "")
        at = captures[kind][0] if kind else root
        found.append((at.start_byte, -at.end_byte, kind, captures))
    found.sort(key=lambda match: match[:3])
    return root, [(kind, captures) for _, _, kind, captures in found]


@cache
def _reader(language: str, ending: str) -> tuple[Parser, Query] | None:
    """Return the parser and query for files of a language with this ending; None for a language without queries."""
    folder = files("indexer").joinpath("languages", language)
    pack = read_pack(language)
    dialect = next((each for each in pack.get("dialect", ()) if ending in each["endings"]), pack)
    queries = [folder.joinpath(*name.split("/")) for name in dialect.get("facts", ("facts.scm",))]
    if not all(each.is_file() for each in queries):
        return None
    package, _, function = dialect["grammar"].partition(":")
    grammar = Language(getattr(import_module(package), function or "language")())
    return Parser(grammar), Query(grammar, "".join(each.read_text("utf-8") for each in queries))
