"""Serving: the server, its layers around each call, health and shutdown."""
