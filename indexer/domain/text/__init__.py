"""What is searched as text: words, pages, concepts, vectors."""
