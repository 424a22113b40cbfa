"""Maps the URIs in a report to paths of a snapshot."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from indexer.domain.sarif.document import Node

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_MAX_BASES = 8


def location_text(location: Node, bases: Mapping[str, Node], artifacts: list[Node]) -> str:
    """
    Return the path of a location: absolute with a leading "/", or relative to the root of the sources; "" without URI.

    `uriBaseId` is resolved through at most eight bases. A base without a URI is the root of the sources.
    """
    uri, base = location.text("uri"), location.text("uriBaseId")
    position = location.number("index", -1)
    if not uri and 0 <= position < len(artifacts):
        entry = artifacts[position].child("location")
        uri, base = entry.text("uri"), entry.text("uriBaseId")
    path = _path(uri)
    for _ in range(_MAX_BASES):
        if not path or path.startswith("/") or base not in bases:
            break
        path = posixpath.join(_path(bases[base].text("uri")), path)
        base = bases[base].text("uriBaseId")
    return posixpath.normpath(path) if path else ""


def _path(uri: str) -> str:
    """Return the path of a file URI or a relative reference; Windows paths, which some tools write, are accepted."""
    if _DRIVE.match(uri) or "\\" in uri:
        plain = uri.replace("\\", "/")
        return f"/{plain}" if _DRIVE.match(uri) else plain
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme not in ("", "file"):
        return ""
    return unquote(parts.path).replace("\0", "").encode(errors="replace").decode()


def resolve(locations: Iterable[str], paths: Collection[str]) -> dict[str, str]:
    """
    Return the path in the snapshot by location, for the locations that have one.

    A relative location must be a path of the snapshot. Absolute locations are paths on the scanner's machine, where the
    root of the sources is unknown. Each votes for the shortest folder below which it is a path of the snapshot; the
    folder with the most votes is the root, ties go to the shortest.

    Args:
        paths: Paths of all files of the snapshot.
    """
    given = dict.fromkeys(locations)
    found = {place: place for place in given if place in paths}
    absolute = [place for place in given if place.startswith("/")]
    most = 1 + max((path.count("/") for path in paths), default=0)
    votes = Counter(root for place in absolute if (root := _root(place, paths, most)))
    if votes:
        best = min(votes, key=lambda root: (-votes[root], len(root), root))
        inside = {place: place[len(best) :] for place in absolute if place.startswith(best)}
        found |= {place: path for place, path in inside.items() if path in paths}
    return found


def _root(place: str, paths: Collection[str], most: int) -> str:
    """
    Return the shortest folder, with its slash, below which a location is a path of the snapshot; "" if none.

    Args:
        most: Greatest number of parts of a path of the snapshot.
    """
    parts = place.split("/")
    for count in range(max(1, len(parts) - most), len(parts)):
        if "/".join(parts[count:]) in paths:
            return "/".join(parts[:count]) + "/"
    return ""
