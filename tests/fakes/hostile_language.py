"""A language whose files do harm to whoever parses them."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping

from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind


class HostileLanguage:
    """Does what the first word of a file says: crash, hang, eat memory, recurse, wait, or parse."""

    name = "hostile"
    extensions = (".bad",)
    manifests: tuple[str, ...] = ()

    def label(self, _path: str) -> str:
        """Name the language."""
        return self.name

    def module_names(self, paths: Collection[str], *_: object) -> Mapping[str, str]:
        """Name files by their paths."""
        return {path: path for path in paths}

    def parse(self, path: str, module: str, text: str) -> ParsedFile:
        """Do what the text says."""
        word = text.split()[0]
        if word == "crash":
            os._exit(11)
        while word == "hang":
            pass
        if word == "eat":
            return self.parse(path, module, "x" * (1 << 33))
        if word == "wait":
            time.sleep(1.2)
        if word == "recurse":
            return self.parse(path, module, text)
        return ParsedFile(self.name, (SymbolDef(SymbolKind.MODULE, module, "", -1, 1, 1, "", ""),), (), b"")
