"""Which of several types of one name is meant, where imports and namespaces say so."""

from __future__ import annotations

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, Resolution
from tests.unit.indexer.read_units import units_of

ONE = "<?php\nnamespace A\\One;\nclass Bag {\n  static function make() {}\n  function size() {}\n}\n"
TWO = "<?php\nnamespace A\\Two;\nclass Bag {\n  static function make() {}\n  function size() {}\n}\n"


def targets(text: str, **more: str) -> list[str]:
    """
    Link a file of PHP beside two with classes of one name, and give what its calls and bases lead to, in order.

    What is outside is in parentheses; what stays open has a question mark.
    """
    reader = languages()["php"]
    files = {"one.php": ONE, "two.php": TWO, **{f"{stem}.php": each for stem, each in more.items()}, "user.php": text}
    units = units_of(reader, files)
    edges = linkers()["php"].link(units).edges
    own = [edge for edge in edges if units[edge.source[0]].path == "user.php" and edge.kind != EdgeKind.IMPORT]
    marks = {Resolution.RESOLVED: "{}", Resolution.EXTERNAL: "({})", Resolution.UNRESOLVED: "{}?"}
    return [marks[edge.resolution].format(edge.target_name) for edge in own]


def test_an_import_says_which_type_is_meant() -> None:
    """What is made, called or inherited is the imported class, by its own name or by another."""
    assert targets("<?php\nnamespace U;\nuse A\\Two\\Bag;\nnew Bag();\nBag::make();\n") == [
        "A.Two.Bag",
        "A.Two.Bag.make",
    ]
    assert targets("<?php\nuse A\\One\\Bag as Sack;\nSack::make();\n") == ["A.One.Bag.make"]
    assert targets("<?php\nuse A\\{One\\Bag};\nclass C extends Bag {}\n") == ["A.One.Bag"]


def test_the_namespace_says_it_where_no_import_does() -> None:
    """A class beside the file in its namespace is meant; from elsewhere none is guessed."""
    assert targets("<?php\nnamespace A\\Two;\nnew Bag();\n") == ["A.Two.Bag"]
    assert targets("<?php\nnamespace U;\nnew Bag();\n") == ["Bag?"]


def test_names_from_the_top_are_whole() -> None:
    """A class that extends the built-in one of its name does not extend itself."""
    assert targets("<?php\nnamespace U;\nnew \\A\\One\\Bag();\n") == ["A.One.Bag"]
    assert targets("<?php\nnamespace U;\nclass Exception extends \\Exception {}\n") == ["(Exception)"]
    assert targets("<?php\nnamespace A\\Two;\nuse Vendor\\Bag;\nnew Bag();\n") == ["(Vendor.Bag)"]


def test_own_methods_are_those_of_the_own_type() -> None:
    """A class without the method does not get that of another class with its name."""
    text = "<?php\nnamespace U;\nclass Bag {\n  function f() { $this->size(); }\n}\n"

    assert targets(text) == ["size?"]


def test_bases_mean_what_their_own_file_imports() -> None:
    """The base of a base is looked up where it is written, not where the call is."""
    middle = "<?php\nnamespace M;\nuse A\\One\\Bag;\nclass Middle extends Bag {}\n"
    text = "<?php\nuse M\\Middle;\nuse A\\Two\\Bag;\nclass C extends Middle {\n  function f() { $this->size(); }\n}\n"

    assert targets(text, middle=middle) == ["M.Middle", "A.One.Bag.size"]
