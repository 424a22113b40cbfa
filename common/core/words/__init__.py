"""Words: terms of text and names, spellings, synonyms, tokens."""
