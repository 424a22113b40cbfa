"""Git repositories of all shapes: shallow, partial, bare, sparse, damaged, with worktrees, or somebody else's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer.domain.errors import SourceUnavailable
from indexer.domain.jobs import GitSource
from indexer.domain.tree import SkipReason
from tests.fakes.git_repositories import commit_all, git
from tests.integration.indexer.indexing import Indexing, write_tree


def url(root: Path) -> GitSource:
    return GitSource(f"file://{root}")


@pytest.fixture
def filed(indexing: Indexing) -> Indexing:
    """Return an indexer that may read file:// URLs."""
    indexing.more["git_allow_file"] = True
    return indexing


def unpacked_clone(root: Path, target: Path) -> Path:
    """Return a bare clone with an object a file."""
    git(root, "clone", "-q", "--bare", str(root), str(target))
    for pack in (target / "objects/pack").glob("*"):
        pack.unlink()
    for folder in (root / ".git/objects").glob("??"):
        (target / "objects" / folder.name).mkdir(exist_ok=True)
        for loose in folder.iterdir():
            (target / "objects" / folder.name / loose.name).write_bytes(loose.read_bytes())
    return target


@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_whose_object_is_missing_is_counted(filed: Indexing, shop: Path, tmp_path: Path, damaged: bool) -> None:
    """A repository that lacks the contents of one file, or has them damaged, is indexed without it."""
    commit_all(shop)
    bare = unpacked_clone(shop, tmp_path / "bare.git")
    lacking = git(bare, "rev-parse", "HEAD:shop/till.py")
    file = bare / "objects" / lacking[:2] / lacking[2:]
    data = file.read_bytes()
    file.unlink()
    if damaged:
        file.write_bytes(data[:20] + bytes(len(data) - 20))
    snapshot = filed.run(url(bare)).snapshot

    assert snapshot.counts.skipped == {SkipReason.UNREADABLE: 1}
    assert snapshot.counts.files == 5


