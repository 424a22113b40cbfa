"""
Implementations of the retriever's ports: access to files, databases, object storage and models.

`core`, `snapshots`, `bucket` and `vectors` read what the indexer published and never change it; `state` has all data
that this service stores itself. `snapshots` opens `core`; `bucket` and `vectors` build on `snapshots`; `published`
assembles the store for a data folder or a bucket.
"""
