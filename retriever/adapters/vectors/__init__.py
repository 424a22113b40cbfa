"""Searches vectors layers, in the embedded engine or in a Qdrant server, and embeds queries. Makes no layer."""
