"""What projects say that they depend on, in the forms of several package managers."""

from __future__ import annotations

import time

import pytest

from indexer.adapters.manifests.reading import manifest_facts
from indexer.domain.model import Fact, FactKind, Origin
from tests.fakes.latency import within


def _requirements(path: str, text: str) -> list[Fact]:
    return [fact for fact in manifest_facts(path, text) if fact.kind == FactKind.REQUIREMENT]


_PYPROJECT = """\
[project]
dependencies = [
    "inkwell[blue]>=2 ; python_version > '3'",
]
[project.optional-dependencies]
fast = ["quill"]
tests = ["pytest"]
[dependency-groups]
lint = ["ruff", {include-group = "tests"}]
[tool.poetry.dependencies]
python = "^3.11"
paper = { version = "1.0" }
[tool.poetry.group.dev.dependencies]
blotter = "*"
"""
_GO = """\
module example.com/shop

require github.com/acme/one v1.2.3

require (
\tgithub.com/acme/two v0.1.0
\tgolang.org/x/net v0.2.0 // indirect
)
"""
_GO_FOUND = [("github.com/acme/one", "v1.2.3", 3, False), ("github.com/acme/two", "v0.1.0", 6, False)]
_POM = """\
<project><properties><ink.version>1</ink.version></properties><dependencies>
<dependency><groupId>a</groupId><artifactId>ink</artifactId><version>${ink.version}</version></dependency>
<dependency><groupId>b</groupId>
<artifactId>pen</artifactId><scope>test</scope></dependency>
</dependencies></project>
"""
_POM_FOUND = [("ink", "${ink.version}", 2, False), ("pen", "", 4, True)]
_EXCLUDING = """\
<project><dependencies><dependency><artifactId>ink</artifactId><version>6</version><exclusions>
<exclusion><artifactId>nib</artifactId></exclusion></exclusions></dependency>
<dependency><artifactId>nib</artifactId></dependency>
</dependencies><build><plugins><plugin><dependencies><dependency><artifactId>pen</artifactId></dependency></dependencies>
</plugin></plugins></build></project>
"""


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "pyproject.toml",
            _PYPROJECT,
            [
                ("inkwell", ">=2", 3, False),
                ("pytest", "", 7, True),
                ("ruff", "", 9, True),
                ("paper", "1.0", 12, False),
                ("blotter", "*", 14, True),
            ],
        ),
        ("go.mod", _GO, _GO_FOUND),
        ("pom.xml", _POM, _POM_FOUND),
        (
            "web/package.json",
            '{"dependencies": {"@acme/pen": "^1"},\n"devDependencies": {"vite": "5"}}',
            [("@acme/pen", "^1", 1, False), ("vite", "5", 2, True)],
        ),
        (
            "Cargo.toml",
            '[dependencies]\nink = "1"\npen = { git = "x" }\n[dev-dependencies]\nquill = "2"\n',
            [("ink", "1", 2, False), ("pen", "", 3, False), ("quill", "2", 5, True)],
        ),
        (
            "Cargo.toml",
            '[workspace.dependencies]\nink = "1"\n[target."cfg(unix)".dependencies]\npen = "2"\n',
            [("ink", "1", 2, False), ("pen", "2", 4, False)],
        ),
        ("requirements.txt", "# ours\nink==1.0\n-r other.txt\n", [("ink", "==1.0", 2, False)]),
        ("requirements-dev.txt", "ink\n", [("ink", "", 1, True)]),
        (
            "app/build.gradle.kts",
            'dependencies {\n  implementation("org.acme:ink:1.0")\n  testImplementation("org.acme:pen:2")\n}\n',
            [("org.acme:ink", "1.0", 2, False), ("org.acme:pen", "2", 3, True)],
        ),
        ("Gemfile", 'gem "ink", "~> 1.0"\n', [("ink", "~>1.0", 1, False)]),
        (
            "Gemfile",
            'group :development, :test do\n  gem "pen"\nend\ngroup :production do\n  gem "ink"\nend\ngem "nib"\n',
            [("pen", "", 2, True), ("ink", "", 5, False), ("nib", "", 7, False)],
        ),
        ("requirements/base.txt", "ink==1.0\n", [("ink", "==1.0", 1, False)]),
        ("requirements/dev.txt", "-r base.txt\npen\n", [("pen", "", 2, True)]),
        (
            "pyproject.toml",
            '[tool.poetry.dev-dependencies]\npen = "^1"\n[tool.uv]\ndev-dependencies = ["ink>1"]\n',
            [("pen", "^1", 2, True), ("ink", ">1", 4, True)],
        ),
        ("go.mod", f"{_GO}exclude (\n\tacme.com/ink v1.0.0\n)\nreplace (\n\tacme.com/pen v1 => ../pen\n)\n", _GO_FOUND),
        ("pom.xml", f"<!-- <dependency><artifactId>old</artifactId></dependency> -->{_POM}", _POM_FOUND),
        (
            "composer.json",
            '{"require": {"php": "8", "acme/ink": "1"},\n"require-dev": {"acme/pen": "2"}}',
            [("acme/ink", "1", 1, False), ("acme/pen", "2", 2, True)],
        ),
        (
            "requirements.txt",
            "# ink must match pen\f\ngit+https://acme.org/quill\nhttps://acme.org/nib.whl\nink==1.0 \\\n  --hash=0\n",
            [("ink", "==1.0", 4, False)],
        ),
        ("requirements.txt", "ink==1.0 --hash=0 --hash=1\n", [("ink", "==1.0", 1, False)]),
        ("docs/dev-requirements.txt", "ink\n", [("ink", "", 1, True)]),
        ("requirements-latest.txt", "ink\n", [("ink", "", 1, False)]),
        (
            "pyproject.toml",
            '[project.optional-dependencies]\ndocker = ["ink"]\ntype-checking = ["pen"]\n',
            [("pen", "", 3, True)],
        ),
        ("requirements.in", "pen @ https://acme.org/pen.whl\n", [("pen", "@https://acme.org/pen.whl", 1, False)]),
        (
            "pyproject.toml",
            '[project]\ndescription = "Like ink, but dry"\ndependencies = [\n  "pen",\n  "ink>2",\n]\n',
            [("pen", "", 4, False), ("ink", ">2", 5, False)],
        ),
        ("package.json", '{"keywords": ["pen"],\n"dependencies": {\n"pen": "^1"}}', [("pen", "^1", 3, False)]),
        ("Cargo.toml", '# ink\n[package]\n[dependencies.ink]\nversion = "1"\n', [("ink", "1", 3, False)]),
        (
            "pom.xml",
            _EXCLUDING,
            [("ink", "6", 1, False), ("nib", "", 3, False)],
        ),
    ],
)
def test_a_file_says_what_it_requires(path: str, text: str, found: list[tuple[str, str, int, bool]]) -> None:
    """With the line of each; the language itself, and what is only required by others, are no packages of it."""
    told = _requirements(path, text)

    assert [(each.value, each.detail, each.line, each.origin is Origin.DEVELOPMENT) for each in told] == found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "[1, 2]"),
        ("package.json", '{"dependencies": 3}'),
        ("package.json", "{"),
        ("package.json", "[" * 200_000),
        ("pyproject.toml", "project = 3"),
        ("pyproject.toml", "[project]\ndependencies = [3]"),
        ("Cargo.toml", "= ="),
        ("setup.py", "ink"),
    ],
)
def test_what_cannot_be_read_requires_nothing(path: str, text: str) -> None:
    """People write files of any shape."""
    assert _requirements(path, text) == []


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("go.mod", "\n"), ("go.mod", "exclude (\n"), ("pom.xml", "<dependency>"), ("pom.xml", "<!--"),
        ("pom.xml", "<dependency><exclusions>"),
        ("Gemfile", "\n"), ("Gemfile", " \n"), ("Gemfile", "group :a do\n"), ("build.gradle", "\n"),
        ("Cargo.toml", "\n"),
    ],
)  # fmt: skip
def test_what_is_never_closed_and_runs_of_blanks_take_no_longer(path: str, unit: str) -> None:
    """Tens of thousands of them: a retriever that read such a file of some repository answered nobody any more."""
    assert _requirements(path, unit * 30_000) == []


