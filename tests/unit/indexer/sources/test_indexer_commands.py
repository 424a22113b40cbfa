"""Commands that a program is told on its command line, in the ways in which languages and libraries declare them."""

from __future__ import annotations

import pytest

from indexer.domain.model import FactKind
from tests.unit.indexer.read_units import facts_of

_ENUM = """\
#[derive(Debug, clap::Subcommand)]
#[command(about)]
enum Commands {
    AddAll { path: String },
    /// Lists.
    List,
}
#[derive(Debug)]
enum Color { Red }
"""
_TABLE = 'COMMANDS = {\n    "run": do_run,\n    "to-html": Parser(1),\n}\n'
_MEMBER = 'class A:\n    commands = {"run": (do_run, "x")}\n    def f(self, x): self.commands.get(x)\n'
_CHAIN = "program.command('build <dir>').command(['up', 'u'], 'x').command('$0 [dir]')\n"
_OBJECT = "const commands = { runIt: go, 'a-b': () => 1, f() {}, s }\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'sub.add_parser("run", help="x")\nsub.add_parser(kind)\nsub.add_parser(f"{kind}")\n', ["run"]),
        ("a.py", f"{_TABLE}COMMANDS[name]()\n", ["run", "to-html"]),
        ("a.py", _TABLE, []),
        ("a.py", _MEMBER, ["run"]),
        ("a.py", 'COMMANDS = {"run": "It runs."}\nCOMMANDS[name]\n', []),
        ("a.py", 'ERRORS = {"run": do_run}\nERRORS[name]\n', []),
        ("a.js", _CHAIN, ["build <dir>", "up"]),
        ("a.js", "subparsers.addParser('c1', { addHelp: true })\n", ["c1"]),
        ("a.js", "exports.command = 'init <path>'\n", ["init <path>"]),
        ("a.ts", "export const command = 'init <path>'\n", ["init <path>"]),
        ("a.ts", f"{_OBJECT}commands[x]()\n", ["runIt", "a-b", "f", "s"]),
        ("a.rs", _ENUM, ["add-all", "list"]),
        ("a.rs", 'fn f() { SubCommand::with_name("old"); Command::new("new").about("x"); }\n', ["old", "new"]),
        ("a.rs", 'fn f() { Command::new("git").arg("x"); }\n', []),
    ],
)
def test_commands_are_read_where_they_are_declared(path: str, text: str, expected: list[str]) -> None:
    """By a call, a table that is looked up in its file, a module of commands, or a type."""
    found = [each.value for each in facts_of(path, text, FactKind.ENTRY_POINT)]

    assert found == [f"command {each}" for each in expected]
