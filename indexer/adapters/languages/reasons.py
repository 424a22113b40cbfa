"""Words by which a comment is known to say why: rationale, warnings to the next reader, known shortcomings."""

from __future__ import annotations

import re
from typing import Final

MAX_RATIONALE: Final = 400
REASON: Final = re.compile(
    r"\b(?:NOTE|HACK|WHY|TODO|FIXME|XXX|BUG|WARNING|CAUTION|IMPORTANT|SAFETY|NB|Note|Hack|Todo"
    r"|because|workaround|work around|otherwise|in order to|so that|to avoid|to prevent|since|reason|historical"
    r"|backwards?[- ]compat|on purpose|deliberately|intentionally)\b"
)


def shortened(text: str) -> str:
    """Write a comment on one line, cut at `MAX_RATIONALE` characters."""
    return " ".join(text.split())[:MAX_RATIONALE]
