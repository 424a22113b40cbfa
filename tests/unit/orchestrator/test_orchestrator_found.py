"""Answers about routes and settings, and what definitions say of themselves above their lines."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.evidence import Evidence, EvidenceKind, Route, Span, SymbolKind, SymbolRef
from orchestrator.domain.evidence_data import Setting
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

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
    return "".join(write_answer(Material(question, Classification(mode), label_evidence(evidence), ())))


def page(title: str, text: str) -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{title}", EvidenceKind.DOC, title=title, span=Span("docs/use.md", 1, 9), text=text)


def test_a_route_is_answered_by_its_handler_and_its_registration() -> None:
    """By the path that was asked for; what else shares its words comes behind."""
    other = page("Orders", "What handles an order of the v1 shop is told here, and orders are handled well.\n")

    told = answer("What handles GET /v1/orders?", other, _HANDLER, _REGISTERED)

    assert told.startswith(
        "`GET /v1/orders` is handled by `Orders.List` (`api/orders.go:5`), registered as `GET /orders` at"
        " `router/router.go:7`. [E2]\n\n`Orders.List` — List shows all orders of a buyer. [E2]\n\n"
        'Where it is registered: [E3]\n\n`router/router.go:7`\n```go\n\tgroup.GET("", orders.List)\n```\n'
    )
    assert "is defined at" not in told


def test_a_route_whose_handler_shows_its_registration_is_told_in_one_sentence() -> None:
    """As decorators and annotations do."""
    route = Route(("/orders",), "", "/orders/", Span("api/orders.go", 5, 5), exact=True)

    told = answer("Which view is /orders?", replace(_HANDLER, documentation="", route=route))

    assert told.startswith("`/orders` is handled by `Orders.List` (`api/orders.go:5`). [E1]\n")
    assert "registered" not in told


def test_a_route_that_is_only_the_nearest_is_told_as_that() -> None:
    """What takes a parameter may take the word of the question, or it may not."""
    nearest = replace(_HANDLER, route=Route(("/v1/orders",), "GET", "/:id"))

    assert answer("What handles GET /v1/orders?", nearest).startswith(
        "No route that was found is all of `/v1/orders`; the nearest one is handled by `Orders.List`"
        " (`api/orders.go:5`), registered as `GET /:id`. [E1]"
    )


def test_a_setting_is_answered_by_its_value_and_place() -> None:
    """With the comment above it, and with the other places that set it."""
    told = answer("What is server.port set to?", _PORT, _OTHER_PORT)

    assert told.startswith(
        "`server.port` is set to `8080` at `conf/shop.yml:3`. [E1]\n\n"
        "`conf/shop.yml:2-3`\n```\n  # Where the shop listens.\n  port: 8080\n```\n\n"
        "Other lines that say it:\n\n- `server.port` is set to `8081` at `conf/dev.yml:9`. [E2]\n"
    )
    assert "is defined at" not in told


def test_a_value_of_several_lines_is_only_quoted() -> None:
    """What begins on a line and ends further down has no value that a sentence could hold."""
    text = "limits = limit({\n  max: 20,\n})\n"
    setting = Setting(("limits",), "limits", "", 1)
    block = Evidence("b", EvidenceKind.SOURCE, span=Span("a.js", 1, 3), text=text, title="a.js", setting=setting)

    assert answer("What is the default of limits?", block).startswith(
        "`limits` stands at `a.js:1`. [E1]\n\n`a.js:1-3`\n```javascript\nlimits = limit({\n  max: 20,\n})\n```\n"
    )


def test_the_page_of_a_setting_leads_before_its_line() -> None:
    """It says what the setting is for; a page that only mentions it does not lead."""
    own = page("Settings > `server.port`", "Default: `8080`\n\nThe port on which the shop waits for buyers.\n")
    other = page("Use", "The default value of server.port is a port, and the value of that is what a port has.\n")

    assert answer("What is the default value of server.port?", _PORT, own).startswith("Default: `8080`. The port")
    assert answer("What is the default value of server.port?", _PORT, other).startswith("`server.port` is set to")


def test_what_a_key_means_is_answered_by_the_comment_above_it() -> None:
    """One without a comment says nothing of its meaning, and does not lead."""
    lead = page("Use", "The meaning of a port of the server is told to whoever asks for it here.\n")

    assert answer("What is the meaning of server.port?", lead, _PORT).startswith("`server.port` is set to `8080`")
    assert not answer("What is the meaning of server.port?", lead, _OTHER_PORT).startswith("`server.port` is set to")


def test_a_setting_that_is_said_in_full_leads_before_a_page_that_speaks_of_it() -> None:
    """Whoever wants to change it is shown where it stands; the page follows."""
    setting = Setting(("door", "width"), "DEFAULT_DOOR_WIDTH", "80", 3)
    width = replace(_PORT, text="DEFAULT_DOOR_WIDTH = 80\n", span=Span("shop/doors.py", 3, 3), setting=setting)
    doors = page("Doors", "How do I change the door width of the shop? By asking who made the door.\n")

    told = answer("How do I change the door width?", doors, width)

    assert told.startswith("`DEFAULT_DOOR_WIDTH` is set to `80` at `shop/doors.py:3`. [E2]")
    assert "By asking who made the door" in told


def test_a_setting_whose_words_a_question_says_apart_leads_too() -> None:
    """Three or more in their order are its name; in another order they need not be."""
    setting = Setting(("doors", "open", "wall"), "DOORS_OPEN_PER_WALL", "8", 3)
    doors = replace(_PORT, text="DOORS_OPEN_PER_WALL = 8\n", span=Span("shop/doors.py", 3, 3), setting=setting)
    text = "By default one sees how many doors are open per wall, and there the doors of each wall are open.\n"

    told = answer("How many doors may be open there per wall by default?", page("Sight", text), doors)
    other = answer("How many per wall are the doors that open by default?", page("Sight", text), doors)

    assert told.startswith("`DOORS_OPEN_PER_WALL` is set to `8` at `shop/doors.py:3`. [E2]")
    assert other.startswith("By default one sees how many doors are open per wall")


def test_what_another_question_found_is_not_told_again() -> None:
    """The session supplies it, but the question has not its words."""
    told = answer("What is the default of the door?", _PORT, _HANDLER)

    assert "is set to" not in told
    assert "is handled by" not in told


def test_a_flow_says_what_its_entry_is_for() -> None:
    """By the comment above it, which is no part of its lines."""
    tree = Evidence(
        "flow",
        EvidenceKind.FLOW,
        text="Orders.List (api/orders.go:5)\n  → Orders.show (api/orders.go:9)\n",
        mentions=(_LIST, SymbolRef("api/orders.go", "Orders.show", SymbolKind.METHOD, 9, 9)),
    )

    told = answer("Trace List", tree, replace(_HANDLER, route=None), mode=Mode.EXPLORATORY)

    assert told.startswith("The flow starts at `Orders.List` [E1:Orders.List]")
    assert told.split("\n\n")[1] == "`Orders.List` — List shows all orders of a buyer. [E2]"


def test_an_item_of_a_list_tells_of_a_feature() -> None:
    """Lists of features have no sentences; it is quoted as it is, and only where it has all that is asked for."""
    features = page("Features", "Some of it:\n\n- Email and **SMS** support\n- Vouchers\n")

    listed = page(
        "shop", "Modules:\n- shop.email: Sends SMS by email, or not at all\n\nPublic symbols:\n- def sms(email)\n"
    )

    told = answer("Does it support SMS by email?", listed, features)

    assert told.startswith("“Email and **SMS** support” (“Features”, `docs/use.md:1` [E2])")
    assert "Email and" not in answer("Does it support SMS by fax?", features)


def test_a_page_about_what_has_a_setting_does_not_say_its_value() -> None:
    """One about the setting itself does."""
    line = replace(_PORT, setting=Setting(("pollSpan",), "GatePoller.pollSpan", "600", 3))
    about_owner = page(
        "GatePoller", "The `GatePoller` looks for the default gate again and again, as long as it runs.\n"
    )
    about_it = page("pollSpan", "The default of `pollSpan` is ten minutes, which suits most gates and pollers.\n")
    question = "What is the default of pollSpan in GatePoller?"

    assert answer(question, about_owner, line).startswith("`GatePoller.pollSpan` is set to `600`")
    assert answer(question, about_it, line).startswith("The default of `pollSpan`")


def test_a_setting_that_is_meant_leads() -> None:
    """The answer before was about it, and the question only says what may be said of any."""
    anchors = Anchors(symbols=("server.port",))
    pieces = label_evidence((page("Use", "How one may change what is there is told on another page of this.\n"), _PORT))

    told = "".join(
        write_answer(Material("how do I change it?", Classification(Mode.CONCEPTUAL, anchors=anchors), pieces, ()))
    )

    assert told.startswith("`server.port` is set to `8080` at `conf/shop.yml:3`.")


def test_the_default_of_a_parameter_is_said_as_one() -> None:
    """What is declared without one has none."""
    line = replace(_PORT, text="def ring(times, span=2.5):\n")
    given = replace(line, setting=Setting(("span",), "Bell.ring(span)", "2.5", 3))
    bare = replace(line, setting=Setting(("span",), "Bell.ring(span)", "", 3))
    question = "What is the default of span in Bell.ring?"

    assert answer(question, given).startswith(
        "`Bell.ring(span)` is `2.5` by default: it is declared at `conf/shop.yml:3`."
    )
    assert answer(question, bare).startswith("`Bell.ring(span)` has no default: it is declared at `conf/shop.yml:3`.")
    assert given.setting is not None
    assert given.setting.dotted == "Bell.ring.span"


def test_who_takes_up_a_failure_is_said_before_the_flow() -> None:
    """With the lines that do so, whether calls lead on from there or not."""
    symbol = SymbolRef("shop/server.py", "serve", SymbolKind.FUNCTION, 1, 5)
    text = "def serve(request):\n    try:\n        return run(request)\n    except Exception as error:\n        log()\n"
    serve = Evidence(
        "ev-serve",
        EvidenceKind.SOURCE,
        span=symbol.span,
        symbol=symbol,
        text=text,
        basis=Basis(BasisKind.CATCHES, line=4),
    )

    told = answer("What happens when a handler raises an exception?", serve, mode=Mode.EXPLORATORY)
    other = answer("What happens?", replace(serve, basis=None), mode=Mode.EXPLORATORY)

    assert told.startswith("What is raised there is taken up in `serve`: [E1]\n\n`shop/server.py:2-5`")
    assert "taken up" not in other

    lines = "def serve(orders):\n    if orders:\n        raise TooManyOrders\n    log()\n    return 3\n"
    raising = replace(serve, basis=Basis(BasisKind.RAISES, "TooManyOrders", line=3), text=lines)

    told = answer("What happens when there are too many orders?", raising, mode=Mode.EXPLORATORY)

    assert told.startswith("`serve` raises `TooManyOrders`: [E1]\n\n`shop/server.py:1-5`")


def test_what_says_the_default_goes_before_a_line_that_only_is_called_so() -> None:
    """Unless the line says itself that it is the default."""
    symbol = SymbolRef("keys.go", "KeyDelimiter", SymbolKind.FUNCTION, 9, 12)
    text = (
        '// KeyDelimiter sets it. By default its value is ".".\nfunc KeyDelimiter(d string) Option {\n\treturn d\n}\n'
    )
    own = Evidence("own", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title="KeyDelimiter")
    line = Evidence(
        "line",
        EvidenceKind.SOURCE,
        span=Span("dotenv/codec.go", 3, 3),
        text='const keyDelimiter = "_"\n',
        setting=Setting(("key", "delimiter"), "keyDelimiter", '"_"', 3),
    )
    stated = replace(line, text='const defaultKeyDelimiter = "_"\n')

    assert answer("What is the default key delimiter?", line, own).startswith("`KeyDelimiter` — KeyDelimiter sets it.")
    assert answer("What is the default key delimiter?", stated, own).startswith("`keyDelimiter` is set to")
    assert answer("What is the key delimiter set to?", line, own).startswith("`keyDelimiter` is set to")


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
        "`Pool.take(limit)` is `MOST`, which is `20`, by default: it is declared at `pool.py:9`. [E1]"
    )


def test_a_page_says_a_default_in_one_sentence() -> None:
    """What two entries of a list say, one of them with a value, is no default of either."""
    told = page(
        "Seldom used",
        "`failTimeout`<br/>\nWhether the connection fails fast after a timeout of 1 second.\n\n"
        "&#10062;`readOnly`<br/>\nWhether a *connection* is `true` by default and reads.\n",
    )
    line = replace(
        _PORT,
        text="CONNECTION_TIMEOUT = 30\n",
        setting=Setting(("connection", "timeout"), "CONNECTION_TIMEOUT", "30", 3),
    )

    text = answer("What is the default connection timeout?", told, line)

    assert text.startswith("`CONNECTION_TIMEOUT` is set to `30`")
    assert "<br" not in text
    assert "&#" not in text


def test_how_often_is_told_by_the_line_that_limits_it() -> None:
    """Before a page that has the words of the question and no such number."""
    told = page(
        "Retries", "An order is retried many times if the bank is slow, and orders with code 413 are retried.\n"
    )
    line = replace(_PORT, text="  limit: 2\n", setting=Setting(("retried",), "retry.limit", "2", 3))

    assert answer("How many times is an order retried?", told, line).startswith("`retry.limit` is set to `2`")


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
