"""Packs the edges of a file as bytes: compressed JSON in which each place is written once."""

from __future__ import annotations

import json
import zlib
from typing import Any, TypeVar

from indexer.domain.precise.sites import Implementation, Place, PreciseFile, Site

T = TypeVar("T")
_CALLED, _IMPORTED, _CALLABLE = 1, 2, 4


def pack(file: PreciseFile) -> bytes:
    """Return the packed edges of a file, without path and hash."""
    places: dict[Place, int] = {}
    sources: dict[tuple[str, int], int] = {}
    sites = [_plain_site(site, sources, places) for site in file.sites]
    implementations = [
        [_number(sources, each.source), [_number(places, target) for target in each.targets]]
        for each in file.implementations
    ]
    plain = {
        "sites": sites,
        "implementations": implementations,
        "unknown": sorted(file.unknown),
        "sources": list(sources),
        "places": [[place.path, place.name, place.line] for place in places],
    }
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode())


def unpack(path: str, sha256: str, data: bytes) -> PreciseFile:
    """Unpack the edges of a file."""
    plain = json.loads(zlib.decompress(data))
    places = [Place(*each) for each in plain["places"]]
    sources = [(name, line) for name, line in plain["sources"]]
    return PreciseFile(
        path,
        sha256,
        tuple(_site(row, sources, places) for row in plain["sites"]),
        frozenset((line, name) for line, name in plain["unknown"]),
        tuple(
            Implementation(sources[source], tuple(places[target] for target in targets))
            for source, targets in plain["implementations"]
        ),
    )


def _plain_site(site: Site, sources: dict[tuple[str, int], int], places: dict[Place, int]) -> list[Any]:
    flags = site.called * _CALLED + site.imported * _IMPORTED + site.callable * _CALLABLE
    name = "" if site.name == site.written else site.name
    meant = [_number(places, place) for place in site.meant]
    return [site.line, site.written, name, _number(sources, site.source), flags, meant]


def _site(row: list[Any], sources: list[tuple[str, int]], places: list[Place]) -> Site:
    line, written, name, source, flags, meant = row
    return Site(
        line=line,
        written=written,
        name=name or written,
        source=sources[source],
        called=bool(flags & _CALLED),
        imported=bool(flags & _IMPORTED),
        callable=bool(flags & _CALLABLE),
        meant=tuple(places[each] for each in meant),
    )


def _number(numbers: dict[T, int], key: T) -> int:
    return numbers.setdefault(key, len(numbers))
