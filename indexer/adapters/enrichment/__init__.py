"""Notes that a model writes about files: requested, cached, and stored as a layer."""
