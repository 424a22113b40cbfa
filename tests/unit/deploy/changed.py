"""Manifests with one thing in them otherwise, to see whether a rule notices."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from deploy.policy import Manifest

GONE = object()
POD = "spec template spec"
BOX = f"{POD} containers 0"


def changed(manifests: Sequence[Manifest], place: str, value: Any = GONE) -> list[Manifest]:
    """
    Return a copy with a value that is another one, or gone.

    Args:
        manifests: Stay as they are.
        place: Kind and name of a manifest, the first of the kind without a name, and the keys that lead to the value:
            in a list a number, a name, or + for behind the last. Without keys all of that kind and name are meant.
        value: In the place of what was there, or a function that makes it out of that.
    """
    found, *keys = place.split()
    kind, _, name = found.partition("/")
    made = copy.deepcopy(list(manifests))
    meant = [each for each in made if each["kind"] == kind and name in ("", each["metadata"]["name"])]
    if not keys:
        return [each for each in made if each not in meant]
    holder: Any = meant[0]
    for key in keys[:-1]:
        holder = holder[_key(holder, key)]
    last = _key(holder, keys[-1])
    if keys[-1] == "+":
        holder.append(value)
    elif value is GONE:
        del holder[last]
    else:
        holder[last] = value(holder[last]) if callable(value) else value
    return made


def _key(holder: Any, key: str) -> Any:
    if not isinstance(holder, list) or key == "+":
        return key
    return int(key) if key.isdigit() else next(at for at, each in enumerate(holder) if each["name"] == key)
