"""Git repositories that tests make."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(root: Path, *arguments: str) -> str:
    """Run git for a test, with a committer and nothing of this machine's configuration."""
    names = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    environ = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *names, *arguments], cwd=root, env=environ, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit_all(root: Path, message: str = "change") -> str:
    """Commit everything below a folder and return the commit's id."""
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")
