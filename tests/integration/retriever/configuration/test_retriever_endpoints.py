"""All routes and commands that the code registers, in the ways of several frameworks."""

from __future__ import annotations

import pytest

from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.configuration.endpoints import Endpoints, Programs
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

_PYTHON = {
    "shop/units.py": 'from fastapi import APIRouter\n\nrouter = APIRouter(prefix="/units")\n\n\n'
    '@router.put("/merge")\ndef merge_units():\n    return 1\n\n\n@router.get("/")\ndef units():\n    return 1\n',
    "shop/urls.py": "from shop import views\n\nchecks = [\n"
    '    path("checks/<uuid:code>/pause", views.pause),\n]\n'
    'urlpatterns = [path("api/v3/", include(checks))]\n',
    "shop/views.py": "def pause(request, code):\n    return 1\n",
    "shop/cli.py": "import click\n\n\n@click.command()\ndef sell():\n    return 1\n\n\n"
    "@click.command()\ndef buy():\n    return 1\n",
    "shop/management/commands/restock.py": "from django.core.management.base import BaseCommand\n\n\n"
    "class Command(BaseCommand):\n    def handle(self):\n        return 1\n",
    "examples/hello.py": "from fastapi import APIRouter\n\nrouter = APIRouter()\n\n\n"
    '@router.get("/hello")\ndef hello():\n    return 1\n',
}
_GO = {
    "go.mod": "module github.com/acme/shop\n",
    "main.go": 'package main\n\nfunc main() {\n\tg := gin.New()\n\tg.GET("/status", status)\n}\n\n'
    "func status(c *gin.Context) {}\n",
    "api/orders.go": "package api\n\ntype Orders struct{}\n\nfunc (o *Orders) List(c *gin.Context) {}\n\n"
    'func Create(g *gin.Engine, orders *Orders) {\n\tg.GET("/orders", orders.List)\n}\n',
}


@pytest.fixture(scope="module", params=["python", "go"])
def opened(request: pytest.FixtureRequest) -> tuple[str, OpenSnapshot]:
    """Index each source once."""
    source = _PYTHON if request.param == "python" else _GO
    return request.param, opened_tree(source)


_LISTS = {
    "python": "shop/ registers 3\n"
    "- /api/v3/checks/<uuid:code>/pause (shop/views.py:1) at shop/urls.py:4 through pause\n"
    "- GET /units (shop/units.py:11) at line 11 through units\n"
    "- PUT /units/merge (shop/units.py:6) at line 6 through merge_units\n",
    "go": "the code registers 2\n"
    "- GET /orders (api/orders.go:5) at line 8 through Orders.List\n"
    "- GET /status (main.go:8) at line 5 through status\n",
}


_PROGRAM = (
    "run it is the purpose of 1\n- go run . (go.mod:1) at line 1\n"
    "commands were looked for in decorators, calls, tables and types that declare such, and none was recognised\n"
)
_COMMANDS = (
    "shop/ registers 3\n"
    "- buy (shop/cli.py:9) at line 9\n"
    "- restock (shop/management/commands/restock.py:4) at line 4 through Command\n"
    "- sell (shop/cli.py:4) at line 4\n"
)


@pytest.mark.parametrize("mode", [Mode.CONCEPTUAL, Mode.EXPLORATORY])
@pytest.mark.parametrize(
    "question", ["Which endpoints are there?", "What API routes does the shop expose?", "List all routes"]
)
async def test_all_routes_are_listed_by_path(opened: tuple[str, OpenSnapshot], question: str, mode: Mode) -> None:
    """With what is known to stand before each, and what handles it; examples are left out beside others."""
    framework, snapshot = opened

    (draft,) = (await Endpoints().run(Context(), snapshot.snapshot, task_of(question, mode), OrderJudge())).drafts

    assert draft.text == _LISTS[framework]
    assert [each.symbol for each in (draft.users.listed if draft.users else ())] != []


async def test_who_asks_for_one_route_gets_no_list(opened: tuple[str, OpenSnapshot]) -> None:
    """Another stage finds its handler."""
    task = task_of("Which endpoint handles GET /units?", Mode.CONCEPTUAL)

    assert (await Endpoints().run(Context(), opened[1].snapshot, task, OrderJudge())).drafts == ()


@pytest.mark.parametrize("question", ["Which commands are there?", "What subcommands does the shop have?"])
async def test_commands_are_listed_by_name(opened: tuple[str, OpenSnapshot], question: str) -> None:
    """Those of Django by their files; where the index knows none, the programs that are run, with a note."""
    framework, snapshot = opened
    task = task_of(question, Mode.CONCEPTUAL)

    found = await Endpoints().run(Context(), snapshot.snapshot, task, OrderJudge())
    drafts = (await Programs().run(found, snapshot.snapshot, task, OrderJudge())).drafts

    assert [draft.text for draft in drafts] == [_COMMANDS if framework == "python" else _PROGRAM]


@pytest.mark.parametrize(
    ("manifest", "listed", "note"),
    [
        ("", [], "nor is an executable declared in a manifest that is read"),
        ('[project.scripts]\ntill = "till:main"\n', ["till"], "commands of these were looked for in"),
    ],
)
async def test_a_project_is_not_said_to_have_no_commands(manifest: str, listed: list[str], note: str) -> None:
    """What was looked for is told, after the executables that manifests declare."""
    files = {"pyproject.toml": f'[project]\nname = "till"\n{manifest}', "till.py": "x = 1\n"}
    task = task_of("Which commands are there?", Mode.CONCEPTUAL)

    (draft,) = (await Programs().run(Context(), opened_tree(files).snapshot, task, OrderJudge())).drafts

    assert draft.users is not None
    assert [each.name for each in draft.users.listed] == listed
    assert note in draft.users.notes[0]
