"""Writes the flow program of a Java file."""

from indexer.adapters.languages.java.flow.builder import build_program

__all__ = ["build_program"]
