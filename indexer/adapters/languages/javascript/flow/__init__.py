"""Writes the flow program of a file: see `indexer.domain.linking.program` for what that is."""
