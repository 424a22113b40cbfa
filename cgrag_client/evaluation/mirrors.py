"""Finds the git repository of a case and lays the files of one commit out in a folder of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

GIT = shutil.which("git") or "git"


class Checkouts(Protocol):
    """Lays out the files of a repository at a commit."""

    def checkout(self, repository: str, commit: str, /) -> AbstractContextManager[Path]:
        """Yield a folder with the files of a commit. Raises UsageError if they cannot be obtained."""
        ...

    def readable(self, repositories: Iterable[str], /) -> Sequence[Path]:
        """Return the folders that an indexer must be allowed to read for checkouts of these, with their history."""
        ...

    def index_of(self, repository: str, commit: str, /) -> tuple[str, bool]:
        """Return the name of a checkout's index, and whether an existing index of this name is certainly up to date."""
        ...


@dataclass(frozen=True, slots=True)
class Mirrors:
    """
    Local git repositories, bare or not.

    Args:
        folder: Has the repositories as `owner+name/repo`, `owner+name` or `owner__name`; None if `folders` has all.
        folders: Folder of a repository by its name (`owner/name`); wins over `folder`.
    """

    folder: Path | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: str, map_file: str) -> Mirrors:
        """Make mirrors of the options --mirrors and --mirror-map; empty means not given. Raises UsageError."""
        if not folder and not map_file:
            raise UsageError("where are the repositories? Give --mirrors FOLDER or --mirror-map FILE.json")
        if folder and not Path(folder).expanduser().is_dir():
            raise UsageError(f"--mirrors {folder}: no such folder; it holds repositories at owner+name or owner__name")
        return cls(Path(folder).expanduser() if folder else None, _read_map(map_file))

    def find(self, repository: str) -> Path:
        """Find the git folder of `owner/name`. Raises UsageError that names every place that was tried."""
        tried = [self.folders[repository]] if repository in self.folders else []
        if self.folder is not None:
            plus, under = repository.replace("/", "+"), repository.replace("/", "__")
            tried += [self.folder / plus / "repo", self.folder / plus, self.folder / under]
        for candidate in tried:
            if (candidate / ".git").exists() or (candidate / "HEAD").is_file():
                return candidate
        places = "; tried " + ", ".join(str(each) for each in tried) if tried else ""
        raise UsageError(f"no git repository for {repository}{places}; add it to --mirrors or --mirror-map")

    def readable(self, repositories: Iterable[str]) -> Sequence[Path]:
        """Return the folder of checkouts and those of the repositories' git objects; skips missing repositories."""
        found = [Path(tempfile.gettempdir())]
        for repository in dict.fromkeys(repositories):
            with suppress(UsageError):
                found += _lenders(_objects(self.find(repository)))
        return tuple(each.resolve() for each in found)

    def index_of(self, repository: str, commit: str) -> tuple[str, bool]:
        """Return the name of a commit's index, and True: a commit never changes."""
        return index_name(repository, commit), True

    @contextmanager
    def checkout(self, repository: str, commit: str) -> Iterator[Path]:
        """
        Check the files of a commit out into a temporary folder, which is deleted at the end.

        The folder is a git repository of its own that uses the mirror's objects as alternates, so that the history up
        to this commit can be read, but no later commits. Files whose contents are missing in a partial clone are left
        out, with a note on stderr.
        Raises UsageError if the commit is not in the repository.
        """
        source = self.find(repository)
        with tempfile.TemporaryDirectory(prefix="cgrag-eval-") as folder:
            target = Path(folder) / repository.rpartition("/")[2]
            target.mkdir()
            _extract(source, commit, target)
            yield target


@contextmanager
def sources_of(folder: Path) -> Iterator[Path]:
    """
    Yield the folder with a repository's files: the folder itself, or for a bare repository a checkout of its HEAD.

    Raises UsageError if it is no folder.
    """
    source = folder.expanduser().resolve()
    if not source.is_dir():
        raise UsageError(f"{folder} is no folder; give the folder of a repository with --repo")
    if (source / ".git").exists() or not ((source / "HEAD").is_file() and (source / "objects").is_dir()):
        yield source
        return
    name = source.parent.name if source.name == "repo" else source.name.removesuffix(".git")
    with Mirrors(folders={name: source}).checkout(name, _head(source)) as laid_out:
        yield laid_out


