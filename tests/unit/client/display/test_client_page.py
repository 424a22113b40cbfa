"""The page of an answer: whole in itself, safe whatever stands in source, drawn, and shown by a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from cgrag_client.cli import main
from cgrag_client.page import flowchart, tree
from cgrag_client.page.document import Source, page
from tests.fakes.suite_server import Serve
from tests.unit.client.commands.test_client_cli import script_of

CHROMIUM = shutil.which("chromium")
HOSTILE = '<script>alert(1)</script><img src="http://127.0.0.1:9/x">'
FLOW = "Cart.checkout (shop/cart.py:4)\n  → reserve (shop/stock.py:12)\n    → ⇢ time.time (external)\n  → Log.add\n"
CHART = (
    'flowchart LR\n  m0["a b"] -->|3| m1["shop#91;x#93;"]\n  m1 -.->|2| m0\n  m1 -->|1| m2["c"]\n%% ... (5 lines cut)\n'
)
TEXT = f"""\
`Cart.checkout` calls `reserve` [1], see {HOSTILE} and `x[1]` [7].

`shop/stock.py:12-13`
```python
def reserve(items):
    return "<b>"
```

```text
{FLOW}```

```mermaid
{CHART}```

| a | b |
|---|---|
| 1 | 2 |
"""


def answer_of(text: str = TEXT) -> orchestrator_pb2.Answer:
    """An answer with a citation, and a list of users as evidence."""
    span = code_pb2.Span(path="shop/stock.py", start_line=12, end_line=500)
    users = evidence_pb2.UserList(
        name="reserve",
        definition=code_pb2.SymbolRef(path="shop/stock.py", qualified_name="reserve", start_line=12),
        listed=[evidence_pb2.User(name="Cart.checkout", place=code_pb2.Span(path="shop/cart.py", start_line=4))],
        count=3,
    )
    return orchestrator_pb2.Answer(
        answer_id="ans_1",
        repository="shop",
        question=f"What is {HOSTILE}?",
        text=text,
        citations=[evidence_pb2.Citation(number=1, span=span, title=HOSTILE)],
        confidence=orchestrator_pb2.CONFIDENCE_HIGH,
        confidence_reason="it is",
        evidence=[evidence_pb2.Evidence(title="What reserve is called by", users=users)],
    )


SOURCES = {1: Source(f'def reserve(items):\n\treturn "{HOSTILE}"\n', cut=487)}


def test_a_page_needs_nothing_else_and_runs_nothing() -> None:
    """No script, no link and no picture leads anywhere, and the policy of the page forbids it besides."""
    html = page(answer_of(), SOURCES)

    assert "default-src 'none'" in html
    assert not re.search(r"<(script|img|link|iframe)|<[^>]*\ssrc=|url\((?!#arrow\))|@import", html)
    assert set(re.findall(r'href="([^"]*)"', html)) == {"#c1"}


def test_references_lead_to_citations_and_code_is_none() -> None:
    """A number without a citation stays text."""
    html = page(answer_of(), SOURCES)

    assert html.count('<a class="reference" href="#c1">1</a>') == 1
    assert "<code>x[1]</code> [7]" in html
    assert 'id="c1"' in html


def test_source_has_the_numbers_of_its_lines() -> None:
    """In the text they follow from the place above it, beside it from the citation; what is cut is said."""
    html = page(answer_of(), SOURCES)

    assert re.findall(r'<span class="number">(\d+)</span>', html) == ["12", "13", "1", "12", "13"]
    assert "487 more lines" in html


def test_flow_dependencies_and_users_are_drawn() -> None:
    """Each picture says what it shows, and is well-formed."""
    html = page(answer_of(), SOURCES)
    drawn = re.findall(r"<svg.*?</svg>", html, re.DOTALL)

    assert [ET.fromstring(each).get("aria-label") for each in drawn] == [
        "flow of calls",
        "dependencies of modules",
        "What reserve is called by",
    ]
    assert "and 2 more" in drawn[2]
    assert html.count("<table>") == 1


def test_a_flow_is_read_and_other_text_is_not() -> None:
    """Depth, name and place; a listing that merely has arrows in it is shown as it is."""
    steps = tree.parse_flow(FLOW)

    assert [(each.depth, each.name, each.place) for each in steps] == [
        (0, "Cart.checkout", "shop/cart.py:4"),
        (1, "reserve", "shop/stock.py:12"),
        (2, "⇢ time.time", "external"),
        (1, "Log.add", ""),
    ]
    assert tree.parse_flow("a → b\nc\n") == ()
    assert tree.parse_flow("x = 1\n    y = 2\n") == ()
    assert tree.parse_flow("one line\n") == ()


def test_a_flowchart_is_read_and_a_cycle_ends() -> None:
    """Labels are told by number where mermaid would read them, and dotted edges lie on a cycle."""
    labels, edges = flowchart.parse(CHART)

    assert labels == {"m0": "a b", "m1": "shop[x]", "m2": "c"}
    assert [(each.source, each.target, each.count, each.circular) for each in edges] == [
        ("m0", "m1", "3", False),
        ("m1", "m0", "2", True),
        ("m1", "m2", "1", False),
    ]
    assert flowchart.draw("flowchart LR\n") == ""
    assert flowchart.draw(CHART).count("<rect") == 3


def test_the_command_writes_the_page_beside_the_answer(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For this user alone; no browser is started where there is no screen."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CGRAG_DATA_DIR", str(tmp_path))
    serve(script_of())
    code = main(["ask", "Why does checkout raise OutOfStock?", "--open"])
    [file] = (tmp_path / "pages").iterdir()
    both = main(["ask", "Why?", "--open", "--json"])

    out, err = capsys.readouterr()
    assert code == 0
    assert out.startswith("`Cart.checkout` [1] calls `reserve`")
    assert f"page {file}" in err
    assert file.read_text().startswith("<!doctype html>")
    assert (tmp_path / "pages").stat().st_mode & 0o077 == 0
    assert both == 2


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; in Debian it is the package chromium")
@pytest.mark.parametrize(("dark", "ground"), [(False, b"\xff\xff\xff"), (True, b"\x0d\x11\x17")])
def test_a_browser_shows_it_without_network_in_light_and_dark(tmp_path: Path, dark: bool, ground: bytes) -> None:
    """From a file; the browser has nothing to complain about, and the ground is that of the scheme."""
    file, shot = tmp_path / "page.html", tmp_path / "shot.png"
    file.write_text(page(answer_of(), SOURCES), encoding="utf-8")
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    command = [
        *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--hide-scrollbars"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,700"),
    ]
    seen = _run([*command, *scheme, f"--screenshot={shot}", file.as_uri()])
    dom = _run([*command, "--dump-dom", file.as_uri()])

    assert "CONSOLE" not in seen.stderr
    assert _first_pixel(shot.read_bytes()) == ground
    assert dom.stdout.count("<svg") == 3
    assert "<script" not in dom.stdout


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


def _first_pixel(png: bytes) -> bytes:
    """Return red, green and blue of a picture's first pixel: no filter changes that of the first line."""
    data = b""
    at = 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return zlib.decompress(data)[1:4]
