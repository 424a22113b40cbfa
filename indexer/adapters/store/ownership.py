"""One indexer for each data folder: a second one would take the first one's jobs for left behind."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from common.core.errors import StartupError
from indexer.adapters.store.disk import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCK = "service.lock"


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """
    Hold a data folder for this process; the lock ends with it, however it ends.

    Raises StartupError if another indexer holds it, or if it cannot be written.
    """
    try:
        (folder / "indexer").mkdir(parents=True, exist_ok=True)
        opened = (folder / "indexer" / _LOCK).open("a+")
    except OSError as error:
        raise StartupError(
            f"{folder}: cannot be written ({error.strerror}); set CGRAG_DATA_DIR (data_dir in [indexer]) to a folder "
            "that can, or mend its permissions"
        ) from error
    with opened as file:
        if not try_lock(file.fileno()):
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise StartupError(
                f"{folder}: another indexer works in it (process {owner}); stop that one, or set CGRAG_DATA_DIR "
                "(data_dir in [indexer]) to another folder"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
