"""
Detects East Asian encodings that a text does not declare, and UTF-16 without a byte order mark.

An encoding is accepted only if the whole text decodes and most characters beyond ASCII are common ones of its language.
Else accented letters of Windows-1252, which also form valid byte pairs, would be taken for Chinese.
"""

from __future__ import annotations

import re

_LEAST = 2
"""Fewer characters or byte pairs than this are no evidence of an encoding."""
_MOST = 0.9
_KANA_SHARE = 0.3
_HANGUL_SHARE = 0.95
_COMMON_SHARE = 0.6
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile("[\u3041-\u30ff]")
_HALF_KANA = re.compile("[\uff61-\uff9f]")
_WINDOW = 8192


def unmarked_utf16(data: bytes) -> str:
    """Return the variant of UTF-16 of a mostly ASCII text with NUL bytes; "" if it is not UTF-16."""
    window = data[:_WINDOW]
    for name, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros, letters = window[zero::2], window[1 - zero :: 2]
        is_wide = len(data) % 2 == 0 and zeros.count(0) >= _MOST * len(zeros) and not letters.count(0)
        if is_wide and _decodes(data, name):
            return name
    return ""


def east_asian(data: bytes) -> str:
    """Return the encoding of a text whose characters beyond ASCII are mostly East Asian; "" if uncertain."""
    if is_mostly_kana(data, "cp932"):
        return "cp932"
    pairs = _pairs(data)
    if len(pairs) < _LEAST:
        return ""
    if is_mostly_kana(data, "euc_jp"):
        return "euc_jp"
    hangul = sum(0xB0 <= lead <= 0xC8 for lead in pairs)
    if hangul >= _HANGUL_SHARE * len(pairs) and _decodes(data, "euc_kr"):
        return "euc_kr"
    common = sum(0xB0 <= lead <= 0xD7 or 0xA1 <= lead <= 0xA3 for lead in pairs)
    return "gb18030" if common >= _COMMON_SHARE * len(pairs) and _decodes(data, "gb18030") else ""


def is_mostly_kana(data: bytes, encoding: str) -> bool:
    """Return whether a text decodes, and kana are frequent (30 % or more) among its characters beyond ASCII."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    foreign = sum(not letter.isascii() for letter in text)
    kana = len(_KANA.findall(text))
    return kana >= max(_LEAST, _KANA_SHARE * foreign) and len(_HALF_KANA.findall(text)) <= (1 - _MOST) * foreign


def _pairs(data: bytes) -> bytes:
    """Return the first bytes of all pairs of high bytes; none if more than 10 % of high bytes are not in pairs."""
    runs = _HIGH_RUN.findall(data)
    high = sum(map(len, runs))
    paired = [run for run in runs if len(run) % 2 == 0 and min(run) >= 0xA1]
    return b"".join(run[::2] for run in paired) if sum(map(len, paired)) >= _MOST * high else b""


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
