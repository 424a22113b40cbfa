"""The kill switch: while its file exists, the service does not call models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class KillSwitch:
    """
    Decides whether models may be called; it checks the file each time, so that operators need no restart.

    Args:
        file: None for no switch.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def admits(self) -> bool:
        """Return whether models may be called: the file does not exist."""
        return self._file is None or not self._file.exists()
