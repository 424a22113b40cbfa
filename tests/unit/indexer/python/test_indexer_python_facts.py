"""What the Python adapter says of behaviour."""

from __future__ import annotations

import textwrap

import pytest

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.model import FactKind


def facts(text: str, kind: FactKind) -> list[tuple[str, str]]:
    """Give (qualified name, value) of each fact of a kind."""
    found = PythonLanguage().parse("m.py", "m", textwrap.dedent(text).lstrip("\n"))
    return [(found.symbols[fact.symbol].qualified_name, fact.value) for fact in found.facts if fact.kind == kind]


def values(text: str, kind: FactKind) -> list[str]:
    """Give the values alone."""
    return [value for _, value in facts(text, kind)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise ValueError('x')", ["ValueError"]),
        ("raise errors.NotFound from None", ["errors.NotFound"]),
        ("raise self.error_class()", ["self.error_class"]),
        ("e = KeyError('x')\n    raise e", ["KeyError"]),
        ("try: pass\n    except (A, b.C):\n        raise", ["A", "b.C"]),
        ("try: pass\n    except A as e:\n        raise e", ["A"]),
        ("raise E().with_traceback(t)", ["E"]),
        ("raise errors.NotFound.of(x)", ["errors.NotFound"]),
        ("e = NotFound.of(x)\n    raise e", ["NotFound"]),
        ("raise self.failure.of(x)", ["self.failure.of"]),
    ],
)
def test_raised_types_are_named_as_written(body: str, expected: list[str]) -> None:
    """A raise names its type; bare ones and names of handlers name the caught types."""
    assert values(f"def f(self):\n    {body}", FactKind.RAISES) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.x = 1", ["self.x"]),
        ("self.x[k] += 1", ["self.x"]),
        ("self.a.b, c = 1, 2", ["self.a.b"]),
        ("del self.x[0]", ["self.x"]),
        ("self.items.append(1)", ["self.items"]),
        ("STATE['k'] = 1", ["STATE"]),
        ("STATE.update(x)", ["STATE"]),
        ("global COUNT\n    COUNT += 1", ["COUNT"]),
        ("setattr(self, 'x', 1)", ["self.x"]),
        ("given.append(1)", ["given"]),
        ("local = []\n    local.append(1)", []),
        ("STATE = {}\n    STATE['k'] = 1", []),
        ("self.x", []),
    ],
)
def test_changed_state_is_named(body: str, expected: list[str]) -> None:
    """Attributes, module names and parameters that a body changes are facts; its own locals are not."""
    text = f"STATE = {{}}\nCOUNT = 0\ndef f(self, given, k=0, x=0):\n    {body}"

    assert [value for name, value in facts(text, FactKind.MUTATES) if name == "f"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise E('no such file')", ["no such file"]),
        ("raise E(f'no {x} in {y}')", ["no {} in {}"]),
        ("raise E('no %s in %(y)r' % x)", ["no {} in {}"]),
        ("raise E('no {0} in {y!r}'.format(x))", ["no {} in {}"]),
        ("raise E('a ' + x + ' b')", ["a {} b"]),
        ("raise E(_('translated'))", ["translated"]),
        ("raise E(code=1, message='by keyword')", ["by keyword"]),
        ("msg = 'kept %d' % x\n    raise E(msg)", ["kept {}"]),
        ("raise E(TEXT)", ["a constant"]),
        ("raise E(MESSAGES['k'])", ["in a table"]),
        ("log.warning('lost %s', x)", ["lost {}"]),
        ("self._logger.error('failed')", ["failed"]),
        ("warnings.warn('old')", ["old"]),
        ("assert x, 'must be set'", ["must be set"]),
        ("print('not an error')", []),
        ("raise E(x)", []),
    ],
)
def test_messages_keep_their_fixed_parts(body: str, expected: list[str]) -> None:
    """What varies becomes {}; constants and local names are looked up."""
    text = f"TEXT = 'a constant'\nMESSAGES = {{'k': 'in a table'}}\ndef f(self, x=0, y=0):\n    {body}"

    assert values(text, FactKind.ERROR_STRING) == expected


def test_messages_that_classes_keep_are_theirs() -> None:
    """Class-level messages, and all texts of exception classes, are facts of the class."""
    text = """
    class Field:
        default_error_messages = {"required": "Missing data."}
        label = "not a message"
    class NotFound(Exception):
        text = "Nothing here."
    """

    assert facts(text, FactKind.ERROR_STRING) == [("Field", "Missing data."), ("NotFound", "Nothing here.")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@app.route('/x', methods=['POST', 'PUT'])\ndef f(): pass", ["route POST,PUT /x"]),
        ("@router.get('/x/{i}')\ndef f(): pass", ["route GET /x/{i}"]),
        ("@mock.patch('os.x')\ndef f(): pass", []),
        ("@cli.command('build')\ndef f(): pass", ["command build"]),
        ("@shared_task\ndef f(): pass", ["task f"]),
        ("@pytest.fixture\ndef f(): pass", ["fixture f"]),
        ("urlpatterns = [path('x/', views.index)]", ["route x/ views.index"]),
        ("class Command(BaseCommand): pass", ["command Command"]),
        ("if __name__ == '__main__':\n    pass", ["script"]),
        ("def f(): pass", []),
    ],
)
def test_entry_points_are_recognised(text: str, expected: list[str]) -> None:
    """Routes, commands, tasks, fixtures and scripts say so."""
    assert values(text, FactKind.ENTRY_POINT) == expected


def test_reasons_in_comments_go_to_the_code_they_stand_by() -> None:
    """A comment above a definition is its, one inside belongs to the innermost; strings are not comments."""
    text = '''
    # NOTE: kept for old callers,
    # which still use it.
    def f():
        x = 1  # because the API counts from one
        y = "# TODO not a comment"
        """
        # TODO neither
        """
        # plain remark
        z = 2  # noqa: because
    '''

    assert facts(text, FactKind.RATIONALE) == [
        ("f", "NOTE: kept for old callers, which still use it."),
        ("f", "because the API counts from one"),
    ]
    assert facts("x = 1\n# NOTE: kept for\n# old callers", FactKind.RATIONALE) == [("", "NOTE: kept for old callers")]


def test_assertions_are_kept_as_written() -> None:
    """Assert statements and assertion calls are facts."""
    text = (
        "def test_f():\n    assert f(1) == 2\n    self.assertEqual(f(2),\n        3)\n    with pytest.raises(E): pass"
    )

    assert values(text, FactKind.ASSERTION) == ["assert f(1) == 2", "self.assertEqual(f(2), 3)", "pytest.raises(E)"]
