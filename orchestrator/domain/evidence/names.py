"""Names of symbols as questions write them, in the manner of any language: `Bag.take`, `Bag::take`, `Bag#take`."""

from __future__ import annotations

import re

_TEST_PATH = re.compile(
    r"\b(?:tests?|__tests__|conftest)\b|(?:^|/)test_|[._-](?:tests?|spec)\.\w+$|(?-i:[a-z]Tests?\.\w+$)", re.IGNORECASE
)
_BETWEEN = re.compile(r"\.#?|::|->|#|\\")


def last_part(written: str) -> str:
    """Return the last part of a name: "take" of `Bag::take()`."""
    return _parts(written)[-1]


def is_called(qualified_name: str, written: str) -> bool:
    """
    Return whether a symbol's qualified name ends with all parts of a written name, ignoring case.

    `Bag.take` does not match `Box.take`; `take` matches both.
    """
    return is_spelled(qualified_name.casefold(), written.casefold())


def is_spelled(qualified_name: str, written: str) -> bool:
    """Return the same as `is_called`, but case-sensitive: a function may differ from its type in case alone."""
    wanted = _parts(written)
    return _parts(qualified_name)[-len(wanted) :] == wanted


def is_received(qualified_name: str, written: str) -> bool:
    """Return whether a name may refer to a symbol through a variable or package: `ctx.onerror` may mean `onerror`."""
    wanted = _parts(written)
    return len(wanted) == 2 and wanted[0][:1].islower() and _parts(qualified_name)[-1] == wanted[-1]


def is_member_of(qualified_name: str, written: str) -> bool:
    """Return whether a symbol is a member, at any depth, of the named one, ignoring case."""
    own = _parts(qualified_name.casefold())
    return any(is_called(".".join(own[:end]), written) for end in range(1, len(own)))


def is_of_another_type(qualified_name: str, written: str) -> bool:
    """
    Return whether a name is written with a type, and the symbol has no owner of that name.

    Only a capitalized owner counts as a type: a module may also precede the dot.
    """
    wanted, own = _parts(written), _parts(qualified_name)
    if len(wanted) < 2 or len(own) < 2 or not wanted[-2][:1].isupper():
        return False
    return wanted[-2].casefold() not in {each.casefold() for each in own[:-1]}


def _parts(written: str) -> list[str]:
    return _BETWEEN.split(written.removeprefix("#").removesuffix("()"))


def is_test_path(path: str) -> bool:
    """Return whether a path is that of a test file; evidence does not carry the role of its file."""
    return _TEST_PATH.search(path) is not None
