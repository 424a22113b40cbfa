"""Page tokens that cannot be read, edited, or used with another request."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING, TypeVar

from common.core.errors import PageTokenInvalid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.protobuf.message import Message

T = TypeVar("T")

_TAG_BYTES = 16
_PAGING_FIELDS = ("page_token", "page_size")


class PageTokens:
    """
    Makes and reads the page tokens of a service.

    A token consists of the service's cursor and a keyed tag (MAC) over the cursor and the request, without the
    request's `page_token` and `page_size`: so the page size may change between pages.

    Args:
        key: Secret of at least 16 bytes; replicas that share it read each other's tokens. None makes one for this
            process.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = secrets.token_bytes(32) if key is None else key

    def make(self, request: Message, cursor: str) -> str:
        """Return the token for the page of this request after `cursor`; "" for an empty cursor, after the last page."""
        if not cursor:
            return ""
        data = cursor.encode()
        return base64.urlsafe_b64encode(self._tag(request, data) + data).decode().rstrip("=")

    def read(self, request: Message, token: str) -> str:
        """
        Return the cursor of a token; empty for the empty token: the first page.

        Raises:
            PageTokenInvalid: if the token was not made for this request by a holder of the key.
        """
        if not token:
            return ""
        try:
            data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            data = b""
        tag, cursor = data[:_TAG_BYTES], data[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(request, cursor)):
            raise PageTokenInvalid("the page token is not of this request; start again without one")
        return cursor.decode()

    def _tag(self, request: Message, cursor: bytes) -> bytes:
        plain = type(request)()
        plain.CopyFrom(request)
        for field in _PAGING_FIELDS:
            if field in plain.DESCRIPTOR.fields_by_name:
                plain.ClearField(field)
        kind = plain.DESCRIPTOR.full_name.encode()
        digest = hashlib.sha256(kind + b"\0" + plain.SerializeToString(deterministic=True)).digest()
        return hmac.new(self._key, digest + cursor, hashlib.sha256).digest()[:_TAG_BYTES]


def page_behind(
    rows: Sequence[T], place: Callable[[T], tuple[int | str, ...]], cursor: str, size: int
) -> tuple[Sequence[T], str]:
    """
    Cut one page out of all rows, and return it with the cursor of the next one, "" at the end.

    A cursor is the sort key of a page's last row, not its position: rows that are added or removed between two pages do
    not shift the others.

    Args:
        rows: All rows, in ascending order of `place`.
        place: Returns the sort key of a row, which is unique.
        cursor: Cursor of the page before; "" for the first page.
        size: Greatest number of rows of a page.
    """
    after = tuple(json.loads(cursor)) if cursor else ()
    left = [row for row in rows if place(row) > after]
    return left[:size], json.dumps(place(left[size - 1])) if len(left) > size else ""
