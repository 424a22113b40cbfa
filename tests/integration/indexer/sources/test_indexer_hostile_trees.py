"""Trees that want to break out, break down, or run something."""

from __future__ import annotations

import os
import stat
from collections import Counter
from pathlib import Path

import pytest

from indexer.domain.errors import SourceRefused, SourceUnavailable
from indexer.domain.model import Tier
from indexer.domain.tree import SkipReason
from tests.fakes.git_repositories import commit_all, git
from tests.integration.indexer.indexing import Indexing, write_tree


def test_hostile_files_are_skipped_with_counted_reasons(indexing: Indexing, tmp_path: Path) -> None:
    """Every nasty file ends as text or as skipped with its reason, and the good one is indexed."""
    root = write_tree(
        tmp_path / "tree",
        {
            "good.py": "def f(): pass\n",
            "empty.py": "",
            "binary.py": b"\0\1\2",
            "invalid.txt": bytes(range(128, 256)) * 10,
            "utf16.py": "x = 1\n".encode("utf-16"),
            "big.py": "x = 1\n" * 200_000,
            "oneline.py": "x = '" + "a" * 900_000 + "'\n",
            "deep.py": "x = " + "(" * 200_000 + ")" * 200_000 + "\n",
            "lib.min.js": "a\n",
            "node_modules/a/index.js": "a\n",
            "m_pb2.py": "x = 1\n",
            "book.ipynb": '{"image/png": "' + "A" * 300_000 + '"}',
            "crlf.py": b"def g():\r\n    pass\r\n",
        },
    )
    os.mkfifo(root / "pipe")
    (root / "out").symlink_to("/etc/passwd")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to(tmp_path)
    (root / "inside").symlink_to("good.py")
    (root / b"bad\xff.py".decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    (root / "back\\slash.py").write_text("x = 1\n")
    outcome = indexing.run(root)
    texts = indexing.rows("SELECT path, status FROM files ORDER BY path")

    assert texts == [("crlf.py", 1), ("empty.py", 1), ("good.py", 1), ("utf16.py", 1)]
    assert Counter(outcome.snapshot.counts.skipped) == {
        SkipReason.BINARY: 1,
        SkipReason.UNDECODABLE: 1,
        SkipReason.OVERSIZE: 1,
        SkipReason.MINIFIED: 4,
        SkipReason.GENERATED: 1,
        SkipReason.VENDORED: 1,
        SkipReason.SPECIAL: 1,
        SkipReason.UNSAFE_LINK: 3,
        SkipReason.UNSAFE_PATH: 2,
    }


def test_deep_nesting_is_indexed_as_text(indexing: Indexing, tmp_path: Path) -> None:
    """Brackets nested deeper than any parser's stack cost one file its symbols and nothing else."""
    lines = "\n".join(["x = ("] + ["("] * 50_000 + [")"] * 50_000 + [")"]) + "\n"
    indexing.run(write_tree(tmp_path / "tree", {"deep.py": lines, "good.py": "def f(): pass\n"}))

    assert indexing.rows("SELECT path, status FROM files ORDER BY path") == [("deep.py", 2), ("good.py", 1)]


def test_half_a_character_in_an_escape_is_kept_as_it_is_written(indexing: Indexing, tmp_path: Path) -> None:
    """Python's texts may hold one, and nothing that is stored or sent can: such a file fails no repository."""
    documented = '"""Says \\ud800."""\ndef f(x):\n    """Takes \\U0000DFFF."""\n'
    text = f'{documented}    raise ValueError(f"no {{x}} but \\uD83D here")\n'
    indexing.run(write_tree(tmp_path / "tree", {"half.py": text, "good.py": "def g(): pass\n"}))

    assert indexing.rows("SELECT docstring FROM symbols WHERE docstring != '' ORDER BY id") == [
        ("Says \\ud800.",),
        ("Takes \\udfff.",),
    ]
    assert indexing.rows("SELECT value FROM facts WHERE value LIKE '%but%'") == [("no {} but \\ud83d here",)]


def test_no_link_leads_out_of_the_tree(indexing: Indexing, tmp_path: Path) -> None:
    """Nothing of a folder outside comes in by a link to it, in git or without."""
    write_tree(tmp_path / "outside", {"secret.py": "SECRET = 1\n"})
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    (root / "dir").symlink_to(tmp_path / "outside")
    without_git = indexing.run(root).snapshot
    commit_all(root)
    indexing.run(root, name="with-git")

    assert indexing.rows("SELECT path FROM files") == [("a.py",)]
    assert indexing.rows("SELECT path FROM files", "with-git") == [("a.py",)]
    assert without_git.counts.skipped == {SkipReason.UNSAFE_LINK: 1}


def test_tracked_file_behind_a_replaced_folder_is_not_read(indexing: Indexing, tmp_path: Path) -> None:
    """A folder that git tracks and somebody replaced by a link outside is not followed."""
    write_tree(tmp_path / "outside", {"b.py": "SECRET = 1\n"})
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", "dir/b.py": "y = 1\n"})
    commit_all(root)
    (root / "dir/b.py").unlink()
    (root / "dir").rmdir()
    (root / "dir").symlink_to(tmp_path / "outside")
    indexing.run(root)

    assert indexing.rows("SELECT path FROM files") == [("a.py",)]


def test_nothing_of_a_hostile_repository_runs(indexing: Indexing, tmp_path: Path) -> None:
    """Hooks, file system monitor, filters, pagers, external diffs and signature programs stay silent."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", ".gitattributes": "*.py filter=evil diff=evil\n"})
    commit_all(root)
    witness = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    script.chmod(0o755)
    for hook in ("post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"):
        (root / ".git/hooks").mkdir(exist_ok=True)
        (root / ".git/hooks" / hook).write_text(script.read_text())
        (root / ".git/hooks" / hook).chmod(0o755)
    for name in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.pager",
                 "diff.external", "diff.evil.command", "diff.evil.textconv", "gpg.program", "core.sshCommand",
                 "core.editor", "credential.helper", "core.askPass", "uploadpack.packObjectsHook"):  # fmt: skip
        git(root, "config", name, str(script))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "filter.evil.required", "true")
    write_tree(root, {"a.py": "x = 2\n"})
    outcome = indexing.run(root)
    indexing.more["git_allow_file"] = True

    assert outcome.snapshot.dirty
    assert indexing.rows("SELECT count(*) FROM files WHERE path = 'a.py'") == [(1,)]
    assert not witness.exists()


def test_a_fake_git_folder_is_no_repository(indexing: Indexing, tmp_path: Path) -> None:
    """A .git that is none is passed by, and its files are not indexed."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", ".git/config": "[core]\n", "sub/.git/x.py": "y = 1\n"})
    indexing.run(root)

    assert indexing.rows("SELECT path FROM files") == [("a.py",)]


