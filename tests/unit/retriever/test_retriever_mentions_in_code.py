"""What a name is where no definition bears it."""

from __future__ import annotations

import pytest

from retriever.domain.mentions_in_code import Mention, MentionKind, is_parameter, mentions


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("        self.split_on = first", MentionKind.ATTRIBUTE),
        ("        self.split_on: str = first", MentionKind.ATTRIBUTE),
        ("split_on = 4", MentionKind.NAME),
        ("    split_on: int = 4", MentionKind.NAME),
        ("const split_on = 4;", MentionKind.NAME),
        ('    "split_on": 4,', MentionKind.KEY),
        ("    split_on: 4,", MentionKind.KEY),
        ("    rows = query(text, split_on=4)", MentionKind.ARGUMENT),
        ("        split_on=first,", MentionKind.ARGUMENT),
        ("    if conf.split_on == 4:", MentionKind.READ),
    ],
)
def test_a_name_is_what_its_line_makes_of_it(line: str, kind: MentionKind) -> None:
    """Set, passed, a key, or only read."""
    assert list(mentions(f"x = 1\n{line}\n", "", "split_on")) == [Mention(kind, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "# split_on = 4\n",
        '"""\nsplit_on = 4\n"""\n',
        "split_on_all = 4\n",
        "self.split_on()\n",
        "print('what split_on is')\n",
        "help('see `split_on`')\n",
    ],
)
def test_what_only_speaks_of_a_name_is_no_place_of_it(text: str) -> None:
    """Comments, documentation, longer names, calls, and sentences."""
    assert not list(mentions(text, "", "split_on"))


def test_a_name_with_an_owner_is_looked_for_behind_it() -> None:
    """`flow.error` is not every error."""
    text = "other.error = 1\nself.flow.error = 2\n"

    assert list(mentions(text, "flow", "error")) == [Mention(MentionKind.ATTRIBUTE, 2)]


@pytest.mark.parametrize(
    ("signature", "is_one"),
    [
        ("def query(text, split_on=1)", True),
        ("def query(text: str, split_on: int, *rest) -> None", True),
        ("query(split_on)", True),
        ("def query(split_on_all)", False),
        ("def split_on(text)", False),
        ('def query(text="split_on")', False),
    ],
)
def test_a_declaration_takes_its_parameters(signature: str, is_one: bool) -> None:
    """By whole names, whatever stands behind them."""
    assert is_parameter("split_on", signature) is is_one
