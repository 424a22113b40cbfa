"""Routes as questions name them and as code registers them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import overload

import pytest

from retriever.domain.route_prefixes import RoutePrefixes
from retriever.domain.routes import (
    Registered,
    annotated_methods,
    asked_route,
    asks_elsewhere,
    call_around,
    ends_alike,
    is_annotation,
    is_exact,
    nearness,
    read_registered,
    segments_of,
)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What handles POST /users/{id}?", ("POST", "/users/{id}")),
        ("Which view serves `/checks/<uuid:code>/pause`?", ("/checks/<uuid:code>/pause",)),
        ("What happens on DELETE /users/42.", ("DELETE", "/users/42")),
        ("which endpoint is /health", ("/health",)),
    ],
)
def test_a_path_in_a_question_names_a_route(question: str, words: tuple[str, ...]) -> None:
    """With the method before it, if there is one."""
    asked = asked_route(question)

    assert asked
    assert asked.words == words


@pytest.mark.parametrize(
    "question",
    [
        "What handles src/shop/bank.py?",
        "Is it and/or?",
        "Where does /etc/shop.conf come from?",
        "What is at /?",
        "What reads /etc/hosts?",
        "What handles GET /{id}?",
        "Which handler serves /static/app.js?",
        "Why?",
    ],
)
def test_other_paths_are_no_routes(question: str) -> None:
    """Files and words with a slash."""
    assert asked_route(question) is None


@pytest.mark.parametrize(
    ("value", "registered"),
    [
        ("route GET /users list", Registered(("GET",), "/users", "list")),
        ("route GET,HEAD /users", Registered(("GET", "HEAD"), "/users", "")),
        ("route users/<int:id>/ views.user", Registered((), "users/<int:id>/", "views.user")),
        ("route POST users.create", Registered(("POST",), "", "users.create")),
        ("route GET", Registered(("GET",), "", "")),
        ("route /users", Registered((), "/users", "")),
        ("route users.list", Registered((), "", "users.list")),
        ("route robots.txt views.robots", Registered((), "robots.txt", "views.robots")),
        ("route ", None),
        ("command sell", None),
    ],
)
def test_entry_points_are_read(value: str, registered: Registered | None) -> None:
    """A group's own path is left out by the index."""
    assert read_registered(value) == registered


@pytest.mark.parametrize(
    "path", ["/users/{id}", "users/:id", "/users/<int:id>/", "^users/(?P<id>[0-9]+)/$", "/users/[id]", "/users/42"]
)
def test_parameters_are_alike_in_all_notations(path: str) -> None:
    """And what a copied path has in place of one is a parameter, too."""
    assert segments_of(path) == segments_of("/users/{any}")
    assert segments_of("^users/(?P<id>[0-9]+)/stamps$") == segments_of("/users/{any}/stamps?page=2")


def test_the_whole_path_is_nearer_than_its_end() -> None:
    """A prefix may stand in another file, whose name then speaks of it; other words and methods exclude a route."""
    asked = asked_route("What handles PATCH /v1/users/:id?")
    assert asked
    patch = Registered(("PATCH",), "/:id", "update")

    whole = nearness(asked, patch, "/v1/users", "x.js")
    told = nearness(asked, patch, "", "routes/user.route.js")

    assert whole > told > 0.0
    assert nearness(asked, patch, "", "routes/order.route.js") == 0.0
    assert nearness(asked, Registered(("GET",), "/:id", "read"), "/v1/users", "x.js") == 0.0
    assert nearness(asked, Registered(("PATCH",), "/v1/users/me", "me"), "", "x.js") == 0.0
    assert not ends_alike(asked, Registered(("PATCH",), "/users/me", "me"))
    assert nearness(asked, Registered((), "/:id", "any"), "/v1/users", "x.js") < whole


def test_a_route_without_a_method_is_any() -> None:
    """In the question as in the code; one that says the method is meant before one that takes any."""
    asked, posted = asked_route("Which handler serves /users/{id}?"), asked_route("What handles POST /users/{id}?")
    get, every, bare = (Registered(methods, "/users/{id}", "") for methods in (("GET",), ("ANY",), ()))
    assert asked
    assert posted

    assert all(nearness(asked, each, "", "x.js") > 0.0 for each in (get, every, bare))
    assert nearness(posted, every, "", "x.js") > nearness(posted, bare, "", "x.js") > 0.0
    assert nearness(posted, get, "", "x.js") == 0.0


def test_the_route_that_has_the_words_is_the_nearest() -> None:
    """Then one whose parameter may take a word, and one of which more is known than was asked; words are needed."""
    asked = asked_route("What handles GET /users/me?")
    assert asked
    by_path = [nearness(asked, Registered((), path, ""), "", "x.js") for path in ("/users/me", "/v2/users/me")]
    by_parameter = [nearness(asked, Registered((), path, ""), "", "x.js") for path in ("/users/{id}", "/{kind}/{id}")]

    assert by_path[0] > by_path[1] > by_parameter[0] > by_parameter[1] == 0.0


