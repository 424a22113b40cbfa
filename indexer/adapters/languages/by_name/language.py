"""The adapter of all languages that are linked by name: a pure function from the text of one file to its facts."""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.cargo import MANIFEST, manifest_program
from indexer.adapters.languages.by_name.naming import dotted
from indexer.adapters.languages.symbol_table import line_count, module_alone, module_symbol
from indexer.adapters.languages.syntax import text_of
from indexer.domain.linking.by_name.program import Program, plain
from indexer.domain.linking.solver.packed import pack
from indexer.domain.model import Fact, ParsedFile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.adapters.languages.by_name.rules import Rules


_PACKAGE = "name:"


class ByNameLanguage:
    """A language with a query file and a row of rules."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.manifests = rules.manifests

    @property
    def name(self) -> str:
        """Return the language's name."""
        return self._rules.name

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return the endings of its files."""
        return self._rules.extensions

    def label(self, path: str) -> str:
        """Return the language's name; "" for a manifest, which is parsed too but is labelled as plain text."""
        return "" if path.rpartition("/")[2] == MANIFEST else self.name

    def module_names(
        self, paths: Collection[str], manifests: Mapping[str, str], _known: Mapping[str, str] | None, /
    ) -> Mapping[str, str]:
        """
        Name each file by the dotted folders of its path, below the package that a manifest names.

        Left out are `dropped_folders` and the file names in `index_files`. A namespace that a file declares replaces
        the name when it is read.
        """
        packages = {dirname(path): name for path, text in manifests.items() if (name := _package_name(text))}
        return {path: _module_name(path, packages, self._rules) for path in paths}

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """Read one file. A syntax error costs only the code within it; nesting may have any depth."""
        if path.rpartition("/")[2] == MANIFEST:
            return ParsedFile(self.name, (module_alone(module, text),), (), pack(plain(manifest_program(text))))
        # Imported here, not at the top, to save time where languages are only detected: an edit waits for it.
        from indexer.adapters.languages.by_name.behaviour import facts_of
        from indexer.adapters.languages.by_name.comments import Comments
        from indexer.adapters.languages.by_name.macros import without_macros
        from indexer.adapters.languages.by_name.making_macros import expanded_c, expanded_rust
        from indexer.adapters.languages.by_name.outline import Outline
        from indexer.adapters.languages.by_name.references import References
        from indexer.adapters.languages.by_name.tags import tags_of

        encoded = text.encode("utf-8", "replace")
        macros, written = self._rules.macros, encoded
        if macros == "rules":
            written = expanded_rust(encoded)
        elif macros:
            written = without_macros(expanded_c(encoded), alone=macros == "alone")
        if unread := self._rules.unread:
            written = re.sub(unread.encode(), lambda found: b" " * len(found[0]), written)
        if closed := self._rules.closed:
            written = re.sub(closed.encode(), b";", written)
        tags = tags_of(self._rules, written)
        lines = encoded.split(b"\n")
        comments = Comments(self._rules, lines, tags)
        outline = Outline(self._rules, path, comments, (tag.node.id for tag in tags if tag.kind == "private"))
        references = References(self._rules)
        references.prefer(tags)
        facts: dict[Fact, None] = {}
        space = ""
        for tag in tags:
            if tag.kind == "module":
                space = space or dotted(text_of(tag.node))
            elif not outline.take(tag):
                frame = outline.at(tag.node)
                references.take(tag, frame)
                facts.update(dict.fromkeys(facts_of(tag, frame.running, self._rules)))
        docstring = comments.of_file(outline.first_line)
        own = module_symbol(space or module, line_count(text), docstring)
        rows = (tuple(outline.definitions), references.calls(), tuple(references.bases), tuple(references.imports))
        fields = references.operands.fields()
        ordered = tuple(sorted(facts, key=lambda fact: fact.line))
        return ParsedFile(self.name, outline.symbols(own), ordered, pack(plain(Program(space, *rows, fields))))


def _module_name(path: str, packages: Mapping[str, str], rules: Rules) -> str:
    folder, _, file = path.rpartition("/")
    above: list[str] = []
    while folder and folder not in packages:
        folder, _, name = folder.rpartition("/")
        above += [name] if name not in rules.dropped_folders else []
    above += [packages[folder]] if folder in packages else []
    stem = file.partition(".")[0] or file
    return ".".join((*reversed(above), *([stem] if stem not in rules.index_files or not above else [])))


def _package_name(manifest: str) -> str:
    lines = (line for line in manifest.split("\n") if line.startswith(_PACKAGE))
    return next((line.removeprefix(_PACKAGE).partition("#")[0].strip(" \t\r\"'") for line in lines), "")
