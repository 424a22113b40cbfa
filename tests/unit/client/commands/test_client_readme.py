"""Examples of the documents are programs that run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cgrag.type.v1 import code_pb2

from cgrag_client.cli.exits import Exit
from tests.fakes.answer_events import two_pass_events
from tests.fakes.suite_server import Script, SuiteServer

ROOT = Path(__file__).parents[4]


def test_the_example_prints_an_answer() -> None:
    """Copied out of the README and pointed at a server, the ten lines print text and citations."""
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    with SuiteServer(Script(events=two_pass_events())) as server:
        program = example.replace("127.0.0.1:50054", server.address)
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)

    assert run.returncode == 0, run.stderr
    assert "OutOfStock" in run.stdout
    assert "shop/stock.py" in run.stdout


def test_the_example_of_any_call_prints_an_edge() -> None:
    """Whole as it stands, docs/calling.md shows how to make a call that the client has no method for."""
    [example] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "calling.md").read_text(), flags=re.DOTALL)
    symbol = code_pb2.Symbol(ref=code_pb2.SymbolRef(path="shop/cart.py", qualified_name="Cart.add"))
    with SuiteServer(Script(symbols=[symbol])) as server:
        program = example.replace("ClientSettings()", f'ClientSettings(retriever="{server.address}")')
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)

    assert run.returncode == 0, run.stderr
    assert 'qualified_name: "Cart.add"' in run.stdout


def test_the_table_has_every_exit_code() -> None:
    """What scripts may rely on is written down, and nothing that never happens."""
    rows = re.findall(r"^\| ([\d, ]+) \| \w", (ROOT / "README.md").read_text(), flags=re.MULTILINE)

    assert [int(code) for row in rows for code in row.split(", ")] == sorted(Exit)
