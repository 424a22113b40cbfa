"""Reads Python with the standard `ast` module. Never runs or imports what it reads."""
