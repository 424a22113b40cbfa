"""Finds the relations between symbols: flow programs of all files in, edges out. Same input, same output."""
