"""Takes secrets out of responses, where callers may be others than the user of this machine, or ask for it."""

from __future__ import annotations

import asyncio
import functools
import re
from typing import TYPE_CHECKING, Any, TypeVar

from common.core.addresses import is_loopback
from common.rpc import callers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from google.protobuf.message import Message

    from common.rpc.client.calls import Call
    from common.rpc.settings import ServerSettings

    Redact = Callable[[str], str]
    M = TypeVar("M", bound=Message)

MARK = "[redacted]"
# Ids contain no secrets, and callers send them back unchanged.
_IDENTIFIERS = ("_id", "_token", "path", "digest", "hash", "identity", "repository", "commit", "model", "_by", "url")
_LEAST_VALUE = 8
"""Shorter values, and those of letters alone, stand elsewhere as words that are no secrets."""


def redacts_always(settings: ServerSettings) -> bool:
    """Return whether all responses lose their secrets: by default where callers may be on other machines, or known."""
    if settings.redact_answers == "auto":
        return settings.access_file is not None or not is_loopback(settings.host)
    return settings.redact_answers == "always"


class RedactionLayer:
    """
    Takes secrets out of the responses of calls.

    Args:
        open_redact: Returns what takes secrets out of a text; called when it is first needed, as it is slow to load.
        always: For every call; else for those whose metadata asks for it.
    """

    def __init__(self, open_redact: Callable[[], Redact], *, always: bool) -> None:
        self._redact = functools.cache(open_redact)
        self._always = always

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call; calls that it makes to other services ask for the same."""
        if self._always or call.metadata.get(callers.REDACT_KEY) == callers.REDACT:
            callers.set_redacted()
            found: set[str] = set()
            call.prepare = functools.partial(self._prepared, found)
        return call.proceed()

    async def _prepared(self, found: set[str], response: Any) -> Any:
        return await asyncio.to_thread(lambda: redacted(response, self._redact(), found))


def redacted(message: M, redact: Redact, found: set[str]) -> M:
    """
    Return a message whose texts have `[redacted]` in place of secrets; fields that identify things stay.

    Args:
        message: It is not changed.
        redact: Takes secrets out of one text.
        found: Values of secrets that earlier messages had; those of this one are added, and none is left anywhere.
    """
    made = type(message)()
    made.CopyFrom(message)
    for text, replace in _texts(made):
        clean = redact(text)
        if clean != text:
            found.update(_values(text, clean))
            replace(clean)
    for text, replace in _texts(made) if found else ():
        clean = text
        for value in sorted(found, key=len, reverse=True):
            clean = clean.replace(value, MARK)
        if clean != text:
            replace(clean)
    return made


def _values(text: str, clean: str) -> Iterator[str]:
    """Yield what was taken out of a text."""
    pattern = "(.+?)".join(map(re.escape, clean.split(MARK)))
    match = re.fullmatch(pattern, text, re.DOTALL)
    for value in match.groups() if match else ():
        if len(value) >= _LEAST_VALUE and "\n" not in value and not value.replace("_", "").isalpha() and value != MARK:
            yield value


def _texts(message: Any) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Yield each text of a message with what replaces it."""
    for field, value in message.ListFields():
        if field.name.endswith(_IDENTIFIERS):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            yield from _of_map(field, value)
        elif field.cpp_type == field.CPPTYPE_MESSAGE:
            for each in value if field.is_repeated else (value,):
                yield from _texts(each)
        elif field.type == field.TYPE_STRING and field.is_repeated:
            for place, each in enumerate(value):
                yield each, functools.partial(value.__setitem__, place)
        elif field.type == field.TYPE_STRING:
            yield _of_field(message, field.name, value)


def _of_map(field: Any, value: Any) -> Iterator[tuple[str, Callable[[str], None]]]:
    of_values = field.message_type.fields_by_name["value"]
    for key in value if of_values.type == of_values.TYPE_STRING else ():
        yield value[key], functools.partial(value.__setitem__, key)


def _of_field(message: Any, field: str, value: str) -> tuple[str, Callable[[str], None]]:
    """Return a text and what replaces it; a value comes with its name, which tells whether it is a secret."""
    name = getattr(message, "name", None) if field == "value" else None
    if isinstance(name, str):
        return _assigned(name, value), lambda _: setattr(message, field, MARK)
    return value, functools.partial(setattr, message, field)


def _assigned(name: str, value: str) -> str:
    """Return a value in the two forms in which settings are written, as each tells other secrets."""
    return f'{name} = "{value}"\n{name}={value}'
