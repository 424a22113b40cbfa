"""Reloads a file when it changes; the old content stays in force if the new one is invalid."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from common.core.errors import StartupError
from common.core.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from common.core.clock import Clock

T = TypeVar("T")

LOOK_SECONDS = 1.0


class WatchedFile(Generic[T]):
    """
    The content of a file, at most a second old at `look`.

    Args:
        path: The file; it may be replaced, as secrets and config maps are.
        setting: Name of the setting with the file's path, for messages.
        parse: Parses the content; raises SettingsError.
        clock: Measures the time between checks.
        on_change: Called after each change with the path and "", or with what is wrong with the new content.

    Raises:
        StartupError: if the file cannot be read now, or is invalid.
    """

    def __init__(
        self,
        path: Path,
        setting: str,
        parse: Callable[[bytes], T],
        clock: Clock,
        on_change: Callable[[Path, str], None],
    ) -> None:
        self._path = path
        self._parse = parse
        self._clock = clock
        self._on_change = on_change
        self._lock = asyncio.Lock()
        try:
            self._seen = self._state()
            self.content: T = parse(path.read_bytes())
        except OSError as error:
            raise StartupError(f"{path}: cannot be read ({error.strerror}); check the setting {setting}") from error
        except SettingsError as error:
            raise StartupError(f"{path} ({setting}): mend this and start again:\n{error}") from error
        self._next_look = clock.monotonic() + LOOK_SECONDS

    @property
    def is_due(self) -> bool:
        """Return whether the last check is at least a second ago."""
        return self._clock.monotonic() >= self._next_look

    async def look(self) -> None:
        """Reload the file if it changed; concurrent callers wait for the same reload."""
        async with self._lock:
            if self.is_due:
                await asyncio.to_thread(self._look)
                self._next_look = self._clock.monotonic() + LOOK_SECONDS

    def _look(self) -> None:
        try:
            state = self._state()
            if state == self._seen:
                return
            content = self._path.read_bytes()
        except OSError as error:
            # Reported once, and retried at every check.
            if self._seen:
                self._seen = ()
                self._on_change(self._path, f"cannot be read ({error.strerror})")
            return
        # Also if it is invalid: that is reported once, and the file is read again after its next change.
        self._seen = state
        try:
            self.content = self._parse(content)
        except SettingsError as error:
            self._on_change(self._path, str(error))
        else:
            self._on_change(self._path, "")

    def _state(self) -> tuple[int, ...]:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
