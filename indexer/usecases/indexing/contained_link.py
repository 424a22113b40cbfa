"""Links the files of one language; if the linker fails on some files, only these files have no edges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.domain.failures import NO_UNIT, UnitsFailed, failure_reason
from indexer.domain.model import ALL_TIERS, Linked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.model import LinkUnit
    from indexer.ports import Linker

_STEPS = 2
"""Steps of a linker that can raise UnitsFailed; the error of a step names all units that the step fails on."""


def link_contained(linker: Linker, units: Sequence[LinkUnit]) -> Linked:
    """Return the edges that can be found; `failed` has the units whose edges are missing, in the worst case all."""
    failed: dict[int, str] = {}
    for _ in range(_STEPS + 1):
        try:
            linked = linker.link(units)
        except UnitsFailed as failure:
            failed |= failure.reasons
            units = [
                replace(unit, parsed=replace(unit.parsed, program=b"")) if at in failed else unit
                for at, unit in enumerate(units)
            ]
        except Exception as error:  # noqa: BLE001 (the boundary that keeps a defect from ending the index)
            return Linked((), ALL_TIERS, failed=dict.fromkeys(range(len(units)), failure_reason(error)))
        else:
            failed = {**linked.failed, **failed}
            return replace(linked, cut=ALL_TIERS, failed=failed) if failed.keys() - {NO_UNIT} else linked
    return Linked((), ALL_TIERS, failed=failed)
