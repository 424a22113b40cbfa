"""Converts names as written in source to stored names: dotted, without type arguments."""

from __future__ import annotations

import re

_ANGLE = re.compile(r"([<>])")
_LAST_PATH = re.compile(r"(?<![\w.~])[\w.~]++$")
_JOINT = re.compile(r"(?:::)+|\\|(?:(?<!\s)\s++)?\.\s*+|->")
_PLAIN = re.compile(r"[^()\[\]{}\"'\s]+")


def dotted(written: str) -> str:
    """Return a name with dots as separators and without type arguments; names of operators stay whole."""
    path, joint, operator = written.rpartition("operator")
    if joint and not path[-1:].isalnum() and not operator[:1].isalnum() and operator[:1] not in ("", "_"):
        return f"{dotted(path)}.operator{operator}".lstrip(".") if path else written
    bare = _JOINT.sub(".", _without_arguments(written).strip()).strip(".")
    match = _LAST_PATH.search(bare.rstrip("*& "))
    return match.group().strip(".") if match else "".join(bare.split())


def _without_arguments(written: str) -> str:
    """Return a name without its text in angle brackets; unbalanced brackets stay."""
    kept: list[str] = []
    opened: list[int] = []
    for piece in _ANGLE.split(written):
        if piece == ">" and opened:
            del kept[opened.pop() :]
            continue
        if piece == "<":
            opened.append(len(kept))
        kept.append(piece)
    return "".join(kept)


def last(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def receiver_of(written: str) -> str:
    """Return the last part of a receiver; "" if the receiver is not a name."""
    return last(dotted(written)) if _PLAIN.fullmatch(written) else ""
