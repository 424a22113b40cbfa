"""Programs as bytes."""

from __future__ import annotations

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.solver.packed import pack, unpack


def test_programs_come_back_as_they_were() -> None:
    """What was packed is read again, and the part of a file that has nothing to link is empty."""
    program = (2, ((0, "a", -1, 0, 1, ()),), (("name", 1),), (), ((2, 0, 1.5, None, True), (5, 1, 0, "name", 0, 3)))

    assert unpack(pack(program)) == program
    assert pack(None) == b""


def test_a_file_keeps_its_program_packed() -> None:
    """The language gives bytes, of which the linker reads the slots, scopes, exports, stars and code."""
    parsed = PythonLanguage().parse("m.py", "m", "def f(): ...")
    slots, scopes, exports, stars, code = unpack(parsed.program)

    assert slots > 0
    assert [scope[1] for scope in scopes] == ["m", "f"]
    assert [name for name, _ in exports] == ["f"]
    assert stars == ()
    assert code
