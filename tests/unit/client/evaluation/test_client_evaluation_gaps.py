"""Gaps made from a repository: what they ask for, and how their endings are scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgrag_client.evaluation.gaps.cases import GapCase, make_cases, paraphrase, skipped_text, undecodable_bytes
from cgrag_client.evaluation.gaps.measure import Ending, rounds_of, score, undocumented
from cgrag_client.evaluation.gaps.truth import read_truth

_NET = '''import requests
from pathlib import Path


class Client:
    """Talks to the server."""

    def fetch_page(self, url):
        """Return the page at an address, or an empty text if the server has no such page."""
        return requests.get(url)


def remember_page(page):
    """Keep it."""
    return Path(page)
'''
_ROWS = "class Rows:\n    def fetch_page(self): ...\n\n    def count_rows(self): ...\n"


@pytest.fixture
def cases(tmp_path: Path) -> list[GapCase]:
    """All gaps that a repository of two files gives."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    (tmp_path / "pkg/net.py").write_text(_NET)
    (tmp_path / "pkg/rows.py").write_text(_ROWS)
    (tmp_path / "pkg/broken.py").write_text("def broken(:\n")
    return make_cases(read_truth(tmp_path), seed=1, per_kind=100)


def _of_kind(cases: list[GapCase], kind: str) -> dict[str, GapCase]:
    return {case.symbol or case.description: case for case in cases if case.kind == kind}


def test_names_that_exist_are_asked_for_only_where_there_is_no_doubt(cases: list[GapCase]) -> None:
    """In full, by a unique ending, with the right file and with a wrong one."""
    assert _of_kind(cases, "exact")["pkg.net.Client.fetch_page"].place == ("pkg/net.py", "Client.fetch_page")
    assert set(_of_kind(cases, "partial")) == {
        "Client", "Client.fetch_page", "remember_page", "Rows", "Rows.fetch_page", "count_rows", "Rows.count_rows",
    }  # fmt: skip
    assert _of_kind(cases, "with file")["fetch_page"].path
    wrong = _of_kind(cases, "wrong file")
    assert "fetch_page" not in wrong
    assert all(case.place and case.place[0] != case.path for case in wrong.values())


def test_a_name_that_a_file_without_a_tree_may_define_is_in_doubt(tmp_path: Path) -> None:
    """An index may read what this Python cannot parse, such as newer syntax."""
    (tmp_path / "rows.py").write_text(_ROWS)
    (tmp_path / "newer.py").write_text("class Table:\n    async def count_rows(self):\n        with (:\n")
    cases = make_cases(read_truth(tmp_path), seed=1, per_kind=100)

    assert set(_of_kind(cases, "partial")) == {"Rows", "Rows.fetch_page", "fetch_page"}


def test_a_docstring_is_asked_for_in_other_words(cases: list[GapCase]) -> None:
    """Only one that is long enough, and that does not name its symbol."""
    (only,) = _of_kind(cases, "paraphrase").values()

    assert only.place == ("pkg/net.py", "Client.fetch_page")
    assert only.description == "or an empty text if the server has no such page give back the page at an address"
    assert paraphrase("Creates a `Thing`.") == "builds a Thing"


def test_what_only_supports_tests_is_not_asked_for_by_description(tmp_path: Path) -> None:
    """Wherever a project keeps it: a description never means a test."""
    for folder in ("tests", "t/integration", "pkg/testing", "pkg/t"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "net.py").write_text(_NET.replace("fetch_page", f"fetch_{folder.replace('/', '_')}"))

    asked = _of_kind(make_cases(read_truth(tmp_path), seed=1, per_kind=100), "paraphrase")

    assert {case.place[0] for case in asked.values() if case.place} == {"pkg/t/net.py"}


def test_names_that_do_not_exist_are_of_several_kinds(cases: list[GapCase]) -> None:
    """Invented ones, neighbours of real ones, members of other classes, outside ones, and uncovered ones."""
    assert all(case.outcome == "ABSENT" for case in _of_kind(cases, "invented").values())
    assert _of_kind(cases, "near miss")
    assert "Rows.remember_page" not in _of_kind(cases, "foreign member")
    assert set(_of_kind(cases, "foreign member")) <= {"Client.count_rows", "Rows.fetch_page"}
    assert {"requests.get", "pathlib.Path"} == set(_of_kind(cases, "external"))
    assert all(case.outcome == "OUT_OF_COVERAGE" for case in _of_kind(cases, "not covered").values())
    assert {case.outcome for case in _of_kind(cases, "elsewhere").values()} == {"BELOW_FLOOR"}


