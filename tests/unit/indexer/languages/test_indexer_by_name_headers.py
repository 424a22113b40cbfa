"""Whose a file is when two languages claim its ending."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages
from indexer.domain.source.screening import screen_path
from indexer.domain.tree import SkipReason
from indexer.usecases.indexing.read_facts import languages_of


@pytest.mark.parametrize(
    ("paths", "language"),
    [
        (["a.h", "a.c"], "c"),
        (["a.h", "a.cpp", "b.cc", "c.c"], "cpp"),
        (["a.h"], "c"),
        (["a.h", "a.rs"], "c"),
        (["c/a.h", "c/a.c", "x/b.cc", "x/c.cc"], "c"),
        (["lib/include/a.h", "lib/a.c", "x/b.cc", "x/c.cc"], "c"),
        (["include/a.h", "c/a.c", "x/b.cc", "x/c.cc"], "cpp"),
    ],
)
def test_headers_belong_to_the_language_with_more_files(paths: list[str], language: str) -> None:
    """`.h` is C++ where the nearest folder with any has more of C++ than of C, and C otherwise."""
    found = languages_of(paths, languages())

    assert found[0] is not None
    assert found[0].name == language


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("Form.Designer.cs", SkipReason.GENERATED),
        ("View.g.i.cs", SkipReason.GENERATED),
        ("shop_pb.rb", SkipReason.GENERATED),
        ("shop.pb.cc", SkipReason.GENERATED),
        ("moc_window.cpp", SkipReason.GENERATED),
        ("vendor/symfony/Kernel.php", SkipReason.VENDORED),
        ("third_party/zlib/zlib.c", SkipReason.VENDORED),
        ("src/Designer.cs", None),
        ("lib/shop.rb", None),
    ],
)
def test_generated_and_vendored_files_are_left_out(path: str, reason: SkipReason | None) -> None:
    """What tools write and what others wrote is told by its place and name."""
    assert screen_path(path, 10, 1000) == reason
