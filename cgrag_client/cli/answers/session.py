"""Opens the client, chooses the repository and resolves sources: the first steps of most commands."""

from __future__ import annotations

import difflib
import os
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.client import Client
from cgrag_client.connecting.settings import data_folder
from cgrag_client.errors import ClientError, NothingThere, UsageError
from cgrag_client.indexes import is_git_url
from cgrag_client.render.links import Links
from cgrag_client.suite.running import settings_in_force
from cgrag_client.upload.archives import is_archive, unpacked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cgrag.indexer.v1.indexer_pb2 import IndexJob

_NO_REPOSITORY = "ERROR_REASON_REPOSITORY_NOT_FOUND"
_LINK_SECONDS = 2.0


@asynccontextmanager
async def open_client(*, redacted: bool = False) -> AsyncIterator[Client]:
    """
    Open a client with the settings in force; by default to the services on this machine. Raises UsageError.

    If a call fails because its repository does not exist, the error's next step suggests a similar name.
    """
    async with Client(settings_in_force(os.environ)[0], redacted=redacted) as client:
        try:
            yield client
        except ClientError as error:
            if error.reason == _NO_REPOSITORY:
                with suppress(ClientError):  # the first of the two errors is the cause
                    error.next_step = await _next_step(client, error)
            raise


@asynccontextmanager
async def open_repository(named: str) -> AsyncIterator[tuple[Client, str]]:
    """Return a client, as `open_client` does, and the repository that is named or chosen."""
    async with open_client() as client:
        yield client, await choose_repository(client, named)


async def choose_repository(client: Client, named: str, parameter: str = "--repo") -> str:
    """
    Choose a repository: the named one, else the only one, else one with the name of the current folder or a parent.

    Args:
        client: Lists the repositories.
        named: Name that the caller gave; "" if none.
        parameter: Name of the option or argument for the repository, for the message.

    Raises:
        UsageError: if no repository, or more than one, fits; the message lists the names.
    """
    if named:
        return named
    names = [each.repository for each in await client.indexes.repositories()]
    if not names:
        raise UsageError("nothing is indexed yet; start with `cgrag index PATH_OR_URL`")
    if len(names) == 1:
        return names[0]
    here = Path.cwd()
    for folder in (here, *here.parents):
        if folder.name.lower() in names:
            return folder.name.lower()
    raise UsageError(f"which repository? Choose one with {parameter}: {', '.join(names)}")


async def require_known(client: Client, named: str) -> None:
    """
    Check the name of a repository for which nothing was found: an empty result for a wrong name would be misleading.

    If the indexer does not answer, the name is not checked.

    Raises:
        NothingThere: if the name is not empty and no such repository is indexed.
    """
    try:
        names = [each.repository for each in await client.indexes.repositories()] if named else []
    except ClientError:
        return
    if named and named not in names:
        close = difflib.get_close_matches(named, names, n=1)
        meant = f"did you mean {close[0]}? " if close else ""
        raise NothingThere(f"no repository is named {named}; {meant}`cgrag repos` lists what is indexed")


async def _next_step(client: Client, error: ClientError) -> str:
    names = [each.repository for each in await client.indexes.repositories()]
    close = difflib.get_close_matches(error.metadata.get("repository", ""), names, n=1)
    return f"did you mean {close[0]}? {error.next_step}" if close else error.next_step


async def links_for(client: Client, repository: str) -> Links:
    """Make links to the folder that a repository was indexed from, if it is on this machine."""
    return links_of(await latest_job(client, repository))


async def latest_job(client: Client, repository: str) -> IndexJob | None:
    """Return the newest job of a repository; None without one, or if the indexer does not answer in time."""
    try:
        jobs = await client.indexes.recent_jobs(repository=repository, limit=1, timeout_seconds=_LINK_SECONDS)
    except ClientError:
        return None  # the job is only needed for links: go on without them
    return jobs[0] if jobs else None


def links_of(job: IndexJob | None) -> Links:
    """Make links to the folder that a job indexed, if it is on this machine."""
    root = Path(job.source.local_path) if job is not None and job.source.local_path else None
    return Links(root if root is not None and root.is_dir() else None)


def absolute_source(path_or_url: str) -> str:
    """
    Return the absolute path of an existing folder; a URL is returned unchanged.

    A tar or zip archive (a source distribution) is unpacked below the data folder first. Raises UsageError.
    """
    if "://" in path_or_url or is_git_url(path_or_url):
        return path_or_url
    path = Path(path_or_url).expanduser()
    if not path.exists():
        near = difflib.get_close_matches(path.name, _siblings(path), n=1)
        meant = f"did you mean {path.parent / near[0]}? Else " if near else ""
        raise UsageError(f"{path_or_url}: no such folder; {meant}give a folder or a git URL")
    if path.is_file() and is_archive(path):
        return str(unpacked(path, data_folder(os.environ)).resolve())
    if not path.is_dir():
        raise UsageError(
            f"{path_or_url}: neither a folder nor a tar or zip archive; give the folder that holds the repository"
        )
    return str(path.resolve())


def _siblings(path: Path) -> list[str]:
    try:
        return sorted(each.name for each in path.parent.iterdir())
    except OSError:
        return []


def source_of_an_indexer(path_or_url: str, revision: str = "") -> str:
    """
    Return a source as `absolute_source` does, for an indexer that may run on another machine or in a container.

    An absolute path that does not exist here is returned unchanged: it may exist there; if not, the indexer reports it.
    """
    path = Path(path_or_url)
    if path.is_absolute() and not path.exists():
        return str(path)
    source = absolute_source(path_or_url)
    if revision and not is_git_url(source):
        _require_repository(Path(source), revision)
    return source


def _require_repository(folder: Path, revision: str) -> None:
    """Raise UsageError if a folder is not the top folder of a git repository, so that no revision can be indexed."""
    if (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir()):
        return
    above = next((each for each in folder.parents if (each / ".git").exists()), None)
    if above is not None:
        raise UsageError(f"{folder} is within the repository {above}: a revision is indexed whole; give {above}")
    raise UsageError(f"{folder} is no git repository and has no revision {revision}; leave --revision out")
