"""Four services behind an access file: who calls them, and two small repositories of different owners."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import grpc
from cgrag.indexer.v1 import indexer_pb2

from tests.e2e.four_services import CALL_SECONDS, NAMES, FourServices
from tests.e2e.ports import free_port

CANARY = "quetzalcoatl"
MINE, THEIRS, ABSENT = "alpha", "beta", "gamma"
_SOURCES = {
    MINE: (
        'def total(prices):\n    """Adds prices."""\n    return sum(prices)\n\n\n'
        "def bill(cart):\n    return total(cart)\n"
    ),
    THEIRS: (
        f'def {CANARY}_total(prices):\n    """Adds {CANARY} prices."""\n    return sum(prices)\n\n\n'
        f'def {CANARY}_bill(cart):\n    raise ValueError("{CANARY} is broke: " + str({CANARY}_total(cart)))\n'
    ),
}
# Who, what for, which repositories.
CALLERS = {
    "anna": ("asker, reader", MINE),
    "bert": ("asker, reader", "b*"),
    "otto": ("operator", MINE),
    "adam": ("admin", MINE),
    "root": ("admin", "*"),
}


def token_of(name: str) -> str:
    """Return the token of a caller."""
    return f"token-of-{name}-for-tests"


def metadata_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return what a caller sends along."""
    return (("authorization", f"Bearer {token_of(name)}"),) if name else ()


def access_file(callers: dict[str, tuple[str, str]] | None = None, **lines: str) -> str:
    """Return the text of an access file; `lines` are added to the caller of their name."""
    parts: list[str] = []
    for name, (roles, repositories) in (callers or CALLERS).items():
        digest = hashlib.sha256(token_of(name).encode()).hexdigest()
        listed = ", ".join(f'"{role}"' for role in roles.split(", "))
        parts.append(f'[callers.{name}]\ntoken_sha256 = ["{digest}"]\nroles = [{listed}]')
        parts.append(f'repositories = ["{repositories}"]\n{lines.get(name, "")}')
    return "\n".join(parts)


def access_settings(folder: Path, callers: dict[str, tuple[str, str]], **lines: str) -> dict[str, Any]:
    """Write an access file and a key, and return the settings that name them."""
    (folder / "access.toml").write_text(access_file(callers, **lines))
    (folder / "identity.key").write_text("k" * 40)
    return {"access_file": folder / "access.toml", "identity_key_file": folder / "identity.key"}


class Guarded(FourServices):
    """
    Four services that ask who calls, with both repositories indexed.

    Args:
        folder: For everything that they keep and read.
        settings: Environment over that.
    """

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        self.file, self.keys = folder / "access.toml", folder / "identity.key"
        self.file.write_text(access_file())
        self.keys.write_text("k" * 64 + "\n")
        self._folder = folder
        self.metrics = {name: free_port() for name in NAMES}
        own = {f"CGRAG_{name}_METRICS_PORT".upper(): str(port) for name, port in self.metrics.items()}
        files = {
            f"CGRAG_{name}_{setting}".upper(): str(path)
            for name in NAMES
            for setting, path in (("access_file", self.file), ("identity_key_file", self.keys))
        }
        soon = {f"CGRAG_{name}_REMOVALS_SECONDS": "0.2" for name in ("RETRIEVER", "ORCHESTRATOR")}
        super().__init__(folder / "data", own | files | soon | (settings or {}))

    def index_both(self) -> dict[str, indexer_pb2.IndexJob]:
        """Index both repositories as the administrator; returns the jobs."""
        jobs: dict[str, indexer_pb2.IndexJob] = {}
        for name, source in _SOURCES.items():
            folder = self._folder / "sources" / name
            folder.mkdir(parents=True)
            (folder / "shop.py").write_text(source)
            (folder / "README.md").write_text(
                f"# {name}\n\nHow prices are added.\n" + (CANARY if name == THEIRS else "")
            )
            request = indexer_pb2.StartIndexingRequest(
                repository=name, source=indexer_pb2.Source(local_path=str(folder)), without_vectors=True
            )
            job = self.indexer.StartIndexing(request, timeout=CALL_SECONDS, metadata=metadata_of("root"))
            watch = indexer_pb2.WatchIndexJobRequest(job_id=job.job_id)
            *_, jobs[name] = self.indexer.WatchIndexJob(watch, timeout=CALL_SECONDS, metadata=metadata_of("root"))
        return jobs

    def logs(self) -> str:
        """Return what all services have logged so far."""
        return "".join((self.data / f"{name}.log").read_text() for name in NAMES)


def outcome(call: Any, request: Any, caller: str) -> tuple[str, str, str]:
    """Call a method and return code, text of the error, and all that came, as text."""
    came: list[Any] = []
    try:
        given = call(request, timeout=CALL_SECONDS, metadata=metadata_of(caller))
        came.extend(given if hasattr(given, "__next__") else [given])
    except grpc.RpcError as error:
        trailing = str(list(error.trailing_metadata() or ()))
        return error.code().name, error.details() or "", " ".join(map(str, came)) + trailing
    return "OK", "", " ".join(map(str, came))
