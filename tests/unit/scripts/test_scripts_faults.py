"""Faults that are put into code to see whether tests notice."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.bench.faults import faults_of
from tests.bench.seed_faults import Reach

_CODE = '''\
"""Words."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3


def pick(é: int = 2, names: Literal[1] = ()) -> int | None:
    if é < 1 and not names:
        raise ValueError(f"{é + 1} is wrong")
    _log.info("picked")
    _LOG.warning("rejected")
    names.append(é)
    self.total += max(é, -1)
    return é
'''.encode()


def test_each_fault_changes_one_thing() -> None:
    """Operators, comparisons, constants, returns and statements; neither types, texts nor log lines."""
    told = [(each.kind, each.line, each.before, each.after) for each in faults_of(_CODE)]

    assert told == [
        ("constant", 8, "2", "(3)"),
        ("comparison", 9, "é < 1", "(é <= 1)"),
        ("operator", 9, "é < 1 and not names", "(é < 1 or not names)"),
        ("constant", 9, "1", "(2)"),
        ("operator", 9, "not names", "(names)"),
        ("dropped statement", 10, 'raise ValueError(f"{é + 1} is wrong")', "pass"),
        ("dropped statement", 13, "names.append(é)", "pass"),
        ("dropped statement", 14, "self.total += max(é, -1)", "pass"),
        ("operator", 14, "max(é, -1)", "(min(é, -1))"),
        ("constant", 14, "1", "(2)"),
        ("return", 15, "return é", "return None"),
    ]


def test_each_fault_makes_other_code() -> None:
    """It can be read and means something else; places are those of bytes, so that names beyond ASCII move nothing."""
    meanings = [ast.dump(ast.parse(fault.applied(_CODE))) for fault in faults_of(_CODE)]

    assert len({ast.dump(ast.parse(_CODE)), *meanings}) == len(meanings) + 1


def test_the_nearest_tests_come_first(tmp_path: Path) -> None:
    """By imports, of fixtures too, and by processes that are started; tests that do not reach a module are left out."""
    files = {
        "indexer/domain/a.py": "",
        "indexer/usecases/b.py": "from indexer.domain import a\n",
        "tests/unit/test_far.py": "import indexer.usecases.b\n",
        "tests/unit/test_near.py": "def test():\n    import indexer.domain.a\n",
        "tests/unit/test_other.py": "",
        "tests/integration/conftest.py": "from indexer.domain.a import x\n",
        "tests/integration/test_fixture.py": "",
        "indexer/worker/__main__.py": "from indexer.usecases import b\n",
        "tests/integration/test_process.py": "def test():\n    run([sys.executable, '-m', 'indexer.worker', 'job'])\n",
        "tests/e2e/test_all.py": "import indexer.domain.a\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    assert Reach(tmp_path).tests(Path("indexer/domain/a.py")) == [
        "tests/unit/test_near.py",
        "tests/unit/test_far.py",
        "tests/integration/test_fixture.py",
        "tests/integration/test_process.py",
    ]