def test_a_parameter_stands_for_no_word_of_the_path() -> None:
    """It may take the word all the same, but what has it is meant; what all paths begin with need not be said."""
    asked = asked_route("What handles PUT /api/session/token?")
    assert asked

    assert is_exact(asked, Registered(("POST",), "session/token", ""), "", "x.java")
    assert is_exact(asked, Registered(("POST",), "/token", ""), "", "Session.java")
    assert not is_exact(asked, Registered(("PUT",), "/{id}", ""), "", "Session.java")
    assert not is_exact(asked, Registered(("POST",), "/token", ""), "", "x.java")


_GIN = """\
users := g.Group("/v1/users")
{
	users.GET("", list)
	one := users.Group("/:id")
	one.DELETE("", remove)
	g.Group("/bank").POST("/ask", ask)
}
"""
_CHI = """\
r.Route("/v1", func(r chi.Router) {
	r.Route("/users", func(r chi.Router) {
		r.Get("/{id}", show)
	})
})
"""
_ORDERS = """\
r.Route("/v1", func(r chi.Router) {
	r.Route("/orders", func(r chi.Router) {
		r.Get("/", list)
	})

	r.Route("/users", func(r chi.Router) {
		r.Get("/{id}", show)
	})
})
"""
_FASTAPI = """\
router = APIRouter(
    prefix="/units", tags=["a"]
)

@router.get("/{id}")
def show(): ...
"""
_SUMMED = """\
shop_urls = [
    path("users/", views.users),
] + [
    path("bank/", views.bank),
]
def more():
    return path("desk/", views.desk)
urlpatterns = [path("v1/", include(shop_urls))]
"""
_DJANGO = """\
shop_urls = [
    path("users/", views.users),
]
urlpatterns = [
    path("v1/", include(shop_urls)),
    path("v2/", include(shop_urls)),
    path("bank/", views.bank),
]
"""


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (_GIN, 3, ("/v1/users",)),
        (_GIN, 5, ("/v1/users/:id",)),
        (_GIN, 6, ("/bank",)),
        (_CHI, 3, ("/v1/users",)),
        (_FASTAPI, 5, ("/units",)),
        (_DJANGO, 2, ("/v1", "/v2")),
        (_DJANGO, 7, ("",)),
        (_ORDERS, 7, ("/v1/users",)),
        (_SUMMED, 4, ("/v1",)),
        (_SUMMED, 7, ("",)),
        ('pages = Blueprint("pages", __name__)\n@pages.route("/<id>")\n', 2, ("",)),
        ('pages = Namespace("pages", title="x")\n@pages.route("/<id>")\n', 2, ("/pages",)),
        ("app.get('/users', list)\n", 1, ("",)),
        ("", 9, ("",)),
    ],
)
def test_what_a_file_puts_before_a_path_is_found(text: str, line: int, expected: tuple[str, ...]) -> None:
    """Groups, routers, blocks, and lists that are included."""
    assert RoutePrefixes(text.split("\n")).of(line) == expected


class _CountedLines(Sequence[str]):
    """Lines that count how often one is read."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.reads = 0

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        self.reads += 1
        return self._lines[at]


@pytest.mark.parametrize("head", ["app = Blueprint(url_prefix='/v1')", "urlpatterns = [", "def register(app):"])
@pytest.mark.parametrize("margin", ["", "    "])
def test_a_file_of_many_routes_is_looked_through_once(head: str, margin: str) -> None:
    """What a route costs does not grow with the number of routes in its file."""
    lines = _CountedLines([head, *(f"{margin}app.get('/{number}', view)" for number in range(1000))])
    prefixes = RoutePrefixes(lines)
    for line in range(2, len(lines) + 1):
        prefixes.of(line)

    assert lines.reads < 20 * len(lines)


def test_the_call_around_a_line_is_found() -> None:
    """It may begin above; an annotation ends where its own brackets do."""
    lines = ["add(", "    Users,", '    "/users",', ")", '@Get("/bank")', "void ask(Bank bank);"]

    assert call_around(lines, 3) == (1, 'add(\n    Users,\n    "/users",\n)')
    assert call_around(lines, 5) == (5, '@Get("/bank")')
    assert call_around(["x = 1"], 1) == (1, "")


@pytest.mark.parametrize(
    ("line", "methods"),
    [
        ('  @Get("/users")', ("GET",)),
        ('@PostMapping("/users")', ("POST",)),
        ('    [HttpDelete("users/{id}")]', ("DELETE",)),
        ('#[put("/users")]', ("PUT",)),
        ('@Path("/users")', ()),
    ],
)
def test_annotations_name_their_method(line: str, methods: tuple[str, ...]) -> None:
    """In Java, C# and Rust."""
    assert is_annotation(line)
    assert annotated_methods(line) == methods


@pytest.mark.parametrize("unit", ['"/a', "/a", "GET /a ", "`/", "/{"])
def test_long_questions_are_read_in_no_time(unit: str) -> None:
    """Only their beginning is looked at."""
    started = time.process_time()
    asked_route(unit * 100_000)

    assert time.process_time() - started < 1.0


def test_a_call_is_no_annotation() -> None:
    """Clients write paths as well."""
    assert not is_annotation('client.get("/users")')
    assert asks_elsewhere('    return this.http.post<Reply>("/users", user)')
    assert not asks_elsewhere('router.post("/users", create)')
    assert annotated_methods('client.get("/users")') == ()
