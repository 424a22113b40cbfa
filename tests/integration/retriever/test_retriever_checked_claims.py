"""Claims about what is easily taken for something else: nothing is verified or refuted that the index does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.fakes.retrieving import retriever_over
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_RUNNERS = "".join(f"class Runner{n}:\n    def run(self):\n        return {n}\n\n\n" for n in range(10, 22))
FILES = {
    "settings.toml": "timeout = 3\n",
    "app/notes.txt": "Be kind.\n",
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
        "def use(base: Base):\n    return base.start()\n"
    ),
    "app/guards.py": (
        "from functools import cache\n\nfrom app.boxes import Shut\n\n\ndef needs(right):\n    def wrap(view):\n"
        "        def guarded(user):\n            if right not in user:\n                raise Shut\n"
        "            return view(user)\n\n        return guarded\n\n    return wrap\n\n\n"
        "@needs('edit')\ndef edit(user):\n    return user\n\n\n@cache\ndef look(user):\n    return user\n"
    ),
    "lib/Pen.java": "class Pen {\n  Pen(int width) { draw(width); }\n\n  Pen wider() { return new Pen(3); }\n}\n",
    "lib/quill.php": "<?php\nclass Quill {\n  function __construct($x) { $this->x = $x; }\n}\n"
    "function make_quill() { return new Quill(3); }\n",
    "lib/nib.rb": "class Nib\n  def initialize(x)\n    @x = x\n  end\nend\n\ndef make_nib\n  Nib.new(3)\nend\n",
    "lib/gate.cpp": '#include <stdexcept>\n\nvoid shut(int a) {\n  throw std::runtime_error("shut");\n}\n',
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with one small repository."""
    data = tmp_path_factory.mktemp("data")
    Indexing(data).run(write_tree(tmp_path_factory.mktemp("claimed"), FILES), name="claimed")
    return data


@pytest_asyncio.fixture
async def stub(indexed: Path) -> AsyncIterator[retriever_pb2_grpc.RetrieverServiceAsyncStub]:
    """Serve it."""
    async with retriever_over(indexed, embedding_provider="none") as served:
        yield served


async def _checked(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, kind: str, subject: str, object_: str = ""
) -> tuple[str, str]:
    claim = evidence_pb2.Claim(kind=evidence_pb2.ClaimKind.Value(f"CLAIM_KIND_{kind}"), subject=subject, object=object_)
    response = await stub.CheckClaims(retriever_pb2.CheckClaimsRequest(repository="claimed", claims=[claim]))
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
async def test_what_is_no_definition_is_not_judged(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, kind: str, subject: str, object_: str
) -> None:
    """Of a file of text, a parameter or an attribute nobody knows what it does, whatever is around it does."""
    verdict, detail = await _checked(stub, kind, subject, object_)

    assert verdict == "UNCHECKABLE"
    assert subject in detail


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
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, kind: str, subject: str, object_: str, verdict: str
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
async def test_names_are_compared_in_parts(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, kind: str, subject: str, object_: str, verdict: str
) -> None:
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
        ("Pen.wider", "Pen", "VERIFIED"),
        ("make_quill", "Quill", "VERIFIED"),
        ("make_nib", "Nib", "VERIFIED"),
    ],
)
async def test_who_makes_an_instance_calls_its_class(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, subject: str, object_: str, verdict: str
) -> None:
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
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, path: str, line: int, verdict: str, told: str
) -> None:
    """People and models miscount; beyond that the place is wrong, and the right one is told."""
    span = code_pb2.Span(path=path, start_line=line, end_line=line) if path else None
    claim = evidence_pb2.Claim(kind=evidence_pb2.CLAIM_KIND_QUOTES, object="self.items['size'] = value", span=span)

    response = await stub.CheckClaims(retriever_pb2.CheckClaimsRequest(repository="claimed", claims=[claim]))

    [checked] = response.claims
    assert (evidence_pb2.ClaimVerdict.Name(checked.verdict), checked.detail) == (f"CLAIM_VERDICT_{verdict}", told)


@pytest.mark.parametrize(("exception", "verdict"), [("KeyError", "UNCHECKABLE"), ("Shut", "CONTRADICTED")])
async def test_what_is_defined_elsewhere_is_raised_without_its_name(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, exception: str, verdict: str
) -> None:
    """A look-up raises KeyError, and foreign code what it likes; what is defined here is raised by code from here."""
    assert (await _checked(stub, "RAISES", "Box.get", exception))[0] == verdict


@pytest.mark.parametrize(("function", "verdict"), [("edit", "UNCHECKABLE"), ("look", "CONTRADICTED")])
async def test_a_decorator_of_the_repository_may_do_what_the_function_does_not(
    stub: retriever_pb2_grpc.RetrieverServiceAsyncStub, function: str, verdict: str
) -> None:
    """Who calls a view that needs a right meets the exception of its wrapper; what Python ships raises none of ours."""
    assert (await _checked(stub, "RAISES", function, "Shut"))[0] == verdict
