"""What calls of builtins and of the standard library do with the values they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.modelling import argument, call_held, element_of, give_list
from indexer.domain.linking.program import LIST
from indexer.domain.linking.python.collecting import list_made, listed, mapping_by_factory, mapping_made
from indexer.domain.linking.python.seams import decorate_receiver
from indexer.domain.linking.solver.values import Class, Instance, Literal, Partial, Property, Value
from indexer.domain.linking.solver.world import OperatorSite
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.modelling import Model
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.world import Site


def _called_back(position: int, *names: str) -> Model:
    """A function that calls its argument with the arguments behind it (`submit(f, x)`), or those of `args=`."""

    def model(engine: Engine, site: Site) -> bool:
        callee = argument(site, position, *names)
        if callee < 0:
            return False
        arguments = site.arguments[position + 1 :] if position < len(site.arguments) else ()
        given = next((variable for name, variable in site.keywords if name == "args"), -1)
        if given >= 0:
            arguments = (-2 - given,)
        call_held(engine, site, callee, arguments)
        return False

    return model


def _mapped(engine: Engine, site: Site) -> bool:
    """`map(function, ...)`: either argument may be the function, in case of swapped arguments."""
    if len(site.arguments) < 2:
        return False
    produced = engine.world.container(LIST)
    for position, callee in enumerate(site.arguments[:2]):
        others = site.arguments[1:] if position == 0 else site.arguments[:1]
        if callee >= 0:
            elements = tuple(element_of(engine, site, other) if other >= 0 else -1 for other in others)
            call_held(engine, site, callee, elements, produced.rest)
    engine.world.give(site, produced)
    return True


def _filtered(engine: Engine, site: Site) -> bool:
    if len(site.arguments) < 2:
        return False
    callee, source = site.arguments[:2]
    element = element_of(engine, site, source) if source >= 0 else -1
    if callee >= 0:
        call_held(engine, site, callee, (element,))
    if element >= 0:
        give_list(engine, site, element)
    return True


def _ordered(engine: Engine, site: Site) -> bool:
    """`sorted`, `min`, `max` and their like: call `key` with the elements, and give an element or a list of them."""
    source, key = argument(site, 0), next((variable for name, variable in site.keywords if name == "key"), -1)
    element = element_of(engine, site, source) if source >= 0 else -1
    if key >= 0:
        call_held(engine, site, key, (element,))
    if element >= 0:
        give_list(engine, site, element)
        engine.world.give_all(site, element)
    return True


def _zipped(engine: Engine, site: Site) -> bool:
    pair = engine.world.container(LIST)
    for position, source in enumerate(site.arguments):
        if source >= 0:
            engine.world.solver.copy(element_of(engine, site, source), engine.world.item(pair, position))
    _collected_value(engine, site, pair)
    return True


def _enumerated(engine: Engine, site: Site) -> bool:
    source = argument(site, 0)
    if source < 0:
        return False
    pair = engine.world.container(LIST)
    engine.world.solver.copy(element_of(engine, site, source), engine.world.item(pair, 1))
    _collected_value(engine, site, pair)
    return True


def _collected_value(engine: Engine, site: Site, value: Value) -> None:
    produced = engine.world.container(LIST)
    engine.world.solver.add(produced.rest, value)
    engine.world.give(site, produced)


def _next(engine: Engine, site: Site) -> bool:
    source = argument(site, 0)
    if source >= 0:
        inner = engine.world.site(site.scope, site.line, site.result)
        engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, engine.protocols.advance, inner)
    return True


def _method(*names: str) -> Model:
    """A builtin that only calls a protocol method of its first argument."""

    def model(engine: Engine, site: Site) -> bool:
        source = argument(site, 0)
        if source >= 0:
            inner = engine.world.placed(OperatorSite(site.scope, site.line, -1, (), names))
            inner.is_call = True
            engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, engine.protocols.operate, inner)
        return True

    return model


def _making(cls: str) -> Model:
    """A function that makes an object of a class of the library."""

    def model(engine: Engine, site: Site) -> bool:
        engine.world.give(site, engine.world.external(cls))
        return True

    return model


def _iterated(engine: Engine, site: Site) -> bool:
    """Builtins that look at every element: `any`, `all`, `sum`, `join`."""
    source = argument(site, 0)
    if source >= 0:
        element = element_of(engine, site, source)
        engine.world.give_all(site, element)
    return True


def _partial(engine: Engine, site: Site) -> bool:
    callee = argument(site, 0)
    if callee < 0:
        return False
    engine.world.give(site, Partial(callee, site.arguments[1:], site.keywords))
    return True


def _attribute_by_name(engine: Engine, site: Site) -> bool:
    """`getattr(x, name)` with a computed name: the methods that start as the name is known to."""
    if len(site.arguments) < 2 or min(site.arguments[:2]) < 0:
        return True
    engine.world.later(Tier.CONTAINER, _watch_names, engine, site)
    if len(site.arguments) > 2 and site.arguments[2] >= 0:
        engine.world.give_all(site, site.arguments[2])
    return True


def _watch_names(engine: Engine, site: Site) -> None:
    engine.world.solver.watch(site.arguments[1], _watch_owners, (engine, site))


def _watch_owners(place: tuple[Engine, Site], name: Value) -> None:
    engine, site = place
    if isinstance(name, Literal) and isinstance(name.value, str):
        engine.world.solver.watch(site.arguments[0], _named_attribute, (engine, site, name))


def _named_attribute(place: tuple[Engine, Site, Literal], owner: Value) -> None:
    engine, site, name = place
    if isinstance(owner, Instance):
        if name.is_prefix:
            if str(name.value).strip("_"):  # otherwise it says nothing: methods of all classes begin with underscores
                engine.world.give(site, engine.family(owner, str(name.value)))
        else:
            engine.world.give_all(site, engine.attributes.of_instance(owner.cls, str(name.value)))


def _type(engine: Engine, site: Site) -> bool:
    source = argument(site, 0)
    if source >= 0 and len(site.arguments) == 1:
        engine.world.solver.watch(source, _class_of, (engine, site))
    return True


def _class_of(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Instance):
        engine.world.give(site, value.cls)


def _same(engine: Engine, site: Site) -> bool:
    """Gives back its first argument: `copy.copy`, `functools.wraps(f)`'s argument, `typing.cast`."""
    source = argument(site, 0)
    if source >= 0:
        engine.world.give_all(site, source)
    return True


