"""Views of a codebase: trees of calls, structure, lists, pages, places of a text."""