def test_ignore_rules_hold_with_and_without_git(indexing: Indexing, tmp_path: Path) -> None:
    """.gitignore files, nested and negated ones too, and exclude globs leave the same files out either way."""
    root = write_tree(
        tmp_path / "tree",
        {
            ".gitignore": "*.log\nbuild/\n!keep.log\n",
            "a.py": "x = 1\n",
            "x.log": "x\n",
            "keep.log": "k\n",
            "build/b.py": "x = 1\n",
            "sub/.gitignore": "local.py\n",
            "sub/local.py": "x = 1\n",
            "sub/c.py": "x = 1\n",
            "docs/d.py": "x = 1\n",
        },
    )
    indexing.run(root, exclude=("docs/",))
    commit_all(root)
    indexing.run(root, exclude=("docs/",), name="with-git")
    wanted = [(".gitignore",), ("a.py",), ("keep.log",), ("sub/.gitignore",), ("sub/c.py",)]

    assert indexing.rows("SELECT path FROM files ORDER BY path") == wanted
    assert indexing.rows("SELECT path FROM files ORDER BY path", "with-git") == wanted


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_counted(indexing: Indexing, tmp_path: Path) -> None:
    """A file without read permission is skipped with its reason."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    (root / "b.py").chmod(stat.S_IWUSR)

    assert indexing.run(root).snapshot.counts.skipped == {SkipReason.UNREADABLE: 1}


@pytest.mark.parametrize("path", ["/etc", "relative", "/tmp/../etc", "/no/such/folder", "/tmp/x\0y"])
def test_folders_outside_the_allowed_roots_are_refused(indexing: Indexing, path: str) -> None:
    """What is outside, relative or absent is refused alike, and the error names the setting."""
    with pytest.raises(SourceRefused):
        indexing.run(Path(path))


def test_a_link_to_the_outside_is_outside(indexing: Indexing, tmp_path: Path) -> None:
    """A local path counts by where it really leads."""
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(SourceRefused, match="allowed_roots"):
        indexing.run(tmp_path / "link")


def test_who_is_refused_does_not_learn_how_the_machine_is_laid_out(indexing: Indexing) -> None:
    """Roots are home folders and mounts: the error names the setting, and none of what is in it."""
    with pytest.raises(SourceRefused, match="allowed_roots") as refused:
        indexing.run(Path("/etc"))

    assert not [root for root in indexing.settings.roots if str(root) in str(refused.value)]


def test_a_file_is_no_folder(indexing: Indexing, tmp_path: Path) -> None:
    """A path to a file is answered with what to do."""
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(SourceUnavailable, match="not a folder"):
        indexing.run(tmp_path / "a.py")


def test_code_whose_calls_have_no_end_is_published(indexing: Indexing, tmp_path: Path) -> None:
    """It is linked as far as the bound of work goes; the job, the set and the overview say so, unchanged or not."""
    root = write_tree(
        tmp_path / "tree",
        {"loop.js": "const all = [];\nall.push(all.map);\nall.map(all.map);\n", "good.py": "def f(): pass\nf()\n"},
    )
    first = indexing.run(root)
    again = indexing.run(root)
    calls = indexing.rows("SELECT count(*) FROM edges WHERE kind = 1 AND resolution = 1")
    [(overview,)] = indexing.rows("SELECT body FROM docs WHERE kind = 1")

    assert first.counts.cut == {"javascript": (Tier.CONTAINER,)}
    assert again.unchanged
    assert again.counts.cut == first.counts.cut
    assert calls == [(1,)]
    assert "Calls may be missing in: javascript" in overview
