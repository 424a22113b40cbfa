"""Finds the exact place of something that is named: a symbol, path, frame, message or setting."""
