"""
What frameworks call: where, in which of their functions, a function is handed over that runs later.

For each package the last names of its functions and methods, or the last two where one says too little, and the
argument that is the handler: position (-1: none), keyword. All of them are decorators too, for what they decorate:
`@app.get("/")`, `@app.before_request`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_DECORATES: Final = (-1, "")
_VERBS: Final = ("route", "get", "post", "put", "patch", "delete", "head", "options", "trace", "websocket")


def _routes(*owners: str) -> dict[str, tuple[int, str]]:
    """Verbs as methods of applications and routers alone: `request.args.get` routes nothing."""
    return {f"{owner}.{verb}": _DECORATES for owner in owners for verb in _VERBS}


_FLASK: Final = {
    **_routes("Flask", "Quart", "Blueprint"),
    **dict.fromkeys(
        (
            "before_request", "after_request", "teardown_request", "teardown_appcontext", "before_first_request",
            "before_app_request", "after_app_request", "context_processor", "app_context_processor", "while_serving",
            "url_value_preprocessor", "url_defaults", "shell_context_processor", "before_serving", "after_serving",
        ),
        (0, "f"),
    ),
    **dict.fromkeys(
        ("errorhandler", "app_errorhandler", "template_filter", "app_template_filter", "template_global",
         "template_test", "command", "connect_via"),
        _DECORATES,
    ),
    "add_url_rule": (2, "view_func"),
    "register_error_handler": (1, "f"),
    "add_template_filter": (0, "f"),
    "register_blueprint": (0, "blueprint"),
    "connect": (0, "receiver"),
}  # fmt: skip
_STARLETTE: Final = {
    **_routes("FastAPI", "APIRouter", "Starlette", "Router"),
    **dict.fromkeys(("api_route", "websocket_route", "on_event", "middleware", "exception_handler"), _DECORATES),
    **dict.fromkeys(("add_route", "add_api_route", "add_websocket_route", "add_api_websocket_route"), (1, "endpoint")),
    **dict.fromkeys(("Route", "APIRoute", "WebSocketRoute"), (1, "endpoint")),
    **dict.fromkeys(("FastAPI", "Starlette", "APIRouter", "Router"), (-1, "lifespan")),
    "Mount": (1, "app"),
    "mount": (1, "app"),
    "Middleware": (0, "cls"),
    "add_middleware": (0, "middleware_class"),
    "add_event_handler": (1, "func"),
    "add_exception_handler": (1, "handler"),
    "add_task": (0, "func"),
    "include_router": (0, "router"),
}
_AIOHTTP: Final = {
    **dict.fromkeys(_VERBS, (1, "handler")),
    **{f"add_{verb}": (1, "handler") for verb in _VERBS},
    "add_route": (2, "handler"),
    "view": (1, "handler"),
}
_POOL: Final = dict.fromkeys(
    ("map", "imap", "imap_unordered", "starmap", "map_async", "starmap_async", "apply"), (0, "func")
)
_QT: Final = {"connect": (0, "slot"), "singleShot": (1, "")}

HANDLERS: Final[Mapping[str, Mapping[str, tuple[int, str]]]] = {
    **dict.fromkeys(("flask", "quart"), _FLASK),
    "sanic": {
        **_routes("Sanic", "Blueprint"),
        "listener": _DECORATES,
        "middleware": _DECORATES,
        "blueprint": (0, "blueprint"),
    },
    "bottle": _routes("Bottle", "bottle"),
    "flask_login": dict.fromkeys(("user_loader", "request_loader", "unauthorized_handler"), (0, "callback")),
    "flask_restful": {"add_resource": (0, "resource")},
    "flask_restx": {**_routes("Api", "Namespace"), "add_resource": (0, "resource"), "errorhandler": _DECORATES},
    "flask_socketio": {"on": (1, "handler"), "event": (0, ""), "on_event": (1, "handler")},
    "socketio": {"on": (1, "handler"), "event": (0, "")},
    **dict.fromkeys(("fastapi", "starlette"), _STARLETTE),
    "aiohttp": _AIOHTTP,
    "falcon": {"add_route": (1, "resource"), "add_error_handler": (1, "handler")},
    "django": {
        **dict.fromkeys(("urls.path", "urls.re_path", "urls.url", "conf.path", "conf.re_path"), (1, "view")),
        **dict.fromkeys(("urls.include", "conf.include"), (0, "arg")),
        "receiver": _DECORATES,
        "connect": (0, "receiver"),
        "RunPython": (0, "code"),
        "on_commit": (0, "func"),
        **dict.fromkeys(
            ("Library.simple_tag", "Library.inclusion_tag", "Library.simple_block_tag", "Library.filter", "Library.tag",
             "admin.action", "admin.display", "checks.register"),
            _DECORATES,
        ),
    },
    "rest_framework": {"register": (1, "viewset"), "route": _DECORATES},
    "ninja": {**_routes("NinjaAPI", "Router"), "add_router": (1, "router"), "exception_handler": _DECORATES},
    "celery": {"connect": (0, "receiver"), "send_task": (0, "name"), "signature": (0, "task")},
    "blinker": {"connect": (0, "receiver"), "connect_via": _DECORATES},
    "click": {"add_command": (0, "cmd"), "option": (-1, "callback"), "argument": (-1, "callback")},
    "typer": {"add_typer": (0, "typer_instance"), "command": _DECORATES, "callback": _DECORATES},
    "sqlalchemy": {"listen": (2, "fn"), "listens_for": _DECORATES, "validates": _DECORATES, "event": _DECORATES},
    "pydantic": dict.fromkeys(
        ("validator", "field_validator", "model_validator", "root_validator", "field_serializer", "model_serializer",
         "computed_field", "BeforeValidator", "AfterValidator", "WrapValidator", "PlainValidator"),
        (0, "func"),
    ),
    "attr": {"ib": (-1, "factory"), "Factory": (0, "factory")},
    "attrs": {"field": (-1, "factory"), "Factory": (0, "factory")},
    "dataclasses": {"field": (-1, "default_factory")},
    "argparse": {"set_defaults": (-1, "func"), "add_argument": (-1, "type")},
    "unittest": {"addCleanup": (0, "function"), "addClassCleanup": (0, "function")},
    "asyncio": {
        "add_signal_handler": (1, "callback"),
        "start_server": (0, "client_connected_cb"),
        "call_at": (1, "callback"),
    },
    "apscheduler": {"add_job": (0, "func"), "scheduled_job": _DECORATES},
    "schedule": {"do": (0, "job_func")},
    "airflow": {"PythonOperator": (-1, "python_callable"), "BranchPythonOperator": (-1, "python_callable")},
    **dict.fromkeys(("concurrent", "multiprocessing"), _POOL),
    "discord": {"event": (0, "coro"), "command": _DECORATES, "listen": _DECORATES},
    "telegram": {"CommandHandler": (1, "callback"), "MessageHandler": (1, "callback")},
    "tkinter": {"Button": (-1, "command"), "after": (1, "func"), "bind": (1, "func"), "protocol": (1, "func")},
    "http": {"HTTPServer": (1, "RequestHandlerClass"), "ThreadingHTTPServer": (1, "RequestHandlerClass")},
    "socketserver": {"TCPServer": (1, "RequestHandlerClass"), "ThreadingTCPServer": (1, "RequestHandlerClass")},
    "json": {
        **dict.fromkeys(("loads", "load"), (-1, "object_hook")),
        **dict.fromkeys(("dumps", "dump"), (-1, "default")),
    },
    "re": {"sub": (0, "repl"), "subn": (0, "repl")},
    **dict.fromkeys(("PyQt5", "PyQt6", "PySide2", "PySide6"), _QT),
}  # fmt: skip

# Methods that their name alone identifies, on any receiver.
EVERYWHERE: Final[Mapping[str, tuple[int, str]]] = {
    name: (_FLASK | _STARLETTE)[name]
    for name in (
        "add_url_rule", "register_blueprint", "register_error_handler", "add_api_route", "add_event_handler",
        "add_exception_handler", "include_router", "add_middleware",
    )
} | {
    "add_resource": (0, "resource"),
    "add_typer": (0, "typer_instance"),
    "add_signal_handler": (1, "callback"),
}  # fmt: skip

# What keeps handlers and runs them when it is told to, or is handed on to something that does.
REGISTRIES: Final = frozenset(
    (
        "django.dispatch.Signal",
        "django.dispatch.dispatcher.Signal",
        "blinker.Signal",
        "blinker.signal",
        "blinker.Namespace.signal",
        "flask.signals.Namespace.signal",
        "flask.Blueprint",
        "flask.blueprints.Blueprint",
        "quart.Blueprint",
        "sanic.Blueprint",
        "fastapi.APIRouter",
        "fastapi.routing.APIRouter",
        "starlette.routing.Router",
        "ninja.Router",
        "typer.Typer",
    )
)
REGISTRY_METHODS: Final = frozenset(("connect", "send", "send_robust", "asend", "asend_robust", "send_async"))

# Methods that a framework calls on its instances of a class: handlers and hooks.
VIEW_METHODS: Final = (
    "setup", "dispatch", "initial", "__call__", "get", "post", "put", "patch", "delete", "head", "options", "trace",
    "list", "retrieve", "create", "update", "partial_update", "destroy", "get_queryset", "get_object",
    "get_context_data", "get_form", "get_form_class", "get_form_kwargs", "form_valid", "form_invalid",
    "get_success_url", "get_template_names", "render_to_response", "get_serializer_class", "get_permissions",
    "perform_create", "perform_update", "perform_destroy", "on_get", "on_post", "on_put", "on_patch", "on_delete",
    "do_GET", "do_POST", "do_PUT", "do_PATCH", "do_DELETE", "do_HEAD", "handle", "connect", "disconnect", "receive",
)  # fmt: skip

# A decorator that names the fixtures of a test.
USING_FIXTURES: Final = "pytest.mark.usefixtures"

CLASS_VIEWS: Final = frozenset(("as_view", "as_asgi"))

# Packages that call methods of the classes and objects that they are given; all others only make and call them.
SERVING: Final = frozenset(
    ("flask", "quart", "sanic", "flask_restful", "flask_restx", "fastapi", "starlette", "aiohttp", "falcon", "django",
     "rest_framework", "http", "socketserver")
)  # fmt: skip

# Markers of injected parameters.
DEPENDENCIES: Final = frozenset(
    ("fastapi.Depends", "fastapi.Security", "fastapi.params.Depends", "fastapi.param_functions.Depends")
)

# Functions that give back what they are given, or a decorator that does, by the starts of their names.
WRAPPERS: Final = (
    "django.views.decorators.", "django.contrib.auth.decorators.", "asgiref.sync.sync_to_async", "functools.lru_cache",
    "functools.cache", "channels.db.database_sync_to_async",
)  # fmt: skip

# Packages of the library whose functions give objects of their own, never one of the project's.
OWN_OBJECTS: Final = frozenset(
    (
        "argparse", "bz2", "configparser", "csv", "datetime", "decimal", "email", "ftplib", "gzip", "hashlib", "hmac",
        "http", "io", "ipaddress", "logging", "lzma", "mmap", "pathlib", "re", "select", "selectors", "smtplib",
        "socket", "sqlite3", "ssl", "subprocess", "tarfile", "tempfile", "urllib", "uuid", "xml", "zipfile", "zlib",
    )
)  # fmt: skip
OWN_RESULTS: Final = frozenset(
    ("<builtin>.open", "asyncio.get_event_loop", "asyncio.get_running_loop", "asyncio.new_event_loop")
)
