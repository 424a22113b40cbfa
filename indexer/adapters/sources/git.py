"""
The git command line, run so that a hostile repository, URL or configuration cannot run anything.

Git gets no system or user configuration, home, hooks, file system monitor or prompts, and only the transports named for
the call. Callers must put arguments from outside behind `--end-of-options`.
"""

from __future__ import annotations

import subprocess
from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.domain.errors import SourceUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_CONFIG = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.sshCommand=",
    "credential.helper=",
    "diff.external=",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "http.followRedirects=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",  # a tree may contain folders that look like a repository
    "safe.directory=*",
    "submodule.recurse=false",
    "transfer.fsckObjects=true",
    "uploadpack.packObjectsHook=",
)
_LOCAL_TIMEOUT_SECONDS = 120.0
NOWHERE = "/dev/null"
"""A HOME without configuration for git: no file can exist below it, so it needs no cleaning up."""
_PARTIAL = (
    "The repository is a partial clone that lacks contents of this commit, and nothing is fetched for it; run "
    "`git fetch --refetch --no-filter` in it, or index its working tree or a full clone"
)


class Git:
    """
    Runs git in one directory.

    Args:
        directory: A working tree or a git directory.
        config: Further `name=value` settings for every command.
        environ: Further environment, for values that must not show up in the list of processes.
        protocols: Transports that may be used; none for commands that only read.
    """

    def __init__(
        self,
        directory: Path,
        *,
        config: Sequence[str] = (),
        environ: Mapping[str, str] = MappingProxyType({}),
        protocols: Sequence[str] = (),
    ) -> None:
        allowed = [f"protocol.{name}.allow=always" for name in protocols]
        settings = (*_CONFIG, *allowed, *config)
        self._command = ["git", *(part for setting in settings for part in ("-c", setting)), "-C", str(directory)]
        self._environ = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": NOWHERE,
            "XDG_CONFIG_HOME": NOWHERE,
            "LC_ALL": "C",
            "GIT_ALLOW_PROTOCOL": ":".join(protocols),
            "GIT_ASKPASS": "/bin/false",
            "GIT_CONFIG_GLOBAL": NOWHERE,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_PAGER": "cat",
            "GIT_TERMINAL_PROMPT": "0",
            **environ,
        }

    def run(self, *arguments: str, timeout_seconds: float = _LOCAL_TIMEOUT_SECONDS) -> bytes:
        """Return what a command prints. Raises SourceUnavailable if it fails or takes too long."""
        try:
            done = subprocess.run(  # noqa: S603 - a list, no shell; outside values stand behind --end-of-options
                [*self._command, *arguments],
                env=self._environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=timeout_seconds,
            )
        except subprocess.TimeoutExpired:
            raise SourceUnavailable(f"git {arguments[0]} took more than {timeout_seconds:.0f} s; try again") from None
        except FileNotFoundError:
            raise SourceUnavailable("git is not installed on the indexer's machine; install it") from None
        if done.returncode:
            if b"promisor remote" in done.stderr:
                raise SourceUnavailable(_PARTIAL)
            raise SourceUnavailable(f"git {arguments[0]} failed: {_last_line(done.stderr)}")
        return done.stdout

    def commit(self, name: str) -> str | None:
        """Return the id of the commit that a revision names; None without one."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        try:
            return self.run(*asked).decode().strip()
        except SourceUnavailable:
            return None

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes for input and output; the caller has to end it."""
        return subprocess.Popen(  # noqa: S603 - as above
            [*self._command, *arguments],
            env=self._environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"
