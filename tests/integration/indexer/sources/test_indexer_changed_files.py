"""Files that are no longer as they were indexed."""

from __future__ import annotations

from pathlib import Path

import grpc
from cgrag.indexer.v1 import indexer_pb2 as pb

from tests.fakes.answering import refusal
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import write_tree
from tests.integration.indexer.service import running

TREE = {"m.py": "def alpha():\n    return 1\n", "kept.py": "x = 1\n", "gone.py": "y = 1\n", "link.py": "z = 1\n"}


async def test_edited_and_removed_files_are_listed(tmp_path: Path) -> None:
    """In the order of the question; what the snapshot does not have is passed over, and no link is followed."""
    root = tmp_path / "shop"
    write_tree(root, TREE)
    outside = tmp_path / "secret.py"
    outside.write_text(TREE["link.py"])
    request = pb.ListChangedFilesRequest(repository="shop", paths=["link.py", "gone.py", "m.py", "kept.py", "new.py"])
    async with running(tmp_path / "data", CGRAG_INDEXER_ALLOWED_ROOTS=str(root)) as indexer:
        await indexer.index(root, without_vectors=True)
        before = await indexer.stub.ListChangedFiles(request)
        write_tree(root, {"m.py": "def alpha():\n    return 2\n", "new.py": "n = 1\n"})
        (root / "gone.py").unlink()
        (root / "link.py").unlink()
        (root / "link.py").symlink_to(outside)
        after = await indexer.stub.ListChangedFiles(request)
        refused = await refusal(indexer.stub.ListChangedFiles(pb.ListChangedFilesRequest(repository="shop")))
        unknown = await refusal(indexer.stub.ListChangedFiles(pb.ListChangedFilesRequest(repository="no", paths=["a"])))

    assert (before.source_at_hand, list(before.changed_paths)) == (True, [])
    assert list(after.changed_paths) == ["link.py", "gone.py", "m.py"]
    assert after.snapshot_id == before.snapshot_id
    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert unknown.code() is grpc.StatusCode.NOT_FOUND


async def test_nothing_is_known_of_a_revision_or_a_folder_that_is_gone(tmp_path: Path) -> None:
    """A commit does not change, and what cannot be read is not called changed."""
    root = tmp_path / "shop"
    write_tree(root, TREE)
    commit_all(root)
    git = pb.Source(git=pb.GitSource(url=f"file://{root}", revision="main"))
    async with running(
        tmp_path / "data", CGRAG_INDEXER_ALLOWED_ROOTS=str(tmp_path), CGRAG_INDEXER_GIT_ALLOW_FILE="true"
    ) as indexer:
        job = await indexer.stub.StartIndexing(
            pb.StartIndexingRequest(repository="tagged", source=git, without_vectors=True)
        )
        await indexer.watch(job.job_id)
        await indexer.index(root, repository="shop", without_vectors=True)
        root.rename(tmp_path / "elsewhere")
        found = [
            await indexer.stub.ListChangedFiles(pb.ListChangedFilesRequest(repository=name, paths=["m.py"]))
            for name in ("tagged", "shop")
        ]

    assert [(each.source_at_hand, list(each.changed_paths)) for each in found] == [(False, []), (False, [])]
