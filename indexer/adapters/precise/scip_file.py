"""Reads a file in the SCIP format, one document after the other, so that its size in memory is that of the largest."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, TypeVar

from cgrag.scip.v1 import scip_pb2
from google.protobuf.message import DecodeError

from indexer.domain.errors import IndexMalformed
from indexer.domain.precise.columns import Encoding
from indexer.domain.precise.document import Document, Occurrence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

M = TypeVar("M", scip_pb2.Metadata, scip_pb2.Document, scip_pb2.DocumentPath)
_MAX_DOCUMENT_BYTES = 128 << 20
MAX_MESSAGES = 2_000_000
"""Most documents and external symbols; half a GiB (the largest index) of empty ones would take an hour to import."""
_MAX_VARINT_BYTES = 10
_LONGEST_TOOL = 100
_METADATA, _DOCUMENT = 1, 2
_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_DEFINITION, _IMPORT, _FORWARD = 1, 2, 64
_ENCODINGS = {int(each): each for each in Encoding}
_SHORT_RANGE, _LONG_RANGE = 3, 4


class ScipFile:
    """
    Implements `ScipIndex`.

    Args:
        file: Untrusted; read anew by each method.
        most: Messages that it may have at the outermost level.
    """

    def __init__(self, file: Path, most: int = MAX_MESSAGES) -> None:
        self._file = file
        self._most = most

    def root(self) -> str:
        """Return the URI of the folder that paths are relative to; "" without one. Raises IndexMalformed."""
        for field, message in self._fields():
            if field == _METADATA:
                return _parsed(scip_pb2.Metadata(), message).project_root
        return ""

    def tool(self) -> str:
        """Return name and version of the tool that made the index, as printable text. Raises IndexMalformed."""
        for field, message in self._fields():
            if field == _METADATA:
                info = _parsed(scip_pb2.Metadata(), message).tool_info
                told = " ".join(f"{info.name} {info.version}".split())[:_LONGEST_TOOL]
                return "".join(char for char in told if char.isprintable())
        return ""

    def paths(self) -> Iterator[str]:
        """Return the path of each document. Raises IndexMalformed."""
        for field, message in self._fields():
            if field == _DOCUMENT:
                yield _parsed(scip_pb2.DocumentPath(), message).relative_path

    def documents(self) -> Iterator[Document]:
        """Return the documents in order of the file. Raises IndexMalformed."""
        for field, message in self._fields():
            if field == _DOCUMENT:
                yield _document(_parsed(scip_pb2.Document(), message))

    def _fields(self) -> Iterator[tuple[int, bytes]]:
        """Return the messages of the outermost level by field number."""
        with self._file.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            for _ in range(self._most):
                if file.tell() >= size:
                    return
                field, wire = divmod(_varint(file), 8)
                if wire != _DELIMITED:
                    _skip(file, wire)
                    continue
                length = _varint(file)
                if length > size - file.tell():
                    raise IndexMalformed.at(f"it ends in the middle of a message, at byte {size}")
                if length > _MAX_DOCUMENT_BYTES:
                    raise IndexMalformed.at(f"a message has {length} bytes, at byte {file.tell()}")
                yield field, file.read(length)
            if file.tell() < size:
                raise IndexMalformed.at(f"it has more than {self._most} messages")


def _varint(file: IO[bytes]) -> int:
    value = 0
    for position in range(_MAX_VARINT_BYTES):
        byte = file.read(1)
        if not byte:
            raise IndexMalformed.at(f"it ends in the middle of a number, at byte {file.tell()}")
        value |= (byte[0] & 0x7F) << (7 * position)
        if byte[0] < 0x80:
            return value
    raise IndexMalformed.at(f"no number of a message at byte {file.tell()}")


def _skip(file: IO[bytes], wire: int) -> None:
    if wire == _VARINT:
        _varint(file)
    elif wire in (_FIXED32, _FIXED64):
        file.seek(4 if wire == _FIXED32 else 8, os.SEEK_CUR)
    else:
        raise IndexMalformed.at(f"no field of a message at byte {file.tell()}")


def _parsed(message: M, data: bytes) -> M:
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise IndexMalformed.at("a message in it is damaged") from error
    return message


def _document(message: scip_pb2.Document) -> Document:
    implemented = {
        each.symbol: others
        for each in message.symbols
        if (others := tuple(other.symbol for other in each.relationships if other.is_implementation))
    }
    found = tuple(each for occurrence in message.occurrences if (each := _occurrence(occurrence)) is not None)
    return Document(message.relative_path, found, implemented, _ENCODINGS.get(message.position_encoding))


def _occurrence(message: scip_pb2.Occurrence) -> Occurrence | None:
    """Return an occurrence of a name; None for one over several lines, and for a forward declaration."""
    place = tuple(message.range)
    if len(place) == _LONG_RANGE and place[0] == place[2]:
        place = (place[0], place[1], place[3])
    if len(place) != _SHORT_RANGE or min(place) < 0 or message.symbol_roles & _FORWARD:
        return None
    whole = message.enclosing_range
    return Occurrence(
        line=place[0] + 1,
        start=place[1],
        end=place[2],
        symbol=message.symbol,
        is_definition=bool(message.symbol_roles & _DEFINITION),
        is_import=bool(message.symbol_roles & _IMPORT),
        body=whole[0] + 1 if whole and whole[0] >= 0 else 0,
    )
