"""Notes of a model about files: requested, cached, and written as a layer."""
