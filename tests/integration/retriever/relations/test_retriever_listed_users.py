"""ListUsers: the users of a symbol as data, with pages, over an indexed tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest
import pytest_asyncio
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.fakes.retrieving import Stub, retriever_over
from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


STORES = ("disk", "cloud", "memory", "tape", "paper", "stone", "cloth", "glass", "clay", "wax")
ROOT_SOURCE = """\
package keep

type Store interface {
	Open(name string) error
	Close() error
}

func Copy(store Store) error {
	if err := store.Open("a"); err != nil {
		return err
	}
	return store.Close()
}
"""


MAIN, TEST = "src/main/java/shop", "src/test/java/shop"
JAVA = {
    f"{MAIN}/Maker.java": "package shop;\n\ninterface Maker {\n  int make(int size);\n}\n",
    f"{MAIN}/Shop.java": (
        "package shop;\n\nimport java.util.List;\n\nclass Shop {\n  int all(List<Maker> makers) {\n    int sum = 0;\n"
        "    for (Maker maker : makers) {\n      sum += maker.make(3);\n    }\n    return sum;\n  }\n\n"
        "  int one() {\n    return new Round().make(1);\n  }\n\n"
        "  Maker other() {\n    return new Square();\n  }\n}\n"
    ),
} | {
    f"{folder}/{name}.java": (
        f"package shop;\n\nclass {name} implements Maker {{\n"
        "  public int make(int size) {\n    return size;\n  }\n}\n"
    )
    for folder, name in ((MAIN, "Round"), (MAIN, "Square"), (TEST, "FakeMaker"))
}


def _store(package: str) -> str:
    return (
        f"package {package}\n\n// Store keeps on {package}.\ntype Store struct{{}}\n\n"
        "func (s *Store) Open(name string) error {\n\treturn nil\n}\n\n"
        "func (s *Store) Close() error {\n\treturn nil\n}\n"
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of an interface of Go, and of ten types of its own name that implement it; and a busy function."""
    root = tmp_path_factory.mktemp("keep")
    files = {f"{each}/store.go": _store(each) for each in STORES}
    callers = "".join(f"def call_{number}():\n    return busy()\n\n\n" for number in range(7))
    busy = f"def busy():\n    return 1\n\n\n{callers}"
    write_tree(root, {"go.mod": "module keep\n", "keep.go": ROOT_SOURCE, "busy.py": busy, **JAVA, **files})
    data = tmp_path_factory.mktemp("data")
    Indexing(data).run(root)
    return data


@pytest_asyncio.fixture
async def stub(data: Path) -> AsyncIterator[Stub]:
    """Serve the index."""
    async with retriever_over(data) as served:
        yield served


def _asked(name: str, relation: evidence_pb2.Relation.ValueType, **more: object) -> pb.ListUsersRequest:
    return pb.ListUsersRequest(repository="shop", name=name, relation=relation, **more)  # type: ignore[arg-type]


async def test_an_interface_whose_implementers_have_its_name_has_all_of_them(stub: Stub) -> None:
    """The one definition with implementers is listed; those of the same name without any are not."""
    response = await stub.ListUsers(_asked("Store", evidence_pb2.RELATION_IMPLEMENTS))

    [found] = response.lists
    assert found.definition.path == "keep.go"
    assert {each.place.path for each in found.listed} == {f"{each}/store.go" for each in STORES}


async def test_a_method_of_an_interface_has_implementers(stub: Stub) -> None:
    """Those are the methods that override it, in the types that implement the interface."""
    response = await stub.ListUsers(_asked("keep.Store.Open", evidence_pb2.RELATION_IMPLEMENTS))

    found = next(each for each in response.lists if each.definition.path == "keep.go")
    assert found.relation == evidence_pb2.RELATION_OVERRIDES
    assert {each.symbol.path for each in found.listed} == {f"{each}/store.go" for each in STORES}
    assert {each.name for each in found.listed} == {"Store.Open"}


async def test_callers_over_an_interface_call_its_method(stub: Stub) -> None:
    """The linker resolves them to the implementations; a call of one implementation alone is told as that."""
    response = await stub.ListUsers(_asked("Maker.make", evidence_pb2.RELATION_CALLS))

    [found] = response.lists
    assert {(each.name, each.place.start_line, each.through) for each in found.listed} == {
        ("Shop.all", 9, ""),
        ("Shop.one", 15, "Round.make"),
    }


async def test_implementers_in_tests_are_listed_last(stub: Stub) -> None:
    """A change of the interface breaks them too, and no other relation lists them."""
    response = await stub.ListUsers(_asked("Maker.make", evidence_pb2.RELATION_IMPLEMENTS))

    [found] = response.lists
    assert [each.name for each in found.listed] == ["Round.make", "Square.make", "FakeMaker.make"]
    assert (found.count, found.in_tests) == (3, 0)


async def test_users_come_in_pages(stub: Stub) -> None:
    """Each page counts all of them; together they hold each user once."""
    request = _asked("busy", evidence_pb2.RELATION_CALLS, page_size=3)
    names: list[str] = []
    sizes: list[int] = []
    while not sizes or request.page_token:
        page = await stub.ListUsers(request)
        [found] = page.lists
        assert found.count == 7
        names += [each.name for each in found.listed]
        sizes.append(len(found.listed))
        request.page_token = page.next_page_token

    assert sizes == [3, 3, 1]
    assert names == [f"call_{number}" for number in range(7)]


async def test_a_name_that_nothing_has_brings_similar_ones(stub: Stub) -> None:
    """A symbol without users has an empty list; a name without a symbol has none."""
    absent = await stub.ListUsers(_asked("Shop.Open", evidence_pb2.RELATION_CALLS))
    unused = await stub.ListUsers(_asked("call_3", evidence_pb2.RELATION_CALLS))

    assert not absent.lists
    assert "Store.Open" in absent.similar_names
    assert [(each.name, each.count) for each in unused.lists] == [("call_3", 0)]


@pytest.mark.parametrize(
    "relation", [evidence_pb2.RELATION_UNSPECIFIED, evidence_pb2.RELATION_COMMANDS, evidence_pb2.RELATION_FAILS]
)
async def test_what_has_no_users_is_refused(stub: Stub, relation: evidence_pb2.Relation.ValueType) -> None:
    """Relations that are about whole projects are none that a symbol has."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.ListUsers(_asked("busy", relation))

    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_search_finds_lines_word_for_word(stub: Stub) -> None:
    """Where asked for, and only below the path: whole words, as many as asked for."""
    query = "func (s *Store) Open(name string)"
    three = await stub.Search(pb.SearchRequest(repository="shop", query=query, max_lines=3))
    one = await stub.Search(pb.SearchRequest(repository="shop", query=query, max_lines=3, path_prefix="wax/"))
    none = await stub.Search(pb.SearchRequest(repository="shop", query=query))

    assert [each.span.start_line for each in three.lines] == [6, 6, 6]
    assert [(each.span.path, each.text) for each in one.lines] == [
        ("wax/store.go", "func (s *Store) Open(name string) error {\n")
    ]
    assert not none.lines


async def test_all_symbols_of_a_file_are_looked_up_by_its_path(stub: Stub) -> None:
    """In order of line, without a name."""
    response = await stub.LookupSymbols(pb.LookupSymbolsRequest(repository="shop", path="disk/store.go"))

    names = [each.ref.qualified_name for each in response.symbols if each.ref.qualified_name]
    assert names == ["Store", "Store.Open", "Store.Close"]
