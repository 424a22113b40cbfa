"""What stands before the paths of routes, and registrations of frameworks that are not known."""

from __future__ import annotations

import pytest

from indexer.domain.model import FactKind
from tests.fakes.latency import within
from tests.unit.indexer.read_units import facts_of

_GIN = """\
package shop
func f() {
users := g.Group("/v1/users")
{
	users.GET("", list)
	one := users.Group("/:id")
	one.DELETE("", remove)
	g.Group("/bank").POST("/ask", ask)
}
}
"""
_CHI = """\
package shop
func f() {
r.Route("/v1", func(r chi.Router) {
	r.Route("/users", func(r chi.Router) {
		r.Get("/{id}", show)
	})
})
}
"""
_ORDERS = """\
package shop
func f() {
r.Route("/v1", func(r chi.Router) {
	r.Route("/orders", func(r chi.Router) {
		r.Get("/", list)
	})

	r.Route("/users", func(r chi.Router) {
		r.Get("/{id}", show)
	})
})
}
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
    ("path", "text", "line", "expected"),
    [
        ("a.go", _GIN, 5, "/v1/users"),
        ("a.go", _GIN, 7, "/v1/users/:id"),
        ("a.go", _GIN, 8, "/bank"),
        ("a.go", _CHI, 5, "/v1/users"),
        ("a.go", _ORDERS, 9, "/v1/users"),
        ("a.py", _FASTAPI, 5, "/units"),
        ("a.py", _DJANGO, 2, "/v1\n/v2"),
        ("a.py", _DJANGO, 7, ""),
        ("a.py", _SUMMED, 2, "/v1"),
        ("a.py", _SUMMED, 7, ""),
        ("a.py", 'pages = Blueprint("pages", __name__)\n@pages.route("/<id>")\ndef f(): ...\n', 2, ""),
        ("a.py", 'pages = Namespace("pages", title="x")\n@pages.route("/<id>")\ndef f(): ...\n', 2, "/pages"),
        ("a.js", "app.get('/users', list)\n", 1, ""),
    ],
)
def test_what_a_file_puts_before_a_path_is_found(path: str, text: str, line: int, expected: str) -> None:
    """Groups, routers, blocks, and lists that are included."""
    assert [each.detail for each in facts_of(path, text, FactKind.ENTRY_POINT) if each.line == line] == [expected]


_DISPATCH = """\
package a
const p = "/v1"
func f() {
	if r.Method == http.MethodPost && r.URL.Path == p {
		return guard(s.redeem)
	}
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'def f(api):\n    api.attach(\n        Users,\n        "/users",\n    )\n', ("/users", "Users", 4)),
        ("a.py", 'router.register(r"users", UserViewSet)\n', ("users/{id}", "UserViewSet", 1)),
        ("a.go", _DISPATCH, ("POST /v1", "s.redeem", 4)),
        ("A.java", 'class A {\n  @Get("/users")\n  void f() {}\n}\n', ("GET /users", "", 2)),
        ("A.java", '@Path("/v1")\nclass A {\n  @PutMapping({"/a", "/b"})\n  void f() {}\n}\n', ("PUT /v1/b", "", 3)),
        ("a.cs", 'class A {\n [HttpGet("users/{id}")]\n void Get() {}\n}\n', ("GET users/{id}", "", 2)),
        ("a.rs", '#[put("/users")]\nfn users() {}\n', ("PUT /users", "", 1)),
        ("a.rs", 'fn f() { Router::new().route("/users", get(users)); }\n', ("GET /users", "users", 1)),
        ("a.php", "<?php\nRoute::get('/users', [Users::class, 'index']);\n", ("GET /users", "Users.index", 2)),
    ],
)
def test_a_registration_of_any_framework_is_read(path: str, text: str, expected: tuple[str, str, int]) -> None:
    """By its path and the definition that is handed on or stands below."""
    assert expected in [(each.value, each.detail, each.line) for each in facts_of(path, text, FactKind.ROUTE)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "class A {\n  f() { return this.http.put<User>('/users/7', user); }\n}\n"),
        ("A.java", '@FeignClient("a")\ninterface A {\n  @PutMapping("/users/{id}")\n  void send(String id);\n}\n'),
        ("a.py", 'def f():\n    requests.get("/users", headers)\n'),
    ],
)
def test_what_calls_a_route_elsewhere_registers_none(path: str, text: str) -> None:
    """Clients write paths as well."""
    known = [each for each in facts_of(path, text, FactKind.ENTRY_POINT) if each.value.startswith("route")]

    assert not [*known, *facts_of(path, text, FactKind.ROUTE)]


@pytest.mark.parametrize("head", ["app = Blueprint(url_prefix='/v1')\nif app:\n", "def register(app):\n"])
def test_what_a_route_costs_does_not_grow_with_their_number(head: str) -> None:
    """Generated files have thousands."""
    text = head + "".join(f"    app.get('/{number}', view)\n" for number in range(5000))
    with within(10):
        found = facts_of("a.py", text, FactKind.ROUTE)

        assert len(found) == 5000
