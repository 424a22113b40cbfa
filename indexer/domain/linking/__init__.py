"""Finds the edges between symbols, from the flow programs of all files. Equal inputs give equal edges."""
