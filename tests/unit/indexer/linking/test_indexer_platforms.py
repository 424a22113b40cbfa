"""Edges between languages whose code names each other's packages."""

from __future__ import annotations

import textwrap

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.cross_language.platforms import across_languages
from indexer.domain.model import Edge, EdgeKind, LinkUnit, Resolution
from indexer.domain.snapshots.core import IndexedFile, LinkedEdges
from indexer.domain.snapshots.lexical import count_file
from indexer.domain.tree import TextFile

TEXTS = {
    "java": {
        "app/src/main/java/app/Main.java": """
            package app;
            import net.HttpUrl;
            import net.Outside;
            import net.ToolsKt;
            class Main extends net.Base {
                void run(HttpUrl url) {
                    url.host("x");
                    url.getPort();
                    ToolsKt.check();
                    ToolsKt.checkAll();
                    url.hostName();
                    HttpUrl.Companion.parse("y");
                    new Outside().run();
                }
            }
        """,
        "net/src/main/java/net/Closer.java": "package net;\npublic class Closer { public void close() {} }\n",
    },
    "kotlin": {
        "net/src/main/kotlin/net/HttpUrl.kt": """
            package net
            class HttpUrl {
                val port: Int = 80
                fun host(name: String) {}
                @JvmName("hostName")
                fun named() = 1
                companion object {
                    fun parse(text: String) {}
                }
            }
            open class Base
        """,
        "net/src/main/kotlin/net/Tools.kt": """
            package net
            fun check() {}

            @JvmName("checkAll")
            fun List<Int>.check() {}
        """,
        "net/src/main/kotlin/net/use.kt": "package use\nimport net.Closer\nfun go() { Closer() }\n",
    },
}


def linked() -> dict[EdgeKind, list[tuple[str, str, Resolution]]]:
    """Return (name, file that it leads to, resolution) of all edges by kind."""
    files: list[IndexedFile] = []
    found: list[LinkedEdges] = []
    for name, texts in TEXTS.items():
        reader, first = languages()[name], len(files)
        modules = reader.module_names(texts, {}, None)
        units = [
            LinkUnit(path, modules[path], reader.parse(path, modules[path], textwrap.dedent(text)))
            for path, text in sorted(texts.items())
        ]
        for unit in units:
            text, terms = TextFile(unit.path, "", 0, "\n"), count_file(unit.path, "", unit.parsed)
            files.append(IndexedFile(text, name, unit.module, is_test=False, parsed=unit.parsed, lexical=terms))
        result = linkers()[name].link(units)
        positions = tuple(range(first, len(files)))
        found.append(LinkedEdges(positions, result.edges, name, result.cut, result.by_name, result.platform))

    def described(edges: LinkedEdges, edge: Edge) -> tuple[str, str, Resolution]:
        target = files[edges.files[edge.target[0]]].source.path if edge.target else ""
        return edge.target_name, target.rpartition("/")[2], edge.resolution

    led: dict[EdgeKind, list[tuple[str, str, Resolution]]] = {}
    for edges in across_languages(files, found):
        for edge in edges.edges:
            led.setdefault(edge.kind, []).append(described(edges, edge))
    return led


def test_java_and_kotlin_name_each_other() -> None:
    """Imports, bases, constructors, methods, properties by their getters, functions by the class of their file."""
    found = linked()

    assert sorted(found[EdgeKind.IMPORT]) == [
        ("net.Base", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.Closer", "Closer.java", Resolution.RESOLVED),
        ("net.HttpUrl", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.Outside", "", Resolution.EXTERNAL),
        ("net.ToolsKt", "", Resolution.EXTERNAL),
    ]
    assert found[EdgeKind.INHERITS] == [("net.Base", "HttpUrl.kt", Resolution.RESOLVED)]
    assert sorted(found[EdgeKind.CALL]) == [
        ("net.Closer", "Closer.java", Resolution.RESOLVED),
        ("net.HttpUrl.getPort", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.HttpUrl.host", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.HttpUrl.hostName", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.HttpUrl.parse", "HttpUrl.kt", Resolution.RESOLVED),
        ("net.Outside", "", Resolution.EXTERNAL),
        ("net.Outside.run", "", Resolution.EXTERNAL),
        ("net.ToolsKt.check", "Tools.kt", Resolution.RESOLVED),
        ("net.ToolsKt.checkAll", "Tools.kt", Resolution.RESOLVED),
    ]
