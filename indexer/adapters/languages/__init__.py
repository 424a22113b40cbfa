"""One folder for each language: source text in, symbols, facts and a linkable program out."""
