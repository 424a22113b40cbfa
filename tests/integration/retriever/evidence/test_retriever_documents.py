"""Which documentation is drafted, and in which order pages and what symbols say of themselves take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, open_snapshot
from retriever.domain.questions.question import Mode, RankedDocument, RankedFile, RankedSymbol, Ranking
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.stages.structure.documents import Documents
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Snapshot

_FILES = [f"shop/m{number:02}.py" for number in range(12)]


def _opened(folder: Path) -> Snapshot:
    """Write twelve files of two functions with a page each, and three guides."""
    built = SnapshotBuilder()
    for number, path in enumerate(_FILES):
        text = "".join(f'def {name}{number:02}():\n    """Pay.\n\n    Slowly.\n    """\n' for name in "ab")
        built.python(path, text).document(path, f"page{number:02}", "Pays.")
    for number in range(15):
        built.document(f"docs/{number}.md", f"guide{number:02}", "How to pay.")
    built.publish(folder, "shop")
    published = SnapshotFolder(folder / "repositories", "shop")
    layers = published.read_set(published.current())
    return open_snapshot(layers, LayerOpeners(read_statements(), SqliteLexical)).snapshot


async def _drafts(snapshot: Snapshot, mode: Mode, *, guides: int, off: frozenset[Part] = frozenset()) -> list[Draft]:
    """Return what is drafted where all files match, with both of their functions, and some guides do."""
    symbols = [each for path in _FILES for each in snapshot.symbols.in_file(path) if each.qualified_name]
    pages = snapshot.documents.at([f"docs/{number}.md" for number in range(guides)])
    ranking = Ranking(
        tuple(RankedFile(each, 1.0) for each in snapshot.files.all() if each.path in _FILES),
        tuple(RankedSymbol(each, 1.0) for each in symbols),
        tuple(RankedDocument(each, 1.0) for each in pages),
    )
    task = Task("How do I pay?", mode, off=off)
    return list((await Documents().run(Context(ranking), snapshot, task, OrderJudge())).drafts)


def _titles(drafts: list[Draft]) -> list[str]:
    return [each.title.partition(" ")[0] for each in drafts]


async def test_pages_that_match_are_drafted(tmp_path: Path) -> None:
    """The three that match best, whatever the mode."""
    for mode in (Mode.CONCEPTUAL, Mode.DIAGNOSTIC):
        assert _titles(await _drafts(_opened(tmp_path), mode, guides=13)) == ["guide00", "guide01", "guide02"]


async def test_without_source_symbols_speak_for_themselves_first(tmp_path: Path) -> None:
    """Declaration and documentation of the twenty that match best, then pages."""
    drafts = await _drafts(_opened(tmp_path), Mode.CONCEPTUAL, guides=13, off=frozenset({Part.SOURCE}))

    assert len(drafts) == 23
    assert drafts[0].text == "def a00()\n\nPay.\n\nSlowly.\n"
    assert _titles(drafts[20:]) == ["guide00", "guide01", "guide02"]
