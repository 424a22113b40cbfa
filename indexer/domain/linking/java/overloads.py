"""Which of several methods of one name a call means, by the declared types of parameters and arguments."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from indexer.domain.linking.program import IS_ABSTRACT
from indexer.domain.linking.solver.world import CallSite
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.domain.linking.solver.values import Class, Function, Variable
    from indexer.domain.linking.solver.world import Site, World

OBJECT: Final = "Object"
NULL: Final = "null"
FUNCTIONAL: Final = "->"
ASSUMED: Final = "?"
"""In front of a type that a call of the library has by its name; a method of the project says it better."""

_NUMBERS = ("byte", "short", "int", "long", "float", "double")
_BOXES = MappingProxyType(
    {
        "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float", "double": "Double",
        "char": "Character", "boolean": "Boolean",
    }
)  # fmt: skip
PRIMITIVES = MappingProxyType({box: name for name, box in _BOXES.items()})
_COLLECTIONS = ("Collection", "Iterable")
_LIBRARY = MappingProxyType(
    {
        **dict.fromkeys(("Byte", "Short", "Integer"), ("Number", "Comparable", "Serializable")),
        **dict.fromkeys(("Long", "Float", "Double"), ("Number", "Comparable", "Serializable")),
        **dict.fromkeys(("BigDecimal", "BigInteger", "LazilyParsedNumber"), ("Number", "Comparable", "Serializable")),
        **dict.fromkeys(("AtomicInteger", "AtomicLong"), ("Number", "Serializable")),
        **dict.fromkeys(("Boolean", "Character", "Date", "UUID"), ("Comparable", "Serializable")),
        "String": ("CharSequence", "Comparable", "Serializable"),
        **dict.fromkeys(("StringBuilder", "StringBuffer"), ("CharSequence", "Appendable", "Serializable")),
        "Class": ("Type", "Serializable"),
        **dict.fromkeys(("Type", "Map", "Iterable", "Runnable", "URL", "URI", "Locale"), ()),
        **dict.fromkeys(("Reader", "InputStream", "OutputStream"), ("Closeable",)),
        **dict.fromkeys(("ParameterizedType", "GenericArrayType", "WildcardType", "TypeVariable"), ("Type",)),
        **dict.fromkeys(("List", "Set", "Queue", "Deque", "SortedSet"), _COLLECTIONS),
        **dict.fromkeys(("ArrayList", "LinkedList", "Vector"), ("List", "AbstractList", *_COLLECTIONS)),
        **dict.fromkeys(("HashSet", "LinkedHashSet", "TreeSet"), ("Set", "AbstractSet", *_COLLECTIONS)),
        "Collection": ("Iterable",),
        **dict.fromkeys(("HashMap", "TreeMap", "ConcurrentHashMap", "Properties"), ("Map", "AbstractMap")),
        "LinkedHashMap": ("HashMap", "Map", "AbstractMap"),
        **dict.fromkeys(("StringReader", "InputStreamReader", "BufferedReader"), ("Reader", "Closeable")),
        **dict.fromkeys(("StringWriter", "PrintWriter", "OutputStreamWriter", "CharArrayWriter"),
                        ("Writer", "Appendable", "Closeable")),
        "Writer": ("Appendable", "Closeable"),
        **dict.fromkeys(("ByteArrayInputStream", "FileInputStream"), ("InputStream", "Closeable")),
        **dict.fromkeys(("ByteArrayOutputStream", "FileOutputStream", "PrintStream"), ("OutputStream", "Closeable")),
        "Exception": ("Throwable",), "Error": ("Throwable",),
        "RuntimeException": ("Exception", "Throwable"),
        "IOException": ("Exception", "Throwable"),
        **dict.fromkeys(("IllegalArgumentException", "IllegalStateException", "NumberFormatException",
                         "ClassCastException", "UnsupportedOperationException"),
                        ("RuntimeException", "Exception", "Throwable")),
    }
)  # fmt: skip
# Types that nothing is below of and that no function stands for.
_FINAL = frozenset((*PRIMITIVES, "String", "Class", "UUID", "StringBuilder", "StringBuffer"))
_FUNCTIONS = frozenset(
    ("Runnable", "Callable", "Supplier", "Function", "Consumer", "Predicate", "Comparator", "BiFunction", "BiConsumer",
     "UnaryOperator", "BinaryOperator")
)  # fmt: skip
_NO_FUNCTION = frozenset((*_FINAL, "Number", OBJECT, "Type", "CharSequence", "List", "Map", "Set", "Collection"))


class Fit(IntEnum):
    """How well an argument fits a parameter."""

    NO = 0
    MAYBE = 1
    BOXED = 2
    """By boxing or unboxing, which applies only if no method fits without it."""
    YES = 3


class Overloads:
    """Chooses methods as the Java Language Specification does (15.12.2), as far as the types are known."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._named: dict[tuple[Class, str], list[Function]] = {}
        self._above: dict[str, set[str]] = {}
        self._open: set[str] = set()
        self._functional: set[str] = set()
        self._chosen: dict[tuple[Class, str, tuple[str, ...]], tuple[Function, ...]] = {}
        self._makers: dict[Variable, Site] = {}

    def meant(self, site: Site, function: Function) -> Sequence[Function]:
        """Return the overloads that a call may run, given that it was found to call `function`; usually only that."""
        holder = function.holder
        if holder is None or len(site.given) != len(site.arguments) or not site.given:
            return (function,)
        given = tuple(["" if each.startswith(ASSUMED) else each for each in site.given])
        return self._choose(holder, function, given) or (function,)

    def settle(self, site: Site) -> None:
        """Remove the overloads that a call cannot run by the final types; if several remain, lower their tier."""
        groups: dict[tuple[Class, str], list[Function]] = {}
        for function in site.targets:
            if function.types and function.holder is not None:
                groups.setdefault((function.holder, function.name), []).append(function)
        for (holder, _), group in groups.items():
            if len(group) < 2:
                continue
            best = set(group)
            if site.given:
                given = tuple([self._known(site, place) for place in range(len(site.given))])
                best &= set(self._choose(holder, group[0], given)) or best
            undecided = len(best) > 1
            site.targets = {
                function: max(tier, Tier.ARGUMENT) if undecided and function in best else tier
                for function, tier in site.targets.items()
                if function not in group or function in best
            }

    def note_results(self) -> None:
        """Note which call gives each value, so that its method's declared type is that of the value."""
        for site in self._world.sites:
            if isinstance(site, CallSite) and site.result >= 0:
                self._makers[site.result] = site

    def _known(self, site: Site, place: int) -> str:
        written, variable = site.given[place], site.arguments[place]
        if (not written or written.startswith(ASSUMED)) and variable in self._makers:
            maker = self._makers[variable]
            results = {function.types[-1] for function in maker.targets if function.types}
            if len(results) == 1:
                return results.pop()
        return written.removeprefix(ASSUMED)

    def _choose(self, holder: Class, function: Function, given: tuple[str, ...]) -> tuple[Function, ...]:
        """Choose among the methods of a class, and among those that it inherits where none of its own fits."""
        key = (holder, function.name, given)
        found = self._chosen.get(key)
        if found is None:
            found = self._best(self._methods(holder, function.name), given)
            for above in holder.order[1:] if not found else ():
                methods = self._methods(above, function.name)
                found = found or self._best([each for each in methods if self._fit(each, given) > Fit.MAYBE], given)
            self._chosen[key] = found
        return found

    def _methods(self, holder: Class, name: str) -> list[Function]:
        if not self._named:
            for function in self._world.functions:
                if function.holder is not None and function.types:
                    self._named.setdefault((function.holder, function.name), []).append(function)
        return self._named.get((holder, name), [])

    def _best(self, methods: Iterable[Function], given: tuple[str, ...]) -> tuple[Function, ...]:
        fits = {each: self._fit(each, given) for each in methods}
        surest = [each for each, fit in fits.items() if fit == Fit.YES]
        possible = surest + [each for each, fit in fits.items() if fit == Fit.MAYBE]
        if not surest:
            surest = [each for each, fit in fits.items() if fit == Fit.BOXED]
            possible += surest
        fixed = [each for each in possible if each.variadic is None]
        if any(each in surest for each in fixed):
            possible = fixed
        return tuple([each for each in possible if not self._is_beaten(each, possible, set(surest))])

    def _is_beaten(self, method: Function, others: Sequence[Function], surest: set[Function]) -> bool:
        """Return whether another method is surely applicable and takes less than this one at every place."""
        own = method.types[:-1]
        for other in others:
            wanted = other.types[:-1]
            if other is method or other not in surest or wanted == own or len(wanted) != len(own):
                continue
            if all(self._pair(one, two) == Fit.YES for one, two in zip(wanted, own, strict=True)):
                return True
        return False

    def _fit(self, method: Function, given: tuple[str, ...]) -> Fit:
        wanted = method.types[:-1]
        if method.variadic is None:
            if len(wanted) != len(given):
                return Fit.NO
        elif len(given) < len(wanted) - 1:
            return Fit.NO
        else:
            element = wanted[-1].removesuffix("[]")
            as_array = len(given) == len(wanted) and given[-1] in (wanted[-1], NULL)
            if not as_array:
                wanted = (*wanted[:-1], *[element] * (len(given) - len(wanted) + 1))
        return min((self._pair(one, two) for one, two in zip(given, wanted, strict=True)), default=Fit.YES)

    def _pair(self, given: str, wanted: str) -> Fit:
        """Return how an argument of one type goes with a parameter of another."""
        if given == wanted:
            return Fit.YES
        if not given or not wanted:
            return Fit.MAYBE
        if given in _BOXES or wanted in _BOXES:
            return self._primitive(given, wanted)
        if given == NULL or wanted == OBJECT:
            return Fit.NO if given == FUNCTIONAL else Fit.YES
        self._read_classes()
        if given == FUNCTIONAL:
            never = wanted in _NO_FUNCTION or wanted.endswith("[]") or wanted in self._above.keys() - self._functional
            return Fit.NO if never else Fit.YES if wanted in _FUNCTIONS | self._functional else Fit.MAYBE
        if given.endswith("[]") or wanted.endswith("[]"):
            both = given.endswith("[]") and wanted.endswith("[]")
            return self._pair(given[:-2], wanted[:-2]) if both and given[:-2] not in _BOXES else Fit.NO
        if wanted in (self._above.get(given) or _LIBRARY.get(given, ())):
            return Fit.YES
        # Nothing in a library is below a type of the project.
        known = given in _LIBRARY or given == OBJECT or wanted in _FINAL or wanted in self._above
        return Fit.NO if known or (given in self._above and given not in self._open) else Fit.MAYBE

    def _primitive(self, given: str, wanted: str) -> Fit:
        if given in _BOXES and wanted in _BOXES:
            return Fit.YES if _widens(given, wanted) else Fit.NO
        if given in _BOXES:
            box = _BOXES[given]
            return Fit.BOXED if wanted in (box, OBJECT, *_LIBRARY[box]) else Fit.NO
        own = PRIMITIVES.get(given, "")
        if own:
            return Fit.BOXED if own == wanted or _widens(own, wanted) else Fit.NO
        return Fit.NO

    def _read_classes(self) -> None:
        """Note the simple names of all that each class of the project extends and implements, once."""
        if self._above:
            return
        for cls in self._world.classes:
            foreign = [each.rpartition(".")[2] for each in cls.foreign]
            found = self._above.setdefault(cls.name, set())
            if any(each not in _LIBRARY and each != OBJECT for each in foreign):
                self._open.add(cls.name)
            found.update(*(_LIBRARY.get(each, ()) for each in foreign), foreign, (each.name for each in cls.order))
        abstract = (each.holder for each in self._world.functions if each.flags & IS_ABSTRACT)
        self._functional = {holder.name for holder in abstract if holder is not None}


def promoted(one: str, other: str) -> str:
    """Return the type of arithmetic with two numbers; "" where one is no known number."""
    sides = [PRIMITIVES.get(each, each) for each in (one, other)]
    sides = ["int" if each in ("char", "byte", "short") else each for each in sides]
    return max(sides, key=_NUMBERS.index) if all(each in _NUMBERS for each in sides) else ""


def _widens(one: str, other: str) -> bool:
    if one == "char":
        return other in _NUMBERS[2:]
    return one in _NUMBERS and other in _NUMBERS and _NUMBERS.index(one) < _NUMBERS.index(other)
