"""Reads Go with tree-sitter, and the module line of go.mod. Never compiles or runs what it reads."""
