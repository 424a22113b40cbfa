"""Names of Go's standard library, and its functions that call their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from indexer.domain.linking.solver.values import Function, Instance, Method, Value
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.world import Site

_WORDS_OF_STANDARD_PACKAGES = """
archive arena bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt
go hash html image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv
strings structs sync syscall testing text time unicode unique unsafe weak C
"""
STANDARD_PACKAGES: Final = frozenset(_WORDS_OF_STANDARD_PACKAGES.split())
_WORDS_OF_UBIQUITOUS = """
Add Bytes Close Code Context Copy Delete Do Done Err Error Errorf Exec Fatal Fatalf Flush Format Get Handle Header
Info Infof Init Int Is Key Len Less Load Lock Log Logf Name New Next Open Parse Print Printf Println Push Pop Put
Query RLock RUnlock Read Remove Reset Run Scan Seek Send ServeHTTP Set Size Start Stop Store String Sub Swap Sync Type
Unlock Unwrap Update Value Wait Warn Write WriteString
"""
UBIQUITOUS: Final = frozenset(_WORDS_OF_UBIQUITOUS.split())
_SORTED = ("Len", "Less", "Swap")
_HEAPED = {"Init": (), "Push": ("Push",), "Pop": ("Pop",), "Fix": (), "Remove": ("Pop",)}
# Packages besides the standard ones that call the functions they are given.
_FRAMEWORKS = (
    "github.com/gin-gonic/gin",
    "github.com/go-chi/chi",
    "github.com/gofiber/fiber",
    "github.com/gorilla/",
    "github.com/julienschmidt/httprouter",
    "github.com/labstack/echo",
    "github.com/onsi/ginkgo",
    "github.com/robfig/cron",
    "github.com/spf13/cobra",
    "github.com/stretchr/testify",
    "github.com/urfave/cli",
    "golang.org/x/sync/",
)
_SERVING = ("net/http", "github.com/go-chi/chi", "github.com/gorilla/")


def call_back(engine: Engine, site: Site, name: str) -> None:
    """Let libraries call functions that are passed to them, at the site of the call; handlers of requests as well."""
    package, _, function = name.rpartition(".")
    is_standard = name.partition("/")[0].partition(".")[0] in STANDARD_PACKAGES
    if not is_standard and not name.startswith(_FRAMEWORKS):
        return
    inner = engine.world.site(site.scope, site.line, -1)
    methods: tuple[str, ...] = ()
    if package == "sort" and function in ("Sort", "Stable"):
        methods = _SORTED
    elif package == "container/heap" and function in _HEAPED:
        methods = (*_SORTED, *_HEAPED[function])
    elif name.startswith(_SERVING):
        methods = ("ServeHTTP",)
    for argument in (*site.arguments, *(variable for _, variable in site.keywords)):
        if argument >= 0:
            engine.world.later(Tier.CONTAINER, engine.world.solver.watch, argument, _called, (engine, inner, methods))


def _called(place: tuple[Engine, Site, tuple[str, ...]], value: Value) -> None:
    engine, site, methods = place
    if isinstance(value, Function | Method):
        engine.calls.on(site, value)
    elif isinstance(value, Instance):
        for method in methods:
            engine.calls.call_method(site, value, method)