def _repeated(count: int, form: str, rest: str) -> str:
    return "".join(form.replace("NAME", str(number)) for number in range(count)) + rest


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "package.json",
            '{"dependencies":{' + _repeated(3000, '"a\\u0061NAME": "1",', '"b": "' + "1" * 200_000 + '"}}'),
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies=[\n" + _repeated(2000, '"a\\u0061NAME",\n', "]\n" + "# a b c d\n" * 60_000),
        ),
        ("pyproject.toml", "a" + ".a" * 30_000 + "=1\n"),
        ("Gemfile", "group :test do\n" * 60_000),
        ("setup.py", "(" * 100_000),
        ("setup.cfg", "[a]\n" * 100_000),
    ],
)
def test_long_manifests_take_time_by_their_length(path: str, text: str) -> None:
    """Names that are spelled with escapes, keys of many parts, groups and sections without end."""
    with within(3):
        manifest_facts(path, text)


def test_gems_of_a_group_are_for_development_up_to_its_end() -> None:
    """Blocks within do not end it."""
    text = "gem 'a'\ngroup :test do\n  gem 'b'\n  platforms :mri do\n    gem 'c'\n  end\n  gem 'd'\nend\ngem 'e', '1'\n"

    assert [each.value for each in _requirements("Gemfile", text) if each.origin is Origin.DEVELOPMENT] == [
        "b",
        "c",
        "d",
    ]


