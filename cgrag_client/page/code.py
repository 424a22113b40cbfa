"""Source as HTML: coloured, with the numbers of its lines."""

from __future__ import annotations

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

_LIGHT, _DARK = "default", "github-dark"


def code_block(text: str, first_line: int = 0, *, path: str = "", language: str = "") -> str:
    """
    Return source as HTML.

    Args:
        text: Whole lines.
        first_line: Number of the first line; 0 shows no numbers.
        path: Its file name determines the language where `language` does not.
        language: Name of the language, as after the fence of a markdown code block.
    """
    coloured = highlight(text.expandtabs(4), _lexer(path, language), HtmlFormatter(nowrap=True))
    lines = coloured.removesuffix("\n").split("\n")
    if not first_line:
        return f'<pre class="code"><code>{coloured}</code></pre>'
    rows = (
        f'<span class="line"><span class="number">{number}</span>{line}</span>'
        for number, line in enumerate(lines, first_line)
    )
    return f'<pre class="code numbered" title="{escape(path)}"><code>{"".join(rows)}</code></pre>'


def styles() -> str:
    """Return the colours of source, for light and dark."""
    light = HtmlFormatter(style=_LIGHT).get_style_defs(".code")
    dark = HtmlFormatter(style=_DARK).get_style_defs(".code")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _lexer(path: str, language: str) -> object:
    try:
        if language:
            return get_lexer_by_name(language, stripnl=False, ensurenl=False)
        return get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False, ensurenl=False)
