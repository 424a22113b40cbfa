"""Provisional snapshots and jobs as values: what they say, and what they do not stand for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.adapters.jobs.plain import decode_event, encode_event
from indexer.adapters.store.manifests import decode_set, encode_set
from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource, Published
from indexer.domain.model import SymbolDef, SymbolKind
from indexer.domain.provisional.neighbours import MAX_NEIGHBOURS, choose_neighbours, files_by_module
from indexer.domain.provisional.postings import Gone, patch_postings
from indexer.domain.provisional.published import PublishedSymbol
from indexer.domain.provisional.symbols import number_symbols, untouched
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet, kept_sets, previous_set
from indexer.rpc.convert import job_message, snapshot_message
from indexer.usecases.snapshots import ListedSnapshot

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def snapshot(digest: str, age: int, *, provisional: bool = False) -> SnapshotSet:
    layers = (Layer("core", digest, 1),)
    time = NOW - timedelta(hours=age)
    return SnapshotSet("shop", "s", "", False, time, Counts(), layers, provisional=provisional)


def test_provisional_sets_are_no_way_back() -> None:
    """The set before the edit is the one to roll back to, whether the provisional one or the exact one serves."""
    exact, shown, before = snapshot("c", 0), snapshot("b", 1, provisional=True), snapshot("a", 2)
    sets = [exact, shown, before]

    assert previous_set(sets, exact) == before
    assert previous_set(sets, shown) == exact
    assert previous_set([shown, before], shown) == before
    assert kept_sets(sets, exact, []) == {exact.snapshot_id, before.snapshot_id}
    assert kept_sets(sets, exact, [shown.snapshot_id]) >= {shown.snapshot_id}


def test_sets_say_that_they_are_provisional() -> None:
    """The flag is published, and sets of before it existed are exact."""
    shown = snapshot("b", 1, provisional=True)
    old = encode_set(shown).replace(b' "provisional": true,\n', b"")

    assert decode_set(encode_set(shown)) == shown
    assert not decode_set(old).provisional
    assert snapshot_message(ListedSnapshot(shown, current=True)).provisional


def test_job_runs_on_behind_a_provisional_snapshot() -> None:
    """Its id is there at once; the exact one takes its place, and only then later layers are made."""
    shown = decode_event(encode_event(Published("b", unchanged=False, counts=Counts(files=1), provisional=True)))
    exact = decode_event(encode_event(Published("c", unchanged=False, counts=Counts(files=1))))
    first = Job("j", JobSpec("shop", LocalSource("/x")), NOW).started(NOW).after(shown)
    second = first.after(exact)

    assert (first.state, first.snapshot_id, first.provisional) == (JobState.RUNNING, "b", True)
    assert (second.state, second.snapshot_id, second.provisional) == (JobState.ENRICHING, "c", False)
    assert job_message(first).provisional
    assert first.interrupted(NOW).snapshot_id == "b"


def definition(name: str, start: int, end: int, parent: int = 0) -> SymbolDef:
    kind = SymbolKind.FUNCTION if name else SymbolKind.MODULE
    return SymbolDef(kind, name, name, parent if name else -1, start, end, "", "")


def published(number: int, name: str, start: int, end: int) -> PublishedSymbol:
    kind = SymbolKind.FUNCTION if name else SymbolKind.MODULE
    return PublishedSymbol(number, None, kind, name, start, end)


def test_symbols_keep_their_ids_and_untouched_lines_are_told() -> None:
    """A name keeps its id wherever it stands; a function whose lines are the same is untouched, blank lines aside."""
    old = "a = 1\ndef f():\n    return 1\ndef g():\n    return 2\n"
    new = "a = 1\n\n\ndef g():\n    return 3\n\ndef f():\n    return 1\ndef h(): pass\n"
    before = (published(7, "", 1, 5), published(8, "f", 2, 3), published(9, "g", 4, 5))
    after = (definition("", 1, 9), definition("g", 4, 5), definition("f", 7, 8), definition("h", 9, 9))
    ids = number_symbols(before, after, iter([20]))
    same = untouched(before, old, after, ids, new)

    assert ids == (7, 9, 8, 20)
    assert same.ids == {7, 8}
    assert same.lines == {1: 1, 2: 7, 3: 8}


def test_neighbours_are_few_and_by_what_is_named() -> None:
    """The longest beginning of a name that is a module, files of the same module, then what was reached before."""
    modules = files_by_module([("a/b.py", "a.b"), ("a/__init__.py", "a"), ("go/x.go", "go"), ("go/y.go", "go")])
    many = [f"f{number}.py" for number in range(50)]

    assert choose_neighbours({"c.py": "c"}, ["a.b.Name.method", "os.path"], ["z.py"], modules) == ("a/b.py", "z.py")
    assert choose_neighbours({"c.js": "c"}, ["./a/b.Name"], [], modules) == ("a/b.py",)
    assert choose_neighbours({"go/x.go": "go"}, ["ex.org/m/a/b"], [], modules) == ("go/y.go", "a/b.py")
    assert len(choose_neighbours({"c.py": "c"}, [], many, modules)) == MAX_NEIGHBOURS


ids = st.lists(st.integers(1, 40), unique=True).map(sorted)


@given(ids, st.sets(st.integers(1, 60)), ids, st.integers(0, 1))
@example([3, 5, 7], {5, 6}, [5], 0)
@example([3, 5, 7], {5, 6}, [5], 1)
@example([3, 5, 7], {5, 6}, [5, 6], 0)
def test_patched_postings_are_those_made_anew(held: list[int], gone: set[int], added: list[int], more: int) -> None:
    """What is gone goes, what is new comes, in order, each with its counts; nothing else changes."""
    new = [number for number in added if number in gone or number not in held]
    rows = {number: bytes([number] * 6) for number in held}
    packed = np.array(held, np.uint32).tobytes() + b"".join(rows.values())
    fresh = {number: bytes([number + more] * 6) for number in new}
    wanted = {number: row for number, row in rows.items() if number not in gone} | fresh
    patched = patch_postings(packed, Gone(gone), list(fresh.items()))

    assert patched == np.array(sorted(wanted), np.uint32).tobytes() + b"".join(wanted[n] for n in sorted(wanted))
