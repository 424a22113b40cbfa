"""Names that stand in files that are left out of the index: never absent, never outside of the repository."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import grpc
import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2

from common.core.contract.evidence import Gap, GapOutcome
from common.core.contract.understanding import Relation
from indexer.domain.tree import SkipReason
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.gaps import read_gap
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.gaps.reasons import Reasons
from retriever.usecases.stages.relations.users import Asked, find_users
from tests.fakes.git_repositories import commit_all, git
from tests.fakes.retrieving import retriever_over
from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.opened_tree import opened_current, opened_tree

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.domain.tasks.gaps import Match
    from retriever.ports import Snapshot

FILES: dict[str, str | bytes] = {
    "app.py": "from ledger_pb2 import SellRequest\nfrom requests import get\n\n\ndef main():\n    return SellRequest\n",
    "ledger_pb2.py": "class SellRequest: ...\n",
    "mint.py": "from gen import coin_pb2\n\n\ndef mint():\n    return coin_pb2.Coin()\n",
    "gen/coin_pb2.py": "class Coin: ...\n",
    "big.py": "def in_the_big_file(): ...\n" + "# padding\n" * 200_000,
    "unknown.c": b"/* " + bytes(range(129, 255)) * 3 + b" */ int in_no_encoding(void);\n",
    "static/lib.min.js": "function inTheMinified(){}\n",
    "vendor/other.py": "def in_the_copy(): ...\n",
    "back\\slash.py": "def in_the_odd_name(): ...\n",
    "logo.png": b"in_the_picture\0",
}


async def _ended(snapshot: Snapshot, symbol: str) -> Match:
    wanted = read_gap(Gap("g1", "", symbol))
    match = await Reasons().find(snapshot, wanted, GapTask("", Mode.CONCEPTUAL))
    assert match
    return match


@pytest.mark.parametrize(("path", "why"), [("ledger_pb2.py", "it is generated"), ("gone.py", "there is no such file")])
async def test_reading_a_file_that_is_left_out_tells_why(tmp_path: Path, path: str, why: str) -> None:
    """The file is there, but not its text; a file that nothing knows of is not there."""
    write_tree(tmp_path / "shop", FILES)
    Indexing(tmp_path / "data").run(tmp_path / "shop")
    async with retriever_over(tmp_path / "data") as stub:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.ReadSpans(pb.ReadSpansRequest(repository="shop", spans=[code_pb2.Span(path=path)]))

    assert (caught.value.details() or "").startswith(f"{path} is not in the snapshot: {why}")


@pytest.mark.parametrize(
    ("symbol", "place"),
    [
        ("SellRequest", "ledger_pb2.py, which is not covered by the index because it is generated"),
        ("coin_pb2", "gen/coin_pb2.py, which is not covered by the index because it is generated"),
        ("ledger_pb2.SellRequest", "ledger_pb2.py, which is not covered by the index because it is generated"),
        ("in_the_big_file", "big.py, which is not covered by the index because it is larger than the limit"),
        ("in_no_encoding", "unknown.c, which is not covered by the index because it is in no known encoding"),
        ("inTheMinified", "static/lib.min.js, which is not covered by the index because it is minified"),
        ("in_the_copy", "vendor/other.py, which is not covered by the index because it is a copy of"),
        ("in_the_odd_name", "back\\\\slash.py, which is not covered by the index because it has a name that"),
    ],
)
async def test_what_stands_in_a_file_left_out_is_out_of_coverage(snapshot: Snapshot, symbol: str, place: str) -> None:
    """The file and the reason are told."""
    match = await _ended(snapshot, symbol)

    assert match.outcome == GapOutcome.OUT_OF_COVERAGE
    assert match.detail.startswith(f"{symbol} stands in {place}")


@pytest.mark.parametrize(
    ("symbol", "outcome"),
    [
        ("github.com/acme/till", GapOutcome.RESOLVED),
        ("acme/checkout@v4", GapOutcome.RESOLVED),
        ("HELP.md", GapOutcome.OUT_OF_COVERAGE),
        ("bin/till.js", GapOutcome.OUT_OF_COVERAGE),
        ("lib/till.js", GapOutcome.ABSENT),
        ("example.org/pinned", GapOutcome.OUT_OF_COVERAGE),
        ("github.com/acme/drawer", GapOutcome.ABSENT),
        ("docs/gone.md", GapOutcome.ABSENT),
    ],
)
async def test_a_name_with_slashes_is_absent_only_where_no_file_has_it(symbol: str, outcome: GapOutcome) -> None:
    """It looks like a path, and is the name of a package, of an action, or of a file that is not there or ignored."""
    files: dict[str, str | bytes] = {
        "go.mod": "module github.com/acme/till\n",
        "go.sum": "example.org/pinned v1.0.0 h1:abc=\n",
        ".github/workflows/ci.yml": "jobs:\n  one:\n    steps:\n      - uses: acme/checkout@v4\n",
        ".gitignore": "HELP.md\ntill.js\n",
        "bin/till.js": "x\n",
        "lib/.gitignore": "!till.js\n",
    }
    with closing(opened_tree(files)) as opened:
        match = await _ended(opened.snapshot, symbol)

    assert match.outcome == outcome


async def test_what_no_file_has_is_absent_though_files_are_left_out(snapshot: Snapshot) -> None:
    """Their words are known; a picture has none."""
    outcomes = [(await _ended(snapshot, symbol)).outcome for symbol in ("nowhere_at_all", "in_the_picture")]

    assert outcomes == [GapOutcome.ABSENT, GapOutcome.ABSENT]
    assert (await _ended(snapshot, "get")).outcome == GapOutcome.EXTERNAL


def test_code_of_a_language_that_nobody_reads_is_code() -> None:
    """It is text with the language's name, and lessens the share of code that has symbols."""
    with closing(opened_tree({"a.py": "x = 1\n", "b.zig": "pub fn f() void {}\n", "c.md": "# C\n"})) as opened:
        languages = [(file.path, file.language, file.parsed) for file in opened.snapshot.files.all()]

        assert languages == [("a.py", "python", True), ("b.zig", "zig", False), ("c.md", "", False)]
        assert opened.snapshot.info.coverage == 0.5


