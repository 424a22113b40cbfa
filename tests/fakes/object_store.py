"""Object storage for tests: a bucket in memory that can be switched off, and a server that speaks S3."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import obstore
from obstore.store import MemoryStore

from common.objects.bucket import Bucket, MarkedObject, ObjectStoreUnavailable

PLACE = "s3://bucket/test"


class SwitchedBucket(Bucket):
    """
    Keeps objects in memory, remembers what was asked, and answers unless it is `away`.

    `before` hears of each request, as its name and its key, and may raise or change what is there.
    """

    def __init__(self) -> None:
        self.store = MemoryStore()
        super().__init__(self.store, PLACE)
        self.away = False
        self.asked: list[tuple[str, str]] = []
        self.before: Callable[[str, str], None] = lambda name, key: None

    def listed(self, folder: str = "") -> list[str]:
        """Return what is there, whether it is away or not."""
        return sorted(each["path"] for each in obstore.list(self.store, folder or None).collect())

    def flip(self, key: str) -> None:
        """Flip the last byte of an object."""
        data = bytearray(bytes(obstore.get(self.store, key).bytes()))
        data[-1] ^= 1
        obstore.put(self.store, key, bytes(data))

    @contextmanager
    def _asked(self, name: str, key: str) -> Iterator[None]:
        self.asked.append((name, key))
        self.before(name, key)
        if self.away:
            raise ObjectStoreUnavailable.of(PLACE, "does not answer")
        yield

    def look(self, key: str, mark: str = "") -> MarkedObject | None:
        """Answer unless away."""
        with self._asked("look", key):
            return super().look(key, mark)

    def parts(self, key: str, size: int) -> Iterator[bytes]:
        """Answer unless away."""
        with self._asked("parts", key):
            yield from super().parts(key, size)

    def write(self, key: str, data: bytes) -> None:
        """Answer unless away."""
        with self._asked("write", key):
            super().write(key, data)

    def write_over(self, key: str, data: bytes, mark: str) -> bool:
        """Answer unless away."""
        with self._asked("write_over", key):
            return super().write_over(key, data, mark)

    def upload(self, key: str, file: object) -> None:
        """Answer unless away."""
        with self._asked("upload", key):
            super().upload(key, file)  # type: ignore[arg-type]  # the file that it was given

    def sizes(self, folder: str) -> dict[str, int]:
        """Answer unless away."""
        with self._asked("sizes", folder):
            return super().sizes(folder)

    def marks(self, folder: str) -> dict[str, str]:
        """Answer unless away."""
        with self._asked("marks", folder):
            return super().marks(folder)

    def remove(self, keys: object) -> None:
        """Answer unless away."""
        for key in list(keys):  # type: ignore[call-overload]  # it is a sequence of keys
            with self._asked("remove", key):
                super().remove([key])


@contextmanager
def s3_server(*buckets: str) -> Iterator[str]:
    """Run a server that speaks S3 on loopback, in this process, with buckets; yield its address."""
    from moto.server import ThreadedMotoServer  # it takes a second to load

    quiet = logging.getLogger("werkzeug")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for bucket in buckets:
            request = urllib.request.Request(f"http://{host}:{port}/{bucket}", method="PUT")
            with urllib.request.urlopen(request):
                pass
        yield f"http://{host}:{port}"
    finally:
        server.stop()
        quiet.setLevel(level)
