"""What a repository configures for git is not in force: each setting that could run or reach something is ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.adapters.sources.git import Git
from indexer.domain.errors import SourceUnavailable
from tests.fakes.git_repositories import commit_all, git
from tests.integration.indexer.indexing import write_tree

FORCED = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.sshCommand": "",
    "credential.helper": "",
    "diff.external": "",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "transfer.fsckObjects": "true",
    "uploadpack.packObjectsHook": "",
}
URLS = ("file://{root}", "{root}", "ext::sh -c touch% {root}/ran", "http://127.0.0.1:1/x", "ssh://127.0.0.1:1/x")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository that configures everything else, with a hook for whatever is done in it."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    commit_all(root)
    script = f"#!/bin/sh\ntouch {tmp_path}/ran\n"
    (root / ".git/hooks").mkdir(exist_ok=True)
    for name in ("post-commit", "pre-commit", "reference-transaction", "post-index-change"):
        (root / ".git/hooks" / name).write_text(script)
        (root / ".git/hooks" / name).chmod(0o755)
    for name, ours in FORCED.items():
        git(root, "config", name, {"false": "true", "true": "false", "0": "1", "never": "always"}.get(ours, "evil"))
    for name in ("file", "ext", "http", "ssh"):
        git(root, "config", f"protocol.{name}.allow", "always")
    return root


@pytest.mark.parametrize("name", FORCED)
def test_our_setting_is_in_force(hostile: Path, name: str) -> None:
    """Whatever the repository says."""
    assert Git(hostile).run("config", "--get", name).decode() == f"{FORCED[name]}\n"


def test_no_hook_runs(hostile: Path, tmp_path: Path) -> None:
    """Not even for what is written."""
    Git(hostile).run("-c", "user.name=t", "-c", "user.email=t@x", "commit", "--quiet", "--allow-empty", "-m", "x")

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("url", URLS)
def test_nothing_is_spoken_to(hostile: Path, url: str) -> None:
    """Without a protocol of ours none may be used, though the repository allows them."""
    with pytest.raises(SourceUnavailable, match="not allowed"):
        Git(hostile).run("ls-remote", "--end-of-options", url.format(root=hostile))

    assert not (hostile / "ran").exists()


def test_configuration_of_the_machine_is_not_read(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a home nor the environment adds to it."""
    (tmp_path / ".gitconfig").write_text("[alias]\n\tgreet = !touch ran\n[user]\n\tname = home\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "environment")
    monkeypatch.setenv("GIT_SSH_COMMAND", "evil")
    listed = Git(hostile).run("config", "--list").decode()

    assert "user.name" not in listed
    assert "alias." not in listed
