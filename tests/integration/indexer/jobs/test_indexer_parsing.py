"""Parsing in processes that may die."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.adapters.languages.registry import languages
from indexer.adapters.parsing.child import Limits
from indexer.adapters.parsing.pool import ParserPool
from indexer.domain.jobs import JobSpec, LocalSource
from indexer.domain.parsing import FileFacts, ParseRequest
from indexer.worker.bootstrap import index_repository_with
from tests.fakes.hostile_language import HostileLanguage
from tests.fakes.parsing import InlineParser
from tests.integration.indexer.indexing import SHOP, Indexing, Listener, write_tree

LIMITS = Limits(memory_bytes=2 << 30, cpu_seconds=60)


@pytest.fixture
def pool() -> Iterator[ParserPool]:
    """Return two parsing processes that give a file one second."""
    with ParserPool({"hostile": HostileLanguage()}, processes=2, file_seconds=1.0, limits=LIMITS) as made:
        yield made


def request(number: int, text: str, language: str = "hostile") -> ParseRequest:
    return ParseRequest(f"key-{number}", language, f"{number}.bad", f"m{number}", text)


def parse(pool: ParserPool, *texts: str) -> dict[str, FileFacts]:
    """Return facts by key."""
    requests = [request(number, text) for number, text in enumerate(texts)]
    return {facts.key: facts for facts in pool.parse(requests)}


def test_every_request_is_answered_once(pool: ParserPool) -> None:
    """More files than a batch holds all come back, each once, with their own facts."""
    requests = [request(number, f"parse {number}") for number in range(150)]
    facts = list(pool.parse(requests))

    assert sorted(each.key for each in facts) == sorted(each.key for each in requests)
    assert all(each.parsed is not None and each.keep for each in facts)
    by_key = {each.key: each for each in facts}
    assert by_key["key-7"].parsed is not None
    assert by_key["key-7"].parsed.symbols[0].name == "m7"


def test_a_file_that_is_read_to_load_code_is_not_answered(pool: ParserPool) -> None:
    """A child that waits reads such a file first, and answers the next requests alone."""
    pool.prepare()
    pool.load(request(9, "parse"))
    facts = parse(pool, "parse", "parse")

    assert sorted(facts) == ["key-0", "key-1"]
    assert all(each.parsed is not None for each in facts.values())


def test_a_crash_costs_one_file(pool: ParserPool) -> None:
    """The file that kills its process is text with an error; those around it in the batch are parsed."""
    facts = parse(pool, "parse", "crash", "parse", "crash", "parse")

    assert [facts[f"key-{number}"].parsed is None for number in range(5)] == [False, True, False, True, False]
    assert facts["key-1"].error == "the parser crashed"
    assert not facts["key-1"].keep


def test_a_hang_costs_one_file_and_its_time(pool: ParserPool) -> None:
    """The file that takes too much processor time is given up, and is not kept."""
    facts = parse(pool, "parse", "hang", "parse")

    assert [facts[f"key-{number}"].parsed is None for number in range(3)] == [False, True, False]
    assert "took more than 1 s" in facts["key-1"].error
    assert not facts["key-1"].keep


def test_waiting_for_a_processor_costs_nothing(pool: ParserPool) -> None:
    """On a busy machine a file may take longer by the clock than it may need of a processor."""
    facts = parse(pool, "wait")

    assert facts["key-0"].parsed is not None
    assert facts["key-0"].keep


def test_memory_and_stack_are_bounded(pool: ParserPool) -> None:
    """Eating memory or stack is an error of that file; its process goes on."""
    facts = parse(pool, "eat", "recurse", "parse")

    assert "memory" in facts["key-0"].error
    assert "nested too deeply" in facts["key-1"].error
    assert facts["key-2"].parsed is not None


def test_text_is_counted_without_symbols(pool: ParserPool) -> None:
    """A file of no language has lexical counts and neither symbols nor error."""
    (facts,) = pool.parse([request(0, "some words here", language="")])

    assert facts.parsed is None
    assert facts.error == ""
    assert "word" in "".join(facts.lexical.vocabulary)


def test_processes_end_with_the_pool() -> None:
    """After the block no child is left, busy or not."""
    with ParserPool({"hostile": HostileLanguage()}, processes=2, file_seconds=30.0, limits=LIMITS) as pool:
        facts = pool.parse([request(0, "parse"), request(1, "hang")])
        next(facts)
        busy = multiprocessing.active_children()

    assert len(busy) == 1
    assert multiprocessing.active_children() == []


def test_children_and_this_process_read_the_same(tmp_path: Path) -> None:
    """Most tests of the indexer parse without children; the snapshot is the one that the product makes."""
    shop = write_tree(tmp_path / "shop", SHOP)
    digests = []
    for children in (False, True):
        indexing = Indexing(tmp_path / f"data-{children}", children=children)
        indexing.run(shop)
        digests.append(indexing.current().core.digest)

    assert digests[0] == digests[1]


def test_the_parser_of_most_files_is_loaded_ahead(tmp_path: Path) -> None:
    """It is that of the published files; the first time nobody knows them yet."""
    root, known, loaded = write_tree(tmp_path / "tree", SHOP), languages(), []
    for _ in range(2):
        parser = InlineParser(known)
        with index_repository_with(Indexing(tmp_path / "data").settings, known, parser) as indexer:
            indexer.run(JobSpec("shop", LocalSource(str(root))), Listener())
        loaded.append([(each.language, each.path) for each in parser.loaded])

    assert loaded == [[], [("python", "file.py")]]
