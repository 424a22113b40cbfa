"""Rules of Python for the linker."""
