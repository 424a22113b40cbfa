"""Reads JavaScript and TypeScript, with JSX: symbols, behaviour facts, and the program that the linker reads."""
