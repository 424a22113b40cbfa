"""Java and Kotlin: an import names a package that files declare, and a type or function in one of them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.bench.import_truth.truth import Truth, line_of, nearest

_PACKAGE = re.compile(r"^\s*package\s+([\w.`]+)", re.MULTILINE)
_IMPORT = re.compile(r"^import\s+(?:static\s+)?([\w.`]+(?:\.\*)?)", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:@[\w.]+(?:\([^()\n]*\))?\s+)*(?:(?:public|internal|private|protected|abstract|open|sealed|data|final|inline|"
    r"annotation|enum|value|expect|actual|operator|infix|suspend|const|lateinit|fun|static|strictfp|tailrec|external|"
    r"non-sealed)\s+)*"
    r"(?:class|interface|@interface|object|fun|val|var|typealias|enum|record)\s+"
    r"(?:<[^>\n]*>\s*)?(?:[\w.<>?, *]+\.)?`?(\w+)",
    re.MULTILINE,
)
_MANIFESTS = ("pom.xml", "build.gradle", "build.gradle.kts")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class JvmTruth(Truth):
    """The imports of files in a language of the JVM; what they lead to may be in another one."""

    endings = (".java", ".kt", ".kts")

    def __init__(self, root: Path, ending: str) -> None:
        super().__init__(root)
        self._projects = {path.parent for path in self.all if path.name in _MANIFESTS}
        self._declared: dict[str, set[Path]] = {}
        packages: dict[str, set[Path]] = {}
        for path in self.files:
            text = _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), self.text(path))
            found = _PACKAGE.search(text)
            package = found.group(1).replace("`", "") if found else ""
            packages.setdefault(package, set()).add(path)
            for name in (path.stem, *_DECLARED.findall(text)):
                self._declared.setdefault(f"{package}.{name}", set()).add(path)
        for path in sorted(path for path in self.files if path.name.endswith(ending)):
            text = self.text(path)
            for each in _IMPORT.finditer(text):
                name = each.group(1).replace("`", "")
                files = packages.get(name[:-2], set()) if name.endswith(".*") else set()
                line = line_of(text, each.start(1))
                self.add(path, (line, line), name, self._near(files or self._meant(name.removesuffix(".*")), path))

    def _meant(self, name: str) -> set[Path]:
        while name and name not in self._declared:
            name = name.rpartition(".")[0]
        return self._declared.get(name, set())

    def _near(self, files: set[Path], importer: Path) -> set[Path]:
        """Prefer files of the importer's own project."""
        own = nearest(importer, self._projects)
        return {path for path in files if nearest(path, self._projects) == own} or files
