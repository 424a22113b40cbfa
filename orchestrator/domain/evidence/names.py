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
    """Return whether a name says a symbol in full, in any case: `Bag.take` is no `Box.take`, and `take` may be both."""
    return is_spelled(qualified_name.casefold(), written.casefold())


def is_spelled(qualified_name: str, written: str) -> bool:
    """Tell the same where the case has to agree, too: a function may be called like its type."""
    wanted = _parts(written)
    return _parts(qualified_name)[-len(wanted) :] == wanted


def is_received(qualified_name: str, written: str) -> bool:
    """Return whether a name may refer to a symbol through a variable or a package: `ctx.onerror` to `onerror`."""
    wanted = _parts(written)
    return len(wanted) == 2 and wanted[0][:1].islower() and _parts(qualified_name)[-1] == wanted[-1]


def is_member_of(qualified_name: str, written: str) -> bool:
    """Return whether a symbol is a member, at any depth, of the named one, ignoring case."""
    own = _parts(qualified_name.casefold())
    return any(is_called(".".join(own[:end]), written) for end in range(1, len(own)))


def is_of_another_type(qualified_name: str, written: str) -> bool:
    """Return whether a symbol is a member of another type than the written one; a module may also precede a dot."""
    wanted, own = _parts(written), _parts(qualified_name)
    if len(wanted) < 2 or len(own) < 2 or not wanted[-2][:1].isupper():
        return False
    return wanted[-2].casefold() not in {each.casefold() for each in own[:-1]}


def _parts(written: str) -> list[str]:
    return _BETWEEN.split(written.removeprefix("#").removesuffix("()"))


def is_test_path(path: str) -> bool:
    """Return whether a file is one of tests by its path, since evidence does not tell the role of its file."""
    return _TEST_PATH.search(path) is not None
