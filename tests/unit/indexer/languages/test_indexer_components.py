"""Components of Vue, Svelte and Astro: their scripts are code that imports and calls like any other."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.javascript.components import scripts_of
from indexer.adapters.languages.registry import languages, linkers
from tests.unit.indexer.read_units import units_of

_PRICE = "export function formatPrice(cents: number): string {\n  return `${cents}`;\n}\n"
_VUE = """<template>
  <li @click="emptyBasket">{{ label(row) }}</li>
</template>

<script setup lang="ts">
import { formatPrice } from './price'

function label(row: { cents: number }): string {
  return formatPrice(row.cents)
}

function emptyBasket(): void {
  throw new Error('basket is already empty')
}
</script>
"""
_CODE = "import { formatPrice } from './price'\nfunction shown() {\n  return formatPrice(1)\n}\n"
_SVELTE = f"<script>\n{_CODE}</script>\n<p>{{shown()}}</p>\n"
_ASTRO = f"---\n{_CODE}---\n<p>{{shown()}}</p>\n"


def test_what_a_component_calls_is_called_there() -> None:
    """Imports, calls, messages and lines of the scripts count; the file's own language is told."""
    javascript = languages()["javascript"]
    units = units_of(
        javascript, {"src/a.vue": _VUE, "src/b.svelte": _SVELTE, "src/c.astro": _ASTRO, "src/price.ts": _PRICE}
    )
    edges = linkers()["javascript"].link(units).edges
    calls = {
        (units[edge.source[0]].path, units[edge.source[0]].parsed.symbols[edge.source[1]].name, edge.line)
        for edge in edges
        if edge.target_name.endswith("formatPrice") and edge.kind.name == "CALL" and edge.target is not None
    }
    component = units[0].parsed

    assert calls == {("src/a.vue", "label", 9), ("src/b.svelte", "shown", 4), ("src/c.astro", "shown", 4)}
    assert [(each.name, each.start_line) for each in component.symbols[1:]] == [("label", 8), ("emptyBasket", 12)]
    assert "basket is already empty" in [fact.value for fact in component.facts]
    assert [javascript.label(f"a.{ending}") for ending in ("vue", "svelte", "astro", "ts")] == [
        "vue",
        "svelte",
        "astro",
        "typescript",
    ]


@pytest.mark.parametrize(
    ("path", "text", "kept"),
    [
        ("a.vue", "<p>x</p>\n<SCRIPT src='a'>f()</SCRIPT >\n<script>g()", "f()g()"),
        ("a.astro", "<p>---</p>\n<script>f()</script>\n", "f()"),
        ("a.astro", "---\nf()\n---\n<p/>\n<script>g()</script>", "f()g()"),
        ("a.svelte", "no script at all\n", ""),
    ],
)
def test_lines_stay_and_all_else_goes(path: str, text: str, kept: str) -> None:
    """What is no script is blank; an open script goes on to the end."""
    scripts = scripts_of(path, text)

    assert [len(line) for line in scripts.split("\n")] == [len(line) for line in text.split("\n")]
    assert "".join(scripts.split()) == kept
