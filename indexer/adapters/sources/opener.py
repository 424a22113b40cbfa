"""Opens what a job names as its source, after checking that it may be read."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from common.core.clock import SystemClock
from indexer.adapters.sources.git_folder import git_of, is_git_directory
from indexer.adapters.sources.local import LocalTree
from indexer.adapters.sources.remote import FetchPolicy, GitRepositories
from indexer.domain.errors import SourceRefused, SourceUnavailable
from indexer.domain.jobs import JobSpec, LocalSource
from indexer.domain.source.scan import MAX_WORDS_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.clock import Clock
    from indexer.ports import SourceTree
    from indexer.settings import IndexerSettings


OWN_FOLDERS = ("repositories", "git", "indexer", "retriever", "orchestrator")
"""Folders in the data folder with private data of the services."""

_FIELD = {"field": "source.local_path"}


class Sources:
    """
    Opens local folders and git repositories.

    Args:
        roots: Local paths must lie below one of these.
        data: Data folder: it and the `OWN_FOLDERS` in it are no sources; in a tree around it, these are left out.
        exclude: Globs to leave out of every tree.
        repositories: Opens git URLs.
        clock: Gives the current time, to which file times are compared.
        settled_seconds: A file is recognized by its times only if they are at least this old.
        most_bytes: Most bytes that are read of a file.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        data: Path,
        exclude: Sequence[str],
        repositories: GitRepositories,
        clock: Clock,
        *,
        settled_seconds: float,
        most_bytes: int,
    ) -> None:
        self._clock = clock
        self._settled_seconds = settled_seconds
        self._most_bytes = most_bytes
        self._roots = tuple(root.resolve() for root in roots)
        self._data = data.resolve()
        self._exclude = tuple(exclude)
        self._repositories = repositories

    def check(self, spec: JobSpec) -> None:
        """Check, without reading files, that a source is allowed. Raises SourceRefused, SourceUnavailable."""
        if isinstance(spec.source, LocalSource):
            _working_folder(spec.source.path, self._roots, self._data)
        else:
            self._repositories.check(spec.source)

    @contextmanager
    def open(self, spec: JobSpec) -> Iterator[SourceTree]:
        """Yield the tree that a job names."""
        lines = (*self._exclude, *spec.exclude)
        excluded = GitIgnoreSpec.from_lines(lines)
        if isinstance(spec.source, LocalSource):
            root = _working_folder(spec.source.path, self._roots, self._data)
            excluded = GitIgnoreSpec.from_lines((*lines, *_own_folders_in(root, self._data)))
            settled_before = (self._clock.now().timestamp() - self._settled_seconds) * 1e9
            yield LocalTree(root, excluded, git_of(root, self._roots), settled_before, most_bytes=self._most_bytes)
        else:
            with self._repositories.open(spec.source, excluded) as tree:
                yield tree


def _working_folder(path: str, roots: Sequence[Path], data: Path) -> Path:
    real = checked_folder(path, roots, data)
    if not os.access(real, os.R_OK | os.X_OK):
        raise SourceUnavailable(f"{path} may not be read by the indexer; check the permissions.", metadata=_FIELD)
    if is_git_directory(real):
        raise SourceUnavailable(
            f"{path} is a bare git repository and has no files; index a clone of it, or file://{real} where "
            "git_allow_file of the indexer is on.",
            metadata=_FIELD,
        )
    return real


def _own_folders_in(root: Path, data: Path) -> tuple[str, ...]:
    """Return ignore rules for the private folders of services; none if the data folder is not below `root`."""
    if root not in data.parents:
        return ()
    below = re.sub(r"([\\*?\[\]! #])", r"\\\1", data.relative_to(root).as_posix())
    return tuple(f"/{below}/{name}/" for name in OWN_FOLDERS)


def checked_folder(path: str, roots: Sequence[Path], data: Path) -> Path:
    """
    Return the real path of a folder below one of the roots; the private data of services is refused.

    Raises SourceRefused, SourceUnavailable.
    """
    if not path.startswith("/") or "\0" in path:
        raise SourceRefused("local_path must be an absolute path.", metadata=_FIELD)
    try:
        real = Path(path).resolve()
    except (OSError, RuntimeError):
        real = None
    if real is None or not any(real == root or root in real.parents for root in roots):
        # The error does not list the allowed folders: they are a detail of the machine.
        raise SourceRefused(
            f"{path} is not below an allowed root; check the path, or add its parent to the setting allowed_roots of "
            "the indexer (CGRAG_INDEXER_ALLOWED_ROOTS).",
            metadata=_FIELD,
        )
    if real == data or any((data / name).resolve() in (real, *real.parents) for name in OWN_FOLDERS):
        raise SourceRefused(
            f"{path} is where this installation keeps its own data; index the folder that the source is in.",
            metadata=_FIELD,
        )
    if not real.exists():
        raise SourceUnavailable(f"{path} does not exist; check the path.", metadata=_FIELD)
    if not real.is_dir():
        text = f"{path} is not a folder; name the folder that holds the repository."
        raise SourceUnavailable(text, metadata=_FIELD)
    return real


def open_sources(settings: IndexerSettings) -> Sources:
    """Return the `Sources` that the settings configure."""
    policy = FetchPolicy(
        allowed_hosts=settings.git_allowed_hosts,
        file_roots=tuple(root.resolve() for root in settings.roots) if settings.git_allow_file else (),
        ca_file=settings.git_ca_file,
        seconds=settings.git_fetch_seconds,
    )
    data = settings.data_dir.resolve()
    repositories = GitRepositories(settings.data_dir / "git", policy, partial(checked_folder, data=data))
    return Sources(
        settings.roots,
        data,
        settings.exclude,
        repositories,
        SystemClock(),
        settled_seconds=settings.settled_seconds,
        most_bytes=max(settings.max_file_bytes, MAX_WORDS_BYTES),
    )
