"""How far a job says that it is."""

from __future__ import annotations

from indexer.domain.jobs import Phase, Progressed, WorkEvent
from indexer.usecases.jobs.phases import Phases
from tests.fakes.clock import FakeClock


class Told:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.events: list[WorkEvent] = []

    def tell(self, event: WorkEvent) -> None:
        """Remember."""
        self.events.append(event)


def test_time_to_go_counts_the_work_and_not_the_files() -> None:
    """A small file in one second says that the large one beside it takes nine; the next phase counts anew."""
    sink, clock = Told(), FakeClock()
    phases = Phases(sink, clock)
    phases.begin(Phase.PARSING, 2, work=1000)
    clock.advance(1.0)
    phases.advance(work=100)
    phases.begin(Phase.EMBEDDING, 4)
    clock.advance(1.0)
    phases.advance()
    told = [event.progress for event in sink.events if isinstance(event, Progressed)]

    assert (told[1].done, told[1].total, told[1].eta_seconds) == (1, 2, 9.0)
    assert (told[3].done, told[3].total, told[3].eta_seconds) == (1, 4, 3.0)
