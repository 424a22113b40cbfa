"""A ranking by shared words, good enough for small repositories, that remembers what it was asked."""

from __future__ import annotations

from common.core.words.terms import terms
from retriever.domain.questions.question import RankedDocument, RankedFile, RankedSymbol, Ranking, SearchQuery
from retriever.domain.values import SymbolKind
from retriever.ports import Snapshot


class WordRanker:
    """Scores each symbol by the share of the query's terms in its name, signature and docstring."""

    def __init__(self) -> None:
        self.asked: list[SearchQuery] = []

    async def run(self, snapshot: Snapshot, query: SearchQuery) -> Ranking:
        """Rank symbols, then files by their best symbol, then documents by the full-text index."""
        self.asked.append(query)
        wanted = set(terms(query.text))
        found = [
            RankedSymbol(symbol, len(wanted & held) / len(wanted), ("words",))
            for file in snapshot.files.all()
            if file.path.startswith(query.path_prefix) and (query.include_tests or not file.is_test)
            for symbol in snapshot.symbols.in_file(file.path)
            if symbol.kind != SymbolKind.MODULE
            and wanted & (held := set(terms(f"{symbol.qualified_name} {symbol.signature} {symbol.docstring}")))
        ]
        found.sort(key=lambda each: (-each.score, each.symbol.path, each.symbol.start_line))
        files = {each.symbol.path: each.score for each in reversed(found)}
        ranked = [RankedFile(file, files[file.path]) for file in snapshot.files.all() if file.path in files]
        ranked.sort(key=lambda each: (-each.score, each.file.path))
        documents = snapshot.documents.search(sorted(wanted), query.max_docs, query.path_prefix)
        return Ranking(
            files=tuple(ranked[: query.max_files]),
            symbols=tuple(found[: query.max_symbols]),
            documents=tuple(RankedDocument(document, score) for document, score in documents),
            ran=("lexical",),
        )
