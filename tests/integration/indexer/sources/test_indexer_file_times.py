"""Files known by their times: what proves that contents are the same, and what does not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from indexer.adapters.sources.git import Git
from indexer.adapters.sources.local import LocalTree
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree


def stamps(root: Path, settled_before: float) -> dict[str, str]:
    """Return the stamp of each file of a folder."""
    tree = LocalTree(root, GitIgnoreSpec.from_lines(()), Git(root), settled_before, most_bytes=1000)
    return {entry.path: entry.stamp for entry in tree.listing().entries}


def test_young_files_have_no_stamp(shop: Path) -> None:
    """A file that may change again within the same tick of its clock must be read, whatever its times say."""
    now = time.time_ns()

    assert set(stamps(shop, now - 3600e9).values()) == {""}
    assert "" not in stamps(shop, now + 3600e9).values()
    assert set(stamps(shop, float("-inf")).values()) == {""}


def test_each_kind_of_change_is_another_stamp(shop: Path) -> None:
    """Contents of the same length with the time set back, replacement by a rename, and a change of mode all show."""
    later = time.time_ns() + 3600e9
    before = stamps(shop, later)
    cart, till, readme = shop / "shop/cart.py", shop / "shop/till.py", shop / "README.md"
    times = cart.stat().st_atime_ns, cart.stat().st_mtime_ns
    cart.write_text(cart.read_text().replace("Carts", "Stars"))
    os.utime(cart, ns=times)
    (shop / "other.py").write_bytes(till.read_bytes())
    (shop / "other.py").replace(till)
    readme.chmod(0o600)
    after = stamps(shop, later)

    assert {path for path in before if before[path] != after[path]} == {"shop/cart.py", "shop/till.py", "README.md"}


@pytest.mark.parametrize("settled", [0.0, float("inf")])
def test_edit_that_hides_behind_its_times_is_indexed(indexing: Indexing, shop: Path, settled: float) -> None:
    """Same length, same time of modification: the new contents are found, known by times or by reading everything."""
    indexing.more["settled_seconds"] = settled
    commit_all(shop)
    indexing.run(shop)
    cart = shop / "shop/cart.py"
    times = cart.stat().st_atime_ns, cart.stat().st_mtime_ns
    cart.write_text(cart.read_text().replace("def add", "def put"))
    os.utime(cart, ns=times)
    edited = indexing.run(shop)

    assert not edited.unchanged
    assert edited.snapshot.dirty
    assert indexing.rows("SELECT count(*) FROM symbols WHERE name = 'put'") == [(1,)]
    assert indexing.run(shop).unchanged


def test_clock_that_goes_back_costs_reading(indexing: Indexing, shop: Path) -> None:
    """Times in the future are never trusted, so that nothing is missed when they are reached."""
    indexing.more["settled_seconds"] = 0.0
    future = time.time_ns() + 10**12
    os.utime(shop / "shop/cart.py", ns=(future, future))
    indexing.run(shop)
    write_tree(shop, {"shop/cart.py": str(SHOP["shop/cart.py"]).replace("def add", "def put")})
    os.utime(shop / "shop/cart.py", ns=(future, future))
    indexing.run(shop)

    assert indexing.rows("SELECT count(*) FROM symbols WHERE name = 'put'") == [(1,)]
