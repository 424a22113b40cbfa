"""The page on access says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from classifier.rpc.rules import RULES as CLASSIFIER
from common.rpc.access.file import read_callers
from common.rpc.access.rights import Role, Rules
from common.rpc.access.trail import Why
from indexer.rpc.rules import RULES as INDEXER
from orchestrator.rpc.rules import RULES as ORCHESTRATOR
from retriever.rpc.rules import RULES as RETRIEVER

PAGE = (Path(__file__).parents[3] / "docs" / "access.md").read_text(encoding="utf-8")
SERVICES: dict[str, Rules] = {
    "orchestrator": ORCHESTRATOR,
    "retriever": RETRIEVER,
    "indexer": INDEXER,
    "classifier": CLASSIFIER,
}


def test_the_table_of_roles_is_that_of_the_code() -> None:
    """Every method stands in one row, with the roles that its rule names."""
    shown: dict[tuple[str, str], set[str]] = {}
    for row in re.findall(r"^\| (\w+) \| (`.*`) \| (.*) \|$", PAGE, re.MULTILINE):
        service, methods, marks = row
        roles = {role.value for role, mark in zip(Role, f"{marks} ".split("|"), strict=True) if mark.strip() == "x"}
        shown |= {(service, method): roles for method in re.findall(r"`(\w+)`", methods)}
    ruled = {
        (service, method): {role.value for role in rule.roles}
        for service, rules in SERVICES.items()
        for method, rule in rules.of.items()
    }

    assert shown == ruled


def test_the_example_is_an_access_file() -> None:
    """Whoever copies it can start."""
    [example] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    callers = read_callers(example.replace("\n   ", "\n").encode())

    assert len(callers) == 2


def test_every_reason_of_a_denial_is_explained() -> None:
    """Operators find all values of the field."""
    assert all(f"`{why.value}`" in PAGE for why in Why)
