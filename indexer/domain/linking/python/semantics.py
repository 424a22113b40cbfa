"""How Python finds modules, orders classes, and what its decorators do."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.domain.linking.classes.linearization import c3
from indexer.domain.linking.program import IS_CLASS_METHOD, IS_STATIC, POSITIONAL_ONLY
from indexer.domain.linking.python.builtins import MODELS, SUFFIX_MODELS
from indexer.domain.linking.python.injection import connect_dependencies, connect_fixtures
from indexer.domain.linking.python.layout import Layout, root_of
from indexer.domain.linking.python.seams import call_framework, call_unknown
from indexer.domain.linking.semantics import Semantics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Class, Function, Module, Variable
    from indexer.domain.linking.solver.world import Site

_PROPERTIES = ("property", "Property")
_BINARY = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor"
_REFLECTED_OPERATORS = MappingProxyType({f"__r{name}__": f"__{name}__" for name in _BINARY.split()})
_MAPPINGS = ("Mapping", "MutableMapping")
_MAPPING = MappingProxyType({"__contains__": "__getitem__"})
_BUILTIN = MappingProxyType({"__contains__": ""})
_INHERITED_OPERATORS = MappingProxyType(
    {
        **{f"{module}.{name}": _MAPPING for module in ("collections.abc", "typing") for name in _MAPPINGS},
        **{f"<builtin>.{name}": _BUILTIN for name in ("dict", "frozenset", "list", "set", "str", "tuple")},
        **{f"collections.{name}": _BUILTIN for name in ("Counter", "OrderedDict", "UserDict", "defaultdict", "deque")},
    }
)
_COMMON_METHODS = """
close read write flush open seek tell readline readlines writelines fileno name acquire release start run send recv
connect put get_nowait wait set is_set next group groups match search sub findall finditer fullmatch exists mkdir stat
info debug warning error exception critical log save delete filter all first exit cancel result done submit shutdown
terminate kill poll communicate parse_args execute commit fetchone fetchall cursor rollback dumps loads dump load emit
call
"""
_UBIQUITOUS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, complex, frozenset, bytearray, memoryview)
    for name in dir(kind)
) | frozenset(_COMMON_METHODS.split())


class PythonSemantics(Semantics):
    """Python."""

    language = "python"
    transparent_attributes = frozenset(("delay", "apply_async", "s", "si", "signature", "__func__", "__wrapped__"))
    registering_attributes = frozenset(("command", "group", "add_command", "register"))
    class_attribute = "__class__"
    record_bases = frozenset(("typing.NamedTuple", "typing_extensions.NamedTuple"))
    reflected_operators = _REFLECTED_OPERATORS
    inherited_operators = _INHERITED_OPERATORS
    structural_bases = frozenset(("typing.Protocol", "typing_extensions.Protocol"))
    shows_implementations = True
    has_descriptors = True

    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """Find a file by the layout of the tree; a relative import never leaves the importer's own."""
        layout = layout_of(modules)
        if name.startswith("."):
            stem = layout.relative(name, importer.path)
        else:
            stem = layout.find(name, importer.path.rpartition("/")[0])
        return modules.files.get(layout.files.get(stem or "", ""))

    def submodule(self, module: Module, name: str, modules: Modules) -> Module | None:
        """Find a module in the package's own folder, then in another one of its name."""
        if not module.is_package:
            return None
        return self.find_module(f".{name}", module, modules) or self.find_module(
            f"{module.name}.{name}", module, modules
        )

    def inner_module(self, dotted: str, importer: Module, modules: Modules) -> Module | None:
        """Find a module below folders that are packages without a file."""
        return self.find_module(dotted, importer, modules)

    def absolute_name(self, module: str, importer: Module) -> str:
        """Write a relative name from the importer's own on."""
        rest = module.lstrip(".")
        above = len(module) - len(rest)
        if not above:
            return module
        package = importer.name.split(".")
        package = package[: len(package) - above + importer.is_package]
        return ".".join([*package, *([rest] if rest else [])])

    def free_name(self, name: str) -> str:
        """Name a builtin."""
        return f"<builtin>.{name}"

    def decorate(self, function: Function, decorator: str) -> None:
        """Mark properties, static methods and class methods, also those by decorators of libraries."""
        last = decorator.rpartition(".")[2]
        if last.endswith(_PROPERTIES):
            function.is_property = True
        elif last in ("fixture", "yield_fixture"):
            function.is_fixture = True
        elif last == "staticmethod":
            function.flags |= IS_STATIC
        elif last == "classmethod":
            function.flags |= IS_CLASS_METHOD

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Model builtins and the parts of the library that call back."""
        model = MODELS.get(name) or SUFFIX_MODELS.get(name.rpartition(".")[2])
        return model(engine, site) if model is not None else call_framework(engine, site, name)

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """Model methods whose names only frameworks use."""
        call_unknown(engine, site)

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """By C3, as Python does it."""
        return c3(cls, bases)

    def is_enumeration(self, base: str) -> bool:
        """Return whether the base is an enumeration class of the standard library."""
        return base.startswith("enum.")

    def fits(self, method: Function, declared: Function) -> bool:
        """Compare the names of parameters that a caller may give by name, and the number of the others."""
        if method.variadic is not None or method.keyword is not None:
            return True
        own, wanted = (list(each.names)[0 if each.flags & IS_STATIC else 1 :] for each in (method, declared))
        pairs = zip(own, wanted, strict=False)
        return len(own) >= len(wanted) and all(name == one or one.endswith(POSITIONAL_ONLY) for name, one in pairs)

    def is_opaque(self, name: str) -> bool:
        """Return True for typing constructs and builtins: they tell nothing about called methods."""
        return name.startswith(("typing.", "typing_extensions.", "<builtin>.", "_typeshed.", "collections.abc."))

    def is_ubiquitous(self, name: str) -> bool:
        """Return True for methods that builtin types and common parts of the library have as well."""
        return name in _UBIQUITOUS

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Let parameters hold what fixtures and dependencies give."""
        connect_dependencies(engine)
        connect_fixtures(engine, named)


def layout_of(modules: Modules) -> Layout:
    """Return the layout of the files of a link, made when it is first asked for."""
    if not isinstance(modules.layout, Layout):
        roots = (root_of(path, module.name) for path, module in modules.files.items() if path == module.path)
        modules.layout = Layout(modules.files, [root for root in roots if root])
    return modules.layout
