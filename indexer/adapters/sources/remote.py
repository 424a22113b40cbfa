"""Git repositories by URL: fetched bare into the data folder, read without a checkout."""

from __future__ import annotations

import fcntl
import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.adapters.sources.addresses import Target, parse_url, pinned_address, proxy_of
from indexer.adapters.sources.git import Git
from indexer.adapters.sources.git_folder import git_of
from indexer.adapters.sources.objects import GitTree
from indexer.adapters.store.disk import is_there
from indexer.domain.errors import SourceRefused, SourceUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pathspec import GitIgnoreSpec

    from indexer.domain.jobs import GitSource

_REMOTE = "source"
_HEAD = "refs/cgrag/HEAD"


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be fetched: hosts that may have private addresses, folders for file://, and the time limit."""

    allowed_hosts: Sequence[str]
    file_roots: Sequence[Path]
    ca_file: str
    seconds: float


class GitRepositories:
    """
    Opens git URLs at a revision.

    Args:
        folder: `<data>/git`, one bare repository for each URL.
        policy: What may be fetched.
        check_folder: Returns the real path of a folder below the given roots, or raises SourceRefused.
    """

    def __init__(self, folder: Path, policy: FetchPolicy, check_folder: Callable[[str, Sequence[Path]], Path]) -> None:
        self._folder = folder
        self._policy = policy
        self._check_folder = check_folder

    def check(self, source: GitSource) -> None:
        """Raise SourceRefused or SourceUnavailable if the URL or revision may not be read."""
        check_revision(source.revision)
        if source.url.startswith("file://"):
            self._local_folder(source.url)
        else:
            pinned_address(parse_url(source.url), self._policy.allowed_hosts)

    @contextmanager
    def open(self, source: GitSource, excluded: GitIgnoreSpec) -> Iterator[GitTree]:
        """Fetch what is missing and yield the tree. Raises SourceRefused, SourceUnavailable."""
        check_revision(source.revision)
        if source.url.startswith("file://"):
            git = git_of(self._local_folder(source.url), self._policy.file_roots)
            commit = git.commit(source.revision or "HEAD")
        else:
            git, commit = self._fetched(parse_url(source.url), source.revision)
        if commit is None:
            raise SourceUnavailable(
                f"The repository has no revision {source.revision or 'HEAD'!r}; name a branch, tag or commit of it.",
                metadata={"field": "source.git.revision"},
            )
        with GitTree(git, commit, excluded) as tree:
            yield tree

    def _local_folder(self, url: str) -> Path:
        if not self._policy.file_roots:
            text = "file:// URLs are not allowed; use local_path, or the setting git_allow_file."
            raise SourceRefused(text, metadata={"field": "source.git.url"})
        return self._check_folder(url.removeprefix("file://"), self._policy.file_roots)

    def _fetched(self, target: Target, revision: str) -> tuple[Git, str | None]:
        bare = clone_folder(self._folder, target)
        self._folder.mkdir(parents=True, exist_ok=True)
        reader = Git(bare, environ={"GIT_DIR": str(bare)})
        with alone(bare):
            bare.mkdir(exist_ok=True)
            reader.run("init", "--bare", "--quiet", "--template=")  # without effect on an existing repository
            if _is_commit_id(revision) and (commit := reader.commit(revision)):
                return reader, commit
            remote = self._remote(bare, target)
            wanted = ("+HEAD:" + _HEAD, "+refs/heads/*:refs/remotes/source/*", "+refs/tags/*:refs/tags/*")
            arguments = ("fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--force")
            remote.run(*arguments, "--end-of-options", _REMOTE, *wanted, timeout_seconds=self._policy.seconds)
        if not revision:
            return reader, reader.commit(_HEAD)
        for name in (f"refs/remotes/source/{revision}", f"refs/tags/{revision}", revision):
            if commit := reader.commit(name):
                return reader, commit
        return reader, None

    def _remote(self, bare: Path, target: Target) -> Git:
        """Return a git command that may connect to one host, at the checked address."""
        address = pinned_address(target, self._policy.allowed_hosts)
        config = [f"http.sslCAInfo={self._policy.ca_file}"] if self._policy.ca_file else []
        environ = {
            "GIT_DIR": str(bare),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"remote.{_REMOTE}.url",
            "GIT_CONFIG_VALUE_0": target.url,  # may hold a password: not on the command line
        }
        if proxy := proxy_of(target):
            environ["https_proxy"] = proxy  # it may hold a password; a proxy resolves the host itself
        elif target.scheme == "https":
            if target.host != address:
                bracketed = f"[{address}]" if ":" in address else address
                config.append(f"http.curloptResolve={target.host}:{target.port}:{bracketed}")
        else:
            options = f"-F /dev/null -oBatchMode=yes -oStrictHostKeyChecking=accept-new -oHostName={address}"
            environ["GIT_SSH_COMMAND"] = f"ssh {options} -oHostKeyAlias={target.host} -oProxyCommand=none"
        return Git(bare, config=config, environ=environ, protocols=(target.scheme,))


def clone_folder(folder: Path, target: Target) -> Path:
    """Return where the bare repository of a URL stands: however it is spelled, it is one."""
    return folder / hashlib.sha256(target.url.encode()).hexdigest()[:32]


@contextmanager
def alone(bare: Path) -> Iterator[None]:
    """Lock a bare repository for this process, and remove lock files of git processes that were killed."""
    while True:
        with bare.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            if not is_there(bare.with_suffix(".lock"), lock.fileno()):
                continue  # the previous holder removed the lock file with the repository
            for left in bare.rglob("*.lock"):
                left.unlink(missing_ok=True)
            yield
            return


def check_revision(revision: str) -> None:
    """Raise SourceRefused for all but names of revisions: git could take others for an option or expression."""
    bad = revision.startswith("-") or ".." in revision or any(not 32 < ord(char) < 127 for char in revision)
    if bad or any(char in revision for char in "~^:?*[\\@{") or len(revision) > 250:
        raise SourceRefused(
            "The revision must be the name of a branch or tag, or a commit id.",
            metadata={"field": "source.git.revision"},
        )


def _is_commit_id(revision: str) -> bool:
    return len(revision) in (40, 64) and all(char in "0123456789abcdef" for char in revision)
