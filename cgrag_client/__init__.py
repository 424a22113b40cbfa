"""Typed async client, command line and evaluation. Imports the generated stubs and nothing of the services."""
