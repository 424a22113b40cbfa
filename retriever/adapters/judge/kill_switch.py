"""A file that keeps a service from asking models while it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class KillSwitch:
    """
    Tells whether models may be asked; looks at each call, so that operators need no restart.

    Args:
        file: None for no switch.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def admits(self) -> bool:
        """Return whether the switch is not thrown."""
        return self._file is None or not self._file.exists()
