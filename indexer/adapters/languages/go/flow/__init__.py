"""Writes the flow program of a Go file."""

from indexer.adapters.languages.go.flow.builder import build_program

__all__ = ["build_program"]
