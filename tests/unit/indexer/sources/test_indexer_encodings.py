"""Encodings that a text does not name: those of East Asia, and UTF-16 without a mark; what is not sure is none."""

from __future__ import annotations

import pytest

from indexer.domain.source.screening import decode
from indexer.domain.tree import SkipReason

_CHINESE = '// 核对仓库库存数量,差异会被记录下来并通知负责人\nthrow new Error("库存数量不一致");\n'
_JAPANESE = "# 在庫のかずをたしかめる。たりないときはエラーになる\ndef zaiko_check(n)\nend\n"
_KOREAN = "# 재고 수량을 확인한다. 부족하면 오류가 난다\ndef check(n): raise ValueError('재고가 부족합니다')\n"
_LATIN = "/* Prüft den Füllstand für die Größe; ação, informação, où ça? */\n" + "int check_level(int groesse);\n" * 8


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (_CHINESE, "gbk"),
        (_CHINESE, "gb18030"),
        (_JAPANESE, "shift_jis"),
        (_JAPANESE, "euc_jp"),
        (_KOREAN, "euc_kr"),
        (_LATIN, "cp1252"),
        (_LATIN, "utf-8"),
        ("export function checkBin(n) { return n + 1; }\n", "utf-16-le"),
        ("export function checkBin(n) { return n + 1; }\n", "utf-16-be"),
        (_CHINESE + "x = 1\n" * 500, "gbk"),
    ],
)
def test_a_text_is_read_as_it_was_written(text: str, encoding: str) -> None:
    """Without a mark, a line that names the encoding, or much of it."""
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bytes(range(129, 256)) * 4, SkipReason.UNDECODABLE),
        ("éèàù".encode("cp1252") * 10, SkipReason.UNDECODABLE),
        (b"GIF89a\0\0\0\1\0", SkipReason.BINARY),
        (b"a\0b\0\0\0\0\0", SkipReason.BINARY),
    ],
)
def test_what_is_not_sure_is_none(data: bytes, reason: SkipReason) -> None:
    """Pairs of bytes that happen to be valid, and zeros here and there, prove nothing."""
    assert decode(data) == reason
