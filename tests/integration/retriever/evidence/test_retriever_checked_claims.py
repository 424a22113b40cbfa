"""Claims about what is easily taken for something else: nothing is verified or refuted that the index does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.fakes.retrieving import Stub

if TYPE_CHECKING:
    pass

_RUNNERS = "".join(f"class Runner{n}:\n    def run(self):\n        return {n}\n\n\n" for n in range(10, 22))
FILES = {
    "settings.toml": "timeout = 3\n",
    "app/notes.txt": "Be kind to Till.slot_unique.\n",
    "web/notes.txt": "Be quick.\n",
    "app/runners.py": _RUNNERS
    + "class Sprinter:\n    def run(self):\n        return go()\n\n\ndef go():\n    return 1\n",
    "app/boxes.py": (
        "class Shut(Exception):\n    pass\n\n\nclass Box:\n    def __init__(self, callback):\n        self.items = {}\n"
        "        self.listener = callback\n\n    @property\n    def size(self):\n        return len(self.items)\n\n"
        "    @size.setter\n    def size(self, value):\n        self.items['size'] = value\n\n"
        "    def get(self, key):\n        return self.items[key]\n\n"
        "    def told(self, names):\n        return ', '.join(names)\n"
    ),
    "app/bases.py": (
        "class Base:\n    def __init__(self):\n        self.a = 1\n\n    def start(self):\n        return 1\n\n\n"
        "class Child(Base):\n    first = Base()\n\n\ndef build():\n    return Child()\n\n\n"
        "def use(base: Base):\n    return base.start()\n\n\nBYTES = 16 * (1 << 10)\n"
    ),
    "app/guards.py": (
        "from functools import cache\n\nfrom app.boxes import Shut\n\n\ndef needs(right):\n    def wrap(view):\n"
        "        def guarded(user):\n            if right not in user:\n                raise Shut\n"
        "            return view(user)\n\n        return guarded\n\n    return wrap\n\n\n"
        "@needs('edit')\ndef edit(user):\n    return user\n\n\n@cache\ndef look(user):\n    return user\n"
    ),
    "app/tills.py": (
        "from app.boxes import Box, Shut\n\nMOST = 5\n\n\nclass Stuck(Shut):\n    pass\n\n\n"
        'class Till(Box):\n    """Has a drawer and a serial number."""\n\n    colour: str = \'red\'\n\n'
        "    def __init__(self):\n        self.drawer = []\n        self.on_close = None\n\n"
        "    def shut_all(self):\n        self._lock(3)\n        return MOST\n\n"
        "    def _lock(self, tries):\n        if not tries:\n            raise Stuck\n        self.locked = True\n\n"
        "    def leave(self):\n        try:\n            self.shut_all()\n"
        "        except Stuck:\n            return None\n\n"
        "    def idle(self):\n        return 1\n\n    def told_to(self, then):\n        return then()\n\n"
        "    def by_name(self, name):\n        return getattr(self, name)()\n\n"
        "    def again(self):\n        raise self.kept.with_traceback(None)\n"
    ),
    "app/foreign.py": (
        "from elsewhere import Base, Mapping\n\n\nclass Guest(Base):\n    def stay(self):\n        return 1\n"
    ),
    "tests/test_nib.py": "class Feather:\n    def dip(self): ...\n\n\ndef test_dip():\n    assert Feather().dip()\n",
    "lib/Pen.java": "class Pen {\n  Pen(int width) { draw(width); }\n\n  Pen wider() { return new Pen(3); }\n}\n",
    "lib/quill.php": "<?php\nclass Quill {\n  function __construct($x) { $this->x = $x; }\n}\n"
    "function make_quill() { return new Quill(3); }\n",
    "lib/nib.rb": "class Nib\n  def initialize(x)\n    @x = x\n  end\nend\n\ndef make_nib\n  Nib.new(3)\nend\n",
    "lib/gate.cpp": '#include <stdexcept>\n\nvoid shut(int a) {\n  throw std::runtime_error("shut");\n}\n',
}


async def _checked(
    stub: Stub,
    kind: str,
    subject: str,
    object_: str = "",
    span: code_pb2.Span | None = None,
) -> tuple[str, str]:
    number = evidence_pb2.ClaimKind.Value(f"CLAIM_KIND_{kind}")
    claim = evidence_pb2.Claim(kind=number, subject=subject, object=object_, span=span)
    response = await stub.CheckClaims(retriever_pb2.CheckClaimsRequest(repository="shop", claims=[claim]))
    [checked] = response.claims
    return evidence_pb2.ClaimVerdict.Name(checked.verdict).removeprefix("CLAIM_VERDICT_"), checked.detail


@pytest.mark.parametrize(
    ("kind", "subject", "object_"),
    [
        ("MUTATES", "settings.toml", "timeout"),
        ("CALLS", "notes.txt", "go"),
        ("CALLS", "callback", "go"),
        ("RAISES", "listener", "Shut"),
    ],
)
async def test_what_is_no_definition_is_not_judged(stub: Stub, kind: str, subject: str, object_: str) -> None:
    """Of a file of text, a parameter or an attribute nobody knows what it does, whatever is around it does."""
    verdict, detail = await _checked(stub, kind, subject, object_)

    assert verdict == "UNCHECKABLE"
    assert subject in detail


@pytest.mark.parametrize(("kind", "verdict"), [("str", "VERIFIED"), ("int", "CONTRADICTED")])
async def test_what_was_taken_out_as_a_secret_refutes_no_quotation(stub: Stub, kind: str, verdict: str) -> None:
    """The rest of the line is compared; of a value that was taken out nothing is known."""
    quoted = f"colour: {kind} = '[redacted]'"
    place = code_pb2.Span(path="app/tills.py", start_line=12, end_line=14)
    value = await _checked(stub, "VALUE", "Till.colour", "[redacted]")

    assert (await _checked(stub, "QUOTES", "app/tills.py", quoted, place))[0] == verdict
    assert value[0] == "UNCHECKABLE"


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "verdict"),
    [
        ("CALLS", "run", "go", "UNCHECKABLE"),
        ("CALLS", "Sprinter.run", "go", "VERIFIED"),
        ("CALLS", "Runner10.run", "go", "CONTRADICTED"),
        ("MUTATES", "Box.size", "self.items", "VERIFIED"),
    ],
)
async def test_of_several_definitions_none_is_refuted(
    stub: Stub, kind: str, subject: str, object_: str, verdict: str
) -> None:
    """Nobody knows which one is meant, and one that was not looked at may do it; overloads of one are one."""
    assert (await _checked(stub, kind, subject, object_))[0] == verdict


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "verdict"),
    [
        ("CALLS", "Box.told", "join", "VERIFIED"),
        ("CALLS", "Box.told", "os.path.join", "UNCHECKABLE"),
        ("MUTATES", "Box.__init__", "`self.items[key]`", "VERIFIED"),
        ("MUTATES", "Box.__init__", "Box::listener", "VERIFIED"),
        ("RAISES", "shut", "std::runtime_error", "VERIFIED"),
        ("RAISES", "shut", "runtime_error", "VERIFIED"),
        ("RAISES", "Box.get", "()", "UNCHECKABLE"),
        ("MUTATES", "Box.get", "box.items", "UNCHECKABLE"),
        ("MUTATES", "Box.get", "items.box", "CONTRADICTED"),
        ("CALLS", "Box.told", "the join", "UNCHECKABLE"),
    ],
)
async def test_names_are_compared_in_parts(stub: Stub, kind: str, subject: str, object_: str, verdict: str) -> None:
    """However they are joined, called or indexed; a receiver that the code does not have is not made up."""
    assert (await _checked(stub, kind, subject, object_))[0] == verdict


@pytest.mark.parametrize(
    ("subject", "object_", "verdict"),
    [
        ("build", "Child", "VERIFIED"),
        ("build", "Base", "VERIFIED"),
        ("Child", "Base", "VERIFIED"),
        ("use", "Base.start", "VERIFIED"),
        ("use", "Base", "UNCHECKABLE"),
        ("use", "Child", "CONTRADICTED"),
        ("Till.leave", "Till", "UNCHECKABLE"),
        ("Pen.wider", "Pen", "VERIFIED"),
        ("make_quill", "Quill", "VERIFIED"),
        ("make_nib", "Nib", "VERIFIED"),
    ],
)
async def test_who_makes_an_instance_calls_its_class(stub: Stub, subject: str, object_: str, verdict: str) -> None:
    """By the constructor, which may be that of a base; who calls another method of the base does not."""
    assert (await _checked(stub, "CALLS", subject, object_))[0] == verdict


@pytest.mark.parametrize(
    ("path", "line", "verdict", "told"),
    [
        ("boxes.py", 13, "CONTRADICTED", "it stands elsewhere in the file: app/boxes.py:16"),
        ("boxes.py", 14, "VERIFIED", "it stands at app/boxes.py:16"),
        ("app/boxes.py", 18, "VERIFIED", "it stands at app/boxes.py:16"),
        ("boxes.py", 19, "CONTRADICTED", "it stands elsewhere in the file: app/boxes.py:16"),
        ("boxes.py", 0, "VERIFIED", "it stands at app/boxes.py:16"),
        ("runners.py", 3, "CONTRADICTED", "app/runners.py does not hold it"),
        ("notes.txt", 1, "UNCHECKABLE", "2 files of the snapshot are called notes.txt"),
        ("gone.py", 1, "CONTRADICTED", "0 files of the snapshot are called gone.py"),
        ("", 0, "UNCHECKABLE", "a quotation needs its text and its place"),
    ],
)
async def test_a_quotation_stands_within_two_lines_of_its_place(
    stub: Stub, path: str, line: int, verdict: str, told: str
) -> None:
    """People and models miscount; beyond that the place is wrong, and the right one is told."""
    span = code_pb2.Span(path=path, start_line=line, end_line=line) if path else None
    claim = evidence_pb2.Claim(kind=evidence_pb2.CLAIM_KIND_QUOTES, object="self.items['size'] = value", span=span)

    response = await stub.CheckClaims(retriever_pb2.CheckClaimsRequest(repository="shop", claims=[claim]))

    [checked] = response.claims
    assert (evidence_pb2.ClaimVerdict.Name(checked.verdict), checked.detail) == (f"CLAIM_VERDICT_{verdict}", told)


@pytest.mark.parametrize(("exception", "verdict"), [("KeyError", "UNCHECKABLE"), ("Shut", "CONTRADICTED")])
async def test_what_is_defined_elsewhere_is_raised_without_its_name(stub: Stub, exception: str, verdict: str) -> None:
    """A look-up raises KeyError, and foreign code what it likes; what is defined here is raised by code from here."""
    assert (await _checked(stub, "RAISES", "Box.get", exception))[0] == verdict


@pytest.mark.parametrize(("function", "verdict"), [("edit", "UNCHECKABLE"), ("look", "CONTRADICTED")])
async def test_a_decorator_of_the_repository_may_do_what_the_function_does_not(
    stub: Stub, function: str, verdict: str
) -> None:
    """Who calls a view that needs a right meets the exception of its wrapper; what Python ships raises none of ours."""
    assert (await _checked(stub, "RAISES", function, "Shut"))[0] == verdict


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "verdict"),
    [
        ("EXISTS", "Till.drawer", "", "VERIFIED"),
        ("EXISTS", "Till.colour", "", "VERIFIED"),
        ("EXISTS", "Till.items", "", "VERIFIED"),
        ("EXISTS", "Till.locked", "", "VERIFIED"),
        ("EXISTS", "Till.serial", "", "CONTRADICTED"),
        ("EXISTS", "Till.edit", "", "CONTRADICTED"),
        ("EXISTS", "Guest.drawer", "", "UNCHECKABLE"),
        ("EXISTS", "till.drawer", "", "UNCHECKABLE"),
        ("EXISTS", "frobnicate_all", "", "CONTRADICTED"),
        ("EXISTS", "tries", "", "VERIFIED"),
        ("ABSENT", "Till.edit", "", "VERIFIED"),
        ("ABSENT", "Till.drawer", "", "CONTRADICTED"),
        ("ABSENT", "Till.leave", "", "CONTRADICTED"),
        ("ABSENT", "Guest.drawer", "", "UNCHECKABLE"),
        ("INHERITS", "Till", "Box", "VERIFIED"),
        ("INHERITS", "Stuck", "Exception", "VERIFIED"),
        ("INHERITS", "Till", "Shut", "CONTRADICTED"),
        ("INHERITS", "Guest", "Shut", "UNCHECKABLE"),
        ("VALUE", "MOST", "5", "VERIFIED"),
        ("VALUE", "MOST", "7", "CONTRADICTED"),
        ("VALUE", "MOST", "the limit", "UNCHECKABLE"),
        ("VALUE", "BYTES", "16384", "UNCHECKABLE"),
        ("CATCHES", "Till.leave", "Stuck", "VERIFIED"),
        ("CATCHES", "Till.leave", "KeyError", "UNCHECKABLE"),
        ("REFERS", "Till.shut_all", "MOST", "VERIFIED"),
        ("REFERS", "Till.idle", "MOST", "UNCHECKABLE"),
        ("REFERS", "Till.idle", "go", "CONTRADICTED"),
        ("REFERS", "Till.leave", "_lock", "UNCHECKABLE"),
    ],
)
async def test_what_exists_what_it_is_and_what_it_names(
    stub: Stub, kind: str, subject: str, object_: str, verdict: str
) -> None:
    """Attributes exist by their owner; one whose bases are elsewhere may have any, and words of texts are none."""
    assert (await _checked(stub, kind, subject, object_))[0] == verdict


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "verdict"),
    [
        ("CALLS", "Till.shut_all", "_lock", "VERIFIED"),
        ("CALLS", "Till.shut_all", "self._lock", "VERIFIED"),
        ("CALLS", "Till.shut_all", "Till._lock", "VERIFIED"),
        ("CALLS", "Till.leave", "_lock", "UNCHECKABLE"),
        ("CALLS", "Till.idle", "_lock", "CONTRADICTED"),
        ("CALLS", "Till.told_to", "_lock", "UNCHECKABLE"),
        ("CALLS", "Till.by_name", "_lock", "UNCHECKABLE"),
        ("RAISES", "Till._lock", "Stuck", "VERIFIED"),
        ("RAISES", "Till._lock", "Shut", "VERIFIED"),
        ("RAISES", "Till.shut_all", "Stuck", "UNCHECKABLE"),
        ("RAISES", "Till.idle", "Stuck", "CONTRADICTED"),
        ("RAISES", "Till.told_to", "Stuck", "UNCHECKABLE"),
        ("RAISES", "Box.told", "Stuck", "CONTRADICTED"),
        ("RAISES", "Till.idle", "NotImplementedError", "CONTRADICTED"),
        ("RAISES", "Till.idle", "TypeError", "UNCHECKABLE"),
        ("RAISES", "Till.again", "Stuck", "UNCHECKABLE"),
        ("MUTATES", "Till._lock", "self.locked", "VERIFIED"),
        ("MUTATES", "Till.shut_all", "self.locked", "UNCHECKABLE"),
        ("MUTATES", "Till.idle", "self.locked", "CONTRADICTED"),
        ("MUTATES", "Till.idle", "some_result", "UNCHECKABLE"),
    ],
)
async def test_what_code_does_is_followed_along_its_calls(
    stub: Stub, kind: str, subject: str, object_: str, verdict: str
) -> None:
    """It is refuted where nothing leads there; a call of a parameter or by a made name may lead anywhere."""
    assert (await _checked(stub, kind, subject, object_))[0] == verdict


@pytest.mark.parametrize(
    ("kind", "subject", "object_", "place", "verdict"),
    [
        ("LOCATED", "Till.idle", "", ("tills.py", 35, 36), "VERIFIED"),
        ("LOCATED", "Till.idle", "", ("tills.py", 3, 3), "CONTRADICTED"),
        ("LOCATED", "Till.idle", "", ("tills.py", 0, 0), "VERIFIED"),
        ("LOCATED", "locked", "", ("tills.py", 23, 23), "VERIFIED"),
        ("LOCATED", "locked", "", ("tills.py", 19, 19), "CONTRADICTED"),
        ("SHOWS", "", "self._lock(3)", ("tills.py", 19, 21), "VERIFIED"),
        ("SHOWS", "", "self._lock(tries)", ("tills.py", 19, 21), "UNCHECKABLE"),
        ("SHOWS", "", "self._frobnicate(3)", ("tills.py", 19, 21), "CONTRADICTED"),
        ("CALLS", "run", "go", ("app/runners.py", 61, 64), "VERIFIED"),
        ("CALLS", "run", "go", ("app/runners.py", 1, 3), "CONTRADICTED"),
    ],
)
async def test_places_tell_what_stands_there_and_which_definition_is_meant(
    stub: Stub,
    kind: str,
    subject: str,
    object_: str,
    place: tuple[str, int, int],
    verdict: str,
) -> None:
    """Shortened code is refuted only if it names what no file has."""
    path, first, last = place

    found, _ = await _checked(stub, kind, subject, object_, code_pb2.Span(path=path, start_line=first, end_line=last))

    assert found == verdict


async def test_an_invented_owner_of_a_real_name_is_told_the_real_one(stub: Stub) -> None:
    """With the place where it is defined."""
    verdict, detail = await _checked(stub, "EXISTS", "Till.edit")

    assert (verdict, "app/guards.py" in detail) == ("CONTRADICTED", True)


async def test_nothing_is_said_of_members_of_foreign_types_and_of_those_that_a_text_has(stub: Stub) -> None:
    """A type that no file names has no members at all; a script may make what a type has."""
    members = {"Mapping.edit": "imported from elsewhere", "Till.slot_unique": "app/notes.txt has it"}
    for member, why in members.items():
        verdict, detail = await _checked(stub, "EXISTS", member)
        assert (verdict, why in detail) == ("UNCHECKABLE", True)
    assert (await _checked(stub, "EXISTS", "Vase.edit"))[0] == "CONTRADICTED"


async def test_a_class_of_tests_may_not_be_the_one_that_is_meant(stub: Stub) -> None:
    """An example may have its name; of a class of the code it is known what it has."""
    assert (await _checked(stub, "EXISTS", "Feather.Quill"))[0] == "UNCHECKABLE"
    assert (await _checked(stub, "EXISTS", "Feather.dip"))[0] == "VERIFIED"
    assert (await _checked(stub, "EXISTS", "Till.Quill"))[0] == "CONTRADICTED"
