"""Redacts secrets from responses: for callers who may be on other machines, and for those who ask for it."""

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
"""Least length of a value that is redacted wherever else it occurs: shorter ones may be ordinary words there."""


def redacts_always(settings: ServerSettings) -> bool:
    """Return whether all responses are redacted: by default with an access file or when other machines may call."""
    if settings.redact_answers == "auto":
        return settings.access_file is not None or not is_loopback(settings.host)
    return settings.redact_answers == "always"


class RedactionLayer:
    """
    Redacts secrets from the responses of calls.

    Args:
        open_redact: Returns the function that redacts a text; called at the first need, since it is slow to load.
        always: Whether every response is redacted; else those of calls whose metadata asks for it.
    """

    def __init__(self, open_redact: Callable[[], Redact], *, always: bool) -> None:
        self._redact = functools.cache(open_redact)
        self._always = always

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call; the calls that it makes to other services ask for redaction, too."""
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
        message: Message to copy; it is not changed.
        redact: Redacts one text.
        found: Secrets of earlier messages. Those of this one are added, and all are redacted in every text.
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
    """Yield the values that were redacted from a text, without short ones and those of letters alone."""
    pattern = "(.+?)".join(map(re.escape, clean.split(MARK)))
    match = re.fullmatch(pattern, text, re.DOTALL)
    for value in match.groups() if match else ():
        if len(value) >= _LEAST_VALUE and "\n" not in value and not value.replace("_", "").isalpha() and value != MARK:
            yield value


def _texts(message: Any) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Yield each text of a message with a function that sets it to another."""
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
    """Return a field's text and its setter. A setting's value is returned with its name, which may mark a secret."""
    name = getattr(message, "name", None) if field == "value" else None
    if isinstance(name, str):
        return _assigned(name, value), lambda _: setattr(message, field, MARK)
    return value, functools.partial(setattr, message, field)


def _assigned(name: str, value: str) -> str:
    """Return a setting as an assignment in code and as one in a shell: each form lets other secrets be recognised."""
    return f'{name} = "{value}"\n{name}={value}'
