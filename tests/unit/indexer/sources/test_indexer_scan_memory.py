"""What scans remember of a tree, and when they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexer.adapters.sources.scan_memory import FolderScanMemory
from indexer.domain.source.scan import Reading, Scan
from indexer.domain.tree import Commit, Entry, KeptFile, Listing, Revision, SkipReason
from indexer.usecases.indexing.scan_tree import TreeScanner
from indexer.usecases.jobs.phases import Phases
from tests.fakes.clock import FakeClock


@dataclass
class _Tree:
    """A tree in memory that remembers what was read."""

    contents: dict[str, tuple[bytes, str]]
    read_paths: list[str] = field(default_factory=list)
    commit: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)

    def listing(self) -> Listing:
        entries = (
            Entry(path, self.sizes.get(path, len(data)), stamp) for path, (data, stamp) in sorted(self.contents.items())
        )
        return Listing(tuple(entries), (), 0)

    def read(self, entries: Sequence[Entry]) -> Iterator[bytes | None]:
        for entry in entries:
            self.read_paths.append(entry.path)
            yield self.contents[entry.path][0]

    def revision(self, blobs: Mapping[str, str]) -> Revision:
        return Revision(self.commit, dirty=not blobs)

    def history(self, _limit: int) -> tuple[Commit, ...]:
        return ()


class _Silent:
    def tell(self, _event: object) -> None: ...


def scan(tree: _Tree, folder: Path, kept: Mapping[str, KeptFile] | None = None, version: str = "1") -> Scan:
    memory = FolderScanMemory(folder, version)
    phases = Phases(_Silent(), FakeClock())
    return TreeScanner(memory, 1000).scan("shop", tree, kept or {}, phases)


def kept(found: Scan) -> dict[str, KeptFile]:
    """Return files as if they had been published."""
    texts = {file.path: file.packed for file in found.files}
    return {
        file.path: KeptFile(file.path, file.sha256, file.size, file.lines, texts.__getitem__) for file in found.files
    }


TREE = {"a.py": (b"x = 1\n", "s1"), "b.py": (b"# @generated\n", "s2"), "c.py": (b"y = 2\n", "")}


def test_stamped_files_are_read_once(tmp_path: Path) -> None:
    """A second scan reads only what has no stamp, and finds the same; left out files are known too."""
    first = scan(_Tree(dict(TREE)), tmp_path)
    again = _Tree(dict(TREE))
    second = scan(again, tmp_path, kept(first))

    assert again.read_paths == ["c.py"]
    assert [(file.path, file.sha256, file.size, file.lines, file.text) for file in second.files] == [
        (file.path, file.sha256, file.size, file.lines, file.text) for file in first.files
    ]
    assert second.skipped == first.skipped
    assert [each.reason for each in second.skipped] == [SkipReason.GENERATED]
    assert second.revision == first.revision


def test_another_stamp_text_or_version_is_read_again(tmp_path: Path) -> None:
    """A new stamp, a text that is published with other contents or not at all, and other rules mean reading."""
    first = scan(_Tree(dict(TREE)), tmp_path)
    changed = _Tree(TREE | {"a.py": (b"x = 3\n", "s3")})
    scan(changed, tmp_path, kept(first))
    unpublished = _Tree(dict(TREE))
    scan(unpublished, tmp_path)
    other_rules = _Tree(dict(TREE))
    scan(other_rules, tmp_path, kept(first), version="2")

    assert changed.read_paths == ["a.py", "c.py"]
    assert unpublished.read_paths == ["a.py", "c.py"]
    assert other_rules.read_paths == ["a.py", "b.py", "c.py"]


def test_what_is_left_out_is_read_for_its_words_within_limits(tmp_path: Path) -> None:
    """Not one that is too large, and no more of them than fit in all; what is taken has nothing to do with that."""
    most, left_out = 16_000_000, [f"vendor/{name}.js" for name in "abcdef"]
    tree = _Tree(dict.fromkeys((*left_out, "a.png", "z.py"), (b"var word = 1;\n", "")))
    tree.sizes = dict.fromkeys(left_out, most) | {left_out[0]: most + 1, "a.png": 10 * most}
    found = scan(tree, tmp_path)
    full = _Tree(dict(tree.contents))
    full.sizes = dict.fromkeys(left_out, most)
    scan(full, tmp_path)

    assert [file.path for file in found.files] == ["z.py"]
    assert [each.path for each in found.skipped if each.reason is SkipReason.VENDORED] == left_out
    assert tree.read_paths == ["vendor/b.js", "vendor/c.js", "vendor/d.js", "vendor/e.js", "z.py"]
    assert full.read_paths == ["vendor/a.js", "vendor/b.js", "vendor/c.js", "vendor/d.js", "z.py"]


def test_lost_or_damaged_memory_costs_time_alone(tmp_path: Path) -> None:
    """Noise in the file is as good as no file."""
    memory = FolderScanMemory(tmp_path, "1")
    readings = {"a.py": Reading("s", None, "00", 1, 1, "b"), "b": Reading("t", SkipReason.BINARY, blob="c")}
    memory.save("shop", "c0", readings)
    kept_whole = memory.load("shop", "c0")
    of_other_hash = memory.load("shop", "c0" * 20)
    (tmp_path / "shop/scan.cache").write_bytes(b"noise")

    assert kept_whole == readings
    assert of_other_hash == {}
    assert memory.load("shop", "c0") == {}
    assert memory.load("other", "c0") == {}
