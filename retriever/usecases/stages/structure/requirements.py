"""Lists the packages that the project depends on, where the question asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, Relation
from retriever.domain.evidence.piece import Draft, hash_lines
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Origin
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft, read_lines
from retriever.usecases.locating.about_project import PROJECT
from retriever.usecases.locating.manifests import properties, requirements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.ports import Judge, Snapshot

_MANIFESTS = 3
"""Most manifests that are shown: those nearest to the root."""
_LISTED = 30
_RUNTIME, _OPTIONAL, _FEATURE = "runtime.", "optional.", "feature."
"""Prefixes of property names: platform versions, packages of an extra or a feature, features."""
_NOTHING = "-"
"""Value of a feature that enables nothing else."""


class Requirements:
    """Drafts a list of runtime versions, and one for each manifest with development packages last."""

    name = "requirements"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the manifests; nothing if the question does not ask for dependencies."""
        choices = {part.choice for part in task.understanding.of(Intent.DEPENDENCIES)}
        if not choices:
            return context
        runtime = _RUNTIME.removesuffix(".")
        is_asked, of_packages = runtime in choices, choices != {runtime}
        scope = task.scope or context.scope
        found = await asyncio.to_thread(_packages, snapshot, scope) if of_packages else []
        versions = await asyncio.to_thread(_runtime, snapshot)
        found += [each for each in versions if is_asked or (each.users and each.users.count)]
        return context.with_drafts(found).with_step(self.name)


def _runtime(snapshot: Snapshot) -> list[Draft]:
    """Draft which versions of languages and platforms the manifests nearest to the root ask for."""
    found = [each for each in properties(snapshot, _RUNTIME) if each.value]
    nearest = [each for each in found if each.path.count("/") == found[0].path.count("/")]
    listed = tuple(
        User(f"{each.name.removeprefix(_RUNTIME)} {each.value}", None, Span(each.path, each.line, each.line))
        for each in nearest[:_LISTED]
    )
    told = UserList(PROJECT, Relation.REQUIRES, None, len(listed), listed)
    return [_told(snapshot, told, nearest) if listed else list_draft(told, ())]


def _told(snapshot: Snapshot, found: UserList, said: Sequence[GivenValue]) -> Draft:
    """Draft a list that cites the lines of its manifest."""
    lines = [each.line for each in said if each.path == said[0].path]
    span = Span(said[0].path, min(lines), max(lines))
    return replace(list_draft(found, ()), span=span, content_hash=hash_lines(read_lines(snapshot, span)))


def _packages(snapshot: Snapshot, scope: str) -> list[Draft]:
    optional = properties(snapshot, _OPTIONAL)
    told = sorted((*requirements(snapshot), *optional), key=lambda each: (each.path.count("/"), each.path))
    by_file = {path: list(said) for path, said in groupby(told, key=lambda each: each.path)}
    within = [path for path in by_file if path.startswith(scope)] or list(by_file)
    within.sort(key=lambda path: (path.count("/"), all(each.origin is Origin.DEVELOPMENT for each in by_file[path])))
    features = properties(snapshot, _FEATURE)
    return [_draft(snapshot, path, by_file[path], features) for path in within[:_MANIFESTS]]


def _draft(snapshot: Snapshot, path: str, told: Sequence[GivenValue], features: Sequence[GivenValue]) -> Draft:
    made_with = [each.name for each in told if each.origin is Origin.DEVELOPMENT]
    used = [_user(each) for each in told if each.origin is not Origin.DEVELOPMENT]
    used.sort(key=lambda each: each.through)
    notes = [f"for those who work on it: {', '.join(made_with[:_LISTED])}"] if made_with else []
    turned_on = [(each.name.removeprefix(_FEATURE), each.value) for each in features if each.path == path]
    notes += [f"the feature `{name}` turns on {value}" for name, value in turned_on[:_LISTED] if value != _NOTHING]
    without = [f"`{name}`" for name, value in turned_on if value == _NOTHING]
    notes += [f"features without further parts: {', '.join(without)}"] if without else []
    listed = tuple(used[:_LISTED])
    return _told(snapshot, UserList(path, Relation.REQUIRES, None, len(used), listed, notes=tuple(notes)), told)


def _user(package: GivenValue) -> User:
    """Return a package with its version; for an optional one `through` is the extra or feature that needs it."""
    place = Span(package.path, package.line, package.line)
    group, _, name = package.name.removeprefix(_OPTIONAL).partition(".")
    is_optional = package.name.startswith(_OPTIONAL)
    named = name if is_optional else package.name
    return User(f"{named} {package.value}".strip(), None, place, f"optional {group}".strip() if is_optional else "")
