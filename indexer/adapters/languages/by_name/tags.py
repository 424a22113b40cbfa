"""
Runs the query of a language over a file.

Captures that query files may have:
  @definition.class, @definition.function, @definition.variable, @declaration.function with @name, @parameters
  @scope, @scope.type with @name: what names nest in without being a symbol (namespaces, blocks of methods of a type)
  @module: the namespace that the whole file is in
  @reopened: a block whose definitions are members of the enclosing type, with lines like `private:` of its own
  @hidden: names of definitions above that are made private
  @attribute (above), @inner.attribute: of definitions; @private: definitions; @section: lines like `private:`
  @comment; @branch: adds one to the complexity
  @inherits: of the innermost type
  @import (dotted), @import.tree, @import.selected (a path and names in braces), @import.grouped,
    @import.below (a module below the file)
  @include, @include.relative, @include.system (files)
  @call, @call.own, @call.base, @call.path, @call.member, @call.new, @call.declared, @call.maybe
    with @name, @receiver, @arguments; @call.operator with @name, @receiver, @other (the right operand);
    @call.none is no call; of several patterns that match one @name the first counts
  @local: a variable or parameter; further down in its function @call.maybe of that name is no call
  @typed, @typed.pointer: what declares @name, of @type, or of the type of its value @receiver
  @throw, @throw.runtime with @type, @message; @log with @message
Names that begin with an underscore are for predicates only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser, Query, QueryCursor

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.by_name.rules import Rules


@dataclass(frozen=True, slots=True)
class Tag:
    """
    One match of a pattern.

    Args:
        kind: Name of the main capture.
        node: Node of the main capture.
        parts: The other captures of the match, the first node of each.
        pattern: Number of the pattern in the query file.
    """

    kind: str
    node: Node
    parts: dict[str, Node]
    pattern: int


_PARTS = frozenset(("name", "parameters", "receiver", "arguments", "type", "message", "other"))


def tags_of(rules: Rules, text: bytes) -> list[Tag]:
    """List all matches in order of the text, outer nodes first; what cannot be parsed is left out."""
    language, query = _grammar(rules)
    root = Parser(language).parse(text).root_node
    found = []
    for pattern, captures in QueryCursor(query).matches(root):
        kinds = [name for name in captures if name not in _PARTS and not name.startswith("_")]
        parts = {name: nodes[0] for name, nodes in captures.items() if name in _PARTS}
        found += [Tag(kind, node, parts, pattern) for kind in kinds for node in captures[kind]]
    return sorted(found, key=lambda tag: (tag.node.start_byte, -tag.node.end_byte, tag.pattern, tag.kind))


@cache
def _grammar(rules: Rules) -> tuple[Language, Query]:
    package, function = rules.grammar
    language = Language(getattr(import_module(package), function)())
    source = files("indexer").joinpath("languages", rules.name, "tags.scm").read_text("utf-8")
    return language, Query(language, source)
