"""Evidence as the orchestrator sees it: pieces, mentioned symbols, references."""
