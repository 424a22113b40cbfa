"""A bucket of an S3-compatible server, below a prefix. Calls block: make them in a thread; `close` aborts them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotModifiedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from common.core.addresses import is_loopback
from common.core.errors import DependencyUnavailable, StartupError
from common.core.runtime.loop_thread import Closed, LoopThread

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    from obstore import ObjectMeta, PutMode
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

    from common.objects.settings import ObjectStoreSettings

T = TypeVar("T")

PART_BYTES = 8 << 20
"""Size of the parts in which large objects are transferred; a transfer has a few of them in memory at once."""

_AT_ONCE = 4
_RETRY: RetryConfig = {
    "max_retries": 4,
    "retry_timeout": timedelta(seconds=15),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=4), "base": 2},
}
_DETAIL_CHARACTERS = 500
_NO_BUCKET = "NoSuchBucket"
_SIGNS = {
    _NO_BUCKET: "does not exist",
    "redirect": "is elsewhere, as one of another object_store_region or object_store_endpoint",
}
"""Strings in the client's error texts, and the problem that is reported for each."""
_NO_CONDITIONS = "501 Not Implemented"
_LIST_CUT = "Error getting list response body"
"""Error text of a list that broke off: the only kind of request that the client does not retry by itself."""


class ObjectStoreUnavailable(DependencyUnavailable):
    """
    Object storage does not answer, or refuses; the message names the setting with its address.

    `detail` is the error text of its client, for logs only: it may contain names of hosts.
    """

    detail = ""

    @classmethod
    def of(cls, place: str, problem: str, cause: Exception | None = None) -> ObjectStoreUnavailable:
        """Name the bucket and what is wrong with it."""
        text = f"object storage {place} {problem}; see object_store_url and the settings beside it"
        made = cls(text, metadata={"dependency": "object_store"})
        made.detail = str(cause or "").partition("\n")[0][:_DETAIL_CHARACTERS]
        return made


@dataclass(frozen=True, slots=True)
class MarkedObject:
    """An object with its ETag (`mark`), which differs whenever the contents differ."""

    data: bytes
    mark: str


