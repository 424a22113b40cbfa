"""Evidence: pieces, why each is there, what they cost, and how they are fitted and rendered."""
