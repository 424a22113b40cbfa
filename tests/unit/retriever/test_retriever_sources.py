"""Whose source a judge is offered, in which order, and how many at most."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, cast

import pytest

from retriever.domain.context import Candidate, Context, Task, WalkLimits
from retriever.domain.evidence import EvidenceRole
from retriever.domain.question import Mode, RankedFile, RankedSymbol, Ranking
from retriever.domain.values import File, Symbol, SymbolKind
from retriever.ports import JudgeRequest, Verdict
from retriever.usecases.stages.sources import Sources

if TYPE_CHECKING:
    from retriever.ports import Snapshot


class _Judge:
    """Wants nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[JudgeRequest] = []

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose nothing."""
        self.asked.append(request)
        return Verdict(())


class _Wild(_Judge):
    """A judge that names what it was not offered."""

    async def choose(self, request: JudgeRequest) -> Verdict:
        """Choose what is not there."""
        return Verdict((99, -7))


def _symbol(name: str) -> Symbol:
    """Return a symbol of the file that its first letter names."""
    number, path = int.from_bytes(name.encode(), "big"), f"{name[0]}.py"
    return Symbol(number, 1, None, SymbolKind.FUNCTION, path, path, "python", False, name, name, 1, 2, "", "")


def _ranking(*names: str) -> Ranking:
    paths = dict.fromkeys(f"{name[0]}.py" for name in names)
    return Ranking(
        tuple(RankedFile(File(n, path, "python", path, 9, False), 1.0) for n, path in enumerate(paths, 1)),
        tuple(RankedSymbol(_symbol(name), 1.0) for name in names),
    )


async def _asked(context: Context, mode: Mode, most: int = 8) -> JudgeRequest:
    """Return what the judge is asked where the source of so many is shown at most."""
    judge = _Judge()
    task = Task("Why?", mode, limits=WalkLimits(sources=most))
    await Sources().run(context, cast("Snapshot", None), task, judge)  # nothing is read where nothing is chosen
    return judge.asked[0]


@pytest.mark.parametrize(
    ("mode", "roles", "most"),
    [
        (Mode.DIAGNOSTIC, (EvidenceRole.ERROR_SITE, EvidenceRole.MUTATOR, EvidenceRole.CALLER), (4, 2, 2)),
        (
            Mode.EXPLORATORY,
            (EvidenceRole.ENTRY, EvidenceRole.TERMINAL, EvidenceRole.BRANCH, EvidenceRole.STEP),
            (3, 2, 2, 1),
        ),
        (Mode.ANALYTICAL, (EvidenceRole.CALLER, EvidenceRole.SAMPLE), (2, 3)),
    ],
)
async def test_no_role_crowds_out_the_next_one(
    mode: Mode, roles: tuple[EvidenceRole, ...], most: tuple[int, ...]
) -> None:
    """Roles come as the mode ranks them, some of each and what matches, before any of them has more to offer."""
    found = tuple(
        Candidate(_symbol(f"{role.name}{number}"), role, "step", "reason")
        for number in range(5)
        for role in reversed(roles)
    )

    asked = await _asked(Context(_ranking("match"), candidates=found), mode)

    runs = [(role, len(list(each))) for role, each in groupby(each.role for each in asked.candidates)]
    rest = Counter(dict(zip(roles, most, strict=True)))
    assert runs == [*rest.items(), (EvidenceRole.MATCH, 1), *((role, 5 - count) for role, count in rest.items())]


async def test_the_best_files_are_offered_before_a_second_symbol_of_any() -> None:
    """What is offered under another role is not offered again."""
    context = Context(_ranking("a1", "a2", "b1", "x1", "c1", "d1", "e1"))
    known = context.with_candidates("flow", [Candidate(_symbol("x1"), EvidenceRole.ENTRY, "step", "reason")])

    asked = await _asked(known, Mode.EXPLORATORY)

    assert [each.symbol.name for each in asked.candidates] == ["x1", "a1", "b1", "c1", "a2", "d1", "e1"]


async def test_three_times_as_many_are_offered_as_are_shown() -> None:
    """Twice as many that match, which leave room for others."""
    entries = [Candidate(_symbol(f"n{number}"), EvidenceRole.ENTRY, "step", "reason") for number in range(9)]
    context = Context(_ranking(*"abcdefghi"))

    alone = await _asked(context, Mode.EXPLORATORY, most=2)
    besides = await _asked(context.with_candidates("flow", entries), Mode.EXPLORATORY, most=2)

    assert (alone.keep, [each.symbol.name for each in alone.candidates]) == (2, ["a", "b", "c", "d"])
    assert [each.symbol.name for each in besides.candidates] == ["n0", "n1", "n2", "a", "b", "c"]


async def test_what_was_not_offered_is_not_kept() -> None:
    """Whatever judges: a position that there is none of is passed over."""
    candidate = Candidate(_symbol("a1"), EvidenceRole.STEP, "step", "reason")
    context = Context(candidates=(candidate,), ranking=_ranking())
    found = await Sources().run(context, cast("Snapshot", None), Task("Why?", Mode.CONCEPTUAL), _Wild())

    assert [each.included for each in found.decisions] == [False]