def test_a_partial_clone_says_what_to_do_and_fetches_nothing(filed: Indexing, shop: Path, tmp_path: Path) -> None:
    """Its working tree is read; of a commit, what is not there is told, or counted where git can tell it apart."""
    commit_all(shop)
    git(shop, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(shop, "clone", "-q", "--filter=blob:none", f"file://{shop}", str(partial))
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    second = commit_all(shop)
    git(partial, "fetch", "-q")
    git(partial, "update-ref", "refs/heads/ahead", second)
    tree = filed.run(partial).snapshot
    try:
        told = str(filed.run(GitSource(f"file://{partial}", "ahead")).snapshot.counts.skipped)
    except SourceUnavailable as lacking:
        told = lacking.message

    assert tree.counts.files == 6
    assert "git fetch --refetch" in told or "UNREADABLE" in told


def test_a_shallow_clone_has_its_files_and_what_history_there_is(filed: Indexing, shop: Path, tmp_path: Path) -> None:
    """Commits that are not there are no error."""
    commit_all(shop)
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    commit_all(shop)
    git(shop, "clone", "-q", "--depth", "1", f"file://{shop}", str(tmp_path / "shallow"))
    tree = filed.run(tmp_path / "shallow").snapshot
    commit = filed.run(url(tmp_path / "shallow"), name="commit").snapshot

    assert (tree.counts.files, commit.counts.files, tree.dirty) == (7, 7, False)


def test_a_bare_repository_is_told_from_a_folder(filed: Indexing, shop: Path, tmp_path: Path) -> None:
    """Its hooks and packs are no source files; by URL it is read."""
    commit_all(shop)
    git(shop, "clone", "-q", "--bare", str(shop), str(tmp_path / "bare.git"))
    with pytest.raises(SourceUnavailable, match="bare git repository"):
        filed.run(tmp_path / "bare.git")
    with pytest.raises(SourceUnavailable, match="bare git repository"):
        filed.run(shop / ".git")

    assert filed.run(url(tmp_path / "bare.git")).snapshot.counts.files == 6


def test_a_worktree_is_a_repository(filed: Indexing, shop: Path, tmp_path: Path) -> None:
    """Its .git is a file that leads to another folder below the roots."""
    head = commit_all(shop)
    git(shop, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    (tmp_path / "side/.gitignore").write_text("*.log\n")
    write_tree(tmp_path / "side", {"x.log": "x\n"})
    snapshot = filed.run(tmp_path / "side").snapshot

    assert (snapshot.commit, snapshot.counts.files) == (head, 7)
    assert snapshot.counts.skipped == {SkipReason.IGNORED: 1}


def test_a_sparse_checkout_is_not_dirty(filed: Indexing, shop: Path, tmp_path: Path) -> None:
    """Files that are left out on purpose are not taken for removed ones; removed ones still are."""
    commit_all(shop)
    sparse = tmp_path / "sparse"
    git(shop, "clone", "-q", "--no-checkout", str(shop), str(sparse))
    git(sparse, "sparse-checkout", "set", "--cone", "tests")
    git(sparse, "checkout", "-q", "main")
    clean = filed.run(sparse).snapshot
    (sparse / "README.md").unlink()
    removed = filed.run(sparse).snapshot

    assert (clean.dirty, clean.counts.files) == (False, 3)
    assert (removed.dirty, removed.counts.files) == (True, 2)


@pytest.mark.parametrize("way", ["file", "link", "links within"])
def test_the_history_of_a_repository_outside_does_not_come_in(indexing: Indexing, tmp_path: Path, way: str) -> None:
    """A tree whose .git leads out of the allowed roots is a folder without git."""
    secret = write_tree(tmp_path / "outside", {"a.py": "x = 1\n"})
    commit_all(secret, "the launch code is 1234")
    root = write_tree(tmp_path / "roots/tree", {"a.py": "x = 2\n"})
    if way == "file":
        (root / ".git").write_text(f"gitdir: {secret / '.git'}\n")
    elif way == "link":
        (root / ".git").symlink_to(secret / ".git")
    else:
        (root / ".git").mkdir()
        for each in (secret / ".git").iterdir():
            (root / ".git" / each.name).symlink_to(each)
    indexing.more["allowed_roots"] = (str(tmp_path / "roots"),)
    snapshot = indexing.run(root).snapshot
    commits = indexing.rows("SELECT count(*) FROM lexical_commits")

    assert (snapshot.commit, snapshot.counts.files) == ("", 1)
    assert commits == [(0,)]


def lead_out_by_refs(secret: Path, root: Path) -> None:
    git(root, "init", "-q")
    for name in ("refs/heads", "objects/pack"):
        (root / ".git" / name).rmdir()
        (root / ".git" / name).symlink_to(secret / ".git" / name)
    for each in (secret / ".git/objects").glob("??"):
        (root / ".git/objects" / each.name).symlink_to(each)


def lead_out_by_objects(secret: Path, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".git/refs/heads/main").write_text(git(secret, "rev-parse", "HEAD") + "\n")
    for each in (secret / ".git/objects").glob("??/*"):
        link = root / ".git/objects" / each.parent.name / each.name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(each)


def lead_out_by_a_stage(secret: Path, root: Path) -> None:
    lead_out_by_objects(secret, root)
    (root / ".git/objects").rename(root / "stage")
    (root / ".git/objects").symlink_to("../stage")


def lead_out_by_alternates(secret: Path, root: Path) -> None:
    git(root, "init", "-q")
    (root / ".git/refs/heads/main").write_text(git(secret, "rev-parse", "HEAD") + "\n")
    (root / ".git/objects/info/alternates").write_text(f"{secret / '.git/objects'}\n")


def lead_out_by_quoted_alternates(secret: Path, root: Path) -> None:
    lead_out_by_alternates(secret, root)
    alternates = root / ".git/objects/info/alternates"
    alternates.write_text(f'"{alternates.read_text().strip()}"\n')


def lead_out_by_far_alternates(secret: Path, root: Path) -> None:
    """Lead to a folder of objects beside, which leads out in turn."""
    lead_out_by_alternates(secret, root)
    (root / "beside/info").mkdir(parents=True)
    (root / ".git/objects/info/alternates").rename(root / "beside/info/alternates")
    (root / ".git/objects/info/alternates").write_text("../../beside\n")


def lead_out_by_a_blank(secret: Path, root: Path) -> None:
    """Lead to a folder whose name begins with a blank, beside one of the same name without it."""
    git(root, "init", "-q")
    (root / ".git").rename(root / "own")
    (root / " own").symlink_to(secret / ".git")
    (root / ".git").write_text("gitdir:  own\n")


def lead_out_above(secret: Path, root: Path) -> None:
    """Lead out from a folder above one whose `.git` is none."""
    (root.parent / ".git").symlink_to(secret / ".git")
    (root / ".git").mkdir()


def lead_out_by_a_bare_folder_above(secret: Path, root: Path) -> None:
    (root.parent / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (root.parent / name).symlink_to(secret / ".git" / name)


WAYS_OUT = (
    lead_out_by_refs,
    lead_out_by_objects,
    lead_out_by_a_stage,
    lead_out_by_alternates,
    lead_out_by_quoted_alternates,
    lead_out_by_far_alternates,
    lead_out_by_a_blank,
    lead_out_above,
    lead_out_by_a_bare_folder_above,
)


@pytest.mark.parametrize("lead_out", WAYS_OUT)
def test_no_part_of_a_history_outside_comes_in(
    filed: Indexing, tmp_path: Path, lead_out: Callable[[Path, Path], None]
) -> None:
    """A git directory any part of which leads out of the allowed roots is passed by, in a folder and by URL."""
    secret = write_tree(tmp_path / "outside", {"a.py": "x = 1\n"})
    commit_all(secret, "the launch code is 1234")
    root = write_tree(tmp_path / "roots/above/tree", {"a.py": "x = 2\n"})
    lead_out(secret, root)
    filed.more["allowed_roots"] = (str(tmp_path / "roots"),)
    snapshot = filed.run(root).snapshot
    commits = filed.rows("SELECT count(*) FROM lexical_commits")

    assert (snapshot.commit, commits) == ("", [(0,)])
    with pytest.raises(SourceUnavailable, match="no revision"):
        filed.run(url(root))


def test_a_bare_repository_that_leads_out_is_passed_by(filed: Indexing, tmp_path: Path) -> None:
    """By URL too, what is outside of the allowed roots is no revision of it."""
    secret = write_tree(tmp_path / "outside", {"a.py": "x = 1\n"})
    commit_all(secret)
    bare = tmp_path / "roots/bare.git"
    git(secret, "clone", "-q", "--bare", "--shared", str(secret), str(bare))
    filed.more["allowed_roots"] = (str(tmp_path / "roots"),)

    with pytest.raises(SourceUnavailable, match="no revision"):
        filed.run(url(bare))


def test_objects_may_be_borrowed_below_the_roots(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """A clone that shares the objects of another one beside it keeps its history, and so do folders in it."""
    head = commit_all(shop)
    git(shop, "clone", "-q", "--shared", str(shop), str(tmp_path / "borrower"))
    whole = indexing.run(tmp_path / "borrower").snapshot
    part = indexing.run(tmp_path / "borrower/shop", name="part").snapshot

    assert (whole.commit, whole.dirty) == (head, False)
    assert (part.commit, part.dirty) == (head, False)


def test_folder_and_commit_name_odd_paths_alike(filed: Indexing, tmp_path: Path) -> None:
    """Names are taken as they are or left out as printable text, the same from a folder and from its commit."""
    odd = ["new\nline.py", "tab\t.py", "del\x7f.py", "back\\slash.py", "\u202egnp.py", "inv\udcff.py"]
    fine = ["a" * 252 + ".py", "Case.py", "case.py", "caf\u00e9.py", "cafe\u0301.py", " blank.py", "-rf.py",
            "--output=x.py", ":(glob)*.py", "$(touch x).py", "quote'\".py", "~/a.py"]  # fmt: skip
    root = tmp_path / "tree"
    for name in (*odd, *fine):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n")
    folder = filed.run(root)
    commit_all(root)
    commit = filed.run(url(root))
    shown = [path for (path,) in filed.rows("SELECT path FROM skipped")]

    assert commit.unchanged
    assert folder.snapshot.counts.skipped == {SkipReason.UNSAFE_PATH: len(odd)}
    assert [path for (path,) in filed.rows("SELECT path FROM files ORDER BY path")] == sorted(fine)
    assert len(set(shown)) == len(odd)
    assert all(path.isascii() and path.isprintable() for path in shown)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with folders in it, 2500 deep, and files at 1400 and at the bottom."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    here = os.open(root, os.O_RDONLY)
    for depth in range(2500):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        if depth in (1400, 2499):
            os.close(os.open("b.py", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=here))
    os.close(here)
    yield root
    subprocess.run(["rm", "-r", str(root)], check=True)  # too deep for shutil, and so for pytest


@pytest.mark.parametrize("with_git", [False, True])
def test_folders_may_be_nested_deeper_than_functions(indexing: Indexing, deep: Path, with_git: bool) -> None:
    """What is within reach of the file system is indexed; what is beyond is counted."""
    if with_git:
        git(deep, "init", "-q")
        git(deep, "add", "a.py")
    snapshot = indexing.run(deep).snapshot

    assert snapshot.counts.files == 2
    assert snapshot.counts.skipped.get(SkipReason.UNREADABLE, 0) == (0 if with_git else 1)
