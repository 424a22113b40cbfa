"""Rules of Go for the linker."""
