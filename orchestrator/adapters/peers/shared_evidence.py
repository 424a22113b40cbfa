"""Pieces of evidence, read from messages so that answers that found the same one share it."""

from __future__ import annotations

import hashlib
import sys
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis
from common.rpc.serving.mirroring import from_message
from orchestrator.domain.evidence.piece import Evidence

if TYPE_CHECKING:
    from cgrag.type.v1 import evidence_pb2


class SharedEvidence:
    """
    Remembers the pieces that were read last, some 2 kB each, and as many pieces with why and when they were found.

    The two may be of different messages, once a piece was read for many reasons: their messages have twice `pieces`
    times `max_bytes` together at most.

    Args:
        pieces: How many of each are remembered.
        max_bytes: Size of a message, score, reason and basis included, up to which its piece is remembered.
    """

    def __init__(self, *, pieces: int = 1024, max_bytes: int = 8192) -> None:
        self._pieces = pieces
        self._max_bytes = max_bytes
        self._kept: OrderedDict[bytes, Evidence] = OrderedDict()
        # The same question finds the same for the same reasons.
        self._found = lru_cache(pieces)(_found)

    def read(self, message: evidence_pb2.Evidence, pass_number: int = 1) -> Evidence:
        """Read a piece; why it was found (score, reason, basis) is the question's own and goes from the message."""
        is_kept = message.ByteSize() <= self._max_bytes
        score, reason = message.score, sys.intern(message.reason)
        basis = from_message(message.basis, Basis) if message.HasField("basis") else None
        for name in ("score", "reason", "basis"):
            message.ClearField(name)
        if not is_kept:
            return _found(from_message(message, Evidence), score, reason, basis, pass_number)
        return self._found(self._shown(message), score, reason, basis, pass_number)

    def _shown(self, message: evidence_pb2.Evidence) -> Evidence:
        key = hashlib.sha256(message.SerializeToString(deterministic=True)).digest()
        piece = self._kept.get(key)
        if piece is None:
            piece = self._kept[key] = from_message(message, Evidence)
            if len(self._kept) > self._pieces:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return piece


def _found(piece: Evidence, score: float, reason: str, basis: Basis | None, pass_number: int) -> Evidence:
    return replace(piece, score=score, reason=reason, basis=basis, pass_number=pass_number)
