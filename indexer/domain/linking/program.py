"""
The flow program of one file: the input of the linker.

A program is a pure function of (text, path, module name), made of tuples, strings, integers and None, so that `marshal`
can serialize it. *Slots* are numbered places that hold values. Every name, parameter, attribute expression and call
result has one; a local name gets a new slot with each assignment, so the order of straight-line code is already
resolved when a program is written. -1 (`NOTHING`) is the slot of values that can never be called (numbers, None).

`(slots, scopes, exports, stars, code)`:

slots    how many there are; they are numbered from 0.
scopes   one for the module and for each function, lambda and class, in order of discovery; the first is the module.
exports  ((name, slot), ...): the names that the module has once it has run.
stars    (module name, ...): modules from which it imports all names.
code     instructions, each a tuple that starts with its operation (below). Their order does not matter.

A scope is `(kind, name, parent, symbol, line, detail)`: `parent` is a scope, `symbol` the position of the nearest
symbol in the file's list. `detail` of a function or lambda is
`(parameters, positional, vararg, kwarg, result, yielded, flags, passed)`:
parameters ((name, slot), ...) with the first `positional` of them taken by position; slots of `*args` and `**kwargs`
(NOTHING without); slot of what is returned and of what is yielded (NOTHING if it is no generator); flags; positions of
parameters that are returned just as they came in; and where a language has overloads, the types of the parameters and
that of the result by name, "" for an unknown one. `detail` of a class is `(bases, metaclass, members, fields)`: slots
of the bases, a slot, ((name, slot), ...) for the names of its body and for the fields that its constructor takes.
`STRUCTURAL` instead of a metaclass marks an interface that every class with its methods implements. `detail` of a
module is `(1,)` if all files with the module's name make it up together, as those of a Go or Java package do, else ().

An `EXTENSION` adds members to a class of the same module, in whichever file that is. In languages that select methods
by the number of arguments, names of members and attributes end with it: `find(2)`; `find(*)` is any number.
"""

from __future__ import annotations

from typing import Final, TypeAlias

NOTHING: Final = -1

MODULE: Final = 0
FUNCTION: Final = 1
LAMBDA: Final = 2
CLASS: Final = 3
EXTENSION: Final = 4  # methods of a class that is defined elsewhere in the module; detail as of a class

STRUCTURAL: Final = -2

POSITIONAL_ONLY: Final = "/"
"""Suffix of the name of a parameter that callers cannot pass by keyword."""

# Flags of functions.
IS_STATIC: Final = 1
IS_CLASS_METHOD: Final = 2
IS_SETTER: Final = 4
IS_STUB: Final = 8  # has no effect: abstract, empty, or returns a constant
IS_ABSTRACT: Final = 16  # never runs itself: represents its implementations
IS_ARROW: Final = 32  # an arrow function, which some count by number even if it has a name
KEEPS: Final = 64  # stores an argument in a container of its object
GIVES: Final = 128  # returns contents of its object

# Operations. `at` stands for two operands: the scope of the code, and the line.
COPY: Final = 0  # (destination, source)
DEFINE: Final = 1  # (destination, scope): the function or class of a scope
LITERAL: Final = 2  # (destination, text or number, 1 if it is only the start of the text)
IMPORT: Final = 3  # (destination, module, name or "", at): a module, or a name of it
NAME: Final = 4  # (destination, name): bound nowhere in the file
LOAD: Final = 5  # (destination, object, attribute, at)
STORE: Final = 6  # (object, attribute, source, at)
# (destination, callee, arguments, keywords, name as written, at, receiver or NOTHING, attribute[, types of arguments])
CALL: Final = 7
DECORATE: Final = 8  # (destination, decorator, decorated, at)
CONTAINER: Final = 9  # (destination, kind, ((key or None, slot), ...), (slot of what is spread into it, ...))
GET_ITEM: Final = 10  # (destination, object, key, slot of the key or NOTHING, at)
SET_ITEM: Final = 11  # (object, key, slot of the key or NOTHING, source, at)
ITERATE: Final = 12  # (destination, object, at)
ENTER: Final = 13  # (destination, object, at): entering and leaving `with`
OPERATE: Final = 14  # (destination, methods in order of preference, object, arguments, at): by protocol method
INSTANCE: Final = 15  # (destination, class, at): an annotation
SUPER: Final = 16  # (destination, class, receiver, at)
NARROW: Final = 17  # (destination, object, class, at): what is left of a value after `isinstance`
SLICE: Final = 18  # (destination, object, first position, at)
UNPACK: Final = 19  # (destination, object, position, at): the element at that position of an iterable
RAISE: Final = 20  # (object, at): instantiates a class
PARAMETER: Final = 21  # (parameter's slot, scope of the function, name): filled by name from outside (fixtures)

# A declared type, subclasses too: (destination, class, slot of which nothing else must be known or NOTHING, at)
DECLARE: Final = 22

# The code of a method, or of a function in it, which objects of different origin may have a copy of:
# (scope, first slot of its own, slot behind its last, first instruction, instruction behind its last)
BODY: Final = 23

# Kinds of containers.
LIST: Final = 0
TUPLE: Final = 1
MAPPING: Final = 2

Slot: TypeAlias = int
Instruction: TypeAlias = tuple[object, ...]
Scope: TypeAlias = tuple[int, str, int, int, int, tuple[object, ...]]
Program: TypeAlias = tuple[
    int, tuple[Scope, ...], tuple[tuple[str, int], ...], tuple[str, ...], tuple[Instruction, ...]
]
