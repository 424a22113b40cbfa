"""Scoring of call graphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cgrag_client.errors import UsageError
from cgrag_client.evaluation.callgraph import Case, LinkedCase, command, read_cases, score_case, summarize


def edges(*pairs: str) -> frozenset[tuple[str, str]]:
    """Read edges written as `a>b`."""
    return frozenset((pair.split(">")[0], pair.split(">")[1]) for pair in pairs)


def case(truth: frozenset[tuple[str, str]], repo: str = "") -> Case:
    """Make a case without sources."""
    return Case("c", truth, Path(), repo=repo)


def test_only_callees_of_the_case_count() -> None:
    """Edges to builtins and libraries are neither right nor missed."""
    found = LinkedCase(edges("m>m.f", "m>os.path"), frozenset({"m", "m.f", "m.g"}))

    score = score_case(case(edges("m>m.f", "m>m.g", "m>len")), found)

    assert (score.right, score.wrong, score.missed) == (edges("m>m.f"), frozenset(), edges("m>m.g"))


def test_of_recorded_calls_only_what_ran_can_be_wrong() -> None:
    """An edge to something that never ran may well be right."""
    found = LinkedCase(edges("m>m.f", "m.f>m", "m>m.idle"), frozenset({"m", "m.f", "m.idle"}))

    score = score_case(case(edges("m>m.f"), repo="a/b"), found, covered=True)

    assert score.wrong == edges("m.f>m")


def test_a_truth_with_some_edges_only_calls_nothing_wrong() -> None:
    """With recall alone asked for, precision is one."""
    found = LinkedCase(edges("m>m.f", "m>m.g"), frozenset({"m", "m.f", "m.g"}))

    metrics = summarize({"c": score_case(case(edges("m>m.f")), found, recall_only=True)})

    assert (metrics["precision"], metrics["recall"], metrics["exact"]) == (1.0, 1.0, 1)


def test_sums_are_over_edges() -> None:
    """Precision and recall are micro averages; soundness and completeness count cases."""
    defined = frozenset({"m", "m.f", "m.g"})
    good = score_case(case(edges("m>m.f")), LinkedCase(edges("m>m.f"), defined))
    bad = score_case(case(edges("m>m.f", "m>m.g")), LinkedCase(edges("m>m.f", "m>m"), defined))

    metrics = summarize({"good": good, "bad": bad})

    assert {key: metrics[key] for key in ("cases", "edges", "exact", "sound", "complete")} == {
        "cases": 2, "edges": 3, "exact": 1, "sound": 1, "complete": 1,
    }  # fmt: skip
    assert metrics["precision"] == pytest.approx(2 / 3)
    assert metrics["recall"] == pytest.approx(2 / 3)


def test_cases_are_found_at_any_depth(tmp_path: Path) -> None:
    """A folder with callgraph.json is a case; its sources are in src/ or beside it."""
    for name in ("a/b", "c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "callgraph.json").write_text('{"m": ["m.f"]}')
    (tmp_path / "c" / "src").mkdir()

    found = read_cases(tmp_path)

    assert [(each.name, each.root.relative_to(tmp_path).as_posix()) for each in found] == [
        ("a/b", "a/b"),
        ("c", "c/src"),
    ]


def test_no_cases_is_an_error_of_use(tmp_path: Path) -> None:
    """An empty folder is told about."""
    with pytest.raises(UsageError, match=r"no callgraph\.json"):
        read_cases(tmp_path)


def test_the_command_links_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sources in, one JSON object out, edges written where asked."""
    folder = tmp_path / "cases" / "one"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("def f(): pass\nf()\n")
    (folder / "callgraph.json").write_text('{"main": ["main.f"]}')

    command(tmp_path / "cases", edges_out=str(tmp_path / "edges.json"), as_json=True)

    metrics = json.loads(capsys.readouterr().out)
    assert (metrics["cases"], metrics["edges"], metrics["f1"], metrics["exact"]) == (1, 1, 1.0, 1)
    assert json.loads((tmp_path / "edges.json").read_text()) == {"one": {"main": ["main.f"]}}


def test_truths_from_bytecode_are_read_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Signatures, `<init>` and `$` are spelled as all other names, and a lambda's calls are those of its method."""
    folder = tmp_path / "case"
    folder.mkdir()
    truth = {"a.Main:main(java.lang.String[])": ["a.Main:help()", "a.Main$Inner:<init>(int)"]}
    (folder / "callgraph.json").write_text(json.dumps(truth))
    (folder / "Main.java").write_text(
        "package a;\nclass Main {\n  static void main(String[] given) {\n    Runnable r = () -> help();\n"
        "    new Inner(1);\n  }\n  static void help() {}\n"
        "  static class Inner {\n    Inner(int n) {}\n  }\n}\n"
    )

    command(tmp_path, recall_only=True, as_json=True)
    printed = json.loads(capsys.readouterr().out)

    assert (printed["edges"], printed["recall"]) == (2, 1.0)
