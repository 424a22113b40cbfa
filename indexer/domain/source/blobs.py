"""Contents as git names them, so that a working tree can be compared with a commit without running git on it."""

from __future__ import annotations

import hashlib


def blob_id(data: bytes, commit: str) -> str:
    """Return the object id that git gives these contents, by the hash (SHA-1, SHA-256) that `commit` is made with."""
    hasher = hashlib.sha256() if len(commit) == 64 else hashlib.sha1(usedforsecurity=False)
    hasher.update(b"blob %d\0" % len(data))
    hasher.update(data)
    return hasher.hexdigest()


def blob_ids(listed: bytes) -> dict[str, str]:
    """Return path → object id of the regular files in the output of `git ls-tree -r -z`."""
    found: dict[str, str] = {}
    for row in listed.split(b"\0"):
        head, tab, path = row.partition(b"\t")
        if tab and head.startswith(b"100"):
            found[path.decode("utf-8", "surrogateescape")] = head.split(b" ")[2].decode()
    return found
