"""The use cases of the indexer, one module each; they call the domain, and adapters through the ports."""
