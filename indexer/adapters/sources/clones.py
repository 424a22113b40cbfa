"""Removes the bare repositories that git URLs were fetched into."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from indexer.adapters.sources.addresses import parse_url
from indexer.adapters.sources.remote import alone, clone_folder
from indexer.domain.errors import SourceRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class CloneFolder:
    """
    Implements `Clones`.

    Args:
        folder: `<data>/git`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def remove(self, urls: Sequence[str], used: Sequence[str]) -> None:
        """Remove the clones of `urls`, except those that a URL in `used` shares; takes the lock of fetching."""
        for bare in sorted(self._folders(urls) - self._folders(used)):
            if not bare.exists():
                continue
            with alone(bare):
                shutil.rmtree(bare)
                bare.with_suffix(".lock").unlink()

    def _folders(self, urls: Iterable[str]) -> set[Path]:
        found = set()
        for url in urls:
            try:
                found.add(clone_folder(self._folder, parse_url(url)))
            except SourceRefused:
                continue  # not a URL of a remote host, such as file://: it has no clone
        return found
