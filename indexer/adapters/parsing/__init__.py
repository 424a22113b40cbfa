"""Parsing in processes of its own that can be killed, and a cache of what came out."""