class Bucket:
    """
    Reads and writes objects. Methods raise ObjectStoreUnavailable after a few attempts, and once it is closed.

    Args:
        store: Client of the bucket, with the prefix set.
        place: Name of the bucket in messages.
    """

    def __init__(self, store: ObjectStore, place: str) -> None:
        self._store = store
        self._place = place
        self._loop = LoopThread("bucket")

    def close(self) -> None:
        """Abort all running calls and refuse new ones."""
        self._loop.close()

    def read(self, key: str) -> bytes | None:
        """Return a small object whole, None if there is none."""
        found = self.look(key)
        return None if found is None else found.data

    def look(self, key: str, mark: str = "") -> MarkedObject | None:
        """Return a small object with its ETag; its data are b"" if the ETag is still `mark`. None for a missing one."""

        async def get() -> MarkedObject:
            result = await obstore.get_async(self._store, key, options={"if_none_match": mark} if mark else None)
            return MarkedObject(bytes(await result.bytes_async()), result.meta["e_tag"] or "")

        try:
            return self._done(get)
        except NotModifiedError:
            return MarkedObject(b"", mark)
        except FileNotFoundError:
            return None

    def parts(self, key: str, size: int) -> Iterator[bytes]:
        """Yield an object in parts. Raises EOFError if its size is not `size`, FileNotFoundError if it is missing."""

        async def head() -> int:
            return (await obstore.head_async(self._store, key))["size"]

        async def part(start: int) -> bytes:
            end = min(size, start + PART_BYTES)
            return bytes(await obstore.get_range_async(self._store, key, start=start, end=end))

        there = self._done(head)
        if there != size:
            raise EOFError(f"{there} bytes instead of {size}")
        for start in range(0, size, PART_BYTES):
            yield self._done(partial(part, start))

    def write(self, key: str, data: bytes) -> None:
        """Write a small object, replacing an existing one."""

        async def put() -> None:
            await obstore.put_async(self._store, key, data, use_multipart=False)

        self._done(put)

    def write_over(self, key: str, data: bytes, mark: str) -> bool:
        """
        Replace an object with the ETag `mark` by a small one, or create one for ""; return whether it was written.

        On a server without conditional writes it is written in any case.
        """

        async def put() -> bool:
            mode: PutMode = {"e_tag": mark} if mark else "create"
            try:
                await obstore.put_async(self._store, key, data, mode=mode, use_multipart=False)
            except (AlreadyExistsError, PreconditionError, FileNotFoundError):
                return False
            except BaseError as error:
                if _NO_CONDITIONS not in str(error):
                    raise
                await obstore.put_async(self._store, key, data, use_multipart=False)
            return True

        return self._done(put)

    def refusal(self, problem: str) -> ObjectStoreUnavailable:
        """Return an error that names the bucket and what is wrong with it."""
        return ObjectStoreUnavailable.of(self._place, problem)

    def upload(self, key: str, file: Path) -> None:
        """Upload a file of any size atomically, replacing an existing object."""

        async def put() -> None:
            await obstore.put_async(self._store, key, file, chunk_size=PART_BYTES, max_concurrency=_AT_ONCE)

        self._done(put)

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of all objects below a folder, by key, in order."""
        return {each["path"]: each["size"] for each in self._listed(folder)}

    def marks(self, folder: str) -> dict[str, str]:
        """Return the ETags of all objects below a folder, by key, in order."""
        return {each["path"]: each["e_tag"] or "" for each in self._listed(folder)}

    def folders(self, folder: str) -> frozenset[str]:
        """Return the names of a folder's direct subfolders."""

        async def prefixes() -> Sequence[str]:
            return (await obstore.list_with_delimiter_async(self._store, folder))["common_prefixes"]

        return frozenset(each.rstrip("/").rpartition("/")[2] for each in self._done(prefixes))

    def remove(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are not there are fine."""

        async def delete() -> None:
            await obstore.delete_async(self._store, list(keys))

        if keys:
            self._done(delete)

    def _listed(self, folder: str) -> list[ObjectMeta]:
        async def collect() -> Sequence[ObjectMeta]:
            return await obstore.list(self._store, folder).collect_async()

        try:
            found = self._done(collect)
        except ObjectStoreUnavailable as error:
            if _LIST_CUT not in error.detail:
                raise
            found = self._done(collect)
        return sorted(found, key=lambda each: each["path"])

    def _done(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a call of the client. FileNotFoundError and NotModifiedError pass; others are ObjectStoreUnavailable."""
        try:
            return self._loop.run(call)
        except Closed:
            raise ObjectStoreUnavailable.of(self._place, "is not asked any more: this process is ending") from None
        except NotModifiedError:
            raise
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise ObjectStoreUnavailable.of(self._place, "refuses our key", error) from error
        except FileNotFoundError as error:
            if _NO_BUCKET in str(error):
                raise ObjectStoreUnavailable.of(self._place, "does not exist", error) from error
            raise
        except BaseError as error:
            said = next((told for sign, told in _SIGNS.items() if sign in str(error)), "does not answer")
            raise ObjectStoreUnavailable.of(self._place, said, error) from error


def open_bucket(settings: ObjectStoreSettings) -> Bucket:
    """Return the bucket of the settings, without asking it anything. Raises StartupError."""
    address = urlsplit(settings.object_store_url)
    client: ClientConfig = {"connect_timeout": "3s", "timeout": "60s", "read_timeout": "15s"}
    if settings.object_store_endpoint.startswith("http://"):
        client["allow_http"] = True
    host = urlsplit(settings.object_store_endpoint).hostname
    if is_loopback(host):
        # The client cannot be told to ignore the environment's proxies, but a named one replaces them.
        client |= {"proxy_url": settings.object_store_endpoint, "proxy_excludes": str(host)}
    if settings.object_store_ca_file:
        client["root_certificate"] = _certificates(settings.object_store_ca_file)
    given = {
        "endpoint": settings.object_store_endpoint.rstrip("/"),
        "region": settings.object_store_region,
        "access_key_id": settings.object_store_access_key,
        "secret_access_key": settings.object_store_secret_key,
    }
    try:
        store = S3Store(
            address.netloc,
            prefix=address.path.strip("/") or None,
            config={name: value for name, value in given.items() if value},  # type: ignore[arg-type]  # names are checked
            client_options=client,
            retry_config=_RETRY,
        )
    except (BaseError, ValueError) as error:
        problem = str(error).partition("\n")[0]
        raise StartupError(f"object storage {settings.object_store_url}: {problem}; mend object_store_*") from error
    return Bucket(store, settings.object_store_url)


def _certificates(name: str) -> bytes:
    file = Path(os.path.expanduser(name))  # noqa: PTH111 (users of containers may have no home: Path would raise)
    try:
        return file.read_bytes()
    except OSError as error:
        raise StartupError(f"object_store_ca_file: {name}: cannot be read ({error.strerror}); name another") from error
