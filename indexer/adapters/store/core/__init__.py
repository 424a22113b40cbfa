"""The core layer as a file: written, checked, patched, opened."""
