"""
What the retriever meets outside, each thing behind a port.

`core`, `snapshots`, `bucket` and `vectors` read what the indexer published and never change it; `state` is all that
this service keeps itself. `snapshots` opens `core`; `bucket` and `vectors` build on `snapshots`; `published` puts
folder or bucket together.
"""
