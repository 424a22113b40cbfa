"""Names as they are written, and as they are kept: dotted, without the arguments of types."""

from __future__ import annotations

import re

_ARGUMENTS = re.compile(r"<[^<>]*>")
_LAST_PATH = re.compile(r"[\w.~]+$")
_JOINT = re.compile(r"(?:::)+|\\|\s*\.\s*|->")
_PLAIN = re.compile(r"[^()\[\]{}\"'\s]+")


def dotted(written: str) -> str:
    """Give a name with dots for joints and without arguments of types; names of operators stay whole."""
    path, joint, operator = written.rpartition("operator")
    if joint and not path[-1:].isalnum() and not operator[:1].isalnum() and operator[:1] not in ("", "_"):
        return f"{dotted(path)}.operator{operator}".lstrip(".") if path else written
    bare = written
    while bare != (bare := _ARGUMENTS.sub("", bare)):
        pass
    bare = _JOINT.sub(".", bare.strip()).strip(".")
    match = _LAST_PATH.search(bare.rstrip("*& "))
    return match.group().strip(".") if match else "".join(bare.split())


def last(name: str) -> str:
    """Give the last part of a dotted name."""
    return name.rpartition(".")[2]


def receiver_of(written: str) -> str:
    """Give the last name of what a member is taken from; "" for anything but names."""
    return last(dotted(written)) if _PLAIN.fullmatch(written) else ""
