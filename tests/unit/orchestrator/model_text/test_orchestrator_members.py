"""Which members and values a sentence of a model says that something has, or has not."""

from __future__ import annotations

import pytest

from orchestrator.domain.grammar.extraction import extract_claims


def _said(text: str) -> set[tuple[str, str, str]]:
    return {(each.claim.kind.name, each.claim.subject, each.claim.object) for each in extract_claims(text)}


def test_an_instance_of_another_module_is_no_member() -> None:
    """It is what a member holds."""
    assert ("EXISTS", "DigestAuth.local", "") not in _said("`DigestAuth` holds a `threading.local`.")
    assert ("EXISTS", "DigestAuth.local", "") in _said("`DigestAuth` has `DigestAuth.local`.")


@pytest.mark.parametrize(
    "text",
    [
        "A placeholder becomes a `RulePart` whose content holds just the converter's `regex`.",
        "The `RulePart` keeps the converter's `regex`.",
        "`RulePart` whose content holds `regex` is kept.",
    ],
)
def test_what_is_of_something_else_is_no_member(text: str) -> None:
    """A noun that no name stands for may have it."""
    assert ("EXISTS", "RulePart.regex", "") not in _said(text)
    assert ("EXISTS", "RulePart.regex", "") in _said("`RulePart` keeps the `regex`.")


def test_a_member_in_a_class_is_its_own_unless_a_verb_puts_it_there() -> None:
    """Behind a verb, "in" says where something is done."""
    assert ("EXISTS", "App.stop", "") in _said("The job of `stop` in `App` is this.")
    assert ("EXISTS", "App.stop", "") not in _said("The loader reads `stop` in `App`.")


def test_what_a_thing_of_the_asker_does_not_have_is_not_absent() -> None:
    """The command `remote` is no definition of the repository, and its lack says nothing of others."""
    assert ("ABSENT", "Run", "") not in _said("The command `remote` has no `Run`.")
    assert ("ABSENT", "Command.Run", "") in _said("`Command` has no `Run`.")


def test_a_number_with_a_unit_is_no_value_of_code() -> None:
    """64 KB may be written as a number of bytes."""
    assert not any(kind == "VALUE" for kind, _, _ in _said("`BUFFER` is 64 KB."))
    assert ("VALUE", "RETRIES", "3") in _said("`RETRIES` is 3.")


def test_what_is_said_not_to_be_shown_is_no_claim() -> None:
    """A list of what an answer leaves open says only that it exists."""
    said = _said("Not shown: the number of threads, `DiscardPolicy`, and other callers of `is_dead()`.")

    assert {kind for kind, _, _ in said} == {"EXISTS"}
