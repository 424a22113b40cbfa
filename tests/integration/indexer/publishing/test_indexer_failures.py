"""A file or a language that the indexer fails on costs itself: all else is published, and what is missing is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from indexer.adapters.languages.registry import languages
from indexer.domain.jobs import JobSpec, LocalSource
from indexer.domain.model import ALL_TIERS
from indexer.domain.tree import SkipReason
from indexer.usecases.indexing.index_repository import IndexingResult
from indexer.worker.bootstrap import index_repository_with
from tests.fakes.hostile_language import HostileLanguage
from tests.fakes.parsing import InlineParser
from tests.integration.indexer.core_contents import CoreContents
from tests.integration.indexer.indexing import Indexing, Listener, write_tree
from tests.integration.indexer.publishing.test_indexer_provisional import index

_CHAIN = "".join(f"pub mod m{at} {{ pub use super::m{at + 1}::*; }}\n" for at in range(400))
RUST = {
    "src/lib.rs": "mod m;\nmod n;\n",
    "src/m.rs": f"{_CHAIN}pub mod m400 {{ pub fn z() {{}} }}\npub fn go() {{ m0::z(); }}\n",
    "src/n.rs": "fn f() { g(); }\nfn g() {}\n",
    "tool.py": "def main():\n    run()\n\n\ndef run():\n    pass\n",
}
CALLERS = "SELECT DISTINCT f.path FROM edges e JOIN symbols s ON s.id = e.source_id JOIN files f ON f.id = s.file_id"
LEFT = "SELECT path, reason FROM skipped"
ERRORS = "SELECT path, status, error FROM files WHERE error <> ''"


def test_a_file_that_cannot_be_linked_is_published_without_its_edges(indexing: Indexing, tmp_path: Path) -> None:
    """Its symbols are there, the edges of all other files too; counts, file, overview and result tell the reason."""
    root = write_tree(tmp_path / "tree", RUST)
    outcome = indexing.run(root)

    assert outcome.failures == {"src/m.rs": "not linked: nested too deeply"}
    assert indexing.rows(LEFT) == [("src/m.rs", SkipReason.UNLINKED)]
    assert indexing.rows(ERRORS) == [("src/m.rs", 1, "not linked: nested too deeply")]
    assert indexing.current().counts.skipped == {SkipReason.UNLINKED: 1}
    assert indexing.current().counts.cut == {"rust": ALL_TIERS}
    assert {path for (path,) in indexing.rows(CALLERS)} == {"src/lib.rs", "src/n.rs", "tool.py"}
    assert "Calls may be missing in: rust" in CoreContents(indexing.core()).pages("")[0][-1]
    assert indexing.run(root).unchanged


def test_an_edit_keeps_what_failed_before_and_waits_where_it_fails_itself(indexing: Indexing, tmp_path: Path) -> None:
    """A file that failed stays told until it changes; one that fails now is shown with the exact snapshot alone."""
    root = write_tree(tmp_path / "tree", RUST)
    indexing.run(root)
    write_tree(root, {"tool.py": RUST["tool.py"] + "\n\ndef more():\n    run()\n"})
    other = index(indexing, root)
    write_tree(root, {"src/m.rs": RUST["src/m.rs"] + "pub fn more() { m0::z(); }\n"})
    itself = index(indexing, root)

    assert other.provisional is not None
    assert other.provisional.counts.skipped == {SkipReason.UNLINKED: 1}
    assert itself.provisional is None
    assert indexing.rows(LEFT) == [("src/m.rs", SkipReason.UNLINKED)]


def test_code_whose_calls_are_nested_too_deeply_keeps_its_symbols_and_is_told(
    indexing: Indexing, tmp_path: Path
) -> None:
    """Edges that cannot be read are counted as those that cannot be linked."""
    deep = "function f() {}\nx = a" + ".then(\nf)" * 4000 + ";\n"
    root = write_tree(tmp_path / "tree", {"deep.js": deep, "plain.js": "function g() {}\ng();\n"})
    outcome = indexing.run(root)

    assert outcome.failures == {"deep.js": "nested too deeply"}
    assert indexing.rows(LEFT) == [("deep.js", SkipReason.UNLINKED)]
    assert ("f",) in indexing.rows("SELECT name FROM symbols")
    assert {path for (path,) in indexing.rows(CALLERS)} == {"plain.js"}


class Defective(HostileLanguage):
    """Cannot name modules, or meets syntax that nobody thought of."""

    def __init__(self, *, names: bool) -> None:
        self._names = names

    def module_names(self, paths: Collection[str], *_: object) -> Mapping[str, str]:
        """Name files, or fail."""
        if self._names:
            raise KeyError(*paths)
        return super().module_names(paths)

    def parse(self, path: str, module: str, text: str) -> object:  # type: ignore[override]  # never returns
        """Fail."""
        raise KeyError(path, module, text)


@pytest.mark.parametrize(("names", "place"), [(True, "Defective.module_names"), (False, "Defective.parse")])
def test_a_language_that_fails_is_read_as_text(indexing: Indexing, tmp_path: Path, names: bool, place: str) -> None:
    """Its files can be searched; those of other languages have symbols and edges."""
    root = write_tree(tmp_path / "tree", {"a.bad": "needle\n", "tool.py": RUST["tool.py"]})
    outcome = _indexed(indexing, root, Defective(names=names))

    assert outcome.failures == {"a.bad": f"KeyError in {place}"}
    assert indexing.rows(LEFT) == [("a.bad", SkipReason.UNPARSED)]
    assert indexing.rows("SELECT path, status FROM files ORDER BY path") == [("a.bad", 2), ("tool.py", 1)]
    assert {path for (path,) in indexing.rows(CALLERS)} == {"tool.py"}


def _indexed(indexing: Indexing, root: Path, language: Defective) -> IndexingResult:
    known = {**languages(), language.name: language}
    with index_repository_with(indexing.settings, known, InlineParser(known)) as indexer:  # type: ignore[arg-type]  # see `parse`
        return indexer.run(JobSpec("shop", LocalSource(str(root))), Listener())
