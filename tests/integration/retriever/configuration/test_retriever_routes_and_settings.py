"""What handles a route, and where a setting gets its value, in the languages and files that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from tests.fakes.reading import read_message
from tests.fakes.retrieving import Stub, evidence_for

if TYPE_CHECKING:
    pass

FILES = {
    "go.mod": "module github.com/acme/shop\n",
    "router/router.go": 'package router\n\nimport "github.com/acme/shop/api"\n\n'
    "func Create(g *gin.Engine, orders *api.Orders) {\n"
    '\tgroup := g.Group("/orders")\n\tgroup.GET("", orders.List)\n\tgroup.DELETE("/:id", orders.Remove)\n}\n',
    "api/orders.go": "package api\n\ntype Orders struct{}\n\n// List shows all orders of a buyer.\n"
    "func (o *Orders) List(c *gin.Context) {}\n\nfunc (o *Orders) Remove(c *gin.Context) {}\n",
    "plain/server.go": 'package plain\n\nconst vouchersPath = "/v1/vouchers"\n\ntype Server struct{}\n\n'
    "func (s *Server) route(r *http.Request) error {\n"
    "\tif r.Method == http.MethodPost && r.URL.Path == vouchersPath {\n\t\treturn s.guarded(s.redeem)\n"
    "\t} else if r.Method == http.MethodGet && r.URL.Path == vouchersPath {\n\t\treturn s.guarded(s.listVouchers)\n"
    "\t}\n\treturn nil\n}\n\nfunc (s *Server) guarded(f func() error) error { return f() }\n"
    "func (s *Server) redeem() error { return nil }\nfunc (s *Server) listVouchers() error { return nil }\n",
    "shop/units.py": 'from fastapi import APIRouter\n\nrouter = APIRouter(prefix="/units")\n\n\n'
    '@router.put("/merge")\ndef merge_units():\n    return 1\n',
    "shop/foods.py": 'from fastapi import APIRouter\n\nrouter = APIRouter(prefix="/foods")\n\n\n'
    '@router.put("/merge")\ndef merge_foods():\n    return 1\n',
    "shop/urls.py": "from shop import views\n\nchecks = [\n"
    '    path("checks/<uuid:code>/pause", views.pause),\n]\n'
    'urlpatterns = [path("api/v3/", include(checks))]\n',
    "shop/views.py": "def pause(request, code):\n    return 1\n",
    "shop/resources.py": "class Refresh:\n    def get(self):\n        return 1\n\n"
    "    def post(self):\n        return 2\n",
    "shop/api.py": "from shop.resources import Refresh\n\n\ndef add(api):\n"
    '    api.attach(\n        Refresh,\n        "/api/queries/<query_id>/refresh",\n    )\n',
    "shop/settings.py": "import os\n\n# Bytes of a body that are kept.\n"
    'BODY_LIMIT = int(os.environ.get("SHOP_BODY_LIMIT", "10000"))\nDEFAULT_CURRENCY = "EUR"\n'
    "MAX_DOOR_WIDTH = 90\nDOOR_WIDTH = 80\n",
    "shop/gates.py": "class Poller:\n    pollSpan: int = None\n\n\nclass GatePoller(Poller):\n    def check(\n"
    "        self,\n        pollSpan: int = 10 * 60,\n    ):\n"
    "        super().check(\n            pollSpan=pollSpan,\n        )\n",
    "shop/labels.py": 'LABELS = {\n    "door_width": "label.door-width",\n}\n',
    **{f"tests/test_door_{number}.py": "width_of_door = 1\n" for number in range(25)},
    "src/routes/user.route.js": "const users = require('../user.controller');\n"
    "const router = require('express').Router();\n\nrouter\n  .route('/:userId')\n  .get(users.getUser)\n"
    "  .patch(users.updateUser);\nmodule.exports = router;\n",
    "src/user.controller.js": "const getUser = (req, res) => res.send(1);\n"
    "const updateUser = (req, res) => res.send(2);\nmodule.exports = { getUser, updateUser };\n",
    "src/main/java/shop/Ledger.java": 'package shop;\n\n@RequestMapping("/ledger")\npublic class Ledger {\n'
    '  @PutMapping("/{account}")\n  public void book(String account) {}\n}\n',
    "src/main/java/shop/LedgerClient.java": 'package shop;\n\n@FeignClient("ledger")\npublic interface LedgerClient {\n'
    '  @PutMapping("/ledger/{account}")\n  void send(String account, Ledger ledger);\n}\n',
    "src/main/java/shop/sample/Labels.java": 'package shop.sample;\n\n@RequestMapping("/api/admin")\n'
    'public class Labels {\n  @PutMapping({ "/labels", "/labels/{id}" })\n  public void change(String id) {}\n\n'
    '  @GetMapping("/labels/{id}")\n  public void show(String id) {}\n}\n',
    "src/main/java/shop/Session.java": 'package shop;\n\n@RequestMapping("session")\npublic class Session {\n'
    '  @PostMapping("token")\n  public void ask() {}\n\n  @PutMapping("{id}")\n  public void change(String id) {}\n}\n',
    "web/data.service.ts": "export class DataService {\n  ask(user: User) {\n"
    "    return this.http.put<User>('/api/admin/labels/7', user);\n  }\n}\n",
    "shop/pages.py": "from flask_restx import Namespace, Resource\n\n"
    'pages = Namespace("pages")\n\n\n@pages.route("/<page_id>")\nclass PageDetail(Resource):\n'
    "    def get(self, page_id):\n        return 1\n\n    def patch(self, page_id):\n        return 2\n",
    "shop/router.py": "from shop.sets import LogViewSet\n\nrouter = DefaultRouter()\n"
    "router.register(\n    r'workoutlog',\n    LogViewSet,\n    basename='workoutlog',\n)\n",
    "shop/sets.py": 'class LogViewSet(ModelViewSet):\n    """Logs of workouts."""\n\n    serializer = 1\n',
    "shop-admin/application.yml": "server:\n  port: 9095\n",
    "web/i18n/de.json": '{\n  "greeting": "Hallo"\n}\n',
    "shop/vouchers.py": 'VOUCHERS = "at most 1"\n\n\nclass Desk:\n    def ask(self, query):\n'
    "        limits = query.limit(404)\n        return limits\n",
    "shop/limits.ts": "export const limits = {\n  door: port({ default: DEFAULT_DOOR }),\n};\n",
    "shop/defaults.ts": "export const DEFAULT_DOOR = 3333;\n",
    "src/main/java/shop/Spans.java": "package shop;\n\npublic class Spans {\n"
    '  @Get("/api/v2/trace/{id}")\n  public void trace(String id) {}\n\n  public void other() {}\n}\n',
    "ledger/application.yml": "server:\n  port: 7000\ndata:\n  bank:\n    # Door of the bank.\n    port: 27017\n",
    "statistics/application.yml": "server:\n  port: 9000\n",
    "deploy/.env.example": "SHOP_BODY_LIMIT=20000\n",
    "src/main/resources/application-fast.properties": "warehouse=rocket\n",
    "src/main/resources/application.properties": "warehouse=cellar\n",
    "k8s/parts.yml": 'stringData:\n  warehouse: "container"\n',
    "package.json": '{\n  "jest": {\n    "patience": 7,\n    "retryPatience": 9\n  }\n}\n',
}


@pytest.mark.parametrize(
    ("question", "handler", "registered"),
    [
        ("What handles GET /orders?", "Orders.List", "router/router.go:7"),
        ("What handles DELETE /orders/{id}?", "Orders.Remove", "router/router.go:8"),
        ("What handles POST /v1/vouchers?", "Server.redeem", "plain/server.go:8"),
        ("What handles GET /v1/vouchers?", "Server.listVouchers", "plain/server.go:10"),
        ("Which function handles PUT /api/foods/merge?", "merge_foods", "shop/foods.py:6"),
        ("Which view serves /api/v3/checks/<uuid>/pause?", "pause", "shop/urls.py:4"),
        ("What handles POST /api/queries/7/refresh?", "Refresh.post", "shop/api.py:7"),
        ("What handles PATCH /v1/users/:userId?", "updateUser", "src/routes/user.route.js:4"),
        ("What handles PUT /ledger/{account}?", "Ledger.book", "src/main/java/shop/Ledger.java:5"),
        ("What handles PUT /api/admin/labels/{id}?", "Labels.change", "src/main/java/shop/sample/Labels.java:5"),
        ("What handles PATCH /api/v1/pages/{page_id}?", "PageDetail.patch", "shop/pages.py:6"),
        ("What handles GET /api/v2/workoutlog/?", "LogViewSet", "shop/router.py:5"),
        ("What handles DELETE /api/v2/workoutlog/{id}/?", "LogViewSet", "shop/router.py:5"),
        ("Which method serves GET /api/v2/trace/{id}?", "Spans.trace", "src/main/java/shop/Spans.java:4"),
    ],
)
async def test_the_handler_of_a_route_comes_first(stub: Stub, question: str, handler: str, registered: str) -> None:
    """However its framework registers it; interfaces that only call a route handle none."""
    found = await evidence_for(stub, question)
    place = found[0].route.registered

    assert found[0].symbol.qualified_name == handler
    assert f"{place.path}:{place.start_line}" == registered
    assert found[0].route.exact
    assert all(word in question for word in found[0].route.words)


async def test_where_a_route_is_registered_is_shown_beside_its_handler(stub: Stub) -> None:
    """Unless the handler itself shows it."""
    handler, registering = (await evidence_for(stub, "What handles PATCH /v1/users/:userId?"))[:2]
    annotated = await evidence_for(stub, "What handles PUT /ledger/{account}?")

    assert (handler.route.method, handler.route.path) == ("PATCH", "/:userId")
    assert ".patch(users.updateUser)" in registering.text
    assert not registering.HasField("symbol")
    assert not any(each.reason.startswith("registers") for each in annotated)


async def test_a_method_that_nothing_takes_leads_to_the_path(stub: Stub) -> None:
    """The route is told without the method of the question."""
    found = await evidence_for(stub, "What handles POST /ledger/{account}?")
    token = await evidence_for(stub, "What handles PUT /api/session/token?")

    assert token[0].symbol.qualified_name == "Session.ask"
    assert found[0].symbol.qualified_name == "Ledger.book"
    assert list(found[0].route.words) == ["/ledger/{account}"]
    assert found[0].route.method == "PUT"


async def test_a_parameter_that_may_take_a_word_is_only_the_nearest(stub: Stub) -> None:
    """`{account}` may be what stands for it."""
    found = await evidence_for(stub, "What handles PUT /ledger/mine?")

    assert found[0].symbol.qualified_name == "Ledger.book"
    assert not found[0].route.exact


@pytest.mark.parametrize("question", ["What handles GET /nowhere/at/all?", "What handles GET /unheard?"])
async def test_an_unknown_route_leads_nowhere(stub: Stub, question: str) -> None:
    """Nothing is guessed."""
    assert not any(each.HasField("route") for each in await evidence_for(stub, question))


@pytest.mark.parametrize(
    ("question", "name", "value", "place"),
    [
        ("What is the default of SHOP_BODY_LIMIT?", "SHOP_BODY_LIMIT", "10000", "shop/settings.py:4"),
        ("What is BODY_LIMIT set to?", "BODY_LIMIT", "10000", "shop/settings.py:4"),
        ("What is data.bank.port?", "data.bank.port", "27017", "ledger/application.yml:6"),
        ("Which port does the ledger service listen on?", "server.port", "7000", "ledger/application.yml:2"),
        ("Which port does shop-admin listen on?", "server.port", "9095", "shop-admin/application.yml:2"),
        ("What is server.port of statistics set to?", "server.port", "9000", "statistics/application.yml:2"),
        ("What is the default currency?", "DEFAULT_CURRENCY", "EUR", "shop/settings.py:5"),
        ("What is the default max door width?", "MAX_DOOR_WIDTH", "90", "shop/settings.py:6"),
        ("What is the door width set to?", "DOOR_WIDTH", "80", "shop/settings.py:7"),
        ("How do I change the door width?", "DOOR_WIDTH", "80", "shop/settings.py:7"),
        ("What is the warehouse set to?", "warehouse", "cellar", "src/main/resources/application.properties:1"),
        ("How do I change the retry patience?", "jest.retryPatience", "9", "package.json:4"),
    ],
)
async def test_what_gives_a_setting_its_value_comes_first(
    stub: Stub, question: str, name: str, value: str, place: str
) -> None:
    """Named or described, in code or in a file of configuration; examples come last."""
    [first, *_] = [each for each in await evidence_for(stub, question) if each.HasField("setting")]

    assert first.setting.name == name
    assert value in first.setting.value
    assert f"{first.span.path}:{first.setting.line}" == place
    assert all(word in question for word in first.setting.words)


@pytest.mark.parametrize(
    "question",
    [
        "What are the limits of a query?",
        "What is the default greeting?",
        "How do I change the currency?",
        "How do I change the patience?",
    ],
)
async def test_what_is_no_value_of_a_setting_is_not_told_as_one(stub: Stub, question: str) -> None:
    """Variables of functions, translations, one word of a tool of the makers, and texts where a number is asked for."""
    assert not any(each.HasField("setting") for each in await evidence_for(stub, question))


async def test_a_name_or_path_that_nothing_has_is_told(stub: Stub) -> None:
    """In the words of the question; a word that is somewhere is not said to be nowhere."""
    setting = await evidence_for(stub, "What is the default of SHOP_NO_SUCH_THING?")
    route = await evidence_for(stub, "What handles POST /invoices/{id}?")
    held = await evidence_for(stub, "What handles POST /bank/limits/currency?")

    assert list(setting[0].unheld.words) == ["SHOP_NO_SUCH_THING"]
    assert list(route[0].unheld.words) == ["invoices"]
    assert not any(each.HasField("unheld") for each in held)


async def test_the_constant_that_a_value_names_is_shown_behind_it(stub: Stub) -> None:
    """The line alone would not say the value."""
    found = await evidence_for(stub, "What is limits.door set to?")

    assert [(each.setting.name, each.setting.value) for each in found[:2]] == [
        ("limits.door", "port({ default: DEFAULT_DOOR })"),
        ("DEFAULT_DOOR", "3333"),
    ]


async def test_the_comment_above_a_setting_is_shown_with_it(stub: Stub) -> None:
    """It says what the setting is for."""
    [first, *_] = await evidence_for(stub, "What does the key data.bank.port do?")

    assert first.text == "    # Door of the bank.\n    port: 27017\n"


async def test_what_is_named_beside_a_setting_tells_whose_it_is(stub: Stub) -> None:
    """Parameters count then: others have the name, and a line that only passes it on."""
    named = await evidence_for(stub, "What is the default of pollSpan in GatePoller?")
    found = [each.setting.value for each in named if each.HasField("setting")]
    alone = await evidence_for(stub, "What is the default of pollSpan?")
    others = [each.setting.value for each in alone if each.HasField("setting")]

    assert found == ["10 * 60"]
    assert others == ["None"]


@pytest.mark.parametrize("question", ["how do I change it?", "where is that configured?", "why is it 27017?"])
async def test_a_setting_may_be_meant(stub: Stub, question: str) -> None:
    """The answer before was about it, and the question names nothing: what it says could be said of any setting."""
    anchors = question_pb2.Anchors(symbols=["data.bank.port"])
    meant = question_pb2.Classification(
        mode=question_pb2.MODE_CONCEPTUAL, anchors=anchors, understanding=read_message(question)
    )
    request = retriever_pb2.RetrieveRequest(repository="shop", question=question, classification=meant)
    found = (await stub.Retrieve(request)).evidence
    request.question = "how does it meet the orders of a buyer?"
    request.classification.understanding.CopyFrom(read_message(request.question))
    other = (await stub.Retrieve(request)).evidence

    assert (found[0].setting.name, found[0].setting.value) == ("data.bank.port", "27017")
    assert not any(each.HasField("setting") for each in other)


async def test_functions_are_no_settings(stub: Stub) -> None:
    """And without source text there is nothing to show of one."""
    assert not any(each.HasField("setting") for each in await evidence_for(stub, "What is the default of merge_foods?"))
    without = await evidence_for(stub, "What is the default of SHOP_BODY_LIMIT?", without_source=True)
    assert not any(each.HasField("setting") for each in without)
    handled = await evidence_for(stub, "What handles GET /orders?", without_source=True)
    assert not any(each.HasField("route") for each in handled)


async def test_a_comment_above_a_definition_comes_along_with_its_lines(stub: Stub) -> None:
    """A docstring of Python stands in the lines themselves."""
    found = await evidence_for(stub, "Trace how List shows all orders of a buyer", mode="EXPLORATORY")
    shown = next(each for each in found if each.symbol.qualified_name == "Orders.List" and "func" in each.text)

    assert shown.documentation == "List shows all orders of a buyer."
    assert "shows all orders" not in shown.text
