"""Adapters: implementations of the ports, one for each file format, database, tool or service."""
