"""Makes places in the source clickable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from cgrag_client.render import words

if TYPE_CHECKING:
    from pathlib import Path

    from cgrag.type.v1 import code_pb2, evidence_pb2


@dataclass(frozen=True, slots=True)
class Links:
    """
    Where links lead. Terminals that know OSC 8 make them clickable; others show the text alone.

    Args:
        root: Folder of the repository on this machine; None if it is elsewhere.
    """

    root: Path | None = None

    def place(self, span: code_pb2.Span, *, url: str = "", style: str = "cyan") -> Text:
        """Write `path:start-end`, linked to the given URL or else to the file on this machine."""
        target = url or self._file_url(span.path)
        return Text(words.place(span), style=Style.parse(style) + Style(link=target or None))

    def citation(self, citation: evidence_pb2.Citation) -> Text:
        """Write the place of a citation, linked."""
        return self.place(citation.span, url=citation.url)

    def _file_url(self, path: str) -> str:
        if self.root is None:
            return ""
        file = self.root / path
        return file.as_uri() if file.is_file() else ""
