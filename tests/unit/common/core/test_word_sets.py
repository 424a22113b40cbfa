"""Sets of words: whatever stands in a text is in its set, and hardly anything else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from common.core.words.word_sets import hashes_of, pack_words, unpack_words


@given(st.lists(st.from_regex(r"[A-Za-z_][0-9A-Za-z_]{1,20}", fullmatch=True)), st.sampled_from(["utf-8", "cp1252"]))
def test_every_word_of_a_text_is_in_its_set(words: list[str], encoding: str) -> None:
    """In any encoding that has ASCII as a part; the set is ascending and has nothing twice."""
    packed = unpack_words(pack_words(" ".join(words).encode(encoding)))

    assert set(hashes_of(" ".join(words)).tolist()) == set(packed.tolist())
    assert (np.diff(packed.astype(np.int64)) > 0).all()


def test_other_scripts_are_one_word() -> None:
    """What is not ASCII is told as being there, whatever the encoding; a text without any does not have it."""
    assert set(hashes_of("库存")) <= set(unpack_words(pack_words("检查".encode("gbk"))))
    assert not set(hashes_of("库存")) & set(unpack_words(pack_words(b"check_stock")))
    assert len(hashes_of("")) == len(unpack_words(pack_words(b""))) == 0


def test_a_long_text_is_cut_between_words() -> None:
    """Words at the places where a text is cut are whole."""
    words = [f"word_{number}" for number in range(300_000)]

    assert len(unpack_words(pack_words(" ".join(words).encode()))) >= len(words) - 20
