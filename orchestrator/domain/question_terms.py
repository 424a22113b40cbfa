"""What a question is about, as terms."""

from __future__ import annotations

from common.core.terms import count_terms

# Words that questions about code are made of, whatever they are about.
_GENERIC = frozenset(
    count_terms(
        "function functions method methods class classes module modules code file files work works happen happens"
        " implement implemented implementation explain show find call called define defined mean purpose trace follow"
        " way thing things part parts work get got example difference one ones two first"
    )
)


def question_terms(question: str) -> frozenset[str]:
    """Return the terms that tell one question from another; all of them if there are no such."""
    terms = frozenset(count_terms(question))
    return terms - _GENERIC or terms


def is_vague(question: str) -> bool:
    """Tell a question that names nothing: "how does it work"."""
    return not frozenset(count_terms(question)) - _GENERIC
