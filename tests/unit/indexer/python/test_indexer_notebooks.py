"""Notebooks: code cells are Python at the lines of the file; what cells put out is neither code nor size."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from indexer.adapters.languages.registry import languages
from indexer.domain.source.notebooks import code_of, own_size, without_data

_CELLS: list[dict[str, object]] = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Churn\n", "def not_code(): ..."]},
    {
        "cell_type": "code",
        "metadata": {},
        "outputs": [{"data": {"image/png": "iVBOR" * 40_000, "text/plain": ["<Figure>"]}}],
        "source": [
            "from lib.clean import drop_outliers\n",
            "%matplotlib inline\n",
            "def churn_rate(rows):\n",
            "    return drop_outliers(rows)\n",
        ],
    },
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%%bash\n", "def of_another_language\n"]},
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["churn_rate([1])"]},
]


def _notebook(cells: object = _CELLS, language: str = "python") -> str:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": language}}, "nbformat": 4}, indent=1)


def test_code_cells_are_code_where_they_stand() -> None:
    """Markdown, magics and cells of other languages are none; lines are those of the file."""
    text = _notebook()
    parsed = languages()["python"].parse("nb/churn.ipynb", "nb.churn", without_data(text))
    (symbol,) = parsed.symbols[1:]

    assert (symbol.name, parsed.error) == ("churn_rate", "")
    assert "def churn_rate" in text.split("\n")[symbol.start_line - 1]
    assert parsed.symbols[0].end_line in (text.count("\n"), text.count("\n") + 1)


def test_magics_do_nothing_and_code_that_looks_like_them_stays() -> None:
    """A block of magics alone is a block; `%` and `!=` at the start of a line go on with an expression."""
    source = [
        "if IS_COLAB:\n", "    %pip install -q lib\n", "    !ls\n", "churn?\n",
        "def left(a):  # right?\n", "    return (a\n", "        % 7\n", "        != 3)\n",
    ]  # fmt: skip
    text = _notebook([{"cell_type": "code", "metadata": {}, "outputs": [], "source": source}])
    code = [line for line in code_of(text).split("\n") if line.strip()]

    assert code == ["if IS_COLAB:", "    pass", "    pass", "pass", *(line.rstrip("\n") for line in source[4:])]


def test_what_cells_put_out_is_no_size() -> None:
    """A picture goes, lines and short texts stay; what is said counts."""
    text = _notebook()
    kept = without_data(text)

    assert kept.count("\n") == text.count("\n")
    assert "iVBOR" not in kept
    assert "<Figure>" in kept
    assert json.loads(kept)["cells"][1]["source"] == _CELLS[1]["source"]
    assert own_size(text) < 2_000 < len(text)


def test_other_languages_are_no_python() -> None:
    """A notebook that says that it is in another language has no code that can be read."""
    assert not code_of(_notebook(language="R")).strip()


@given(st.text(alphabet=st.sampled_from('{}[],:" \\n"cellsource1'), max_size=60))
def test_what_is_no_notebook_stays_as_it_is(text: str) -> None:
    """Nothing fails, and lines stay."""
    assert without_data(text) == text
    assert code_of(text).count("\n") == text.count("\n")
