"""Every method of every contract has a rule; a method without one is for nobody."""

from __future__ import annotations

import pytest
from google.protobuf import descriptor_pool

from classifier.rpc.rules import RULES as CLASSIFIER
from common.rpc.access.rights import Role, Rules
from indexer.rpc.rules import RULES as INDEXER
from orchestrator.rpc.rules import RULES as ORCHESTRATOR
from retriever.rpc.rules import RULES as RETRIEVER

SERVICES = (INDEXER, CLASSIFIER, RETRIEVER, ORCHESTRATOR)
READING = {Role.READER, Role.ASKER}


@pytest.mark.parametrize("rules", SERVICES, ids=lambda rules: rules.contract.name)
def test_every_method_of_the_contract_has_a_rule(rules: Rules) -> None:
    """A method that is added to a contract needs a row; one that is gone leaves none behind."""
    contract = descriptor_pool.Default().FindServiceByName(rules.contract.full_name)

    assert set(rules.of) == {method.name for method in contract.methods}


@pytest.mark.parametrize("rules", SERVICES, ids=lambda rules: rules.contract.name)
def test_administrators_may_call_everything(rules: Rules) -> None:
    """One role can look after the whole; no method is for nobody."""
    assert all(Role.ADMIN in rule.roles for rule in rules.of.values())


def test_operators_do_not_read_source_and_readers_change_nothing() -> None:
    """No method that gives source text away is for operators, and readers and askers change nothing but answers."""
    operators = {name for rules in SERVICES for name, rule in rules.of.items() if Role.OPERATOR in rule.roles}
    changed = {name for name, rule in INDEXER.of.items() if rule.changes and rule.roles & READING}

    assert operators.isdisjoint(RETRIEVER.of)
    assert operators & set(ORCHESTRATOR.of) == {"ListIndexDebt", "ListRatings"}
    assert changed == set()
    assert INDEXER.of["DeleteRepository"].roles == {Role.ADMIN}
