"""Python's rules for the linker."""