def _property(engine: Engine, site: Site) -> bool:
    """`property(get, set)`; as a decorator it marks the function instead."""
    if not site.eager:
        engine.world.give(site, Property(argument(site, 0, "fget"), argument(site, 1, "fset")))
    return True


def _nothing(_engine: Engine, _site: Site) -> bool:
    return True


def _new_object(engine: Engine, site: Site) -> bool:
    """`object.__new__(cls)`."""
    source = argument(site, 0)
    if source >= 0:
        engine.world.solver.watch(source, _instance_of, (engine, site))
    return True


def _instance_of(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Class):
        engine.world.give(site, value.instance)


_BUILTINS: dict[str, Model] = {
    "map": _mapped,
    "filter": _filtered,
    **dict.fromkeys(("sorted", "min", "max"), _ordered),
    **dict.fromkeys(("list", "set"), list_made),
    **dict.fromkeys(("tuple", "frozenset", "iter", "reversed"), listed),
    "dict": mapping_made,
    "zip": _zipped,
    "enumerate": _enumerated,
    **dict.fromkeys(("next", "anext"), _next),
    **dict.fromkeys(("any", "all", "sum"), _iterated),
    **{name: _method(f"__{name}__") for name in ("len", "repr", "float", "hash", "abs", "round", "bytes", "dir")},
    **dict.fromkeys(("str", "print"), _method("__str__", "__repr__")),
    "bool": _method("__bool__", "__len__"),
    "int": _method("__int__", "__index__"),
    "format": _method("__format__", "__str__"),
    "getattr": _attribute_by_name,
    "type": _type,
    **dict.fromkeys(("isinstance", "issubclass", "hasattr", "object", "id", "range", "super"), _nothing),
    "property": _property,
}
MODELS: dict[str, Model] = {
    **{f"<builtin>.{name}": model for name, model in _BUILTINS.items()},
    "<builtin>.object.__new__": _new_object,
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), _partial),
    "functools.reduce": _called_back(0, "function"),
    **dict.fromkeys(
        ("copy.copy", "copy.deepcopy", "weakref.ref", "weakref.proxy", "functools.update_wrapper"),
        _same,
    ),
    **dict.fromkeys(("collections.deque", "weakref.WeakSet"), list_made),
    **dict.fromkeys(("collections.OrderedDict", "weakref.WeakValueDictionary"), mapping_made),
    "collections.defaultdict": mapping_by_factory,
    **dict.fromkeys(("itertools.chain", "itertools.chain.from_iterable", "itertools.islice"), listed),
    "itertools.starmap": _mapped,
    "itertools.groupby": _ordered,
    **dict.fromkeys(("threading.Thread", "multiprocessing.Process"), _called_back(1, "target")),
    "threading.Timer": _called_back(1, "function"),
    "contextvars.copy_context": _making("contextvars.Context"),
    "contextvars.Context.run": _called_back(0, "callable"),
    **dict.fromkeys(("atexit.register", "asyncio.to_thread"), _called_back(0, "func")),
    "signal.signal": _called_back(1, "handler"),
    **dict.fromkeys(("re.sub", "re.subn"), _called_back(1, "repl")),
    **dict.fromkeys(("django.dispatch.receiver", "django.dispatch.dispatcher.receiver"), decorate_receiver),
}
# Methods of foreign objects, on any receiver.
SUFFIX_MODELS: dict[str, Model] = {
    **dict.fromkeys(("submit", "add_done_callback"), _called_back(0, "fn")),
    **dict.fromkeys(("apply_async", "run_sync"), _called_back(0, "func")),
    "run_in_executor": _called_back(1, "func"),
    **dict.fromkeys(("call_soon", "call_soon_threadsafe"), _called_back(0, "callback")),
    "call_later": _called_back(1, "callback"),
}
