"""The stages of retrieval strategies: one protocol, one file a stage, one table. No stage calls another."""