async def test_files_that_nobody_can_read_leave_every_name_open(tmp_path: Path) -> None:
    """A link out of the tree, a submodule and a sparse checkout are counted and told; a dangling link holds nothing."""
    outside = write_tree(tmp_path / "outside", {"far.py": "def far_away(): ...\n"})
    commit_all(outside)
    full = write_tree(tmp_path / "full", {"one/a.py": "def here(): ...\n", "two/b.py": "def there(): ...\n"})
    commit_all(full)
    git(full, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(outside), "linked")
    (full / "dangling.py").symlink_to("nothing.py")
    commit_all(full)
    git(tmp_path, "clone", "--quiet", "full", "sparse")
    git(tmp_path / "sparse", "sparse-checkout", "set", "one")
    plain = write_tree(tmp_path / "plain", {"a.py": "def here(): ...\n"})
    (plain / "dangling.py").symlink_to("nothing.py")
    tied = write_tree(tmp_path / "tied", {"a.py": "def here(): ...\n"})
    (tied / "far").symlink_to(outside)

    told: dict[str, tuple[dict[SkipReason, int], str]] = {}
    for name in ("full", "sparse", "plain", "tied"):
        indexing = Indexing(tmp_path / f"data-{name}")
        counts = indexing.run(tmp_path / name).snapshot.counts.skipped
        with closing(opened_current(indexing.data)) as opened:
            told[name] = dict(counts), (await _ended(opened.snapshot, "far_away")).detail.partition(", which")[0]

    assert told == {
        "full": ({SkipReason.UNSAFE_LINK: 1, SkipReason.SUBMODULE: 1}, "far_away may stand in linked"),
        "sparse": (
            {SkipReason.UNSAFE_LINK: 1, SkipReason.SPARSE: 1, SkipReason.SUBMODULE: 1},
            "far_away may stand in linked",
        ),
        "plain": ({SkipReason.UNSAFE_LINK: 1}, "nothing in this repository is called far_away"),
        "tied": ({SkipReason.UNSAFE_LINK: 1}, "far_away may stand in far"),
    }


async def test_a_list_of_callers_tells_of_files_that_nobody_can_read(tmp_path: Path) -> None:
    """Code outside a sparse checkout may call, too; no list of callees speaks of it."""
    full = write_tree(tmp_path / "full", {"one/a.py": "def here(): ...\n\n\ndef use():\n    here()\n"})
    write_tree(full, {"two/b.py": "def there(): ...\n", "two/c.py": "def far(): ...\n"})
    commit_all(full)
    git(tmp_path, "clone", "--quiet", "full", "sparse")
    git(tmp_path / "sparse", "sparse-checkout", "set", "one")
    indexing = Indexing(tmp_path / "data")
    indexing.run(tmp_path / "sparse")

    with closing(opened_current(indexing.data)) as opened:
        found = [
            each.notes
            for relation in (Relation.CALLS, Relation.CALLEES)
            for each in find_users(opened.snapshot, Asked(("here",), relation), {})
        ]

    why = "the index has no text of it: it is left out of the working tree by a sparse checkout"
    assert found == [(f"and those in two/b.py and 1 more ({why})",), ()]


def test_users_in_a_file_that_could_not_be_linked_are_told_to_be_unknown() -> None:
    """Its text and symbols are there, the edges that start in it are not."""
    chain = "".join(f"pub mod m{at} {{ pub use super::m{at + 1}::*; }}\n" for at in range(400))
    deep = f"{chain}pub mod m400 {{ pub fn z() {{}} }}\npub fn go() {{ m0::z(); crate::n::g(); }}\n"
    files: dict[str, str | bytes] = {
        "src/lib.rs": "mod m;\nmod n;\n",
        "src/m.rs": deep,
        "src/n.rs": "pub fn g() {}\nfn f() { g(); }\n",
    }
    with closing(opened_tree(files)) as opened:
        [found] = find_users(opened.snapshot, Asked(("g",), Relation.CALLS), {})

    assert [each.path for each in found.uses] == ["src/n.rs"]
    assert found.notes == ("and those in src/m.rs (the index has no edges of it: not linked: nested too deeply)",)


async def test_a_core_of_an_earlier_release_knows_no_words(tmp_path: Path) -> None:
    """What it left out is known by path and reason, and is taken to hold nothing."""
    builder = SnapshotBuilder().python("a.py", "def here(): ...\n").skipped("big.py", SkipReason.OVERSIZE)
    builder.prepare(lambda database: database.executescript("ALTER TABLE skipped DROP COLUMN words").close())
    builder.publish(tmp_path, "shop")

    with closing(opened_current(tmp_path)) as opened:
        assert [(each.path, each.why) for each in opened.snapshot.coverage.left_out()] == [
            ("big.py", "is larger than the limit")
        ]
        assert opened.snapshot.coverage.may_hold("anything") is None
        assert (await _ended(opened.snapshot, "anything")).outcome == GapOutcome.ABSENT
