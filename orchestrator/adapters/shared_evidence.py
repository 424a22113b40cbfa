"""Pieces of evidence, read from messages so that answers that found the same one share it."""

from __future__ import annotations

import hashlib
import sys
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from common.rpc.mirroring import from_message
from orchestrator.domain.evidence import Evidence

if TYPE_CHECKING:
    from cgrag.type.v1 import evidence_pb2


class SharedEvidence:
    """
    Remembers the pieces that were read last, some 2 kB each; `pieces` times `max_bytes` bounds their messages.

    Args:
        pieces: How many are remembered.
        max_bytes: Size of a message up to which its piece is remembered.
    """

    def __init__(self, *, pieces: int = 1024, max_bytes: int = 8192) -> None:
        self._pieces = pieces
        self._max_bytes = max_bytes
        self._kept: OrderedDict[bytes, Evidence] = OrderedDict()

    def read(self, message: evidence_pb2.Evidence) -> Evidence:
        """Read a piece; why it was found, its score and reason, is the question's own and goes from the message."""
        score, reason = message.score, sys.intern(message.reason)
        message.ClearField("score")
        message.ClearField("reason")
        return replace(self._shown(message), score=score, reason=reason)

    def _shown(self, message: evidence_pb2.Evidence) -> Evidence:
        content = message.SerializeToString(deterministic=True)
        if len(content) > self._max_bytes:
            return from_message(message, Evidence)
        key = hashlib.sha256(content).digest()
        piece = self._kept.get(key)
        if piece is None:
            piece = self._kept[key] = from_message(message, Evidence)
            if len(self._kept) > self._pieces:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return piece