def index_name(repository: str, commit: str) -> str:
    """Return the name of a commit's index: always the same, so that the next run finds the index."""
    return f"{plain_name(repository)}-{commit[:12].lower()}"


def plain_name(name: str) -> str:
    """Replace the characters of a name that names of indexes must not have; cuts it to 80 characters."""
    plain = "".join(char if (char.isalnum() and char.isascii()) or char in "._-" else "-" for char in name.lower())
    return plain.strip("._-")[:80]


def _read_map(map_file: str) -> dict[str, Path]:
    if not map_file:
        return {}
    path = Path(map_file).expanduser()
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or f"not JSON: {error}"
        raise UsageError(f"--mirror-map {path}: {reason}") from error
    if not isinstance(entries, dict) or not all(isinstance(each, str) for each in entries.values()):
        raise UsageError(f'--mirror-map {path}: expected an object {{"owner/name": "folder"}}')
    return {name: (path.parent / Path(folder).expanduser()).resolve() for name, folder in entries.items()}


def _git_folder(source: Path) -> Path:
    """Return a repository's common git folder, also if `.git` is a file, as in linked work trees and submodules."""
    folder = source / ".git" if (source / ".git").exists() else source
    if folder.is_file():
        folder = source / folder.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    shared = folder / "commondir"
    return folder / shared.read_text(encoding="utf-8").strip() if shared.is_file() else folder


def _head(source: Path) -> str:
    run = _run(source, "--git-dir=.", "rev-parse", "--verify", "HEAD")
    if run.returncode != 0:
        raise UsageError(f"{source} is a bare repository without commits ({run.stderr.decode().strip()})")
    return run.stdout.decode().strip()


def _objects(source: Path) -> Path:
    return _git_folder(source) / "objects"


def _lenders(objects: Path) -> list[Path]:
    """Return a folder of git objects and its alternates, as clones with `--shared` or `--reference` have them."""
    found, waiting = [], [objects.resolve()]
    while waiting:
        folder = waiting.pop(0)
        found.append(folder)
        lent = folder / "info" / "alternates"
        lines = lent.read_text(encoding="utf-8").splitlines() if lent.is_file() else []
        named = [(folder / line).resolve() for line in lines if line.strip() and not line.startswith("#")]
        waiting += [each for each in named if each not in found]
    return found


def _extract(source: Path, commit: str, target: Path) -> None:
    # By `git checkout-index`, as `git archive` leaves out the files that have the attribute export-ignore.
    _git(source, commit, target, "init", "--quiet", "--template=")
    alternates = target / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    alternates.write_text(f"{_objects(source).resolve()}\n", encoding="utf-8")
    shallow = _git_folder(source) / "shallow"
    if shallow.is_file():  # else git would look for commits that the shallow mirror does not have, and fail
        shutil.copyfile(shallow, target / ".git" / "shallow")
    _git(source, commit, target, "update-ref", "--no-deref", "HEAD", f"{commit}^{{commit}}")
    _git(source, commit, target, "read-tree", "HEAD")
    written = _run(target, "checkout-index", "--all", "--force", "-u")
    lacking = written.stderr.decode(errors="replace").count("unable to read")
    if written.returncode != 0 and not lacking:
        _git(source, commit, target, "checkout-index", "--all", "--force")
    if lacking:
        sys.stderr.write(f"{source}: {lacking} files of {commit[:12]} have no contents there and are left out\n")


def _git(source: Path, commit: str, target: Path, *arguments: str) -> None:
    run = _run(target, *arguments)
    if run.returncode != 0:
        reason = run.stderr.decode(errors="replace").strip()
        raise UsageError(f"{source}: no commit {commit} ({reason}); map it to a repository that has it")


def _run(target: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([GIT, *arguments], capture_output=True, check=False, cwd=target)  # noqa: S603 - no shell, fixed words
