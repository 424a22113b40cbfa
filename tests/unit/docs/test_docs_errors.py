"""The page of errors has every reason of the contract, with the code that the services send it with."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from cgrag.type.v1 import error_pb2

from cgrag_client.cli.exits import _BY_REASON
from common.core.errors import AppError
from common.rpc.status import CODES

ROOT = Path(__file__).parents[3]
PREFIX = "ERROR_REASON_"
MODULES = (
    "common.core.errors",
    "indexer.domain.errors",
    "retriever.domain.errors",
    "orchestrator.domain.answers.errors",
)


def rows() -> dict[str, str]:
    """Return the codes that the page gives, by reason."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \| (?:no|yes|wait) \| \S.* \|$", page, re.MULTILINE))


def errors() -> list[type[AppError]]:
    """Return what the services say no with."""
    return [
        each
        for module in map(importlib.import_module, MODULES)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, AppError) and "reason" in vars(each)
    ]


def test_the_page_has_every_reason_and_no_other() -> None:
    """Whoever gets a reason finds it there; what was removed from the contract is removed there, too."""
    contract = error_pb2.ErrorReason.DESCRIPTOR.values_by_name
    reasons = {name.removeprefix(PREFIX) for name in contract} - {"UNSPECIFIED"}

    assert set(rows()) == reasons


@pytest.mark.parametrize("error", errors(), ids=lambda error: f"{error.__module__}.{error.__name__}")
def test_the_page_has_the_code_that_is_sent(error: type[AppError]) -> None:
    """An error of any service arrives with the code that the page promises for its reason."""
    assert rows()[error.reason.removeprefix(PREFIX)] == CODES[error.kind].name


def test_the_command_line_knows_reasons_of_the_contract_only() -> None:
    """Exit codes are chosen by reasons that exist."""
    assert {reason.removeprefix(PREFIX) for reason in _BY_REASON} <= set(rows())
