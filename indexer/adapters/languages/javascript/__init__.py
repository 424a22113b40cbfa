"""Reads JavaScript and TypeScript, with JSX: symbols, behaviour facts, and the flow program for the linker."""
