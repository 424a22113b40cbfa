"""What projects say that they depend on, in the forms of several package managers."""

from __future__ import annotations

import time

import pytest

from retriever.domain.declared.manifests import reads_manifest, requirements

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
<dependency><artifactId>ink</artifactId><version>6</version><exclusions>
<exclusion><artifactId>nib</artifactId></exclusion></exclusions></dependency>
<dependency><artifactId>nib</artifactId></dependency>
"""


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "pyproject.toml",
            _PYPROJECT,
            [
                ("inkwell", ">=2", 3, False),
                ("quill", "", 6, False),
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
            [("ink", "", 2, False), ("pen", "", 3, True)],
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
    told = requirements(path, text)

    assert [(each.name, each.version, each.line, each.is_for_makers) for each in told] == found
    assert reads_manifest(path)


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
    assert requirements(path, text) == ()


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
    assert requirements(path, unit * 30_000) == ()


def test_blanks_within_an_element_take_no_longer() -> None:
    """A version of blanks alone is none."""
    blanks, began = " " * 100_000, time.process_time()
    text = f"<dependency><exclusions>{'<exclusions>' * 10_000}</exclusions><version>{blanks}x<artifactId>a</artifactId>"
    found = requirements("pom.xml", f"{text}</dependency>")

    assert [(each.name, each.version) for each in found] == [("a", "")]
    assert time.process_time() - began < 2
