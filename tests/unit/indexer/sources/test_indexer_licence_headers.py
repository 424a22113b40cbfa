"""What is above a file because lawyers want it there is no documentation of the file."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.go.language import GoLanguage
from indexer.adapters.languages.java.language import JavaLanguage
from indexer.adapters.languages.javascript.language import JavaScriptLanguage

RIGHTS = " * Copyright (C) 2020 Somebody\n *\n * Licensed under the Apache License, Version 2.0.\n */\n"


def java(text: str) -> str:
    """Give what documents a Java file."""
    return JavaLanguage().parse("src/a/B.java", "a", text).symbols[0].docstring


def go(text: str) -> str:
    """Give what documents a Go file."""
    return GoLanguage().parse("a/b.go", "a", text).symbols[0].docstring


def javascript(text: str) -> str:
    """Give what documents a file of JavaScript."""
    return JavaScriptLanguage().parse("a/b.js", "a/b", text).symbols[0].docstring


@pytest.mark.parametrize("opening", ["/*", "/**"])
def test_java_licences_do_not_document_packages(opening: str) -> None:
    """The comment about rights above `package` is left out; one about the package below it is kept."""
    alone = java(f"{opening}\n{RIGHTS}package a;\nclass B {{}}\n")
    with_words = java(f"{opening}\n{RIGHTS}\n/** Sells things. */\npackage a;\n")
    close = java(f"{opening}\n{RIGHTS}/** Sells things. */\npackage a;\n")

    assert (alone, with_words, close) == ("", "Sells things.", "Sells things.")


def test_go_licences_do_not_document_packages() -> None:
    """Lines about rights right above the clause are left out, up to the words about the package."""
    rights = "// Copyright 2014 Somebody.\n// Use of it is governed by a BSD-style\n// license in the LICENSE file.\n"

    assert go(f"{rights}package b\n") == ""
    assert go(f"{rights}//\n// Package b sells.\npackage b\n") == "Package b sells."
    assert go("// Package b finds the license of a tree.\npackage b\n") == "Package b finds the license of a tree."


def test_javascript_licences_do_not_document_modules() -> None:
    """A JSDoc comment about rights is passed over, unless it is an overview of the file."""
    rights = f"/**\n * @license\n{RIGHTS}"

    assert javascript(f"{rights}\nimport x from 'x';\n") == ""
    assert javascript(f"{rights}\n/** @fileoverview Sells. */\nimport x from 'x';\n") == "@fileoverview Sells."
    assert "Sells." in javascript("/**\n * @file Sells.\n * @license MIT license\n */\nimport x from 'x';\n")


def test_javascript_licences_do_not_document_what_comes_first() -> None:
    """Right above a definition, at the top of the file, the comment about rights is still about rights."""
    parsed = JavaScriptLanguage().parse("a/b.js", "a/b", f"/**\n{RIGHTS}export function sell() {{}}\n")
    named = JavaScriptLanguage().parse(
        "a/b.js", "a/b", "let x;\n/** Says who has a license to sell. */\nfunction f() {}\n"
    )

    assert [symbol.docstring for symbol in parsed.symbols] == ["", ""]
    assert named.symbols[2].docstring == "Says who has a license to sell."
