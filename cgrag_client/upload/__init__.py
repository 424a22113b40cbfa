"""Packs a local folder or archive for upload."""
