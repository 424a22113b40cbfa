"""Which documentation is drafted, and in which order pages and what symbols say of themselves take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, open_snapshot
from retriever.domain.context import Context, Task
from retriever.domain.evidence import EvidenceRole
from retriever.domain.question import Mode, RankedDocument, RankedFile, RankedSymbol, Ranking
from retriever.usecases.drafting import source_draft
from retriever.usecases.judging import OrderJudge
from retriever.usecases.stages.documents import Documents
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.domain.evidence import Draft
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


async def _drafts(snapshot: Snapshot, mode: Mode, *, guides: int, shown: tuple[str, ...] = ()) -> list[Draft]:
    """Return what is drafted where all files match, with both of their functions, and some guides do."""
    symbols = [each for path in _FILES for each in snapshot.symbols.in_file(path) if each.qualified_name]
    pages = snapshot.documents.at([f"docs/{number}.md" for number in range(guides)])
    ranking = Ranking(
        tuple(RankedFile(each, 1.0) for each in snapshot.files.all() if each.path in _FILES),
        tuple(RankedSymbol(each, 1.0) for each in symbols),
        tuple(RankedDocument(each, 1.0) for each in pages),
    )
    context = Context(ranking).with_drafts(
        source_draft(snapshot, each, EvidenceRole.MATCH, "shown") for each in symbols if each.path in shown
    )
    drafted = await Documents().run(context, snapshot, Task("How do I pay?", mode), OrderJudge())
    return list(drafted.drafts[len(context.drafts) :])


def _titles(drafts: list[Draft]) -> list[str]:
    return [each.title.partition(" ")[0] for each in drafts]


async def test_for_a_conceptual_question_three_symbols_and_a_page_take_turns(tmp_path: Path) -> None:
    """Ten files speak before any speaks twice; of twenty symbols and twelve pages those are drafted that match best."""
    drafts = await _drafts(_opened(tmp_path), Mode.CONCEPTUAL, guides=13)

    symbols = [f"{name}{number:02}" for name in "ab" for number in range(10)]
    pages = [f"guide{number:02}" for number in range(12)]
    turns = [[*symbols[3 * turn : 3 * turn + 3], pages[turn]] for turn in range(7)]
    assert _titles(drafts) == [*(each for turn in turns for each in turn), *pages[7:]]
    assert drafts[0].text == "def a00()\n\nPay.\n\nSlowly.\n"


async def test_otherwise_files_that_are_not_shown_speak_in_short_before_pages(tmp_path: Path) -> None:
    """Pages that match and pages of the five files that are shown or match best take turns; none is said twice."""
    drafts = await _drafts(_opened(tmp_path), Mode.DIAGNOSTIC, guides=2, shown=(_FILES[1],))

    cards = [f"a{number:02}" for number in range(10) if number != 1]
    pages = ["guide00", "page01", "guide01", "page00", "page02", "page03", "page04"]
    assert _titles(drafts) == [*cards, *pages]
    assert drafts[0].text == "def a00()\n\nPay.\n"
