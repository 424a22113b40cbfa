"""Forms of issues: valid by what the hosting page asks of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

FORMS = sorted((Path(__file__).parents[3] / ".github/ISSUE_TEMPLATE").glob("*.yaml"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: str(path.stem))
def test_a_form_can_be_filled_in(path: Path) -> None:
    """It has a name, a description and fields, each with its own id and a label; some must be filled in."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    ids = [field["id"] for field in form["body"]]

    assert form["name"]
    assert form["description"]
    assert len(ids) == len(set(ids)) > 0
    assert all(field["type"] in ("input", "textarea") and field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])
