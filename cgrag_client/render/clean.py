"""Removes control characters from texts of repositories and models, so that they cannot control the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")


def printable(text: str) -> str:
    """Take out control characters and invisible ones; line feeds and tabs stay, other white space becomes a space."""
    return "".join(char if char in "\n\t" or char.isprintable() else " " * char.isspace() for char in text)


def cleaned(message: M) -> M:
    """Copy a message with every text in it made printable, at any depth."""
    copy = type(message)()
    copy.CopyFrom(message)
    _clean(copy)
    return copy


def _clean(message: Message) -> None:
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING:
            if field.is_repeated:
                value[:] = [printable(each) for each in value]
            else:
                setattr(message, field.name, printable(value))
        elif field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else (value,):
                _clean(each)
