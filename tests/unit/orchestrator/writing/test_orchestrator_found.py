"""Answers about routes and settings, and what definitions say of themselves above their lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, Gap, GapOutcome, Route, Setting, Span
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, GapResult, SymbolKind, SymbolRef
from orchestrator.domain.questions.question import Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer
from tests.fakes.reading import classification_of

_LIST = SymbolRef("api/orders.go", "Orders.List", SymbolKind.METHOD, 5, 7)
_HANDLER = Evidence(
    "list",
    EvidenceKind.SOURCE,
    span=_LIST.span,
    symbol=_LIST,
    text="func (o *Orders) List(c *gin.Context) {\n\to.show(c)\n}\n",
    documentation="List shows all orders of a buyer.\nswagger:operation GET /orders",
    route=Route(("GET", "/v1/orders"), "GET", "/orders", Span("router/router.go", 7, 7), exact=True),
)
_REGISTERED = Evidence(
    "registered",
    EvidenceKind.SOURCE,
    span=Span("router/router.go", 7, 7),
    text='\tgroup.GET("", orders.List)\n',
    title="router/router.go",
)
_PORT = Evidence(
    "port",
    EvidenceKind.SOURCE,
    span=Span("conf/shop.yml", 2, 3),
    text="  # Where the shop listens.\n  port: 8080\n",
    title="conf/shop.yml",
    setting=Setting(("server.port",), "server.port", "8080", 3),
)
_OTHER_PORT = Evidence(
    "other",
    EvidenceKind.SOURCE,
    span=Span("conf/dev.yml", 9, 9),
    text="  port: 8081\n",
    title="conf/dev.yml",
    setting=Setting(("server.port",), "server.port", "8081", 9),
)


def answer(question: str, *evidence: Evidence, mode: Mode = Mode.CONCEPTUAL) -> str:
    """Return what is written."""
    read = classification_of(question, mode)
    return "".join(write_answer(Material(question, read, label_evidence(evidence), ())))


def page(title: str, text: str) -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{title}", EvidenceKind.DOC, title=title, span=Span("docs/use.md", 1, 9), text=text)


def test_a_route_is_answered_by_its_handler_and_its_registration() -> None:
    """By the path that was asked for; what else shares its words comes behind."""
    other = page("Orders", "What handles an order of the v1 shop is told here, and orders are handled well.\n")

    told = answer("What handles GET /v1/orders?", other, _HANDLER, _REGISTERED)

    assert told.startswith(
        "`GET /v1/orders` is handled by `Orders.List`, at `api/orders.go:5`, registered as `GET /orders` at"
        " `router/router.go:7`. [E2]\n\n`Orders.List`: List shows all orders of a buyer. [E2]\n\n"
        'Where it is registered: [E3]\n\n`router/router.go:7`\n```go\n\tgroup.GET("", orders.List)\n```\n'
    )


def test_a_route_whose_handler_shows_its_registration_is_told_in_one_sentence() -> None:
    """As decorators and annotations do."""
    route = Route(("/orders",), "", "/orders/", Span("api/orders.go", 5, 5), exact=True)

    told = answer("Which view is /orders?", replace(_HANDLER, documentation="", route=route))

    assert told.startswith("`/orders` is handled by `Orders.List`, at `api/orders.go:5`. [E1]\n")
    assert "registered" not in told


def test_a_route_that_is_only_the_nearest_is_told_as_that() -> None:
    """What takes a parameter may take the word of the question, or it may not."""
    nearest = replace(_HANDLER, route=Route(("/v1/orders",), "GET", "/:id"))

    assert answer("What handles GET /v1/orders?", nearest).startswith(
        "No route that was found is all of `/v1/orders`; the nearest one is handled by `Orders.List`,"
        " at `api/orders.go:5`, registered as `GET /:id`. [E1]"
    )


def test_a_setting_is_answered_by_its_value_and_place() -> None:
    """With the comment above it, and with the other values that it has elsewhere, as in files of other platforms."""
    told = answer("What is server.port set to?", _PORT, _OTHER_PORT)

    assert told.startswith(
        "`server.port` has several values: `8080` at `conf/shop.yml:3` [E1]; `8081` at `conf/dev.yml:9` [E2].\n\n"
        "`conf/shop.yml:2-3`\n```yml\n  # Where the shop listens.\n  port: 8080\n```\n\n"
        "Other lines that say it:\n\n- `server.port` is set to `8081` at `conf/dev.yml:9`. [E2]\n"
    )


def test_a_value_of_several_lines_is_only_quoted() -> None:
    """What begins on a line and ends further down has no value that a sentence could hold."""
    text = "limits = limit({\n  max: 20,\n})\n"
    setting = Setting(("limits",), "limits", "", 1)
    block = Evidence("b", EvidenceKind.SOURCE, span=Span("a.js", 1, 3), text=text, title="a.js", setting=setting)

    assert answer("What is the default of limits?", block).startswith(
        "`limits` is at `a.js:1`. [E1]\n\n`a.js:1-3`\n```js\nlimits = limit({\n  max: 20,\n})\n```\n"
    )


def test_what_another_question_found_is_not_told_again() -> None:
    """The session supplies it, but the question has not its words."""
    told = answer("What is the default of the door?", _PORT, _HANDLER)

    assert "is set to" not in told
    assert "is handled by" not in told


def test_the_default_of_a_parameter_is_said_as_one() -> None:
    """What is declared without one has none."""
    line = replace(_PORT, text="def ring(times, span=2.5):\n")
    given = replace(line, setting=Setting(("span",), "Bell.ring(span)", "2.5", 3))
    bare = replace(line, setting=Setting(("span",), "Bell.ring(span)", "", 3))
    question = "What is the default of span in Bell.ring?"

    assert answer(question, given).startswith(
        "The parameter `span` of `Bell.ring` is `2.5` by default, at `conf/shop.yml:3`. [E1]"
    )
    assert answer(question, bare).startswith(
        "The parameter `span` of `Bell.ring` has no default, at `conf/shop.yml:3`."
    )
    assert given.setting is not None
    assert given.setting.dotted == "Bell.ring.span"


def test_what_a_constant_stands_for_is_told_with_it() -> None:
    """Else the first sentence has a name where a value is asked for."""
    lines = [
        Evidence(f"s{line}", EvidenceKind.SOURCE, span=Span("pool.py", line, line), text=text, setting=setting)
        for line, text, setting in (
            (9, "    limit: int = MOST,\n", Setting(("limit",), "Pool.take(limit)", "MOST", 9)),
            (1, "MOST = 20\n", Setting(("limit",), "MOST", "20", 1)),
        )
    ]

    text = answer("What is the default of limit?", *lines)

    assert text.startswith(
        "The parameter `limit` of `Pool.take` is `MOST`, which is `20`, by default, at `pool.py:9`. [E1]"
    )


def _read(name: str, value: str, line: int, basis: Basis) -> Evidence:
    return Evidence(
        name,
        EvidenceKind.SOURCE,
        span=Span("shop/start.py", line, line),
        text=f'{name} = os.environ.get("{name}")\n',
        basis=basis,
        setting=Setting(("environment",), name, value, line),
    )


def test_variables_that_are_not_listed_are_counted_and_made_names_told() -> None:
    """A list says what it lacks."""
    read = (
        _read("SHOP_MODE", "", 3, Basis(BasisKind.ENVIRONMENT, "SHOP_MODE", further=7)),
        _read("name.upper()", "", 9, Basis(BasisKind.ENVIRONMENT)),
    )

    text = answer("Which environment variables does the shop read?", *read)

    assert text.startswith(
        "The code reads the environment variables `SHOP_MODE` [E1] and 7 more.\n\n"
        "- `SHOP_MODE` [E1], at `shop/start.py:3`\n- and 7 more\n\n"
        "By a name that the code makes, or is handed, is read: `name.upper()` [E2], at `shop/start.py:9`."
    )


def test_variables_of_the_environment_are_listed_at_once() -> None:
    """Each with its place, and with what holds where nobody sets it."""
    read = [
        _read(name, value, line, Basis(BasisKind.ENVIRONMENT, name))
        for name, value, line in (("SHOP_MODE", "", 3), ("SHOP_PORT", "80", 4))
    ]

    text = answer("Which environment variables does the shop read?", *read)

    assert text.startswith(
        "The code reads the environment variables `SHOP_MODE` [E1], `SHOP_PORT` [E2].\n\n"
        "- `SHOP_MODE` [E1], at `shop/start.py:3`\n- `SHOP_PORT` [E2], at `shop/start.py:4`, `80` where it is not set\n"
    )
    assert "is set to" not in text


def test_a_value_without_a_line_is_said_not_to_be_found() -> None:
    """Before what is nearest; a value that has a line of its own is told by it."""
    nearest = replace(_REGISTERED, symbol=_LIST, evidence_id="nearest")

    assert answer("What is the default of body_limit?", nearest).startswith(
        "No value or option that was found is called \u201cbody_limit\u201d; the nearest is `Orders.List`"
    )
    assert answer("What is the default timeout of the client?", nearest).startswith(
        "No value or option of \u201cclient\u201d that was found is called \u201ctimeout\u201d; the nearest is "
    )
    assert answer("What is the default of server.port?", _PORT, nearest).startswith("`server.port` is set to `8080`")


def test_a_passage_has_the_version_that_is_asked_for() -> None:
    """A word with a digit is the point of the question."""
    told = {
        text: answer("Does it support HTTP/3?", replace(page("Features", text), described="Does it support HTTP/3"))
        for text in ("It is built for HTTP services of any size.", "It speaks HTTP/3 to services of any size.")
    }

    assert [said.startswith(f"\u201c{text[:-1]}") for text, said in told.items()] == [False, True]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            "Asks.",
            "The bank is asked once, before a customer pays.",
            "`book` (`shop/bank.py:40`) says: “{second}” [E2] ",
        ),
        (
            "The bank is asked before a customer pays.",
            "The bank is asked once.",
            "`ask` (`shop/bank.py:10`) says: “{first}” [E1] ",
        ),
        ("Asks.", "The bank pays.", ""),
    ],
)
def test_the_documentation_with_most_of_a_question_is_told_first(first: str, second: str, told: str) -> None:
    """It shares three words or more; what to read first comes behind it."""
    pieces = [
        Evidence(name, EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text="def it(): ...\n", documentation=said)
        for name, at, said in (("ask", 10, first), ("book", 40, second))
        for symbol in (SymbolRef("shop/bank.py", name, SymbolKind.FUNCTION, at, at),)
    ]
    text = answer("Why is the bank asked once before the customer pays late?", *pieces)

    assert text.startswith((told or "Nothing that was found is sure").format(first=first, second=second))
    assert "\n\n`shop/bank.py:10`\n```py\ndef it" in text


def test_a_path_that_may_be_in_files_left_out_leads() -> None:
    """Not the place that comes nearest."""
    question = "What is in bin/till.js?"
    result = GapResult(Gap("g", path="bin/till.js"), GapOutcome.OUT_OF_COVERAGE)
    read = classification_of(question, Mode.CONCEPTUAL)

    told = "".join(write_answer(Material(question, read, label_evidence((_HANDLER,)), (result,))))

    assert told.startswith("`bin/till.js` may be in files that are not indexed. What follows is what comes nearest.\n")
