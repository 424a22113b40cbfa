"""The indexer: turns the files of a repository into a published snapshot. The retriever answers queries from it."""
