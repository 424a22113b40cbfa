"""What a model's sentences claim about code, and what they do not."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from common.core.contract.evidence import Claim, ClaimKind, Span
from orchestrator.domain.grammar.extraction import extract_claims
from orchestrator.domain.grammar.names import CodeKind, read_code
from orchestrator.domain.grammar.text import BlockKind, blocks, sentences

ROOT = Path(__file__).parents[4]
ANSWERS = ROOT / "tests" / "data" / "model_answers"
PHRASINGS = tomllib.loads((ROOT / "cgrag_client" / "evaluation" / "claim_phrasings.toml").read_text(encoding="utf-8"))
SAID = {
    "calls": (ClaimKind.CALLS, ClaimKind.REFERS),
    "raises": (ClaimKind.RAISES,),
    "changes": (ClaimKind.MUTATES,),
}


def _said(text: str) -> set[tuple[str, str, str]]:
    return {(each.claim.kind.name, each.claim.subject, each.claim.object) for each in extract_claims(text)}


@pytest.mark.parametrize("kind", SAID)
def test_a_relation_is_read_in_many_ways_of_saying_it(kind: str) -> None:
    """Of the phrasings that the grammar was made with nearly all are read, as what they say and in its direction."""
    phrasings = PHRASINGS[kind]["known"]
    thing = {"calls": "_load", "raises": "BadKeyError", "changes": "self.total"}[kind]

    read = [
        any(
            (wanted.name, "Shop.run", thing) in _said(each.replace("{a}", "`Shop.run`").replace("{b}", f"`{thing}`"))
            for wanted in SAID[kind]
        )
        for each in phrasings
    ]

    assert len(read) >= 20
    assert sum(read) >= len(read) - 1


def test_an_owner_is_read_in_every_way_of_saying_it() -> None:
    """What stands between the two mentions decides, whichever verb says it."""
    said = {}
    for each in PHRASINGS["owners"]["known"]:
        text = each.replace("{owner}", "`Cart`").replace("{name}", "`total`")
        said[each] = text.replace("{owner_}", "Cart").replace("{name_}", "total")

    assert len(said) >= 60
    assert [each for each, text in said.items() if ("EXISTS", "Cart.total", "") not in _said(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "`Cart` calls `total`.",
        "`Cart` does not have `total`.",
        "`Cart` no longer defines `total`.",
        "`Cart` would contain `total`.",
        "If `Cart` defines `total`, it is used.",
        "With `total`, in a `Cart`, it goes on.",
        "`total` is called in `Cart`.",
        "`total` is checked by `Cart`.",
        "`total` wraps a `Cart`.",
        "It passes `total` to `Cart`.",
        "Through `Cart` goes `total`.",
        "`Cart` defines `Base`, and `total` follows.",
        "`cart` defines `total`.",
        "`Cart`: `total` is used.",
    ],
)
def test_what_two_mentions_do_to_each_other_is_no_ownership(text: str) -> None:
    """Neither is what is denied, supposed or told of other names between them."""
    assert not any(kind == "EXISTS" and subject == "Cart.total" for kind, subject, _ in _said(text))


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("`Cart` inherits from `Base`.", ("INHERITS", "Cart", "Base")),
        ("`Cart` is a subclass of `Base`.", ("INHERITS", "Cart", "Base")),
        ("`Base` is the base class of `Cart`.", ("INHERITS", "Cart", "Base")),
        ("`Cart.close` catches `IOFault` there.", ("CATCHES", "Cart.close", "IOFault")),
        ("There is no `Cart.reopen`.", ("ABSENT", "Cart.reopen", "")),
        ("`Cart` does not have a `reopen` method.", ("ABSENT", "Cart.reopen", "")),
        ("`reopen_all` does not exist.", ("ABSENT", "reopen_all", "")),
        ("`MOST_TRIES` is `5`.", ("VALUE", "MOST_TRIES", "5")),
        ("`tries` defaults to `None`.", ("VALUE", "tries", "None")),
        ("`pay` calls `ask` and `log`.", ("CALLS", "pay", "log")),
        ("`pay` checks the sum and then calls `ask`.", ("CALLS", "pay", "ask")),
        ("`pay` hands it to `ask`, which raises `Declined`.", ("RAISES", "ask", "Declined")),
        ("`pay` (in the till (of the shop)) raises `Declined`.", ("RAISES", "pay", "Declined")),
        ("`pay`) (see there) raises `Declined`.", ("RAISES", "pay", "Declined")),
        ("`pay` catches `Declined` and `retry` calls `ask`.", ("CALLS", "retry", "ask")),
        ("Invalid input makes `pay` raise `Declined`.", ("RAISES", "pay", "Declined")),
        ("The `pay` method of `Bank` calls `ask`.", ("CALLS", "Bank.pay", "ask")),
        ("`Bank`'s `pay` sets `self.total`.", ("MUTATES", "Bank.pay", "self.total")),
        ("If that fails, `pay` raises `Declined`.", ("RAISES", "pay", "Declined")),
        ("While `is_open()` is false it calls `wait_on`.\n", ("EXISTS", "is_open", "")),
        ("`pay` uses `ask`.", ("REFERS", "pay", "ask")),
        ("`pay` calls `ask` without checking it and then calls `log`.", ("CALLS", "pay", "log")),
        ("`Bank.pay` is `Response.json`.", ("EXISTS", "Response.json", "")),
    ],
)
def test_a_sentence_claims_what_it_says(text: str, claim: tuple[str, str, str]) -> None:
    """Verbs, nouns and fixed forms, in the active and in the passive, with names in lists and behind their owners."""
    assert claim in _said(text)


@pytest.mark.parametrize(
    "text",
    [
        "`pay` does not call `ask`.",
        "`pay` never raises `Declined`.",
        "`pay` would call `ask` here.",
        "`pay` calls `log` instead of calling `ask`.",
        "If `pay` calls `ask`, the sum is lost.",
        "`pay` calls `ask` unless `is_open` is set.",
        "Unless `pay` sets `ask`, it stays.",
        "When `pay` raises `ask`, nothing happens.",
        "`pay` called `ask` before version 2.",
        "`ask` was called by `pay`.",
        "Previously `pay` calls `ask`.",
        "`pay` no longer calls `ask`.",
        "You can call `ask` in `pay`.",
        "Does `pay` call `ask`?",
        "`pay` returns without calling `ask`.",
        "Neither `pay` nor `log` calls `ask`, no.",
        "> `pay` calls `ask`.",
        "| `pay` calls `ask` |",
        "```\n`pay` calls `ask`.\n```",
    ],
)
def test_what_is_denied_supposed_asked_or_over_is_not_claimed(text: str) -> None:
    """Nor is what is quoted, tabulated or advised."""
    strong = {each.claim.kind for each in extract_claims(text) if each.claim.object == "ask" and each.is_sure}

    assert strong <= {ClaimKind.EXISTS}


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("`Cart` has no `reopen`.", {"Cart.reopen"}),
        ("`Cart` has no method but `reopen`.", set()),
        ("`reopen_all` is not defined.", {"reopen_all"}),
        ("`reopen_all` is not called by `Cart`.", set()),
        ("No `reopen_all` exists.", {"reopen_all"}),
        ("`Cart` does not call `reopen_all`.", set()),
        ("There is no doubt that `reopen_all` works.", set()),
        ("There is no need for `reopen_all`.", set()),
    ],
)
def test_only_what_is_said_to_be_missing_is_claimed_to_be(text: str, absent: set[str]) -> None:
    """Not what is the one exception, nor what something does not do."""
    assert {subject for kind, subject, _ in _said(text) if kind == "ABSENT"} == absent


def test_a_name_that_is_said_to_be_missing_is_not_claimed_to_exist() -> None:
    """Neither in a condition."""
    assert _said("There is no `Cart.reopen`.") == {("ABSENT", "Cart.reopen", "")}
    assert not _said("If there was no `Cart.reopen`, it fails.")


def test_it_speaks_of_the_subject_before_and_is_never_refuted() -> None:
    """A pronoun may mean another thing, so a verdict against it would be a guess."""
    found = {
        (each.claim.subject, each.claim.object): each.is_sure
        for each in extract_claims("`Bank.pay` opens the till. It calls `ask_all`.\n\n---\n\nIt calls `log_all`.")
        if each.claim.kind is ClaimKind.CALLS
    }

    assert found == {("Bank.pay", "ask_all"): False}


def test_items_speak_of_what_leads_to_them() -> None:
    """Not of the item before."""
    text = "`Bank.pay` works like this:\n\n1. It calls `ask`.\n2. `log` calls `note`.\n3. Calls `close`.\n"

    assert ("CALLS", "Bank.pay", "close") in _said(text)


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("Line 12 of `a/b.py` reads `x = f(1)`.", "QUOTES", "x = f(1)"),
        ("`x = f(1)` stands at `a/b.py:12`.", "QUOTES", "x = f(1)"),
        ("See a/b.py:12: `x = f(1)`.", "QUOTES", "x = f(1)"),
        ("It runs `x = f(1)` (`a/b.py`, line 12).", "QUOTES", "x = f(1)"),
        ("```python\n# a/b.py:12\nx = f(1)\n```", "QUOTES", "x = f(1)"),
        ("In `a/b.py`, line 12:\n\n```\nx = f(1)\n```", "QUOTES", "x = f(1)"),
        ("It is `x = f(1)` there [1].", "SHOWS", "x = f(1)"),
        ("`rows[1]` stands at `a/b.py:12`.", "QUOTES", "rows[1]"),
    ],
)
def test_code_is_quoted_at_the_place_that_is_named_or_cited(text: str, kind: str, code: str) -> None:
    """In a block or in a sentence, in whatever form the place is written."""
    [found] = [
        each.claim for each in extract_claims(text, places={1: Span("a/b.py", 12, 12)}) if each.claim.object == code
    ]

    assert (found.kind.name, found.span) == (kind, Span("a/b.py", 12, 12))


def test_a_name_beside_a_place_stands_there() -> None:
    """And what is advised need not stand anywhere."""
    assert Claim(ClaimKind.LOCATED, "pay_all", "", Span("a/b.py", 12, 0)) in {
        each.claim for each in extract_claims("`pay_all` (`a/b.py:12`) does it.")
    }
    assert not extract_claims("You can write `x = f(1)` for it [1].", places={1: Span("a/b.py", 12, 12)})


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("`copy_all()` ends in `put()` without `inplace`, which calls `make()`.", ("CALLS", "inplace", "make")),
        ("Rename your argument to `unused_x`.", ("EXISTS", "unused_x", "")),
        ("You can define `my_view`.", ("EXISTS", "my_view", "")),
        ("`a.py:12` sets it, and `180` does.", ("QUOTES", "", "180")),
        ("`a.py:12` has it, as `pay_all` and `pay_one` do.", ("LOCATED", "pay_all", "")),
        ("`rules` \u2192 `allow_list`.", ("CALLS", "rules", "allow_list")),
        ("It raises `ImportStringError`, by general knowledge.", ("EXISTS", "ImportStringError", "")),
        ("By general Python knowledge, `Sized` calls `len_of()`.", ("CALLS", "Sized", "len_of")),
        ("It takes networks of IPv6 (`fd00::/8`) [1].", ("SHOWS", "", "fd00::/8")),
        ("There is no lock and `workers` is 1 [1].", ("ABSENT", "workers", "")),
        ("With `-ljson --style=numbers` it shows them [1].", ("SHOWS", "", "-ljson --style=numbers")),
    ],
)
def test_words_that_may_mean_something_else_refute_nothing(text: str, claim: tuple[str, str, str]) -> None:
    """A pronoun behind a preposition, advice, one place for several names, an arrow, general knowledge, an example."""
    found = {
        (each.claim.kind.name, each.claim.subject, each.claim.object): each.is_sure
        for each in extract_claims(text, places={1: Span("a/b.py", 12, 12)})
    }

    assert found.get(claim) is not True


def test_places_in_several_files_do_not_tell_which_definition_is_meant() -> None:
    """Any of these may be cited for another part of the sentence."""
    places = {1: Span("hooks.py", 3, 3), 2: Span("main.py", 9, 9), 3: Span("main.py", 20, 20)}

    def placed(text: str) -> list[Span | None]:
        claims = (each.claim for each in extract_claims(text, places=places))
        return [each.span for each in claims if each.kind is ClaimKind.RAISES]

    assert placed("`run_loop()` raises `Interrupted` [1][2].") == [None]
    assert placed("`run_loop()` raises `Interrupted` [2][3].") == [places[2]]


@pytest.mark.parametrize("name", ["Vec.operator[]", "Vec::operator+=", "operator()", "Vec.operator<<"])
def test_an_operator_is_a_name_at_its_place(name: str) -> None:
    """Its signs are part of the name: it is said to stand there, not to be written so."""
    assert ("LOCATED", name, "") in _said(f"`{name}` is defined at `a/b.cpp:12`.")


def test_further_lines_of_a_file_are_no_code_of_it() -> None:
    """They follow a place whose file they share."""
    found = extract_claims("It is used at `a/b.py:12`, `:15` and `:20-22`. `a/b.py` runs `x --y` at lines 3, 5 and 9.")

    assert not [each for each in found if each.claim.kind is ClaimKind.QUOTES]


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [
        ("With `engine='mine_nc'` it is `Store.open` [1].", False),
        ("With `engine = 'your_nc'` it is `Store.open` [1].", True),
        ("With `engine='your_nc'` it is `Store.open` [1].", False),
        ("So `mine_nc` is never asked.", False),
        ("So `your_nc` is never asked.", True),
        ("It is `Store.mine_nc` that does it.", True),
    ],
)
def test_a_name_that_the_question_brings_may_be_of_the_askers_code(text: str, is_sure: bool) -> None:
    """A plain name or a value of it is not refuted; a member that something of the repository is said to have is."""
    sites = extract_claims(text, places={1: Span("a.py", 1, 9)}, question="Why is my engine mine_nc not chosen?")
    kinds = {ClaimKind.SHOWS, ClaimKind.EXISTS}
    about = [each.is_sure for each in sites if each.claim.kind in kinds and "_nc" in str(each.claim)]

    assert about
    assert set(about) == {is_sure}


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("self._retry(request, reason)", CodeKind.NAME, "self._retry"),
        ("f(a) or g(b)", CodeKind.OTHER, ""),
        ("TypeAdapter<T>.read", CodeKind.NAME, "TypeAdapter.read"),
        ("(*Command).Execute", CodeKind.NAME, "Command.Execute"),
        ('request.meta["x"]', CodeKind.NAME, "request.meta"),
        ("self.json", CodeKind.NAME, "self.json"),
        ("package.json", CodeKind.FILE, ""),
        ("a/b.py:3-9", CodeKind.PLACE, ""),
        (":496", CodeKind.PLACE, ""),
        ("-1.5", CodeKind.LITERAL, ""),
        ("new Pen(3)", CodeKind.NAME, "Pen"),
    ],
)
def test_a_span_of_code_is_a_name_a_literal_a_place_a_file_or_more(text: str, kind: CodeKind, name: str) -> None:
    """Arguments, type arguments, receivers and subscripts are no part of a name."""
    found = read_code(text)

    assert (found.kind, found.name) == (kind, name)


@pytest.mark.parametrize("answer", sorted(ANSWERS.glob("*-*.md")), ids=lambda path: path.stem)
def test_most_sentences_of_real_answers_that_name_code_become_claims(answer: Path) -> None:
    """Beyond that the names exist; of a table and of headings nothing is asked."""
    text = answer.read_text(encoding="utf-8")
    places = {
        int(each[1]): Span(each[2], int(each[3]), int(each[4]))
        for each in re.finditer(r"^(\d+): (\S+):(\d+)-(\d+)$", text, re.MULTILINE)
    }
    text = re.split(r"\n\n(?=\d+: \S+:\d+)", text)[0]
    claims = [each for each in extract_claims(text, places=places) if each.claim.kind is not ClaimKind.EXISTS]
    naming = [
        (tokens[0].start, tokens[-1].end)
        for block in blocks(text)
        if block.kind is not BlockKind.CODE
        for tokens in sentences(text, block)
        if any(t.kind == "code" and read_code(t.text).kind in {CodeKind.NAME, CodeKind.OTHER} for t in tokens)
    ]
    covered = [any(start <= each.start <= end for each in claims) for start, end in naming]

    assert len(naming) >= 8
    assert sum(covered) >= 0.5 * len(covered)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("At the end `pay` raises `Declined` if nothing was found.", ("RAISES", "pay", "Declined")),
        ("You will see a `Declined` raised by `pay`.", ("RAISES", "pay", "Declined")),
        ("`pay` converts this into a `Declined` and raises it.", ("RAISES", "pay", "Declined")),
        ("`Till.total` is reset in `close_all`.", ("MUTATES", "close_all", "Till.total")),
        ("On `Till`, `close_all` is what you need.", ("EXISTS", "Till.close_all", "")),
        ("You want `close_all`.", ("EXISTS", "close_all", "")),
        ("Line 7 of shop/till.py is `return self.sum(0)`.", ("QUOTES", "", "return self.sum(0)")),
    ],
)
def test_what_is_said_of_code_is_claimed(text: str, claim: tuple[str, str, str]) -> None:
    """A condition in the past, what the reader sees or wants, "it" behind the object, and a path without marks."""
    found = {
        (each.claim.kind.name, each.claim.subject, each.claim.object): each.is_sure for each in extract_claims(text)
    }

    assert found.get(claim) is True
