"""What an edit's own link could not finish is told at once, beside what the base's could not."""

from __future__ import annotations

from pathlib import Path

from indexer.domain.model import Tier
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.test_indexer_provisional import index

ENDLESS = "const all = [];\nall.push(all.map);\nall.map(all.map);\n"
HARMLESS = "function one() {}\none();\n"


def test_an_edit_whose_link_has_no_end_says_so(indexing: Indexing, tmp_path: Path) -> None:
    """The provisional snapshot names the tier that was cut, as the exact one does afterwards."""
    root = write_tree(tmp_path / "tree", {"loop.js": HARMLESS})
    indexing.run(root)
    write_tree(root, {"loop.js": ENDLESS})

    shown = index(indexing, root)

    assert shown.provisional is not None
    assert shown.provisional.counts.cut == {"javascript": (Tier.CONTAINER,)}
    assert indexing.current().counts.cut == {"javascript": (Tier.CONTAINER,)}


def test_what_the_base_could_not_finish_stays_told(indexing: Indexing, tmp_path: Path) -> None:
    """An edit of another file leaves the edges of the base as they were, and its cut with them."""
    root = write_tree(tmp_path / "tree", {"loop.js": ENDLESS, "good.js": HARMLESS})
    indexing.run(root)
    write_tree(root, {"good.js": HARMLESS + "one();\n"})

    shown = index(indexing, root)

    assert shown.provisional is not None
    assert shown.provisional.counts.cut == {"javascript": (Tier.CONTAINER,)}
