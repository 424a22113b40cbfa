"""Who is shown of those that call the place of an error: how far back, in which order, and how many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from retriever.adapters.core.database import read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.folder import SnapshotFolder
from retriever.adapters.snapshots.opening import LayerOpeners, open_snapshot
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.question import Mode, RankedSymbol, Ranking
from retriever.domain.tasks.context import Candidate, Context, Task, WalkLimits
from retriever.usecases.stages.behaviour.callers import Callers
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.snapshot_builder import MUTATES, SnapshotBuilder

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

_FAIL = "shop/bank/core.py::fail"


@dataclass
class _Code:
    """Code around `fail`, which is where the error is made, and who calls whom in it."""

    folder: Path
    built: SnapshotBuilder = field(default_factory=SnapshotBuilder)

    def __post_init__(self) -> None:
        self.add(_FAIL)

    def add(self, *functions: str, is_test: bool = False) -> None:
        """Add a file for each "path::name"."""
        for each in functions:
            path, _, name = each.partition("::")
            self.built.python(path, f"def {name}():\n    pass\n", is_test=is_test)

    def call(self, *callers: str, target: str = _FAIL, is_test: bool = False, confidence: float = 0.9) -> None:
        """Add functions, in this order, that call another one."""
        self.add(*callers, is_test=is_test)
        for each in callers:
            self.built.calls(each, target, line=2)

        def sure(db: Connection) -> None:
            """Say how sure these calls are."""
            change = "UPDATE edges SET confidence = ? WHERE id IN (SELECT id FROM edges ORDER BY id DESC LIMIT ?)"
            db.execute(change, (confidence, len(callers)))

        self.built.prepare(sure)

    async def found(
        self, limits: WalkLimits, ranked: tuple[str, ...] = (), start: EvidenceRole = EvidenceRole.ERROR_SITE
    ) -> list[Candidate]:
        """Return what the stage adds to `fail`."""
        self.built.publish(self.folder, "shop")
        published = SnapshotFolder(self.folder / "repositories", "shop")
        layers = published.read_set(published.current())
        snapshot = open_snapshot(layers, LayerOpeners(read_statements(), SqliteLexical)).snapshot
        fail, *best = (
            next(each for each in snapshot.symbols.in_file(path) if each.qualified_name == name)
            for path, _, name in (each.partition("::") for each in (_FAIL, *ranked))
        )
        context = Context(
            ranking=Ranking(symbols=tuple(RankedSymbol(each, 1.0) for each in best)),
            candidates=(Candidate(fail, start, "error", "raises it"),),
        )
        task = Task("Why does it fail?", Mode.DIAGNOSTIC, limits=limits)
        return list((await Callers().run(context, snapshot, task, OrderJudge())).candidates[1:])


@pytest.fixture
def code(tmp_path: Path) -> _Code:
    """Write code by hand."""
    return _Code(tmp_path)


def _names(found: list[Candidate]) -> list[str]:
    return [each.symbol.qualified_name for each in found]


@pytest.mark.parametrize(("hops", "steps"), [(1, 1), (2, 2), (3, 3), (9, 4)])
async def test_callers_are_followed_back_as_far_as_the_limit_says(code: _Code, hops: int, steps: int) -> None:
    """Each hop makes it less sure; who was there before, as in a circle, is not met again."""
    chain = ("a.py::one", "b.py::two", "c.py::three", "d.py::four")
    for caller, target in zip(chain, (_FAIL, *chain), strict=False):
        code.call(caller, target=target)
    code.built.calls(_FAIL, "d.py::four", line=2).calls("a.py::one", "d.py::four", line=2)

    found = await code.found(WalkLimits(hops=hops))

    assert [(each.symbol.qualified_name, each.step, each.score) for each in found] == [
        (name, f"callers hop {hop}", 0.9 / hop) for hop, name in enumerate(("one", "two", "three", "four")[:steps], 1)
    ]


async def test_only_the_place_of_an_error_has_callers_that_matter(code: _Code) -> None:
    """Who calls what merely matches is not asked for."""
    code.call("a.py::one")

    assert await code.found(WalkLimits(), start=EvidenceRole.MATCH) == []


async def test_a_test_is_no_caller(code: _Code) -> None:
    """It fails for what it sets up itself."""
    code.call("tests/a.py::one", is_test=True)
    code.call("b.py::two")

    assert _names(await code.found(WalkLimits())) == ["two"]


@pytest.mark.parametrize(
    ("mutators_first", "expected"),
    [(True, ["changing", "second", "first", "sure", "near", "early", "late"]), (False, ["second", "first"])],
)
async def test_the_most_telling_callers_come_first(code: _Code, *, mutators_first: bool, expected: list[str]) -> None:
    """Who changes state, if that is wished; who matches the question; the surest, the nearest, then by path."""
    code.call("z/late.py::late", "far/off/early.py::early", "shop/near.py::near")
    code.call("x.py::sure", confidence=0.95)
    code.call("w/first.py::first", "v/second.py::second", confidence=0.5)
    code.call("zz.py::changing", confidence=0.4)
    code.built.fact("zz.py::changing", MUTATES, "total")

    limits = WalkLimits(hops=1, callers_per_hop=len(expected), mutators_first=mutators_first)
    found = await code.found(limits, ranked=("v/second.py::second", "w/first.py::first"))

    assert _names(found) == expected


async def test_who_calls_twice_is_one_caller_that_is_shown_where_it_calls_first(code: _Code) -> None:
    """The other call would take the place of another caller."""
    code.call("a.py::one", "b.py::two")
    code.built.calls("a.py::one", _FAIL, line=1)

    found = await code.found(WalkLimits(hops=1, callers_per_hop=2))

    assert [(each.symbol.qualified_name, each.focus) for each in found] == [("one", (1,)), ("two", (2,))]


async def test_of_a_hundred_callers_the_ranked_and_the_surest_are_not_lost(code: _Code) -> None:
    """Only some are looked at, and those that stand last in the index may be the ones."""
    code.call(*(f"many/m{number:03}.py::many{number:03}" for number in range(100)))
    code.call("z/sure.py::sure", confidence=0.95)
    code.call("z/ranked.py::ranked", confidence=0.5)

    found = await code.found(WalkLimits(hops=1, callers_per_hop=3), ranked=("z/ranked.py::ranked",))

    assert _names(found) == ["ranked", "sure", "many000"]
