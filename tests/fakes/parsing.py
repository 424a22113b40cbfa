"""Parsing without a process of its own, which takes longer to start than most tests' sources take to index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from indexer.adapters.languages.registry import languages
from indexer.adapters.parsing.child import read_file
from indexer.adapters.parsing.packing import pack, unpack
from indexer.domain.parsing import FileFacts, ParseRequest
from indexer.ports import Language
from indexer.settings import IndexerSettings
from indexer.usecases.indexing.index_repository import IndexRepository
from indexer.worker.bootstrap import index_repository_with


class InlineParser:
    """
    Parses in this process, without limits of time and memory.

    Facts are packed and unpacked as between processes.
    """

    def __init__(self, known: Mapping[str, Language]) -> None:
        self._known = known
        self.loaded: list[ParseRequest] = []

    def prepare(self) -> None:
        """Do nothing: nothing has to be started."""

    def load(self, like: ParseRequest) -> None:
        """Record the request: this process has loaded everything."""
        self.loaded.append(like)

    def parse(self, requests: Sequence[ParseRequest]) -> Iterator[FileFacts]:
        """Return facts in the order of the requests."""
        for request in requests:
            facts = read_file(request, self._known)
            packed = unpack(request.key, pack(facts))
            yield replace(packed, keep=facts.keep)


@contextmanager
def index_inline(settings: IndexerSettings) -> Iterator[IndexRepository]:
    """Yield the real use case that makes snapshots, parsing in this process."""
    known = languages()
    with index_repository_with(settings, known, InlineParser(known)) as indexer:
        yield indexer
