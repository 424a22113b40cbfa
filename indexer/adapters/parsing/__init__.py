"""Parses files in child processes, which can be killed, and caches the facts."""