def test_equal_seeds_give_equal_gaps(tmp_path: Path) -> None:
    """The run can be repeated."""
    (tmp_path / "net.py").write_text(_NET)
    truth = read_truth(tmp_path)

    assert make_cases(truth, seed=7, per_kind=2) == make_cases(truth, seed=7, per_kind=2)


def test_planted_files_cannot_be_covered() -> None:
    """One is too large, one is in no encoding."""
    assert len(skipped_text(2_000_000)) > 2_000_000
    with pytest.raises(UnicodeDecodeError):
        undecodable_bytes().decode("gbk")


def test_endings_are_summed_up() -> None:
    """Right symbols of what exists, false ones of what does not, and the right reasons."""
    here, other = ("a.py", "f"), ("b.py", "g")
    endings = [
        Ending(GapCase("exact", "RESOLVED", "f", place=here), "RESOLVED", (here,)),
        Ending(GapCase("exact", "RESOLVED", "f", place=here), "RESOLVED", (other, here)),
        Ending(GapCase("paraphrase", "RESOLVED", "", place=here), "RESOLVED", (other, here)),
        Ending(GapCase("exact", "RESOLVED", "f", place=here), "AMBIGUOUS", (here, other)),
        Ending(GapCase("invented", "ABSENT", "x"), "ABSENT", ()),
        Ending(GapCase("external", "EXTERNAL", "y"), "ABSENT", ()),
        Ending(GapCase("near miss", "ABSENT", "z"), "RESOLVED", (here,)),
        Ending(GapCase("near miss", "ABSENT", "z"), "ABSENT", ()),
    ]

    summary = score(endings)

    assert (summary["n_present"], summary["n_absent"]) == (4, 4)
    assert (summary["right"], summary["false_resolved"], summary["right_reason"]) == (0.5, 0.25, 0.5)
    assert summary["right_first"] == 0.25


def test_a_symbol_documented_alike_is_as_right(tmp_path: Path) -> None:
    """An override that repeats the documentation cannot be told from what it overrides."""
    text = '"""Return what is left of the budget after all the calls of this pass."""'
    (tmp_path / "a.py").write_text(f"def spare():\n    {text}\n\n\ndef rest():\n    {text}\n")

    cases = [case for case in make_cases(read_truth(tmp_path), seed=1, per_kind=9) if case.kind == "paraphrase"]

    assert {case.place: case.same for case in cases} == {
        ("a.py", "spare"): (("a.py", "rest"),),
        ("a.py", "rest"): (("a.py", "spare"),),
    }
    assert all(Ending(case, "RESOLVED", case.same).is_right_first for case in cases)


def test_paraphrases_of_one_file_are_asked_of_different_indexes(cases: list[GapCase]) -> None:
    """So are those whose documentation is repeated in one; together all share one, as names do."""
    described = [
        GapCase("paraphrase", "RESOLVED", description=str(number), place=(path, "f"), same=same)
        for number, (path, same) in enumerate(
            [("a.py", ()), ("b.py", (("c.py", "f"),)), ("a.py", ()), ("c.py", ()), ("a.py", ())]
        )
    ]
    names = [case for case in cases if case.kind != "paraphrase"]
    rounds = rounds_of([*described, *names], together=False)

    assert rounds[0] == names
    assert [[case.description for case in each] for each in rounds[1:]] == [["0", "1"], ["2", "3"], ["4"]]
    assert rounds_of([*names, *described], together=True) == [names, described]


def test_documentation_is_missing_wherever_it_stands_and_then_put_back(tmp_path: Path) -> None:
    """What repeats it word for word would give the paraphrase away; all other documentation stays."""
    text, other = '"""Return what is left of the budget after this pass."""', '"""Return what all calls have cost."""'
    spare, rest = f"def spare():\n    {text}\n", f"def rest():\n    {text}\n\n\ndef cost():\n    {other}\n"
    (tmp_path / "a.py").write_bytes(spare.replace("\n", "\r\n").encode())
    (tmp_path / "b.py").write_text(rest)
    truth = read_truth(tmp_path)
    asked = [case for case in make_cases(truth, seed=1, per_kind=9) if case.description.endswith("this pass")]

    with undocumented(tmp_path, truth.definitions, asked[:1]):
        bare = {name: (tmp_path / name).read_text() for name in ("a.py", "b.py")}

    assert bare == {"a.py": "def spare():\n    ...\n", "b.py": rest.replace(text, "...")}
    assert (tmp_path / "a.py").read_bytes() == spare.replace("\n", "\r\n").encode()
    assert (tmp_path / "b.py").read_text() == rest
