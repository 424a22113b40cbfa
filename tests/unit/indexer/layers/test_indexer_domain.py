"""Identity, roles, co-changes, prose, jobs and sets as values."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.domain.cochange import MAX_COMMIT_FILES, count_changes
from indexer.domain.jobs import (
    GitSource,
    Job,
    JobSpec,
    JobState,
    LocalSource,
    Phase,
    Progress,
    Published,
    default_name,
)
from indexer.domain.roles import is_test
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet, kept_sets, previous_set, snapshot_id
from indexer.domain.source.blobs import blob_id, blob_ids
from indexer.domain.source.identity import source_identity
from indexer.domain.text.prose import MAX_SECTION_LINES, is_prose, sections
from indexer.domain.tree import Commit, Skipped, SkipReason, TextFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def text_file(path: str, sha256: str = "00") -> TextFile:
    return TextFile(path, sha256, 1, "x\n")


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@given(st.dictionaries(paths, st.sampled_from(["1", "2"]), max_size=6), st.randoms())
def test_identity_depends_on_contents_not_on_order(tree: dict[str, str], random: object) -> None:
    """The same files in any order have one identity."""
    files = [text_file(f"{path}.py", digest) for path, digest in tree.items()]
    mixed = list(files)
    random.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis gives a random.Random

    assert source_identity(files, [], {}) == source_identity(mixed, [], {})


@pytest.mark.parametrize(
    "other",
    [
        ([text_file("a.py", "2")], [], {"v": "1"}),
        ([text_file("b.py", "1")], [], {"v": "1"}),
        ([text_file("x/a.py", "1")], [], {"v": "1"}),
        ([text_file("a.py", "1"), text_file("b.py", "1")], [], {"v": "1"}),
        ([text_file("a.py", "1")], [Skipped("b.bin", SkipReason.BINARY)], {"v": "1"}),
        ([text_file("a.py", "1")], [], {"v": "2"}),
    ],
)
def test_identity_changes_with_anything_that_counts(
    other: tuple[list[TextFile], list[Skipped], dict[str, str]],
) -> None:
    """Content, path, folder, number of files, coverage and settings each make another identity."""

    assert source_identity(*other) != source_identity([text_file("a.py", "1")], [], {"v": "1"})


@pytest.mark.parametrize(
    "path",
    ["tests/x.py", "pkg/tests/helper.py", "test_a.py", "a_test.go", "conftest.py", "src/test/A.java", "FooTest.java",
     "a.spec.ts", "a.test-d.ts", "__tests__/b.js", "test/x.js", "testing/test.py", "django/contrib/admin/tests.py",
     "typing_tests/mypy.py", "pkg/integration-tests/shop.js", "Shop.Tests/Carts.cs", "shop/UnitTests/carts.cpp",
     "smoke_test/shop.py", "e2e/shop.ts", "app/src/integrationTest/java/Shop.java", "test.c", "test.mjs",
     "src/test_cart.c", "src/cart_unittest.cc", "src/CartTest.cpp", "src/cart/tests.rs", "lib/test_cart.rb",
     "src/cart_test.zig", "src/OrderIT.kt", "src/CartSpec.groovy"],
)  # fmt: skip
def test_tests_are_told_by_path(path: str) -> None:
    """The test conventions of the full languages are known."""

    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    ["django/test/client.py", "xarray/testing/assertions.py", "contest.py", "latest.js", "contests/rules.py",
     "shop/load_test/plan.py", "src/latest/a.js", "shop/e2e/plan.py", "src/test.c", "lib/commands/test.js",
     "src/commands/test.rs", "src/latest.c", "src/Latest.cpp", "src/contests.cpp",
     "docs/load_test.md", "api/OrderSpec.yaml", "src/AUDIT.kt"],
)  # fmt: skip
def test_libraries_for_testing_are_no_tests(path: str) -> None:
    """Code that helps to test, below a package, is code like any other."""

    assert not is_test(path)


def test_cochanges_count_pairs_of_small_commits() -> None:
    """Pairs count from two common commits on; large commits count for files alone; absent files not at all."""
    large = tuple(f"f{number}.py" for number in range(MAX_COMMIT_FILES))
    commits = [
        Commit(30, ("a.py", "b.py", "gone.py")),
        Commit(20, ("b.py", "a.py", "c.py", *large[3:])),
        Commit(40, ("a.py", "c.py", *large[1:])),
    ]
    history = count_changes(commits, {"a.py", "b.py", "c.py"})

    assert dict(history.cochanges) == {("a.py", "b.py"): 2}
    assert history.files["a.py"].changes == 3
    assert history.files["a.py"].last_change == 40
    assert history.files["b.py"].last_change == 30


def test_git_blob_ids_are_those_of_git() -> None:
    """The empty blob has the id that every git repository knows, by either hash."""

    assert blob_id(b"", "0" * 40) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"", "0" * 64) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"


def test_tree_listing_gives_regular_files() -> None:
    """Links and submodules in `ls-tree` output are left out."""
    listed = b"100644 blob aa\tx.py\x00120000 blob bb\tlink\x00160000 commit cc\tsub\x00100755 blob dd\ta b.sh\x00"

    assert blob_ids(listed) == {"x.py": "aa", "a b.sh": "dd"}


def test_markdown_is_cut_at_headings_outside_of_code() -> None:
    """Nested titles are kept; a comment in a fenced block is no heading; front matter is no heading."""
    text = "---\nabout: x\n---\n\n# One\nbody\n```\n# not a title\n```\n## Two\nmore\n\nThree\n-----\nlast\n"
    found = sections("a.md", text)

    assert [(each.titles, each.start_line) for each in found] == [
        ((), 1),
        (("One",), 5),
        (("One", "Two"), 10),
        (("One", "Three"), 13),
    ]


def test_restructured_text_levels_follow_first_use() -> None:
    """Underline styles get levels in the order in which they come up; overlined titles too."""
    text = "=====\nGuide\n=====\n\nintro\n\nFirst\n-----\nbody\n\nInner\n~~~~~\nx\n\nSecond\n------\ny\n"
    found = sections("a.rst", text)

    assert [each.titles for each in found] == [
        ("Guide",),
        ("Guide", "First"),
        ("Guide", "First", "Inner"),
        ("Guide", "Second"),
    ]


@given(st.text(alphabet="ab# =-~\n`", max_size=300), st.sampled_from(["a.md", "a.rst", "a.txt"]))
def test_sections_cover_every_line_with_text(text: str, path: str) -> None:
    """No line that holds text is lost, and sections do not overlap."""
    covered: list[int] = []
    for section in sections(path, text):
        covered.extend(range(section.start_line, section.end_line + 1))
    wanted = [number for number, line in enumerate(text.split("\n"), 1) if line.strip()]

    assert len(covered) == len(set(covered))
    assert set(wanted) <= set(covered)


def test_long_sections_are_cut_at_blank_lines() -> None:
    """A section longer than the limit is cut where a paragraph ends."""
    paragraph = "word\n" * 9 + "\n"
    found = sections("a.txt", paragraph * 30)

    assert len(found) == 3
    assert all(each.end_line - each.start_line < MAX_SECTION_LINES for each in found)
    assert [each.start_line for each in found] == [1, MAX_SECTION_LINES + 1, 2 * MAX_SECTION_LINES + 1]
    assert found[1].text.startswith("word")


def test_a_long_section_is_cut_behind_its_last_blank_line() -> None:
    """What stands between that line and the limit begins the next part, whole."""
    first, second = sections("a.txt", "word\n" * 100 + "\n" + "next\n" * 60)

    assert (first.end_line, second.start_line) == (101, 102)
    assert second.text == "\n".join(["next"] * 60)


def test_prose_is_told_by_name() -> None:
    """Markdown, reStructuredText, text files and well-known bare names are prose; code is not."""

    assert [is_prose(name) for name in ("a.md", "b.rst", "README", "c.py", "LICENSE")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_job_goes_through_its_states() -> None:
    """Taken, published, ended; a final state stays."""
    job = Job("job_1", JobSpec("r", LocalSource("/x")), NOW).started(NOW)
    published = job.after(Published("s" * 64, unchanged=False, counts=Counts(files=1)))
    done = published.ended(JobState.SUCCEEDED, NOW)

    assert (job.state, published.state, done.state) == (JobState.RUNNING, JobState.ENRICHING, JobState.SUCCEEDED)
    assert done.failed(NOW, "late") == done.ended(JobState.CANCELLED, NOW) == done


@pytest.mark.parametrize("unchanged", [True, False])
def test_later_layers_do_not_tell_whether_the_source_had_changed(unchanged: bool) -> None:
    """That is known when the core is published; findings and vectors come to an unchanged source too."""
    job = Job("job_1", JobSpec("r", LocalSource("/x")), NOW).started(NOW)
    core = job.after(Published("s" * 64, unchanged=unchanged, counts=Counts(files=1)))
    full = core.after(Published("t" * 64, unchanged=False, counts=Counts(files=1, vectors=1)))

    assert (core.unchanged, full.unchanged) == (unchanged, unchanged)
    assert (full.state, full.snapshot_id, full.counts.vectors) == (JobState.ENRICHING, "t" * 64, 1)


def test_a_job_that_is_run_again_does_not_call_its_own_core_unchanged() -> None:
    """What counts is the source before its first attempt, whether that published provisionally or exactly."""
    job = Job("job_1", JobSpec("r", LocalSource("/x")), NOW).started(NOW)
    exact, same = (Published("s" * 64, unchanged=each, counts=Counts(files=1)) for each in (False, True))
    shown = dataclasses.replace(exact, provisional=True)

    assert not job.after(exact).interrupted(NOW).started(NOW).after(same).unchanged
    assert not job.after(shown).interrupted(NOW).started(NOW).after(same).unchanged
    assert not job.after(same).interrupted(NOW).started(NOW).after(exact).unchanged
    assert job.after(same).interrupted(NOW).started(NOW).after(same).unchanged


def test_interrupted_job_is_done_again_but_not_for_ever() -> None:
    """A job whose worker vanished is queued again twice, then it fails with what to do."""
    job = Job("job_1", JobSpec("r", LocalSource("/x")), NOW)
    states = []
    for _ in range(3):
        job = job.started(NOW).interrupted(NOW)
        states.append(job.state)

    assert states == [JobState.QUEUED, JobState.QUEUED, JobState.FAILED]
    assert "start it again" in job.error


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (LocalSource("/home/me/My Project/"), "my-project"),
        (GitSource("https://host/Owner/Repo.git"), "repo"),
        (GitSource("git@host:repo.git"), "repo"),
        (LocalSource("/"), ""),
    ],
)
def test_names_are_made_of_the_last_part(source: LocalSource | GitSource, name: str) -> None:
    """A repository without a name gets one from its path or URL."""

    assert default_name(source) == name


def test_eta_is_unknown_without_rate_or_total() -> None:
    """The estimate is what is left over by the rate."""

    assert Progress(Phase.PARSING, 50, 100, 10.0).eta_seconds == 5.0
    assert Progress(Phase.PARSING, 50, 0, 10.0).eta_seconds is None
    assert Progress(Phase.PARSING, 0, 100, 0.0).eta_seconds is None


def test_eta_goes_by_work_where_units_are_unequal() -> None:
    """Nine of ten files in 3 s that are a quarter of all text: what is left takes 9 s."""

    assert Progress(Phase.PARSING, 9, 10, 3.0, 0.25).eta_seconds == 9.0
    assert Progress(Phase.PARSING, 10, 10, 3.0, 1.0).eta_seconds == 0.0


def test_snapshot_id_is_the_digest_of_its_layers_in_order() -> None:
    """The order in which layers are named does not matter; each digest does."""
    core, vectors = Layer("core", "a" * 64, 1), Layer("vectors", "b" * 64, 1, "m")

    assert snapshot_id([core, vectors]) == snapshot_id([vectors, core])
    assert snapshot_id([core]) != snapshot_id([core, vectors])
    assert len(snapshot_id([core])) == 64


def test_collection_leaves_current_previous_and_leased() -> None:
    """Of four sets the current one, the newest other, and a leased one stay."""
    sets = [
        SnapshotSet("r", "i", "", False, NOW, Counts(), (Layer("core", digest * 64, 1),))
        for digest in ("1", "2", "3", "4")
    ]
    ids = [each.snapshot_id for each in sets]

    assert kept_sets(sets, sets[0], [ids[3]]) == {ids[0], ids[1], ids[3]}
    assert kept_sets(sets, sets[1], []) == {ids[1], ids[0]}


def test_more_layers_of_the_same_core_are_no_way_back() -> None:
    """When vectors have come to a core, the set before is the one of the core before."""
    old, core, vectors = Layer("core", "1" * 64, 1), Layer("core", "2" * 64, 1), Layer("vectors", "3" * 64, 1)
    before, bare, full = (
        SnapshotSet("r", "i", "", False, NOW, Counts(), layers) for layers in ((old,), (core,), (core, vectors))
    )

    assert previous_set([full, bare, before], full) == before
    assert kept_sets([full, bare, before], full, []) == {full.snapshot_id, before.snapshot_id}


def test_urls_are_shown_without_credentials() -> None:
    """User and password are cut; the ssh short form has none."""

    assert GitSource("https://u:p@host/x.git").public_url == "https://host/x.git"
    assert GitSource("git@host:x.git").public_url == "git@host:x.git"
