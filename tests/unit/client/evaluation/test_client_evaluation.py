"""What evaluation commands share: cases, mirrors, results and figures."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cgrag_client.errors import UsageError
from cgrag_client.evaluation.answers import OneFolder
from cgrag_client.evaluation.cases import (
    ClassifierCase,
    LocalizationCase,
    parse_classifier,
    parse_localization,
    parse_question,
    read_cases,
)
from cgrag_client.evaluation.mirrors import Mirrors, index_name
from cgrag_client.evaluation.output import Progress, Results, percentile, print_json, print_table, require_folder
from tests.fakes.git_repositories import git


@pytest.fixture
def mirror(tmp_path: Path) -> tuple[Path, str]:
    """A repository of two commits at <folder>/owner+name; returns the folder and the first commit."""
    repository = tmp_path / "mirrors" / "owner+name"
    repository.mkdir(parents=True)
    git(repository, "init", "-q")
    (repository / "a.py").write_text("one = 1\n")
    (repository / ".gitattributes").write_text("docs export-ignore\n")
    (repository / "docs").mkdir()
    (repository / "docs" / "page.md").write_text("page\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "first")
    first = git(repository, "rev-parse", "HEAD")
    (repository / "a.py").write_text("two = 2\n")
    git(repository, "commit", "-qam", "second")
    return tmp_path / "mirrors", first


def test_reads_cases(tmp_path: Path) -> None:
    """One JSON object a line becomes one case; blank lines and fields that nobody asked for are ignored."""
    file = tmp_path / "cases.jsonl"
    row = {"instance_id": "i", "repo": "a/b", "base_commit": "c", "problem_statement": "p", "more": 1}
    file.write_text(json.dumps({**row, "gold_files": ["a.py"]}) + "\n\n")

    assert read_cases(file, parse_localization) == (LocalizationCase("i", "a/b", "c", "p", ("a.py",), ()),)


def test_names_every_bad_line(tmp_path: Path) -> None:
    """All bad lines are reported at once, each with its number and what is wrong."""
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"question": "q", "mode": "diagnostic"}\nnot json\n[1]\n{"question": " ", "mode": "x"}\n' + "[" * 5000
    )

    with pytest.raises(UsageError) as raised:
        read_cases(file, parse_classifier)

    message = str(raised.value)
    assert ":1:" not in message
    assert ":2: not JSON" in message
    assert ":3: expected a JSON object" in message
    assert ':4: "mode" must be CONCEPTUAL' in message
    assert ":5: not JSON" in message


def test_a_case_stands_once_in_a_file(tmp_path: Path) -> None:
    """Results are kept by identity: of two cases with the same one, one would count twice."""
    file = tmp_path / "cases.jsonl"
    row = {"id": "a", "repo": "o/n", "commit": "1" * 40, "question": "q", "gold_files": [], "gold_functions": []}
    file.write_text("".join(json.dumps({**row, "id": name}) + "\n" for name in ("a", "b", "a")))

    with pytest.raises(UsageError, match=r":3: 'a' is the case of line 1"):
        read_cases(file, parse_question)


def test_a_folder_that_answers_for_all_has_an_index_of_its_own(mirror: tuple[Path, str], tmp_path: Path) -> None:
    """Its files may change between runs, and are none of the commit that a case names."""
    folder, commit = mirror
    name, is_fixed = OneFolder(tmp_path).index_of("owner/name", commit)

    assert Mirrors(folder).index_of("owner/name", commit) == (index_name("owner/name", commit), True)
    assert name == OneFolder(tmp_path).index_of("other/name", "2" * 40)[0]
    assert name != OneFolder(folder).index_of("owner/name", commit)[0]
    assert not is_fixed


@pytest.mark.parametrize(
    ("content", "text"), [(None, "cannot be read"), (b"\n", "no cases"), (b"\xff\xfe", "not UTF-8")]
)
def test_refuses_files_without_cases(tmp_path: Path, content: bytes | None, text: str) -> None:
    """A missing, empty or undecodable file is an error of use."""
    file = tmp_path / "cases.jsonl"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(UsageError, match=text):
        read_cases(file, lambda row: ClassifierCase(str(row), "x"))


def test_lays_out_the_files_of_a_commit(mirror: tuple[Path, str]) -> None:
    """The files are those of the commit, all of them, with the history up to it alone; they go away at the end."""
    folder, first = mirror
    with Mirrors(folder).checkout("owner/name", first) as checkout:
        files = (path.relative_to(checkout) for path in checkout.rglob("*") if path.is_file())
        names = sorted(str(path) for path in files if path.parts[0] != ".git")
        text = (checkout / "a.py").read_text()
        log = subprocess.run(["git", "log", "--format=%H"], cwd=checkout, capture_output=True, check=True, text=True)

    assert names == [".gitattributes", "a.py", "docs/page.md"]
    assert text == "one = 1\n"
    assert log.stdout.split() == [first]
    assert not checkout.exists()


def test_a_folder_of_mirrors_must_be_there(tmp_path: Path) -> None:
    """Otherwise every case would count as a miss, which reads like a figure."""
    with pytest.raises(UsageError, match="no such folder"):
        Mirrors.of(str(tmp_path / "nowhere"), "")


def test_says_which_commit_is_missing(mirror: tuple[Path, str]) -> None:
    """A commit that a mirror does not hold is an error that names both."""
    folder, _ = mirror
    with (
        pytest.raises(UsageError, match="no commit 1234567"),
        Mirrors(folder).checkout("owner/name", "1234567890123456789012345678901234567890"),
    ):
        pass


def test_says_where_it_looked(tmp_path: Path) -> None:
    """A repository that is not there is an error that names every place that was tried."""
    with pytest.raises(UsageError) as raised:
        Mirrors(tmp_path).find("owner/name")

    assert all(name in str(raised.value) for name in ("owner+name/repo", "owner+name", "owner__name"))


def test_prefers_the_map(mirror: tuple[Path, str], tmp_path: Path) -> None:
    """The map wins over the folder; its folders are relative to its file."""
    folder, _ = mirror
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"other/name": "mirrors/owner+name"}))

    assert Mirrors.of("", str(file)).find("other/name") == folder / "owner+name"


@pytest.mark.parametrize("content", ["[]", '{"a": 1}', "x"])
def test_refuses_a_malformed_map(tmp_path: Path, content: str) -> None:
    """A map is an object of texts."""
    file = tmp_path / "map.json"
    file.write_text(content)

    with pytest.raises(UsageError, match="--mirror-map"):
        Mirrors.of("", str(file))


def test_names_indexes_by_repository_and_commit() -> None:
    """Each commit has its own index, under a name that services accept."""
    assert index_name("Owner/Name", "ABCDEF0123456789") == "owner-name-abcdef012345"


def test_keeps_results_for_the_next_run(tmp_path: Path) -> None:
    """Results are there after a restart; a half-written line is run again."""
    file = tmp_path / "results.jsonl"
    Results(file).put("case-1", {"hit": True})
    with file.open("a") as broken:
        broken.write('{"id": "case-2", "res')

    results = Results(file)

    assert results.get("case-1") == {"hit": True}
    assert results.get("case-2") is None


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 5), (0.95, 10), (1.0, 10)])
def test_reads_percentiles_by_nearest_rank(share: float, expected: float) -> None:
    """A percentile is one of the values; of none it is 0."""
    assert percentile(list(range(10, 0, -1)), share) == expected
    assert percentile([], share) is None


def test_prints_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    """Figures are one object on one line, rounded."""
    print_json({"n": 2, "acc": {"1": 1 / 3}})

    assert capsys.readouterr().out == '{"n": 2, "acc": {"1": 0.333333}}\n'


def test_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Fractions have three digits; where there is no figure stands a dash."""
    print_table("Scores", ("what", "share"), [("files", 0.5), ("functions", 0.25), ("tests", None)])

    out = capsys.readouterr().out
    assert "Scores" in out
    assert "0.500" in out
    assert out.splitlines()[-2].strip("│ ").split() == ["tests", "│", "-"]


def test_tells_progress_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Elsewhere than on a terminal there is a line every ten seconds and one at the end."""
    times = iter([0.0, 1.0, 12.0, 13.0])
    progress = Progress(3, "cases", clock=lambda: next(times))
    for _ in range(3):
        progress.step()

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == ["cases 2/3, 12 s, about 6 s to go", "cases 3/3, 13 s, about 0 s to go"]


def test_a_file_to_write_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    """Its folder has to be there: a long run would be lost at its end."""
    require_folder("--prometheus", tmp_path / "cgrag.prom")
    with pytest.raises(UsageError, match=r"--prometheus .*/nowhere/cgrag\.prom: there is no folder .*/nowhere"):
        require_folder("--prometheus", tmp_path / "nowhere/cgrag.prom")
