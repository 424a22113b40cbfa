"""Lines of logs that were pasted into a question."""

from __future__ import annotations

import time

import pytest

from classifier.domain.anchors import find_anchors
from classifier.domain.log_lines import MOST, is_log, read_log

SAID = "cannot open the gate: rusty"


@pytest.mark.parametrize(
    "head",
    [
        "WARNING:root:",
        "ERROR:shop.gate:",
        "2026-03-02 10:12:13,512 WARNING [shop.gate] ",
        "2026-03-02 10:12:13,512 - shop.gate - WARNING - ",
        "[2026-03-02 10:12:13 +0000] [123] [INFO] ",
        "[2026-03-02 10:12:13,123: ERROR/MainProcess] ",
        "10:12:13.512 [main] ERROR com.example.Gate - ",
        "2026-03-02T10:12:13.512Z  WARN 1 --- [nio-8080-exec-1] c.e.shop.Gate : ",
        "INFO  com.example.Gate - ",
        "INFO:     ",
        "2026/03/02 10:12:13 ",
        "2026/03/02 10:12:13 gate.go:12: ",
        "2026-03-02T10:12:13.512Z [ERROR] ",
        "E0302 10:12:13.123456    1234 gate.go:123] ",
        "2026-03-02 10:12:13.512 UTC [42] ERROR:  ",
        "DEBUG 2026-03-02 10:12:13,512 ",
        "[WARN] ",
        "[GIN-debug] [WARNING] ",
        "warning: ",
        "> 10:12:13 ",
    ],
)
def test_what_stands_before_a_message_is_none_of_it(head: str) -> None:
    """Time, level, process, thread, logger and place are left out, in the layout of each logger."""
    assert read_log(head + SAID) == ((SAID,), SAID)
    assert is_log(head + SAID)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        # What a line of fields says is one of them. As logfmt and JSON have it.
        ('time="2026-03-02T10:12:13Z" level=error msg="cannot open the gate: rusty" gate=7', (SAID,)),
        ('level=warn gate=7 message="cannot open the gate: rusty"', (SAID,)),
        ('{"level": "error", "ts": 1.2, "msg": "cannot open the gate: rusty", "gate": 7}', (SAID,)),
        ('{"severity": "WARNING", "message": " cannot open the gate: rusty "}', (SAID,)),
        # A message may begin in brackets. What stands behind "error:" is the message; only what has a time
        # has more before it.
        ("error: [gate] cannot open", ("[gate] cannot open",)),
    ],
)
def test_what_a_line_of_fields_says_is_one_of_them(line: str, said: tuple[str, ...]) -> None:
    """As logfmt and JSON have it; what stands behind "error:" may begin in brackets."""
    assert read_log(line)[0] == said


@pytest.mark.parametrize(
    "text",
    [
        "Error in the parser when a gate opens",
        "Warning messages are lost",
        "error handling is odd: why",
        "Info about the gate",
        "10:12 is when it fails",
        "2026-03-02 we saw failures",
        '{"gate": "open", "msg": "of no level"}',
        '{"level": "error", "msg": ',
        "Why do I get a KeyError here?",
        "",
    ],
)
def test_sentences_are_no_log(text: str) -> None:
    """Nor are objects without level and message."""
    assert read_log(text) == ((), text)
    assert not is_log(text)


def test_a_text_with_a_question_is_more_than_a_log() -> None:
    """The lines are read, and the question stays."""
    text = f"Why?\n\n[ERROR] {SAID}"

    assert not is_log(text)
    assert read_log(text) == ((SAID,), f"Why?\n\n{SAID}")


def test_of_many_lines_the_most_severe_are_kept_in_their_order() -> None:
    """What only went on around the failure would hide it."""
    mild = [f"[INFO] gate {number} opens" for number in range(40)]
    mild[3] = "[WARN] gate is stiff"
    mild[20] = f"[ERROR] {SAID}"

    found, _ = read_log("\n".join(mild))

    assert found == ("gate is stiff", SAID, "gate 37 opens", "gate 38 opens", "gate 39 opens")
    assert len(found) == MOST


def test_a_logger_is_no_symbol_that_is_asked_for() -> None:
    """It would be told as one that is not defined."""
    anchors = find_anchors("2026-03-02 10:12:13,512 WARNING [django.request] cannot open the gate of Shop.door")

    assert anchors.error_messages == ("cannot open the gate of Shop.door",)
    assert anchors.symbols == ("Shop.door",)


@pytest.mark.parametrize("line", ['{"":' + "[" * 990, '{"message": "a", "x":' + "[" * 970])
def test_an_object_that_is_nested_too_deeply_is_no_line_of_a_log(line: str) -> None:
    """It made the whole question fail."""
    assert not is_log(line)
    assert not find_anchors(line).error_messages


@pytest.mark.parametrize(
    "line",
    [' a="' * 500, "10:12:13 " + "a.b" * 600, "[WARN] " + "[a] " * 600, "[WARN] " + " " * 1900 + "x", "10:12:13 " * 90],
)
def test_lines_that_go_on_for_ever_take_milliseconds(line: str) -> None:
    """Somebody may paste anything."""
    started = time.process_time()

    read_log("\n".join([line] * 200))

    assert time.process_time() - started < 1.0
