"""Makes vectors layers: texts out of code.db, embedded with a cache, into an embedded shard or a Qdrant server."""
