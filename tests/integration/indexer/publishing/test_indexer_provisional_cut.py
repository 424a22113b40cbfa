"""What an edit's own link could not finish is told at once, beside what the base's could not."""

from __future__ import annotations

from pathlib import Path

from indexer.domain.model import Tier
from indexer.domain.text.pages import with_cut
from tests.integration.indexer.core_contents import CoreContents
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.publishing.test_indexer_provisional import index

ENDLESS = "const all = [];\nall.push(all.map);\nall.map(all.map);\n"
CUT = "Calls may be missing in: javascript; linking was cut short"
HARMLESS = "function one() {}\none();\n"


def cuts_told(core: CoreContents) -> list[str]:
    """Return what the overview page says of calls that may be missing."""
    [overview] = core.pages("")
    return [part for part in overview[-1].split("\n\n") if part.startswith("Calls may be missing")]


def test_an_edit_whose_link_has_no_end_says_so(indexing: Indexing, tmp_path: Path) -> None:
    """The provisional snapshot names the tier that was cut, as the exact one does afterwards."""
    root = write_tree(tmp_path / "tree", {"loop.js": HARMLESS})
    indexing.run(root)
    write_tree(root, {"loop.js": ENDLESS})

    shown = index(indexing, root)

    assert shown.provisional is not None
    assert shown.provisional.counts.cut == {"javascript": (Tier.CONTAINER,)}
    assert indexing.current().counts.cut == {"javascript": (Tier.CONTAINER,)}
    assert cuts_told(shown.contents) == cuts_told(CoreContents(indexing.core())) == [CUT]
    assert any(word == "miss" for word, *_ in shown.contents.doc_words)
    assert shown.contents.sound == ([("ok",)], [])


def test_what_the_base_could_not_finish_stays_told(indexing: Indexing, tmp_path: Path) -> None:
    """An edit of another file leaves the edges of the base as they were, and its cut with them."""
    root = write_tree(tmp_path / "tree", {"loop.js": ENDLESS, "good.js": HARMLESS})
    indexing.run(root)
    write_tree(root, {"good.js": HARMLESS + "one();\n"})

    shown = index(indexing, root)

    assert shown.provisional is not None
    assert shown.provisional.counts.cut == {"javascript": (Tier.CONTAINER,)}
    assert cuts_told(shown.contents) == [CUT]


def test_an_overview_names_the_languages_once() -> None:
    """Behind the languages, whatever it named before; what a README says of missing calls stays."""
    plain = "shop: 2 files, 9 lines\n\nLanguages: go (2 files)\n\n# Shop\n\nCalls may be missing in: your phone"
    told = with_cut(plain, ["go"])
    changed = with_cut(told, ["go", "java"])

    assert told.split("\n\n")[2] == "Calls may be missing in: go; linking was cut short"
    assert changed == told.replace("in: go;", "in: go, java;")
    assert with_cut("shop: 1 files\n\nCalls may be missing in: it", []).endswith("in: it")
    assert with_cut(plain, []) == with_cut(changed, []) == plain
