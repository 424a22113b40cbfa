"""A bucket of a server that speaks S3: what comes back, and what its refusals are told as."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.objects.bucket import PART_BYTES, Bucket, ObjectStoreUnavailable, open_bucket
from common.objects.settings import ObjectStoreSettings
from tests.fakes.object_store import s3_server

NAME = "bucket-of-tests"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Run a server."""
    with s3_server(NAME) as address:
        yield address


def opened(endpoint: str, url: str = f"s3://{NAME}/a/prefix/") -> Bucket:
    """Open a bucket of the server."""
    settings = ObjectStoreSettings(
        object_store_url=url,
        object_store_endpoint=endpoint,
        object_store_access_key="key",
        object_store_secret_key="secret",
    )
    return open_bucket(settings)


def test_objects_come_back_as_they_were_written(endpoint: str) -> None:
    """Small ones whole, with a mark; one that is not there is nothing, and removing it is fine."""
    bucket = opened(endpoint)
    bucket.write("repositories/a~b+c@d.é/CURRENT", b"one\n")
    found = bucket.look("repositories/a~b+c@d.é/CURRENT")
    assert found is not None
    same = bucket.look("repositories/a~b+c@d.é/CURRENT", found.mark)
    bucket.write("repositories/a~b+c@d.é/CURRENT", b"two\n")
    other = bucket.look("repositories/a~b+c@d.é/CURRENT", found.mark)

    assert found.data == b"one\n"
    assert same is not None
    assert (same.data, same.mark) == (b"", found.mark)
    assert other is not None
    assert other.data == b"two\n"
    assert bucket.sizes("repositories") == {"repositories/a~b+c@d.é/CURRENT": 4}
    assert bucket.marks("repositories") == {"repositories/a~b+c@d.é/CURRENT": other.mark}
    assert bucket.folders("repositories") == {"a~b+c@d.é"}
    bucket.remove(["repositories/a~b+c@d.é/CURRENT", "repositories/nothing"])
    assert bucket.read("repositories/a~b+c@d.é/CURRENT") is None
    assert bucket.sizes("repositories") == {}


def test_prefixes_are_apart(endpoint: str) -> None:
    """Two suites may share a bucket."""
    one, other = opened(endpoint, f"s3://{NAME}/one"), opened(endpoint, f"s3://{NAME}")
    one.write("key", b"1")

    assert other.read("key") is None
    assert other.read("one/key") == b"1"


def test_large_files_travel_in_pieces(endpoint: str, tmp_path: Path) -> None:
    """Neither side holds all of one in memory."""
    size = 3 * PART_BYTES + 1
    data = random.Random(1).randbytes(size)
    file = tmp_path / "code.db"
    file.write_bytes(data)
    wanted = hashlib.sha256(data).hexdigest()
    del data
    bucket = opened(endpoint)
    bucket.upload("code.db", file)
    digest, lengths = hashlib.sha256(), []
    for part in bucket.parts("code.db", size):
        digest.update(part)
        lengths.append(len(part))

    assert digest.hexdigest() == wanted
    assert lengths == [PART_BYTES] * 3 + [1]


@pytest.mark.parametrize("size", [0, PART_BYTES, 2 * PART_BYTES])
def test_an_object_of_another_size_is_no_bucket_that_is_away(endpoint: str, size: int) -> None:
    """Shorter, empty or longer: asking for what it has not is an error of S3 that says nothing of that."""
    bucket = opened(endpoint)
    bucket.write("cut", bytes(size))

    with pytest.raises(EOFError, match=f"{size} bytes instead of {PART_BYTES + 9}"):
        list(bucket.parts("cut", PART_BYTES + 9))
    assert b"".join(bucket.parts("cut", size)) == bytes(size)


def test_a_file_that_is_gone_is_no_fault_of_the_bucket(endpoint: str, tmp_path: Path) -> None:
    """Nor is an object that is gone midway."""
    bucket = opened(endpoint)

    with pytest.raises(FileNotFoundError):
        bucket.upload("key", tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        list(bucket.parts("nothing", 1))


def test_a_bucket_that_is_not_there_is_told_as_that(endpoint: str) -> None:
    """Not as one without snapshots, which would look like every repository removed."""
    bucket = opened(endpoint, "s3://nobody/x")

    for call in (lambda: bucket.read("key"), lambda: bucket.sizes("key"), lambda: bucket.write("key", b"")):
        with pytest.raises(ObjectStoreUnavailable, match="s3://nobody/x does not exist"):
            call()
