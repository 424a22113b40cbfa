"""Reads pieces of evidence from messages so that answers with the same piece share one object."""

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
    Two caches of the last pieces, about 2 kB each: pieces by content, and pieces with score, reason, basis and pass.

    The caches may hold different pieces: the messages of both together have at most 2 * `pieces` * `max_bytes` bytes.

    Args:
        pieces: Size of each cache.
        max_bytes: Largest message, including score, reason and basis, whose piece is cached.
    """

    def __init__(self, *, pieces: int = 1024, max_bytes: int = 8192) -> None:
        self._pieces = pieces
        self._max_bytes = max_bytes
        self._kept: OrderedDict[bytes, Evidence] = OrderedDict()
        # Equal questions find the same pieces with the same reasons.
        self._found = lru_cache(pieces)(_found)

    def read(self, message: evidence_pb2.Evidence, pass_number: int = 1) -> Evidence:
        """Read a piece. Score, reason and basis, which depend on the question, are removed from the message."""
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