def test_blanks_within_an_element_take_no_longer() -> None:
    """A version of blanks alone is none."""
    blanks, began = " " * 100_000, time.process_time()
    text = f"<dependency><exclusions>{'<exclusions>' * 10_000}</exclusions><version>{blanks}x<artifactId>a</artifactId>"
    assert _requirements("pom.xml", f"{text}</dependency>") == []
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("path", "text", "commands"),
    [
        (
            "Taskfile.yaml",
            "version: 3\ntasks:\n  lint:\n    cmds:\n      - x\n  test:\n    cmds: []\nvars:\n  a:\n",
            [("lint", "task lint", 3), ("test", "task test", 6)],
        ),
        (
            "pyproject.toml",
            "[tool.tox]\nenv_list = []\n[tool.tox.env.docs]\ncommands = []\n[tool.pytest]\n",
            [("test", "tox", 1), ("docs", "tox -e docs", 3), ("test", "pytest", 5)],
        ),
        ("tox.ini", "[tox]\n[testenv]\n[testenv:docs]\n", [("docs", "tox -e docs", 3)]),
        ("Cargo.toml", '[[bin]]\nname = "kilnd"\npath = "b.rs"\n', [("run-kilnd", "cargo run --bin kilnd", 1)]),
    ],
)
def test_environments_tasks_and_binaries_are_commands(
    path: str, text: str, commands: list[tuple[str, str, int]]
) -> None:
    """Beside what is usual for the tool."""
    found = [each for each in manifest_facts(path, text) if each.kind == FactKind.COMMAND]

    assert [(e.value, e.detail, e.line) for e in found if e.origin is not Origin.CONVENTION] == commands


@pytest.mark.parametrize(
    ("path", "text", "required", "found"),
    [
        (
            "pyproject.toml",
            '[project.optional-dependencies]\nfast = ["quill>=2"]\ntests = ["pytest"]\n',
            ["pytest"],
            [("optional.fast.quill", ">=2", 2)],
        ),
        ("setup.cfg", "[options.extras_require]\nfast =\n  quill\n", [], [("optional.fast.quill", "", 3)]),
        ("setup.py", 'setup(extras_require={"fast": ["quill"]})\n', [], [("optional.fast.quill", "", 1)]),
        (
            "pyproject.toml",
            (
                '[tool.poetry.dependencies]\npen = "1"\nink = {version = "2", optional = true}\n'
                '[tool.poetry.extras]\nwet = ["ink"]\n'
            ),
            ["pen"],
            [("optional.wet.ink", "2", 3)],
        ),
        (
            "package.json",
            '{"dependencies": {"pen": "1"},\n"optionalDependencies": {"ink": "2"},\n"peerDependencies": {"nib": "3"}}',
            ["pen"],
            [("optional..ink", "2", 2), ("optional.peer.nib", "3", 3)],
        ),
        (
            "Cargo.toml",
            (
                '[features]\nwet = ["dep:ink"]\nplain = []\ndefault = ["wet"]\n'
                '[dependencies]\npen = "1"\nink = {version="2", optional=true}\nnib = {version="3", optional=true}\n'
            ),
            ["pen"],
            [
                ("feature.wet", "dep:ink", 2),
                ("feature.plain", "-", 3),
                ("feature.default", "wet", 4),
                ("optional.wet.ink", "2", 7),
                ("optional.nib.nib", "3", 8),
            ],
        ),
    ],
)
def test_an_optional_package_is_of_what_turns_it_on(
    path: str, text: str, required: list[str], found: list[tuple[str, str, int]]
) -> None:
    """An extra, a feature, or who uses the project; an extra that serves development is none of these."""
    told = [each for each in manifest_facts(path, text) if each.value.startswith(("optional.", "feature."))]

    assert [each.value for each in _requirements(path, text)] == required
    assert [(each.value, each.detail, each.line) for each in told] == found


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        ("Cargo.toml", '[package]\nname = "a"\n', "cargo test NAME"),
        ("pytest.ini", "", "pytest FILE::TEST"),
        ("pyproject.toml", "[tool.pytest]\n", "pytest FILE::TEST"),
        ("package.json", '{"scripts": {"test": "x"}}', "npm test -- FILE"),
        ("package.json", "{}", ""),
    ],
)
def test_one_test_is_run_as_its_tool_documents(path: str, text: str, command: str) -> None:
    """Where the manifest says that there are tests."""
    told = [each.detail for each in manifest_facts(path, text) if each.value == "test-one"]

    assert told == ([command] if command else [])
