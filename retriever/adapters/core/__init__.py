"""Reads a core layer, code.db of docs/snapshot-format.md: its tables, graph and full text. Reads no other layers."""
