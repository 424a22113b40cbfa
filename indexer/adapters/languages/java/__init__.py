"""Reads Java with tree-sitter. Never compiles or runs what it reads."""
