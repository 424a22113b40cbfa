"""What a gap that asks for tests of a symbol is shown: the best ones, and the next ones with how each was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.conftest import Retriever

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TILL = """\
class Till {
  open (coins) {
    this._keepCoins(coins)
    return this
  }

  _keepCoins (coins) {
    this.kept = coins
  }
}

module.exports = { Till }
"""
_OPENING = """\
const { Till } = require('../lib/till')

describe('opening', () => {
  it('is quick', () => {
    const till = new Till()
    till.open(1)
  })
})
"""
_KEEPING = """\
const { Till } = require('../lib/till')

describe('keep coins', () => {
  it('forgets the coins of yesterday', () => {
    const till = new Till()
    till.open(1)
    till.open(2)
    expect(till.kept).toBe(2)
  })

  it('counts foreign coins', () => {
    const till = new Till()
    till.open(3)
    expect(till.kept).toBe(3)
  })
})
"""


async def _tests(
    retriever: Retriever, folder: Path, files: Mapping[str, str], symbol: str, *, why: str = "", question: str = ""
) -> pb.ResolveGapsResponse:
    Indexing(retriever.data).run(write_tree(folder, files), name="asked")
    gap = evidence_pb2.Gap(symbol=symbol, description=why, aspect=evidence_pb2.GAP_ASPECT_TESTS)
    return await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="asked", gaps=[gap], question=question))


async def test_a_block_of_a_test_file_is_shown_whole(retriever: Retriever, tmp_path: Path) -> None:
    """The one that the gap speaks of, though many files reach the symbol by the same call, in order of path."""
    files = {"lib/till.js": _TILL, "test/z-keep.test.js": _KEEPING}
    files |= {f"test/a{number}.test.js": _OPENING for number in range(20)}

    response = await _tests(retriever, tmp_path, files, "Till._keepCoins", why="coins of yesterday are forgotten")

    best, listed, *_ = response.evidence
    assert (best.span.path, best.span.start_line, best.span.end_line) == ("test/z-keep.test.js", 4, 9)
    assert "expect(till.kept).toBe(2)" in best.text
    assert best.title.startswith("it('forgets the coins of yesterday'")
    assert best.reason == "a test that reaches it through Till.open"
    assert response.results[0].detail == "Till._keepCoins is tested by 21"
    assert listed.users.count == 21
    assert len(listed.users.listed) <= 10
    assert "(test/z-keep.test.js:6) at line 6 through Till.open" in listed.text


async def test_the_neighbour_with_a_like_name_comes_next(retriever: Retriever, tmp_path: Path) -> None:
    """Before others that share as many words with the gap."""
    cases = ("pay_twice", "shut_then_pay", "shut_then_pay_again", "open_and_pay", "pay_in_gold")
    tests = "".join(f"def test_{each}():\n    assert till().pay('{each}')\n\n\n" for each in cases)
    files = {
        "till.py": "class Till:\n    def pay(self, it):\n        return it\n",
        "tests/test_till.py": f"from till import Till\n\n\ndef till():\n    return Till()\n\n\n{tests}",
    }

    response = await _tests(retriever, tmp_path, files, "Till.pay", why="then again")

    shown = [each.symbol.qualified_name for each in response.evidence if each.HasField("symbol")]
    assert shown[:2] == ["test_shut_then_pay_again", "test_shut_then_pay"]


async def test_a_function_that_tests_call_is_no_answer(retriever: Retriever, tmp_path: Path) -> None:
    """What prepares a test has the name of the symbol, and the words; the test that it serves has the assertion."""
    files = {
        "stamps.py": "def ink_stamp(color):\n    return color\n",
        "tests/test_stamps.py": (
            "from stamps import ink_stamp\n\n\n"
            "def make_ink_stamp(color):\n    return ink_stamp(color)\n\n\n"
            "def test_dry_color():\n    assert make_ink_stamp('red') == 'red'\n"
        ),
    }

    response = await _tests(retriever, tmp_path, files, "ink_stamp", question="Which color does a dry stamp have?")

    assert response.evidence[0].symbol.qualified_name == "test_dry_color"
    assert response.evidence[0].reason == "a test that reaches it through make_ink_stamp"


async def test_how_each_test_was_found_is_told(retriever: Retriever, tmp_path: Path) -> None:
    """By a use, by its name, by the name of the symbol in its lines, or by words alone."""
    files = {
        "ledger.py": "def close_ledger(path):\n    return path\n",
        "tests/test_ledger.py": (
            "from ledger import close_ledger\n\n\ndef test_path():\n    assert close_ledger('a') == 'a'\n\n\n"
            "def test_close_ledger_twice():\n    assert run(['--close'])\n\n\n"
            "def test_by_name():\n    assert getattr(books, 'close_ledger')()\n\n\n"
            "def test_ledger_path():\n    assert run(['--path'])\n"
        ),
    }

    response = await _tests(retriever, tmp_path, files, "close_ledger", question="Which path has a ledger?")

    listed = next(each for each in response.evidence if each.HasField("users"))
    assert [each.name for each in listed.users.listed] == ["test_path"]
    assert [each.name for each in listed.users.named_after] == ["test_close_ledger_twice"]
    assert [each.name for each in listed.users.unsure] == ["test_by_name"]
    assert "? test_ledger_path (tests/test_ledger.py:16) at line 16 is a test with words of the gap" in listed.text


async def test_a_method_may_be_called_as_a_word_that_the_index_leaves_out(retriever: Retriever, tmp_path: Path) -> None:
    """Such as `use`: the file that is named after it has its tests."""
    files = {
        "lib/app.js": "class App {\n  use (fn) {\n    return fn\n  }\n}\n\nmodule.exports = { App }\n",
        "test/use.test.js": "it('refuses a number', () => {\n  const app = 1\n  expect(app.use(1)).toThrow()\n})\n",
        "test/other.test.js": "it('has a number', () => {\n  expect(one).toBe(1)\n})\n",
    }

    response = await _tests(retriever, tmp_path, files, "App.use", question="Which number is refused?")

    assert response.evidence[0].span.path == "test/use.test.js"
    assert "expect(app.use(1)).toThrow()" in response.evidence[0].text


async def test_code_beside_tests_is_no_test(retriever: Retriever, tmp_path: Path) -> None:
    """Of a file of code only the functions that are tests may be, not its blocks."""
    code = "".join(
        f"pub struct Limit{number} {{\n    pub coins: u32,\n    pub limit: u32,\n}}\n\n" for number in range(9)
    )
    tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn limit_is_kept() {\n        check(1);\n    }\n}\n"
    files = {"src/lib.rs": f"pub fn coin_limit() -> u32 {{\n    2\n}}\n\n{code}{tests}"}

    response = await _tests(retriever, tmp_path, files, "coin_limit", question="Which limit do coins have?")

    shown = [each.symbol.qualified_name for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_SOURCE]
    assert shown == ["tests.limit_is_kept"]


async def test_tests_of_something_else_are_not_shown(retriever: Retriever, tmp_path: Path) -> None:
    """That none is known to call it is said."""
    files = {
        "seal.py": "def press_wax(color):\n    return color\n",
        "tests/test_door.py": "def test_bell_rings():\n    assert bell() == 'ring'\n",
    }

    response = await _tests(retriever, tmp_path, files, "press_wax", question="How is wax pressed?")

    (listed,) = response.evidence
    assert response.results[0].detail == "press_wax is tested by 0"
    assert "That no test is known to call it says nothing of tests by a command line" in listed.text
