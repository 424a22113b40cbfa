"""Rules of Java for the linker."""
