"""Where the units of a file stand for a question, as inputs of the trees."""

from __future__ import annotations

import math

from retriever.domain.packing.standing import INPUTS, FileUnits, Standings
from retriever.domain.questions.question import NO_RANKING, RankedFile, RankedSymbol, Ranking
from retriever.domain.values import File, Symbol, SymbolKind

_TEXT = [
    "import os",
    "",
    "class Till:",
    "    kind = 1",
    "    def pay(self):",
    "        return os",
    "",
    "def shut():",
    "    pass",
]
_UNRANKED = math.log1p(250)


def _symbol(key: int, kind: SymbolKind, name: str, first: int, last: int) -> Symbol:
    return Symbol(
        key, 1, None, kind, "till.py", "till", "python", False, name.rpartition(".")[2], name, first, last, "", ""
    )


_TILL = _symbol(1, SymbolKind.CLASS, "Till", 3, 6)
_PAY = _symbol(2, SymbolKind.METHOD, "Till.pay", 5, 6)
_SHUT = _symbol(3, SymbolKind.FUNCTION, "shut", 8, 9)
_FILE = FileUnits.of("till.py", (_TILL, _PAY, _SHUT), _TEXT, is_test=False)


def _row(rows: list[list[float]], at: int) -> dict[str, float]:
    return dict(zip(INPUTS, rows[at], strict=True))


def test_a_unit_has_the_ranks_of_its_owner_class_and_file() -> None:
    """A function of a ranked class has that class's rank too; edges count by the rank of the other end."""
    file = File(1, "till.py", "python", "till", 9, is_test=False)
    ranking = Ranking(files=(RankedFile(file, 1.0, ()),), symbols=(RankedSymbol(_PAY, 2.0), RankedSymbol(_TILL, 1.0)))
    code = Ranking(symbols=(RankedSymbol(_SHUT, 4.0), RankedSymbol(_PAY, 1.0)))

    rows, shown = Standings.of("who does pay at a test", ranking, code, [(3, 2)]).rows(_FILE)

    module, head, pay, shut = (_row(rows.tolist(), at) for at in range(4))
    assert shown.all()
    assert [unit.span.start_line for unit in _FILE.units] == [1, 3, 5, 8]
    assert (pay["rank"], pay["score"], pay["class rank"], pay["members"]) == (0.0, 1.0, math.log1p(1), 1.0)
    assert (head["rank"], head["score"], head["is class"], head["class rank"]) == (math.log1p(1), 0.5, 1.0, _UNRANKED)
    assert (shut["rank"], shut["calls"], pay["called"]) == (_UNRANKED, 1.0, 0.0)
    assert (pay["named"], shut["named"], module["file rank"], module["on tests"]) == (0.5, 0.0, 0.0, 1.0)
    assert module["ranked in file"] == 2.0
    assert (shut["rank among code"], pay["score among code"], head["rank among code"]) == (0.0, 0.25, _UNRANKED)


def test_a_file_is_the_same_for_the_next_question() -> None:
    """What one question says of its units is not kept, and an overload that another definition stands for is hidden."""
    overload = RankedSymbol(_PAY, 1.0, others=(_SHUT.id,))

    _, shown = Standings.of("pay", Ranking(symbols=(overload,)), NO_RANKING, ()).rows(_FILE)
    rows, all_shown = Standings.of("other", NO_RANKING, NO_RANKING, ()).rows(_FILE)

    assert shown.tolist() == [True, True, True, False]
    assert all_shown.all()
    assert {row[0] for row in rows.tolist()} == {_UNRANKED}
    assert not rows[:, INPUTS.index("named")].any()
