"""Questions about code: names through variables, tests in words, messages about settings, writes behind locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.type.v1 import evidence_pb2

from tests.fakes.retrieving import Stub, evidence_for

if TYPE_CHECKING:
    pass

FILES = {
    "lib/context.js": "module.exports = {\n  onfail (error) { this.app.emit(error) },\n"
    "  get roomLabel () { return 1 },\n}\n",
    "lib/application.js": "class Application {\n  onfail (error) { throw error }\n"
    "  serve (ctx) { ctx.onfail(new Error('x')) }\n}\nmodule.exports = Application\n",
    "lib/cancel.js": "module.exports = {\n  onfail (error) { this.stop(error) },\n}\n",
    "__tests__/label.test.js": "const it = require('it')\nit('tells it', () => {\n  expect(ctx.roomLabel)\n})\n",
    "shop/pool.py": "class Pool:\n    def __init__(self, idle_time=60):\n        self.idle_time = idle_time\n"
    "        self.waiting = []\n\n    def check(self):\n        if self.idle_time < 30:\n"
    "            log.warning('idle_time is less than 30 s, it is turned off')\n            self.idle_time = 0\n\n"
    "    def put(self, one):\n        with self._lock:\n            self.waiting = [*self.waiting, one]\n\n"
    "    def drop(self):\n        self.waiting = []\n",
    "tests/test_pool.py": "def test_restores_the_spare_key_stack():\n    assert True\n",
}


async def test_a_member_is_found_through_a_variable(stub: Stub) -> None:
    """Of several of its name it is that of what the variable is short for."""
    [users] = [each.users for each in await evidence_for(stub, "who calls ctx.onfail?") if each.HasField("users")]

    assert (users.definition.path, users.definition.qualified_name) == ("lib/context.js", "onfail")


async def test_tests_without_names_are_told_by_their_lines(stub: Stub) -> None:
    """The file stands for a test that has no name, and a property needs no call."""
    [users] = [
        each.users for each in await evidence_for(stub, "Which tests cover roomLabel?") if each.HasField("users")
    ]

    assert [(each.name, each.place.start_line) for each in users.unsure] == [("__tests__/label.test.js", 3)]


async def test_tests_are_found_by_words(stub: Stub) -> None:
    """Where what they test is only described."""
    question = "Which tests check that the spare key stack is restored?"
    [users] = [each.users for each in await evidence_for(stub, question) if each.HasField("users")]

    assert [each.name for each in users.named_after] == ["test_restores_the_spare_key_stack"]
    assert not users.count


async def test_the_lines_that_share_most_tell_what_comes_of_a_setting(stub: Stub) -> None:
    """An accessor that only sets it has as many of the words, and decides nothing."""
    found = await evidence_for(stub, "What happens if I set idle_time to 20?")
    deciding = [each for each in found if each.basis.kind == evidence_pb2.BASIS_KIND_DECIDES]
    first = max(deciding, key=lambda each: each.score)

    assert first.symbol.qualified_name == "Pool.check"
    assert first.basis.text == "What happens if I set idle_time to 20"
    assert first.basis.line <= 8 < first.basis.line + 6


async def test_writes_are_listed_with_their_locks(stub: Stub) -> None:
    """Constructors come last: nobody else has the object yet."""
    found = await evidence_for(stub, "is there a data race on pool.waiting?")
    [users] = [each.users for each in found if each.HasField("users")]

    assert [(each.name, each.through) for each in users.listed] == [
        ("Pool.put", "with self._lock:"),
        ("Pool.drop", ""),
        ("Pool.__init__", ""),
    ]
