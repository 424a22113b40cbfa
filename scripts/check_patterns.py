"""
Fails where the retriever or the orchestrator reads text by patterns that `scripts/patterns.toml` does not list.

Source is parsed only by the indexer, and questions only by the classifier: no other service may match either with
regular expressions, or contain the name of a programming language. The list has the exceptions: for each module the
text that it reads, and why.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from indexer.adapters.languages.registry import languages

_LIST = Path("scripts/patterns.toml")
_SERVICES = ("retriever/", "orchestrator/")
_LANGUAGES = frozenset(languages()) | {"typescript"}
_OWN = frozenset({"sql", "lua"})
"""Languages of query files that the services themselves load, so that their names are allowed."""
_ENDINGS = (
    ending
    for language in languages().values()
    for ending in language.extensions
    if ending.startswith(".") and language.name not in _OWN
)
_NAMES_A_FILE = re.compile(rf"[\w/]*(?:{'|'.join(map(re.escape, _ENDINGS))})")


def patterns(tree: ast.AST) -> list[int]:
    """Return the line numbers at which the module `re` is used."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re")
        or (isinstance(node, ast.ImportFrom) and node.module == "re")
    ]


def named_languages(tree: ast.AST) -> list[int]:
    """Return the numbers of lines with a string that is an indexed language's name, or a file name of that language."""
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [(node.lineno, node.value) for node in constants if isinstance(node.value, str)]
    return sorted(line for line, text in texts if text in _LANGUAGES or _NAMES_A_FILE.fullmatch(text))


def main() -> int:
    """Check every module of the two services against the list; report unused entries, too."""
    listed = {
        (section == "language", module): section
        for section, each in tomllib.loads(_LIST.read_text("utf-8")).items()
        for module in each["modules"]
    }
    names = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    found: set[tuple[bool, str]] = set()
    failed = 0
    for name in names:
        if not name.startswith(_SERVICES) or not Path(name).exists():
            continue
        tree = ast.parse(Path(name).read_text("utf-8"))
        for is_language, lines in ((False, patterns(tree)), (True, named_languages(tree))):
            module = name.removesuffix(".py")
            if lines:
                found.add((is_language, module))
            if lines and (is_language, module) not in listed:
                failed += 1
                what = "names a programming language" if is_language else "reads text by patterns"
                print(f"{name}:{lines[0]}: {what}; {_LIST} does not say which and why")
    for key in sorted(listed.keys() - found):
        print(f"{_LIST}: {key[1]} is listed under {listed[key]} and not in need of it: remove the line")
    if not failed:
        print(f"patterns: {len(found)} modules read what they may")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
