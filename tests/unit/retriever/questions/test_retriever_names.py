"""Names: as people write them, compared part by part."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import Gap
from retriever.domain.questions.names import (
    Name,
    likely_names,
    marked_names,
    matches,
    parse,
    path_matches,
    quoted_names,
)
from retriever.domain.tasks.gaps import is_external, near_names, read_gap
from retriever.domain.values import Symbol, SymbolKind


def _symbol(module: str, qualified_name: str) -> Symbol:
    name = qualified_name.rpartition(".")[2]
    return Symbol(
        id=1,
        file_id=1,
        parent_id=None,
        kind=SymbolKind.METHOD,
        path="x",
        module=module,
        language="python",
        is_test=False,
        name=name,
        qualified_name=qualified_name,
        start_line=1,
        end_line=2,
        signature="",
        docstring="",
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("QuerySet.filter", Name(("QuerySet", "filter"))),
        ("`self.client.send(x, y)`", Name(("client", "send"))),
        ("src/a/b.py::C.m", Name(("C", "m"), "src/a/b.py")),
        ("src/a/b.py:C.m", Name(("C", "m"), "src/a/b.py")),
        ("`src/a/b.py:12`", Name((), "src/a/b.py")),
        ("src/a/b.py:12-20", Name((), "src/a/b.py")),
        ("setup.py:3:7", Name((), "setup.py")),
        ("setup.py:", Name((), "setup.py")),
        ("src/a/b.py: it fails", None),
        ("Client#send", Name(("Client", "send"))),
        ("Client::send", Name(("Client", "send"))),
        ("store.$patch", Name(("store", "$patch"))),
        ("Store.#patch", Name(("Store", "#patch"))),
        ("this.#patch()", Name(("#patch",))),
        ("#patch", Name(("#patch",))),
        ("issue #12", None),
        ("src/app.ts", Name((), "src/app.ts")),
        ("res.json", Name(("res", "json"), file="res.json")),
        ("`Response.json()`", Name(("Response", "json"))),
        ("src/a.js::res.json", Name(("res", "json"), "src/a.js")),
        ("setup.py", Name((), "setup.py")),
        ("main.<lambda>", Name(("main", "<lambda>"))),
        ("(*Command).Execute", Name(("Command", "Execute"))),
        ("github.com/spf13/cobra.(*Command).Execute", Name(("cobra", "Command", "Execute"))),
        ("net/http.Client", Name(("http", "Client"))),
        ("docs/guide.adoc", Name((), "docs/guide.adoc")),
        ("Router.prototype.use", Name(("Router", "use"))),
        ("operator+", Name(("operator+",))),
        ("geo::Vec::operator[](int)", Name(("geo", "Vec", "operator[]"))),
        ("Vec.operator()", Name(("Vec", "operator()"))),
        ("operator_name", Name(("operator_name",))),
        ("shop.Order$Line.total", Name(("shop", "Order", "Line", "total"))),
        ("tools.diff-cache.normalize", Name(("tools", "diff-cache", "normalize"))),
        ("diff-cache", None),
        ("the retry policy", None),
        ("", None),
        ("a." * 39 + "a", Name(("a",) * 40)),
        ("a." * 40 + "a", None),
        ("a.py:" * 20_000 + "a", None),
        ("a" * 1001, None),
    ],
)
def test_names_are_read_as_written(written: str, expected: Name | None) -> None:
    """Dots, hashes, colons, quotes and calls all mean the same; a sentence or a longer text than any is no name."""
    assert parse(written) == expected


def test_sentences_mark_names() -> None:
    """Backticks, dots, underscores and parentheses mark names; camel case only makes them likely."""
    text = "How does `Retry` use urllib.parse and _backoff_seconds, e.g. in send() of HttpClient?"

    assert [name.dotted for name in quoted_names(text)] == ["Retry"]
    assert [name.dotted for name in marked_names(text)] == ["urllib.parse", "_backoff_seconds", "send"]
    assert [name.dotted for name in likely_names(text)] == ["HttpClient"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("filter", True),
        ("QuerySet.filter", True),
        ("query.QuerySet.filter", True),
        ("db.query.QuerySet.filter", True),
        ("orm.db.query.QuerySet.filter", False),
        ("Filter", False),
        ("Set.filter", False),
        ("filte", False),
    ],
)
def test_names_match_from_the_right_at_dots(written: str, expected: bool) -> None:
    """Only whole parts count, and case counts: likeness is not enough."""
    assert matches(_symbol("db.query", "QuerySet.filter"), written.split(".")) is expected


def test_a_module_that_is_a_path_counts_without_its_extension() -> None:
    """Languages whose modules are files are asked for by folder and file."""
    assert matches(_symbol("src/http/client.ts", "Client.send"), ("http", "client", "Client", "send"))
    assert matches(_symbol("docs.domains.rst", "setup"), ("domains", "rst", "setup"))


def test_paths_match_at_slashes() -> None:
    """A path is meant by its end, cut at a slash."""
    assert path_matches("src/flask/app.py", "flask/app.py")
    assert path_matches("src/flask/app.py", "./src/flask/app.py")
    assert not path_matches("src/flask/app.py", "ask/app.py")
    assert not path_matches("src/flask/app.py", "")


@pytest.mark.parametrize(
    ("gap", "name", "path", "is_sure"),
    [
        (Gap("1", "how it is paid", "shop/pay.py:Cart.add"), ("Cart", "add"), "shop/pay.py", True),
        (Gap("1", "how it is paid", "Cart.add", " shop/pay.py:12-20 "), ("Cart", "add"), "shop/pay.py", True),
        (Gap("1", "how it is paid", "", "shop/pay.py:12"), None, "shop/pay.py", True),
        (Gap("1", "shop/pay.py:12-20"), None, "shop/pay.py", True),
        (Gap("1", "", symbol="A.b", path="x.py"), ("A", "b"), "x.py", True),
        (Gap("1", "the file", path="x.py"), None, "x.py", True),
        (Gap("1", "all of it", symbol="shop/pay.py"), None, "shop/pay.py", True),
        (Gap("1", " Cart.add "), ("Cart", "add"), "", True),
        (Gap("1", "checkout"), ("checkout",), "", True),
        (Gap("1", "where `A.b` is called"), ("A", "b"), "", True),
        (Gap("1", "where src/app.py calls `A.b`"), ("A", "b"), "src/app.py", True),
        (Gap("1", "how src/app.py starts"), None, "src/app.py", True),
        (Gap("1", "what a JavaScript client does"), ("JavaScript",), "", False),
        (Gap("1", "how `one` and `two` differ"), None, "", True),
        (Gap("1", "how retries are spaced"), None, "", True),
        (Gap("1", "what App.pop does"), ("App", "pop"), "", True),
        (Gap("1", "parse a string and return a datetime.date"), None, "", False),
        (Gap("1", "the hook that runs right before the context is popped by App.pop"), None, "", True),
        (Gap("1", "the hook that runs right before the context is popped by `App.pop`"), ("App", "pop"), "", True),
    ],
)
def test_a_gap_says_what_it_wants(gap: Gap, name: tuple[str, ...] | None, path: str, is_sure: bool) -> None:
    """Given names win; a description is searched for the one name that it marks."""
    wanted = read_gap(gap)

    assert (wanted.name.parts if wanted.name else None, wanted.path, wanted.is_sure) == (name, path, is_sure)


@pytest.mark.parametrize(
    ("description", "mention"),
    [
        ("make a BoundSession of a plain mapping", "BoundSession"),
        ("parse a string and return a datetime.date", "datetime.date"),
        ("make a BoundSession of the plain new mapping", "BoundSession"),
        ("make a BoundSession of the plain new mapping there", None),
        ("make a BoundSession of a LoginForm", None),
        ("what the BoundSession class does", None),
        ("what the old BoundSession class does", "BoundSession"),
        ("make a `BoundSession` of a plain mapping", None),
        ("make a BoundSession of a plain mapping that came with a request", None),
    ],
)
def test_a_sentence_mentions_a_name_and_asks_for_something_else(description: str, mention: str | None) -> None:
    """The one name that a sentence of six to eight words marks; fewer words ask for the name itself."""
    wanted = read_gap(Gap("1", description))

    assert (wanted.mention.dotted if wanted.mention else None) == mention
    assert wanted.name is None or mention is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("requests.get", True),
        ("requests.adapters.HTTPAdapter", True),
        ("Session", True),
        ("json.dumps", True),
        ("KeyError", True),
        ("str.join", True),
        ("adapters.Retry", True),
        ("adapters.Missing", False),
        ("shop.missing", False),
        ("shop", False),
        ("queue", False),
        ("dumps_all", False),
        ("Sess", False),
        ("ession", False),
    ],
)
def test_external_names_are_known_by_what_the_code_imports(written: str, expected: bool) -> None:
    """A package that is imported from outside, Python's own, and names seen to come from outside."""
    known = {"requests.get", "requests.Session", "requests.adapters.Retry", "shop.plugins.one"}

    assert is_external(Name(tuple(written.split("."))), known, {"shop"}) is expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("pflag.FlagSet", True),
        ("pflag.Missing", True),
        ("http.createServer", True),
        ("org.web.ui.Model", True),
        ("org.web.ui.Model.put", True),
        ("org.web.ui.Mod", False),
        ("org.web.ui.Modell", False),
        ("org.shop.Missing", False),
        ("flag.FlagSet", False),
    ],
)
def test_external_names_of_packages_by_path(written: str, expected: bool) -> None:
    """Code speaks of a package by its path's last part; where own modules begin alike, only what is seen counts."""
    known = {"github.com/spf13/pflag.FlagSet.AddFlag", "node:http.createServer", "org.web.ui.Model.put"}

    assert is_external(Name(tuple(written.split("."))), known, {"org"}) is expected


def test_near_names_are_a_hint_only() -> None:
    """What differs in case or underscores is named, so that a person sees the slip."""
    assert near_names("getuser", ["get_user", "getUser", "get_users"]) == ("get_user", "getUser")
    assert near_names("get_user", ["getuser", "getUser", "GetUser", "GETUSER"]) == ("getuser", "getUser", "GetUser")
