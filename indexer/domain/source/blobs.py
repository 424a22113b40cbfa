"""Git object ids of files, by which a working tree is compared with a commit without running git on the tree."""

from __future__ import annotations

import hashlib


def blob_id(data: bytes, commit: str) -> str:
    """Return git's object id of these contents, with the hash function of the id `commit` (SHA-1 or SHA-256)."""
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
