"""What the globals, arrays, maps and promises do with the values that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.modelling import argument, call_held, element_of, give_list
from indexer.domain.linking.program import LIST
from indexer.domain.linking.solver.values import Container, Function, Instance, Literal, Method, Value
from indexer.domain.linking.solver.world import Access
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from indexer.domain.linking.modelling import Model
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import ContainerMethod, Variable
    from indexer.domain.linking.solver.world import Site


def call_back(engine: Engine, site: Site) -> None:
    """Let functions among the arguments be called with nothing known."""
    for variable in site.arguments:
        if variable >= 0:
            engine.world.later(Tier.CONTAINER, engine.world.solver.watch, variable, _call_function, (engine, site))


def _call_function(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Function | Method):
        engine.calls.on(engine.world.site(site.scope, site.line, -1), value)


def _called(position: int, first: int, *, gives: bool = True) -> Model:
    """A function that calls its argument with the arguments from `first` on, and `gives` back what it gives."""

    def model(engine: Engine, site: Site) -> bool:
        callee = argument(site, position)
        if callee >= 0:
            call_held(engine, site, callee, site.arguments[first:], site.result if gives else -1)
        return True

    return model


def _same(engine: Engine, site: Site) -> bool:
    if argument(site, 0) >= 0:
        engine.world.give_all(site, site.arguments[0])
    return True


def _from(engine: Engine, site: Site) -> bool:
    """`Array.from(source, f)`."""
    source, callee = argument(site, 0), argument(site, 1)
    element = element_of(engine, site, source) if source >= 0 else engine.world.solver.variable()
    if callee >= 0:
        mapped = engine.world.solver.variable()
        call_held(engine, site, callee, (element,), mapped)
        element = mapped
    give_list(engine, site, element)
    return True


def _collection(engine: Engine, site: Site) -> bool:
    """`new Map(...)`, `new Set(...)`: all keys share one value set."""
    source = argument(site, 0)
    give_list(engine, site, element_of(engine, site, source) if source >= 0 else engine.world.solver.variable())
    return True


def _values(engine: Engine, site: Site) -> bool:
    """`Object.values(x)`."""
    element = engine.world.solver.variable()
    if argument(site, 0) >= 0:
        engine.containers.read(site.arguments[0], None, element)
    give_list(engine, site, element)
    return True


def _entries(engine: Engine, site: Site) -> bool:
    """`Object.entries(x)`."""
    pair = engine.world.container(LIST)
    if argument(site, 0) >= 0:
        engine.containers.read(site.arguments[0], None, engine.world.item(pair, 1))
    element = engine.world.solver.variable()
    engine.world.solver.add(element, pair)
    give_list(engine, site, element)
    return True


def _merged(engine: Engine, site: Site) -> bool:
    """`Object.assign(owner, ...)`: gives back the owner with everything that the others have."""
    if argument(site, 0) < 0:
        return True
    _same(engine, site)
    for variable in site.arguments[1:]:
        if variable >= 0:
            engine.world.solver.watch(site.arguments[0], _merge_from, (engine, site, variable))
    return True


def _merge_from(place: tuple[Engine, Site, Variable], owner: Value) -> None:
    engine, site, source = place
    if isinstance(owner, Container):
        engine.containers.merge(source, owner)
    elif isinstance(owner, Instance | Function):
        engine.world.solver.watch(source, _give_items, (engine, site, owner))


def _give_items(place: tuple[Engine, Site, Instance | Function], source: Value) -> None:
    engine, site, owner = place
    if isinstance(source, Container):
        for key, variable in list(source.items.items()):
            if isinstance(key, str):
                engine.world.stored.add(key)
                access = Access(site.scope, site.line, key, variable)
                engine.attributes.store(access, owner)


_CALLING = (
    "setImmediate",
    "queueMicrotask",
    "requestAnimationFrame",
    "requestIdleCallback",
    "process.nextTick",
)
_MERGING = ("Object.assign", "merge-descriptors", "lodash.merge", "lodash.extend", "xtend")
_GIVING_BACK = (
    "Promise.resolve", "Promise.all", "Promise.allSettled", "Object.freeze", "Object.seal", "Object.create",
)  # fmt: skip
MODELS: dict[str, Model] = {
    **dict.fromkeys(("setTimeout", "setInterval"), _called(0, 2, gives=False)),
    **dict.fromkeys(_CALLING, _called(0, 1)),
    **dict.fromkeys(("Promise", "Reflect.apply"), _called(0, 9)),
    **dict.fromkeys(_GIVING_BACK, _same),
    **dict.fromkeys(("Promise.race", "Object.values"), _values),
    "Array.from": _from,
    **dict.fromkeys(("Array.of", "Map", "Set", "WeakMap", "WeakSet"), _collection),
    "Object.entries": _entries,
    **dict.fromkeys(_MERGING, _merged),
}
# Functions of libraries, by their last name.
SUFFIX_MODELS: dict[str, Model] = {
    **dict.fromkeys(("useCallback", "memo", "forwardRef", "promisify", "debounce", "throttle"), _same),
    **dict.fromkeys(("useEffect", "useLayoutEffect", "useMemo", "lazy"), _called(0, 9)),
}

_WITH_ELEMENT = frozenset(("forEach", "some", "every", "find", "findLast", "findIndex", "filter", "map", "flatMap"))
_GIVING_ELEMENT = frozenset(("find", "findLast", "pop", "shift", "at", "get", "next", "reduce", "reduceRight"))
_GIVING_SAME = frozenset(("filter", "sort", "reverse", "concat", "values", "flat", "splice", "fill", "toSorted"))
_ADDING = frozenset(("push", "unshift", "add"))


def call_method(engine: Engine, site: Site, method: ContainerMethod) -> bool:
    """Call a method of an array, map or set; True: nothing else is known of it."""
    name, container, solver = method.name, method.container, engine.world.solver
    first = argument(site, 0)
    if name in _ADDING or name == "set":
        for variable in site.arguments[1:] if name == "set" else site.arguments:
            if variable >= 0:
                solver.copy(variable, container.rest)
    elif first >= 0:
        _hand_over(engine, site, container, name)
    if site.result >= 0:
        _give(engine, site, container, name)
    return True


def _hand_over(engine: Engine, site: Site, container: Container, name: str) -> None:
    """Call the first argument with elements, or take it in."""
    first = site.arguments[0]
    if name in _WITH_ELEMENT:
        given = engine.world.solver.variable()
        call_held(engine, site, first, (container.every, -1, -1), given)
        if name in ("map", "flatMap"):
            give_list(engine, site, given)
    elif name in ("reduce", "reduceRight"):
        _reduce(engine, site, container)
    elif name in ("sort", "toSorted"):
        call_held(engine, site, first, (container.every, container.every))
    elif name == "concat":
        engine.containers.read(first, None, container.rest)


def _give(engine: Engine, site: Site, container: Container, name: str) -> None:
    solver = engine.world.solver
    if name in _GIVING_ELEMENT:
        engine.world.give_all(site, container.every)
    elif name in _GIVING_SAME:
        engine.world.give(site, container)
    elif name == "slice":
        engine.containers.cut((site.result, _start(engine, site)), container)
    elif name == "entries":
        pair = engine.world.container(LIST)
        solver.copy(container.every, engine.world.item(pair, 1))
        element = solver.variable()
        solver.add(element, pair)
        give_list(engine, site, element)


def _start(engine: Engine, site: Site) -> int:
    first = argument(site, 0)
    known = list(engine.world.solver.values[first]) if first >= 0 else []
    if len(known) == 1 and isinstance(known[0], Literal) and isinstance(known[0].value, int):
        return known[0].value
    return 0


def _reduce(engine: Engine, site: Site, container: Container) -> None:
    gathered = engine.world.solver.variable()
    if argument(site, 1) >= 0:
        engine.world.solver.copy(site.arguments[1], gathered)
    call_held(engine, site, site.arguments[0], (gathered, container.every), gathered)
    engine.world.give_all(site, gathered)
