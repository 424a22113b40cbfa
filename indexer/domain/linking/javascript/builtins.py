"""What the globals, arrays, maps and promises do with the values that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.program import LIST
from indexer.domain.linking.values import Container, Function, Instance, Literal, Method, Value
from indexer.domain.linking.world import NO_ARGUMENTS, Access
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.values import ContainerMethod, Variable
    from indexer.domain.linking.world import Site

    Model: TypeAlias = Callable[[Engine, Site], bool]


def _call(
    engine: Engine, site: Site, callee: Variable, arguments: tuple[Variable, ...] = NO_ARGUMENTS, result: Variable = -1
) -> None:
    inner = engine.world.site(site.scope, site.line, result, arguments)
    engine.world.later(Tier.CONTAINER, engine.world.solver.watch, callee, engine.calls.on, inner)


def _argument(site: Site, position: int) -> Variable:
    return site.arguments[position] if position < len(site.arguments) else -1


def _element(engine: Engine, site: Site, source: Variable) -> Variable:
    result = engine.world.solver.variable()
    inner = engine.world.site(site.scope, site.line, result)
    engine.world.later(Tier.PROTOCOL, engine.world.solver.watch, source, engine.protocols.iterate, inner)
    return result


def _list_of(engine: Engine, site: Site, element: Variable) -> None:
    if site.result >= 0:
        produced = engine.world.container(LIST)
        engine.world.solver.copy(element, produced.rest)
        engine.world.solver.add(site.result, produced)


def call_back(engine: Engine, site: Site) -> None:
    """Let functions among the arguments be called with nothing known."""
    for variable in site.arguments:
        if variable >= 0:
            engine.world.later(Tier.CONTAINER, engine.world.solver.watch, variable, _call_function, (engine, site))


def _call_function(place: tuple[Engine, Site], value: Value) -> None:
    engine, site = place
    if isinstance(value, Function | Method):
        engine.calls.on(engine.world.site(site.scope, site.line, -1), value)


def _called(position: int, first: int) -> Model:
    """A function that calls its argument with the arguments from `first` on."""

    def model(engine: Engine, site: Site) -> bool:
        callee = _argument(site, position)
        if callee >= 0:
            _call(engine, site, callee, site.arguments[first:], site.result)
        return True

    return model


def _same(engine: Engine, site: Site) -> bool:
    if _argument(site, 0) >= 0 and site.result >= 0:
        engine.world.solver.copy(site.arguments[0], site.result)
    return True


def _from(engine: Engine, site: Site) -> bool:
    """`Array.from(source, f)`."""
    source, callee = _argument(site, 0), _argument(site, 1)
    element = _element(engine, site, source) if source >= 0 else engine.world.solver.variable()
    if callee >= 0:
        mapped = engine.world.solver.variable()
        _call(engine, site, callee, (element,), mapped)
        element = mapped
    _list_of(engine, site, element)
    return True


def _collection(engine: Engine, site: Site) -> bool:
    """`new Map(...)`, `new Set(...)`: keys are not told apart."""
    source = _argument(site, 0)
    _list_of(engine, site, _element(engine, site, source) if source >= 0 else engine.world.solver.variable())
    return True


def _values(engine: Engine, site: Site) -> bool:
    """`Object.values(x)`."""
    element = engine.world.solver.variable()
    if _argument(site, 0) >= 0:
        engine.containers.read(site.arguments[0], None, element)
    _list_of(engine, site, element)
    return True


def _entries(engine: Engine, site: Site) -> bool:
    """`Object.entries(x)`."""
    pair = engine.world.container(LIST)
    if _argument(site, 0) >= 0:
        engine.containers.read(site.arguments[0], None, engine.world.item(pair, 1))
    element = engine.world.solver.variable()
    engine.world.solver.add(element, pair)
    _list_of(engine, site, element)
    return True


def _merged(engine: Engine, site: Site) -> bool:
    """`Object.assign(owner, ...)`: gives back the owner with everything that the others have."""
    if _argument(site, 0) < 0:
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


def _bound_timer(engine: Engine, site: Site) -> bool:
    callee = _argument(site, 0)
    if callee >= 0:
        _call(engine, site, callee, site.arguments[2:])
    return True


MODELS: dict[str, Model] = {
    "setTimeout": _bound_timer,
    "setInterval": _bound_timer,
    "setImmediate": _called(0, 1),
    "queueMicrotask": _called(0, 1),
    "requestAnimationFrame": _called(0, 1),
    "requestIdleCallback": _called(0, 1),
    "process.nextTick": _called(0, 1),
    "Promise": _called(0, 9),
    "Promise.resolve": _same,
    "Promise.all": _same,
    "Promise.allSettled": _same,
    "Promise.race": _values,
    "Array.from": _from,
    "Array.of": _collection,
    "Map": _collection,
    "Set": _collection,
    "WeakMap": _collection,
    "WeakSet": _collection,
    "Object.freeze": _same,
    "Object.seal": _same,
    "Object.create": _same,
    "Object.values": _values,
    "Object.entries": _entries,
    "Object.assign": _merged,
    "Reflect.apply": _called(0, 9),
    "merge-descriptors": _merged,
    "lodash.merge": _merged,
    "lodash.extend": _merged,
    "xtend": _merged,
}
# Functions of libraries, by their last name.
SUFFIX_MODELS: dict[str, Model] = {
    "useCallback": _same,
    "useEffect": _called(0, 9),
    "useLayoutEffect": _called(0, 9),
    "useMemo": _called(0, 9),
    "memo": _same,
    "forwardRef": _same,
    "promisify": _same,
    "debounce": _same,
    "throttle": _same,
    "lazy": _called(0, 9),
}

_WITH_ELEMENT = frozenset(("forEach", "some", "every", "find", "findLast", "findIndex", "filter", "map", "flatMap"))
_GIVING_ELEMENT = frozenset(("find", "findLast", "pop", "shift", "at", "get", "next", "reduce", "reduceRight"))
_GIVING_SAME = frozenset(("filter", "sort", "reverse", "concat", "values", "flat", "splice", "fill", "toSorted"))
_ADDING = frozenset(("push", "unshift", "add"))


def call_method(engine: Engine, site: Site, method: ContainerMethod) -> bool:
    """Call a method of an array, map or set; True: nothing else is known of it."""
    name, container, solver = method.name, method.container, engine.world.solver
    first = _argument(site, 0)
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
        _call(engine, site, first, (container.every, -1, -1), given)
        if name in ("map", "flatMap"):
            _list_of(engine, site, given)
    elif name in ("reduce", "reduceRight"):
        _reduce(engine, site, container)
    elif name in ("sort", "toSorted"):
        _call(engine, site, first, (container.every, container.every))
    elif name == "concat":
        engine.containers.read(first, None, container.rest)


def _give(engine: Engine, site: Site, container: Container, name: str) -> None:
    solver = engine.world.solver
    if name in _GIVING_ELEMENT:
        solver.copy(container.every, site.result)
    elif name in _GIVING_SAME:
        solver.add(site.result, container)
    elif name == "slice":
        engine.containers.cut((site.result, _start(engine, site)), container)
    elif name == "entries":
        pair = engine.world.container(LIST)
        solver.copy(container.every, engine.world.item(pair, 1))
        element = solver.variable()
        solver.add(element, pair)
        _list_of(engine, site, element)


def _start(engine: Engine, site: Site) -> int:
    first = _argument(site, 0)
    known = list(engine.world.solver.values[first]) if first >= 0 else []
    if len(known) == 1 and isinstance(known[0], Literal) and isinstance(known[0].value, int):
        return known[0].value
    return 0


def _reduce(engine: Engine, site: Site, container: Container) -> None:
    gathered = engine.world.solver.variable()
    if _argument(site, 1) >= 0:
        engine.world.solver.copy(site.arguments[1], gathered)
    _call(engine, site, site.arguments[0], (gathered, container.every), gathered)
    if site.result >= 0:
        engine.world.solver.copy(gathered, site.result)
