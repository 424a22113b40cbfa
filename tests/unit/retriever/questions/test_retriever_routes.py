"""Routes as questions name them and as code registers them."""

from __future__ import annotations

import pytest

from retriever.domain.declared.routes import (
    AskedRoute,
    Registered,
    ends_alike,
    is_exact,
    nearness,
    read_registered,
    segments_of,
)
from retriever.domain.declared.routes import asked_route as route_of
from retriever.domain.questions.question import Mode
from tests.fakes.reading import task_of


def asked_route(question: str) -> AskedRoute | None:
    """Return the route of a question as the classifier reads it."""
    return route_of(task_of(question, Mode.CONCEPTUAL).understanding)


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
        "What is at /?",
        "What handles GET /{id}?",
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
