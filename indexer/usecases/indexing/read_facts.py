"""Returns the facts of files: from the cache if the same text was parsed before, else by parsing it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import splitext
from typing import TYPE_CHECKING

from indexer.domain.failures import Failures
from indexer.domain.jobs import Phase
from indexer.domain.parsing import ParseRequest, PlacedFile
from indexer.domain.roles import is_test, role_of
from indexer.domain.snapshots.core import IndexedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.model import FactKind
    from indexer.domain.parsing import FileFacts
    from indexer.domain.provisional.published import PublishedFile
    from indexer.domain.tree import SourceFile
    from indexer.ports import FactsCache, Language, Parser
    from indexer.usecases.jobs.phases import Phases

_KEEP_AT_ONCE = 200


@dataclass(slots=True, eq=False)
class FactsReader:
    """
    Reads the facts of files.

    Args:
        languages: By name.
        version: Version of the code that extracts facts; part of the cache's keys.
        left_out: Kinds of facts that an operator has switched off.
        code_endings: By file ending, the language of code that is indexed as plain text, for want of a parser.
    """

    languages: Mapping[str, Language]
    cache: FactsCache
    parser: Parser
    version: str
    left_out: frozenset[FactKind] = frozenset()
    code_endings: Mapping[str, str] = field(default_factory=dict)
    _parsed: set[str] = field(init=False, default_factory=set)

    def prepare(self) -> None:
        """Start the parsing processes in the background; returns at once."""
        self.parser.prepare()

    def expect(self, published: Mapping[str, PublishedFile]) -> None:
        """Preload the parser of the most frequent ending of the published files; with none, start the processes."""
        if not published:
            self.parser.prepare()
        endings = Counter(splitext(path)[1] for path, file in published.items() if file.label)
        for ending, _ in endings.most_common(1):
            path = f"file{ending}"
            language = languages_of([path], self.languages)[0]
            self.parser.load(ParseRequest("", language.name if language else "", path, "file", "\n"))

    def restart(self) -> None:
        """Reset the count of parsed files."""
        self._parsed.clear()

    def place(self, files: Sequence[SourceFile], known: Mapping[str, str] | None = None) -> tuple[PlacedFile, ...]:
        """
        Return the language and module name of each file, given all files of the tree, in the order given.

        If a language fails to name the modules of its files, these are read as text, with the failure as their error.

        Args:
            known: Module names by path in the published snapshot, to make a provisional one; None for an exact one.
        """
        languages = languages_of([file.path for file in files], self.languages)
        modules: dict[str, str] = {}
        adopted: dict[str, Language] = {}
        errors: dict[str, str] = {}
        owned: dict[str, dict[str, SourceFile]] = {}
        for file, its in zip(files, languages, strict=True):
            if its is not None:
                owned.setdefault(its.name, {})[file.path] = file
        for language in self.languages.values():
            own, endings = owned.get(language.name, {}), language.manifests
            manifests = {file.path: file for file in files if file.path.endswith(endings)} if endings else {}
            named: Mapping[str, str] = {}
            failures = Failures()
            with failures.contained():
                named = language.module_names(_Texts(own), _Texts(manifests), known)
            errors |= dict.fromkeys(own if failures.reasons else (), failures.reason)
            modules.update(named)
            adopted |= dict.fromkeys(named.keys() - own.keys(), language)
        placed = []
        for file, claimed in zip(files, languages, strict=True):
            its = adopted.get(file.path, claimed)
            unread = self.code_endings.get(splitext(file.path)[1].lower(), "")
            name, label = (its.name, its.label(file.path)) if its else ("", unread)
            module, error = modules.get(file.path, file.path), errors.get(file.path, "")
            placed.append(PlacedFile(file, self.version, "" if error else name, label, module, error))
        return tuple(placed)

    def read(self, placed: Sequence[PlacedFile], phases: Phases) -> tuple[IndexedFile, ...]:
        """Return files with their facts, in the order given; only texts that are not in the cache are parsed."""
        by_key = {file.key: file for file in placed}
        known = self._recalled(by_key)
        missing = {key: file for key, file in by_key.items() if key not in known}
        sizes = {key: file.source.size for key, file in missing.items()}
        phases.begin(Phase.PARSING, len(missing), work=sum(sizes.values()))
        self._parsed.update(missing)
        files = max(phases.counts.files, len(placed))
        parsed = len(self._parsed)
        phases.counts = dataclasses.replace(
            phases.counts, files=files, files_reused=files - parsed, files_parsed=parsed
        )
        fresh: list[FileFacts] = []
        for facts in self.parser.parse([file.request for file in missing.values()]):
            known[facts.key] = self._indexed(missing[facts.key], facts)
            fresh.append(facts)
            phases.advance(work=sizes[facts.key])
            if len(fresh) >= _KEEP_AT_ONCE:
                self.cache.put(fresh)
                fresh.clear()
        self.cache.put(fresh)
        return tuple(known[key] for key in by_key)

    def recall(self, placed: Sequence[PlacedFile]) -> tuple[IndexedFile, ...]:
        """Return those of the files whose facts are in the cache, in the order given."""
        by_key = {file.key: file for file in placed}
        known = self._recalled(by_key)
        return tuple(known[key] for key in by_key if key in known)

    def _recalled(self, by_key: Mapping[str, PlacedFile]) -> dict[str, IndexedFile]:
        return {key: self._indexed(by_key[key], facts) for key, facts in self.cache.get(list(by_key)).items()}

    def _indexed(self, file: PlacedFile, facts: FileFacts) -> IndexedFile:
        return IndexedFile(
            source=file.source,
            language=file.label,
            module=file.module,
            is_test=is_test(file.source.path, facts.parsed),
            role=role_of(file.source.path, is_code=bool(file.label)),
            parsed=facts.parsed.without(self.left_out) if facts.parsed else None,
            lexical=facts.lexical,
            error=facts.error or file.error,
            values=tuple(each for each in facts.values if each.kind not in self.left_out),
        )


class _Texts(Mapping[str, str]):
    """Texts by path; a text is decompressed only when it is read."""

    def __init__(self, files: Mapping[str, SourceFile]) -> None:
        self._files = files

    def __getitem__(self, path: str) -> str:
        return self._files[path].text

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def languages_of(paths: Sequence[str], languages: Mapping[str, Language]) -> list[Language | None]:
    """
    Return the language of each file of a tree by its name or ending; None for plain text.

    For an ending that several languages have (`.h`), unambiguous files decide: in the nearest folder around the file
    that has files with endings of just one of these languages, the language with most of them wins. Ties, and files
    without such a folder, go to the first language.
    """
    known: dict[str, list[Language]] = {}
    for language in languages.values():
        for extension in language.extensions:
            known.setdefault(extension, []).append(language)
    claims = [known.get(path.rpartition("/")[2]) or known.get(splitext(path)[1].lower(), []) for path in paths]
    contested = {each.name for claim in claims if len(claim) > 1 for each in claim}
    sure: Counter[tuple[str, str]] = Counter()
    for path, claim in zip(paths, claims, strict=True):
        if len(claim) == 1 and claim[0].name in contested:
            sure.update((folder, claim[0].name) for folder in _folders(path))

    def chosen(path: str, claim: Sequence[Language]) -> Language | None:
        if len(claim) < 2:
            return next(iter(claim), None)
        counts = ([sure[folder, each.name] for each in claim] for folder in _folders(path))
        nearest = next(filter(any, counts), [0] * len(claim))
        return claim[nearest.index(max(nearest))]

    return list(map(chosen, paths, claims))


def _folders(path: str) -> Iterator[str]:
    """Yield the folders around a file, innermost first; the root is ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
