"""Writes the flow program of a file: see `indexer.domain.linking.program` for what that is."""

from indexer.adapters.languages.javascript.flow.builder import build_program

__all__ = ["build_program"]
