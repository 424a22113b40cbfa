"""What manifests say of their projects beside what these require: properties, entry points and commands."""

from __future__ import annotations

import pytest

from indexer.adapters.manifests.reading import manifest_facts
from indexer.domain.model import FactKind


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "pyproject.toml",
            (
                '[project]\nname = "till"\ndescription = "Keeps books."\nrequires-python = ">=3.11"\n'
                'license = {text = "MIT"}\n[project.scripts]\ntill = "till.app:main"\n'
                '[project.entry-points."till.keys"]\nbell = "till.bell"\n'
            ),
            [
                ("name", "till", 2),
                ("description", "Keeps books.", 3),
                ("runtime.python", ">=3.11", 4),
                ("license", "MIT", 5),
                ("entry.bin.till", "till.app:main", 7),
                ("entry.till.keys.bell", "till.bell", 9),
            ],
        ),
        (
            "setup.cfg",
            (
                "[metadata]\nname = till\n[options]\npython_requires = >=3.9\n"
                "[options.entry_points]\nconsole_scripts =\n    till = till.app:main\n"
            ),
            [("name", "till", 2), ("runtime.python", ">=3.9", 4), ("entry.bin.till", "till.app:main", 7)],
        ),
        (
            "setup.py",
            (
                "from setuptools import setup\n\nVERSION = read()\nsetup(\n    name='till',\n    version=VERSION,\n"
                "    python_requires='>=3.9',\n    entry_points={'console_scripts': ['till = till.app:main']},\n)\n"
            ),
            [("name", "till", 5), ("runtime.python", ">=3.9", 7), ("entry.bin.till", "till.app:main", 8)],
        ),
        (
            "setup.py",
            (
                "given = dict(\n    name='till',\n"
                "    entry_points={'console_scripts': ['till = till.app:main', 'till%d = till.app:main' % 3]},\n)\n"
                "setup(**given)\n"
            ),
            [("name", "till", 2), ("entry.bin.till", "till.app:main", 3)],
        ),
        (
            "package.json",
            (
                '{\n"name": "@acme/till",\n"main": "lib/index.js",\n"bin": "cli.js",\n"engines": {"node": ">=18"},\n'
                '"exports": {\n".": {"import": "./esm.js"},\n"./keys": "./keys.js"}}\n'
            ),
            [
                ("name", "@acme/till", 2),
                ("entry.main", "lib/index.js", 3),
                ("entry.bin.till", "cli.js", 4),
                ("runtime.node", ">=18", 5),
                ("entry.exports..", "./esm.js", 6),
                ("entry.exports../keys", "./keys.js", 6),
            ],
        ),
        (
            "Cargo.toml",
            '[package]\nname = "till"\nrust-version = "1.70"\n[[bin]]\nname = "bell"\npath = "src/bell.rs"\n',
            [("name", "till", 2), ("runtime.rust", "1.70", 3), ("entry.bin.bell", "src/bell.rs", 5)],
        ),
        ("go.mod", "module acme.com/till\n\ngo 1.22\n", [("name", "acme.com/till", 1), ("runtime.go", "1.22", 3)]),
        (
            "pom.xml",
            (
                '<project xmlns="m">\n<artifactId>till</artifactId>\n<properties><java.version>17</java.version>'
                "</properties>\n"
                "<modules><module>bell</module></modules></project>\n"
            ),
            [("name", "till", 2), ("runtime.java", "17", 3), ("member.bell", "bell", 4)],
        ),
        (
            "pom.xml",
            (
                "<project>\n<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId>\n"
                "<configuration><release>11</release></configuration></plugin></plugins></build></project>\n"
            ),
            [("runtime.java", "11", 3)],
        ),
        (
            "build.gradle",
            "group = 'acme'\nversion '1.2'\nsourceCompatibility = JavaVersion.VERSION_17\nmainClassName = 'a.Till'\n",
            [("group", "acme", 1), ("version", "1.2", 2), ("runtime.java", "17", 3), ("entry.main", "a.Till", 4)],
        ),
    ],
)
def test_a_manifest_describes_its_project(path: str, text: str, found: list[tuple[str, str, int]]) -> None:
    """Name, version, description, the runtime that is needed and the entry points, each with its line."""
    told = [fact for fact in manifest_facts(path, text) if fact.kind == FactKind.PROJECT]

    assert [(each.value, each.detail, each.line) for each in told] == found


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("Makefile", "A := 1\n.PHONY: x\ntest check: lint\n\tpytest\n", [("make check", 3), ("make test", 3)]),
        ("justfile", "serve:\n  go\n", [("just serve", 1)]),
        ("package.json", '{\n"scripts": {\n"dev": "vite"}}', [("npm install", 1), ("npm run dev", 3)]),
        (
            "go.mod",
            "module a\n",
            [
                ("go build ./...", 1),
                ("go install ./...", 1),
                ("go run .", 1),
                ("go test -bench . ./...", 1),
                ("go test ./...", 1),
                ("go test ./PACKAGE -run NAME", 1),
            ],
        ),
        ("tox.ini", "= =", [("tox", 1)]),
        ("tox.toml", "requires = []\n\n[env.lint]\nskip = 1\n", [("tox", 1), ("tox -e lint", 3)]),
        (
            "package.json",
            '{\n"packageManager": "pnpm@9.1.0",\n"scripts": {\n"test": "jest",\n"lint": "eslint"}}',
            [("pnpm install", 1), ("pnpm run lint", 5), ("pnpm test", 4), ("pnpm test -- FILE", 1)],
        ),
        (
            ".github/workflows/test.yml",
            (
                "jobs:\n  a:\n    steps:\n      - run: go test ./...\n      - name: Vet\n        run: |\n"
                "          # by hand\n          go vet ./...\n          staticcheck\n      - uses: y\n"
            ),
            [("go test ./...", 4), ("go vet ./...", 8), ("staticcheck", 9)],
        ),
        ("scripts/test", "#!/bin/sh\npytest\n", [("scripts/test", 1)]),
        ("scripts/data/test", "pytest\n", []),
        (
            "pom.xml",
            (
                "<project><build><plugins><plugin>\n<artifactId>spring-boot-maven-plugin</artifactId>\n"
                "</plugin></plugins></build></project>\n"
            ),
            [
                ("mvn install", 1),
                ("mvn package", 1),
                ("mvn spring-boot:run", 2),
                ("mvn test", 1),
                ("mvn test -Dtest=CLASS", 1),
            ],
        ),
        (
            "build.gradle",
            "plugins {\n  id 'org.springframework.boot' version '3'\n}\n",
            [("gradle bootRun", 2), ("gradle build", 1), ("gradle test", 1), ("gradle test --tests CLASS", 1)],
        ),
        ("build.gradle", "\n", [("gradle build", 1), ("gradle test", 1), ("gradle test --tests CLASS", 1)]),
        ("notes.txt", "test: lint\n", []),
    ],
)
def test_commands_are_those_declared_and_those_of_convention(
    path: str, text: str, found: list[tuple[str, int]]
) -> None:
    """Targets and scripts with their lines; what a tool documents, on the first one."""
    told = [fact for fact in manifest_facts(path, text) if fact.kind == FactKind.COMMAND]

    assert sorted((each.detail, each.line) for each in told) == found


def test_entities_of_xml_are_not_expanded() -> None:
    """A document that defines entities says nothing from there on."""
    text = '<!DOCTYPE p [<!ENTITY a "bbbb">]><project><artifactId>&a;</artifactId></project>'

    assert [fact for fact in manifest_facts("pom.xml", text) if fact.kind == FactKind.PROJECT] == []
