"""What a question asks for, read from its words: each kind of question in a file of its own."""
